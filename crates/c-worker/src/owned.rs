//! What the target's heap has to know about addresses that are not its own.

use crate::heap::Ownership;
use crate::layout::{Kind, Placed};
use std::ops::Range;

/// Addresses that are no blocks of the C library's heap.
struct Owned {
    objects: *const [Placed],
    forbidden: [(usize, usize); 3],
}

static mut OWNED: Owned = Owned { objects: &[], forbidden: [(0, 0); 3] };

/// What the heap wants to know about a pointer it did not make. A function may free what it was given.
pub(crate) fn owner_of(address: usize) -> Ownership {
    // SAFETY: set before the run, by the same thread.
    let (objects, forbidden) = unsafe { (&*OWNED.objects, OWNED.forbidden) };
    if let Some(place) = objects.iter().find(|p| p.kind == Kind::Heap && p.start == address && p.size > 0) {
        Ownership::Object(place.size)
    } else if forbidden.iter().any(|&(start, end)| (start..end).contains(&address)) {
        Ownership::Forbidden
    } else {
        Ownership::Foreign
    }
}

/// Elements from a pointer to the end of the object of the input that it leads into. Of what is no part of the input nobody
/// knows the end, so nothing is too much there.
pub(crate) extern "C" fn elements_behind(address: usize, size: u64) -> u64 {
    // SAFETY: set before the run, by the same thread.
    let objects = unsafe { &*OWNED.objects };
    let around = objects.iter().filter(|place| place.kind == Kind::Heap && place.start != 0);
    let mut ends = around.map(|place| (place.start, place.start + place.size));
    match ends.find(|&(start, end)| (start..=end).contains(&address)) {
        Some((_, end)) => (end - address) as u64 / size.max(1),
        None => u64::MAX,
    }
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
pub(crate) unsafe fn set_objects(placed: &[Placed]) {
    // SAFETY: as above.
    unsafe { OWNED.objects = placed };
}
