//! Tests of a whole program are tried on a plain build before they are written: what it does otherwise is not asserted.

use crate::failure::Failure;
use crate::output;
use c_backend::PlainProgram;
use emit::program::{ProgramKind, ProgramSuite, formats};
use model::Goal;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use suite::{FunctionResult, GoalState, NotRun, Plain, ProgramTest, Reason};

/// Runs all tests of the suite on the plain program: those that print something else assert their end only from then
/// on. `work` is a folder of ours; `worker` has the sandbox.
pub(crate) fn try_plainly(
    suite: &mut ProgramSuite,
    work: &Path,
    worker: &Path,
    interrupt: &AtomicBool,
) -> Result<(), Failure> {
    let folder = |name: &str| output::Folder::create(&work.join("plain").join(name));
    let (written, scratch) = (folder("suite")?, folder("scratch")?);
    // The other formats have no way to run a test.
    written.put_suite(formats()[0], suite)?;
    // Who interrupts does not want to wait for a compiler.
    let program = match interrupt.load(Ordering::Relaxed) {
        true => Err(NotRun::Interrupted),
        false => plain_program(suite, written.path(), folder("build")?.path()).ok_or(NotRun::NoBuild),
    };
    let mut passing: Vec<&mut ProgramTest> = suite.tests.iter_mut().filter(|t| !t.is_finding()).collect();
    let names: Vec<&str> = passing.iter().map(|test| test.name.as_str()).collect();
    let results = match &program {
        Err(why) => vec![Plain::NotRun(*why); names.len()],
        Ok(program) => PlainProgram { worker, program, suite: written.path(), scratch: scratch.path() }
            .try_all(&names, interrupt),
    };
    passing.iter_mut().zip(results).for_each(|(test, plain)| settle(test, plain));
    Ok(())
}

/// The program as the suite's Makefile has it: the one that is there, or built from its sources.
fn plain_program(suite: &ProgramSuite, dir: &Path, out: &Path) -> Option<PathBuf> {
    match &suite.build.built {
        Some(path) if suite.build.kind == ProgramKind::Program => Some(path.into()),
        _ => judge::build_plainly(dir, &judge::Tools::default(), out).ok(),
    }
}

/// What is known not to repeat itself differs, whatever one run prints.
fn settle(test: &mut ProgramTest, plain: Plain) {
    test.plain = match plain {
        Plain::Same if test.stdout.is_none() => Plain::OutputDiffers,
        plain => plain,
    };
    if test.plain == Plain::OutputDiffers {
        test.stdout = None;
    }
}

/// Takes out the tests that must not be written.
pub(crate) fn leave_out(tests: &mut Vec<ProgramTest>) -> Vec<ProgramTest> {
    tests.extract_if(.., |test| matches!(test.plain, Plain::EndDiffers | Plain::TimedOut)).collect()
}

/// Goals that no written test reaches are not covered.
pub(crate) fn uncover(result: &mut FunctionResult, written: &[ProgramTest]) {
    let reached: HashSet<Goal> = written.iter().flat_map(|test| test.covers.iter().copied()).collect();
    for (goal, state) in &mut result.goals {
        if matches!(state, GoalState::Covered { .. }) && !reached.contains(goal) {
            *state = GoalState::Unknown(Reason::LeftOut);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(stdout: Option<&[u8]>, plain: Plain) -> ProgramTest {
        let mut test = ProgramTest { stdout: stdout.map(<[u8]>::to_vec), ..ProgramTest::default() };
        settle(&mut test, plain);
        test
    }

    #[test]
    fn only_what_repeats_is_asserted() {
        assert_eq!(tried(Some(b"a"), Plain::Same).stdout.as_deref(), Some(&b"a"[..]));
        assert_eq!(tried(Some(b"a"), Plain::OutputDiffers).stdout, None);
        assert_eq!(tried(None, Plain::Same).plain, Plain::OutputDiffers);
        assert_eq!(tried(None, Plain::EndDiffers).plain, Plain::EndDiffers);
    }

    #[test]
    fn what_ends_otherwise_is_left_out() {
        let not_run = Plain::NotRun(NotRun::NoBuild);
        let all = [Plain::Same, Plain::EndDiffers, Plain::OutputDiffers, Plain::TimedOut, not_run];
        let mut tests = Vec::from(all.map(|plain| tried(Some(b""), plain)));
        let left_out = leave_out(&mut tests);
        let plain = |tests: &[ProgramTest]| tests.iter().map(|test| test.plain).collect::<Vec<_>>();
        assert_eq!(plain(&tests), [Plain::Same, Plain::OutputDiffers, not_run]);
        assert_eq!(plain(&left_out), [Plain::EndDiffers, Plain::TimedOut]);
    }
}
