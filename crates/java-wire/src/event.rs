//! What a run does, in order, as hooks in the classes write it into mapped memory.
//!
//! An event is a word of 32 bits, code and id, and as many words as its [`Code`] has. Ids of jumps number the jumps of all
//! classes; those of other events are the pc of the instruction in its method.
//!
//! ```text
//! 31      24 23                     0
//! │  code   │          id           │  word  word …
//! ```
//!
//! There are two sets of hooks. With the *short* one a run tells its jumps, which is enough to say how far it was from any
//! outcome. With the *full* one it also tells whatever a second execution of the same bytecode cannot know by itself: what
//! was loaded from places that others may have written, results of code without hooks, the identities of objects.
//!
//! The full hooks, by what they stand at:
//!
//! | place | events |
//! |---|---|
//! | beginning of a method | `Enter`, then an `Argument` for each parameter, the receiver first; not for the receiver of a constructor, which cannot be looked at yet |
//! | conditional jump, switch | `Jump`, `JumpTwo` or `JumpReference` before it |
//! | `lcmp`, `fcmp`, `dcmp` | `CompareLong` and so on before it |
//! | `getfield`, `getstatic`, element of an array | `Value`, `Wide` or `Reference` after it |
//! | any call, `invokedynamic` too | the same after it; `Done` if it gives nothing back |
//! | call of a constructor | `Made` after it; `Done` if nobody holds the object; of `super` and `this`, `Made` with the object itself |
//! | load from or store to an array | `Access` before it |
//! | `arraylength` | `Length` before it |
//! | `newarray`, `anewarray`, `multianewarray` | `Reference` after it |
//! | `checkcast`, `instanceof` | `Type` before it |
//! | handler of exceptions | `Handle`, with the pc where the handler begins |
//! | step of the test | `Step` before it |
//!
//! Nothing is told of an instruction that throws but what stands before it. An `Enter` that no call of code with hooks explains comes from
//! code without: a comparison in a sorted map, a lambda, the initialiser of a class.
//!
//! Only the thread that takes the steps tells what it does; others would write in between. What observers and the printing of
//! results do is not told.
//!
//! An object is told by its identity hash and the number of its class; null is 0 and 0. Two objects may have the same hash.
//! That is rare, and whoever compares what it believes with the next jump notices.

use thiserror::Error;

/// Kinds of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Code {
    /// A jump on a number compared with zero, or on a switch: the number.
    Jump = 1,
    /// A jump on two numbers: left, right.
    JumpTwo = 2,
    /// A jump on one reference or two: 1 if it is null, or if they are the same; else 0.
    JumpReference = 3,
    /// `lcmp`: left and right, two words each, the lower half first. Its id is that of the jump behind it, or of nothing.
    CompareLong = 4,
    /// `fcmpl`, `fcmpg`: the bits of left and right.
    CompareFloat = 5,
    /// `dcmpl`, `dcmpg`: the bits of left and right, two words each.
    CompareDouble = 6,
    /// A comparison of texts: how many characters would have to change for it to be true, and for it to be false. Its id is
    /// that of the jump behind it.
    CompareText = 7,
    /// A method with hooks begins: its id is the number of the method.
    Enter = 8,
    /// A handler of an exception begins: hash and class of the exception.
    Handle = 9,
    /// What an instruction left on the stack, if it is an int, a float or smaller.
    Value = 10,
    /// The same for a long or a double, the lower half first.
    Wide = 11,
    /// The same for a reference: hash and class.
    Reference = 12,
    /// An array is about to be accessed: hash, class, length (-1 for null) and index.
    Access = 13,
    /// Length of an array that was asked for: hash, length (-1 for null).
    Length = 14,
    /// An object that was just initialised: hash and class. In a constructor, after the one of the superclass: itself.
    Made = 15,
    /// What the class of an object decides, a cast or a test: hash and class.
    Type = 16,
    /// A step of the test begins: its id is the number of the step.
    Step = 17,
    /// A parameter of the method that was just entered: its id is the local variable it is in. Bits in two words, the lower
    /// half first, or hash and class.
    Argument = 18,
    /// A call that leaves nothing on the stack has come back.
    Done = 19,
}

impl Code {
    /// All of them.
    pub const ALL: [Code; 19] = [
        Code::Jump,
        Code::JumpTwo,
        Code::JumpReference,
        Code::CompareLong,
        Code::CompareFloat,
        Code::CompareDouble,
        Code::CompareText,
        Code::Enter,
        Code::Handle,
        Code::Value,
        Code::Wide,
        Code::Reference,
        Code::Access,
        Code::Length,
        Code::Made,
        Code::Type,
        Code::Step,
        Code::Argument,
        Code::Done,
    ];

    /// Words behind the first.
    #[must_use]
    pub fn words(self) -> usize {
        match self {
            Code::Enter | Code::Step | Code::Done => 0,
            Code::Jump | Code::JumpReference | Code::Value => 1,
            Code::JumpTwo | Code::CompareFloat | Code::CompareText => 2,
            Code::Handle
            | Code::Wide
            | Code::Reference
            | Code::Length
            | Code::Made
            | Code::Type
            | Code::Argument => 2,
            Code::CompareLong | Code::CompareDouble | Code::Access => 4,
        }
    }

    fn numbered(number: u8) -> Option<Code> {
        Code::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

/// One event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event<'a> {
    /// What happened.
    pub code: Code,
    /// Where.
    pub id: u32,
    /// With what.
    pub words: &'a [u32],
}

impl Event<'_> {
    /// Two words as one number, the lower half first.
    #[must_use]
    pub fn wide(&self, at: usize) -> u64 {
        u64::from(self.words[at]) | u64::from(self.words[at + 1]) << 32
    }
}

/// What cannot be an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("no event begins with {word:#x} at word {at}")]
pub struct Garbled {
    /// The word.
    pub word: u32,
    /// Its place.
    pub at: usize,
}

/// The events of a run.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    words: &'a [u32],
    at: usize,
}

impl<'a> Events<'a> {
    /// Of what was written; events that are not whole are left out.
    #[must_use]
    pub fn new(words: &'a [u32]) -> Events<'a> {
        Events { words, at: 0 }
    }
}

/// What was written before a step began, or a later one; all of it if none did.
#[must_use]
pub fn before_step(words: &[u32], step: u32) -> &[u32] {
    let mut events = Events::new(words);
    loop {
        let at = events.at;
        match events.next() {
            Some(Ok(event)) if event.code == Code::Step && event.id >= step => return &words[..at],
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return words,
        }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Event<'a>, Garbled>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let &word = self.words.get(self.at)?;
        let Some(code) = Code::numbered((word >> 24) as u8) else {
            let garbled = Garbled { word, at: self.at };
            // Nothing behind it can be read.
            self.at = self.words.len();
            return Some(Err(garbled));
        };
        let words = self.words.get(self.at + 1..self.at + 1 + code.words())?;
        self.at += 1 + words.len();
        Some(Ok(Event { code, id: word & 0xff_ffff, words }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_their_places() {
        for (place, code) in Code::ALL.into_iter().enumerate() {
            assert_eq!((code as usize, Code::numbered(code as u8)), (place + 1, Some(code)));
        }
        assert_eq!((Code::numbered(0), Code::numbered(20)), (None, None));
    }

    #[test]
    fn steps_part_a_trace() {
        let step = |number: u32| (Code::Step as u32) << 24 | number;
        // The number that is compared looks like a step and is none.
        let words = [step(0), (Code::Jump as u32) << 24 | 7, step(9), step(1), step(2)];
        assert_eq!(before_step(&words, 1), &words[..3]);
        assert_eq!(before_step(&words, 2), &words[..4]);
        assert_eq!(before_step(&words, 3), &words);
    }

    #[test]
    fn events_follow_each_other() {
        let words = [0x0200_0007, 5, u32::MAX, 0x0800_0003, 0x0400_0001, 1, 2, 3, 0x8000_0000];
        let events: Vec<_> = Events::new(&words).map(|event| event.expect("an event")).collect();
        assert_eq!(events.len(), 3);
        assert_eq!((events[0].code, events[0].id, events[0].words), (Code::JumpTwo, 7, &words[1..3]));
        assert_eq!((events[1].code, events[1].id), (Code::Enter, 3));
        assert_eq!(events[2].wide(2), 0x8000_0000_0000_0003);
    }

    #[test]
    fn half_an_event_is_none_and_garbage_ends_the_list() {
        assert!(Events::new(&[0x0200_0007, 5]).next().is_none());
        let mut events = Events::new(&[0x7700_0000, 0x0800_0003]);
        assert_eq!(events.next(), Some(Err(Garbled { word: 0x7700_0000, at: 0 })));
        assert_eq!(events.next(), None);
    }
}
