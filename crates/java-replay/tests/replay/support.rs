//! A Java compiler, a machine with hooks, and replays of what it ran.

use expr::{Tape, Terms, Variable};
use java_classfile::ClassFile;
use java_replay::{Check, Class, Decision, End, Program, Replayed, Run, Settings, Symbols, What, replay};
use java_wire::message::{self, Manner};
use java_wire::{Action, Argument, Script, Slot, Step, Value};
use java_worker::{Answer, Host, MachineSettings, Prepared};
use std::path::{Path, PathBuf};
use std::process::Command;
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

/// A test with one static call.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) script: Script,
    pub(crate) values: Vec<Value>,
}

impl Stage {
    /// Compiles sources by the names of their files.
    pub(crate) fn new(sources: &[(&str, String)]) -> Stage {
        let scratch = TempDir::new().expect("a folder");
        let write = |(name, text): &(&str, String)| {
            let file = scratch.path().join(name);
            std::fs::write(&file, text).expect("writable");
            file
        };
        let files: Vec<PathBuf> = sources.iter().map(write).collect();
        Stage::compiled(scratch, &files)
    }

    /// Compiles files.
    pub(crate) fn compiled(scratch: TempDir, sources: &[PathBuf]) -> Stage {
        let to = scratch.path().join("classes");
        let mut command = Command::new("javac");
        command.args(["-nowarn", "-Xlint:none", "-encoding", "UTF-8", "-d"]).arg(&to).args(sources);
        let output = command.output().expect("a Java compiler; scripts/setup installs a JDK");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (mut prepared, mut classes) = (Prepared::new(), Vec::new());
        for file in files(&to, "class") {
            let bytes = std::fs::read(file).expect("a class file");
            let class = ClassFile::read(&bytes).expect("a class");
            let (first_jump, first_method) = (prepared.jumps(), prepared.methods());
            prepared.add(&bytes, &class).expect("hooks");
            classes.push(Class { file: class, first_jump, first_method });
        }
        assert_eq!(prepared.untouched(), []);
        let mut settings = MachineSettings::new(scratch.path());
        settings.run_timeout = std::time::Duration::from_secs(60);
        settings.flags.push("-ea".into());
        let host = Host::start(&settings, &prepared).expect("a machine");
        let names = classes.iter().map(|class| class.file.name.clone()).collect();
        Stage { program: Program::new(classes), names, host, _scratch: scratch }
    }

    /// Runs a test with full hooks and replays it, every value a variable.
    pub(crate) fn both(&mut self, test: &Test, settings: &Settings) -> Both {
        let (id, end) = self.host.learn(&test.script).expect("a machine");
        assert_eq!(end, message::End::Returned, "{:?}", test.script);
        let manner = Manner { ticks: 1_000_000, full: true, fresh: true, observe: false };
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

/// Files below a folder with an extension, in order.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
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

/// A call of a static method, `A.name(I)V`, with values.
pub(crate) fn call(named: &str, values: &[Value]) -> Test {
    let (before, _) = named.split_once('(').expect("a descriptor");
    let (class, name) = before.rsplit_once('.').expect("a method");
    let descriptor = named[before.len()..].parse().expect("a descriptor");
    let action =
        Action::Invoke { class: class.to_owned(), name: name.to_owned(), descriptor, is_static: true };
    let Action::Invoke { descriptor, .. } = &action else { unreachable!() };
    let slots = descriptor.parameters.iter().map(|ty| Slot::of(ty).expect("a value")).collect();
    let arguments = (0..values.len() as u32).map(Argument::Slot).collect();
    let script = Script { slots, steps: vec![Step { action, arguments }], observers: Vec::new() };
    Test { script, values: values.to_vec() }
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.encode_utf16().collect())
}

pub(crate) fn ints(values: &[i32]) -> Value {
    let elements = values.iter().map(|&value| Value::Int(value)).collect();
    Value::Array(java_wire::Primitive::Int, elements)
}
