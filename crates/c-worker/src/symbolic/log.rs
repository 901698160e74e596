//! The run's log: terms in the order they were made, and what the run did with them.
//!
//! Appended to by the hooks, read after the run. It lies in memory that forked children share, and a run may be
//! left between any two instructions: counts are written last, and the reader believes nothing.

use crate::region::Region;
use std::io;

/// A term: numbers of operands, 0 excluded, or what [`expr::Op`] says of leaves.
///
/// Of an operation on two operands one may be a number, as most programs have it: its low half stands in the place of
/// the operand and its high half in `c`.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(super) struct Record {
    pub(super) op: u8,
    pub(super) width: u8,
    pub(super) extra: u8,
    /// One of [`number`].
    pub(super) number: u8,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
}

/// In `extra` of a comparison: it is the negation of that.
pub(super) const NEGATED: u8 = 1;

/// What the run did.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(super) struct Event {
    /// One of [`kind`].
    pub(super) kind: u32,
    /// Branch id, or site.
    pub(super) id: u32,
    pub(super) term: u32,
    pub(super) width: u32,
    /// Outcome, or value.
    pub(super) value: u64,
    /// Address of a switch's table.
    pub(super) table: u64,
}

pub(super) mod kind {
    pub(in crate::symbolic) const BRANCH: u32 = 0;
    pub(in crate::symbolic) const SWITCH: u32 = 1;
    /// The term must keep its value.
    pub(in crate::symbolic) const PIN: u32 = 2;
    /// The term holds, or the run would have ended: a pointer is not null.
    pub(in crate::symbolic) const FOLLOWED: u32 = 3;
    /// An access, `id` describes it, to what the pointer leads to, at the offset that is the value.
    pub(in crate::symbolic) const USED: u32 = 4;
    /// An access, `id` describes it, to an argument behind `...`, whose number is the value.
    pub(in crate::symbolic) const EXTRA: u32 = 5;
    /// A read of a union, `id` describes it, at the offset that is the value; the term says which member is meant.
    pub(in crate::symbolic) const MEMBER: u32 = 6;
}

/// Which operand of a record is a number.
pub(super) mod number {
    pub(in crate::symbolic) const NONE: u8 = 0;
    pub(in crate::symbolic) const FIRST: u8 = 1;
    pub(in crate::symbolic) const SECOND: u8 = 2;
}

/// A row of a lookup is a term; a table is a range of rows.
#[derive(Default)]
#[repr(C)]
struct Counts {
    records: u32,
    events: u32,
    rows: u32,
    /// Something did not fit.
    full: u32,
    /// The pointer that is about to be followed although it is null, 0 for none, and how many bytes are needed there.
    missing: u32,
    needed: u64,
    /// Something was stored through a pointer of the input.
    written: u32,
}

const MOST_RECORDS: usize = 1 << 22;
const MOST_EVENTS: usize = 1 << 20;
const MOST_ROWS: usize = 1 << 22;
/// Sites beyond share the last count.
pub(super) const MOST_SITES: usize = 1 << 16;

/// The log.
#[derive(Debug)]
pub(super) struct Log {
    /// Keeps the memory.
    _region: Region,
    counts: *mut Counts,
    records: *mut Record,
    events: *mut Event,
    rows: *mut u32,
    /// How often each site lost precision, and which sites did: number of them first.
    losses: *mut u32,
    lossy: *mut u32,
}

impl Log {
    pub(super) fn new() -> io::Result<Log> {
        let sizes = [
            size_of::<Counts>().next_multiple_of(64),
            MOST_RECORDS * size_of::<Record>(),
            MOST_EVENTS * size_of::<Event>(),
            MOST_ROWS * 4,
            MOST_SITES * 4,
            (MOST_SITES + 1) * 4,
        ];
        let region = Region::shared(sizes.iter().sum())?;
        let mut offset = 0;
        let parts = sizes.map(|size| {
            // SAFETY: the parts add up to the region.
            let part = unsafe { region.base().add(offset) };
            offset += size;
            part
        });
        let [counts, records, events, rows, losses, lossy] = parts;
        let mut log = Log {
            _region: region,
            counts: counts.cast(),
            records: records.cast(),
            events: events.cast(),
            rows: rows.cast(),
            losses: losses.cast(),
            lossy: lossy.cast(),
        };
        log.clear();
        Ok(log)
    }

    #[inline]
    fn counts(&mut self) -> &mut Counts {
        // SAFETY: made for it.
        unsafe { &mut *self.counts }
    }

    /// Empties it; record 0 is nobody's.
    pub(super) fn clear(&mut self) {
        // SAFETY: the list was written by `lose`, its length is bounded.
        unsafe {
            for i in 0..(*self.lossy).min(MOST_SITES as u32) as usize {
                let site = (*self.lossy.add(i + 1)).min(MOST_SITES as u32 - 1);
                *self.losses.add(site as usize) = 0;
            }
            *self.lossy = 0;
        }
        *self.counts() = Counts { records: 1, ..Counts::default() };
    }

    /// Adds a term; 0 if there is no room.
    #[inline]
    pub(super) fn push(&mut self, record: Record) -> u32 {
        let records = self.records;
        let counts = self.counts();
        let number = counts.records;
        if number as usize >= MOST_RECORDS {
            counts.full = 1;
            return 0;
        }
        // SAFETY: in range.
        unsafe { *records.add(number as usize) = record };
        counts.records = number + 1;
        number
    }

    pub(super) fn event(&mut self, event: Event) {
        let events = self.events;
        let counts = self.counts();
        if counts.events as usize >= MOST_EVENTS {
            counts.full = 1;
            return;
        }
        // SAFETY: in range.
        unsafe { *events.add(counts.events as usize) = event };
        counts.events += 1;
    }

    /// Adds the rows of a table; the number of the first, or `None` if there is no room.
    pub(super) fn add_rows(&mut self, new: &[u32]) -> Option<u32> {
        let rows = self.rows;
        let counts = self.counts();
        let first = counts.rows as usize;
        if first + new.len() > MOST_ROWS {
            counts.full = 1;
            return None;
        }
        // SAFETY: in range.
        unsafe { std::ptr::copy_nonoverlapping(new.as_ptr(), rows.add(first), new.len()) };
        counts.rows += new.len() as u32;
        Some(first as u32)
    }

    pub(super) fn lose(&mut self, site: u32) {
        let site = (site as usize).min(MOST_SITES - 1);
        // SAFETY: in range; a site enters the list once.
        unsafe {
            let count = &mut *self.losses.add(site);
            if *count == 0 && (*self.lossy as usize) < MOST_SITES {
                *self.lossy += 1;
                *self.lossy.add(*self.lossy as usize) = site as u32;
            }
            *count = count.saturating_add(1);
        }
    }

    /// The terms; the first is nobody's.
    pub(super) fn records(&self) -> &[Record] {
        // SAFETY: bounded by the room there is.
        unsafe {
            let count = ((*self.counts).records as usize).min(MOST_RECORDS);
            std::slice::from_raw_parts(self.records, count)
        }
    }

    pub(super) fn events(&self) -> &[Event] {
        // SAFETY: as above.
        unsafe {
            let count = ((*self.counts).events as usize).min(MOST_EVENTS);
            std::slice::from_raw_parts(self.events, count)
        }
    }

    pub(super) fn rows(&self) -> &[u32] {
        // SAFETY: as above.
        unsafe {
            let count = ((*self.counts).rows as usize).min(MOST_ROWS);
            std::slice::from_raw_parts(self.rows, count)
        }
    }

    /// `(site, how often)`.
    pub(super) fn losses(&self) -> Vec<(u32, u32)> {
        // SAFETY: as in `clear`.
        unsafe {
            (0..(*self.lossy).min(MOST_SITES as u32) as usize)
                .map(|i| (*self.lossy.add(i + 1)).min(MOST_SITES as u32 - 1))
                .map(|site| (site, *self.losses.add(site as usize)))
                .collect()
        }
    }

    /// Notes that a null pointer is about to be followed.
    pub(super) fn miss(&mut self, pointer: u32, bytes: u64) {
        let counts = self.counts();
        (counts.missing, counts.needed) = (pointer, bytes);
    }

    /// Notes that something is stored through a pointer of the input.
    pub(super) fn note_written(&mut self) {
        self.counts().written = 1;
    }

    /// Whether something was stored through a pointer of the input.
    pub(super) fn has_written(&self) -> bool {
        // SAFETY: made for it.
        unsafe { (*self.counts).written != 0 }
    }

    /// The null pointer that was followed last, and how many bytes were needed.
    pub(super) fn missing(&self) -> Option<(u32, u64)> {
        // SAFETY: made for it.
        let Counts { missing, needed, .. } = unsafe { &*self.counts };
        (*missing != 0).then_some((*missing, *needed))
    }

    /// Whether something did not fit.
    pub(super) fn is_full(&self) -> bool {
        // SAFETY: made for it.
        unsafe { (*self.counts).full != 0 }
    }
}
