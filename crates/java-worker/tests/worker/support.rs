//! A Java compiler, the fixtures with hooks, and scripts in few words.

use java_classfile::{ClassFile, MethodDescriptor, Type};
use java_wire::event::{Code, Event, Events};
use java_wire::message::{End, Manner, Seen};
use java_wire::{Action, Argument, Script, Slot, Step, Value};
use java_worker::{Answer, Host, MachineSettings, Prepared, Ran};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> String {
    let output =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; scripts/setup installs a JDK"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Files below a folder with an extension, in order.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
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

/// A class file and what is in it.
pub(crate) struct Compiled {
    pub(crate) bytes: Vec<u8>,
    pub(crate) class: ClassFile,
}

/// The fixtures and the tests' own classes, compiled once.
pub(crate) fn compiled() -> &'static [Compiled] {
    static COMPILED: OnceLock<Vec<Compiled>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = files(&here.join("../../fixtures/java"), "java");
        sources.extend(files(&here.join("tests/java"), "java"));
        let to = TempDir::new().expect("a folder");
        run(Command::new("javac")
            .args(["-g", "-nowarn", "-Xlint:none", "--release", "17", "-encoding", "UTF-8", "-d"])
            .arg(to.path())
            .args(sources));
        let read = |file: PathBuf| {
            let bytes = std::fs::read(file).expect("a class file");
            Compiled { class: ClassFile::read(&bytes).expect("a class"), bytes }
        };
        let all = files(to.path(), "class").into_iter().map(read);
        // It is there to be missing.
        all.filter(|one| one.class.name != "hostile/Missing").collect()
    })
}

/// Everything with hooks.
pub(crate) fn prepared() -> &'static Prepared {
    static PREPARED: OnceLock<Prepared> = OnceLock::new();
    PREPARED.get_or_init(|| {
        let mut prepared = Prepared::new();
        for one in compiled() {
            prepared.add(&one.bytes, &one.class).expect("hooks");
        }
        assert_eq!(prepared.untouched(), []);
        prepared
    })
}

/// A host, and the folder that it lives in.
pub(crate) struct Stage {
    pub(crate) host: Host,
    _scratch: TempDir,
}

pub(crate) fn stage() -> Stage {
    stage_with(prepared(), |_| {})
}

pub(crate) fn stage_with(prepared: &Prepared, change: impl FnOnce(&mut MachineSettings)) -> Stage {
    let scratch = TempDir::new().expect("a folder");
    let mut settings = MachineSettings::new(scratch.path());
    // Several tests and other work share few processors.
    settings.run_timeout = std::time::Duration::from_secs(30);
    settings.heap = 64;
    change(&mut settings);
    Stage { host: Host::start(&settings, prepared).expect("a machine"), _scratch: scratch }
}

/// How most tests run: observed, in fresh classes.
pub(crate) const MANNER: Manner = Manner { ticks: 1_000_000, full: false, fresh: true, observe: true };

impl Stage {
    /// Learns and runs.
    pub(crate) fn answer(&mut self, test: &Draft, manner: Manner) -> Answer<'_> {
        let (id, end) = self.host.learn(&test.script).expect("a machine");
        assert_eq!(end, End::Returned, "{:?}", test.script);
        self.host.run(id, &test.values, manner).expect("a machine")
    }

    /// A run that the machine survives.
    pub(crate) fn run(&mut self, test: &Draft, manner: Manner) -> Ran<'_> {
        match self.answer(test, manner) {
            Answer::Ran(ran) => ran,
            Answer::Gone(gone) => panic!("{gone}"),
        }
    }

    /// What the last step of a test gives that returns.
    pub(crate) fn result(&mut self, test: &Draft) -> Seen {
        let ran = self.run(test, MANNER);
        assert_eq!(ran.reply.end, End::Returned);
        ran.reply.results.last().cloned().expect("a result")
    }

    /// Class and message of what the last step of a test throws.
    pub(crate) fn thrown(&mut self, test: &Draft) -> (String, Option<String>) {
        let last = test.script.steps.len() as u32 - 1;
        match self.run(test, MANNER).reply.end {
            End::Threw { step, thrown } if step == last => (thrown.class, thrown.message),
            other => panic!("{other:?}"),
        }
    }
}

/// A script and its values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) script: Script,
    pub(crate) values: Vec<Value>,
}

impl Draft {
    pub(crate) fn new() -> Draft {
        Draft::default()
    }

    /// A slot with a value.
    pub(crate) fn slot(&mut self, slot: Slot, value: Value) -> Argument {
        self.script.slots.push(slot);
        self.values.push(value);
        Argument::Slot(self.values.len() as u32 - 1)
    }

    pub(crate) fn int(&mut self, value: i32) -> Argument {
        self.primitive(Value::Int(value))
    }

    pub(crate) fn primitive(&mut self, value: Value) -> Argument {
        let slot = Slot::Primitive(value.primitive().expect("a primitive"));
        self.slot(slot, value)
    }

    pub(crate) fn text(&mut self, text: &str) -> Argument {
        self.slot(Slot::Text, Value::Text(text.encode_utf16().collect()))
    }

    pub(crate) fn step(&mut self, action: Action, arguments: &[Argument]) -> Argument {
        self.script.steps.push(Step { action, arguments: arguments.to_vec() });
        Argument::Result(self.script.steps.len() as u32 - 1)
    }

    pub(crate) fn new_object(&mut self, class: &str, descriptor: &str, arguments: &[Argument]) -> Argument {
        self.step(Action::Construct { class: class.to_owned(), descriptor: method(descriptor) }, arguments)
    }

    /// `owner.name(descriptor)` on a receiver that comes first.
    pub(crate) fn call(&mut self, named: &str, arguments: &[Argument]) -> Argument {
        self.step(invoke(named, false), arguments)
    }

    pub(crate) fn call_static(&mut self, named: &str, arguments: &[Argument]) -> Argument {
        self.step(invoke(named, true), arguments)
    }

    pub(crate) fn observe(&mut self, named: &str, arguments: &[Argument]) {
        self.script.observers.push(Step { action: invoke(named, false), arguments: arguments.to_vec() });
    }
}

/// A static call with ints.
pub(crate) fn ints(named: &str, values: &[i32]) -> Draft {
    let mut test = Draft::new();
    let arguments: Vec<Argument> = values.iter().map(|value| test.int(*value)).collect();
    test.call_static(named, &arguments);
    test
}

pub(crate) fn method(descriptor: &str) -> MethodDescriptor {
    descriptor.parse().expect("a descriptor")
}

pub(crate) fn ty(descriptor: &str) -> Type {
    descriptor.parse().expect("a type")
}

/// `a/B.name(I)V` as a call.
pub(crate) fn invoke(named: &str, is_static: bool) -> Action {
    let (before, _) = named.split_once('(').expect("a descriptor");
    let (class, name) = before.rsplit_once('.').expect("a method");
    Action::Invoke {
        class: class.to_owned(),
        name: name.to_owned(),
        descriptor: method(&named[before.len()..]),
        is_static,
    }
}

/// All events of a run, none of them garbled.
pub(crate) fn events<'a>(ran: &Ran<'a>) -> Vec<Event<'a>> {
    assert_eq!(ran.words.len(), ran.reply.words as usize);
    let events: Result<Vec<_>, _> = Events::new(ran.words).collect();
    let events = events.expect("events");
    let words: usize = events.iter().map(|event| 1 + event.code.words()).sum();
    assert!(ran.reply.cut || words == ran.words.len());
    events
}

/// Code, id and words of events, without those of some kinds.
pub(crate) fn plain(events: &[Event<'_>], without: &[Code]) -> Vec<(Code, u32, Vec<u32>)> {
    let wanted = events.iter().filter(|event| !without.contains(&event.code));
    wanted.map(|event| (event.code, event.id, event.words.to_vec())).collect()
}

/// Number of the first jump of a class.
pub(crate) fn first_jump(name: &str) -> u32 {
    let before = compiled().iter().take_while(|one| one.class.name != name);
    before.map(|one| java_wire::site::jumps(&one.class).len() as u32).sum()
}
