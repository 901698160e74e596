//! CMocka: the same tests with its assertions and its runner.
//!
//! CMocka runs a group of tests in one process; static variables of the code under test would carry what one
//! test left behind into the next. So every test is a group of its own, in a process of its own.

use crate::check::{Check, Style};
use crate::plain::suite_files;
use crate::{EmitJob, EmittedFile, Emitter};

/// The emitter for CMocka.
pub(crate) struct CMocka;

impl Emitter for CMocka {
    fn name(&self) -> &'static str {
        "cmocka"
    }

    fn summary(&self) -> &'static str {
        "CMocka tests, linked with -lcmocka"
    }

    fn emit(&self, job: &EmitJob) -> Vec<EmittedFile> {
        let glue = [include_str!("runtime/cmocka.h"), include_str!("runtime/cmocka.c")];
        suite_files(job, self, glue, "-lcmocka ")
    }
}

impl Style for CMocka {
    fn statement(&self, check: &Check) -> String {
        match check {
            // assert_int_equal looks at 64 bits only.
            Check::Int { actual, expected, wide: true } => format!("assert_true({actual} == {expected});"),
            Check::Int { actual, expected, .. } => format!("assert_int_equal({actual}, {expected});"),
            Check::Float { actual, expected } => format!("assert_same_float({actual}, {expected});"),
            Check::Null(actual) => format!("assert_null({actual});"),
            Check::NotNull(actual) => format!("assert_non_null({actual});"),
            Check::Same { actual, expected } => format!("assert_ptr_equal({actual}, {expected});"),
        }
    }

    fn parameters(&self) -> &'static str {
        "void **state"
    }

    fn prologue(&self) -> Option<&'static str> {
        Some("(void)state;")
    }

    fn reserved(&self) -> &'static [&'static str] {
        &[
            "state",
            "fail",
            "fail_msg",
            "skip",
            "mock",
            "will_return",
            "check_expected",
            "function_called",
            "assert_true",
            "assert_int_equal",
            "assert_same_float",
            "assert_null",
            "assert_non_null",
            "assert_ptr_equal",
        ]
    }
}
