//! The target's variables as they were after loading, and how to get back there.
//!
//! Few variables are simply copied back. Many are write-protected: the first write to a page opens it and
//! enters it in the list of *hot* pages, which stay open and are copied back after every run. A function
//! that once touched everything would make all later runs slow, so the list is emptied from time to time.

use crate::image::Segments;
use crate::region::PAGE;
use std::ffi::c_int;
use std::ops::Range;
use std::ptr;

/// More than this is worth tracking by page.
const COPIED: usize = 8 << 10;
/// Runs between two emptyings of a long list of hot pages, and what is long.
const COOLING: u32 = 4096;
const MANY_HOT: usize = 64;

/// Functions through which the kernel writes into the caller's memory: it does not open closed pages but
/// answers `EFAULT`.
const KERNEL_WRITES: &[&str] = &[
    "clock_gettime",
    "fgetpos",
    "fread",
    "fread_unlocked",
    "fstat",
    "fstat64",
    "fstatat",
    "fstatfs",
    "getcwd",
    "getdents64",
    "getgroups",
    "getitimer",
    "getpeername",
    "getrandom",
    "getrlimit",
    "getrusage",
    "getsockname",
    "getsockopt",
    "gettimeofday",
    "ioctl",
    "lstat",
    "lstat64",
    "pread",
    "pread64",
    "read",
    "readlink",
    "readlinkat",
    "readv",
    "realpath",
    "recv",
    "recvfrom",
    "recvmsg",
    "sched_getaffinity",
    "stat",
    "stat64",
    "statfs",
    "statvfs",
    "statx",
    "sysinfo",
    "time",
    "times",
    "uname",
    "wait",
    "wait3",
    "wait4",
    "waitid",
    "waitpid",
];

/// A range of memory and what was in it.
#[derive(Debug)]
struct Saved {
    start: usize,
    bytes: Vec<u8>,
}

/// The state after loading.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// Copied back after every run.
    copied: Vec<Saved>,
    /// Whole pages, copied back as far as they are hot.
    tracked: Vec<Saved>,
    /// A page that is always hot.
    pinned: usize,
    all_open: bool,
    restores: u32,
    hot: Vec<usize>,
}

/// What the signal handler needs; the list is the `hot` of the snapshot.
struct Tracker {
    ranges: [(usize, usize); 8],
    hot: *mut usize,
    count: usize,
    capacity: usize,
}

static mut TRACKER: Tracker = Tracker { ranges: [(0, 0); 8], hot: ptr::null_mut(), count: 0, capacity: 0 };

impl Snapshot {
    /// Saves the writable segments; `pinned` is an address the worker itself writes to before every run.
    pub(crate) fn take(segments: &Segments, pinned: usize) -> Snapshot {
        let total: usize = segments.writable.iter().map(Range::len).sum();
        let track = total > COPIED && segments.writable.len() <= 8;
        let data = segments.writable.iter().filter(|_| !track).chain(&segments.thread_local);
        let pages = segments.writable.iter().filter(|_| track).map(whole_pages);
        let copied: Vec<Saved> = data.map(|range| Saved::of(range.clone())).collect();
        let tracked: Vec<Saved> = pages.map(Saved::of).collect();
        let hot = vec![0; tracked.iter().map(|saved| saved.bytes.len() / PAGE).sum()];
        let mut snapshot =
            Snapshot { copied, tracked, pinned: pinned & !(PAGE - 1), all_open: true, restores: 0, hot };
        snapshot.publish();
        snapshot.close();
        snapshot
    }

    /// Whether the next runs may write everywhere without being noticed: needed when the kernel writes.
    pub(crate) fn prepare_for(&mut self, externals: &[String], forked: bool) {
        self.restore();
        if forked || externals.iter().any(|name| KERNEL_WRITES.contains(&name.as_str())) {
            self.protect(libc::PROT_READ | libc::PROT_WRITE);
            self.all_open = true;
        } else {
            self.close();
        }
    }

    /// Puts everything back that a run may have changed.
    #[inline]
    pub(crate) fn restore(&mut self) {
        for saved in &self.copied {
            saved.restore();
        }
        if !self.tracked.is_empty() {
            self.restore_pages();
        }
    }

    fn restore_pages(&mut self) {
        if self.all_open {
            return self.tracked.iter().for_each(Saved::restore);
        }
        // SAFETY: the handler enters only pages of tracked ranges, at most as many as there are.
        let count = unsafe { TRACKER.count };
        for &page in &self.hot[..count] {
            if let Some(saved) = self.tracked.iter().find(|s| page.wrapping_sub(s.start) < s.bytes.len()) {
                saved.restore_page(page);
            }
        }
        self.restores += 1;
        if self.restores >= COOLING {
            self.restores = 0;
            if count > MANY_HOT {
                self.close();
            }
        }
    }

    /// Closes every page but the pinned one; all of them must have been restored.
    fn close(&mut self) {
        self.protect(libc::PROT_READ);
        self.all_open = false;
        // SAFETY: only the thread that owns us writes to tracked pages.
        unsafe { TRACKER.count = 0 };
        bw_snapshot_open(self.pinned as u64);
    }

    fn protect(&self, access: c_int) {
        for saved in &self.tracked {
            // SAFETY: whole pages of the image's own data.
            unsafe { libc::mprotect(saved.start as *mut _, saved.bytes.len(), access) };
        }
    }

    fn publish(&mut self) {
        let mut ranges = [(0, 0); 8];
        for (range, saved) in ranges.iter_mut().zip(&self.tracked) {
            *range = (saved.start, saved.bytes.len());
        }
        // SAFETY: `hot` is never resized, and the tracker is emptied before it is dropped.
        unsafe {
            TRACKER = Tracker { ranges, hot: self.hot.as_mut_ptr(), count: 0, capacity: self.hot.len() };
        }
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.restore();
        self.protect(libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: as in `publish`.
        unsafe { TRACKER = Tracker { ranges: [(0, 0); 8], hot: ptr::null_mut(), count: 0, capacity: 0 } };
    }
}

impl Saved {
    fn of(range: Range<usize>) -> Saved {
        // SAFETY: readable memory of the image.
        let bytes = unsafe { std::slice::from_raw_parts(range.start as *const u8, range.len()) }.to_vec();
        Saved { start: range.start, bytes }
    }

    #[inline]
    fn restore(&self) {
        // SAFETY: the same memory, writable at this time.
        unsafe { ptr::copy_nonoverlapping(self.bytes.as_ptr(), self.start as *mut u8, self.bytes.len()) };
    }

    fn restore_page(&self, page: usize) {
        // SAFETY: a whole open page of this range.
        unsafe {
            ptr::copy_nonoverlapping(self.bytes.as_ptr().add(page - self.start), page as *mut u8, PAGE)
        };
    }
}

fn whole_pages(range: &Range<usize>) -> Range<usize> {
    range.start & !(PAGE - 1)..range.end.next_multiple_of(PAGE)
}

/// Called by the signal handler: opens the page if it is a tracked one. 1 if the access can be repeated.
#[unsafe(no_mangle)]
extern "C" fn bw_snapshot_open(address: u64) -> c_int {
    let page = address as usize & !(PAGE - 1);
    // SAFETY: plain data, changed only by the thread that runs the target.
    unsafe {
        let tracked = (0..8).any(|i| page.wrapping_sub(TRACKER.ranges[i].0) < TRACKER.ranges[i].1);
        if !tracked || TRACKER.count >= TRACKER.capacity {
            return 0;
        }
        if libc::mprotect(page as *mut _, PAGE, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            return 0;
        }
        *TRACKER.hot.add(TRACKER.count) = page;
        TRACKER.count += 1;
    }
    1
}
