//! Tests of Java code as JUnit sources that people like to read.
//!
//! A [`JavaEmitter`] turns tests as data into files: one test class per class under test in the same package, build files for Maven and
//! Gradle, and a script that needs neither. All of it is a pure function; nothing here reads, writes or runs.
//!
//! ```java
//! // line 24: getTemperature() > 80, true
//! @Test
//! void warning_returnsTrue() {
//!     TemperatureMonitor monitor = new TemperatureMonitor();
//!     monitor.setEnabled(true);
//!     monitor.updateTemperature(81);
//!
//!     boolean result = monitor.warning();
//!
//!     assertTrue(result);
//!     assertEquals(81, monitor.getTemperature());
//! }
//! ```

mod arguments;
mod assertion;
mod body;
mod call;
mod check;
mod facts;
mod imports;
mod layout;
mod literal;
mod names;
mod overloads;
mod own_files;
mod project;
mod reproducer;
mod stub;
mod substitution;
mod test_class;
mod thrown;
mod told;

pub use facts::{Facts, named};
pub use reproducer::{Reproducer, reproducer, reproducer_script};
pub use told::{Told, told};

use java_wire::message::{End, Seen};
use java_wire::{Script, Value};

/// A format for suites of Java tests.
pub trait JavaEmitter {
    /// The word that chooses it on the command line.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn summary(&self) -> &'static str;

    /// The files of the suite.
    fn emit(&self, job: &JavaJob<'_>) -> Emission;
}

/// All emitters, the default first.
#[must_use]
pub fn all() -> &'static [&'static dyn JavaEmitter] {
    &[&test_class::JUnit5, &test_class::JUnit4]
}

/// What is to be written.
#[derive(Clone, Debug)]
pub struct JavaJob<'a> {
    /// The tests, a suite per class under test.
    pub suites: &'a [JavaSuite],
    /// What is known of the classes that they name.
    pub facts: &'a Facts,
    /// Whether tests say what they expect; otherwise there is a place for that. Exceptions are expected either way: a test that throws fails.
    pub asserts: bool,
    /// Where the classes under test and their libraries are: folders and jars, absolute or from the folder of the suite on.
    pub class_path: Vec<String>,
    /// Root folder of the sources under test, if there is one: the Maven and Gradle projects compile them.
    pub sources: Option<String>,
}

/// The tests of one class.
#[derive(Clone, Debug)]
pub struct JavaSuite {
    /// The package of the tests, with dots; empty for the unnamed one.
    pub package: String,
    /// The class, by internal name.
    pub class_under_test: String,
    /// Its tests. They name only what is accessible from the package.
    pub tests: Vec<JavaTest>,
}

/// A test and what is expected of it.
#[derive(Clone, Debug)]
pub struct JavaTest {
    /// Its name; without one it is called after what it calls and what comes of it.
    pub name: Option<String>,
    /// Its calls.
    pub script: Script,
    /// Values for the slots of the script.
    pub values: Vec<Value>,
    /// How it ends.
    pub end: End,
    /// What each step gives that comes to an end.
    pub results: Vec<Seen>,
    /// What each observer sees.
    pub observed: Vec<Seen>,
    /// What it is for, a line each: `line 12: enabled && temperature > 80, true`.
    pub comment: Vec<String>,
}

/// What came of a job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Emission {
    /// The files, by path.
    pub files: Vec<EmittedFile>,
    /// The tests that were written.
    pub tests: Vec<EmittedTest>,
    /// The tests that were not.
    pub left_out: Vec<LeftOut>,
}

/// A file to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmittedFile {
    /// Path relative to the output folder.
    pub path: String,
    /// What is in it.
    pub contents: String,
    /// Whether it is a script.
    pub executable: bool,
}

/// Where a test went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmittedTest {
    /// The suite, by position.
    pub suite: usize,
    /// The test in its suite, by position.
    pub test: usize,
    /// The test class, with dots.
    pub class: String,
    /// Its method.
    pub method: String,
}

/// A test that is not written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The suite, by position.
    pub suite: usize,
    /// The test in its suite, by position.
    pub test: usize,
    /// Why.
    pub reason: Reason,
}

/// Why there is no source for a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It does not end by itself.
    OutOfTicks,
    /// It would end the machine that runs it.
    Exits,
    /// It cannot be run.
    Unusable,
    /// It has no steps, or names steps and values that it does not have.
    Malformed,
    /// Its texts or arrays are longer than compilers allow.
    TooLarge,
    /// It needs an implementation of a class of which nothing is known.
    UnknownStub,
}
