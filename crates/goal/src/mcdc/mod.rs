//! Modified condition/decision coverage: every condition of a decision is shown to decide its outcome on its own.
//!
//! A condition is *shown* by a pair of vectors: evaluations of the decision, whichever runs they are from, in which it is once
//! true and once false, and the outcome with it. What may differ beside it is a matter of the [`Variant`].

mod merge;
mod progress;
mod table;

pub use merge::merge;
pub use progress::{Progress, Shown};
pub use table::{Row, pairs_of_rows, rows};

use model::{Shape, Vector};
use serde::{Deserialize, Serialize};

/// What else may differ in the two evaluations that show a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Variant {
    /// Nothing that both have evaluated: unique cause, where a condition that C does not evaluate counts as held. This is what
    /// llvm-cov measures.
    #[default]
    UniqueCause,
    /// Conditions that do not matter there (Chilenski 2001, CAST-10): in each of both the outcome hangs on the condition.
    Masking,
    /// The first where there is such a pair, else the second: conditions that are coupled cannot be held.
    UniqueCauseOrMasking,
}

impl Variant {
    /// The conditions that two evaluations show, a bit each.
    #[must_use]
    pub fn shows(self, shape: &Shape, a: &Vector, b: &Vector) -> u64 {
        if a.outcome == b.outcome {
            return 0;
        }
        let differ = (a.values ^ b.values) & a.evaluated & b.evaluated;
        match self {
            Variant::UniqueCause if differ.is_power_of_two() => differ,
            Variant::UniqueCause => 0,
            Variant::Masking | Variant::UniqueCauseOrMasking => {
                differ & shape.deciding(a.evaluated, a.values) & shape.deciding(b.evaluated, b.values)
            }
        }
    }
}

#[cfg(test)]
mod tests;
