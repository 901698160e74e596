//! Requests to a JVM worker and its replies: a length in four bytes, then the message, big-endian as Java's data streams write.

use crate::script::{Action, Argument, Primitive, Script, Slot, Step, Value};
use java_classfile::{MethodDescriptor, Type};
use std::io::{self, Read, Write};
use thiserror::Error;

/// Longest reply; longer ones are not from our worker.
const LONGEST: u32 = 64 << 20;

/// Begins a line that a worker writes to its standard error about a run that says nothing for long: class, method and line of a frame
/// follow.
pub const SILENT_AT: &str = "silent at ";

const LEARN: u8 = 1;
const RUN: u8 = 2;

const CONSTRUCT: u8 = 1;
const INVOKE: u8 = 2;
const INVOKE_STATIC: u8 = 3;
const LOAD: u8 = 4;
const LOAD_STATIC: u8 = 5;
const STORE: u8 = 6;
const STORE_STATIC: u8 = 7;
const ARRAY: u8 = 8;
const STUB: u8 = 9;
const FILE: u8 = 10;
const FOLDER: u8 = 11;
const LOOK: u8 = 12;

const ARGUMENT_NULL: u8 = 0;
const ARGUMENT_RESULT: u8 = 1;
const ARGUMENT_SLOT: u8 = 2;

const SLOT_PRIMITIVE: u8 = 0;
const SLOT_BOXED: u8 = 8;
const SLOT_ARRAY: u8 = 16;
const SLOT_TEXT: u8 = 24;

const END_RETURNED: u8 = 0;
const END_THREW: u8 = 1;
const END_OUT_OF_TICKS: u8 = 2;
const END_EXITED: u8 = 3;
const END_UNUSABLE: u8 = 4;

const SEEN_VOID: u8 = 0;
const SEEN_NULL: u8 = 1;
const SEEN_PRIMITIVE: u8 = 2;
const SEEN_BOXED: u8 = 10;
const SEEN_TEXT: u8 = 18;
const SEEN_ENUM: u8 = 19;
const SEEN_ARRAY: u8 = 20;
const SEEN_SAME: u8 = 21;
const SEEN_OBJECT: u8 = 22;
const SEEN_THREW: u8 = 23;

const FLAG_FULL: u8 = 1;
const FLAG_FRESH: u8 = 2;
const FLAG_OBSERVE: u8 = 4;
const FLAG_WATCHED: u8 = 8;
const LEFT_THREADS: u8 = 1;
const LEFT_FILES: u8 = 2;

/// The numbers above, for [`crate::java::constants`].
pub(crate) const NUMBERS: [(&str, u8); 42] = [
    ("Learn", LEARN),
    ("Run", RUN),
    ("Construct", CONSTRUCT),
    ("Invoke", INVOKE),
    ("InvokeStatic", INVOKE_STATIC),
    ("Load", LOAD),
    ("LoadStatic", LOAD_STATIC),
    ("Store", STORE),
    ("StoreStatic", STORE_STATIC),
    ("Array", ARRAY),
    ("Stub", STUB),
    ("File", FILE),
    ("Folder", FOLDER),
    ("Look", LOOK),
    ("ArgumentNull", ARGUMENT_NULL),
    ("ArgumentResult", ARGUMENT_RESULT),
    ("ArgumentSlot", ARGUMENT_SLOT),
    ("SlotPrimitive", SLOT_PRIMITIVE),
    ("SlotBoxed", SLOT_BOXED),
    ("SlotArray", SLOT_ARRAY),
    ("SlotText", SLOT_TEXT),
    ("EndReturned", END_RETURNED),
    ("EndThrew", END_THREW),
    ("EndOutOfTicks", END_OUT_OF_TICKS),
    ("EndExited", END_EXITED),
    ("EndUnusable", END_UNUSABLE),
    ("SeenVoid", SEEN_VOID),
    ("SeenNull", SEEN_NULL),
    ("SeenPrimitive", SEEN_PRIMITIVE),
    ("SeenBoxed", SEEN_BOXED),
    ("SeenText", SEEN_TEXT),
    ("SeenEnum", SEEN_ENUM),
    ("SeenArray", SEEN_ARRAY),
    ("SeenSame", SEEN_SAME),
    ("SeenObject", SEEN_OBJECT),
    ("SeenThrew", SEEN_THREW),
    ("FlagFull", FLAG_FULL),
    ("FlagFresh", FLAG_FRESH),
    ("FlagObserve", FLAG_OBSERVE),
    ("FlagWatched", FLAG_WATCHED),
    ("LeftThreads", LEFT_THREADS),
    ("LeftFiles", LEFT_FILES),
];

/// What a worker is asked to do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Request<'a> {
    /// Remember a script under a number, of which an earlier one may be forgotten. The reply says whether all of its classes and
    /// members are there.
    Learn {
        /// The number.
        number: u32,
        /// The script.
        script: &'a Script,
    },
    /// Run a script that was learnt.
    Run {
        /// The number.
        script: u32,
        /// A value for each of its slots.
        values: &'a [Value],
        /// How.
        manner: Manner,
    },
}

/// How a script is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// Ticks after which it is stopped.
    pub ticks: u64,
    /// With all hooks, not only those of jumps.
    pub full: bool,
    /// In classes that were just loaded, so that static fields are as at first.
    pub fresh: bool,
    /// Results are wanted, and what observers see.
    pub observe: bool,
    /// It is looked at whether it asks the machine for what is not its own. The code can see that somebody looks.
    pub watched: bool,
}

/// How a run went.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// How it ended.
    pub end: End,
    /// What each step gave that came to an end, if that was wanted: as it is when all steps are through. Looking at objects may
    /// run their code, which must not happen between steps. Nothing after a run that used up all memory.
    pub results: Vec<Seen>,
    /// What each observer saw, if that was wanted.
    pub observed: Vec<Seen>,
    /// Words of the trace.
    pub words: u32,
    /// The trace had no room for everything.
    pub cut: bool,
    /// Threads that the run started are still there: the worker is not to be used any more.
    pub tainted: bool,
    /// It has written files to the folder of the machine that are neither its own nor temporary. If it was watched also: it has asked for
    /// something else that is not its own.
    pub litters: bool,
    /// Where it was when it ran out of ticks or memory, or asked for the end of the machine: as [`Thrown::stack`].
    pub stopped: Vec<Frame>,
    /// What ended the first of its threads that nobody looked after.
    pub uncaught: Option<Thrown>,
    /// What was printed, the beginning of it, if results were wanted.
    pub output: String,
    /// Names of the classes that got numbers since the last reply, the first with the lowest number. The first class of all
    /// has number 1.
    pub classes: Vec<ClassFacts>,
}

/// A class that a trace names by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassFacts {
    /// Its internal name, or the descriptor of an array.
    pub name: String,
    /// All its superclasses and interfaces, by name; of an array also the arrays it can be used as.
    pub supertypes: Vec<String>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// All steps came to an end.
    Returned,
    /// A step threw.
    Threw {
        /// Its number.
        step: u32,
        /// What.
        thrown: Thrown,
    },
    /// A step took too many ticks.
    OutOfTicks {
        /// Its number.
        step: u32,
    },
    /// A step would have ended the JVM.
    Exited {
        /// Its number.
        step: u32,
        /// With this status.
        status: i32,
    },
    /// A class or member is not as the script says, or cannot be used.
    Unusable {
        /// The step.
        step: u32,
        /// Why, in the words of the JVM.
        why: String,
    },
}

/// Something thrown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thrown {
    /// Its class, by internal name.
    pub class: String,
    /// Its message; of what a static initialiser threw, that as text.
    pub message: Option<String>,
    /// Where: the innermost frames, tests and reflection left out; at most eight, and of a stack that overflows 64, so that recursion of
    /// several methods shows once round. Of what a static initialiser threw, those of its cause.
    pub stack: Vec<Frame>,
}

/// A call on a stack: class (internal), method and line.
pub type Frame = (String, String, u32);

/// What is seen of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Seen {
    /// Nothing is returned.
    Void,
    /// `null`
    Null,
    /// A primitive, also in its box.
    Value(Value),
    /// A constant of an enum: class and name.
    Enum(String, String),
    /// An array: descriptor, length, and the first of its elements.
    Array(String, u32, Vec<Seen>),
    /// The result of an earlier step.
    Same(u32),
    /// Another object: its class, and its text if the class says how it is printed, if that is short, comes to an end and names no
    /// identity hash. Also arrays deep in arrays, and texts of more than 65,536 characters.
    Object(String, Option<String>),
    /// An observer threw: the class.
    Threw(String),
}

/// A reply that is none.
#[derive(Debug, Error)]
pub enum Unreadable {
    /// The pipe broke.
    #[error(transparent)]
    Pipe(#[from] io::Error),
    /// The bytes are no reply.
    #[error("no reply of a worker")]
    Garbled,
}

/// Sends a request.
///
/// # Errors
/// When the pipe is broken.
pub fn send(out: &mut impl Write, request: Request<'_>) -> io::Result<()> {
    let mut bytes = Bytes(Vec::with_capacity(64));
    match request {
        Request::Learn { number, script } => {
            bytes.u8(LEARN);
            bytes.u32(number);
            bytes.script(script);
        }
        Request::Run { script, values, manner } => {
            bytes.u8(RUN);
            bytes.u32(script);
            let flag = |is: bool, flag: u8| if is { flag } else { 0 };
            bytes.u8(flag(manner.full, FLAG_FULL)
                | flag(manner.fresh, FLAG_FRESH)
                | flag(manner.observe, FLAG_OBSERVE)
                | flag(manner.watched, FLAG_WATCHED));
            bytes.u64(manner.ticks);
            values.iter().for_each(|value| bytes.value(value));
        }
    }
    out.write_all(&(bytes.0.len() as u32).to_be_bytes())?;
    out.write_all(&bytes.0)?;
    out.flush()
}

/// Waits for a reply.
///
/// # Errors
/// When the pipe is broken or what comes is no reply.
pub fn receive(from: &mut impl Read) -> Result<Reply, Unreadable> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > LONGEST {
        return Err(Unreadable::Garbled);
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    let mut cursor = Cursor(&bytes);
    cursor.reply().filter(|_| cursor.0.is_empty()).ok_or(Unreadable::Garbled)
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    fn u16(&mut self, value: u16) {
        self.0.extend(value.to_be_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.0.extend(value.to_be_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend(value.to_be_bytes());
    }

    /// UTF-8, its length first.
    fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.0.extend(text.as_bytes());
    }

    fn script(&mut self, script: &Script) {
        self.u32(script.slots.len() as u32);
        script.slots.iter().for_each(|&slot| self.slot(slot));
        for steps in [&script.steps, &script.observers] {
            self.u32(steps.len() as u32);
            steps.iter().for_each(|step| self.step(step));
        }
    }

    fn slot(&mut self, slot: Slot) {
        self.u8(match slot {
            Slot::Primitive(primitive) => SLOT_PRIMITIVE + primitive as u8,
            Slot::Boxed(primitive) => SLOT_BOXED + primitive as u8,
            Slot::Array(primitive) => SLOT_ARRAY + primitive as u8,
            Slot::Text => SLOT_TEXT,
        });
    }

    /// Kind, class, name and descriptor, the last two empty where there are none; then the arguments. In place of a name, stubs have
    /// the methods that their answers are for: name and descriptor, with dots between them.
    fn step(&mut self, step: &Step) {
        let field = |is_static: bool, load: u8, load_static: u8| if is_static { load_static } else { load };
        let answered;
        let (kind, class, name, descriptor) = match &step.action {
            Action::Construct { class, descriptor } => (CONSTRUCT, class.clone(), "", descriptor.to_string()),
            Action::Invoke { class, name, descriptor, is_static } => (
                field(*is_static, INVOKE, INVOKE_STATIC),
                class.clone(),
                name.as_str(),
                descriptor.to_string(),
            ),
            Action::Load { class, name, ty, is_static } => {
                (field(*is_static, LOAD, LOAD_STATIC), class.clone(), name.as_str(), ty.to_string())
            }
            Action::Store { class, name, ty, is_static } => {
                (field(*is_static, STORE, STORE_STATIC), class.clone(), name.as_str(), ty.to_string())
            }
            Action::Array { element } => {
                (ARRAY, element.to_string(), "", Type::Array(Box::new(element.clone())).to_string())
            }
            Action::Stub { class, parameters, answers } => {
                let named = answers.iter().map(|answer| format!("{}{}", answer.name, answer.descriptor));
                answered = named.collect::<Vec<String>>().join(".");
                let takes = MethodDescriptor { parameters: parameters.clone(), result: None };
                (STUB, class.clone(), answered.as_str(), takes.to_string())
            }
            Action::File { is_folder } => (field(*is_folder, FILE, FOLDER), String::new(), "", String::new()),
            Action::Look { ty } => (LOOK, String::new(), "", ty.to_string()),
        };
        self.u8(kind);
        self.text(&class);
        self.text(name);
        self.text(&descriptor);
        self.u32(step.arguments.len() as u32);
        for &argument in &step.arguments {
            let (kind, number) = match argument {
                Argument::Null => (ARGUMENT_NULL, 0),
                Argument::Result(step) => (ARGUMENT_RESULT, step),
                Argument::Slot(slot) => (ARGUMENT_SLOT, slot),
            };
            self.u8(kind);
            self.u32(number);
        }
    }

    /// By the kind of its slot: a primitive as eight bytes; before all others a byte, 0 for null.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.u8(0),
            Value::Boxed(inner) => {
                self.u8(1);
                self.value(inner);
            }
            Value::Text(units) => {
                self.u8(1);
                self.u32(units.len() as u32);
                units.iter().for_each(|&unit| self.u16(unit));
            }
            Value::Array(_, elements) => {
                self.u8(1);
                self.u32(elements.len() as u32);
                elements.iter().for_each(|element| self.value(element));
            }
            primitive => self.u64(primitive.bits().unwrap_or(0)),
        }
    }
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take().map(|[byte]: [u8; 1]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    fn optional_text(&mut self) -> Option<Option<String>> {
        if self.u8()? == 0 { Some(None) } else { self.text().map(Some) }
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.u32()?;
        (0..length).map(|_| one(self)).collect()
    }

    fn reply(&mut self) -> Option<Reply> {
        let (end, results) = (self.end()?, self.list(Cursor::seen)?);
        let (observed, words) = (self.list(Cursor::seen)?, self.u32()?);
        let (cut, left) = (self.u8()? != 0, self.u8()?);
        Some(Reply {
            end,
            results,
            observed,
            words,
            cut,
            tainted: left & LEFT_THREADS != 0,
            litters: left & LEFT_FILES != 0,
            stopped: self.list(Cursor::frame)?,
            uncaught: if self.u8()? == 0 { None } else { Some(self.thrown()?) },
            output: self.text()?,
            classes: self.list(|cursor| {
                Some(ClassFacts { name: cursor.text()?, supertypes: cursor.list(Cursor::text)? })
            })?,
        })
    }

    fn end(&mut self) -> Option<End> {
        Some(match self.u8()? {
            END_RETURNED => End::Returned,
            END_THREW => End::Threw { step: self.u32()?, thrown: self.thrown()? },
            END_OUT_OF_TICKS => End::OutOfTicks { step: self.u32()? },
            END_EXITED => End::Exited { step: self.u32()?, status: self.u32()? as i32 },
            END_UNUSABLE => End::Unusable { step: self.u32()?, why: self.text()? },
            _ => return None,
        })
    }

    fn thrown(&mut self) -> Option<Thrown> {
        Some(Thrown { class: self.text()?, message: self.optional_text()?, stack: self.list(Cursor::frame)? })
    }

    fn frame(&mut self) -> Option<Frame> {
        Some((self.text()?, self.text()?, self.u32()?))
    }

    fn seen(&mut self) -> Option<Seen> {
        let kind = self.u8()?;
        let primitive = |from: u8| Primitive::ALL.get(usize::from(kind.checked_sub(from)?)).copied();
        Some(match kind {
            SEEN_VOID => Seen::Void,
            SEEN_NULL => Seen::Null,
            SEEN_PRIMITIVE..SEEN_BOXED => Seen::Value(primitive(SEEN_PRIMITIVE)?.value(self.u64()?)),
            SEEN_BOXED..SEEN_TEXT => {
                Seen::Value(Value::Boxed(Box::new(primitive(SEEN_BOXED)?.value(self.u64()?))))
            }
            SEEN_TEXT => {
                let units = self.list(|cursor| cursor.take().map(u16::from_be_bytes))?;
                Seen::Value(Value::Text(units))
            }
            SEEN_ENUM => Seen::Enum(self.text()?, self.text()?),
            SEEN_ARRAY => Seen::Array(self.text()?, self.u32()?, self.list(Cursor::seen)?),
            SEEN_SAME => Seen::Same(self.u32()?),
            SEEN_OBJECT => Seen::Object(self.text()?, self.optional_text()?),
            SEEN_THREW => Seen::Threw(self.text()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_sent_as_documented() {
        let values = [
            Value::Int(-2),
            Value::Null,
            Value::Text(vec![0x41]),
            Value::Array(Primitive::Byte, vec![Value::Byte(3)]),
        ];
        let manner = Manner { ticks: 7, full: true, fresh: false, observe: true, watched: true };
        let mut sent = Vec::new();
        send(&mut sent, Request::Run { script: 9, values: &values, manner }).expect("memory takes it");
        let mut expected = vec![2, 0, 0, 0, 9, 13, 0, 0, 0, 0, 0, 0, 0, 7];
        expected.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0]);
        expected.extend([1, 0, 0, 0, 1, 0, 0x41]);
        expected.extend([1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3]);
        assert_eq!(&sent[..4], (expected.len() as u32).to_be_bytes());
        assert_eq!(&sent[4..], expected);
    }

    #[test]
    fn a_reply_is_read_as_documented() {
        let text = |text: &str| [&(text.len() as u32).to_be_bytes()[..], text.as_bytes()].concat();
        let mut bytes = vec![END_THREW, 0, 0, 0, 2];
        bytes.extend(text("java/lang/Error"));
        bytes.extend([1].into_iter().chain(text("why")));
        bytes.extend([0, 0, 0, 1].into_iter().chain(text("A")).chain(text("m")).chain([0, 0, 0, 5]));
        bytes.extend([0, 0, 0, 2, SEEN_VOID, SEEN_BOXED + Primitive::Char as u8, 0, 0, 0, 0, 0, 0, 0, 0x42]);
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 40, 1, 2]);
        bytes.extend([0, 0, 0, 1].into_iter().chain(text("A")).chain(text("n")).chain([0, 0, 0, 6]));
        bytes.extend([1].into_iter().chain(text("a/Torn")).chain([0, 0, 0, 0, 0]));
        bytes.extend(text("out"));
        bytes.extend([0, 0, 0, 1].into_iter().chain(text("B")).chain([0, 0, 0, 1]).chain(text("A")));
        let framed = [&(bytes.len() as u32).to_be_bytes()[..], &bytes].concat();
        let reply = receive(&mut framed.as_slice()).expect("a reply");
        let thrown = Thrown {
            class: "java/lang/Error".into(),
            message: Some("why".into()),
            stack: vec![("A".into(), "m".into(), 5)],
        };
        assert_eq!(reply.end, End::Threw { step: 2, thrown });
        assert_eq!(reply.results, [Seen::Void, Seen::Value(Value::Boxed(Box::new(Value::Char(0x42))))]);
        assert_eq!((reply.words, reply.cut, reply.output.as_str()), (40, true, "out"));
        assert_eq!((reply.tainted, reply.litters), (false, true));
        assert_eq!(reply.stopped, [("A".to_owned(), "n".to_owned(), 6)]);
        let torn = Thrown { class: "a/Torn".into(), message: None, stack: Vec::new() };
        assert_eq!(reply.uncaught, Some(torn));
        assert_eq!(reply.classes, [ClassFacts { name: "B".into(), supertypes: vec!["A".into()] }]);
        let cut = &framed[..framed.len() - 1];
        assert!(matches!(receive(&mut &*cut), Err(Unreadable::Pipe(_))));
        let mut garbled = framed.clone();
        garbled[4] = 99;
        assert!(matches!(receive(&mut garbled.as_slice()), Err(Unreadable::Garbled)));
    }
}
