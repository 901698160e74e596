//! Memory mappings at fixed addresses, so that pointer values repeat from run to run and worker to worker.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

// The shadows of memory are found by the low 40 bits of an address (`wire::symbolic::WINDOW_BITS`), so areas differ
// in those.

/// Where the target's stack and the guard below it begin.
pub(crate) const STACK: usize = 0x1080_0000_0000;
/// Where the objects of inputs live.
pub(crate) const INPUT: usize = 0x1100_0000_0000;
/// Where the target's heap lives.
pub(crate) const HEAP: usize = 0x1340_0000_0000;

/// Added to all of these: see [`displace`].
static DISPLACEMENT: AtomicUsize = AtomicUsize::new(0);

/// Moves everything that will be mapped from now on, so that values made of addresses differ from those of other
/// workers.
pub(crate) fn displace() {
    DISPLACEMENT.store(0x37_5a3c_b000, Ordering::Relaxed);
}

/// Moves everything that will be mapped from now on out of the way of an image, if its shadows would meet theirs.
/// Only an image at a random address ever needs it.
pub(crate) fn keep_clear_of(image: &std::ops::Range<usize>) {
    /// No area is longer, and moved by this much none lies where another was.
    const LONGEST: usize = 0x12_0000_0000;
    let window = |address: usize| address & ((1 << wire::symbolic::WINDOW_BITS) - 1);
    let displacement = DISPLACEMENT.load(Ordering::Relaxed);
    let meets = [STACK, INPUT, HEAP].iter().any(|&area| {
        let start = window(area + displacement);
        window(image.start) < start + LONGEST && start < window(image.start) + image.len()
    });
    if meets {
        DISPLACEMENT.store(displacement + LONGEST, Ordering::Relaxed);
    }
}

/// Size of a page.
pub(crate) const PAGE: usize = 4096;

/// A mapping, unmapped when dropped.
#[derive(Debug)]
pub(crate) struct Region {
    base: *mut u8,
    len: usize,
}

impl Region {
    /// Address space near `at` (exactly there if it is free, anywhere for 0) that nothing may touch yet.
    pub(crate) fn reserve(at: usize, len: usize) -> io::Result<Region> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        if at == 0 {
            // Never at address zero itself, which the superuser may map: following null must fault.
            return map(0, len, libc::PROT_NONE, flags);
        }
        let at = at + DISPLACEMENT.load(Ordering::Relaxed);
        map(at, len, libc::PROT_NONE, flags | libc::MAP_FIXED_NOREPLACE)
            .or_else(|_| map(at, len, libc::PROT_NONE, flags))
    }

    /// Zeroed memory that forked children share.
    pub(crate) fn shared(len: usize) -> io::Result<Region> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        map(0, len.max(1), access, libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE)
    }

    /// Makes a part of the region readable and writable.
    pub(crate) fn open(&self, offset: usize, len: usize) -> io::Result<()> {
        debug_assert!(offset + len <= self.len);
        // SAFETY: the range lies inside this mapping.
        let done =
            unsafe { libc::mprotect(self.base.add(offset).cast(), len, libc::PROT_READ | libc::PROT_WRITE) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// First byte.
    pub(crate) fn base(&self) -> *mut u8 {
        self.base
    }

    /// Size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: made by `map`; nobody uses it any more.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}

fn map(at: usize, len: usize, access: i32, flags: i32) -> io::Result<Region> {
    let len = len.next_multiple_of(PAGE);
    // SAFETY: never replaces an existing mapping.
    let base = unsafe { libc::mmap(at as *mut libc::c_void, len, access, flags, -1, 0) };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(Region { base: base.cast(), len })
}
