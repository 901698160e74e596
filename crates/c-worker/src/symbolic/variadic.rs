//! Shadows of the arguments behind `...`, and which of those of the function under test are read.

use super::accesses::{copy, fill};
use super::hooks::{Recorder, recorder};
use super::log::{Event, kind};
use super::memory::Entry;
use crate::region::PAGE;
use input::{ExtraKind, ExtraRead};
use model::rest::{NUMBERS, WORDS, ZEROS};
use rustc_hash::FxHashMap;
use std::ffi::{CStr, c_char};
use std::ops::Range;
use wire::symbolic::{Access, MOST_REST, Rest, SAVED_BYTES};

/// Words come first, then floating-point numbers.
const ALL_WORDS: u32 = WORDS + ZEROS;

/// What stands behind `...` of the function under test. Every argument has a term, also one that is absent: so its
/// shadow tells who reads it, wherever the calling convention has put it.
#[derive(Default, Debug)]
pub(super) struct Extras {
    /// Numbers of arguments by their terms; those that were read are taken out.
    unread: FxHashMap<u32, u32>,
    /// Where the trampoline takes them from.
    block: Range<usize>,
}

impl Extras {
    pub(super) fn clear(&mut self) {
        self.unread.clear();
    }
}

impl Recorder {
    /// Takes the arguments of a new input, which begin there.
    pub(super) fn begin_extras(&mut self, start: usize) {
        self.extras.block = start..start + model::Rest::BYTES as usize;
        let word = |i| (i, start + model::Rest::word(i) as usize);
        let number = |i| (ALL_WORDS + i, start + model::Rest::number(i) as usize);
        for (extra, address) in (0..ALL_WORDS).map(word).chain((0..NUMBERS).map(number)) {
            let term = match self.memory.get(address).get() {
                Some((term, _)) => term,
                None => self.log.constant(0, 64),
            };
            if term != 0 {
                (0..8).for_each(|i| self.memory.set(address + i as usize, Entry::new(term, i)));
                self.extras.unread.insert(term, extra);
            }
        }
    }

    /// Notes that an argument is read, the first time that it is.
    #[inline]
    pub(super) fn note_extra(&mut self, address: usize, access: u32) {
        if self.extras.unread.is_empty() || self.extras.block.contains(&address) {
            return;
        }
        if let Some((term, 0)) = self.memory.get(address).get()
            && let Some(extra) = self.extras.unread.remove(&term)
        {
            let event = Event { kind: kind::EXTRA, id: access, value: extra.into(), ..Event::default() };
            self.log.event(event);
        }
    }
}

/// What the event of a read says.
pub(super) fn read(event: &Event) -> ExtraRead {
    let (kind, bytes) = Access::read(event.id);
    let extra = event.value as u32;
    match (Access::ALL.get(kind as usize), extra.checked_sub(ALL_WORDS)) {
        (Some(Access::Float), Some(number)) if bytes == 8 => ExtraRead::Number(number),
        (Some(Access::Pointer), None) => ExtraRead::Word(extra, ExtraKind::Pointer),
        (Some(Access::Integer), None) if bytes <= 4 => ExtraRead::Word(extra, ExtraKind::Int),
        (Some(Access::Integer), None) if bytes == 8 => ExtraRead::Word(extra, ExtraKind::Long),
        _ => ExtraRead::Other,
    }
}

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

/// Bytes of the saved registers for whole numbers, and of all of them.
const GENERAL_BYTES: u32 = 48;

/// See [`wire::symbolic::SymbolicSlot::Print`]. What the library is about to read, as the format says.
pub(super) extern "C" fn print(format: *const c_char, list: *const List) {
    let Some(recorder) = recorder() else { return };
    if recorder.extras.unread.is_empty() || (format as usize) < PAGE || (list as usize) < PAGE {
        return;
    }
    // SAFETY: the library reads both as well.
    let (format, list) = unsafe { (CStr::from_ptr(format).to_bytes(), &*list) };
    let ([mut general, mut float], mut stack) = (list.offsets, list.stack);
    for (access, bytes) in printed(format) {
        let (offset, step, end) = match access {
            Access::Float => (&mut float, 16, SAVED_BYTES as u32),
            Access::Integer | Access::Pointer => (&mut general, 8, GENERAL_BYTES),
        };
        let place = if *offset < end { list.saved + *offset as usize } else { stack };
        if *offset < end {
            *offset += step;
        } else {
            stack += 8;
        }
        recorder.note_extra(place, access.describe(bytes));
    }
}

/// What a format of the `printf` family asks for, in order, each with its bytes. A `long double` asks for 16: no argument
/// of the input is one.
fn printed(format: &[u8]) -> Vec<(Access, u32)> {
    const INT: (Access, u32) = (Access::Integer, 4);
    let mut all = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.iter().position(|&byte| byte == b'%') {
        rest = &rest[start + 1..];
        let end = rest.iter().position(|byte| !b"-+ #0'I123456789.*hlqjztL".contains(byte));
        let Some(end) = end else { break };
        let options = &rest[..end];
        all.extend(options.iter().filter(|&&byte| byte == b'*').map(|_| INT));
        let is_long = options.iter().any(|byte| b"lqjzt".contains(byte));
        match rest[end] {
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' if is_long => all.push((Access::Integer, 8)),
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'C' => all.push(INT),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                all.push((Access::Float, if options.contains(&b'L') { 16 } else { 8 }));
            }
            b's' | b'S' | b'p' | b'n' => all.push((Access::Pointer, 8)),
            _ => {}
        }
        rest = &rest[end + 1..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_say_what_is_read() {
        let int = (Access::Integer, 4);
        assert_eq!(
            printed(b"100%% of %s, %5d and %-*.*f|%lu%c"),
            [(Access::Pointer, 8), int, int, int, (Access::Float, 8), (Access::Integer, 8), int,]
        );
        assert_eq!(printed(b"%Lf %n %"), [(Access::Float, 16), (Access::Pointer, 8)]);
        assert_eq!(printed(b"%l"), []);
    }
}
