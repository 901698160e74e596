//! What tests show of the decisions of a function.

use goal::mcdc::{Progress, Selection, Shown, Variant};
use model::{Function, Goal};
use suite::{ConditionResult, DecisionResult, ObligationResult, TestCase, VectorResult};

/// Draws the conclusions from tests, and from goals that no input reaches.
#[must_use]
pub fn conclude_decisions(
    function: &Function,
    variant: Variant,
    tests: &[&TestCase],
    infeasible: &[Goal],
) -> Vec<DecisionResult> {
    let mut progress = Progress::new(&function.decisions, variant);
    infeasible.iter().for_each(|&goal| progress.rule_out(goal));
    tests.iter().flat_map(|test| &test.covers).for_each(|&goal| progress.reach(goal));
    let one = |decision: usize| {
        let (vectors, shown) = progress.conclusion(decision);
        let vector = |&(goal, vector, is_reached): &(Goal, _, bool)| VectorResult {
            vector,
            tests: names(tests, goal),
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

/// What became of the vectors that were selected, decision by decision.
#[must_use]
pub fn conclude_obligations(
    function: &Function,
    variant: Variant,
    selection: Option<&Selection>,
    tests: &[&TestCase],
    infeasible: &[Goal],
) -> Vec<ObligationResult> {
    let Some(selection) = selection else { return Vec::new() };
    let mut progress = Progress::new(&function.decisions, variant).restricted_to(Some(selection));
    infeasible.iter().for_each(|&goal| progress.rule_out(goal));
    tests.iter().flat_map(|test| &test.covers).for_each(|&goal| progress.reach(goal));
    let mut results = Vec::new();
    for decision in function.all_decisions() {
        let vectors = decision.vectors();
        let numbers: Vec<usize> = match function.decisions.iter().position(|other| *other == decision) {
            Some(index) => progress.selected(index).into_iter().map(|(number, _)| number).collect(),
            None => (0..vectors.len()).filter(|&n| selection.outcomes().contains(&vectors[n].0)).collect(),
        };
        let wanted = numbers.into_iter().map(|number| {
            let (goal, vector) = vectors[number];
            let tests = names(tests, goal);
            VectorResult { vector, is_infeasible: tests.is_empty() && infeasible.contains(&goal), tests }
        });
        let wanted: Vec<VectorResult> = wanted.collect();
        if !wanted.is_empty() {
            results.push(ObligationResult {
                span: decision.span,
                conditions: decision.conditions.len(),
                constants: decision.constants(),
                wanted,
            });
        }
    }
    results
}

/// The tests that reach a goal.
fn names(tests: &[&TestCase], goal: Goal) -> Vec<String> {
    tests.iter().filter(|test| test.covers.contains(&goal)).map(|test| test.name.clone()).collect()
}
