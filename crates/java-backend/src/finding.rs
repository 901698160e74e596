//! Findings: runs that no test can state, repeated in machines that were just started, and made small.
//!
//! What a search noted says where it was when it was stopped, but not that it would never have ended, nor that the machine was in
//! order. So every suspect is run again, alone. Those of one kind and place become one finding, with the smallest sequence of calls.

use crate::program::JavaProgram;
use crate::reduce::{needed, reduce};
use crate::suspect::{Kind, Sight, Suspect, Suspects};
use java_frontend::{Judge, java_name};
use java_wire::event::{Code, Events};
use java_wire::message::{End, Frame, Manner};
use java_wire::{Script, Value};
use java_worker::{Gone, Home, Machine, StartError};
use model::{FunctionId, Goal};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Ticks of a run: those of a search, and those after which a loop is believed to be endless.
const TICKS: u64 = 1 << 14;
const PATIENT_TICKS: u64 = 1 << 24;
/// A loop is looked at after so many more, to see what in its stack stays.
const MORE_TICKS: [u64; 9] = [0, 1, 2, 3, 5, 8, 13, 101, 1009];
/// Words of a trace that are looked at.
const MOST_WORDS: usize = 1 << 18;

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
}

/// Kind and place; without a known place, the method.
type Key = (Kind, Result<Frame, FunctionId>);

/// Repeats what was noted.
///
/// # Errors
/// When no machine can be started.
pub fn find(program: &JavaProgram, home: &Arc<Home>, suspects: &Suspects) -> Result<Findings, StartError> {
    let mut bench = Bench { program, home, suspects, machine: None };
    let mut findings = Findings::default();
    let mut groups: BTreeMap<Key, Vec<(Suspect, Witness)>> = BTreeMap::new();
    for (kind, suspect) in suspects.all() {
        if matches!(kind, Kind::Hang | Kind::Crash) {
            // It will be lost, and can be read then if it is new.
            bench.machine = None;
        }
        match bench.look(&suspect.script, &suspect.values)? {
            Some(witness) => {
                let place = witness.place.clone().ok_or(suspect.method);
                let mut suspect = suspect.clone();
                // Of a machine that is gone, only now is known how far it came.
                suspect.script.steps.truncate(witness.sight.step as usize + 1);
                groups.entry((witness.sight.kind, place)).or_default().push((suspect, witness));
            }
            None => *findings.unconfirmed.entry(suspect.method).or_default() += 1,
        }
    }
    let mut found: BTreeMap<Key, JavaFinding> = BTreeMap::new();
    for group in groups.into_values() {
        let Some(finding) = bench.finding(&group)? else { continue };
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

/// A run that was repeated.
#[derive(Clone, PartialEq, Debug)]
struct Witness {
    sight: Sight,
    place: Option<Frame>,
    reaches: BTreeSet<Goal>,
}

impl Witness {
    /// Whether it shows what was seen before. Where a stack is full, or ticks are used up, is up to the machine and to what came before.
    fn shows(&self, seen: &Witness) -> bool {
        let Some((class, method, _)) = &seen.place else {
            return self.sight.kind == seen.sight.kind && self.place.is_none();
        };
        let is_there = |frame: &Frame| (&frame.0, &frame.1) == (class, method);
        let is_same_place = match self.sight.kind {
            Kind::Endless | Kind::StackOverflow => self.sight.stack.iter().any(is_there),
            _ => self.place == seen.place,
        };
        self.sight.kind == seen.sight.kind && is_same_place
    }
}

/// Where runs are repeated.
struct Bench<'a> {
    program: &'a JavaProgram,
    home: &'a Arc<Home>,
    suspects: &'a Suspects,
    /// The machine in use, and how many runs it has seen.
    machine: Option<(Machine, u32)>,
}

impl Bench<'_> {
    /// The finding that suspects with the same end are, unless no fresh machine shows it.
    fn finding(&mut self, group: &[(Suspect, Witness)]) -> Result<Option<JavaFinding>, StartError> {
        let size = |(suspect, _): &&(Suspect, Witness)| (suspect.script.steps.len(), suspect.values.len());
        let Some((suspect, seen)) = group.iter().min_by_key(size) else { return Ok(None) };
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
        let mut also: BTreeSet<FunctionId> = group.iter().map(|(suspect, _)| suspect.method).collect();
        also.remove(&suspect.method);
        Ok(Some(JavaFinding {
            kind: witness.sight.kind,
            what: what(&witness.sight),
            status: witness.sight.status,
            method: suspect.method,
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
        // Most often nothing matters but the last call and what it is given.
        let (mut script, mut values) = (suspect.script.clone(), suspect.values.clone());
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
        Ok(self.look(script, values)?.filter(|witness| witness.shows(seen)))
    }

    /// Runs a script; of a loop that goes on too long, once more with far more patience.
    fn look(&mut self, script: &Script, values: &[Value]) -> Result<Option<Witness>, StartError> {
        let Some(first) = self.glance(script, values, TICKS)? else { return Ok(None) };
        if first.sight.kind != Kind::Endless {
            return Ok(Some(first));
        }
        let Some(second) = self.glance(script, values, PATIENT_TICKS)? else { return Ok(None) };
        match second.sight.kind {
            Kind::Endless => {}
            // Ticks are slow there. Where it was when it was ended is up to the clock.
            Kind::Hang => return Ok(Some(first)),
            _ => return Ok(Some(second)),
        }
        let mut stack = second.sight.stack.clone();
        for more in MORE_TICKS {
            let other = self.glance(script, values, TICKS + more)?;
            let other = other.filter(|other| other.sight.kind == Kind::Endless);
            stack = other.map_or(stack.clone(), |other| common(&stack, &other.sight.stack));
        }
        let place = innermost(&stack, |class| self.suspects.is_own(class)).or(first.place);
        Ok(Some(Witness { place, ..second }))
    }

    /// Runs a script in classes that were just loaded. A machine that is lost is lost again in its first run, so that its trace can be
    /// read.
    fn glance(
        &mut self,
        script: &Script,
        values: &[Value],
        ticks: u64,
    ) -> Result<Option<Witness>, StartError> {
        let had_runs = self.machine.as_ref().is_some_and(|(_, runs)| *runs > 0);
        match self.run(script, values, ticks)? {
            Ran::Gone if had_runs => match self.run(script, values, ticks)? {
                Ran::Lost(witness) => Ok(Some(witness)),
                Ran::Seen(witness) => Ok(witness),
                Ran::Gone => Ok(None),
            },
            Ran::Lost(witness) => Ok(Some(witness)),
            Ran::Seen(witness) => Ok(witness),
            Ran::Gone => Ok(None),
        }
    }

    fn run(&mut self, script: &Script, values: &[Value], ticks: u64) -> Result<Ran, StartError> {
        let (mut machine, runs) = match self.machine.take() {
            Some(known) => known,
            None => (Machine::start_in(self.home)?, 0),
        };
        let number = match machine.learn(script) {
            Ok((number, End::Returned)) => number,
            Ok(_) => {
                self.machine = Some((machine, runs));
                return Ok(Ran::Seen(None));
            }
            Err(_) => return Ok(Ran::Gone),
        };
        let manner = Manner { ticks, full: false, fresh: true, observe: false };
        let gone: Gone = match machine.run(number, values, manner) {
            Ok(ran) => {
                let reaches = self.reached(ran.words);
                let sight = Sight::of(&ran.reply);
                let is_spoiled = ran.reply.tainted;
                self.machine = Some((machine, runs + 1)).filter(|_| !is_spoiled);
                return Ok(Ran::Seen(sight.map(|sight| self.witness(sight, reaches))));
            }
            Err(gone) => gone,
        };
        if runs > 0 {
            return Ok(Ran::Gone);
        }
        let remains = machine.remains();
        let reaches = self.reached(remains.words);
        let steps = Events::new(remains.words).map_while(Result::ok).filter(|event| event.code == Code::Step);
        let step = steps.map(|event| event.id).last().unwrap_or_default();
        Ok(Ran::Lost(self.witness(Sight::of_gone(&gone, step, remains.stack), reaches)))
    }

    fn witness(&self, sight: Sight, reaches: BTreeSet<Goal>) -> Witness {
        let place = place(&sight, |class| self.suspects.is_own(class));
        Witness { sight, place, reaches }
    }

    fn reached(&self, words: &[u32]) -> BTreeSet<Goal> {
        let mut judge = Judge::following(&self.program.model);
        let mut reached = BTreeSet::new();
        // Loops do the same again and again: the beginning is enough.
        let words = &words[..words.len().min(MOST_WORDS)];
        for event in Events::new(words).map_while(Result::ok) {
            judge.event(&event, |branch, distances| {
                reached.insert(Goal { branch, outcome: distances.to_true == 0 });
            });
        }
        reached
    }
}

/// What came of running a script.
enum Ran {
    /// It ended; nothing if that is nothing to tell of.
    Seen(Option<Witness>),
    /// It took the machine with it, in the first run of that.
    Lost(Witness),
    /// It took a machine with it of which nothing can be read.
    Gone,
}

/// The innermost call of the user's code. Where a stack is full is up to the machine; so it is the first by name of the calls below.
fn place(sight: &Sight, is_own: impl Fn(&str) -> bool) -> Option<Frame> {
    match sight.kind {
        Kind::StackOverflow => {
            let own = sight.stack.iter().filter(|(class, ..)| is_own(class)).skip(1);
            own.min().cloned().or_else(|| innermost(&sight.stack, &is_own))
        }
        _ => innermost(&sight.stack, is_own),
    }
}

fn innermost(stack: &[Frame], is_own: impl Fn(&str) -> bool) -> Option<Frame> {
    stack.iter().find(|(class, ..)| is_own(class)).cloned()
}

/// What two stacks of a run that does not end have in common: where it does not get on. What is called there comes and goes.
fn common(first: &[Frame], second: &[Frame]) -> Vec<Frame> {
    let mut same = Vec::new();
    for (a, b) in first.iter().rev().zip(second.iter().rev()) {
        if (&a.0, &a.1) != (&b.0, &b.1) {
            break;
        }
        same.push(a.min(b).clone());
        if a != b {
            break;
        }
    }
    same.reverse();
    same
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
        Kind::Endless => "endless loop".to_owned(),
        Kind::Hang => "hangs".to_owned(),
        Kind::Crash => "the virtual machine dies".to_owned(),
        Kind::Initialiser => match message {
            Some(message) => format!("a static initialiser throws {message}"),
            None => "a static initialiser throws".to_owned(),
        },
        Kind::EndlessInitialiser => "a static initialiser does not end".to_owned(),
        Kind::Assertion => behind("assertion fails"),
        Kind::Unusable => match (class, &message) {
            ("java/lang/NoClassDefFoundError", Some(missing)) => {
                format!("needs the class {}, which is not there", java_name(missing))
            }
            _ => behind(class.rsplit('/').next().unwrap_or_default()),
        },
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

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(frames: &[(&str, &str, u32)]) -> Vec<Frame> {
        frames.iter().map(|(class, method, line)| ((*class).into(), (*method).into(), *line)).collect()
    }

    #[test]
    fn a_loop_is_where_stacks_meet() {
        let first =
            frames(&[("java/util/List", "get", 1), ("A", "help", 5), ("A", "loop", 20), ("A", "f", 3)]);
        let second = frames(&[("A", "loop", 22), ("A", "f", 3)]);
        assert_eq!(common(&first, &second), frames(&[("A", "loop", 20), ("A", "f", 3)]));
        assert_eq!(common(&first, &first[..]), first);
        assert_eq!(common(&first, &frames(&[("A", "g", 1)])), []);
    }

    #[test]
    fn a_full_stack_has_one_place_wherever_it_is_full() {
        let sight = |stack: &[(&str, &str, u32)]| Sight {
            kind: Kind::StackOverflow,
            step: 0,
            status: None,
            thrown: None,
            stack: frames(stack),
        };
        let round = [("A", "f", 1), ("A", "g", 2), ("A", "f", 3), ("A", "g", 2), ("A", "f", 3)];
        let place_of = |stack: &[(&str, &str, u32)]| place(&sight(stack), |class| class == "A");
        assert_eq!(place_of(&round), Some(("A".into(), "f".into(), 3)));
        assert_eq!(place_of(&round[1..]), Some(("A".into(), "f".into(), 3)));
        assert_eq!(place_of(&[("java/lang/String", "x", 1)]), None);
    }
}
