//! Tests of whole programs and of harnesses: what goes in from outside, and what comes out.

use model::Goal;
use serde::{Deserialize, Serialize};

/// A test that starts the program.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ProgramTest {
    /// Unique in the suite, and good as the name of a folder: `test_001`.
    pub name: String,
    /// Arguments behind the name of the program; none contains a zero byte.
    pub arguments: Vec<Vec<u8>>,
    /// Standard input; `None` if it plays no part and is empty.
    pub stdin: Option<Vec<u8>>,
    /// Files that are there when the program starts, by name relative to its folder.
    pub files: Vec<(String, Vec<u8>)>,
    /// What the program asks a harness for, in the order in which it asks.
    pub values: Vec<HarnessValue>,
    /// How it ends.
    pub end: ProgramEnd,
    /// What it prints; `None` if that does not repeat itself.
    pub stdout: Option<Vec<u8>>,
    /// All goals it reaches, sorted.
    pub covers: Vec<Goal>,
    /// What the program does with it when it is built plainly.
    pub plain: Plain,
}

/// What a plain build of the program, without any instrumentation and with the real library, does with a test; of
/// several runs the one that differs most. Later ones are worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Plain {
    /// What is expected.
    Same,
    /// It ends as expected, and prints something else: only the end can be asserted.
    OutputDiffers,
    /// It ends otherwise: nothing can be asserted.
    EndDiffers,
    /// It was stopped.
    TimedOut,
    /// Nobody knows.
    NotRun(NotRun),
}

/// Why a test was not run on a plain build.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum NotRun {
    /// It asserts nothing: a finding, or a test in a format that holds inputs only.
    AssertsNothing,
    /// The program could not be built.
    NoBuild,
    /// The script that runs tests could not be started, or did not say what happened.
    NoAnswer,
    /// It ended otherwise, in a sandbox that has no `/tmp`, and the program makes temporary files.
    NoTmp,
    /// Too many tests before it were stopped.
    TooSlow,
    /// The user asked to stop.
    Interrupted,
}

impl Default for Plain {
    fn default() -> Plain {
        Plain::NotRun(NotRun::AssertsNothing)
    }
}

impl ProgramTest {
    /// It faults or hangs: not a test that passes.
    #[must_use]
    pub fn is_finding(&self) -> bool {
        matches!(self.end, ProgramEnd::Crashed | ProgramEnd::Hangs)
    }
}

/// How a program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ProgramEnd {
    /// With this status.
    Exited(i32),
    /// By `abort` or a failed assertion.
    Aborted,
    /// By a fault: a finding, not a test that passes.
    Crashed,
    /// It was stopped.
    Hangs,
}

impl Default for ProgramEnd {
    fn default() -> ProgramEnd {
        ProgramEnd::Exited(0)
    }
}

/// One answer of a harness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HarnessValue {
    /// The name it was asked for with, or that of the type.
    pub name: String,
    /// What was asked for.
    pub kind: ValueKind,
    /// The value as it lies in memory, little end first.
    pub bytes: Vec<u8>,
}

/// What a harness is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ValueKind {
    /// Memory without a type.
    Block,
    /// A truth value.
    Bool,
    /// A signed integer, as long as its bytes.
    Signed,
    /// An unsigned integer, as long as its bytes.
    Unsigned,
    /// `float` or `double`.
    Float,
}
