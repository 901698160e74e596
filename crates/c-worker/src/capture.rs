//! What the target prints.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// As much of the output as an observation keeps.
const KEPT: usize = 64 << 10;

/// Standard output caught in memory, standard input at its end. Undone when dropped.
#[derive(Debug)]
pub struct StdoutCapture {
    memory: OwnedFd,
    before: Vec<(RawFd, OwnedFd)>,
}

impl StdoutCapture {
    /// Sends descriptor 1 of this process to memory and reads descriptor 0 from `/dev/null`.
    ///
    /// # Errors
    /// When the kernel is out of descriptors or memory.
    pub fn install() -> io::Result<StdoutCapture> {
        // SAFETY: plain system calls; the new descriptors are ours.
        unsafe {
            let memory = owned(libc::memfd_create(c"branchwise-stdout".as_ptr(), libc::MFD_CLOEXEC))?;
            let nothing = owned(libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC))?;
            let mut capture = StdoutCapture { memory, before: Vec::new() };
            let memory = capture.memory.as_raw_fd();
            capture.replace(libc::STDIN_FILENO, nothing.as_raw_fd())?;
            capture.replace(libc::STDOUT_FILENO, memory)?;
            Ok(capture)
        }
    }

    fn replace(&mut self, fd: RawFd, by: RawFd) -> io::Result<()> {
        // SAFETY: plain system calls.
        unsafe {
            let before = owned(libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3))?;
            if libc::dup2(by, fd) < 0 {
                return Err(io::Error::last_os_error());
            }
            self.before.push((fd, before));
        }
        Ok(())
    }

    /// Forgets what was written. Costs one system call when nothing was.
    pub(crate) fn clear(&self) {
        let memory = self.memory.as_raw_fd();
        // SAFETY: plain system calls on our descriptor.
        unsafe {
            if libc::lseek(memory, 0, libc::SEEK_END) > 0 {
                libc::ftruncate(memory, 0);
                libc::lseek(memory, 0, libc::SEEK_SET);
            }
        }
    }

    /// Bytes written since [`StdoutCapture::clear`].
    pub(crate) fn len(&self) -> u64 {
        // SAFETY: plain system call on our descriptor.
        u64::try_from(unsafe { libc::lseek(self.memory.as_raw_fd(), 0, libc::SEEK_END) }).unwrap_or(0)
    }

    /// The beginning of what was written since [`StdoutCapture::clear`].
    pub(crate) fn read(&self) -> Vec<u8> {
        let mut text = vec![0; KEPT];
        // SAFETY: the buffer has this size.
        let count = unsafe { libc::pread(self.memory.as_raw_fd(), text.as_mut_ptr().cast(), text.len(), 0) };
        text.truncate(usize::try_from(count).unwrap_or(0));
        text
    }
}

impl Drop for StdoutCapture {
    fn drop(&mut self) {
        for (fd, before) in &self.before {
            // SAFETY: plain system call.
            unsafe { libc::dup2(before.as_raw_fd(), *fd) };
        }
    }
}

unsafe fn owned(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the caller has just got it from the kernel.
    if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(unsafe { OwnedFd::from_raw_fd(fd) }) }
}
