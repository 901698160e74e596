//! Plain C: no dependency, a process for every test.

use crate::check::{Check, Style};
use crate::{EmitJob, EmittedFile, Emitter, crashes, makefile, stubs, test_file};

/// The default emitter.
pub(crate) struct PlainC;

impl Emitter for PlainC {
    fn name(&self) -> &'static str {
        "c"
    }

    fn summary(&self) -> &'static str {
        "plain C, one process per test, no dependency"
    }

    fn emit(&self, job: &EmitJob) -> Vec<EmittedFile> {
        let checks = [include_str!("runtime/plain.h"), include_str!("runtime/plain.c")];
        suite_files(job, self, checks, "")
    }
}

/// All files of a suite: tests, the runner with the parts special to a framework, reproducers, Makefile.
pub(crate) fn suite_files(
    job: &EmitJob,
    style: &dyn Style,
    [header, source]: [&str; 2],
    libraries: &str,
) -> Vec<EmittedFile> {
    let mut files: Vec<EmittedFile> =
        job.tested_units().map(|unit| test_file::test_file(job, unit, style)).collect();
    files.push(EmittedFile::text(
        "branchwise.h",
        include_str!("runtime/common.h").replace("@CHECKS@\n", header),
    ));
    files.push(EmittedFile::text("branchwise.c", format!("{}{source}", include_str!("runtime/runner.c"))));
    files.push(EmittedFile::text("branchwise_quiet.h", include_str!("runtime/quiet.h").to_owned()));
    files.extend(makefile::missing_functions(job.program));
    files.extend(stubs::units(job));
    let crashes = crashes::reproducers(job);
    files.push(EmittedFile::text("Makefile", makefile::makefile(job, &crashes, libraries)));
    files.extend(crashes.into_iter().map(|crash| crash.file));
    files
}

impl Style for PlainC {
    fn statement(&self, check: &Check) -> String {
        match check {
            Check::Int { actual, expected, .. } => format!("CHECK_INT({actual}, {expected});"),
            Check::Float { actual, expected } => format!("CHECK_FLOAT({actual}, {expected});"),
            Check::Null(actual) => format!("CHECK_NULL({actual});"),
            Check::NotNull(actual) => format!("CHECK_NOT_NULL({actual});"),
            Check::Same { actual, expected } => format!("CHECK_POINTER({actual}, {expected});"),
        }
    }

    fn parameters(&self) -> &'static str {
        "void"
    }

    fn prologue(&self) -> Option<&'static str> {
        None
    }

    fn reserved(&self) -> &'static [&'static str] {
        &["CHECK_INT", "CHECK_FLOAT", "CHECK_NULL", "CHECK_NOT_NULL", "CHECK_POINTER"]
    }
}
