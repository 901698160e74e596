//! Tests are tried before they are given to anybody: what does not pass is told, so that it can be left out.
//!
//! ```text
//! tests ──javac──► classes ──java──► passed, failed ─────────────► once more, in the opposite order
//!                            ▲ └──► hangs, or the JVM is gone ─┐
//!                            └── the others, in another JVM ◄──┘
//! ```
//!
//! In one order and its opposite every test runs once before every other and once after it, so whatever one does to the next is seen.

use crate::lines::Lines;
use crate::process::Ended;
use crate::replay::{Replay, Watched, Way};
use crate::report::{self, Came, Order};
use crate::{Case, JudgeError, Tools};
use std::collections::BTreeMap;
use std::fmt;

/// The order of the first run.
const SEED: u64 = 0;

/// What came of trying a suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tried {
    /// The compiler refuses it, with these words.
    Refused(String),
    /// It was run.
    Ran(Ran),
}

/// What came of running a suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// The tests that did not pass.
    pub out: Vec<Dropout>,
    /// Tests start threads.
    pub has_threads: bool,
    /// Nobody looked at what tests ask of the machine, since this JVM lets nobody: none is out for that.
    pub is_unwatched: bool,
}

/// A test that did not pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dropout {
    /// Its class, with dots.
    pub class: String,
    /// Its method.
    pub method: String,
    /// What it did.
    pub why: WhyNot,
}

/// Why a test did not pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WhyNot {
    /// It failed, and said this.
    Failed(String),
    /// It came to no end in so many seconds.
    Hung(u64),
    /// It ended the JVM.
    Ended,
    /// It asks something of the machine: what it does there. In the sandbox that may come to something else than outside, and outside
    /// it may do harm.
    Asked(String),
    /// It changes something that all tests share.
    Changed(String),
    /// Too many others took their JVM with them before it had its turn.
    NotRun,
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyNot::Failed(message) => write!(f, "it fails: {message}"),
            WhyNot::Hung(seconds) => write!(f, "it does not end within {seconds} s"),
            WhyNot::Ended => f.write_str("it ends the virtual machine"),
            WhyNot::Asked(what) => write!(f, "it {what}"),
            WhyNot::Changed(what) => write!(f, "it changes {what}"),
            WhyNot::NotRun => f.write_str("it was not run: too many others end their virtual machine"),
        }
    }
}

type Test = (String, String);

/// Compiles a suite and runs it in one order and in the opposite one. Nothing in its folder is changed.
///
/// # Errors
/// When tools are missing or fail, or when no JVM gets as far as the first test.
pub fn try_out(case: &Case, tools: &Tools) -> Result<Tried, JudgeError> {
    let mut replay = Replay::new(case, tools)?;
    if let Some(words) = replay.compile()? {
        return Ok(Tried::Refused(words));
    }
    let mut trial = Trial { replay, lost: 0, out: BTreeMap::new(), has_threads: false, is_unwatched: false };
    // Who watches what is asked of the machine can be noticed, so that is not done all the time.
    for (backwards, watched) in [(false, Watched::Machine), (true, Watched::Shared)] {
        trial.run(Way { seed: SEED, backwards, watched })?;
    }
    let dropout = |((class, method), why)| Dropout { class, method, why };
    let out = trial.out.into_iter().map(dropout).collect();
    Ok(Tried::Ran(Ran { out, has_threads: trial.has_threads, is_unwatched: trial.is_unwatched }))
}

struct Trial<'c> {
    replay: Replay<'c>,
    lost: u32,
    out: BTreeMap<Test, WhyNot>,
    has_threads: bool,
    is_unwatched: bool,
}

impl Trial<'_> {
    /// Runs what is not out yet, in as many JVMs as it takes.
    fn run(&mut self, way: Way) -> Result<(), JudgeError> {
        let mut lines = Lines::create()?;
        for (class, method) in self.out.keys() {
            lines.add(&format!("skip\t{class}\t{method}"))?;
        }
        let order = loop {
            let before = lines.len();
            let ended = self.replay.start(way, &lines)?;
            let order = report::order(&lines.text()?);
            if lines.len() == before && order.planned.is_empty() {
                let output = self.replay.last_words()?;
                return Err(JudgeError::Failed { what: "running the tests".to_owned(), output });
            }
            let has_begun = lines.len() > before;
            if let Some(test) = order.running.clone().filter(|_| has_begun) {
                self.out.insert(test, why(&ended));
            }
            self.lost += u32::from(!order.is_whole);
            if order.is_whole || !has_begun || self.lost >= self.replay.may_lose() {
                break order;
            }
        };
        self.conclude(order);
        Ok(())
    }

    fn conclude(&mut self, order: Order) {
        let mut waiting = order.planned;
        self.has_threads |= order.has_threads;
        self.is_unwatched |= order.is_unwatched;
        for (class, method, came) in order.tests {
            let test = (class, method);
            waiting.remove(&test);
            let why = match came {
                Came::Passed => continue,
                Came::Failed(message) => WhyNot::Failed(message),
                Came::Asked(what) => WhyNot::Asked(what),
                Came::Changed(what) => WhyNot::Changed(what),
            };
            self.out.insert(test, why);
        }
        for test in waiting {
            self.out.entry(test).or_insert(WhyNot::NotRun);
        }
    }
}

fn why(ended: &Ended) -> WhyNot {
    match ended {
        Ended::TimedOut(seconds) => WhyNot::Hung(*seconds),
        Ended::Well | Ended::Badly(_) => WhyNot::Ended,
    }
}
