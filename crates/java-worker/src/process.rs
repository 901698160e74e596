//! The process of a machine: its pipes, its patience, its end.

use crate::home::{Files, Home, StartError};
use crate::trace::Trace;
use java_wire::message::{self, Reply, Request, Unreadable};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How much of the last words of a machine is told.
const TAIL: u64 = 2000;

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
        message::receive(&mut Patient { pipe: &mut self.replies, until: Instant::now() + patience })
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

/// A pipe that is read until some time.
struct Patient<'a> {
    pipe: &'a mut ChildStdout,
    until: Instant,
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let mut poll = libc::pollfd { fd: self.pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            let millis = i32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(i32::MAX);
            // SAFETY: one valid pollfd.
            if unsafe { libc::poll(&raw mut poll, 1, millis) } > 0 {
                return self.pipe.read(buffer);
            }
            // It is asked once more when the time is over: who waits may have been kept from it longer than the machine was.
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }
}
