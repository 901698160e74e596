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

/// What happened until the search ended. Tests are made of what it found afterwards, outside the budget, and the runs that
/// takes reach more goals: they must not count for a strategy.
pub(crate) struct Searched {
    pub(crate) runs: u64,
    pub(crate) seconds: f64,
    /// Goals covered, as far as the search went.
    pub(crate) curve: Vec<(u64, u32)>,
}

impl Searched {
    /// `None` of a search without exploration, whose end is not told.
    pub(crate) fn of(program: &ProgramSummary) -> Option<Searched> {
        let exploration = program.exploration.as_ref()?;
        let runs = exploration.search_executions;
        let curve = program.curve.iter().copied().filter(|point| point.0 <= runs).collect();
        Some(Searched { runs, seconds: exploration.search_seconds?, curve })
    }

    pub(crate) fn covered(&self) -> u32 {
        self.curve.last().map_or(0, |point| point.1)
    }

    pub(crate) fn runs_per_second(&self) -> f64 {
        self.runs as f64 / self.seconds
    }
}
