//! The file that a machine writes its trace into, mapped.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// A mapped file of words, and a copy of those that were asked for last.
#[derive(Debug)]
pub(crate) struct Trace {
    memory: *const u32,
    words: usize,
    copy: Vec<u32>,
}

// SAFETY: the mapping belongs to this value alone and is only read through it.
unsafe impl Send for Trace {}

impl Trace {
    /// Makes the file and maps it.
    pub(crate) fn create(path: &Path, words: u32) -> io::Result<Trace> {
        let words = words.max(1) as usize;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        file.set_len(4 * words as u64)?;
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
        Ok(Trace { memory: memory.cast(), words, copy: Vec::new() })
    }

    /// Takes over the first words. The machine must not change them under whoever reads, so they are copied.
    pub(crate) fn take(&mut self, count: u32) {
        let count = self.words.min(count as usize);
        self.copy.clear();
        self.copy.reserve(count);
        // SAFETY: `count` words are mapped, and the copy has room for them. The file is as long as it was made unless the
        // machine shortens it, which nothing but an attack would do; then this process gets SIGBUS.
        unsafe {
            std::ptr::copy_nonoverlapping(self.memory, self.copy.as_mut_ptr(), count);
            self.copy.set_len(count);
        }
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
