//! What tests show of the decisions of a function.

use goal::mcdc::{Progress, Shown, Variant};
use model::{Function, Goal};
use suite::{ConditionResult, DecisionResult, TestCase, VectorResult};

/// Draws the conclusions from tests, and from goals that no input reaches.
#[must_use]
pub fn conclude_decisions(
    function: &Function,
    variant: Variant,
    tests: &[TestCase],
    infeasible: &[Goal],
) -> Vec<DecisionResult> {
    let mut progress = Progress::new(&function.decisions, variant);
    infeasible.iter().for_each(|&goal| progress.rule_out(goal));
    tests.iter().flat_map(|test| &test.covers).for_each(|&goal| progress.reach(goal));
    let names = |goal: Goal| -> Vec<String> {
        tests.iter().filter(|test| test.covers.contains(&goal)).map(|test| test.name.clone()).collect()
    };
    let one = |decision: usize| {
        let (vectors, shown) = progress.conclusion(decision);
        let vector = |&(goal, vector, is_reached): &(Goal, _, bool)| VectorResult {
            vector,
            tests: names(goal),
            is_infeasible: !is_reached && infeasible.contains(&goal),
        };
        let condition = |shown: &Shown| match *shown {
            Shown::By(pair) => ConditionResult::Shown(pair),
            Shown::Impossible => ConditionResult::Infeasible,
            Shown::Open => ConditionResult::Unknown,
        };
        DecisionResult {
            vectors: vectors.iter().map(vector).collect(),
            conditions: shown.iter().map(condition).collect(),
        }
    };
    (0..function.decisions.len()).map(one).collect()
}
