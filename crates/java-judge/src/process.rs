//! Programs with a time limit.

use crate::JudgeError;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// Well.
    Well,
    /// With another status than 0, and what it printed last.
    Badly(String),
    /// It was ended by us.
    TimedOut,
}

/// Runs a program to its end, or to the limit. What it prints goes to a file, since a full pipe would stop it.
pub(crate) fn run(command: &mut Command, log: &Path, seconds: u64) -> Result<Ended, JudgeError> {
    let file = File::create(log)?;
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let mut child = command.spawn().map_err(|source| JudgeError::Tool { program, source })?;
    let deadline = Instant::now() + Duration::from_secs(seconds);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { Ended::Well } else { Ended::Badly(tail(log)?) });
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::TimedOut);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a program that has no reason to fail.
pub(crate) fn succeed(command: &mut Command, log: &Path, seconds: u64, what: &str) -> Result<(), JudgeError> {
    let output = match run(command, log, seconds)? {
        Ended::Well => return Ok(()),
        Ended::Badly(output) => output,
        Ended::TimedOut => format!("no end after {seconds} s"),
    };
    Err(JudgeError::Failed { what: what.to_owned(), output })
}

/// The last lines of a file: where the trouble is.
pub(crate) fn tail(log: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(log)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(30)..].join("\n"))
}
