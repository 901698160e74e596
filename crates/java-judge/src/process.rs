//! Programs with a time limit.

use crate::JudgeError;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// Well.
    Well,
    /// With another status than 0, and what it printed last.
    Badly(String),
    /// It was ended by us, after so many seconds, or after so many in which nothing was heard of it.
    TimedOut(u64),
}

/// How long a program is waited for.
pub(crate) struct Patience<'p> {
    /// Seconds to its end.
    pub(crate) whole: u64,
    /// Seconds without progress, and a number that changes whenever there is some.
    pub(crate) silent: Option<(u64, &'p dyn Fn() -> u64)>,
}

impl Patience<'_> {
    /// With nothing but a limit.
    pub(crate) fn of(seconds: u64) -> Patience<'static> {
        Patience { whole: seconds, silent: None }
    }
}

/// Runs a program to its end, or to the limit. What it prints goes to a file, since a full pipe would stop it.
pub(crate) fn run(command: &mut Command, log: &Path, patience: &Patience<'_>) -> Result<Ended, JudgeError> {
    let file = File::create(log)?;
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    die_with_us(command);
    let mut child = command.spawn().map_err(|source| JudgeError::Tool { program, source })?;
    let begun = Instant::now();
    let (mut heard, mut progress) = (begun, 0);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { Ended::Well } else { Ended::Badly(tail(log)?) });
        }
        if begun.elapsed() >= Duration::from_secs(patience.whole) {
            end(&mut child)?;
            return Ok(Ended::TimedOut(patience.whole));
        }
        if let Some((seconds, number)) = patience.silent {
            if number() != progress {
                (heard, progress) = (Instant::now(), number());
            } else if heard.elapsed() >= Duration::from_secs(seconds) {
                end(&mut child)?;
                return Ok(Ended::TimedOut(seconds));
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whoever ends us, however, ends the program too.
fn die_with_us(command: &mut Command) {
    let us = std::process::id();
    // A group of its own: what it starts is ended with it.
    command.process_group(0);
    let prepare = move || {
        // SAFETY: plain system calls.
        match unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL), libc::getppid()) } {
            (0, parent) if parent as u32 == us => Ok(()),
            (0, _) => Err(io::Error::other("nobody waits for it")),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: runs between fork and exec, where system calls are allowed.
    unsafe { command.pre_exec(prepare) };
}

/// Ends a program and all that it started.
fn end(child: &mut Child) -> io::Result<()> {
    // SAFETY: no memory is involved. The child was not waited for, so that the number of its group is still its own.
    unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
    child.wait().map(|_| ())
}

/// Runs a program that has no reason to fail.
pub(crate) fn succeed(command: &mut Command, log: &Path, seconds: u64, what: &str) -> Result<(), JudgeError> {
    let output = match run(command, log, &Patience::of(seconds))? {
        Ended::Well => return Ok(()),
        Ended::Badly(output) => output,
        Ended::TimedOut(seconds) => format!("no end after {seconds} s"),
    };
    Err(JudgeError::Failed { what: what.to_owned(), output })
}

/// The last lines of a file: where the trouble is.
pub(crate) fn tail(log: &Path) -> io::Result<String> {
    let bytes = std::fs::read(log)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(30)..].join("\n"))
}
