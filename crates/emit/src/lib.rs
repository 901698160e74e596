//! Test suites as source text.
//!
//! An [`Emitter`] turns what a campaign found into files: tests, a Makefile that builds and runs them, and a
//! reproducer for every fault. All of it is a pure function of data; nothing here reads, writes or runs.
//!
//! A test file includes the source under test, so that static functions and variables are in reach:
//!
//! ```c
//! #include "/home/me/triangle.c"
//! #include "branchwise.h"
//!
//! /* line 14 true: a == b; also line 17 false */
//! static void test_triangle_line_14_true(void)
//! {
//!     int result = triangle(2, 2, 3);
//!
//!     CHECK_INT(result, ISOSCELES);
//! }
//! ```

mod body;
mod check;
mod cmocka;
mod comment;
mod complete;
mod crashes;
mod ctype;
mod flags;
mod init;
mod literal;
mod makefile;
mod names;
mod plain;
pub mod program;
mod scene;
mod stubs;
mod test_file;
mod variadic;

pub use ctype::declare;
pub use literal::{Exactness, scalar};
pub use names::unique_stems;
pub use stubs::with_needed_stubs;

use model::{FunctionId, Program};
use suite::FunctionResult;

/// A format for test suites.
pub trait Emitter {
    /// The word that chooses it on the command line.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn summary(&self) -> &'static str;

    /// The files of the suite.
    fn emit(&self, job: &EmitJob) -> Vec<EmittedFile>;
}

/// All emitters, the default first.
#[must_use]
pub fn all() -> &'static [&'static dyn Emitter] {
    &[&plain::PlainC, &cmocka::CMocka]
}

/// What is to be written.
#[derive(Clone, Debug)]
pub struct EmitJob<'a> {
    /// The program under test.
    pub program: &'a Program,
    /// What was found out about its functions.
    pub results: &'a [FunctionResult],
    /// The translation units of the program.
    pub units: Vec<Unit>,
}

/// A translation unit and how it is compiled.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Index of its main file in [`Program::files`].
    pub file: u32,
    /// Absolute path of that file.
    pub path: String,
    /// Name for its test file, see [`unique_stems`]: ASCII letters, digits and `_`, unique in the job.
    pub stem: String,
    /// Compile flags as the user gave them, without `-c`, `-o` and `-O`.
    pub flags: Vec<String>,
    /// Absolute path of the folder in which the flags hold; empty if it does not matter.
    pub directory: String,
    /// Text of the file, if at hand: tests quote the conditions they are for.
    pub source: Option<String>,
}

/// A file to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmittedFile {
    /// Path relative to the output folder.
    pub path: String,
    /// What is in it: text, but for what a program reads or prints.
    pub contents: Vec<u8>,
}

impl EmittedFile {
    /// A file of text.
    pub(crate) fn text(path: impl Into<String>, contents: impl Into<String>) -> EmittedFile {
        EmittedFile { path: path.into(), contents: contents.into().into_bytes() }
    }
}

impl EmitJob<'_> {
    /// The results for the functions that a unit defines.
    fn results_of<'j>(&'j self, unit: &'j Unit) -> impl Iterator<Item = &'j FunctionResult> + 'j {
        self.results.iter().filter(|r| self.file_of(r.function) == unit.file)
    }

    fn file_of(&self, function: FunctionId) -> u32 {
        self.program.function(function).span.file
    }

    /// The units that get a test file.
    fn tested_units(&self) -> impl Iterator<Item = &Unit> {
        self.units
            .iter()
            .filter(|unit| self.results_of(unit).any(|r| r.space.is_some() && !r.tests.is_empty()))
    }
}
