//! The fixtures with hooks, and machines that run them.

use java_testing::{Compiled, fixtures};
pub(crate) use java_testing::{Draft, files, invoke, run, ty};
use java_wire::Value;
use java_wire::event::{Code, Event, Events};
use java_wire::message::{End, Manner, Seen};
use java_worker::{Answer, Host, MachineSettings, Prepared, Ran};
use std::path::Path;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The fixtures and the tests' own classes, compiled once.
pub(crate) fn compiled() -> &'static [Compiled] {
    static COMPILED: OnceLock<Vec<Compiled>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let mut sources = files(&fixtures(), "java");
        sources.extend(files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java"), "java"));
        let mut all = java_testing::compiled(&sources, &["-g", "--release", "17"]);
        // It is there to be missing.
        all.retain(|one| one.class.name != "hostile/Missing");
        all
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
pub(crate) const MANNER: Manner =
    Manner { ticks: 1_000_000, full: false, fresh: true, observe: true, watched: false };

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

/// A static call with ints.
pub(crate) fn ints(named: &str, values: &[i32]) -> Draft {
    let values: Vec<Value> = values.iter().map(|value| Value::Int(*value)).collect();
    Draft::of_static(named, &values)
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
