//! Solving: which values of the inputs make all these truth terms hold?
//!
//! [`Chain::solve`] asks one layer after another, the cheap ones first.
//!
//! | module | layer |
//! |---|---|
//! | `slice`, `hint` | constraints without a common variable are independent; those that hold already stay as they are |
//! | `fold` | conjunctions become lists, constants and doubles vanish, plain contradictions show |
//! | `cache` | earlier models, sets known to be unsatisfiable, questions given up before |
//! | `local::interval` | ranges of all terms, forwards and backwards; proves much of what is unsatisfiable |
//! | `local::invert` | computes an input backwards from the value that a constraint asks for |
//! | `local::enumerate` | all values of a few bytes, one after the other; proves as well |
//! | `local::descent` | local search on branch distances, integers and floats alike |
//! | `smt`, `process` | an SMT solver behind a trait; one as a supervised child process |
//!
//! Every model is evaluated before it is believed, and only proofs count as [`Answer::Unsat`].

mod cache;
mod chain;
mod distance;
mod fold;
mod hint;
mod limits;
mod local;
#[cfg(feature = "process")]
mod process;
mod query;
mod slice;
mod smt;
mod stats;

pub use chain::Chain;
pub use limits::{Limits, SmtLimits};
#[cfg(feature = "process")]
pub use process::{Command, SmtProcess};
pub use smt::{NoSmt, Smt, SmtAnswer};
pub use stats::{Count, Layer, Stats};

use serde::{Deserialize, Serialize};

/// What is known about a conjunction of truth terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It holds under these values of all variables. Variables that do not matter keep the value of the hint.
    Sat(Vec<u128>),
    /// Proven: it holds under no values.
    Unsat,
    /// Not decided.
    Unknown(Why),
}

/// Why a question was not decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Why {
    /// The SMT solver used up its resources or its time.
    TimeLimit,
    /// More terms or text than the limits allow.
    TooLarge,
    /// The SMT solver ended on its own.
    SolverDied,
    /// The SMT solver said something that is no answer.
    BadAnswer,
    /// There is no SMT solver, or it could not be started.
    NoSolver,
    /// The layers do not know the operations well enough: a model failed its evaluation.
    Incomplete,
}
