//! The default format: a folder for every test, plain enough to be read and edited by hand.
//!
//! ```text
//! run.sh                          runs the tests and compares; its head explains the files of a test
//! Makefile                        builds the program from its sources, then run.sh
//! tests/test_001/args             an argument a line, `\n`, `\\` and `\0ooo` for bytes that do not fit
//!                stdin            as it is
//!                files/NAME       as they are
//!                values           what a harness is asked for, see `values.rs`
//!                expected_stdout  as it is; not there if it is not the same every time
//!                expected_status  a number, or abort
//! crashes/crash_1/…               findings: the same, expected_status is crash or hang
//! harness/                        for harnesses: the library that answers from `values`, and its headers
//! ```

use super::makefile::makefile;
use super::{ProgramEmitter, ProgramKind, ProgramSuite, Unfit, harness, values};
use crate::EmittedFile;
use std::fmt::Write as _;
use suite::{ProgramEnd, ProgramTest};

/// The default emitter.
pub(super) struct Folder;

impl ProgramEmitter for Folder {
    fn name(&self) -> &'static str {
        "program"
    }

    fn summary(&self) -> &'static str {
        "a folder per test, a shell script and a Makefile that run them"
    }

    fn folders(&self) -> &'static [&'static str] {
        &["tests", "crashes", "harness"]
    }

    fn asserts(&self) -> bool {
        true
    }

    fn emit(&self, suite: &ProgramSuite) -> Result<Vec<EmittedFile>, Unfit> {
        let mut files = vec![
            EmittedFile::text("run.sh", include_str!("../runtime/program/run.sh")),
            EmittedFile::text("Makefile", makefile(&suite.build, suite.findings().next().is_some())),
        ];
        if suite.build.kind != ProgramKind::Program {
            files.extend(harness::files(suite.build.kind));
        }
        for test in suite.passing() {
            files.extend(test_files(&format!("tests/{}", test.name), test));
        }
        for test in suite.findings() {
            files.extend(test_files(&format!("crashes/{}", test.name), test));
        }
        Ok(files)
    }
}

fn test_files(folder: &str, test: &ProgramTest) -> Vec<EmittedFile> {
    let bytes = |name: &str, contents: &[u8]| EmittedFile {
        path: format!("{folder}/{name}"),
        contents: contents.to_vec(),
    };
    let mut files = Vec::new();
    if !test.arguments.is_empty() {
        files.push(bytes("args", argument_lines(&test.arguments).as_bytes()));
    }
    files.extend(test.stdin.as_ref().map(|stdin| bytes("stdin", stdin)));
    files.extend(test.files.iter().map(|(name, contents)| bytes(&format!("files/{name}"), contents)));
    if !test.values.is_empty() {
        files.push(bytes("values", values::text(&test.values).as_bytes()));
    }
    files.push(bytes("expected_status", format!("{}\n", status(test.end)).as_bytes()));
    if !test.is_finding() {
        files.extend(test.stdout.as_ref().map(|stdout| bytes("expected_stdout", stdout)));
    }
    files
}

/// One line for every argument, as the `%b` of printf reads it.
fn argument_lines(arguments: &[Vec<u8>]) -> String {
    let mut text = String::new();
    for argument in arguments {
        for &byte in argument {
            match byte {
                b'\\' => text.push_str(r"\\"),
                b'\n' => text.push_str(r"\n"),
                b'\t' => text.push_str(r"\t"),
                b' '..=b'~' => text.push(byte as char),
                _ => _ = write!(text, "\\0{byte:03o}"),
            }
        }
        text.push('\n');
    }
    text
}

/// What `expected_status` says; of an exit status the system keeps eight bits.
fn status(end: ProgramEnd) -> String {
    match end {
        ProgramEnd::Exited(status) => (status & 0xff).to_string(),
        ProgramEnd::Aborted => "abort".to_owned(),
        ProgramEnd::Crashed => "crash".to_owned(),
        ProgramEnd::Hangs => "hang".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_lines() {
        let arguments = [b"-n".to_vec(), Vec::new(), b"a b\\c\n".to_vec(), vec![0xff, b'1']];
        assert_eq!(argument_lines(&arguments), "-n\n\na b\\\\c\\n\n\\03771\n");
    }

    #[test]
    fn a_status_is_a_byte() {
        assert_eq!(status(ProgramEnd::Exited(-1)), "255");
        assert_eq!(status(ProgramEnd::Exited(256)), "0");
    }
}
