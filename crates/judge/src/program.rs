//! The suite of a whole program: built by its Makefile, run by its script, one test after the other.
//!
//! A program may end anywhere. Whether a test is one in which `main` returns shows when it runs: two profiles are
//! written, and an object of ours (`returned.c`) chooses between them.

use crate::coverage::Measured;
use crate::replay::{self, Measurement};
use crate::{JudgeError, Tools};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

const RETURNED: &str = include_str!("../assets/returned.c");
const WRAPPED: &str = ",--wrap=main";
const SCRIPT: &str = "run.sh";

/// What running the tests showed.
pub(crate) struct Replayed {
    /// Names of the tests in which `main` does not return.
    pub(crate) dying: HashSet<String>,
    /// Those in which it returns.
    pub(crate) returning: Measurement,
    /// All of them.
    pub(crate) all: Measurement,
}

/// One test.
struct Run {
    name: String,
    /// What the script printed, if the test fails.
    failure: Option<String>,
    profiles: Vec<PathBuf>,
    returned: bool,
}

/// Builds the program with clang's coverage instrumentation and runs every test of the folder.
pub(crate) fn replay(dir: &Path, tools: &Tools) -> Result<Replayed, JudgeError> {
    if !dir.join(SCRIPT).is_file() {
        return Err(JudgeError::NoScript { dir: dir.to_owned() });
    }
    let scratch = tempfile::Builder::new().prefix("branchwise-check-").tempdir()?;
    replay::build(dir, tools, scratch.path(), &[("returned", RETURNED)], WRAPPED, "")?;
    let program = scratch.path().join("program");
    let mut runs = Vec::new();
    for (i, name) in tests(dir)?.into_iter().enumerate() {
        let profiles = scratch.path().join(format!("profiles-{i}"));
        std::fs::create_dir(&profiles)?;
        runs.push(run(dir, tools, &program, name, &profiles)?);
    }
    let all = measurement(&runs, functions(tools, &program, scratch.path(), runs.iter())?);
    let returned: Vec<&Run> = runs.iter().filter(|run| run.returned).collect();
    let counted = match returned.len() {
        0 => all.functions.iter().map(|of_one| of_one.iter().map(uncounted).collect()).collect(),
        _ => functions(tools, &program, scratch.path(), returned.into_iter())?,
    };
    Ok(Replayed {
        dying: runs.iter().filter(|run| !run.returned).map(|run| run.name.clone()).collect(),
        returning: measurement(&[], counted),
        all,
    })
}

/// The folders of the tests, in order.
fn tests(dir: &Path) -> Result<Vec<String>, JudgeError> {
    let folder = dir.join("tests");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

fn run(dir: &Path, tools: &Tools, program: &Path, name: String, folder: &Path) -> Result<Run, JudgeError> {
    let log = folder.join("output");
    let file = std::fs::File::create(&log)?;
    let mut script = Command::new("sh");
    script.arg(SCRIPT).arg(format!("tests/{name}")).current_dir(dir);
    script.env("PROGRAM", program).env("LLVM_PROFILE_FILE", folder.join("run-died-%m.profraw"));
    script.stdin(std::process::Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let status = replay::wait(script, &dir.join(SCRIPT), tools.seconds)?;
    let failure = match status.success() {
        true => None,
        false => Some(replay::tail(&String::from_utf8_lossy(&std::fs::read(&log)?))),
    };
    let profiles = replay::profiles(folder)?;
    let died =
        |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(|n| n.contains("-died-"));
    let returned = !profiles.is_empty() && !profiles.iter().any(died);
    Ok(Run { name, failure, profiles, returned })
}

/// What llvm-cov makes of some runs together; nothing if none left a profile.
fn functions<'r>(
    tools: &Tools,
    program: &Path,
    scratch: &Path,
    runs: impl Iterator<Item = &'r Run>,
) -> Result<Vec<Vec<Measured>>, JudgeError> {
    let profiles: Vec<&PathBuf> = runs.flat_map(|run| &run.profiles).collect();
    if profiles.is_empty() {
        return Ok(Vec::new());
    }
    // A list in a file: there may be more of them than fit on a command line.
    let list = scratch.join("profiles");
    let lines: String = profiles.iter().map(|path| format!("{}\n", path.display())).collect();
    std::fs::write(&list, lines)?;
    Ok(vec![replay::export(tools, program, &[format!("--input-files={}", list.display())], scratch)?])
}

fn measurement(runs: &[Run], functions: Vec<Vec<Measured>>) -> Measurement {
    let failures: Vec<(String, String)> =
        runs.iter().filter_map(|run| Some((run.name.clone(), run.failure.clone()?))).collect();
    Measurement { passed: runs.len() - failures.len(), failed: failures.len(), failures, functions }
}

fn uncounted(function: &Measured) -> Measured {
    let mut function = Measured { count: 0, ..function.clone() };
    function.regions.iter_mut().for_each(|region| region.counts = [0, 0]);
    function
}
