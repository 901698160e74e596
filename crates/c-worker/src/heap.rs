//! The target's heap: an arena that is new for every run.
//!
//! Blocks are cut off one after the other, each behind a header; freed ones are kept in lists by size and
//! used again within the same run. Addresses depend on nothing but the calls of the run. Nothing here has a
//! destructor, because a run may be left inside of any of these functions.
//!
//! Where errors are looked for, blocks are *guarded*: each ends where a closed page begins, and none is used again.
//!
//! ```text
//!   │ header │ block │ closed page │ header │ block │ closed page │
//! ```
//!
//! A block then begins wherever it must: one of 40 bytes at a multiple of 8, which is all that what fits into it can ask
//! for.

use crate::region::{HEAP, PAGE, Region};
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

/// The heap of the process; functions called by the target find it here.
struct State {
    base: usize,
    /// First address never handed out in this run.
    top: usize,
    end: usize,
    /// Up to here blocks are guarded.
    guarded: usize,
    /// Pages were closed in this run.
    closed: bool,
    lists: [*mut Header; LISTS],
    owns: fn(usize) -> Ownership,
}

static mut STATE: State = State {
    base: 0,
    top: 0,
    end: 0,
    guarded: 0,
    closed: false,
    lists: [ptr::null_mut(); LISTS],
    owns: |_| Ownership::Foreign,
};

/// What is known about an address that did not come from this heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ownership {
    /// Start of an object of the input of this many bytes: as good as allocated.
    Object(usize),
    /// No heap block: inside an object, on the stack, in the image.
    Forbidden,
    /// Perhaps from the C library's own allocator.
    Foreign,
}

/// The arena; there is one at a time in a process.
#[derive(Debug)]
pub(crate) struct Heap {
    region: Region,
}

impl Heap {
    /// An arena of `bytes`; `owns` tells about addresses outside of it. With `guards` the first
    /// blocks are guarded.
    pub(crate) fn new(bytes: usize, guards: bool, owns: fn(usize) -> Ownership) -> io::Result<Heap> {
        let bytes = bytes.max(PAGE).next_multiple_of(PAGE);
        // A page beyond the end stays closed.
        let region = Region::reserve(HEAP, bytes + SLACK.next_multiple_of(PAGE) + PAGE)?;
        region.open(0, bytes + SLACK.next_multiple_of(PAGE))?;
        let base = region.base() as usize;
        // SAFETY: only the thread that owns us uses the state.
        unsafe {
            STATE = State {
                base,
                top: base,
                end: base + bytes,
                guarded: if guards { base + (bytes / 2).min(MOST_GUARDED) } else { base },
                closed: false,
                lists: [ptr::null_mut(); LISTS],
                owns,
            };
        }
        Ok(Heap { region })
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
            if STATE.closed {
                libc::mprotect(self.region.base().cast(), STATE.top - STATE.base, READ_WRITE);
                STATE.closed = false;
            }
            if STATE.top != STATE.base {
                self.scrub(STATE.top - STATE.base);
                STATE.top = STATE.base;
                STATE.lists = [ptr::null_mut(); LISTS];
            }
        }
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
        if let Some(block) = allocate_guarded(size, align) {
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
            return None;
        }
        state.top = end;
        let header = (start - HEADER) as *mut Header;
        *header = Header { size, capacity, mark: LIVE ^ start, next: ptr::null_mut() };
        Some((start as *mut c_void, true))
    }
}

/// A block that ends where a closed page begins; `None` if there is no room for such blocks any more.
unsafe fn allocate_guarded(size: usize, align: usize) -> Option<*mut c_void> {
    // SAFETY: all addresses are inside the arena, the state is ours.
    unsafe {
        let state = state();
        let align = if align > ALIGN { align } else { 1 << size.trailing_zeros().min(ALIGN.ilog2()) };
        let room = size.checked_add(HEADER + 2 * align.max(ALIGN))?;
        let end = state.top.checked_add(room)?.checked_next_multiple_of(PAGE)?;
        if end + PAGE > state.guarded || libc::mprotect(end as *mut c_void, PAGE, libc::PROT_NONE) != 0 {
            return None;
        }
        state.closed = true;
        state.top = end + PAGE;
        let start = (end - size) & !(align - 1);
        let header = header_of(start);
        *header = Header { size, capacity: 0, mark: LIVE ^ start, next: ptr::null_mut() };
        Some(start as *mut c_void)
    }
}

/// Where the header of a block stands.
fn header_of(block: usize) -> *mut Header {
    ((block & !(ALIGN - 1)) - HEADER) as *mut Header
}

/// Whether a fault at an address met a closed page behind a block: nothing else in the arena faults. Children of this
/// process close pages that are open here, so that is not looked at.
pub(crate) fn is_guard(address: usize) -> bool {
    // SAFETY: plain numbers.
    unsafe { (STATE.base..STATE.guarded).contains(&address) }
}

/// What an address handed back to us is.
enum Handed {
    Nothing,
    Block(*mut Header),
    Object(usize),
    Foreign,
    Bad,
}

/// Whether an address lies in the arena. Asked at every `free` of the process.
#[unsafe(no_mangle)]
extern "C" fn bw_heap_contains(address: *const c_void) -> c_int {
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
            let is_plausible = address >= STATE.base + HEADER;
            if is_plausible && (*header_of(address)).mark == LIVE ^ address {
                Handed::Block(header_of(address))
            } else {
                Handed::Bad
            }
        } else {
            match (STATE.owns)(address) {
                Ownership::Object(size) => Handed::Object(size),
                Ownership::Forbidden => Handed::Bad,
                Ownership::Foreign => Handed::Foreign,
            }
        }
    }
}

unsafe fn release(header: *mut Header) {
    // SAFETY: a live block of this heap.
    unsafe {
        let state = state();
        (*header).mark = FREED ^ header as usize;
        if (*header).capacity == 0 {
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

/// `free`; 1 if the pointer cannot be freed.
///
/// # Safety
/// Any pointer will do; one from elsewhere goes to the C library.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn bw_heap_free(block: *mut c_void) -> c_int {
    // SAFETY: `handed` has looked at it.
    unsafe {
        match handed(block) {
            Handed::Nothing | Handed::Object(_) => {}
            Handed::Block(header) => release(header),
            Handed::Foreign => libc::free(block),
            Handed::Bad => return 1,
        }
    }
    0
}

/// `realloc`; sets `bad` if the pointer cannot be reallocated.
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
            Handed::Bad => {
                *bad = 1;
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
