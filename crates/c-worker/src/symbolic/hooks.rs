//! What instrumented code calls when a shadow is set. Slots are described in [`wire::symbolic::SymbolicSlot`].

use super::log::{Event, Log, Record, kind, number};
use super::memory::Memory;
use super::objects::Objects;
use super::pointers::Pointers;
use super::variadic::Extras;
use super::{accesses, arithmetic};
use crate::region::PAGE;
use expr::Op;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use wire::symbolic::SymbolicSlot as Slot;

/// Everything the hooks work on.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) log: Log,
    pub(super) memory: Memory,
    pub(super) objects: Objects,
    pub(super) pointers: Pointers,
    /// What stands behind `...` of the function under test.
    pub(super) extras: Extras,
    /// The unions of the input, outer ones before those inside them.
    pub(super) unions: Vec<Union>,
    /// Function in the image → twin.
    pub(super) twins: HashMap<usize, usize>,
    /// Address and bytes that a store at an address of the input is about to overwrite.
    pub(super) overwritten: (usize, [u8; 16]),
    /// Cells of an object that a load or a store at an address of the input may choose from.
    pub(super) choices: usize,
    /// Cells that may still be chosen from in this run, all accesses together.
    pub(super) cells_left: usize,
    /// Tables of this run that have no terms: place, bytes of a row, width → what they hold, first row.
    pub(super) tables: HashMap<(usize, u32, u32), (Vec<u8>, u32)>,
    /// Whether an access at an address of the input stays in its object is a decision.
    pub(super) find_errors: bool,
    /// Objects whose lengths are variables.
    pub(super) lengths: Vec<super::lengths::Length>,
}

/// A union of the input.
#[derive(Debug)]
pub(super) struct Union {
    pub(super) place: Range<usize>,
    /// The variable that says which member is meant.
    pub(super) term: u32,
    pub(super) members: u32,
    pub(super) chosen: u32,
    /// The path speaks of it already.
    pub(super) decided: bool,
    /// Where it was read, and what as.
    pub(super) reads: Vec<(u64, u32)>,
}

static mut RECORDER: *mut Recorder = std::ptr::null_mut();

/// Lets the hooks work on a recorder, or on none.
///
/// # Safety
/// It stays where it is until it is replaced, and only the thread that runs the target calls hooks.
pub(super) unsafe fn install(recorder: *mut Recorder) {
    // SAFETY: by contract.
    unsafe { RECORDER = recorder };
}

#[inline]
pub(super) fn recorder() -> Option<&'static mut Recorder> {
    // SAFETY: see `install`; hooks do not call each other through the target.
    unsafe { RECORDER.as_mut() }
}

/// The function for a slot.
pub(super) fn entry(slot: Slot) -> *const c_void {
    match slot {
        Slot::Unary => arithmetic::unary as *const c_void,
        Slot::Binary => arithmetic::binary as *const c_void,
        Slot::Binary128 => arithmetic::binary_128 as *const c_void,
        Slot::Ternary => arithmetic::ternary as *const c_void,
        Slot::Compare => arithmetic::compare as *const c_void,
        Slot::Compare128 => arithmetic::compare_128 as *const c_void,
        Slot::CompareFloat => arithmetic::compare_float as *const c_void,
        Slot::Index => accesses::index as *const c_void,
        Slot::Load => accesses::load as *const c_void,
        Slot::BeforeStore => accesses::before_store as *const c_void,
        Slot::Store => accesses::store as *const c_void,
        Slot::Copy => accesses::copy as *const c_void,
        Slot::Fill => accesses::fill as *const c_void,
        Slot::Extent => accesses::extent as *const c_void,
        Slot::Branch => branch as *const c_void,
        Slot::Switch => switch as *const c_void,
        Slot::Pin => pin as *const c_void,
        Slot::Lose => lose as *const c_void,
        Slot::Twin => twin as *const c_void,
        Slot::Intrinsic => arithmetic::intrinsic as *const c_void,
        Slot::Local => local as *const c_void,
        Slot::Block => block as *const c_void,
        Slot::Room => room as *const c_void,
        Slot::Elements => super::lengths::elements as *const c_void,
        Slot::Rest => super::variadic::rest as *const c_void,
        Slot::Print => super::variadic::print as *const c_void,
    }
}

/// What a record does with its operands.
pub(super) struct Head {
    pub(super) op: u8,
    pub(super) width: u8,
    pub(super) extra: u8,
}

impl Head {
    pub(super) fn new(op: Op, width: u32) -> Head {
        Head { op: op as u8, width: width as u8, extra: 0 }
    }
}

impl Log {
    pub(super) fn constant(&mut self, value: u64, width: u32) -> u32 {
        let value = if width < 64 { value & ((1 << width) - 1) } else { value };
        self.push(Record {
            op: Op::Const as u8,
            width: width as u8,
            a: value as u32,
            b: (value >> 32) as u32,
            ..Record::default()
        })
    }

    pub(super) fn wide_constant(&mut self, value: u128, width: u32) -> u32 {
        if width <= 64 {
            return self.constant(value as u64, width);
        }
        let low = self.constant(value as u64, 64);
        let high = self.constant((value >> 64) as u64, width - 64);
        self.make(Op::Concat, width, [high, low, 0])
    }

    /// A term; 0 if an operand is missing because the log is full.
    pub(super) fn make(&mut self, op: Op, width: u32, operands: [u32; 3]) -> u32 {
        self.make_raw(op as u8, op.arity(), width, 0, operands)
    }

    pub(super) fn make_raw(
        &mut self,
        op: u8,
        arity: usize,
        width: u32,
        extra: u32,
        operands: [u32; 3],
    ) -> u32 {
        if operands[..arity].contains(&0) {
            return 0;
        }
        let [a, b, c] = operands;
        self.push(Record { op, width: width as u8, extra: extra as u8, number: number::NONE, a, b, c })
    }

    /// An operation on two operands of `operand_width` up to 64 bits, each a shadow, or a number if that is 0.
    #[inline]
    pub(super) fn pair(&mut self, head: Head, operand_width: u32, a: (u32, u64), b: (u32, u64)) -> u32 {
        let (number, value) = match (a, b) {
            ((0, _), (0, _)) => return 0,
            ((0, a), _) => (number::FIRST, a),
            (_, (0, b)) => (number::SECOND, b),
            _ => (number::NONE, 0),
        };
        let value = value & (u64::MAX >> (64 - operand_width));
        let half = |shadow: u32| if shadow == 0 { value as u32 } else { shadow };
        let Head { op, width, extra } = head;
        self.push(Record { op, width, extra, number, a: half(a.0), b: half(b.0), c: (value >> 32) as u32 })
    }

    pub(super) fn extract(&mut self, term: u32, low: u32, width: u32) -> u32 {
        self.make_raw(Op::Extract as u8, 1, width, low, [term, 0, 0])
    }

    pub(super) fn operand(&mut self, shadow: u32, value: u64, width: u32) -> u32 {
        if shadow != 0 { shadow } else { self.constant(value, width) }
    }
}

extern "C" fn branch(id: u32, term: u32, outcome: u32) {
    let Some(Recorder { log, .. }) = recorder() else { return };
    log.event(Event { kind: kind::BRANCH, id, term, width: 1, value: outcome.into(), table: 0 });
}

extern "C" fn switch(table: u64, value: u64, term: u32, width: u32) {
    let Some(Recorder { log, .. }) = recorder() else { return };
    log.event(Event { kind: kind::SWITCH, id: 0, term, width, value, table });
}

pub(super) extern "C" fn pin(term: u32, value: u64, width: u32, site: u32) {
    let Some(recorder) = recorder() else { return };
    match recorder.pointers.base(recorder.log.records(), term) {
        // What a pointer of the input leads to is not a number.
        Some(base) if width == 64 && !base.is_indexed => {}
        Some(base) if width == 64 => {
            let offset = recorder.log.make(Op::Sub, 64, [term, base.pointer, 0]);
            recorder.pin(offset, value.wrapping_sub(base.address), width, site);
        }
        _ => recorder.pin(term, value, width, site),
    }
}

extern "C" fn lose(_any: u32, site: u32) {
    if let Some(recorder) = recorder() {
        recorder.log.lose(site);
    }
}

extern "C" fn twin(function: usize) -> usize {
    recorder().and_then(|r| r.twins.get(&function).copied()).unwrap_or(function)
}

extern "C" fn local(object: usize, bytes: usize, frame: usize) {
    if let Some(recorder) = recorder() {
        recorder.objects.add_local(object..object.saturating_add(bytes), frame);
    }
}

extern "C" fn block(block: usize, bytes: usize) {
    if let Some(recorder) = recorder()
        && block != 0
    {
        recorder.objects.add_block(block, bytes);
    }
}

extern "C" fn room(address: usize) -> u64 {
    let Some(recorder) = recorder() else { return 0 };
    if let Some(object) = recorder.objects.containing(address) {
        return (object.end - address) as u64;
    }
    // Whoever reads from there will fault, and says where the null pointer came from.
    if address < PAGE {
        return 0;
    }
    // A string that does not depend on the input, such as a literal, reaches to its end.
    // SAFETY: the target is about to read it as a string.
    let length = unsafe { libc::strlen(address as *const libc::c_char) };
    if recorder.memory.any(address, length + 1) { 0 } else { length as u64 + 1 }
}
