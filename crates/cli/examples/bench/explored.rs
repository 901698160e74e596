//! `branchwise run`, and what its summary tells.

use crate::subject::program;
use anyhow::{Context, Result, ensure};
use report::{ProgramSummary, Summary};
use std::path::Path;
use std::process::{Command, Stdio};

/// Explores a program or the sources of one for so many seconds; the folder keeps what was found.
pub(crate) fn explore(subject: &Path, seconds: u64, out: &Path, more: &[&str]) -> Result<Summary> {
    let mut command = Command::new(program("branchwise")?);
    command.arg("run").arg(subject).args(["--quiet", "--budget", &format!("{seconds}s"), "--out"]).arg(out);
    let output = command.args(more).stdin(Stdio::null()).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    let text = std::fs::read_to_string(out.join("summary.json"))?;
    serde_json::from_str(&text).context("summary.json")
}

/// Runs until the search ended; of a search without exploration also those that made tests of what it found, which are
/// not told apart.
pub(crate) fn runs(program: &ProgramSummary) -> u64 {
    program.exploration.as_ref().map_or(program.executions, |e| e.search_executions)
}

/// These runs a second.
pub(crate) fn runs_per_second(program: &ProgramSummary) -> f64 {
    let seconds = program.exploration.as_ref().map_or(program.seconds, |e| e.search_seconds);
    runs(program) as f64 / seconds.unwrap_or(f64::NAN)
}
