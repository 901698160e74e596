//! Tests are believed when machines that were just started do the same twice.

use crate::program::JavaProgram;
use crate::reduce::reduce;
use crate::search::Found;
use java_frontend::Judge;
use java_wire::event::Events;
use java_wire::message::{End, Manner, Reply, Seen};
use java_wire::{Script, Value};
use java_worker::{Answer, Home, Host, StartError};
use model::{FunctionId, Goal};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ticks of a test: far more than a search allows.
const TICKS: u64 = 1 << 24;

/// A test with everything that is expected of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// The method that it is for.
    pub method: FunctionId,
    /// Its calls.
    pub script: Script,
    /// Its values.
    pub values: Vec<Value>,
    /// How it ends.
    pub end: End,
    /// What its steps give.
    pub results: Vec<Seen>,
    /// What its observers see; those that saw different things are gone from the script.
    pub observed: Vec<Seen>,
    /// All goals that it reaches.
    pub covers: BTreeSet<Goal>,
}

/// What became of what was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Confirmed {
    /// Tests that together reach all that was confirmed.
    pub tests: Vec<Test>,
    /// Tests that did not repeat themselves.
    pub unstable: usize,
    /// Goals that only those reach.
    pub lost: BTreeSet<Goal>,
    /// Tests before redundant ones were left out.
    pub found: usize,
}

/// Chooses as few tests as reach everything, makes them small, and repeats them in two machines.
///
/// # Errors
/// When no machine can be started.
pub fn confirm(program: &JavaProgram, home: &Arc<Home>, found: &[Found]) -> Result<Confirmed, StartError> {
    let mut hosts = [Host::start_in(home)?, Host::start_in(home)?];
    let covers: Vec<Vec<Goal>> = found.iter().map(|test| test.covers.clone()).collect();
    let mut chosen = suite::minimise(&covers);
    add_untested(found, &mut chosen);
    chosen.sort_unstable_by_key(|(index, _)| *index);
    let mut confirmed = Confirmed { found: found.len(), ..Confirmed::default() };
    for (index, purpose) in chosen {
        let test = &found[index];
        let purpose: BTreeSet<Goal> = purpose.into_iter().collect();
        let mut holds = |script: &Script, values: &[Value]| {
            let ran = once(program, &mut hosts[0], script, values);
            ran.is_ok_and(|ran| {
                ran.is_some_and(|(end, covers, _)| is_test(&end, script) && purpose.is_subset(&covers))
            })
        };
        let (script, values) = reduce(test.script.clone(), test.values.clone(), &mut holds);
        match repeated(program, &mut hosts, test.method, script, values)? {
            Some(test) if purpose.is_subset(&test.covers) => confirmed.tests.push(test),
            _ => {
                confirmed.unstable += 1;
                confirmed.lost.extend(purpose);
            }
        }
    }
    for test in &confirmed.tests {
        confirmed.lost.retain(|goal| !test.covers.contains(goal));
    }
    Ok(confirmed)
}

/// Every method that has tests keeps one, whether it has branches or not.
fn add_untested(found: &[Found], chosen: &mut Vec<(usize, Vec<Goal>)>) {
    let mut seen: BTreeSet<FunctionId> = chosen.iter().map(|(index, _)| found[*index].method).collect();
    for (index, test) in found.iter().enumerate() {
        if seen.insert(test.method) {
            chosen.push((index, Vec::new()));
        }
    }
}

/// Only the last step may throw.
fn is_test(end: &End, script: &Script) -> bool {
    match end {
        End::Returned => true,
        End::Threw { step, .. } => *step as usize + 1 == script.steps.len(),
        End::OutOfTicks { .. } | End::Exited { .. } | End::Unusable { .. } => false,
    }
}

type Once = (End, BTreeSet<Goal>, Reply);

/// Runs a script in fresh classes. `None` if it takes the machine with it or cannot be run.
fn once(
    program: &JavaProgram,
    host: &mut Host,
    script: &Script,
    values: &[Value],
) -> Result<Option<Once>, StartError> {
    let (number, end) = host.learn(script)?;
    if end != End::Returned {
        return Ok(None);
    }
    let manner = Manner { ticks: TICKS, full: false, fresh: true, observe: true };
    let Answer::Ran(ran) = host.run(number, values, manner)? else { return Ok(None) };
    let mut judge = Judge::new(&program.model.sites);
    let mut covers = BTreeSet::new();
    for event in Events::new(ran.words).map_while(Result::ok) {
        judge.event(&event, |branch, distances| {
            covers.insert(Goal { branch, outcome: distances.to_true == 0 });
        });
    }
    let is_whole = !ran.reply.cut && !ran.reply.tainted;
    Ok(is_whole.then(|| (ran.reply.end.clone(), covers, ran.reply)))
}

/// Runs a test in both machines and keeps what is the same.
fn repeated(
    program: &JavaProgram,
    hosts: &mut [Host; 2],
    method: FunctionId,
    mut script: Script,
    values: Vec<Value>,
) -> Result<Option<Test>, StartError> {
    let [first, second] = hosts;
    let Some((end, covers, one)) = once(program, first, &script, &values)? else { return Ok(None) };
    let Some((other_end, other_covers, two)) = once(program, second, &script, &values)? else {
        return Ok(None);
    };
    if !is_test(&end, &script) || covers != other_covers || !is_same_end(&end, &other_end) {
        return Ok(None);
    }
    let results = one.results.iter().zip(&two.results).map(|(a, b)| agreed(a, b)).collect();
    let mut observed = Vec::new();
    let pairs = one.observed.iter().zip(&two.observed);
    let same: Vec<bool> =
        pairs.map(|(a, b)| a == b && !matches!(a, Seen::Threw(_) | Seen::Object(..))).collect();
    let mut kept = same.iter().copied();
    script.observers.retain(|_| kept.next().unwrap_or(false));
    observed.extend(one.observed.iter().zip(&same).filter(|(_, same)| **same).map(|(seen, _)| seen.clone()));
    Ok(Some(Test { method, script, values, end, results, observed, covers }))
}

/// The same exception; its message may differ, and is then no part of the test.
fn is_same_end(a: &End, b: &End) -> bool {
    match (a, b) {
        (End::Threw { step: a, thrown: one }, End::Threw { step: b, thrown: two }) => {
            a == b && one.class == two.class && one.message == two.message
        }
        _ => a == b,
    }
}

fn agreed(a: &Seen, b: &Seen) -> Seen {
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (Seen::Object(class, _), Seen::Object(other, _)) if class == other => {
            Seen::Object(class.clone(), None)
        }
        // Nothing can be said of it.
        _ => Seen::Void,
    }
}
