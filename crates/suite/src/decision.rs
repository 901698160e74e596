//! What the tests of a function show of its decisions.

use model::{Span, Vector};
use serde::{Deserialize, Serialize};

/// What became of a decision of several conditions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DecisionResult {
    /// All vectors that it can have by its shape, in the order of [`model::Decision::vectors`].
    pub vectors: Vec<VectorResult>,
    /// What became of each condition.
    pub conditions: Vec<ConditionResult>,
}

/// What became of the vectors that alone were asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ObligationResult {
    /// The decision, perhaps one of a single condition.
    pub span: Span,
    /// How many conditions it has.
    pub conditions: usize,
    /// Those that are constant, a bit each.
    pub constants: u64,
    /// The vectors.
    pub wanted: Vec<VectorResult>,
}

/// What became of a vector.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VectorResult {
    /// The vector.
    pub vector: Vector,
    /// The tests that have it, by name.
    pub tests: Vec<String>,
    /// No input has it.
    pub is_infeasible: bool,
}

/// Whether a condition is shown to decide the outcome on its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ConditionResult {
    /// These vectors, by number, show it.
    Shown([usize; 2]),
    /// Every pair of vectors that would show it has one that no input has.
    Infeasible,
    /// Neither.
    Unknown,
}

/// What keeps a condition from deciding on its own, seen from the vectors that are not ruled out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coupling {
    /// Wherever it is evaluated it has this value.
    Always(bool),
    /// Wherever both are evaluated it has the same value as another condition, by number, or the opposite one.
    With {
        /// The other.
        condition: usize,
        /// The same, or the opposite.
        is_same: bool,
    },
}

impl DecisionResult {
    /// How a condition hangs on others, if all vectors that may occur say so. Nothing hangs on constants: no vector evaluates them.
    #[must_use]
    pub fn coupling(&self, condition: usize) -> Option<Coupling> {
        let possible: Vec<&Vector> =
            self.vectors.iter().filter(|found| !found.is_infeasible).map(|found| &found.vector).collect();
        let values = || possible.iter().filter_map(|vector| vector.value(condition));
        let always = [true, false].into_iter().find(|&value| values().all(|seen| seen == value));
        if let Some(value) = always.filter(|_| values().next().is_some()) {
            return Some(Coupling::Always(value));
        }
        (0..self.conditions.len()).filter(|&other| other != condition).find_map(|other| {
            let both = possible.iter().filter_map(|v| Some(v.value(condition)? == v.value(other)?));
            let both: Vec<bool> = both.collect();
            let is_same = *both.first()?;
            // One vector alone says nothing of a pair of values.
            (both.len() > 1 && both.iter().all(|&same| same == is_same))
                .then_some(Coupling::With { condition: other, is_same })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors as letters; those with a cross are infeasible.
    fn result(conditions: usize, vectors: &[&str]) -> DecisionResult {
        let vector = |text: &&str| {
            let letters = text.trim_end_matches('x');
            let bits = |wanted: &str| -> u64 {
                letters.chars().enumerate().filter(|(_, c)| wanted.contains(*c)).map(|(i, _)| 1 << i).sum()
            };
            VectorResult {
                vector: Vector { evaluated: bits("TF"), values: bits("T"), outcome: false },
                tests: Vec::new(),
                is_infeasible: text.ends_with('x'),
            }
        };
        let conditions = vec![ConditionResult::Infeasible; conditions];
        DecisionResult { vectors: vectors.iter().map(vector).collect(), conditions }
    }

    #[test]
    fn what_is_always_the_same_decides_nothing() {
        // z > x && z > y || z > x + y where x is y and neither is negative.
        let calc = result(3, &["TT-", "TFTx", "TFFx", "F-Tx", "F-F"]);
        assert_eq!(calc.coupling(1), Some(Coupling::Always(true)));
        assert_eq!(calc.coupling(2), Some(Coupling::Always(false)));
        assert_eq!(calc.coupling(0), None);
    }

    #[test]
    fn what_goes_with_another_condition_is_told() {
        // a && b || a: the third condition is the first.
        let repeated = result(3, &["TT-", "TFT", "TFFx", "F-Tx", "F-F"]);
        assert_eq!(repeated.coupling(2), Some(Coupling::With { condition: 0, is_same: true }));
        let opposite = result(2, &["TTx", "TF", "FT", "FFx"]);
        assert_eq!(opposite.coupling(1), Some(Coupling::With { condition: 0, is_same: false }));
        assert_eq!(result(2, &["TT", "TF", "F-"]).coupling(1), None);
    }

    #[test]
    fn constants_are_coupled_with_nothing() {
        // a && 1 && b where b is the opposite of a; what is behind the constant hangs on what is before it.
        let held = result(3, &["T-F", "T-Tx", "F--"]);
        assert_eq!(held.coupling(1), None);
        assert_eq!(held.coupling(2), Some(Coupling::Always(false)));
        // a & 1 & b with a and b the same.
        let same = result(3, &["T-T", "T-Fx", "F-Tx", "F-F"]);
        assert_eq!(same.coupling(0), Some(Coupling::With { condition: 2, is_same: true }));
    }
}
