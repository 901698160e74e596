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
