//! Runs repeated: what a machine shows of one, and where it was.

use crate::overflow::overflows;
use crate::program::JavaProgram;
use crate::suspect::{Kind, Sight, Suspects};
use java_frontend::Judge;
use java_replay::Overflow;
use java_wire::event::{Code, Events};
use java_wire::message::{End, Frame, Manner};
use java_wire::{Script, Value};
use java_worker::{Gone, Home, Machine, StartError};
use model::Goal;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ticks of a run: those of a search, and those after which a loop is believed to be endless.
pub(crate) const TICKS: u64 = 1 << 14;
const PATIENT_TICKS: u64 = 1 << 24;
/// A loop is looked at after so many more, to see what in its stack stays.
const MORE_TICKS: [u64; 9] = [0, 1, 2, 3, 5, 8, 13, 101, 1009];
/// Words of a trace that are looked at.
const MOST_WORDS: usize = 1 << 18;

/// A run that was repeated.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Witness {
    pub(crate) sight: Sight,
    pub(crate) place: Option<Frame>,
    pub(crate) reaches: BTreeSet<Goal>,
}

impl Witness {
    /// Whether it shows what was seen before. Where a stack is full, or ticks are used up, is up to the machine and to what came before.
    pub(crate) fn shows(&self, seen: &Witness) -> bool {
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
pub(crate) struct Bench<'a> {
    pub(crate) program: &'a JavaProgram,
    pub(crate) home: &'a Arc<Home>,
    pub(crate) suspects: &'a Suspects,
    /// The machine in use, and how many runs it has seen.
    pub(crate) machine: Option<(Machine, u32)>,
    /// What is looked at is not how a run ends, but whether a result overflows here.
    pub(crate) at: Option<Frame>,
}

impl Bench<'_> {
    /// Runs a script; of a loop that goes on too long, once more with far more patience.
    pub(crate) fn look(&mut self, script: &Script, values: &[Value]) -> Result<Option<Witness>, StartError> {
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
    pub(crate) fn glance(
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
        let manner = Manner { ticks, full: self.at.is_some(), fresh: true, observe: false, watched: false };
        let gone: Gone = match machine.run(number, values, manner) {
            Ok(ran) => {
                let (reaches, sight) = match &self.at {
                    // A run that goes on is no reason why no test reaches something.
                    Some(at) => {
                        (BTreeSet::new(), self.overflow(at, overflows(self.program, script, values, &ran)))
                    }
                    None => {
                        let last = script.steps.len().saturating_sub(1) as u32;
                        let sight = Sight::of(&ran.reply, last);
                        let goes_on = sight.as_ref().is_some_and(|sight| sight.kind.goes_on());
                        (if goes_on { BTreeSet::new() } else { self.reached(ran.words) }, sight)
                    }
                };
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

    /// The result that overflows at a place, if a run has one.
    fn overflow(&self, at: &Frame, seen: Vec<Overflow>) -> Option<Sight> {
        let mut sights = seen.into_iter().map(Sight::of_overflow);
        sights.find(|sight| place(sight, |class| self.suspects.is_own(class)).as_ref() == Some(at))
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
