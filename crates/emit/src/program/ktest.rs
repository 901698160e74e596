//! The binary tests of KLEE, version 3 of its format: a file `test_001.ktest` each, with named objects and their bytes.
//!
//! ```text
//! "KTEST" │ 3 │ count, arguments │ symbolic arguments │ their length │ count, objects (name, bytes)
//! ```
//!
//! Numbers have four bytes, the big end first; every text and every block comes behind its length. Objects are what the
//! harness asks for, in order; `klee-replay` and `libkleeRuntest` hand them out by their order. For a whole program
//! they have the names of KLEE's model of the system: `arg00`, `A-data` for the first file, `stdin`; the arguments
//! then say how large each is. What that model knows beside the contents of a file (`A-data-stat`) is not there.

use super::{ProgramEmitter, ProgramSuite, Unfit};
use crate::EmittedFile;
use suite::ProgramTest;

/// The emitter for KLEE's tests.
pub(super) struct KTest;

const VERSION: u32 = 3;

impl ProgramEmitter for KTest {
    fn name(&self) -> &'static str {
        "ktest"
    }

    fn summary(&self) -> &'static str {
        "a .ktest file per test, as KLEE writes them"
    }

    fn emit(&self, suite: &ProgramSuite) -> Result<Vec<EmittedFile>, Unfit> {
        let file =
            |test: &ProgramTest| EmittedFile { path: format!("{}.ktest", test.name), contents: ktest(test) };
        Ok(suite.tests.iter().map(file).collect())
    }
}

fn ktest(test: &ProgramTest) -> Vec<u8> {
    let (arguments, objects) = contents(test);
    let mut out = Writer(b"KTEST".to_vec());
    out.number(VERSION as usize);
    out.number(arguments.len());
    arguments.iter().for_each(|argument| out.block(argument.as_bytes()));
    // Both belong to a way of giving arguments that KLEE itself left long ago.
    out.number(0);
    out.number(0);
    out.number(objects.len());
    for (name, bytes) in &objects {
        out.block(name.as_bytes());
        out.block(bytes);
    }
    out.0
}

/// The options that describe the input, and the objects.
fn contents(test: &ProgramTest) -> (Vec<String>, Vec<(String, Vec<u8>)>) {
    let mut options = vec!["program".to_owned()];
    let mut objects = Vec::new();
    for (i, argument) in test.arguments.iter().enumerate() {
        options.extend(["--sym-arg".to_owned(), argument.len().to_string()]);
        objects.push((format!("arg{i:02}"), [argument.as_slice(), b"\0"].concat()));
    }
    if let Some(longest) = test.files.iter().map(|(_, bytes)| bytes.len()).max() {
        options.extend(["--sym-files".to_owned(), test.files.len().to_string(), longest.to_string()]);
    }
    for (letter, (_, bytes)) in ('A'..='Z').zip(&test.files) {
        objects.push((format!("{letter}-data"), bytes.clone()));
    }
    if let Some(stdin) = &test.stdin {
        options.extend(["--sym-stdin".to_owned(), stdin.len().to_string()]);
        objects.push(("stdin".to_owned(), stdin.clone()));
    }
    objects.extend(test.values.iter().map(|value| (value.name.clone(), value.bytes.clone())));
    (options, objects)
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: usize) {
        self.0.extend((number as u32).to_be_bytes());
    }

    fn block(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.extend(bytes);
    }
}
