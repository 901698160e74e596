//! A machine with hooks, and replays of what it ran.

use expr::{Tape, Terms, Variable};
use java_replay::{Check, Class, Decision, End, Program, Replayed, Run, Settings, Symbols, What, replay};
use java_testing::{Compiled, Draft};
use java_wire::Value;
use java_wire::message::{self, Manner};
use java_worker::{Answer, Host, MachineSettings, Prepared};
use std::path::PathBuf;
use tempfile::TempDir;

/// Classes that were compiled, and a machine that runs them.
pub(crate) struct Stage {
    pub(crate) program: Program,
    /// Names of the classes.
    pub(crate) names: Vec<String>,
    host: Host,
    _scratch: TempDir,
}

/// A run and its replay.
pub(crate) struct Both {
    pub(crate) end: message::End,
    pub(crate) replayed: Replayed,
    pub(crate) terms: Terms,
    pub(crate) assignment: Vec<u128>,
    pub(crate) words: Vec<u32>,
    pub(crate) classes: Vec<message::ClassFacts>,
    pub(crate) variables: Vec<Symbols>,
}

impl Stage {
    /// Compiles sources by the names of their files.
    pub(crate) fn new(sources: &[(&str, String)]) -> Stage {
        let folder = TempDir::new().expect("a folder");
        let write = |(name, text): &(&str, String)| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("writable");
            file
        };
        Stage::compiled(&sources.iter().map(write).collect::<Vec<_>>())
    }

    /// Compiles files.
    pub(crate) fn compiled(sources: &[PathBuf]) -> Stage {
        Stage::of(java_testing::compiled(sources, &[]), None)
    }

    /// Classes in a machine of the path, or of another runtime.
    pub(crate) fn of(compiled: Vec<Compiled>, runtime: Option<u32>) -> Stage {
        let (mut prepared, mut classes) = (Prepared::new(), Vec::new());
        for Compiled { bytes, class } in compiled {
            let (first_jump, first_method) = (prepared.jumps(), prepared.methods());
            prepared.add(&bytes, &class).expect("hooks");
            classes.push(Class { file: class, first_jump, first_method });
        }
        assert_eq!(prepared.untouched(), []);
        let scratch = TempDir::new().expect("a folder");
        let mut settings = MachineSettings::new(scratch.path());
        settings.run_timeout = std::time::Duration::from_secs(60);
        settings.flags.push("-ea".into());
        if let Some(version) = runtime {
            settings.java = java_testing::runtime(version).join("bin/java");
        }
        let host = Host::start(&settings, &prepared).expect("a machine");
        let names = classes.iter().map(|class| class.file.name.clone()).collect();
        Stage { program: Program::new(classes), names, host, _scratch: scratch }
    }

    /// Runs a test with full hooks and replays it, every value a variable.
    pub(crate) fn both(&mut self, test: &Draft, settings: &Settings) -> Both {
        let (id, end) = self.host.learn(&test.script).expect("a machine");
        assert_eq!(end, message::End::Returned, "{:?}", test.script);
        let manner = Manner { ticks: 1_000_000, full: true, fresh: true, observe: false, watched: false };
        let ran = match self.host.run(id, &test.values, manner).expect("a machine") {
            Answer::Ran(ran) => ran,
            Answer::Gone(gone) => panic!("{gone}"),
        };
        let (variables, assignment) = variables(&test.values);
        let mut terms = Terms::new();
        let run = Run {
            script: &test.script,
            values: &test.values,
            variables: &variables,
            trace: ran.words,
            classes: ran.classes,
            end: Some(&ran.reply.end),
        };
        let replayed = replay(&self.program, &run, settings, &mut terms);
        let (words, classes) = (ran.words.to_vec(), ran.classes.to_vec());
        Both { end: ran.reply.end.clone(), replayed, terms, assignment, words, classes, variables }
    }
}

impl Both {
    /// Nothing differs: the ends agree, and every condition holds for the values of the run.
    pub(crate) fn check(&self) -> Result<(), String> {
        let same = match (&self.end, &self.replayed.end) {
            (message::End::Returned, End::Returned) => true,
            (message::End::Threw { step, thrown }, End::Threw { step: at, class }) => {
                step == at && class.as_ref().is_none_or(|class| *class == thrown.class)
            }
            (message::End::OutOfTicks { .. } | message::End::Exited { .. }, End::OutOfTrace) => true,
            _ => false,
        };
        if !same {
            return Err(format!("the run: {:?}\nthe replay: {:?}", self.end, self.replayed.end));
        }
        let conditions: Vec<_> = self.conditions().map(|(_, condition)| condition).collect();
        let mut tape = Tape::new(&self.terms, &conditions);
        tape.run(&self.assignment);
        for (decision, condition) in self.conditions() {
            if tape.value(condition) != 1 {
                let text = self.terms.text(condition, |variable| format!("v{}", variable.0), 400);
                return Err(format!("{decision:?} does not hold: {text}"));
            }
        }
        Ok(())
    }

    /// The decisions that depend on the input, and what held.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = (&Decision, expr::Term)> {
        self.replayed.decisions.iter().filter_map(|decision| Some((decision, decision.condition?)))
    }

    /// The conditions of jumps, indices and checks in words, but for those of null.
    pub(crate) fn texts(&self) -> Vec<String> {
        let name = |variable: Variable| format!("v{}", variable.0);
        let is_of_values =
            |what: What| !matches!(what, What::Given | What::Pin | What::Check { check: Check::NotNull, .. });
        let conditions = self.conditions().filter(|(decision, _)| is_of_values(decision.what));
        conditions.map(|(_, condition)| self.terms.text(condition, name, 400)).collect()
    }
}

/// A variable for every primitive, character and element, for references and lengths, and what it is.
fn variables(values: &[Value]) -> (Vec<Symbols>, Vec<u128>) {
    let mut assignment = Vec::new();
    let symbols = values.iter().map(|value| symbols(value, &mut assignment)).collect();
    (symbols, assignment)
}

fn symbols(value: &Value, assignment: &mut Vec<u128>) -> Symbols {
    let mut add = |bits: u128| {
        assignment.push(bits);
        Variable(assignment.len() as u32 - 1)
    };
    let cell = |value: &Value| {
        let primitive = value.primitive().expect("a primitive");
        u128::from(value.bits().expect("bits")) & expr::mask(primitive.bits().into())
    };
    let mut symbols = Symbols::default();
    if value.primitive().is_none() {
        symbols.reference = Some(add(u128::from(*value != Value::Null) << 12));
    }
    match value {
        Value::Null => {}
        Value::Boxed(value) => symbols.cells.push(add(cell(value))),
        // A zero would end it. Every other text has cells behind its end.
        Value::Text(units) if units.iter().all(|unit| (1..256).contains(unit)) => {
            let behind = if units.len() % 2 == 0 { vec![0, 7] } else { Vec::new() };
            let cells = units.iter().map(|&unit| unit as u8).chain(behind.iter().copied());
            symbols.cells = cells.map(|unit| add(unit.into())).collect();
            symbols.behind = Some(behind);
        }
        Value::Text(units) => symbols.cells = units.iter().map(|&unit| add(unit.into())).collect(),
        Value::Array(_, elements) => {
            symbols.cells = elements.iter().map(|element| add(cell(element))).collect();
            symbols.length = Some((add(elements.len() as u128 + 1), 1 << 20));
        }
        value => symbols.cells.push(add(cell(value))),
    }
    symbols
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.encode_utf16().collect())
}

pub(crate) fn ints(values: &[i32]) -> Value {
    let elements = values.iter().map(|&value| Value::Int(value)).collect();
    Value::Array(java_wire::Primitive::Int, elements)
}
