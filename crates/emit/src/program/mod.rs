//! Suites of whole programs and of harnesses.
//!
//! A [`ProgramEmitter`] turns [`ProgramTest`]s, and how the program is built, into files. As in the rest of the crate
//! nothing is read, written or run here. Formats, a file each:
//!
//! - `folder`: a folder a test with what goes in and what comes out, a shell script that runs them, a Makefile;
//! - `testcomp`: the exchange format of the Test-Comp competition;
//! - `ktest`: the binary tests of KLEE.

mod folder;
mod harness;
mod ktest;
mod makefile;
mod testcomp;
mod values;

use crate::{EmittedFile, Unit};
use suite::ProgramTest;

/// A format for suites of whole programs.
pub trait ProgramEmitter {
    /// The word that chooses it on the command line.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn summary(&self) -> &'static str;

    /// Folders that belong to the suite alone. Whoever writes it over another one removes them first: tests of yesterday
    /// would run beside those of today.
    fn folders(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether tests say what comes out. Otherwise they hold inputs only, and none can be wrong.
    fn asserts(&self) -> bool {
        false
    }

    /// The files of the suite.
    ///
    /// # Errors
    /// When the format has no words for what the tests supply.
    fn emit(&self, suite: &ProgramSuite) -> Result<Vec<EmittedFile>, Unfit>;
}

/// All formats, the default first.
#[must_use]
pub fn formats() -> &'static [&'static dyn ProgramEmitter] {
    &[&folder::Folder, &testcomp::TestComp, &ktest::KTest]
}

/// What is to be written.
#[derive(Clone, Debug, Default)]
pub struct ProgramSuite {
    /// Tests and findings; names are unique.
    pub tests: Vec<ProgramTest>,
    /// How the program comes about.
    pub build: ProgramBuild,
    /// Name and version of who wrote the tests, for formats that ask.
    pub producer: String,
}

/// How the program under test comes about.
#[derive(Clone, Debug, Default)]
pub struct ProgramBuild {
    /// Its C files with their flags. For a program of `branchwise cc` they come from the records it carries.
    pub units: Vec<Unit>,
    /// What to link beside the units, in this order.
    pub link_flags: Vec<String>,
    /// Absolute path of a program that is built already. Tests then run that one, unless it is a harness: it lacks the
    /// answers.
    pub built: Option<String>,
    /// Where its input comes from.
    pub kind: ProgramKind,
}

/// Where the input of a program comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProgramKind {
    /// From outside: arguments, standard input, files.
    #[default]
    Program,
    /// Its `main` asks for values by calls, see `c-frontend/program/harness.c`; it may read input beside.
    Harness,
    /// It has no `main`, but `LLVMFuzzerTestOneInput`; the bytes for it are the first value of a test.
    Fuzzer,
}

/// A format cannot hold these tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit {
    /// Name of the format.
    pub format: &'static str,
    /// The test that does not fit.
    pub test: String,
    /// Why not, in words.
    pub why: &'static str,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} cannot be written as {}: {}", self.test, self.format, self.why)
    }
}

impl std::error::Error for Unfit {}

impl ProgramSuite {
    /// Tests that pass.
    fn passing(&self) -> impl Iterator<Item = &ProgramTest> {
        self.tests.iter().filter(|test| !test.is_finding())
    }

    /// Inputs on which the program faults or hangs.
    fn findings(&self) -> impl Iterator<Item = &ProgramTest> {
        self.tests.iter().filter(|test| test.is_finding())
    }
}
