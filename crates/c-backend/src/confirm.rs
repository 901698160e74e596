//! Believing only what repeats: every test and every fault is run again in fresh processes.
//!
//! The second process has its addresses randomised, so a result that depends on where things lie in memory
//! differs and is marked unstable instead of becoming an assertion that fails tomorrow.

use crate::calls;
use crate::place::Places;
use crate::worker::{Backend, BackendError};
use campaign::{CampaignResult, Candidate, Fault, Settings};
use input::Space;
use model::{Function, FunctionId, Goal};
use std::collections::BTreeSet;
use std::path::Path;
use suite::{Finding, TestCase, name_tests};
use target::{Observation, Outcome, Seen};
use wire::Replayed;

/// Ticks a confirmed run may take: more than any campaign allows.
const TICK_LIMIT: u64 = 1 << 24;

/// What stood up to repetition.
#[derive(Debug, Default)]
pub struct Confirmed {
    /// Named tests.
    pub tests: Vec<TestCase>,
    /// Faults and hangs.
    pub findings: Vec<Finding>,
    /// What did not repeat: in words.
    pub unstable: Vec<String>,
    /// Goals that only unstable tests reached.
    pub lost: Vec<Goal>,
    /// Goals that were reached by runs that ask the machine something.
    pub environment: Vec<Goal>,
}

/// Repeats the tests and faults of a campaign. A test's purpose is among `goals`.
///
/// # Errors
/// When no worker can be started.
#[expect(clippy::too_many_arguments, reason = "everything a campaign was made of")]
pub fn confirm(
    backend: &Backend,
    id: FunctionId,
    function: &Function,
    goals: &BTreeSet<Goal>,
    space: &Space,
    settings: &Settings,
    result: &CampaignResult,
    image: &Path,
) -> Result<Confirmed, BackendError> {
    let mut confirmed = Confirmed::default();
    let inputs: Vec<_> = result.tests.iter().map(|t| t.input.clone()).collect();
    let replay = |inputs: &[input::Input], randomised| {
        backend.replay(id, space.limits, &settings.rules, inputs, TICK_LIMIT, randomised)
    };
    let first = replay(&inputs, false)?;
    let second = replay(&inputs, true)?;
    for ((candidate, first), second) in result.tests.iter().zip(first).zip(second) {
        add_test(&mut confirmed, candidate, first, &second, settings.whole);
    }
    let covered: BTreeSet<Goal> = confirmed.tests.iter().flat_map(|t| t.covers.clone()).collect();
    confirmed.lost =
        result.tests.iter().flat_map(|t| t.covers.clone()).filter(|g| !covered.contains(g)).collect();
    confirmed.lost.sort_unstable();
    confirmed.lost.dedup();
    give_purposes(goals, &mut confirmed.tests);
    name_tests(function, &mut confirmed.tests);
    let faults = worth_reporting(&result.faults, &covered);
    if faults.is_empty() {
        return Ok(confirmed);
    }
    let places = Places::new(image);
    let inputs: Vec<_> = faults.iter().map(|f| f.input.clone()).collect();
    for (fault, replayed) in faults.iter().zip(replay(&inputs, false)?) {
        add_finding(&mut confirmed, goals, fault, &replayed, &places, &covered);
    }
    Ok(confirmed)
}

/// A whole program lives in the world, and what it does there need only repeat itself; a function should not ask.
fn add_test(
    confirmed: &mut Confirmed,
    candidate: &Candidate,
    first: Replayed,
    second: &Replayed,
    may_ask: bool,
) {
    if !first.outcome.is_testable() || first.outcome != second.outcome {
        confirmed.unstable.push(format!(
            "an input {} in one process and {} in another; its test was dropped",
            first.outcome, second.outcome
        ));
        return;
    }
    if !may_ask && (first.environment || second.environment) {
        confirmed.unstable.push(
            "an input makes the function ask the machine (files, network, time, processes); no test was made of it"
                .to_owned(),
        );
        confirmed.environment.extend(first.covers);
        return;
    }
    if first.outcome != candidate.outcome {
        confirmed.unstable.push(format!(
            "an input {} while searching but {} when repeated",
            candidate.outcome, first.outcome
        ));
    }
    let covers: Vec<Goal> = first.covers.iter().copied().filter(|g| second.covers.contains(g)).collect();
    let (observation, differences) = stable_part(first.observation, &second.observation);
    if differences > 0 {
        confirmed.unstable.push(format!("{differences} observed values depend on the process; not asserted"));
    }
    confirmed.tests.push(TestCase {
        name: String::new(),
        input: candidate.input.clone(),
        outcome: first.outcome,
        observation,
        covers,
        purpose: Vec::new(),
    });
}

/// The values on which both observations agree; the others become [`Seen::Unstable`].
fn stable_part(mut first: Observation, second: &Observation) -> (Observation, usize) {
    let mut differences = 0;
    let mut compare = |a: &mut Vec<Seen>, b: &[Seen]| {
        for (i, seen) in a.iter_mut().enumerate() {
            if b.get(i) != Some(seen) {
                *seen = Seen::Unstable;
                differences += 1;
            }
        }
    };
    compare(&mut first.result, &second.result);
    for (i, object) in first.objects.iter_mut().enumerate() {
        compare(object, second.objects.get(i).map_or(&[], Vec::as_slice));
    }
    if first.stdout != second.stdout {
        first.stdout = None;
    }
    (first, differences)
}

/// A test is in the suite for the goals that no earlier one reaches.
fn give_purposes(goals: &BTreeSet<Goal>, tests: &mut [TestCase]) {
    let mut missing = goals.clone();
    for test in tests {
        test.purpose = test.covers.iter().copied().filter(|g| missing.remove(g)).collect();
    }
}

/// The faults by kind and place, one each, and those that reach a goal no test reaches.
fn worth_reporting<'a>(faults: &'a [Fault], covered: &BTreeSet<Goal>) -> Vec<&'a Fault> {
    let mut keys = BTreeSet::new();
    let mut reached = BTreeSet::new();
    faults
        .iter()
        .filter(|fault| {
            let key = match fault.outcome {
                Outcome::Crashed(crash) => (format!("{:?}", crash.kind), crash.site),
                other => (other.to_string(), 0),
            };
            let is_new = keys.insert(key);
            let more =
                fault.reached.iter().filter(|g| !covered.contains(g) && reached.insert(**g)).count() > 0;
            is_new || more
        })
        .collect()
}

fn add_finding(
    confirmed: &mut Confirmed,
    goals: &BTreeSet<Goal>,
    fault: &Fault,
    replayed: &Replayed,
    places: &Places,
    covered: &BTreeSet<Goal>,
) {
    if replayed.outcome.is_testable() {
        if fault.outcome != Outcome::OutOfTicks && fault.outcome != Outcome::TimedOut {
            confirmed.unstable.push(format!("an input {} once but not when repeated", fault.outcome));
        }
        return;
    }
    // Ticks or clock: which limit an endless run meets first depends on the speed of the machine.
    let outcome = match (fault.outcome, replayed.outcome) {
        (Outcome::OutOfTicks, Outcome::TimedOut) => Outcome::OutOfTicks,
        (_, outcome) => outcome,
    };
    let site = match outcome {
        Outcome::Crashed(crash) if crash.site != 0 => Some(crash.site),
        _ => None,
    };
    let mut reaches =
        if replayed.covers.is_empty() { fault.reached.clone() } else { replayed.covers.clone() };
    reaches.retain(|g| !covered.contains(g) && goals.contains(g));
    let stack = calls::describe(&replayed.calls, places);
    // What stands in for the library has no lines; then it is the call that counts.
    let caller = || stack.first()?.split_once(" (")?.1.strip_suffix(')').map(str::to_owned);
    let place = site.and_then(|s| places.line(s).or_else(caller));
    let is_known = confirmed.findings.iter().any(|f| same_fault(f, outcome, place.as_deref()));
    let adds = reaches.iter().any(|g| !confirmed.findings.iter().any(|f| f.reaches.contains(g)));
    if is_known && !adds {
        return;
    }
    confirmed.findings.push(Finding { input: fault.input.clone(), outcome, place, stack, reaches });
}

/// One line of the source may be several instructions: it is one fault all the same.
fn same_fault(finding: &Finding, outcome: Outcome, place: Option<&str>) -> bool {
    match (finding.outcome, outcome) {
        (Outcome::Crashed(a), Outcome::Crashed(b)) => {
            a.kind == b.kind && (a.site == b.site || place.is_some() && finding.place.as_deref() == place)
        }
        (known, new) => known == new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_differs_is_not_known() {
        let printed =
            |text: &str| Observation { stdout: Some(text.as_bytes().to_vec()), ..Observation::default() };
        assert_eq!(stable_part(printed("a"), &printed("a")).0, printed("a"));
        assert_eq!(stable_part(printed("a"), &printed("b")).0.stdout, None);
    }
}
