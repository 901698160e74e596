//! Somebody else's command inside the sandbox: a plain program under test, with the script that runs it.
//!
//! This process stays beside the command. It takes in every process that the command leaves behind, and ends them all
//! with it or when the time is up. If this one is ended itself, the command goes with it. So it does when whoever started this one is gone: that is
//! looked at now and then, for the signal of a parent's death comes when the *thread* that started a process ends, and a virtual machine outlives the
//! thread of the driver that has started it.

use crate::sandbox::{self, Attributes, SandboxPolicy};
use crate::serve::leave_terminal;
use crate::tmp;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

/// Exit status when the time is up, as of the command `timeout`.
const TIME_IS_UP: u8 = 124;
/// How often it is looked at whether the parent is still there.
const LOOK: Duration = Duration::from_millis(50);
/// How often it is looked at whether the command has ended, where the kernel cannot tell when it does.
const SHORT_LOOK: Duration = Duration::from_millis(1);

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
    // SAFETY: a system call without memory.
    let parent = unsafe { libc::getppid() };
    leave_terminal();
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
    let status = wait(&mut child, parent, Duration::from_secs(seconds))?;
    end_all();
    Ok(status)
}

/// Waits for the end of the command, or of the time, or of whoever wants to know.
fn wait(child: &mut Child, parent: libc::pid_t, limit: Duration) -> io::Result<u8> {
    let begun = Instant::now();
    let ended = descriptor_of(child);
    // SAFETY: a system call without memory.
    while begun.elapsed() < limit && unsafe { libc::getppid() } == parent {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().map_or(1, |code| code as u8));
        }
        match &ended {
            Some(ended) => rest(ended, LOOK.min(limit)),
            None => std::thread::sleep(SHORT_LOOK),
        }
    }
    Ok(TIME_IS_UP)
}

/// What is ready to be read when a child has ended, on kernels that have that (5.3).
fn descriptor_of(child: &Child) -> Option<OwnedFd> {
    // SAFETY: a system call without memory.
    let number = unsafe { libc::syscall(libc::SYS_pidfd_open, child.id() as libc::pid_t, 0) };
    // SAFETY: the call has just made it, and nobody else knows of it.
    (number >= 0).then(|| unsafe { OwnedFd::from_raw_fd(number as i32) })
}

/// Until a child has ended, and so long at most.
fn rest(ended: &OwnedFd, time: Duration) {
    let mut poll = libc::pollfd { fd: ended.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid pollfd.
    unsafe { libc::poll(&raw mut poll, 1, time.as_millis() as i32) };
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
