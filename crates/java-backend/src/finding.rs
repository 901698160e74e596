//! Findings: runs that no test can state, repeated in machines that were just started, and made small.
//!
//! What a search noted says where it was when it was stopped, but not that it would never have ended, nor that the machine was in
//! order. So every suspect is run again, alone. Those of one kind and place become one finding, with the smallest sequence of calls.

use crate::parallel::side_by_side;
use crate::program::JavaProgram;
use crate::reduce::{needed, reduce};
use crate::suspect::{Kind, Sight, Suspect, Suspects};
use crate::target::called;
use crate::witness::{Bench, TICKS, Witness};
use java_frontend::java_name;
use java_wire::message::Frame;
use java_wire::{Script, Value};
use java_worker::{Home, MachineSettings, StartError};
use model::{FunctionId, Goal};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How much longer a machine may say nothing before it is believed to hang.
const PATIENCE: u32 = 3;

/// Something that is wrong, or that no test can state.
#[derive(Clone, PartialEq, Debug)]
pub struct JavaFinding {
    /// What happens.
    pub kind: Kind,
    /// The same in words.
    pub what: String,
    /// What the machine ends with.
    pub status: Option<i32>,
    /// The method whose call ends so.
    pub method: FunctionId,
    /// Other methods whose calls do.
    pub also: BTreeSet<FunctionId>,
    /// The innermost call of the user's code.
    pub place: Option<Frame>,
    /// All calls that are known, innermost first.
    pub stack: Vec<Frame>,
    /// Calls, as few as were found.
    pub script: Script,
    /// Their values.
    pub values: Vec<Value>,
    /// All goals that runs with this end reach.
    pub reaches: BTreeSet<Goal>,
}

impl JavaFinding {
    /// Another one that shows the same.
    fn unite(&mut self, other: JavaFinding) {
        self.reaches.extend(other.reaches);
        self.also.extend(other.also);
        self.also.insert(other.method);
        self.also.remove(&self.method);
    }
}

/// What became of what a search noted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// Each kind and place once.
    pub all: Vec<JavaFinding>,
    /// By method: how often something was noted that did not repeat itself.
    pub unconfirmed: BTreeMap<FunctionId, usize>,
    /// The same of results that overflow.
    pub unconfirmed_overflows: BTreeMap<FunctionId, usize>,
}

/// Kind and place; without a known place, the method.
type Key = (Kind, Result<Frame, FunctionId>);

/// Repeats what was noted, so many at a time: most of the time is spent waiting for what hangs.
///
/// # Errors
/// When no machine can be started.
pub fn find(
    program: &JavaProgram,
    home: &Arc<Home>,
    suspects: &Suspects,
    jobs: usize,
) -> Result<Findings, StartError> {
    let bench = || Bench { program, home, suspects, machine: None, at: None };
    let mut findings = Findings::default();
    let mut groups: BTreeMap<Key, Vec<(Suspect, Witness)>> = BTreeMap::new();
    let noted: Vec<(Kind, &Suspect)> = suspects.all().collect();
    let seen = side_by_side(jobs, &noted, bench, |bench, (kind, suspect)| {
        if matches!(kind, Kind::Hang | Kind::Crash) {
            // It will be lost, and can be read then if it is new.
            bench.machine = None;
        }
        bench.at.clone_from(&suspect.at);
        bench.look(&suspect.script, &suspect.values)
    });
    for ((_, suspect), seen) in noted.into_iter().zip(seen) {
        match seen? {
            Some(witness) => {
                let mut suspect = suspect.clone();
                let step = witness.sight.step;
                // Of a machine that is gone, only now is known how far it came.
                if (step as usize) < suspect.script.steps.len().saturating_sub(1) {
                    let Some(method) = called(&program.model, &suspect.script, step) else { continue };
                    suspect.method = method;
                    suspect.script.steps.truncate(step as usize + 1);
                }
                let place = witness.place.clone().ok_or(suspect.method);
                groups.entry((witness.sight.kind, place)).or_default().push((suspect, witness));
            }
            None => {
                let counts = match suspect.at {
                    Some(_) => &mut findings.unconfirmed_overflows,
                    None => &mut findings.unconfirmed,
                };
                *counts.entry(suspect.method).or_default() += 1;
            }
        }
    }
    let mut found: BTreeMap<Key, JavaFinding> = BTreeMap::new();
    let groups: Vec<Vec<(Suspect, Witness)>> = groups.into_values().collect();
    for finding in side_by_side(jobs, &groups, bench, |bench, group| bench.finding(group)) {
        let Some(finding) = finding? else { continue };
        let place = finding.place.clone().ok_or(finding.method);
        match found.entry((finding.kind, place)) {
            Entry::Vacant(entry) => drop(entry.insert(finding)),
            // What was made small may be what another one is.
            Entry::Occupied(mut entry) => entry.get_mut().unite(finding),
        }
    }
    findings.all.extend(found.into_values());
    findings.all.sort_by(|a, b| (a.method, a.kind, &a.place).cmp(&(b.method, b.kind, &b.place)));
    Ok(findings)
}

impl Bench<'_> {
    /// The finding that suspects with the same end are, unless no fresh machine shows it.
    fn finding(&mut self, group: &[(Suspect, Witness)]) -> Result<Option<JavaFinding>, StartError> {
        let size = |(suspect, _): &&(Suspect, Witness)| (suspect.script.steps.len(), suspect.values.len());
        let Some((suspect, seen)) = group.iter().min_by_key(size) else { return Ok(None) };
        self.at.clone_from(&suspect.at);
        let (script, values) = self.smaller(suspect, seen);
        let mut chosen = (script, values);
        let mut witness = self.confirmed(&chosen.0, &chosen.1, seen)?;
        if witness.is_none() {
            chosen = (suspect.script.clone(), suspect.values.clone());
            witness = self.confirmed(&chosen.0, &chosen.1, seen)?;
        }
        let Some(mut witness) = witness else { return Ok(None) };
        if let Some((_, message)) = &mut witness.sight.thrown {
            let again = self.glance(&chosen.0, &chosen.1, TICKS)?.and_then(|again| again.sight.thrown);
            // It may say something else every time.
            *message =
                message.take().filter(|text| again.is_some_and(|(_, again)| again.as_ref() == Some(text)));
        }
        let mut reaches = witness.reaches;
        group.iter().for_each(|(_, other)| reaches.extend(&other.reaches));
        let last = chosen.0.steps.len().saturating_sub(1) as u32;
        let method = called(&self.program.model, &chosen.0, last).unwrap_or(suspect.method);
        let mut also: BTreeSet<FunctionId> = group.iter().map(|(suspect, _)| suspect.method).collect();
        also.remove(&method);
        Ok(Some(JavaFinding {
            kind: witness.sight.kind,
            what: what(&witness.sight),
            status: witness.sight.status,
            method,
            also,
            place: witness.place,
            stack: witness.sight.stack,
            script: chosen.0,
            values: chosen.1,
            reaches,
        }))
    }

    /// Fewer calls and plainer values with the same end. How much is tried depends on how long it takes.
    fn smaller(&mut self, suspect: &Suspect, seen: &Witness) -> (Script, Vec<Value>) {
        let mut tries = match seen.sight.kind {
            Kind::Hang => 2,
            Kind::Crash | Kind::OutOfMemory => 8,
            _ => 60,
        };
        let mut holds = |script: &Script, values: &[Value]| {
            if tries == 0 {
                return false;
            }
            tries -= 1;
            let other = self.glance(script, values, TICKS).ok().flatten();
            other
                .is_some_and(|other| other.sight.step as usize + 1 == script.steps.len() && other.shows(seen))
        };
        let (mut script, mut values) = (suspect.script.clone(), suspect.values.clone());
        // Which call has started a thread nobody saw: the shortest beginning that shows its end ends with that call.
        if seen.sight.kind == Kind::Uncaught {
            let first = |steps: usize| {
                let steps = script.steps[..steps].to_vec();
                Script { steps, ..script.clone() }
            };
            let shows = (1..script.steps.len()).map(first).find(|first| holds(first, &values));
            script = shows.unwrap_or(script);
        }
        // Most often nothing matters but the last call and what it is given.
        if let Some((needed, fewer)) = needed(&script, &values)
            && holds(&needed, &fewer)
        {
            (script, values) = (needed, fewer);
        }
        reduce(script, values, &mut holds)
    }

    /// What a machine sees that was just started, if it is the same.
    fn confirmed(
        &mut self,
        script: &Script,
        values: &[Value],
        seen: &Witness,
    ) -> Result<Option<Witness>, StartError> {
        self.machine = None;
        if seen.sight.kind == Kind::Hang {
            // A machine that has to wait for others is slow, but not for ever.
            let settings = self.home.settings();
            let patient =
                MachineSettings { run_timeout: settings.run_timeout * PATIENCE, ..settings.clone() };
            let home = self.program.home(&patient)?;
            let mut bench = Bench { home: &home, machine: None, at: None, ..*self };
            return Ok(bench.look(script, values)?.filter(|witness| witness.shows(seen)));
        }
        Ok(self.look(script, values)?.filter(|witness| witness.shows(seen)))
    }
}

/// What happens, in words.
fn what(sight: &Sight) -> String {
    let (class, message) = match &sight.thrown {
        Some((class, message)) => (class.as_str(), message.as_deref().map(one_line)),
        None => ("", None),
    };
    let behind = |head: &str| match &message {
        Some(message) => format!("{head}: {message}"),
        None => head.to_owned(),
    };
    match sight.kind {
        Kind::Exit => format!("exits with status {}", sight.status.unwrap_or_default()),
        Kind::StackOverflow => "stack overflow".to_owned(),
        Kind::OutOfMemory => behind("out of memory"),
        Kind::Endless => "endless loop, or a very long one".to_owned(),
        Kind::Hang => "hangs".to_owned(),
        Kind::Crash => "the virtual machine dies".to_owned(),
        Kind::Initialiser => match message {
            Some(message) => format!("a static initialiser throws {message}"),
            None => "a static initialiser throws".to_owned(),
        },
        Kind::EndlessInitialiser => "a static initialiser does not end".to_owned(),
        Kind::Assertion => behind("assertion fails"),
        Kind::Uncaught => behind(&format!("a thread ends with {}", java_name(class))),
        Kind::Unusable => match (class, &message) {
            ("java/lang/NoClassDefFoundError", Some(missing)) => {
                format!("needs the class {}, which is not there", java_name(missing))
            }
            _ => behind(class.rsplit('/').next().unwrap_or_default()),
        },
        Kind::Overflow => message.unwrap_or_else(|| "overflow, of other numbers every time".to_owned()),
    }
}

/// The first line of a text, and not more of it than fits.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 160;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
