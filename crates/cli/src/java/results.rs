//! What became of every method, as reports want it.

use super::suites::Written;
use super::write::{self, Dropped};
use input::Input;
use java_backend::{Confirmed, JavaProgram, MethodAccount, Origin};
use model::{FunctionId, Goal};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use suite::{FunctionResult, GoalState, Proof, Reason, TestCase};
use target::{Observation, Outcome};

/// What search, confirmation and writing say of methods.
pub(super) struct Sources<'a> {
    pub(super) program: &'a JavaProgram,
    pub(super) confirmed: &'a Confirmed,
    pub(super) written: &'a [Written<'a>],
    pub(super) dropped: &'a [Dropped],
    pub(super) accounts: &'a BTreeMap<FunctionId, MethodAccount>,
    /// Who first reached a goal when the class of its method was searched.
    pub(super) first: &'a BTreeMap<Goal, Origin>,
}

/// The results of the chosen methods; why goals are unknown is told by others.
pub(super) fn results(
    sources: &Sources<'_>,
    chosen: &[FunctionId],
    (seed, took): (u64, Duration),
) -> Vec<FunctionResult> {
    let Sources { program, confirmed, written, dropped, accounts, .. } = *sources;
    let covered = covered(sources);
    let unasserted: BTreeSet<Goal> = program.model.sites.unasserted().collect();
    let (asking, unstable): (Vec<&Dropped>, Vec<&Dropped>) =
        dropped.iter().partition(|dropped| matches!(dropped.why, java_judge::WhyNot::Asked(_)));
    let covered_by = |tests: &[&Dropped]| -> BTreeSet<Goal> {
        tests.iter().flat_map(|dropped| confirmed.tests[dropped.number].covers.iter().copied()).collect()
    };
    let (asking, unstable) = (covered_by(&asking), covered_by(&unstable));
    let refused: BTreeSet<Goal> =
        confirmed.tests.iter().flat_map(|test| test.covers.iter().copied()).collect();
    let doubts = doubts(sources);
    let state = |goal: Goal, account: Option<&MethodAccount>| match (covered.get(&goal), account) {
        (Some(Origin { engine, execution }), _) => {
            GoalState::Covered { engine: engine.clone(), execution: *execution }
        }
        _ if unasserted.contains(&goal) => GoalState::Infeasible(Proof::AssertionsOn),
        (_, Some(account)) if account.infeasible.contains(&goal) => GoalState::Infeasible(Proof::AllPaths),
        _ if asking.contains(&goal) => GoalState::Unknown(Reason::Environment),
        _ if unstable.contains(&goal) || confirmed.lost.contains(&goal) => {
            GoalState::Unknown(Reason::Unstable)
        }
        _ if refused.contains(&goal) => GoalState::Unknown(Reason::LeftOut),
        _ => GoalState::Unknown(Reason::Budget { level: None }),
    };
    let one = |&id: &FunctionId| {
        let function = program.model.program.function(id);
        let account = accounts.get(&id);
        let tests = written.iter().filter(|test| test.test.method == id);
        let goals: Vec<(Goal, GoalState)> =
            function.goals().map(|goal| (goal, state(goal, account))).collect();
        let replays = account.map(|account| &account.replays);
        FunctionResult {
            function: id,
            space: None,
            curve: curve(&goals),
            goals,
            tests: tests.map(test_case).collect(),
            findings: Vec::new(),
            assumed: Vec::new(),
            decisions: Vec::new(),
            obligations: Vec::new(),
            executions: account.map_or(0, |account| account.runs),
            seconds: took.as_secs_f64() / chosen.len().max(1) as f64,
            seed,
            unstable: doubts.get(&id).into_iter().flatten().cloned().collect(),
            approximations: replays
                .iter()
                .flat_map(|replays| &replays.approximations)
                .map(|(what, &count)| (what.clone(), count))
                .collect(),
            exploration: replays.and_then(|replays| replays.exploration()),
            sets: Vec::new(),
        }
    };
    chosen.iter().map(one).collect()
}

/// Who found the goals that tests cover: who first reached one when its class was searched, or else who found the first test that does.
fn covered(sources: &Sources<'_>) -> BTreeMap<Goal, Origin> {
    let mut covered = BTreeMap::new();
    for Written { test, .. } in sources.written {
        for goal in &test.covers {
            let origin = sources.first.get(goal).unwrap_or(&test.origin);
            covered.entry(*goal).or_insert_with(|| origin.clone());
        }
    }
    covered
}

/// Goals covered over executions.
fn curve(goals: &[(Goal, GoalState)]) -> Vec<(u64, u32)> {
    let mut gains: BTreeMap<u64, u32> = BTreeMap::new();
    for (_, state) in goals {
        if let GoalState::Covered { execution, .. } = state {
            *gains.entry(*execution).or_default() += 1;
        }
    }
    let mut sum = 0;
    let point = |(execution, gain)| {
        sum += gain;
        (execution, sum)
    };
    gains.into_iter().map(point).collect()
}

/// By method: which tests were dropped, and what of tests is not asserted.
fn doubts(sources: &Sources<'_>) -> BTreeMap<FunctionId, BTreeSet<String>> {
    let Sources { confirmed, written, dropped, .. } = *sources;
    let mut doubts = write::words(dropped, |number| confirmed.tests[number].method);
    for (method, words) in &confirmed.unstable {
        doubts.entry(*method).or_default().insert(words.clone());
    }
    for Written { name, test, .. } in written {
        let words = test.doubts.iter().map(|words| format!("{words} ({name})"));
        doubts.entry(test.method).or_default().extend(words);
    }
    doubts
}

/// A test as reports know it.
pub(super) fn test_case(written: &Written<'_>) -> TestCase {
    TestCase {
        name: written.name.clone(),
        input: Input { objects: Vec::new() },
        outcome: Outcome::Returned,
        observation: Observation::default(),
        covers: written.test.covers.iter().copied().collect(),
        purpose: Vec::new(),
        leaks: Vec::new(),
        undefined: None,
        calls: Some(written.calls.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_where_goals_were_first_reached() {
        let goal = |branch| Goal { branch: model::BranchId(branch), outcome: true };
        let at = |execution| GoalState::Covered { engine: "evolution".to_owned(), execution };
        let open = GoalState::Unknown(Reason::Budget { level: None });
        let goals = [(goal(0), at(7)), (goal(1), open), (goal(2), at(3)), (goal(3), at(7))];
        assert_eq!(curve(&goals), [(3, 1), (7, 3)]);
    }
}
