//! Shadows of the arguments behind `...`.

use super::hooks::{copy, fill, recorder};
use wire::symbolic::{MOST_REST, Rest, SAVED_BYTES};

/// A `va_list`.
#[repr(C)]
pub(super) struct List {
    offsets: [u32; 2],
    stack: usize,
    saved: usize,
}

/// See [`wire::symbolic::SymbolicSlot::Rest`]. Both areas were written by code without shadows.
pub(super) extern "C" fn rest(list: *const List, rest: *const u64, mine: u32) {
    // SAFETY: both are there, by the ABI.
    let (list, rest) = unsafe { (&*list, std::slice::from_raw_parts(rest, 2 + 2 * MOST_REST)) };
    fill(list.saved, 0, SAVED_BYTES as usize);
    if mine == 0 {
        return;
    }
    fill(list.stack, 0, rest[1] as usize);
    for pair in rest[2..].chunks_exact(2).take(rest[0] as usize) {
        let (place, bytes, offset) = Rest::read(pair[0]);
        match place {
            Rest::Copy => copy(list.stack + offset, pair[1] as usize, bytes),
            Rest::Stack => put(list.stack + offset, bytes, pair[1] as u32),
            Rest::Saved => put(list.saved + offset, bytes, pair[1] as u32),
        }
    }
}

fn put(address: usize, bytes: usize, term: u32) {
    if let Some(recorder) = recorder() {
        recorder.put(address, bytes as u32, term);
    }
}
