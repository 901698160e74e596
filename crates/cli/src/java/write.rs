//! A suite is written only as far as the compiler takes it, and its tests pass on the classes as they are.
//!
//! The search runs classes with hooks, in machines that put back what runs change. Whoever runs the tests has neither, so they are tried
//! without before they are given away.

use super::suites::Suites;
use super::{compile, jdk, places, plural};
use crate::args::GenArgs;
use crate::failure::Failure;
use crate::output::Folder;
use java_emit::{Emission, JavaEmitter, JavaJob};
use java_judge::{Case, Tools, Tried, WhyNot};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A test that takes longer hangs, in seconds: the search waits for a tenth of that.
const SILENCE: u64 = 20;
/// So does a machine that runs tests for longer.
const SECONDS: u64 = 600;
/// How often what is left is tried again after something was left out.
const ROUNDS: u32 = 4;
/// Tests that are told of one by one.
const TOLD: usize = 5;

/// A test that does not pass on the classes as they are.
pub(crate) struct Dropped {
    /// Its number among the confirmed ones.
    pub(crate) number: usize,
    /// What it does instead.
    pub(crate) why: WhyNot,
}

/// What came of writing.
pub(crate) struct Suite {
    pub(crate) emission: Emission,
    pub(crate) dropped: Vec<Dropped>,
    /// Its tests start threads, so that more happens than the search has seen.
    pub(crate) has_threads: bool,
    /// Nobody looked at what its tests ask of the machine.
    pub(crate) is_unwatched: bool,
}

/// Writes the suites, without tests that the compiler refuses or that do not pass.
pub(crate) fn write(
    emitter: &dyn JavaEmitter,
    suites: &mut Suites,
    asserts: bool,
    class_path: &[PathBuf],
    scratch: &Path,
    args: &GenArgs,
    out: &Folder,
) -> Result<Suite, Failure> {
    let (mut dropped, mut has_threads, mut is_unwatched) = (Vec::new(), false, false);
    let mut round = 0;
    let folder = args.out.canonicalize().map_err(|e| Failure::file(&args.out, &e))?;
    let named = args.sources.paths.iter().chain(&args.classpath);
    let written_path = places::from_suite(class_path, &folder, named);
    loop {
        let emission = emitter.emit(&JavaJob {
            suites: &suites.list,
            facts: &suites.facts,
            asserts,
            class_path: written_path.clone(),
            sources: None,
        });
        remove_old_tests(&args.out);
        for file in &emission.files {
            out.put_executable(&file.path, file.contents.as_bytes(), file.executable)?;
        }
        if emission.tests.is_empty() || round == ROUNDS {
            return Ok(Suite { emission, dropped, has_threads, is_unwatched });
        }
        match tried(&args.out, class_path, scratch)? {
            None => return Ok(Suite { emission, dropped, has_threads, is_unwatched }),
            Some(Tried::Refused(words)) => {
                let refused = compile::refused(&words, &emission, suites);
                if !args.quiet {
                    let count = plural(refused.len(), "test");
                    eprintln!("branchwise: left out, since they do not compile: {count}");
                }
                suites.leave_out(&refused);
            }
            Some(Tried::Ran(ran)) => {
                round += 1;
                has_threads |= ran.has_threads;
                is_unwatched |= ran.is_unwatched;
                let failing = failing(&emission, ran.out);
                if failing.is_empty() {
                    return Ok(Suite { emission, dropped, has_threads, is_unwatched });
                }
                tell(&emission, &failing, args.quiet);
                dropped.extend(failing.iter().map(|(&(suite, test), why)| Dropped {
                    number: suites.number(suite, test),
                    why: why.clone(),
                }));
                suites.leave_out(&failing.into_keys().collect());
            }
        }
    }
}

/// Tries the suite that was written, in the sandbox of the search. `None` if that cannot be done here.
fn tried(out: &Path, class_path: &[PathBuf], scratch: &Path) -> Result<Option<Tried>, Failure> {
    let suite = out.canonicalize().map_err(|e| Failure::file(out, &e))?;
    let case = Case { suite, class_path: class_path.to_vec(), ..Case::default() };
    let tools = Tools { silence: SILENCE, seconds: SECONDS, ..jdk::confined_tools(class_path, scratch)? };
    match java_judge::try_out(&case, &tools) {
        Ok(tried) => Ok(Some(tried)),
        Err(error) => {
            eprintln!("branchwise: the tests were not tried before they were written: {error}");
            Ok(None)
        }
    }
}

/// By suite and number, the tests that did not pass.
fn failing(emission: &Emission, out: Vec<java_judge::Dropout>) -> BTreeMap<(usize, usize), WhyNot> {
    let of = |out: java_judge::Dropout| {
        let test = emission.tests.iter().find(|test| test.class == out.class && test.method == out.method)?;
        Some(((test.suite, test.test), out.why))
    };
    out.into_iter().filter_map(of).collect()
}

fn tell(emission: &Emission, failing: &BTreeMap<(usize, usize), WhyNot>, quiet: bool) {
    if quiet {
        return;
    }
    let count = plural(failing.len(), "test");
    eprintln!("branchwise: left out, since they do not pass on the classes as they are: {count}");
    for (&(suite, test), why) in failing.iter().take(TOLD) {
        let is_it = |emitted: &&java_emit::EmittedTest| (emitted.suite, emitted.test) == (suite, test);
        let Some(test) = emission.tests.iter().find(is_it) else { continue };
        let why = why.to_string();
        eprintln!("  {}.{}: {}", test.class, test.method, why.lines().next().unwrap_or_default());
    }
    if failing.len() > TOLD {
        eprintln!("  … and {} more, see report.html", failing.len() - TOLD);
    }
}

/// Tests of an earlier suite would run beside those of this one.
fn remove_old_tests(out: &Path) {
    let _ = std::fs::remove_dir_all(out.join("src"));
}

/// By function: what became of its tests that were dropped, in words.
pub(crate) fn words<K: Ord>(
    dropped: &[Dropped],
    function: impl Fn(usize) -> K,
) -> BTreeMap<K, BTreeSet<String>> {
    let mut words: BTreeMap<K, BTreeSet<String>> = BTreeMap::new();
    for test in dropped {
        let text = format!("a test was left out on the classes as they are, since {}", test.why);
        words.entry(function(test.number)).or_default().insert(text);
    }
    words
}
