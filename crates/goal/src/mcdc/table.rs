//! Truth tables after Awedikian's thesis (2009): a row is an assignment of all conditions, evaluated or not. The first condition is the
//! most significant bit of its number, so row 3 of `Z1 && Z2 || Z3` is false, true, true.

use model::Shape;

/// A row of a truth table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its number.
    pub number: u64,
    /// The outcome of the decision.
    pub outcome: bool,
}

/// The values of a row's conditions, a bit each, the first the least.
fn values(conditions: usize, number: u64) -> u64 {
    (0..conditions).map(|condition| (number >> (conditions - 1 - condition) & 1) << condition).sum()
}

/// All rows; for decisions of few conditions.
pub fn rows(shape: &Shape) -> impl Iterator<Item = Row> + '_ {
    let conditions = shape.conditions();
    (0..1u64 << conditions)
        .map(move |number| Row { number, outcome: shape.evaluate(values(conditions, number)).0 })
}

/// The pairs of rows that differ in a condition alone and in the outcome.
#[must_use]
pub fn pairs_of_rows(shape: &Shape, condition: usize) -> Vec<[u64; 2]> {
    let conditions = shape.conditions();
    let bit = 1 << (conditions - 1 - condition);
    let outcome = |number| shape.evaluate(values(conditions, number)).0;
    let without = (0..1u64 << conditions).filter(|number| number & bit == 0);
    without.map(|number| [number, number | bit]).filter(|&[a, b]| outcome(a) != outcome(b)).collect()
}
