//! All states in which the first calls of a candidate leave their objects, each with the condition on their values.
//!
//! Every call begins in the states that the calls before it leave. A run is executed again to get its path, and a solver turns each of
//! its decisions in the last call round, until there is no other path. States that others of the same calls cover are dropped at once: nothing that comes
//! behind could tell them apart.

use super::Known;
use super::cover::Condition;
use super::matter::traces;
use crate::search::Searcher;
use crate::target::COST_OF_A_MACHINE;
use crate::times::timed;
use expr::{Op, Term, Variable};
use java_replay::{Held, Left, Replayed, Run, Symbols, What, replay};
use java_wire::message::{End, Manner};
use java_wire::{Argument, Primitive, Script, Slot, Step, Value};
use java_worker::{Answer, ScriptId, StartError};
use sequence::{Remaining, Seen, Trace, Verdict};
use std::rc::Rc;

/// Runs for the states that one call more leaves; what takes more is unknown.
const MOST_RUNS: u64 = 64;
/// Questions for them.
const MOST_QUESTIONS: u64 = 512;
/// Decisions of a path through one call.
const MOST_DECISIONS: usize = 256;
/// Ticks of a run.
const TICKS: u64 = 1 << 14;
/// What a reference that is not null is.
const SOME: u128 = 1 << 12;

/// What some calls leave, whatever their values are.
#[derive(Default)]
pub(super) struct Explored {
    pub(super) states: Vec<State>,
    /// There are no others.
    pub(super) is_complete: bool,
}

/// A state.
#[derive(Default)]
pub(super) struct State {
    /// What the values must be for it.
    pub(super) holds: Rc<[Term]>,
    /// Some that are so.
    pub(super) values: Rc<[u128]>,
    pub(super) left: Left,
    /// What the calls did on the way, if that is known.
    pub(super) traces: Option<Rc<[Trace]>>,
}

/// A path through the last of some calls.
struct Way {
    /// What holds on it, and whether it could be otherwise.
    decisions: Vec<(Term, bool)>,
    /// Nothing if the call threw: no test goes on from there.
    left: Option<Left>,
    traces: Option<Rc<[Trace]>>,
}

/// What is done to explore a call.
struct Exploration<'a> {
    script: &'a Script,
    number: ScriptId,
    seen: Seen<Condition>,
    states: Vec<State>,
    runs: u64,
    /// The last question that may be asked.
    until: u64,
}

/// The first steps of a script with their values.
pub(super) fn beginning(script: &Script, steps: usize) -> Script {
    let steps = script.steps[..steps].to_vec();
    let count = slots(steps.iter()).into_iter().max().map_or(0, |last| last as usize + 1);
    Script { slots: script.slots[..count].to_vec(), steps, observers: Vec::new() }
}

/// The slots that steps use.
fn slots<'s>(steps: impl Iterator<Item = &'s Step>) -> Vec<u32> {
    let slot = |argument: &Argument| match argument {
        Argument::Slot(slot) => Some(*slot),
        _ => None,
    };
    steps.flat_map(|step| &step.arguments).filter_map(slot).collect()
}

impl Searcher<'_> {
    /// What these calls leave.
    pub(super) fn explored(
        &mut self,
        known: &mut Known<'_>,
        script: &Script,
    ) -> Result<Rc<Explored>, StartError> {
        if let Some(explored) = known.beginnings.get(script) {
            return Ok(Rc::clone(explored));
        }
        if known.beginnings.len() >= super::MOST_BEGINNINGS {
            return Ok(Rc::default());
        }
        let states = self.explore(known, script)?;
        let explored =
            Rc::new(Explored { is_complete: states.is_some(), states: states.unwrap_or_default() });
        known.beginnings.insert(script.clone(), Rc::clone(&explored));
        Ok(explored)
    }

    fn explore(&mut self, known: &mut Known<'_>, script: &Script) -> Result<Option<Vec<State>>, StartError> {
        let is_number = |slot: &Slot| matches!(slot, Slot::Primitive(_) | Slot::Boxed(_));
        if !script.slots.iter().all(is_number) {
            return Ok(None);
        }
        let before = match script.steps.len() {
            0 => return Ok(Some(vec![State::default()])),
            steps => self.explored(known, &beginning(script, steps - 1))?,
        };
        let (number, end) = self.learn_part(script)?;
        if !before.is_complete || end != End::Returned {
            return Ok(None);
        }
        let seen = Seen::new(super::MOST_STATES);
        let until = known.prover.questions() + MOST_QUESTIONS;
        let mut exploration = Exploration { script, number, seen, states: Vec::new(), runs: 0, until };
        for state in &before.states {
            if !self.go_on(known, &mut exploration, state)? {
                return Ok(None);
            }
        }
        Ok(Some(exploration.states))
    }

    /// Finds all paths of the last call from one state of the calls before it. Whether there are no others.
    fn go_on(
        &mut self,
        known: &mut Known<'_>,
        exploration: &mut Exploration<'_>,
        from: &State,
    ) -> Result<bool, StartError> {
        let mut open = vec![(first(exploration.script, &from.values), 0)];
        while let Some((values, fixed)) = open.pop() {
            let is_too_much = exploration.runs == MOST_RUNS || known.prover.questions() > exploration.until;
            if is_too_much || self.is_late() {
                return Ok(false);
            }
            exploration.runs += 1;
            known.runs += 1;
            let Some(way) = self.follow(known, exploration, &values)? else { return Ok(false) };
            let Some(others) = known.others(from, &way, &values, fixed) else { return Ok(false) };
            open.extend(others);
            if let Some(left) = way.left {
                let own = way.decisions.into_iter().map(|(holds, _)| holds);
                let holds = from.holds.iter().copied().chain(own).collect();
                known.keep(exploration, State { holds, values: values.into(), left, traces: way.traces });
            }
        }
        Ok(true)
    }

    /// Runs the calls with these values; `None` if not everything is known of the run.
    fn follow(
        &mut self,
        known: &mut Known<'_>,
        exploration: &Exploration<'_>,
        values: &[u128],
    ) -> Result<Option<Way>, StartError> {
        let script = exploration.script;
        let told = told(&script.slots, values);
        let manner = Manner { ticks: TICKS, full: true, fresh: false, observe: false, watched: false };
        let host = &mut self.host;
        let Answer::Ran(ran) = self.times.executing(|| host.run(exploration.number, &told, manner))? else {
            known.runs += COST_OF_A_MACHINE;
            return Ok(None);
        };
        if ran.reply.cut || ran.reply.litters {
            return Ok(None);
        }
        let run = Run {
            script,
            values: &told,
            variables: &variables(&script.slots, known.nulls),
            trace: ran.words,
            classes: ran.classes,
            end: Some(&ran.reply.end),
        };
        let arrays = self.settings.arrays;
        let settings = java_replay::Settings { arrays, state: true, ..java_replay::Settings::default() };
        let (code, terms) = (&self.program.code, known.prover.terms_mut());
        let replayed = timed(&mut self.times.replay, || replay(code, &run, &settings, terms));
        let nulls = known.nulls_of_last(script, &told);
        let traces = traces(known.sequences, &replayed, script, known.nulls);
        Ok(way(replayed, traces, nulls, script.steps.len() as u32 - 1))
    }
}

impl Known<'_> {
    /// Which boxes that the last call gets are null. A path need not ask for that: null may be stored, or compared with another reference.
    fn nulls_of_last(&mut self, script: &Script, told: &[Value]) -> Vec<(Term, bool)> {
        let is_boxed = |slot: &&u32| self.nulls && matches!(script.slots[**slot as usize], Slot::Boxed(_));
        let last = slots(script.steps.last().into_iter());
        let boxed: Vec<u32> = last.iter().filter(is_boxed).copied().collect();
        let terms = self.prover.terms_mut();
        let decided = |slot: u32| {
            let reference = terms.variable(Variable(2 * slot + 1), 64);
            let null = terms.constant(0, 64);
            let is_null = terms.binary(Op::Eq, reference, null);
            let holds = told[slot as usize] == Value::Null;
            (if holds { is_null } else { terms.not(is_null) }, true)
        };
        boxed.into_iter().map(decided).collect()
    }

    /// Values for all other ways from a state that leave a way behind its fixed decisions; `None` if nobody knows them.
    fn others(
        &mut self,
        from: &State,
        way: &Way,
        values: &[u128],
        fixed: usize,
    ) -> Option<Vec<(Vec<u128>, usize)>> {
        let mut holds = from.holds.to_vec();
        let mut others = Vec::new();
        for (at, &(decision, is_open)) in way.decisions.iter().enumerate() {
            if is_open && at >= fixed && !holds.contains(&decision) {
                match self.prover.without(&holds, decision, values) {
                    solver::Answer::Sat(values) => others.push((values, at + 1)),
                    solver::Answer::Unsat => {}
                    solver::Answer::Unknown(_) => return None,
                }
            }
            holds.push(decision);
        }
        Some(others)
    }

    /// Keeps a state, unless another of the same calls covers it, whatever is looked at.
    fn keep(&mut self, exploration: &mut Exploration<'_>, state: State) {
        // Calls take no numbers from other calls.
        let made = |held: &&Held| !matches!(held, Held::Number(_));
        let all: Vec<Held> = state.left.results.iter().filter(made).cloned().collect();
        if let Some((form, condition)) = self.form(&state, &all) {
            let prover = &mut self.prover;
            let covers = |old: &Condition, new: &Condition| prover.covers(old, new);
            let verdict = exploration.seen.meet(form, Remaining::in_order(&[]), condition, covers);
            if verdict == Verdict::Subsumed {
                return;
            }
        }
        exploration.states.push(state);
    }
}

/// The path of a run through its last step.
fn way(replayed: Replayed, traces: Option<Rc<[Trace]>>, nulls: Vec<(Term, bool)>, last: u32) -> Option<Way> {
    let is_exact = !replayed.cut && replayed.lack.is_none() && replayed.approximations.is_empty();
    let ends = matches!(replayed.end, java_replay::End::Returned if replayed.left.is_some())
        || matches!(replayed.end, java_replay::End::Threw { .. });
    let own = replayed.decisions.iter().filter(|decision| decision.step == last);
    let own = own.filter_map(|decision| Some((decision.condition?, decision.what != What::Given)));
    let mut decisions: Vec<(Term, bool)> = nulls.into_iter().chain(own).collect();
    let shape = replayed.left.iter().flat_map(|left| &left.shape);
    decisions.extend(shape.map(|&holds| (holds, true)));
    let is_known = is_exact && ends && decisions.len() <= MOST_DECISIONS;
    is_known.then_some(Way { decisions, left: replayed.left, traces })
}

/// Values of calls of which only the last one is new.
fn first(script: &Script, known: &[u128]) -> Vec<u128> {
    let plain = script.slots.iter().flat_map(|_| [0, SOME]);
    known.iter().copied().chain(plain.skip(known.len())).collect()
}

/// The values of slots; each has two, itself and whether it is there.
fn told(slots: &[Slot], values: &[u128]) -> Vec<Value> {
    let value = |(slot, values): (&Slot, &[u128])| {
        let number = |primitive: Primitive| primitive.value(values[0] as u64);
        match *slot {
            Slot::Primitive(primitive) => number(primitive),
            Slot::Boxed(primitive) if values[1] != 0 => Value::Boxed(Box::new(number(primitive))),
            Slot::Boxed(_) | Slot::Text | Slot::Array(_) => Value::Null,
        }
    };
    slots.iter().zip(values.chunks(2)).map(value).collect()
}

/// The variables of slots.
fn variables(slots: &[Slot], nulls: bool) -> Vec<Symbols> {
    let symbols = |(at, slot): (u32, &Slot)| {
        let is_boxed = nulls && matches!(slot, Slot::Boxed(_));
        let reference = is_boxed.then_some(Variable(2 * at + 1));
        Symbols { cells: vec![Variable(2 * at)], reference, ..Symbols::default() }
    };
    (0..).zip(slots).map(symbols).collect()
}
