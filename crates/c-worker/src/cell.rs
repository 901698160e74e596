//! One cell in memory: where it is in its element, how it is stored and loaded.

use input::{Guard, Leaf, LeafKind};
use model::FloatKind;
use std::ptr;

/// How a cell is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Store {
    U8,
    U16,
    U32,
    U64,
    U128,
    /// The ten bytes of an x87 number.
    F80,
    /// A bit-field, or an integer of an odd width: first bit and number of bits.
    Bits(u8, u8),
    /// A pointer to an element.
    Pointer,
    /// Not in memory.
    Selector,
}

/// A cell of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) offset: u32,
    pub(crate) store: Store,
    pub(crate) guard: Option<Guard>,
    /// A pointer for which there can be an object.
    pub(crate) points_somewhere: bool,
    /// No part of the input.
    pub(crate) observed_only: bool,
    /// A pointer to objects of any type.
    pub(crate) is_untyped: bool,
}

impl Op {
    /// The place of a leaf.
    pub(crate) fn new(leaf: &Leaf) -> Op {
        let store = match (&leaf.kind, leaf.bit, leaf.width) {
            (LeafKind::Selector { .. }, ..) => Store::Selector,
            (LeafKind::Pointer { .. }, ..) => Store::Pointer,
            (LeafKind::Float(FloatKind::F80), ..) => Store::F80,
            (_, 0, 8) => Store::U8,
            (_, 0, 16) => Store::U16,
            (_, 0, 32) => Store::U32,
            (_, 0, 64) => Store::U64,
            (_, 0, 128) => Store::U128,
            (_, bit, width) => Store::Bits(bit, width.min(120) as u8),
        };
        let points_somewhere = matches!(leaf.kind, LeafKind::Pointer { to: Some(_), .. });
        let is_untyped = matches!(leaf.kind, LeafKind::Pointer { untyped: true, .. });
        let observed_only = leaf.observed_only;
        Op { offset: leaf.offset, store, guard: leaf.guard, points_somewhere, observed_only, is_untyped }
    }

    /// Stores raw bits (an address for pointers) into an element.
    ///
    /// # Safety
    /// The leaf lies inside writable memory at `element`.
    #[inline]
    pub(crate) unsafe fn store(&self, element: *mut u8, cell: u128) {
        // SAFETY: by contract. Packed members have no alignment.
        unsafe {
            let at = element.add(self.offset as usize);
            match self.store {
                Store::U8 => *at = cell as u8,
                Store::U16 => at.cast::<u16>().write_unaligned(cell as u16),
                Store::U32 => at.cast::<u32>().write_unaligned(cell as u32),
                Store::U64 | Store::Pointer => at.cast::<u64>().write_unaligned(cell as u64),
                Store::U128 => at.cast::<u128>().write_unaligned(cell),
                Store::F80 => ptr::copy_nonoverlapping(cell.to_le_bytes().as_ptr(), at, 10),
                Store::Bits(bit, width) => {
                    let mask = ((1u128 << width) - 1) << bit;
                    let mut bytes = [0; 16];
                    let used = (usize::from(bit) + usize::from(width)).div_ceil(8);
                    ptr::copy_nonoverlapping(at, bytes.as_mut_ptr(), used);
                    let word = u128::from_le_bytes(bytes) & !mask | cell << bit & mask;
                    ptr::copy_nonoverlapping(word.to_le_bytes().as_ptr(), at, used);
                }
                Store::Selector => {}
            }
        }
    }

    /// Bytes that it takes in memory.
    pub(crate) fn bytes(&self) -> u32 {
        match (self.store, self.variable_bits()) {
            (Store::Selector, _) => 0,
            (_, Some((bit, width))) => (bit + width).div_ceil(8),
            (_, None) => 16,
        }
    }

    /// First bit and width of what terms can speak of.
    pub(crate) fn variable_bits(&self) -> Option<(u32, u32)> {
        match self.store {
            Store::U8 => Some((0, 8)),
            Store::U16 => Some((0, 16)),
            Store::U32 => Some((0, 32)),
            Store::U64 | Store::Pointer => Some((0, 64)),
            Store::U128 => Some((0, 128)),
            Store::Bits(bit, width) => Some((bit.into(), width.into())),
            Store::Selector => Some((0, 32)),
            Store::F80 => None,
        }
    }

    /// Reads raw bits back; the inverse of [`Op::store`].
    ///
    /// # Safety
    /// The leaf lies inside readable memory at `element`.
    pub(crate) unsafe fn load(&self, element: *const u8) -> u128 {
        let (bit, width) = match self.store {
            Store::U8 => (0, 8),
            Store::U16 => (0, 16),
            Store::U32 => (0, 32),
            Store::U64 | Store::Pointer => (0, 64),
            Store::U128 => (0, 128),
            Store::F80 => (0, 80),
            Store::Bits(bit, width) => (bit, width),
            Store::Selector => return 0,
        };
        let mut bytes = [0; 16];
        let used = (usize::from(bit) + usize::from(width)).div_ceil(8);
        // SAFETY: by contract.
        unsafe { ptr::copy_nonoverlapping(element.add(self.offset as usize), bytes.as_mut_ptr(), used) };
        let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
        u128::from_le_bytes(bytes) >> bit & mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place and width of a bit-field: what is stored is loaded, and no other bit changes.
    #[test]
    fn bit_fields_touch_only_their_bits() {
        for bit in 0..8u8 {
            for width in 1..=64u8 {
                let store = Store::Bits(bit, width);
                let op = Op {
                    offset: 1,
                    store,
                    guard: None,
                    points_somewhere: false,
                    observed_only: false,
                    is_untyped: false,
                };
                let mask = (1u128 << width) - 1;
                for (before, cell) in [(0u8, u128::MAX), (0xff, 0), (0xa5, 0x1234_5678_9abc_def5)] {
                    let mut memory = [before; 12];
                    // SAFETY: at most 1 + 9 bytes are touched.
                    let loaded = unsafe {
                        op.store(memory.as_mut_ptr(), cell);
                        op.load(memory.as_ptr())
                    };
                    assert_eq!(loaded, cell & mask, "{bit}:{width}");
                    let mut whole = [0; 16];
                    whole[..12].copy_from_slice(&memory);
                    let kept = !(mask << bit << 8) & ((1 << 96) - 1);
                    let all_before = u128::from_le_bytes([before; 16]);
                    assert_eq!(u128::from_le_bytes(whole) & kept, all_before & kept, "{bit}:{width}");
                }
            }
        }
    }
}
