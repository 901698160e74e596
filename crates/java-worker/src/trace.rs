//! The memory that a machine writes its trace into.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// Words of the longest event.
const LONGEST_EVENT: usize = 5;

/// Mapped words, and a copy of those that were asked for last.
///
/// The memory is a file without a name, handed down as a descriptor: there is nothing that code under test could remove or put something in the place
/// of, and nothing that a sandbox must let it write to. It is sealed, since reading what was cut off would end this process.
#[derive(Debug)]
pub(crate) struct Trace {
    file: File,
    memory: *const u32,
    words: usize,
    copy: Vec<u32>,
}

// SAFETY: the mapping belongs to this value alone and is only read through it.
unsafe impl Send for Trace {}

impl Trace {
    /// Makes the memory and maps it.
    pub(crate) fn create(words: u32) -> io::Result<Trace> {
        let words = words.max(1) as usize;
        // SAFETY: a plain system call with a string.
        let descriptor =
            unsafe { libc::memfd_create(c"trace".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just made and belongs to nobody else.
        let file = unsafe { File::from_raw_fd(descriptor) };
        file.set_len(4 * words as u64)?;
        // SAFETY: a plain system call.
        let sealed = unsafe {
            libc::fcntl(
                file.as_raw_fd(),
                libc::F_ADD_SEALS,
                libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL,
            )
        };
        if sealed < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: maps the whole of a file that was just made; the result is checked.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                4 * words,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Trace { file, memory: memory.cast(), words, copy: Vec::new() })
    }

    /// Where a process finds it that it was [handed](Trace::hand_to) to.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// Lets a command have it.
    pub(crate) fn hand_to(&self, command: &mut Command) {
        let descriptor = self.file.as_raw_fd();
        let keep = move || {
            // SAFETY: a plain system call. The descriptor is open as long as nobody drops the trace between this and the start.
            match unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        };
        // SAFETY: runs between fork and exec, where a system call is allowed.
        unsafe { command.pre_exec(keep) };
    }

    /// Takes over the first words. The machine must not change them under whoever reads, so they are copied.
    pub(crate) fn take(&mut self, count: u32) {
        let count = self.words.min(count as usize);
        self.copy.clear();
        self.copy.reserve(count);
        // SAFETY: `count` words are mapped, and the copy has room for them. The seals keep the file as long as it was made.
        unsafe {
            std::ptr::copy_nonoverlapping(self.memory, self.copy.as_mut_ptr(), count);
            self.copy.set_len(count);
        }
    }

    /// Takes over everything up to the last word that is not zero.
    pub(crate) fn take_all(&mut self) {
        self.take(u32::try_from(self.words).unwrap_or(u32::MAX));
        let used = self.copy.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        // The last event may end in zeros.
        self.copy.truncate((used + LONGEST_EVENT).min(self.copy.len()));
    }

    /// What was taken last.
    pub(crate) fn words(&self) -> &[u32] {
        &self.copy
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        // SAFETY: mapped by `create` with this size, and never lent out.
        unsafe { libc::munmap(self.memory.cast_mut().cast(), 4 * self.words) };
    }
}
