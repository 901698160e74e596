//! Tests of whole programs, tried on a plain build.
//!
//! Expectations come from a world that is modelled (`c-frontend/program`): its clock, its files, its threads. Before they
//! are written down, the script of the suite runs every test on the program as any user would build it, with the real
//! library, in the sandbox of workers. What differs, or does not repeat itself, is no expectation.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use suite::{NotRun, Plain};

/// Runs of every test: what happens once may be chance.
const RUNS: usize = 2;
/// Seconds for one run. The script allows more by itself: other machines are slower.
const SECONDS: u64 = 5;
/// The sandbox ends what the script did not: a test can leave processes behind that hold its output open.
const GRACE: u64 = 5;
/// After so many tests that were stopped the rest is not run: it would take longer than the search.
const MOST_STOPPED: usize = 4;
/// Functions that make temporary files, or names for them.
const TEMPORARY: [&str; 6] = ["tmpfile", "mkstemp", "mkostemp", "mkdtemp", "tmpnam", "tempnam"];
/// The script's word for a run that it stopped.
const STOPPED: &str = ": ended with 124 instead";

/// A plain build of a program, and its suite.
#[derive(Clone, Copy, Debug)]
pub struct PlainProgram<'a> {
    /// The worker program, for its sandbox.
    pub worker: &'a Path,
    /// The program.
    pub program: &'a Path,
    /// Folder with the tests below `tests`, and `run.sh`.
    pub suite: &'a Path,
    /// A folder for files of runs.
    pub scratch: &'a Path,
}

impl PlainProgram<'_> {
    /// Runs tests by their names, each twice, as many at a time as there are processors.
    #[must_use]
    pub fn try_all(&self, tests: &[&str], interrupt: &AtomicBool) -> Vec<Plain> {
        let mut results = self.run_all(tests, interrupt);
        let differs = |plain: &&mut Plain| **plain == Plain::EndDiffers;
        if results.contains(&Plain::EndDiffers) && self.makes_temporary_files() && !self.has_tmp() {
            results.iter_mut().filter(differs).for_each(|plain| *plain = Plain::NotRun(NotRun::NoTmp));
        }
        without_those_after_many_stopped(results)
    }

    fn run_all(&self, tests: &[&str], interrupt: &AtomicBool) -> Vec<Plain> {
        let not_run = Plain::NotRun(NotRun::Interrupted);
        let results = Mutex::new(vec![not_run; tests.len()]);
        let (next, stopped) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            while stopped.load(Ordering::Relaxed) < MOST_STOPPED && !interrupt.load(Ordering::Relaxed) {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(test) = tests.get(i) else { return };
                let plain = self.twice(test);
                stopped.fetch_add(usize::from(plain == Plain::TimedOut), Ordering::Relaxed);
                results.lock().expect("nobody panics with it")[i] = plain;
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get().min(tests.len())) {
                scope.spawn(work);
            }
        });
        results.into_inner().expect("nobody panics with it")
    }

    /// Whether it calls functions for them. The name of the folder would say less: debug information may have it.
    fn makes_temporary_files(&self) -> bool {
        let program = std::fs::read(self.program).unwrap_or_default();
        TEMPORARY.iter().any(|name| program.windows(name.len()).any(|at| at == name.as_bytes()))
    }

    /// Whether the system grants the sandbox a `/tmp` of its own.
    fn has_tmp(&self) -> bool {
        let Ok(scratch) = tempfile::tempdir_in(self.scratch) else { return false };
        let mut command = self.confined(scratch.path());
        command.args(["sh", "-c", "echo >/tmp/own"]).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// The beginning of a command in the sandbox.
    fn confined(&self, scratch: &Path) -> Command {
        let mut command = Command::new(self.worker);
        command.arg(wire::CONFINED).arg((RUNS as u64 * SECONDS + GRACE).to_string());
        command.arg(scratch).arg(self.program).arg("--").current_dir(self.suite);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("TMPDIR", scratch);
        // A terminal's interrupt is for us; we end in an orderly way.
        command.stdin(Stdio::null()).process_group(0);
        command
    }

    /// In one go: starting the sandbox and the script takes longer than most programs.
    fn twice(&self, test: &str) -> Plain {
        self.script(test).map_or(Plain::NotRun(NotRun::NoAnswer), |(is_up, said)| match is_up {
            true => Plain::TimedOut,
            false => told(&said),
        })
    }

    /// Whether the sandbox had to end it, and what the script says.
    fn script(&self, test: &str) -> io::Result<(bool, String)> {
        let scratch = tempfile::tempdir_in(self.scratch)?;
        let path = format!("tests/{test}");
        let mut command = self.confined(scratch.path());
        command.args(["sh", "run.sh"]).args([&path; RUNS]);
        command.env("PROGRAM", self.program).env("TIME_LIMIT", SECONDS.to_string());
        let output = command.output()?;
        Ok((output.status.code() == Some(124), String::from_utf8_lossy(&output.stdout).into_owned()))
    }
}

/// What the lines of the script mean, one for every run: the worst of them.
fn told(said: &str) -> Plain {
    let runs = said.lines().filter(|line| line.starts_with("PASS ") || line.starts_with("FAIL "));
    match runs.clone().count() {
        RUNS => runs.map(told_of_one).max().expect("there are some"),
        _ => Plain::NotRun(NotRun::NoAnswer),
    }
}

fn told_of_one(line: &str) -> Plain {
    match line {
        _ if line.starts_with("PASS ") => Plain::Same,
        _ if line.contains(STOPPED) => Plain::TimedOut,
        _ if line.contains(": ended with ") => Plain::EndDiffers,
        _ => Plain::OutputDiffers,
    }
}

/// How far the work got when it was given up depends on the number of processors. Which test was the last one that may
/// be stopped does not, and all before it were run: they are begun in order.
fn without_those_after_many_stopped(mut results: Vec<Plain>) -> Vec<Plain> {
    let stopped = results.iter().enumerate().filter(|(_, plain)| **plain == Plain::TimedOut);
    if let Some((last, _)) = stopped.take(MOST_STOPPED).nth(MOST_STOPPED - 1) {
        results[last + 1..].fill(Plain::NotRun(NotRun::TooSlow));
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_understood() {
        let pass = "PASS a\n";
        let prints = "FAIL a: prints something else than expected_stdout\n";
        let ends = "FAIL a: ended with 1 instead of 0\n";
        let stopped = "FAIL a: ended with 124 instead of abort\n";
        let said = |first: &str, second: &str| told(&format!("{first}{second}0 passed, 0 failed\n"));
        assert_eq!(said(pass, pass), Plain::Same);
        assert_eq!(said(pass, prints), Plain::OutputDiffers);
        assert_eq!(said(ends, prints), Plain::EndDiffers);
        assert_eq!(said(ends, stopped), Plain::TimedOut);
        assert_eq!(said(pass, ""), Plain::NotRun(NotRun::NoAnswer));
    }

    #[test]
    fn after_many_stopped_tests_nothing_is_said_whatever_was_run() {
        let mut results = vec![Plain::Same];
        results.extend([Plain::TimedOut; MOST_STOPPED - 1]);
        let few = [results.clone(), vec![Plain::Same; 3]].concat();
        assert_eq!(without_those_after_many_stopped(few.clone()), few);
        let kept = [results, vec![Plain::Same, Plain::TimedOut]].concat();
        let many = [kept.clone(), vec![Plain::Same, Plain::TimedOut]].concat();
        let expected = [kept, vec![Plain::NotRun(NotRun::TooSlow); 2]].concat();
        assert_eq!(without_those_after_many_stopped(many), expected);
    }
}
