//! Shadows of memory: for every byte which byte of which term it holds.
//!
//! Two tables, mapped sparsely and indexed by the low bits of the address ([`wire::symbolic::WINDOW_BITS`]): the
//! entries, and the summary that instrumented code looks at. The areas whose shadows matter (stack, inputs, heap,
//! image) are placed so that they do not share those bits.

use crate::region::PAGE;
use std::io;
use wire::symbolic::{SUMMARY, SUMMARY_SHIFT, WINDOW_BITS};

/// Where the entries begin: four bytes for every byte of the window.
const ENTRIES: usize = 0x2000_0000_0000;
const WINDOW: usize = 1 << WINDOW_BITS;
/// Bytes of target memory whose shadows are forgotten together.
const CHUNK_SHIFT: u32 = 10;

/// Which byte of which term: 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(transparent)]
pub(super) struct Entry(u32);

/// Terms that entries can name.
pub(super) const MOST_TERMS: u32 = 1 << 28;

impl Entry {
    pub(super) const NONE: Entry = Entry(0);

    /// Byte `byte` (0 is the lowest) of a term.
    pub(super) fn new(term: u32, byte: u32) -> Entry {
        debug_assert!(term > 0 && term < MOST_TERMS && byte < 16);
        Entry(term << 4 | byte)
    }

    /// The term and the number of the byte.
    pub(super) fn get(self) -> Option<(u32, u32)> {
        (self != Entry::NONE).then_some((self.0 >> 4, self.0 & 15))
    }
}

/// The tables. There is one at a time in a process.
#[derive(Debug)]
pub(super) struct Memory {
    /// Numbers of the chunks in use, each once.
    chunks: Vec<u32>,
}

impl Memory {
    /// Reserves address space.
    pub(super) fn new() -> io::Result<Memory> {
        reserve(ENTRIES, WINDOW * 4)?;
        // Code looks at two bytes at a time.
        if let Err(error) = reserve(SUMMARY, (WINDOW >> SUMMARY_SHIFT) + PAGE) {
            release(ENTRIES, WINDOW * 4);
            return Err(error);
        }
        Ok(Memory { chunks: Vec::with_capacity(1024) })
    }

    /// The entry of a byte.
    #[inline]
    pub(super) fn get(&self, address: usize) -> Entry {
        // SAFETY: the tables are as large as the window.
        unsafe { *entry(address) }
    }

    /// The term that these bytes hold from its lowest byte on, if it is one.
    #[inline]
    pub(super) fn whole(&self, address: usize, bytes: usize) -> Option<u32> {
        let entries = entries(address, bytes)?;
        // SAFETY: inside the table.
        let (first, rest) = unsafe { (*entries).split_first()? };
        let (term, byte) = first.get()?;
        let follow = rest.iter().zip(1..).all(|(entry, i)| entry.0 == first.0 + i);
        (byte == 0 && follow).then_some(term)
    }

    /// Sets bytes to those of a term if all of them belong to terms already; otherwise the summary changes too.
    #[inline]
    pub(super) fn replace(&mut self, address: usize, bytes: usize, term: u32) -> bool {
        let Some(entries) = entries(address, bytes) else { return false };
        // SAFETY: inside the table; nobody else has it.
        let entries = unsafe { &mut *entries };
        if entries.contains(&Entry::NONE) {
            return false;
        }
        entries.iter_mut().zip(0..).for_each(|(entry, i)| *entry = Entry::new(term, i));
        true
    }

    /// Whether any of these bytes has a term; looks at 16 at a time.
    #[inline]
    pub(super) fn any(&self, address: usize, bytes: usize) -> bool {
        if bytes == 0 {
            return false;
        }
        let first = (address & (WINDOW - 1)) >> SUMMARY_SHIFT;
        let last = ((address + bytes - 1) & (WINDOW - 1)) >> SUMMARY_SHIFT;
        if last < first {
            return true;
        }
        // SAFETY: as above.
        let summary = unsafe { std::slice::from_raw_parts((SUMMARY + first) as *const u8, last - first + 1) };
        summary.iter().any(|&count| count != 0)
    }

    /// Sets the entry of a byte.
    #[inline]
    pub(super) fn set(&mut self, address: usize, new: Entry) {
        // SAFETY: as above.
        unsafe {
            let place = entry(address);
            let count = (SUMMARY + ((address & (WINDOW - 1)) >> SUMMARY_SHIFT)) as *mut u8;
            match (*place == Entry::NONE, new == Entry::NONE) {
                (true, false) => {
                    *count += 1;
                    self.remember(address);
                }
                (false, true) => *count -= 1,
                _ => {}
            }
            *place = new;
        }
    }

    fn remember(&mut self, address: usize) {
        let chunk = ((address & (WINDOW - 1)) >> CHUNK_SHIFT) as u32;
        // Neighbours come one after the other; a chunk that is in the list twice is only cleared twice.
        if self.chunks.last() != Some(&chunk) && !(self.chunks.len() < 16 && self.chunks.contains(&chunk)) {
            self.chunks.push(chunk);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.chunks.sort_unstable();
        self.chunks.dedup();
        for &chunk in &self.chunks {
            let start = (chunk as usize) << CHUNK_SHIFT;
            // SAFETY: inside the tables.
            unsafe {
                std::ptr::write_bytes((ENTRIES + start * 4) as *mut u8, 0, 4 << CHUNK_SHIFT);
                std::ptr::write_bytes(
                    (SUMMARY + (start >> SUMMARY_SHIFT)) as *mut u8,
                    0,
                    1 << (CHUNK_SHIFT - SUMMARY_SHIFT),
                );
            }
        }
        self.chunks.clear();
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        release(ENTRIES, WINDOW * 4);
        release(SUMMARY, (WINDOW >> SUMMARY_SHIFT) + PAGE);
    }
}

#[inline]
unsafe fn entry(address: usize) -> *mut Entry {
    (ENTRIES + (address & (WINDOW - 1)) * 4) as *mut Entry
}

/// The entries of neighbouring bytes; `None` where the window ends between them.
#[inline]
fn entries(address: usize, bytes: usize) -> Option<*mut [Entry]> {
    let first = address & (WINDOW - 1);
    (first + bytes <= WINDOW)
        .then(|| std::ptr::slice_from_raw_parts_mut((ENTRIES + first * 4) as *mut Entry, bytes))
}

fn reserve(at: usize, bytes: usize) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: never replaces an existing mapping.
    let base = unsafe {
        libc::mmap(at as *mut libc::c_void, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    if base as usize != at {
        release(base as usize, bytes);
        return Err(io::Error::from(io::ErrorKind::AddrInUse));
    }
    // SAFETY: just mapped. A forked child has no use for it beyond its run.
    unsafe { libc::madvise(base, bytes, libc::MADV_NOHUGEPAGE) };
    Ok(())
}

fn release(at: usize, bytes: usize) {
    // SAFETY: mapped by `reserve`, nobody uses it any more.
    unsafe { libc::munmap(at as *mut libc::c_void, bytes) };
}

/// The window bits of an address, for checks that areas do not meet.
pub(super) fn window(address: usize) -> usize {
    address & (WINDOW - 1)
}
