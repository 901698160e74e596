//! What the target's heap has to know about addresses that are not its own.

use crate::layout::{Kind, Placed};
use crate::region::PAGE;
use std::ffi::c_int;
use std::ops::Range;
use std::ptr;

/// What is known about an address that did not come from the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ownership {
    /// Start of an object of the input of this many bytes: as good as allocated.
    Object(usize),
    /// Start of an object of the input that was freed.
    Freed,
    /// No heap block: inside an object, on the stack, in the image.
    Forbidden,
    /// Perhaps from the C library's own allocator.
    Foreign,
}

/// Addresses that are no blocks of the C library's heap.
struct Owned {
    objects: *mut [Placed],
    forbidden: [(usize, usize); 3],
    /// Objects are closed when they are freed.
    closes: bool,
}

static mut OWNED: Owned = Owned {
    objects: ptr::slice_from_raw_parts_mut(ptr::null_mut(), 0),
    forbidden: [(0, 0); 3],
    closes: false,
};

fn object_at(address: usize) -> Option<&'static mut Placed> {
    // SAFETY: set before the run, by the same thread.
    let objects = unsafe { if OWNED.objects.is_null() { &mut [] } else { &mut *OWNED.objects } };
    objects.iter_mut().find(|p| p.kind == Kind::Heap && p.start == address && p.size > 0)
}

/// What the heap wants to know about a pointer it did not make. A function may free what it was given.
pub(crate) fn owner_of(address: usize) -> Ownership {
    // SAFETY: as above.
    let forbidden = unsafe { OWNED.forbidden };
    match object_at(address) {
        Some(place) if place.freed => Ownership::Freed,
        Some(place) => Ownership::Object(place.size),
        None if forbidden.iter().any(|&(start, end)| (start..end).contains(&address)) => Ownership::Forbidden,
        None => Ownership::Foreign,
    }
}

/// The object of the input that begins here is freed.
pub(crate) fn release(address: usize) {
    if let Some(place) = object_at(address) {
        place.freed = true;
        // SAFETY: plain data, and pages that only this object has.
        unsafe {
            if OWNED.closes {
                protect(place, libc::PROT_NONE);
            }
        }
    }
}

/// Makes a fault of every access to what is freed from now on, or to nothing of it. What was closed stays so until
/// [`reopen`].
pub(crate) fn close_freed(closes: bool) {
    // SAFETY: only the thread that runs the target frees its blocks.
    unsafe { OWNED.closes = closes };
}

/// Opens the freed objects again.
pub(crate) fn reopen(placed: &[Placed]) {
    for place in placed.iter().filter(|place| place.freed) {
        // SAFETY: they were open before.
        unsafe { protect(place, libc::PROT_READ | libc::PROT_WRITE) };
    }
}

/// An object has its pages for itself.
unsafe fn protect(place: &Placed, access: c_int) {
    let first = place.start & !(PAGE - 1);
    let end = (place.start + place.size).next_multiple_of(PAGE);
    // SAFETY: by contract.
    unsafe { libc::mprotect(first as *mut libc::c_void, end - first, access) };
}

/// Enters the ranges in which the library never allocates.
pub(crate) fn set_forbidden(ranges: [Range<usize>; 3]) {
    // SAFETY: only the thread that runs the target frees its blocks.
    unsafe { OWNED.forbidden = ranges.map(|range| (range.start, range.end)) };
}

/// Enters the objects of the present input.
///
/// # Safety
/// They stay where they are until the run is over.
#[inline]
pub(crate) unsafe fn set_objects(placed: &mut [Placed]) {
    // SAFETY: as above.
    unsafe { OWNED.objects = placed };
}
