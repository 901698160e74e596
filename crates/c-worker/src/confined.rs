//! Somebody else's command inside the sandbox: a plain program under test, with the script that runs it.
//!
//! This process stays beside the command. It takes in every process that the command leaves behind, and ends them all
//! with it or when the time is up. If this one is ended itself, the command goes with it.

use crate::sandbox::{self, Attributes, SandboxPolicy};
use crate::serve::live_apart;
use crate::tmp;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

/// Exit status when the time is up, as of the command `timeout`.
const TIME_IS_UP: u8 = 124;
const LOOK: Duration = Duration::from_millis(1);

/// Runs a command in the sandbox: `SECONDS SCRATCH KEPT… -- COMMAND ARGUMENT…`. Files can be made below `SCRATCH` only,
/// and in a `/tmp` of its own, where `SCRATCH`, all that is `KEPT` and the current folder are if they were there before.
#[must_use]
pub fn confined(words: &[OsString]) -> ExitCode {
    match run(words) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("branchwise-worker: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[OsString]) -> io::Result<u8> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (sandbox, command) = words.split_at(end);
    let ([seconds, scratch, kept @ ..], [_, command, arguments @ ..]) = (sandbox, command) else {
        return Err(io::Error::other("seconds, a folder and a command are needed"));
    };
    let seconds = seconds.to_str().and_then(|text| text.parse().ok());
    let seconds: u64 = seconds.ok_or_else(|| io::Error::other("the seconds are no number"))?;
    live_apart();
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    let scratch = Path::new(scratch);
    let mut kept: Vec<PathBuf> = kept.iter().map(PathBuf::from).collect();
    kept.push(std::env::current_dir()?);
    let has_tmp = tmp::replace(scratch, &kept).is_ok();
    let policy = SandboxPolicy {
        temporary: has_tmp.then_some(Path::new("/tmp")),
        cpu_seconds: Some(seconds),
        attributes: Attributes::Ignored,
        ..SandboxPolicy::new(scratch)
    };
    // Best effort, as for workers: what holds here, `branchwise doctor` tells.
    let _ = sandbox::enter(&policy);
    let mut command = Command::new(command);
    command.args(arguments);
    // SAFETY: a plain system call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    let mut child = command.spawn()?;
    let status = wait(&mut child, Duration::from_secs(seconds))?;
    end_all();
    Ok(status)
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<u8> {
    let begun = Instant::now();
    while begun.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().map_or(1, |code| code as u8));
        }
        std::thread::sleep(LOOK);
    }
    Ok(TIME_IS_UP)
}

/// Ends all children. Theirs become ours by that, so it is done until there are none.
fn end_all() {
    loop {
        let children = children();
        if children.is_empty() {
            return;
        }
        for child in children {
            // SAFETY: a child that nobody has waited for, so its number is still its own.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, std::ptr::null_mut(), 0);
            }
        }
    }
}

/// The numbers of our children; this process has one thread.
fn children() -> Vec<libc::pid_t> {
    let text = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}
