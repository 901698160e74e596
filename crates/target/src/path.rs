//! The path of one run as terms over its input.

use expr::Term;
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
    /// The run made more decisions than are kept.
    pub cut: bool,
    /// Where precision was lost, and how often.
    pub approximations: BTreeMap<Approximation, u64>,
    /// The same by place, see [`crate::Target::loss`].
    pub losses: Vec<(u32, u64)>,
}

/// A decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The way it went, and what had to hold for it.
    pub taken: Way,
    /// The other ways, which exclude each other and the one taken. None for a pin: a value that the run used as
    /// a number (an address, a size) must stay what it was.
    pub others: SmallVec<[Way; 1]>,
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
    /// Whether only one way is known.
    #[must_use]
    pub fn is_pin(&self) -> bool {
        self.others.is_empty()
    }
}

/// How precision was lost.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Approximation {
    /// An address that depends on the input was used as a number.
    Address,
    /// So was a size, or the value of a switch.
    Argument,
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
            Approximation::Argument => f.write_str("sizes that depend on the input taken as numbers"),
            Approximation::Call(name) => write!(f, "results of {name} taken as numbers"),
            Approximation::Instruction(name) => write!(f, "results of {name} taken as numbers"),
            Approximation::Mismatch => f.write_str("terms dropped because memory had changed unseen"),
            Approximation::Full => f.write_str("runs with more terms than there is room for"),
        }
    }
}
