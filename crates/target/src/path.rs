//! The path of one run as terms over its input.

use crate::Crash;
use expr::{Term, Variable};
use input::ExtraRead;
use model::Goal;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The decisions of a run that its input could have changed, in order.
///
/// The conditions hold for the input of the run. Any other input of the same shape for which all of them hold
/// takes the same path, unless the path is [`Path::cut`] or made [`Path::approximations`] without a pin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// The decisions.
    pub decisions: Vec<Decision>,
    /// If the run is one of several calls: by call, how many decisions come before it.
    pub calls: Vec<u32>,
    /// The run made more decisions than are kept.
    pub cut: bool,
    /// Where precision was lost, and how often.
    pub approximations: BTreeMap<Approximation, u64>,
    /// The same by place, see [`crate::Target::loss`].
    pub losses: Vec<(u32, u64)>,
    /// The run wrote to an object that a pointer of the input leads to.
    pub has_written: bool,
    /// The run ended because it followed this null pointer of the input.
    pub missing: Option<Missing>,
    /// What went wrong while the precondition was asked for; the run is then one that was rejected.
    pub fault: Option<Crash>,
    /// What the run did with objects that pointers to any type lead to, in order, each once.
    pub uses: Vec<Use>,
    /// What the run read of unions, the same; the variable is the one that says which member is meant, and the place counts
    /// from the start of the union.
    pub members: Vec<Use>,
    /// What the run read behind `...`, in order, each argument once.
    pub extras: Vec<ExtraRead>,
}

/// An access to an object through a pointer that does not say what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The pointer.
    pub pointer: Variable,
    /// How far behind the place where it leads, in bytes.
    pub offset: u64,
    /// How many bytes were used.
    pub bytes: u32,
    /// What as.
    pub kind: UseKind,
}

/// What memory was used as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UseKind {
    /// An integer, a truth value, an enumerator.
    Integer,
    /// A floating-point number.
    Float,
    /// A pointer.
    Pointer,
}

/// What a run needed and did not find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The pointer.
    pub pointer: Variable,
    /// Bytes needed behind it.
    pub bytes: u64,
}

/// A decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The way it went, and what had to hold for it.
    pub taken: Way,
    /// The other ways, which exclude each other and the one taken. None for a pin: a value that the run used as
    /// a number (an address, a size) must stay what it was.
    pub others: SmallVec<[Way; 1]>,
    /// There is no other way that goes on: a pointer was followed, and must not be null.
    pub assumed: bool,
}

/// One way out of a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The branch outcome it stands for; `None` for a pin.
    pub goal: Option<Goal>,
    /// A truth value: whether the decision goes this way.
    pub condition: Term,
}

impl Decision {
    /// A decision between several ways.
    #[must_use]
    pub fn between(taken: Way, others: SmallVec<[Way; 1]>) -> Decision {
        Decision { taken, others, assumed: false }
    }

    /// A condition that must go on to hold.
    #[must_use]
    pub fn pin(condition: Term) -> Decision {
        Decision::between(Way { goal: None, condition }, SmallVec::new())
    }

    /// A condition without which the run would have ended.
    #[must_use]
    pub fn assumption(condition: Term) -> Decision {
        Decision { assumed: true, ..Decision::pin(condition) }
    }

    /// Whether the way taken is one of many that are not known.
    #[must_use]
    pub fn is_pin(&self) -> bool {
        self.others.is_empty() && !self.assumed
    }
}

/// How precision was lost.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Approximation {
    /// An address that depends on the input was used as a number.
    Address,
    /// So was the value of a switch.
    Switch,
    /// Bytes copied or set together, whose number or place depends on the input, were taken to be always the same.
    Extent,
    /// The result of a function that is not instrumented was taken as a number.
    Call(String),
    /// An instruction has no rule.
    Instruction(String),
    /// A term did not evaluate to what the program computed, and was dropped.
    Mismatch,
    /// The run's memory for terms was full.
    Full,
}

impl std::fmt::Display for Approximation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Approximation::Address => f.write_str("addresses that depend on the input taken as numbers"),
            Approximation::Switch => f.write_str("values of switches taken as numbers"),
            Approximation::Extent => {
                f.write_str("bytes copied together, their number or place depending on the input, taken as always the same")
            }
            Approximation::Call(name) => write!(f, "results of {name} taken as numbers"),
            Approximation::Instruction(name) => write!(f, "results of {name} taken as numbers"),
            Approximation::Mismatch => f.write_str("terms dropped because memory had changed unseen"),
            Approximation::Full => f.write_str("runs with more terms than there is room for"),
        }
    }
}
