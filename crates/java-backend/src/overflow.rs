//! Results that `int` and `long` do not hold: looked for from the tests that a search has found, and seen in runs.
//!
//! Tests come to most of the code, each with values of its own. So what is left is to ask a solver for others on the same calls with which a
//! sum, a difference or a product is one that its type does not have: an exploration for which these are ways of the path like any others.
//! What it brings is noted as a suspect. The tests stay as they are.

use crate::program::JavaProgram;
use crate::search::{Found, NoClock, Searcher, after};
use crate::slots::Slots;
use crate::target::{JavaTarget, Learnt};
use crate::times::Times;
use campaign::{Reach, Scope, run_function};
use expr::{Terms, Variable};
use input::Input;
use java_replay::{Arrays, Overflow, Run, Settings, Symbols, replay};
use java_wire::message::End;
use java_wire::{Action, Argument, Script, Value};
use java_worker::{Ran, StartError};
use model::FunctionId;
use solver::Smt;
use std::time::{Duration, Instant};

/// How tests are explored: all ways of a path at once, the nearest first, and no search for goals beside.
const ENGINE: &str = "generational";
/// Of the runs of all methods, the part that may be spent on this: one in so many. Of seconds as well.
const SHARE: u64 = 8;
/// Runs from one test. If the budget is in seconds nobody counts runs, and between tests the time is looked at.
const MOST_RUNS: u64 = 2_000;
/// Elements of arrays that a replay reasons about.
const LONGEST: u32 = 64;

impl Searcher<'_> {
    /// Looks for results that overflow, from all tests of these methods.
    pub(crate) fn overflows(&mut self, methods: &[FunctionId]) -> Result<(), StartError> {
        let share = methods.len() as f64 / SHARE as f64;
        self.deadline = self.settings.seconds.map(|seconds| after(seconds * share));
        let mut left = (self.settings.runs / SHARE).saturating_mul(methods.len() as u64);
        let tests = self.found.iter().filter(|test| methods.contains(&test.method));
        let mut tests: Vec<Found> = tests.cloned().collect();
        tests.extend(tests.iter().filter_map(twice).collect::<Vec<_>>());
        tests.retain(|test| self.is_permitted(test));
        for (test, rest) in tests.iter().zip((1..=tests.len() as u64).rev()) {
            if self.is_late() || left == 0 {
                break;
            }
            // What one leaves the others may have.
            let runs = left.div_ceil(rest).min(MOST_RUNS);
            left = left.saturating_sub(self.overflows_from(test, runs)?);
        }
        Ok(())
    }

    fn is_permitted(&self, test: &Found) -> bool {
        self.settings.rules.permit(&self.settings.options, &test.script, &test.values)
    }

    /// Explores the calls of a test, from its values. Returns how many runs that took.
    fn overflows_from(&mut self, test: &Found, runs: u64) -> Result<u64, StartError> {
        let id = test.method;
        let script = Script { observers: Vec::new(), ..test.script.clone() };
        let (number, end) = self.learn(&script)?;
        if end != End::Returned {
            return Ok(1);
        }
        let slots = Slots::keeping(&self.settings.rules, &script.slots, self.settings.limits);
        // The values of the test count as something new, and so as a place to start from.
        let scope = Scope::reaching(&self.program.model.program, id, Reach::Reachable)
            .wanting(|goal| test.covers.contains(&goal))
            .with_lengths()
            .along(self.graph(id));
        let settings =
            campaign::Settings { engine: ENGINE.to_owned(), find_errors: true, ..self.campaign(runs) };
        let learnt = Learnt { number, script: &script };
        let replaying = Settings { overflow: true, ..self.replaying() };
        let mut target = JavaTarget::new(&self.program.model, &mut self.host, learnt, &slots, test.is_shared)
            .replaying(&self.program.code, replaying)
            .keeping(&self.settings.rules)
            .noting(&mut self.suspects, id);
        let smt = self.smt.clone();
        let connect = || -> Box<dyn Smt> { Box::new(smt.clone()) };
        let seeds: Vec<Input> = slots.input(&test.values).into_iter().chain(slots.first()).collect();
        let begun = Instant::now();
        let space = slots.space();
        let result =
            run_function(&mut target, &scope, space, &settings, &seeds, &NoClock, &connect, &mut |_| {});
        let spent = target.spent().max(1);
        let layers = result.exploration.iter().flat_map(|exploration| &exploration.layers);
        let solving = Duration::from_secs_f64(layers.map(|layer| layer.seconds).sum());
        self.times.campaign(begun.elapsed(), Times { solving, ..target.times() });
        Ok(spent)
    }
}

/// A test that makes its last call twice, with values of its own: what one call adds to a field overflows in the next.
fn twice(test: &Found) -> Option<Found> {
    let mut test = test.clone();
    let mut step = test.script.steps.last()?.clone();
    if !matches!(step.action, Action::Invoke { is_static: false, .. }) {
        return None;
    }
    for argument in &mut step.arguments {
        if let Argument::Slot(slot) = argument {
            let at = *slot as usize;
            *slot = test.values.len() as u32;
            test.script.slots.push(*test.script.slots.get(at)?);
            test.values.push(test.values.get(at)?.clone());
        }
    }
    test.script.steps.push(step);
    Some(test)
}

/// The results of a run with all hooks that depend on its values and that their types do not hold.
pub(crate) fn overflows(
    program: &JavaProgram,
    script: &Script,
    values: &[Value],
    ran: &Ran<'_>,
) -> Vec<Overflow> {
    let variables = variables(values);
    let (trace, classes) = (ran.words, ran.classes);
    let end = (!ran.reply.cut).then_some(&ran.reply.end);
    let run = Run { script, values, variables: &variables, trace, classes, end };
    let arrays = Arrays::Reasoning { longest: LONGEST };
    let settings = Settings { arrays, overflow: true, library: true, ..Settings::default() };
    replay(&program.code, &run, &settings, &mut Terms::new()).overflows
}

/// A variable for every number, character and element, and for every length: which of them matter is asked of nobody.
fn variables(values: &[Value]) -> Vec<Symbols> {
    let mut next = 0;
    let mut variable = || {
        next += 1;
        Variable(next - 1)
    };
    let mut cells = |count: usize| (0..count).map(|_| variable()).collect::<Vec<_>>();
    let one = |value: &Value| match value {
        Value::Null => Symbols::default(),
        Value::Array(_, elements) => {
            let length = Some((cells(1)[0], u32::MAX));
            Symbols { cells: cells(elements.len()), length, ..Symbols::default() }
        }
        // A text that a zero ends has a length that depends on its characters.
        Value::Text(units) if units.iter().all(|unit| (1..256).contains(unit)) => {
            Symbols { cells: cells(units.len() + 1), behind: Some(vec![0]), ..Symbols::default() }
        }
        Value::Text(units) => cells(units.len()).into(),
        _ => cells(1).into(),
    };
    values.iter().map(one).collect()
}
