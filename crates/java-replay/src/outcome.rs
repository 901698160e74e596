//! What a replay says: the decisions of a run, what it used and defined, and where precision was lost.

use crate::heap::ObjectId;
use crate::left::Left;
use expr::Term;
use java_classfile::Pc;
use java_classfile::instruction::ElementKind;
use java_wire::event::Code;
use java_wire::message::Frame;
use model::Goal;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use target::Path;

/// A run as terms over its input.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    /// The decisions in order, those that no input of this shape can change among them.
    pub decisions: Vec<Decision>,
    /// The run made more decisions than are kept.
    pub cut: bool,
    /// What each step of the test defined and used, each place once a step.
    pub accesses: Vec<Access>,
    /// The steps that may have defined and used more than that: code without hooks ran in them that may remember something, or
    /// the input chose an element of an array.
    pub untold: BTreeSet<u32>,
    /// What kinds of elements the arrays have that [`Place`]s name.
    pub kinds: BTreeMap<ObjectId, ElementKind>,
    /// The fields that [`Place`]s name by number.
    pub fields: Vec<FieldName>,
    /// Where precision was lost, and how often.
    pub approximations: BTreeMap<Approximation, u64>,
    /// More of a text was asked for than there are cells: what comes of a longer one is unknown.
    pub lack: Option<Lack>,
    /// Methods of the library that could not be executed, and why: how often.
    pub given_up: BTreeMap<String, u64>,
    /// Results that their type does not hold, those of an instruction once, if that is wanted.
    pub overflows: Vec<Overflow>,
    /// Texts that were held against each other in vain, the latest last, if that is wanted.
    pub comparisons: Vec<Comparison>,
    /// Which instructions followed each other, each pair once and in order, if that is wanted.
    pub edges: Vec<Edge>,
    /// What the steps have left, if all came to an end, that is wanted, and somebody knows it.
    pub left: Option<Left>,
    /// How it ended.
    pub end: End,
}

/// An instruction that was executed, by its place in a method, and the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// Place of the class in the program.
    pub class: usize,
    /// Place of the method in its class.
    pub method: usize,
    /// The instruction before; none before the first, and before the first of a handler.
    pub from: Option<usize>,
    /// The instruction.
    pub to: usize,
}

/// A result that depends on the input and that its type does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overflow {
    /// The step of the test.
    pub step: u32,
    /// What was computed: `int overflow: 2147483647 + 1`.
    pub what: String,
    /// The calls of methods with hooks, innermost first.
    pub stack: Vec<Frame>,
}

/// Two texts of which own code has asked the platform something.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Comparison {
    /// The one.
    pub text: Vec<u16>,
    /// What was asked.
    pub relation: Relation,
    /// The other; a character is a text, too.
    pub with: Vec<u16>,
}

/// What is asked of two texts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// They are the same.
    Equals,
    /// They are, but for their case.
    EqualsInAnyCase,
    /// The first begins with the second.
    Starts,
    /// It ends with it.
    Ends,
    /// It contains it.
    Contains,
    /// It fits the regular expression that the second is, as a whole or in part.
    Fits,
}

/// A text that is too short for what a run asked of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lack {
    /// Its slot.
    pub slot: u32,
    /// How many cells would do.
    pub cells: u32,
}

/// How a replay ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// All steps came to an end.
    Returned,
    /// A step threw.
    Threw {
        /// Its number.
        step: u32,
        /// Class of what was thrown, if that is known.
        class: Option<String>,
    },
    /// The trace has no more events: the run was stopped, or there was no room for them.
    OutOfTrace,
    /// The trace does not go on as it should. What is told is what came before.
    Diverged(Mismatch),
}

/// Where replay and trace part.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("method {method} at {pc}, event {event}: expected {expected}, saw {seen}")]
pub struct Mismatch {
    /// Number of the method that was being executed.
    pub method: u32,
    /// The instruction.
    pub pc: Pc,
    /// How many events were read.
    pub event: usize,
    /// What the replay came to.
    pub expected: String,
    /// What the trace says.
    pub seen: String,
}

/// A place where a run could have gone another way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The step of the test.
    pub step: u32,
    /// Number of the method.
    pub method: u32,
    /// The instruction.
    pub pc: Pc,
    /// What is decided, and how it was.
    pub what: What,
    /// What had to hold for that; nothing if it does not depend on the input.
    pub condition: Option<Term>,
    /// Where else a jump can lead, and when; each target once.
    pub others: SmallVec<[(Pc, Term); 1]>,
}

/// What is decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// A conditional jump or a switch.
    Jump {
        /// Its number.
        jump: u32,
        /// The instruction that followed.
        target: Pc,
    },
    /// How near the operands of a comparison of integers are, behind its jump.
    Boundary {
        /// The number of that.
        jump: u32,
        /// The relation that it tests holds.
        holds: bool,
        /// The operands are as near as can be to where it would not, or would.
        near: bool,
    },
    /// A check of the virtual machine, or of a library method.
    Check {
        /// What is checked.
        check: Check,
        /// Nothing was thrown.
        holds: bool,
    },
    /// An index was used as a number. The others that are possible are as many ways.
    Index {
        /// The array.
        array: ObjectId,
        /// The index.
        index: i32,
    },
    /// A value was used as a number, for want of a term.
    Pin,
    /// Something that holds of every input.
    Given,
    /// A method was called: its number.
    Callee {
        /// The number.
        callee: u32,
    },
}

/// What a path can reach at a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// A jump leads to an instruction.
    Jump {
        /// Its number.
        jump: u32,
        /// The instruction.
        target: Pc,
    },
    /// The operands of a comparison are as near as can be to where it turns out otherwise.
    Boundary {
        /// The number of the jump on it.
        jump: u32,
        /// The relation that it tests holds.
        holds: bool,
    },
}

/// Checks that throw, and one that does not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Check {
    /// A reference is not null.
    NotNull,
    /// An index is within the bounds.
    Bounds,
    /// A length is not negative.
    Size,
    /// A divisor is not zero.
    Divisor,
    /// An object is of a class.
    Cast,
    /// An object fits into an array.
    Store,
    /// A text is a number.
    Number,
    /// A type holds a result. If not, the lower bits are taken, and nothing is thrown.
    Overflow,
}

/// A place that was written or read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// The step of the test.
    pub step: u32,
    /// Written, otherwise read.
    pub defines: bool,
    /// The place.
    pub place: Place,
}

/// Where values are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Place {
    /// A static field, by number.
    Static(u32),
    /// A field of an object.
    Field(ObjectId, u32),
    /// An element of an array.
    Element(ObjectId, i32),
}

/// A field.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FieldName {
    /// The class that declares it, or that it was looked up in.
    pub class: String,
    /// Its name.
    pub name: String,
}

/// How precision was lost.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Approximation {
    /// The result of a method without hooks, which got something that depends on the input, was taken as a number.
    Call(String),
    /// What is known of a library method does not agree with its result.
    Model(String),
    /// A field or element was written by code without hooks.
    Overwritten,
    /// An index was taken as a number though arrays are reasoned about.
    Index,
    /// An exception came from where none was expected: the stack or the memory ran out.
    Thrown,
    /// Code without hooks called code with hooks, and its arguments were taken as numbers.
    Callback,
    /// Objects that seemed different are the same.
    Identity,
    /// Boxes of numbers that depend on the input were compared as objects, which equal small numbers may share.
    Boxes,
    /// Words of the trace that are no event.
    Garbled,
}

impl fmt::Display for Approximation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Approximation::Call(name) => write!(f, "results of {name} taken as numbers"),
            Approximation::Model(name) => write!(f, "results of {name} not as expected"),
            Approximation::Overwritten => f.write_str("fields and elements written unseen"),
            Approximation::Index => f.write_str("indices taken as numbers"),
            Approximation::Thrown => f.write_str("exceptions out of nowhere"),
            Approximation::Callback => f.write_str("arguments of callbacks taken as numbers"),
            Approximation::Identity => f.write_str("objects that are the same, unexpectedly"),
            Approximation::Boxes => f.write_str("boxes compared as objects"),
            Approximation::Garbled => f.write_str("traces that cannot be read to the end"),
        }
    }
}

impl Replayed {
    /// The decisions that the input could have changed, for exploration. `goal` says which goal something is that a way out of them
    /// reaches.
    pub fn path(&self, mut goal: impl FnMut(Way) -> Option<Goal>) -> Path {
        let decisions = self.decisions.iter().filter_map(|decision| decision.as_target(&mut goal)).collect();
        let mut approximations = BTreeMap::new();
        for (approximation, count) in &self.approximations {
            *approximations.entry(approximation.as_target()).or_default() += count;
        }
        Path { decisions, cut: self.cut, approximations, ..Path::default() }
    }
}

impl Decision {
    fn as_target(&self, goal: &mut impl FnMut(Way) -> Option<Goal>) -> Option<target::Decision> {
        let condition = self.condition?;
        if self.what == What::Given {
            return Some(target::Decision::assumption(condition));
        }
        let mut way = |way: Option<Way>, condition| target::Way { goal: way.and_then(&mut *goal), condition };
        let taken = way(self.taken(), condition);
        let others = self.others.iter().map(|&(target, condition)| way(self.other(target), condition));
        Some(target::Decision::between(taken, others.collect()))
    }

    /// What was reached.
    fn taken(&self) -> Option<Way> {
        match self.what {
            What::Jump { jump, target } => Some(Way::Jump { jump, target }),
            What::Boundary { jump, holds, near: true } => Some(Way::Boundary { jump, holds }),
            _ => None,
        }
    }

    /// What another way reaches.
    fn other(&self, target: Pc) -> Option<Way> {
        match self.what {
            What::Jump { jump, .. } => Some(Way::Jump { jump, target }),
            What::Boundary { jump, holds, near: false } => Some(Way::Boundary { jump, holds }),
            _ => None,
        }
    }
}

impl Approximation {
    fn as_target(&self) -> target::Approximation {
        match self {
            Approximation::Call(name) => target::Approximation::Call(name.clone()),
            Approximation::Model(_)
            | Approximation::Overwritten
            | Approximation::Identity
            | Approximation::Boxes => target::Approximation::Mismatch,
            Approximation::Index => target::Approximation::Address,
            Approximation::Callback => target::Approximation::Call("code that calls back".into()),
            Approximation::Thrown => target::Approximation::Instruction("exceptions out of nowhere".into()),
            Approximation::Garbled => target::Approximation::Full,
        }
    }
}

/// An event in words.
pub(crate) fn told(code: Code, id: u32, words: &[u32]) -> String {
    format!("{code:?} {id} {words:?}")
}
