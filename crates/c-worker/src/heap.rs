//! The target's heap: an arena that is new for every run.
//!
//! Blocks are cut off one after the other, each behind a header; freed ones are kept in lists by size and
//! used again within the same run. Addresses depend on nothing but the calls of the run. Nothing here has a
//! destructor, because a run may be left inside of any of these functions.
//!
//! Where errors are looked for, blocks are *guarded*: each has pages of its own, ends where a closed page begins, is closed
//! when it is freed, and is not used again.
//!
//! ```text
//!   │ page of the header │ pages of the block │ closed page │ page of the header │ …
//! ```
//!
//! A block then begins wherever it must: one of 40 bytes at a multiple of 8, which is all that what fits into it can ask
//! for. All guarded blocks of a run are known, freed ones included, so it can be said what a fault met and which blocks
//! nobody leads to any more.

use crate::owned::{self, Ownership};
use crate::region::{HEAP, PAGE, Region};
use std::collections::HashSet;
use std::ffi::{c_int, c_void};
use std::{io, ptr};

/// Sits before every block. 32 bytes, so that blocks stay aligned to 16.
#[repr(C)]
struct Header {
    size: usize,
    /// 0 for a guarded block.
    capacity: usize,
    /// [`LIVE`] or [`FREED`], mixed with the address: a stray number is no header.
    mark: usize,
    /// Of a freed block the next in its list, of a guarded one the one allocated before it.
    next: *mut Header,
}

const HEADER: usize = size_of::<Header>();
const LIVE: usize = 0x6c69_7665_626c_6f63;
const FREED: usize = 0x6672_6565_626c_6f63;
const ALIGN: usize = 16;
const READ_WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;
/// Lists of freed blocks: by sixteenths up to 1 KiB, by powers of two above.
const LISTS: usize = 64 + 64;
/// Memory up to this size is zeroed by hand after a run; the rest is given back to the kernel.
const SCRUB: usize = 256 << 10;
/// Guarded blocks get no more than this: the kernel counts every closed page.
const MOST_GUARDED: usize = 64 << 20;
/// How far behind the last block a run may have written without us knowing.
const SLACK: usize = 256;

/// Bytes that no allocator has: the address space ends before.
const TOO_MUCH: usize = 1 << 47;

/// The heap of the process; functions called by the target find it here.
struct State {
    base: usize,
    /// First address never handed out in this run.
    top: usize,
    end: usize,
    /// Up to here blocks are guarded in this run, and all of them are.
    guarded: usize,
    /// Up to here they may be in a run that guards them.
    guardable: usize,
    /// The last guarded block.
    newest: *mut Header,
    /// Blocks allocated in this run.
    allocated: usize,
    /// The allocation at which the run is stopped by a signal; 0 for none.
    stop_at: usize,
    /// An allocation failed that need not fail elsewhere.
    starved: bool,
    lists: [*mut Header; LISTS],
}

static mut STATE: State = State {
    base: 0,
    top: 0,
    end: 0,
    guarded: 0,
    guardable: 0,
    newest: ptr::null_mut(),
    allocated: 0,
    stop_at: 0,
    starved: false,
    lists: [ptr::null_mut(); LISTS],
};

/// Why a pointer cannot be freed; the shim passes the numbers on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub(crate) enum Refusal {
    /// It is no block.
    NoBlock = 1,
    /// It is one, and was freed before.
    FreedBefore = 2,
}

/// What a fault met in the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub(crate) enum Met {
    /// Nothing that is known.
    #[default]
    Nothing = 0,
    /// The closed page behind a block.
    End = 1,
    /// A block that was freed.
    Freed = 2,
}

/// The arena; there is one at a time in a process.
#[derive(Debug)]
pub(crate) struct Heap {
    region: Region,
    /// Blocks of all runs are guarded.
    guards: bool,
}

impl Heap {
    /// An arena of `bytes`. With `guards` the first blocks are guarded.
    pub(crate) fn new(bytes: usize, guards: bool) -> io::Result<Heap> {
        let bytes = bytes.max(PAGE).next_multiple_of(PAGE);
        // A page beyond the end stays closed.
        let region = Region::reserve(HEAP, bytes + SLACK.next_multiple_of(PAGE) + PAGE)?;
        region.open(0, bytes + SLACK.next_multiple_of(PAGE))?;
        let base = region.base() as usize;
        let guardable = base + (bytes / 2).min(MOST_GUARDED);
        // SAFETY: only the thread that owns us uses the state.
        unsafe {
            STATE = State {
                base,
                top: base,
                end: base + bytes,
                guarded: if guards { guardable } else { base },
                guardable,
                newest: ptr::null_mut(),
                allocated: 0,
                stop_at: 0,
                starved: false,
                lists: [ptr::null_mut(); LISTS],
            };
        }
        Ok(Heap { region, guards })
    }

    /// Bytes handed out since the last reset, freed ones included.
    #[inline]
    pub(crate) fn used(&self) -> usize {
        // SAFETY: as in `new`.
        unsafe { STATE.top - STATE.base }
    }

    /// Its address space.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        let base = self.region.base() as usize;
        base..base + self.region.len()
    }

    /// Empties the arena and makes it zero again.
    #[inline]
    pub(crate) fn reset(&mut self) {
        // SAFETY: as in `new`.
        unsafe {
            if !STATE.newest.is_null() {
                libc::mprotect(self.region.base().cast(), STATE.top - STATE.base, READ_WRITE);
                STATE.newest = ptr::null_mut();
            }
            if STATE.top != STATE.base {
                self.scrub(STATE.top - STATE.base);
                STATE.top = STATE.base;
                STATE.lists = [ptr::null_mut(); LISTS];
            }
            STATE.guarded = if self.guards { STATE.guardable } else { STATE.base };
            STATE.allocated = 0;
            STATE.stop_at = 0;
            STATE.starved = false;
        }
    }

    /// Whether an allocation failed because this arena is small: elsewhere the run may end otherwise.
    #[inline]
    pub(crate) fn is_starved(&self) -> bool {
        // SAFETY: as in `new`.
        unsafe { STATE.starved }
    }

    #[cold]
    fn scrub(&mut self, used: usize) {
        let base = self.region.base();
        let dirty = (used + SLACK).min(self.region.len());
        let by_hand = dirty.min(SCRUB);
        // SAFETY: the range is inside the region and open.
        unsafe {
            ptr::write_bytes(base, 0, by_hand);
            if dirty > by_hand {
                libc::madvise(base.add(by_hand).cast(), dirty - by_hand, libc::MADV_DONTNEED);
            }
        }
    }
}

/// Guards the blocks of the run that begins now, on an empty arena, and stops it at one of its allocations, if that is not
/// 0.
pub(crate) fn guard(stop_at: usize) {
    // SAFETY: only the thread that runs the target uses the state.
    unsafe {
        STATE.guarded = STATE.guardable;
        STATE.stop_at = stop_at;
    }
}

/// # Safety
/// One reference at a time, on the thread that runs the target.
unsafe fn state() -> &'static mut State {
    let state = &raw mut STATE;
    // SAFETY: by contract.
    unsafe { &mut *state }
}

fn list_of(capacity: usize) -> usize {
    if capacity <= 1024 { capacity / ALIGN - 1 } else { 64 + capacity.ilog2() as usize }
}

fn fail(error: c_int) -> *mut c_void {
    // SAFETY: always valid.
    unsafe { *libc::__errno_location() = error };
    ptr::null_mut()
}

/// A block of `size` bytes, `fresh` says that it was never used in this run and so is zero.
unsafe fn allocate(size: usize, align: usize) -> Option<(*mut c_void, bool)> {
    // SAFETY: all addresses are inside the arena, the state is ours.
    unsafe {
        if STATE.guarded > STATE.base
            && let Some(block) = allocate_guarded(size, align)
        {
            return Some((block, true));
        }
        let capacity = size.max(1).checked_next_multiple_of(ALIGN)?;
        let state = state();
        let list = &mut state.lists[list_of(capacity)];
        let block = *list;
        if align <= ALIGN && !block.is_null() && (*block).capacity >= capacity {
            *list = (*block).next;
            (*block).size = size;
            (*block).mark = LIVE ^ block.add(1) as usize;
            return Some((block.add(1).cast(), false));
        }
        let start = (state.top + HEADER).checked_next_multiple_of(align.max(ALIGN))?;
        let end = start.checked_add(capacity)?;
        if end > state.end {
            state.starved |= size < TOO_MUCH;
            return None;
        }
        state.top = end;
        let header = (start - HEADER) as *mut Header;
        *header = Header { size, capacity, mark: LIVE ^ start, next: ptr::null_mut() };
        Some((start as *mut c_void, true))
    }
}

/// A block that ends where a closed page begins; `None` if there is no room for such blocks any more.
#[cold]
unsafe fn allocate_guarded(size: usize, align: usize) -> Option<*mut c_void> {
    // SAFETY: all addresses are inside the arena, the state is ours.
    unsafe {
        let state = state();
        state.allocated += 1;
        if state.allocated == state.stop_at {
            libc::raise(libc::SIGTRAP);
        }
        let block = cut_guarded(state, size, align);
        if block.is_none() {
            // From here on there are others.
            state.guarded = state.guarded.min(state.top);
        }
        block
    }
}

unsafe fn cut_guarded(state: &mut State, size: usize, align: usize) -> Option<*mut c_void> {
    let align = if align > ALIGN { align } else { 1 << size.trailing_zeros().min(ALIGN.ilog2()) };
    let first = state.top.checked_add(PAGE)?.checked_next_multiple_of(PAGE)?;
    let end = first.checked_add(size.max(1))?.checked_next_multiple_of(PAGE)?;
    // SAFETY: the pages are the arena's, and nobody has them.
    unsafe {
        let has_room = align <= PAGE && end + PAGE <= state.guarded;
        if !has_room || libc::mprotect(end as *mut c_void, PAGE, libc::PROT_NONE) != 0 {
            return None;
        }
        state.top = end + PAGE;
        let start = (end - size.max(1)) & !(align - 1);
        let header = guarded_header(start);
        *header = Header { size, capacity: 0, mark: LIVE ^ start, next: state.newest };
        state.newest = header;
        Some(start as *mut c_void)
    }
}

/// Where the header of a block stands. That of a guarded one ends where the pages of the block begin.
fn header_of(block: usize) -> *mut Header {
    // SAFETY: a plain number.
    match block < unsafe { STATE.guarded } {
        true => guarded_header(block),
        false => (block - HEADER) as *mut Header,
    }
}

fn guarded_header(block: usize) -> *mut Header {
    ((block & !(PAGE - 1)) - HEADER) as *mut Header
}

/// The guarded blocks of the present run, the last one first: each header, and where the block stands.
unsafe fn guarded_blocks() -> impl Iterator<Item = (*mut Header, std::ops::Range<usize>)> {
    // SAFETY: headers stand in open pages of the arena.
    let mut next = unsafe { STATE.newest };
    std::iter::from_fn(move || {
        let header = next;
        if header.is_null() {
            return None;
        }
        // SAFETY: as above.
        unsafe {
            next = (*header).next;
            let address = |word: usize| (*header).mark ^ word;
            let first = header as usize + HEADER;
            let is_start = |start: &usize| (first..first + PAGE).contains(start);
            let start = Some(address(LIVE)).filter(is_start).unwrap_or(address(FREED));
            is_start(&start).then(|| (header, start..start + (*header).size))
        }
    })
}

/// What a fault at an address met. To be asked in the process that ran, before anything is reset.
pub(crate) fn met(address: usize) -> Met {
    if !is_guard(address) {
        return Met::Nothing;
    }
    // SAFETY: see `guarded_blocks`.
    let mut blocks = unsafe { guarded_blocks() };
    let pages = |block: &std::ops::Range<usize>| {
        let end = (block.start + block.len().max(1)).next_multiple_of(PAGE);
        block.start & !(PAGE - 1)..end + PAGE
    };
    match blocks.find(|(_, block)| pages(block).contains(&address)) {
        // SAFETY: as above.
        Some((header, block)) if unsafe { (*header).mark } == FREED ^ block.start => Met::Freed,
        _ => Met::End,
    }
}

/// Whether a fault at an address is one of a guarded block: nothing else in the arena faults.
fn is_guard(address: usize) -> bool {
    // SAFETY: plain numbers.
    unsafe { (STATE.base..STATE.guarded).contains(&address) }
}

/// The guarded blocks that neither `roots` nor blocks they lead to lead to, by number of allocation. Nothing is said if
/// there are other blocks, as nobody knows where those lead.
///
/// # Safety
/// The run is over, and the roots are readable.
pub(crate) unsafe fn lost(roots: &[std::ops::Range<usize>]) -> Vec<usize> {
    // SAFETY: see `guarded_blocks`; whatever is looked at is open.
    unsafe {
        let all: Vec<_> = guarded_blocks().collect();
        if all.len() != STATE.allocated {
            return Vec::new();
        }
        let is_live =
            |(header, block): &(*mut Header, std::ops::Range<usize>)| (**header).mark == LIVE ^ block.start;
        let count = all.len();
        let numbered = all.into_iter().enumerate().map(|(i, block)| (count - i, block));
        let live: Vec<_> = numbered.filter(|(_, block)| is_live(block)).map(|(n, (_, b))| (n, b)).collect();
        let mut found = HashSet::new();
        let mut open: Vec<std::ops::Range<usize>> = roots.to_vec();
        while let Some(range) = open.pop() {
            let words = range.start.next_multiple_of(8)..range.end & !7;
            for at in words.step_by(8) {
                let word = (at as *const usize).read();
                // The last block comes first.
                let index = live.partition_point(|(_, block)| block.start > word);
                if let Some((number, block)) = live.get(index)
                    && word < block.start + block.len().max(1)
                    && found.insert(*number)
                {
                    open.push(block.clone());
                }
            }
        }
        live.into_iter().map(|(number, _)| number).filter(|number| !found.contains(number)).rev().collect()
    }
}

/// What an address handed back to us is.
enum Handed {
    Nothing,
    Block(*mut Header),
    Object(usize),
    Foreign,
    Refused(Refusal),
}

/// Whether an address lies in the arena. Asked at every `free` of the process.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bw_heap_contains(address: *const c_void) -> c_int {
    // SAFETY: plain numbers; before there is a heap, they contain nothing.
    unsafe { c_int::from((address as usize).wrapping_sub(STATE.base) < STATE.end - STATE.base) }
}

unsafe fn handed(block: *mut c_void) -> Handed {
    let address = block as usize;
    // SAFETY: the header is read only inside the arena.
    unsafe {
        if block.is_null() {
            Handed::Nothing
        } else if bw_heap_contains(block) != 0 {
            let is_plausible = address >= STATE.base + HEADER && address.is_multiple_of(ALIGN)
                || (STATE.base + PAGE..STATE.guarded).contains(&address);
            let header = if is_plausible { header_of(address) } else { ptr::null_mut() };
            match header.as_ref().map(|header| header.mark ^ address) {
                Some(LIVE) => Handed::Block(header),
                Some(FREED) => Handed::Refused(Refusal::FreedBefore),
                _ => Handed::Refused(Refusal::NoBlock),
            }
        } else {
            match owned::owner_of(address) {
                Ownership::Object(size) => Handed::Object(size),
                Ownership::Freed => Handed::Refused(Refusal::FreedBefore),
                Ownership::Forbidden => Handed::Refused(Refusal::NoBlock),
                Ownership::Foreign => Handed::Foreign,
            }
        }
    }
}

unsafe fn release(header: *mut Header) {
    // SAFETY: a live block of this heap.
    unsafe {
        let state = state();
        let start = (*header).mark ^ LIVE;
        (*header).mark = FREED ^ start;
        if start < state.guarded {
            let first = start & !(PAGE - 1);
            let end = (start + (*header).size.max(1)).next_multiple_of(PAGE);
            libc::mprotect(first as *mut c_void, end - first, libc::PROT_NONE);
            return;
        }
        let list = &mut state.lists[list_of((*header).capacity)];
        (*header).next = *list;
        *list = header;
    }
}

/// `malloc`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bw_heap_malloc(size: usize) -> *mut c_void {
    // SAFETY: see `allocate`.
    unsafe { allocate(size, ALIGN) }.map_or_else(|| fail(libc::ENOMEM), |(block, _)| block)
}

/// `calloc`.
pub(crate) extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(bytes) = count.checked_mul(size) else { return fail(libc::ENOMEM) };
    // SAFETY: see `allocate`; the block has `bytes` bytes.
    unsafe {
        match allocate(bytes, ALIGN) {
            None => fail(libc::ENOMEM),
            Some((block, fresh)) => {
                if !fresh {
                    ptr::write_bytes(block.cast::<u8>(), 0, bytes);
                }
                block
            }
        }
    }
}

/// `aligned_alloc`, `memalign`.
pub(crate) extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut c_void {
    if !align.is_power_of_two() {
        return fail(libc::EINVAL);
    }
    // SAFETY: see `allocate`.
    unsafe { allocate(size, align) }.map_or_else(|| fail(libc::ENOMEM), |(block, _)| block)
}

/// `posix_memalign`.
///
/// # Safety
/// `out` comes from the target; if it is wild, the run ends with the fault.
pub(crate) unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    // SAFETY: see above.
    unsafe {
        match allocate(size, align) {
            None => libc::ENOMEM,
            Some((block, _)) => {
                *out = block;
                0
            }
        }
    }
}

/// `free`; 0, or the [`Refusal`] if the pointer cannot be freed.
///
/// # Safety
/// Any pointer will do; one from elsewhere goes to the C library.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn bw_heap_free(block: *mut c_void) -> c_int {
    // SAFETY: `handed` has looked at it.
    unsafe {
        match handed(block) {
            Handed::Nothing => {}
            Handed::Object(_) => owned::release(block as usize),
            Handed::Block(header) => release(header),
            Handed::Foreign => libc::free(block),
            Handed::Refused(why) => return why as c_int,
        }
    }
    0
}

/// `realloc`; sets `bad` to the [`Refusal`] if the pointer cannot be reallocated.
///
/// # Safety
/// As [`bw_heap_free`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn bw_heap_realloc(
    block: *mut c_void,
    size: usize,
    bad: *mut c_int,
) -> *mut c_void {
    // SAFETY: `handed` has looked at it; `bad` is the shim's.
    unsafe {
        let old = match handed(block) {
            Handed::Nothing => return bw_heap_malloc(size),
            Handed::Block(header) if size > 0 && size <= (*header).capacity => {
                (*header).size = size;
                return block;
            }
            Handed::Block(header) => (*header).size,
            Handed::Object(bytes) => bytes,
            Handed::Foreign => libc::malloc_usable_size(block),
            Handed::Refused(why) => {
                *bad = why as c_int;
                return ptr::null_mut();
            }
        };
        if size == 0 {
            bw_heap_free(block);
            return ptr::null_mut();
        }
        let moved = bw_heap_malloc(size);
        if !moved.is_null() {
            ptr::copy_nonoverlapping(block.cast::<u8>(), moved.cast(), old.min(size));
            bw_heap_free(block);
        }
        moved
    }
}
