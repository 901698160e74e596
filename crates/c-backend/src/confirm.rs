//! Believing only what repeats: every test and every fault is run again in fresh processes.
//!
//! The second process has its addresses randomised, so a result that depends on where things lie in memory
//! differs and is marked unstable instead of becoming an assertion that fails tomorrow.

use crate::calls;
use crate::length::{self, Probe, Suspect, Verdict};
use crate::place::Places;
use crate::worker::{Backend, BackendError, Manner};
use campaign::{CampaignResult, Candidate, Fault, Settings};
use input::{Input, LeafKind, Pointer, Space, Var};
use model::{Function, FunctionId, Goal};
use std::cell::LazyCell;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use suite::{Culprit, Finding, TestCase, name_tests};
use target::{Access, Crash, CrashKind, HeapError, Observation, Outcome, Seen};
use wire::{Calls, Replayed};

/// Ticks a confirmed run may take: more than any campaign allows.
const TICK_LIMIT: u64 = 1 << 24;

/// Null pointers of an input that are tried to find the one that a fault hangs on.
const MOST_SUSPECTS: usize = 32;

/// What stood up to repetition.
#[derive(Debug, Default)]
pub struct Confirmed {
    /// Named tests.
    pub tests: Vec<TestCase>,
    /// Faults and hangs.
    pub findings: Vec<Finding>,
    /// Faults of inputs whose arrays are shorter than they say themselves.
    pub assumed: Vec<Finding>,
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
    let plainly = Manner { tick_limit: TICK_LIMIT, randomised: false, watched: false };
    let watched = Manner { watched: !settings.whole, ..plainly };
    let replay = |inputs: &[Input], manner| backend.replay(id, space.limits, &settings.rules, inputs, manner);
    let places = LazyCell::new(|| Places::new(image));
    let first = replay(&inputs, watched)?;
    let second = replay(&inputs, Manner { randomised: true, ..plainly })?;
    for ((candidate, first), second) in result.tests.iter().zip(first).zip(second) {
        add_test(&mut confirmed, candidate, first, &second, settings.whole, &places);
    }
    let covered: BTreeSet<Goal> = confirmed.tests.iter().flat_map(|t| t.covers.clone()).collect();
    confirmed.lost =
        result.tests.iter().flat_map(|t| t.covers.clone()).filter(|g| !covered.contains(g)).collect();
    confirmed.lost.sort_unstable();
    confirmed.lost.dedup();
    give_purposes(goals, &mut confirmed.tests);
    name_tests(function, &mut confirmed.tests);
    let mut faults: Vec<Fault> =
        worth_reporting(&result.faults, space, &covered).into_iter().cloned().collect();
    let replay_all = |inputs: &[Input], manner| match inputs {
        [] => Ok(Vec::new()),
        inputs => replay(inputs, manner),
    };
    let lengths: Vec<Option<Length>> = match settings.whole {
        true => vec![None; faults.len()],
        false => find_lengths(space, &mut faults, |inputs| replay_all(inputs, plainly))?,
    };
    let inputs: Vec<_> = faults.iter().map(|f| f.input.clone()).collect();
    let replayed = replay_all(&inputs, watched)?;
    let ended: Vec<Input> = faults.iter().filter_map(|fault| with_end(space, fault)).collect();
    let mut ended = replay_all(&ended, watched)?.into_iter();
    for ((fault, replayed), length) in faults.iter().zip(replayed).zip(lengths) {
        let ended = with_end(space, fault).and_then(|_| ended.next());
        let explained = match length {
            Some(Length { culprit, is_kept: false }) => Explained::ByLength(culprit),
            _ if is_behind_all(fault, space) => Explained::ByEnd,
            _ if ended.is_some_and(|ended| !is_beyond(fault, &ended)) => Explained::ByEnd,
            length => Explained::No(length.map(|length| length.culprit)),
        };
        add_finding(&mut confirmed, goals, fault, &replayed, &places, &covered, explained);
    }
    if !settings.whole {
        let inputs = confirmed.tests.iter().map(|test| &test.input);
        for (fault, length) in ask_lengths(space, inputs, |inputs| replay_all(inputs, plainly))? {
            for replayed in replay(std::slice::from_ref(&fault.input), watched)? {
                let explained = match length {
                    Length { culprit, is_kept: true } => Explained::No(Some(culprit)),
                    Length { culprit, is_kept: false } => Explained::ByLength(culprit),
                };
                add_finding(&mut confirmed, goals, &fault, &replayed, &places, &covered, explained);
            }
        }
        for finding in &mut confirmed.findings {
            find_culprit(space, finding, |inputs| replay(inputs, plainly))?;
        }
    }
    Ok(confirmed)
}

/// A number that says how long the object is that a fault is beyond.
#[derive(Clone, Copy)]
struct Length {
    culprit: Culprit,
    /// The object is as long as it says.
    is_kept: bool,
}

/// What a fault may come from beside the function.
enum Explained {
    /// Nothing; perhaps a number is known that says how long the object is.
    No(Option<Culprit>),
    /// A text without an end, or an object that the function was only given the end of.
    ByEnd,
    /// An object that is shorter than a number says.
    ByLength(Culprit),
}

/// Asks every fault beyond an object which number says how long that is. Where the function goes further than that, the
/// input becomes one that is as long as it says. `replay` runs inputs.
fn find_lengths(
    space: &Space,
    faults: &mut [Fault],
    replay: impl Fn(&[Input]) -> Result<Vec<Replayed>, BackendError>,
) -> Result<Vec<Option<Length>>, BackendError> {
    let suspects: Vec<Vec<Suspect>> =
        faults.iter().map(|fault| length::suspects(space, &fault.input, fault.outcome)).collect();
    let inputs: Vec<Input> = suspects.iter().flatten().flat_map(|suspect| suspect.inputs.clone()).collect();
    let mut outcomes = replay(&inputs)?.into_iter().map(|replayed| replayed.outcome);
    let mut found = Vec::new();
    for (fault, suspects) in faults.iter_mut().zip(suspects) {
        let mut length = None;
        for suspect in &suspects {
            let &Suspect { var, object, in_bytes, ref inputs } = suspect;
            let next = [(); 3].map(|()| outcomes.next().unwrap_or(fault.outcome));
            let verdict = suspect.verdict(space, next);
            if verdict == Verdict::Unclear || length.is_some() {
                continue;
            }
            let culprit = Culprit::Length { object, holder: var.object, cell: var.cell, in_bytes };
            let is_kept = verdict == Verdict::TooFar;
            if is_kept {
                fault.input = inputs[1].clone();
                fault.outcome = next[1];
            }
            length = Some(Length { culprit, is_kept });
        }
        found.push(length);
    }
    Ok(found)
}

/// Faults where an array is shorter than a number says, or as long and left all the same. `replay` runs inputs.
fn ask_lengths<'t>(
    space: &Space,
    tests: impl Iterator<Item = &'t Input>,
    replay: impl Fn(&[Input]) -> Result<Vec<Replayed>, BackendError>,
) -> Result<Vec<(Fault, Length)>, BackendError> {
    let probes = length::probes(space, tests);
    let inputs: Vec<Input> = probes.iter().flat_map(|probe| probe.inputs.clone()).collect();
    let outcomes: Vec<Outcome> = replay(&inputs)?.into_iter().map(|replayed| replayed.outcome).collect();
    let mut next = 0;
    let mut found = Vec::new();
    for probe in &probes {
        let &Probe { var, object, ref inputs } = probe;
        let outcomes = outcomes.get(next..next + inputs.len()).unwrap_or_default();
        next += inputs.len();
        let (which, is_kept) = match probe.verdict(space, outcomes) {
            Verdict::TooFar => (1, true),
            Verdict::TooShort => (2, false),
            Verdict::Unclear => continue,
        };
        let fault = Fault { input: inputs[which].clone(), outcome: outcomes[which], reached: Vec::new() };
        let (holder, cell) = (var.object, var.cell);
        let culprit = Culprit::Length { object, holder, cell, in_bytes: false };
        found.push((fault, Length { culprit, is_kept }));
    }
    Ok(found)
}

/// Whether a run reads beyond the same object as a fault.
fn is_beyond(fault: &Fault, replayed: &Replayed) -> bool {
    let object = |outcome| match outcome {
        Outcome::Crashed(Crash { access: Access::Beyond { object, .. }, .. }) => Some(object),
        _ => None,
    };
    object(replayed.outcome).is_some_and(|other| object(fault.outcome) == Some(other))
}

/// Whether a fault is beyond an object that the function was only given the end of: nobody could look there. With a
/// pointer to its start as well it may be a range, which is not to be left.
fn is_behind_all(fault: &Fault, space: &Space) -> bool {
    let Outcome::Crashed(Crash { access: Access::Beyond { object, .. }, .. }) = fault.outcome else {
        return false;
    };
    let Some(len) = fault.input.objects.get(object as usize).map(|object| object.len) else { return false };
    let pointers = fault.input.vars(space).filter(|&var| {
        matches!(fault.input.leaf(space, var).kind, LeafKind::Pointer { .. })
            && fault.input.is_active(space, var)
    });
    let mut elements = pointers.filter_map(|var| match Pointer::decode(fault.input.cell(var)) {
        Pointer::Element { object: to, element } if to == object => Some(element),
        _ => None,
    });
    elements.all(|element| element >= len)
}

/// A function may read a text to its end, and where it has none, beyond. The same input with an end to the text: if the
/// function does not go beyond that one, the end is all that was missing.
fn with_end(space: &Space, fault: &Fault) -> Option<Input> {
    let Outcome::Crashed(Crash { access: Access::Beyond { object, .. }, .. }) = fault.outcome else {
        return None;
    };
    let mut input = fault.input.clone();
    if !input.is_unended_text(space, object) {
        return None;
    }
    *input.objects[object as usize].cells.last_mut()? = 0;
    Some(input)
}

/// A whole program lives in the world, and what it does there need only repeat itself; a function should not ask.
fn add_test(
    confirmed: &mut Confirmed,
    candidate: &Candidate,
    first: Replayed,
    second: &Replayed,
    may_ask: bool,
    places: &Places,
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
    let leaks = first.leaks.iter().filter_map(|calls| add_leak(confirmed, candidate, calls, places));
    let mut leaks: Vec<String> = leaks.collect();
    leaks.sort_unstable();
    leaks.dedup();
    confirmed.tests.push(TestCase {
        name: String::new(),
        input: candidate.input.clone(),
        outcome: first.outcome,
        observation,
        covers,
        purpose: Vec::new(),
        leaks,
        undefined: None,
        calls: None,
    });
}

/// Notes that a block is lost which was allocated by these calls. Returns the place of the allocation.
fn add_leak(confirmed: &mut Confirmed, test: &Candidate, calls: &Calls, places: &Places) -> Option<String> {
    let site = *calls.inner.first()?;
    let place = places.line_of(calls)?;
    let crash = Crash { kind: CrashKind::Heap(HeapError::Leak), site, access: Access::None };
    let outcome = Outcome::Crashed(crash);
    if !confirmed.findings.iter().any(|known| same_fault(known, outcome, Some(&place))) {
        confirmed.findings.push(Finding {
            input: test.input.clone(),
            outcome,
            place: Some(place.clone()),
            stack: calls::describe(calls, places),
            reaches: Vec::new(),
            culprit: None,
            also: Vec::new(),
            calls: None,
        });
    }
    Some(place)
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
    // What only one of them has freed is not to be touched either.
    first.freed.extend(
        second.freed.iter().filter(|object| !first.freed.contains(object)).copied().collect::<Vec<_>>(),
    );
    (first, differences)
}

/// A test is in the suite for the goals that no earlier one reaches.
fn give_purposes(goals: &BTreeSet<Goal>, tests: &mut [TestCase]) {
    let mut missing = goals.clone();
    for test in tests {
        test.purpose = test.covers.iter().copied().filter(|g| missing.remove(g)).collect();
    }
}

/// The faults by kind and place, one each, and those that reach a goal no test reaches. What may only lack the end of a
/// text is one of its own.
fn worth_reporting<'a>(faults: &'a [Fault], space: &Space, covered: &BTreeSet<Goal>) -> Vec<&'a Fault> {
    let mut keys = HashSet::new();
    let mut reached = BTreeSet::new();
    faults
        .iter()
        .filter(|fault| {
            let key = match fault.outcome {
                Outcome::Crashed(crash) => {
                    (fault.outcome.class(), crash.site, with_end(space, fault).is_some())
                }
                other => (other.class(), 0, false),
            };
            let is_new = keys.insert(key);
            let more =
                fault.reached.iter().filter(|g| !covered.contains(g) && reached.insert(**g)).count() > 0;
            is_new || more
        })
        .collect()
}

/// Adds what a fault shows. A fault that is known gets the goals that this input reaches as well. What is explained is told
/// only if there is no other way to a goal; that a length was assumed, always.
fn add_finding(
    confirmed: &mut Confirmed,
    goals: &BTreeSet<Goal>,
    fault: &Fault,
    replayed: &Replayed,
    places: &Places,
    covered: &BTreeSet<Goal>,
    explained: Explained,
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
    let mut reaches = [fault.reached.clone(), replayed.covers.clone()].concat();
    reaches.retain(|g| !covered.contains(g) && goals.contains(g));
    reaches.sort_unstable();
    reaches.dedup();
    let place = places.line_of(&replayed.calls).or_else(|| site.and_then(|s| places.line(s)));
    let (list, culprit) = match explained {
        Explained::ByEnd if reaches.is_empty() => return,
        Explained::ByLength(culprit) if reaches.is_empty() => (&mut confirmed.assumed, Some(culprit)),
        Explained::ByLength(culprit) => (&mut confirmed.findings, Some(culprit)),
        Explained::No(culprit) => (&mut confirmed.findings, culprit),
        Explained::ByEnd => (&mut confirmed.findings, None),
    };
    let known = list.iter_mut().find(|f| same_fault(f, outcome, place.as_deref()));
    if let Some(known) = known {
        known.reaches.extend(reaches);
        known.reaches.sort_unstable();
        known.reaches.dedup();
        return;
    }
    list.push(Finding {
        input: fault.input.clone(),
        outcome,
        place,
        stack: calls::describe(&replayed.calls, places),
        reaches,
        culprit,
        also: Vec::new(),
        calls: None,
    });
}

/// Finds out which null pointer a fault hangs on: the first without which there is none like it. `replay` runs inputs.
fn find_culprit(
    space: &Space,
    finding: &mut Finding,
    replay: impl Fn(&[Input]) -> Result<Vec<Replayed>, BackendError>,
) -> Result<(), BackendError> {
    let Outcome::Crashed(crash) = finding.outcome else { return Ok(()) };
    if let Access::Beyond { object, .. } = crash.access {
        finding.culprit.get_or_insert(Culprit::End { object });
    }
    if crash.access != Access::Null {
        return Ok(());
    }
    let nulls = finding.input.vars(space).filter(|&var| {
        finding.input.cell(var) == Pointer::Null.encode() && finding.input.is_active(space, var)
    });
    let others: Vec<(Var, Input)> = nulls
        .filter_map(|var| {
            let mut input = finding.input.clone();
            input.point_to_new(space, var, 1).then_some((var, input))
        })
        .take(MOST_SUSPECTS)
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    let inputs: Vec<Input> = others.iter().map(|(_, input)| input.clone()).collect();
    let is_gone = |replayed: &Replayed| match replayed.outcome {
        Outcome::Crashed(other) => other.site != crash.site || other.access != Access::Null,
        _ => true,
    };
    let culprit = others.iter().zip(replay(&inputs)?).find(|(_, replayed)| is_gone(replayed));
    finding.culprit = culprit.map(|((var, _), _)| Culprit::Null { object: var.object, cell: var.cell });
    Ok(())
}

/// One line of the source may be several instructions: it is one fault all the same.
fn same_fault(finding: &Finding, outcome: Outcome, place: Option<&str>) -> bool {
    match (finding.outcome, outcome) {
        (Outcome::Crashed(a), Outcome::Crashed(b)) => {
            finding.outcome.class() == outcome.class()
                && (a.site == b.site || place.is_some() && finding.place.as_deref() == place)
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
