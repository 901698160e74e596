//! Modified condition/decision coverage: every condition of a decision is shown to decide its outcome on its own.
//!
//! A condition is *shown* by a pair of vectors: evaluations of the decision, whichever runs they are from, in which it is once
//! true and once false, and the outcome with it. What may differ beside it is a matter of the [`Variant`].

mod merge;
mod progress;
mod selection;
mod table;
mod walk;

pub use merge::merge;
pub use progress::{Progress, Shown, State, planned};
pub use selection::{Selection, Want};
pub use table::{Row, pairs_of_rows, rows};
pub use walk::Walk;

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
        self.shows_with([a, b], [a, b].map(|vector| self.deciding(shape, vector)))
    }

    /// The conditions that the outcome of an evaluation hangs on, where that matters; it is much work.
    fn deciding(self, shape: &Shape, vector: &Vector) -> u64 {
        match self {
            Variant::UniqueCause => u64::MAX,
            Variant::Masking | Variant::UniqueCauseOrMasking => {
                shape.deciding(vector.evaluated, vector.values)
            }
        }
    }

    /// The same with what is known of both.
    fn shows_with(self, [a, b]: [&Vector; 2], deciding: [u64; 2]) -> u64 {
        let differ = (a.values ^ b.values) & a.evaluated & b.evaluated;
        match self {
            _ if a.outcome == b.outcome => 0,
            Variant::UniqueCause if !differ.is_power_of_two() => 0,
            Variant::UniqueCause => differ,
            Variant::Masking | Variant::UniqueCauseOrMasking => differ & deciding[0] & deciding[1],
        }
    }
}

#[cfg(test)]
mod tests;
