//! The independent judge: replays an emitted suite under llvm-cov and compares what that measures with what
//! `summary.json` claims.
//!
//! The suite is built plainly by its own Makefile, without any of our instrumentation, and run twice:
//!
//! 1. *Returning tests only.* Totals must agree, and the goals claimed to be reached by returning tests must be
//!    exactly those that llvm-cov counts.
//! 2. *All tests*, with an object linked in that writes the profile of dying processes. Every goal claimed to be
//!    covered must be counted. llvm-cov derives many counters by subtraction, so that an `exit` inside a
//!    condition makes it count outcomes that never happened: what it sees beyond the claims is only noted.
//!
//! Tests of a whole program are run once, one by one; which of them return shows by then, see `program.rs`. A program of
//! `branchwise cc` is built anew from its sources, by the commands it carries.
//!
//! Decisions that llvm-cov has no MC/DC records of, and rules that it does not know, are judged from its branch counts of single tests. For
//! conditions of `&` and `|`, which have no counts, the tests are built once more with copies of the sources that make it count them.
//!
//! All tests must pass. This crate knows the emitted folder and the LLVM tools; it knows no engine and no worker.

mod claims;
mod compare;
mod copies;
mod coverage;
mod expression;
mod program;
mod replay;
mod single;
mod verdict;

pub use verdict::{Difference, Kind, Note, Verdict};

use report::{Summary, VERSION};
use std::path::{Path, PathBuf};

/// The programs the judge calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tools {
    /// C compiler; must be clang.
    pub clang: String,
    /// `llvm-profdata` of the same version.
    pub profdata: String,
    /// `llvm-cov` of the same version.
    pub cov: String,
    /// GNU make.
    pub make: String,
    /// A binary that runs longer than this hangs.
    pub seconds: u64,
}

impl Default for Tools {
    fn default() -> Self {
        Tools {
            clang: "clang-19".into(),
            profdata: "llvm-profdata-19".into(),
            cov: "llvm-cov-19".into(),
            make: "make".into(),
            seconds: 600,
        }
    }
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The folder has no readable summary.
    #[error("cannot read {}: {source}", path.display())]
    NoSummary {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The summary is not what we write.
    #[error("{} is not a summary: {source}", path.display())]
    BadSummary {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The summary comes from another version.
    #[error("{} has version {found}, this program reads version {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// A program could not be started.
    #[error("cannot run {program}: {source}")]
    Tool {
        /// The program.
        program: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A program failed.
    #[error("{what} failed:\n{output}")]
    Failed {
        /// What was tried.
        what: String,
        /// What the program printed.
        output: String,
    },
    /// The build left no binary for a unit with tests.
    #[error("the build made no {}", path.display())]
    NoBinary {
        /// The missing file.
        path: PathBuf,
    },
    /// The suite of a program is of another format.
    #[error("{} has no run.sh: of a program's suites only those of the format `program` can be checked", dir.display())]
    NoScript {
        /// The folder.
        dir: PathBuf,
    },
    /// A test binary did not end.
    #[error("{} did not end within {seconds} s", path.display())]
    Hangs {
        /// The binary.
        path: PathBuf,
        /// The limit.
        seconds: u64,
    },
    /// The scratch folder could not be used.
    #[error("scratch folder: {0}")]
    Scratch(#[from] std::io::Error),
    /// llvm-cov printed something else than expected.
    #[error("llvm-cov export: {0}")]
    Export(#[from] serde_json::Error),
}

/// Replays the suite in `dir` and compares. Nothing in `dir` is changed.
///
/// # Errors
/// When the suite cannot be read, built, run or measured; a suite that disagrees with its claims is no error.
pub fn check(dir: &Path, tools: &Tools) -> Result<Verdict, JudgeError> {
    let summary = read_summary(dir)?;
    if summary.program.is_some() {
        let replayed = program::replay(dir, tools)?;
        let claims = claims::Claims::of_program(dir, &summary, &replayed.dying);
        return Ok(compare::verdict(&claims, &replayed.returning, &replayed.all));
    }
    let replay = replay::Replay::build(dir, tools, &summary)?;
    let returning = replay.measure(&["--no-death"])?;
    let all = replay.measure(&[])?;
    let claims = claims::Claims::new(dir, &summary);
    let mut verdict = compare::verdict(&claims, &returning, &all);
    let copies = copies::Copies::of(&claims);
    let copied = match copies.is_empty() {
        true => None,
        // A copy that cannot be built judges nothing.
        false => replay::Replay::build_copied(dir, tools, &summary, &copies).ok(),
    };
    for function in &summary.functions {
        let tests = single::tests(&claims, function);
        let stem =
            summary.units.iter().find(|unit| unit.path == function.file).map(|unit| unit.stem.as_str());
        if let Some(stem) = stem.filter(|_| !tests.is_empty()) {
            let measure = |replay: &replay::Replay| -> Result<single::Singles, JudgeError> {
                let one = |name: &&str| Ok(((*name).to_owned(), replay.measure_alone(stem, name)?));
                tests.iter().map(one).collect()
            };
            let (plain, bitwise) = single::kinds(&claims, function);
            let singles = if plain { measure(&replay)? } else { single::Singles::new() };
            let copied = copied.as_ref().filter(|_| bitwise).map(measure).transpose()?;
            let copied = copied.as_ref().map(|singles| (&copies, singles));
            verdict.single_tests(&claims, function, &singles, copied);
        }
    }
    Ok(verdict)
}

/// Lets the Makefile of a program's suite in `dir` build the program into `out`, as for its user: without any
/// instrumentation. Gives the path of the program.
///
/// # Errors
/// When it cannot be built.
pub fn build_plainly(dir: &Path, tools: &Tools, out: &Path) -> Result<PathBuf, JudgeError> {
    replay::make(dir, tools, out, &[])?;
    Ok(out.join("program"))
}

/// Reads `summary.json` of an output folder.
///
/// # Errors
/// When it is missing, damaged or of another version.
pub fn read_summary(dir: &Path) -> Result<Summary, JudgeError> {
    let path = dir.join("summary.json");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(JudgeError::NoSummary { path, source }),
    };
    // The version first: the other fields of another version may not even parse.
    let parsed = serde_json::from_str::<serde_json::Value>(&text);
    match parsed.as_ref().ok().and_then(|value| value.get("version")?.as_u64()) {
        Some(found) if found != u64::from(VERSION) => Err(JudgeError::Version { path, found }),
        _ => serde_json::from_str(&text).map_err(|source| JudgeError::BadSummary { path, source }),
    }
}
