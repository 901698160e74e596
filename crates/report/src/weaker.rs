//! Criteria that MC/DC includes: decision coverage and condition coverage.

use crate::RunReport;
use crate::summary::{FunctionSummary, GoalSummary, GoalTally, State};
use model::{Branch, BranchKind, Decision, Function};
use suite::{DecisionResult, VectorResult};

pub(crate) fn state_of(vector: &VectorResult) -> State {
    match (vector.tests.is_empty(), vector.is_infeasible) {
        (false, _) => State::Covered,
        (true, true) => State::Infeasible,
        (true, false) => State::Unknown,
    }
}

pub(crate) fn tally(states: impl Iterator<Item = State>) -> GoalTally {
    let mut tally = GoalTally::default();
    for state in states {
        tally.total += 1;
        match state {
            State::Covered => tally.covered += 1,
            State::Infeasible => tally.infeasible += 1,
            State::Unknown | State::Constant => tally.unknown += 1,
        }
    }
    tally
}

/// The vectors that were asked for.
pub(crate) fn asked_vectors(functions: &[FunctionSummary]) -> GoalTally {
    let asked = functions.iter().flat_map(|f| &f.obligations).flat_map(|obligation| &obligation.wanted);
    tally(asked.map(|wanted| wanted.state))
}

/// Condition coverage: both outcomes of every condition that is not constant. Those of `&` and `|` are seen in vectors alone, and take the
/// place of the branch that they are together.
pub(crate) fn condition_outcomes(run: &RunReport, functions: &[FunctionSummary]) -> GoalTally {
    let mut states = Vec::new();
    for (result, summary) in run.results.iter().zip(functions) {
        let function = run.program.function(result.function);
        let own = conditions(function, summary).filter(|(branch, _)| !function.is_group(branch));
        states.extend(own.map(|(_, goal)| goal.state));
        for (decision, result) in function.decisions.iter().zip(&result.decisions) {
            for (index, &id) in decision.conditions.iter().enumerate() {
                let is_only_here = |b: &Branch| b.kind == BranchKind::Condition && !b.counted;
                if function.branch(id).is_some_and(is_only_here) {
                    states.extend([true, false].map(|outcome| {
                        seen(decision, result, |found| found.vector.value(index) == Some(outcome))
                    }));
                }
            }
        }
    }
    tally(states.into_iter())
}

/// Decision coverage: both outcomes of every decision, those of a single condition being the condition's.
pub(crate) fn decision_outcomes(run: &RunReport, functions: &[FunctionSummary]) -> GoalTally {
    let mut states = Vec::new();
    for (result, summary) in run.results.iter().zip(functions) {
        let function = run.program.function(result.function);
        let is_part = |branch: &Branch| function.decisions.iter().any(|d| d.conditions.contains(&branch.id));
        let single = conditions(function, summary).filter(|(b, _)| !is_part(b) && !function.is_group(b));
        states.extend(single.map(|(_, goal)| goal.state));
        for (decision, result) in function.decisions.iter().zip(&result.decisions) {
            states.extend(
                [false, true].map(|outcome| seen(decision, result, |found| found.vector.outcome == outcome)),
            );
        }
    }
    tally(states.into_iter())
}

/// The goals of conditions that are branches.
fn conditions<'a>(
    function: &'a Function,
    summary: &'a FunctionSummary,
) -> impl Iterator<Item = (&'a Branch, &'a GoalSummary)> {
    let counted: Vec<&Branch> = function.branches.iter().filter(|branch| branch.counted).collect();
    let goals = summary.goals.iter().filter(|goal| goal.kind == "condition");
    goals.filter_map(move |goal| Some((*counted.get(goal.branch)?, goal)))
}

/// What became of something that some vectors of a decision have.
fn seen(decision: &Decision, result: &DecisionResult, has: impl Fn(&VectorResult) -> bool) -> State {
    let mut states = result.vectors.iter().filter(|vector| has(vector)).map(state_of);
    match states.clone().any(|state| state == State::Covered) {
        true => State::Covered,
        false if !decision.is_cut && states.all(|state| state == State::Infeasible) => State::Infeasible,
        false => State::Unknown,
    }
}
