//! The lines in which a JVM says what becomes of the tests.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// A file without a name, handed down as a descriptor: tests that remove all files that they find do not remove this one, and a sandbox
/// need not let them write anywhere for it.
#[derive(Debug)]
pub(crate) struct Lines(File);

impl Lines {
    /// An empty one.
    pub(crate) fn create() -> io::Result<Lines> {
        // SAFETY: a plain system call with a string.
        let descriptor = unsafe { libc::memfd_create(c"lines".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just made and belongs to nobody else.
        Ok(Lines(unsafe { File::from_raw_fd(descriptor) }))
    }

    /// Where a process finds it that it was [handed](Lines::hand_to) to.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }

    /// Lets a command have it.
    pub(crate) fn hand_to(&self, command: &mut Command) {
        let descriptor = self.0.as_raw_fd();
        let keep = move || {
            // SAFETY: a plain system call.
            match unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        };
        // SAFETY: runs between fork and exec, where system calls are allowed.
        unsafe { command.pre_exec(keep) };
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, line: &str) -> io::Result<()> {
        self.0.seek(SeekFrom::End(0))?;
        writeln!(self.0, "{line}")
    }

    /// How long they are: grows with every line.
    pub(crate) fn len(&self) -> u64 {
        self.0.metadata().map_or(0, |facts| facts.len())
    }

    /// All of them. What is no text is not ours.
    pub(crate) fn text(&mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.0.seek(SeekFrom::Start(0))?;
        self.0.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
