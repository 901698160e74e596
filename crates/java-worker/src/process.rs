//! The process of a machine: its pipes, its patience, its end.

use crate::home::{Files, Home, StartError};
use crate::trace::Trace;
use java_wire::message::{self, Reply, Request, Unreadable};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How much of the last words of a machine is told.
const TAIL: u64 = 2000;

/// How often it is looked at whether a machine that says nothing could work.
const LOOK: Duration = Duration::from_millis(250);

/// What a machine waits for a processor counts for nothing, up to so many times the patience: one that starts a hundred threads is always held up.
pub(crate) const HELD_UP: u32 = 8;

/// How long a process may take to be gone after its pipe broke.
const FAREWELL: Duration = Duration::from_millis(500);

/// A running process. It ends when this is dropped, and all that it started with it.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    requests: ChildStdin,
    replies: ChildStdout,
    files: Files,
    /// How it ended, once it was waited for.
    status: Option<ExitStatus>,
}

impl Process {
    pub(crate) fn start(home: &Home, trace: &Trace) -> Result<Process, StartError> {
        let files = home.files().map_err(StartError::Folder)?;
        let errors = File::create(&files.errors).map_err(StartError::Folder)?;
        let mut command = home.command(&files, &trace.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).process_group(0);
        trace.hand_to(&mut command);
        let program = command.get_program().to_string_lossy().into_owned();
        let failed = |error| StartError::Command { command: program, error };
        let mut child = command.spawn().map_err(failed)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(requests), Some(replies)) => Ok(Process { child, requests, replies, files, status: None }),
            _ => Err(StartError::Silent("it has no pipes".to_owned())),
        }
    }

    pub(crate) fn send(&mut self, request: Request<'_>) -> io::Result<()> {
        message::send(&mut self.requests, request)
    }

    /// A reply, unless it takes longer.
    pub(crate) fn receive(&mut self, patience: Duration) -> Result<Reply, Unreadable> {
        message::receive(&mut Patient::new(&mut self.replies, self.child.id(), patience))
    }

    /// Ends the process and everything in its group, and says how it ended.
    pub(crate) fn kill(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            // SAFETY: no memory is involved. The child was not waited for, so that the number of its group is still its own.
            unsafe { libc::kill(-(self.child.id() as i32), libc::SIGKILL) };
            self.status = self.child.wait().ok();
        }
        self.status
    }

    /// How a process ended whose pipe broke: it is given a moment to be gone.
    pub(crate) fn wait_for_end(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + FAREWELL;
        while !self.has_ended() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        // What it started may still be there.
        self.kill()
    }

    /// Whether it has ended; it can be waited for all the same.
    fn has_ended(&self) -> bool {
        // SAFETY: all zeros are a valid value of this plain structure.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: `info` is valid for the call.
        let result = unsafe { libc::waitid(libc::P_PID, self.child.id(), &raw mut info, options) };
        // SAFETY: the call fills in the fields of a child, or leaves zeros.
        result == 0 && unsafe { info.si_pid() } != 0
    }

    /// The end of what it wrote to its standard error.
    pub(crate) fn last_words(&self) -> String {
        let read = || -> io::Result<String> {
            let mut file = File::open(&self.files.errors)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
            let mut bytes = Vec::new();
            file.take(TAIL).read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
        };
        read().unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A pipe that is read for some time, in which the machine could work: what it waited for a processor does not count. Otherwise a run would
/// hang or not by what else there is to do.
struct Patient<'a> {
    pipe: &'a mut ChildStdout,
    process: u32,
    left: Duration,
    /// What may yet not count.
    grace: Duration,
    /// How long each thread of the machine was held up in its life, when that was looked at last.
    held_up: Option<HashMap<OsString, Duration>>,
}

impl<'a> Patient<'a> {
    fn new(pipe: &'a mut ChildStdout, process: u32, patience: Duration) -> Patient<'a> {
        Patient { pipe, process, left: patience, grace: patience * HELD_UP, held_up: None }
    }

    /// Waits for so long at most. Whether there is something to read.
    fn poll(&mut self, time: Duration) -> bool {
        let mut poll = libc::pollfd { fd: self.pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let millis = i32::try_from(time.as_micros().div_ceil(1000)).unwrap_or(i32::MAX);
        // SAFETY: one valid pollfd.
        unsafe { libc::poll(&raw mut poll, 1, millis) > 0 }
    }

    /// How long the thread that was held up most was held up since this was asked before, if it was.
    fn was_held_up(&mut self) -> Duration {
        let now = held_up(self.process);
        let Some(before) = self.held_up.replace(now.clone()) else { return Duration::ZERO };
        let since = |(thread, now): (&OsString, &Duration)| {
            now.saturating_sub(before.get(thread).copied().unwrap_or_default())
        };
        now.iter().map(since).max().unwrap_or_default()
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Nearly all runs are over before the first look.
        while !self.left.is_zero() {
            let begun = Instant::now();
            if self.poll(self.left.min(LOOK)) {
                return self.pipe.read(buffer);
            }
            let looked = begun.elapsed();
            let held_up = self.was_held_up().min(self.grace).min(looked);
            self.grace -= held_up;
            self.left = self.left.saturating_sub(looked - held_up);
        }
        // It is asked once more when the time is over: who waits may have been kept from it longer than the machine was.
        if self.poll(Duration::ZERO) { self.pipe.read(buffer) } else { Err(io::ErrorKind::TimedOut.into()) }
    }
}

/// By thread of a process and of those that it has started, as the sandbox starts the machine: how long it was ready to run and was not run, as
/// Linux counts it.
fn held_up(process: u32) -> HashMap<OsString, Duration> {
    let mut all = HashMap::new();
    let mut next = vec![process.to_string()];
    while let Some(process) = next.pop() {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for thread in threads.flatten() {
            let read = |name: &str| std::fs::read_to_string(thread.path().join(name)).unwrap_or_default();
            next.extend(read("children").split_whitespace().map(str::to_owned));
            let waited = read("schedstat").split(' ').nth(1).and_then(|nanos| nanos.parse().ok());
            all.extend(waited.map(|nanos| (thread.file_name(), Duration::from_nanos(nanos))));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A shell that does something, by way of another as machines are started by way of the sandbox.
    fn shell(script: &str) -> Child {
        let inner = format!("taskset -c 0 sh -c '{script}'; :");
        let mut command = Command::new("sh");
        command.args(["-c", &inner]).stdout(Stdio::piped()).process_group(0);
        command.spawn().expect("a process")
    }

    fn end(child: &mut Child) {
        // SAFETY: no memory is involved, and the child was not waited for yet.
        unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
        child.wait().expect("a child");
    }

    const SPIN: &str = "while :; do :; done";

    #[test]
    fn who_shares_a_processor_is_held_up() {
        // Two that never rest, on one processor: each waits about half of the time.
        let mut both = [shell(SPIN), shell(SPIN)];
        std::thread::sleep(Duration::from_millis(600));
        let waited = |child: &Child| held_up(child.id()).into_values().max().unwrap_or_default();
        let all: Vec<Duration> = both.iter().map(waited).collect();
        both.iter_mut().for_each(end);
        assert!(all.iter().all(|waited| *waited > Duration::from_millis(50)), "{all:?}");
        assert!(held_up(u32::MAX).is_empty());
    }

    #[test]
    fn who_is_held_up_gets_more_time_and_who_sleeps_does_not() {
        let patience = Duration::from_millis(1000);
        let answer = |script: &str| {
            let mut child = shell(script);
            let (number, mut pipe) = (child.id(), child.stdout.take().expect("a pipe"));
            let mut byte = [0];
            let answer = Patient::new(&mut pipe, number, patience).read_exact(&mut byte);
            end(&mut child);
            answer.is_ok()
        };
        // As much work as takes more than its time if three others want the processor, too; but not without them.
        let work = "i=0; while [ $i -lt 250000 ]; do i=$((i+1)); done; echo";
        let mut others: Vec<Child> = (0..5).map(|_| shell(SPIN)).collect();
        let in_time = answer(work);
        others.iter_mut().for_each(end);
        assert!(in_time, "it was held up");
        assert!(!answer("sleep 20; echo"));
    }

    #[test]
    fn patience_has_an_end() {
        let mut others: Vec<Child> = (0..7).map(|_| shell(SPIN)).collect();
        let mut child = shell(SPIN);
        let (number, mut pipe) = (child.id(), child.stdout.take().expect("a pipe"));
        let begun = Instant::now();
        let patience = Duration::from_millis(300);
        let answer = Patient::new(&mut pipe, number, patience).read_exact(&mut [0]);
        others.iter_mut().chain([&mut child]).for_each(end);
        assert!(answer.is_err());
        assert!(begun.elapsed() < patience * (HELD_UP + 10));
    }
}
