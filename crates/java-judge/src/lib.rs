//! The independent judge of Java tests: runs a suite plainly, lets JaCoCo count, and compares that with what is claimed.
//!
//! ```text
//! suite/**/*.java ──javac──► classes ──java, JaCoCo's agent──► one file per order ──JaCoCo──► counts per line ─┐
//!                                      a new JVM per order  ──► who passed, who failed                         ├─► Verdict
//! claims: branches covered and in all, per method and line ────────────────────────────────────────────────────┘
//! ```
//!
//! The tests run several times, each time in a new JVM and in another order, so that tests that need each other are found out. This crate
//! knows sources, class files and tools; it shares nothing with what made the tests or the claims.
//!
//! [`try_out`] is for whoever writes a suite: it runs the tests without measuring and says which of them do not belong there.

mod compare;
mod lines;
mod process;
mod replay;
mod report;
mod tools;
mod trial;
mod verdict;

pub use tools::{OWN_FOLDER, Tools};
pub use trial::{Dropout, Ran, Tried, WhyNot, try_out};
pub use verdict::{Count, Difference, Failure, Kind, Problem, Totals, Unread, Verdict};

use std::path::PathBuf;

/// What is to be judged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Case {
    /// The folder with the suite. Its sources are below `src/test/java`, or else anywhere in it but in `crashes`, in folders as their
    /// packages say.
    pub suite: PathBuf,
    /// Where the classes under test and their libraries are: folders and jars.
    pub class_path: Vec<PathBuf>,
    /// The classes to be measured, by internal name, nested ones too.
    pub classes: Vec<String>,
    /// What is claimed of their methods. A method without branches needs no claim.
    pub claims: Vec<MethodClaim>,
    /// More may be covered than is claimed: tests start threads, and nobody could tell what those do.
    pub in_part: bool,
}

/// What is claimed of a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MethodClaim {
    /// Its class, by internal name.
    pub class: String,
    /// Its name, `<init>` for a constructor.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its lines with branches, each once.
    pub lines: Vec<LineClaim>,
}

/// What is claimed of the branches of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineClaim {
    /// The line.
    pub line: u32,
    /// How many the suite takes.
    pub covered: u32,
    /// How many there are.
    pub total: u32,
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// A library is not installed.
    #[error("there is no {}: install {package}", path.display())]
    MissingJar {
        /// The jar.
        path: PathBuf,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// A program could not be started.
    #[error("cannot run {program}: {source}")]
    Tool {
        /// The program.
        program: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A program of ours failed.
    #[error("{what} failed:\n{output}")]
    Failed {
        /// What was tried.
        what: String,
        /// What was printed.
        output: String,
    },
    /// A folder could not be used.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The scratch folder could not be used.
    #[error("scratch folder: {0}")]
    Scratch(#[from] std::io::Error),
}

/// Runs a suite and compares. Nothing in its folder is changed.
///
/// # Errors
/// When tools are missing or fail; a suite that does not compile, fails or disagrees with its claims is no error.
pub fn judge(case: &Case, tools: &Tools) -> Result<Verdict, JudgeError> {
    let mut replay = replay::Replay::measuring(case, tools)?;
    let mut verdict = Verdict::default();
    if let Some(output) = replay.compile()? {
        verdict.problems.push(Problem::DoesNotCompile { output });
        return Ok(verdict);
    }
    let has_tests = replay.has_tests();
    let mut orders = Vec::new();
    for seed in tools.seeds.iter().filter(|_| has_tests) {
        let (order, problem) = replay.run(*seed)?;
        verdict.problems.extend(problem);
        orders.push((*seed, order));
    }
    let measured = replay.measure()?;
    (verdict.passed, verdict.failures) = compare::outcomes(&orders);
    verdict.differences = compare::differences(&case.claims, &measured, case.in_part);
    verdict.totals = compare::totals(&measured);
    verdict.unread = measured.unread;
    Ok(verdict)
}
