//! Numbers that change with every run, in memory both sides see.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

/// The shared numbers.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Counters {
    /// Number of the execution under way (or the last one).
    pub execution: AtomicU64,
    /// Goals covered so far.
    pub covered: AtomicU64,
}

/// A mapping of [`Counters`].
#[derive(Debug)]
pub struct SharedCounters {
    counters: *mut Counters,
    fd: Option<OwnedFd>,
}

// SAFETY: the mapping lives as long as the value, and all access is atomic.
unsafe impl Send for SharedCounters {}
// SAFETY: as above.
unsafe impl Sync for SharedCounters {}

impl SharedCounters {
    /// Makes a new one; its descriptor is to be handed to the worker.
    ///
    /// # Errors
    /// When the kernel gives no memory file.
    pub fn create() -> io::Result<SharedCounters> {
        // SAFETY: plain system calls with a constant name; the descriptor is owned at once.
        let fd = unsafe {
            let fd = libc::memfd_create(c"branchwise-counters".as_ptr(), libc::MFD_CLOEXEC);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(fd)
        };
        // SAFETY: a fresh memory file.
        if unsafe { libc::ftruncate(fd.as_raw_fd(), size_of::<Counters>() as i64) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let mut shared = SharedCounters::open(fd.as_raw_fd())?;
        shared.fd = Some(fd);
        Ok(shared)
    }

    /// Maps the file behind a descriptor that [`SharedCounters::create`] made.
    ///
    /// # Errors
    /// When it cannot be mapped.
    pub fn open(fd: RawFd) -> io::Result<SharedCounters> {
        // SAFETY: maps a whole shared page; the result is checked.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<Counters>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd,
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(SharedCounters { counters: memory.cast(), fd: None })
    }

    /// The numbers.
    #[must_use]
    pub fn get(&self) -> &Counters {
        // SAFETY: the mapping is valid until drop, aligned to a page, and only holds atomics.
        unsafe { &*self.counters }
    }

    /// The file to hand on, of a created mapping.
    ///
    /// # Errors
    /// When there are no descriptors left.
    pub fn file(&self) -> io::Result<OwnedFd> {
        self.fd.as_ref().map_or_else(|| Err(io::ErrorKind::NotFound.into()), OwnedFd::try_clone)
    }

    /// Sets everything to zero before the next job.
    pub fn reset(&self) {
        self.get().execution.store(0, Ordering::Relaxed);
        self.get().covered.store(0, Ordering::Relaxed);
    }
}

impl Drop for SharedCounters {
    fn drop(&mut self) {
        // SAFETY: mapped by `open` with this size.
        unsafe { libc::munmap(self.counters.cast(), size_of::<Counters>()) };
    }
}
