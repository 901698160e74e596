//! Where the objects of an input stand in memory.
//!
//! Slots of a few sizes at fixed addresses, each followed by closed pages. An object stands at the *end* of
//! its slot: reading past the object faults at once. On request it stands at the start, where reading before it does, and
//! slots are given out from the last one on, far from each other: a pointer that led to something by chance no longer
//! does. Slots are opened when first used and stay open, so the hot path has no system call.

use crate::region::{INPUT, PAGE, Region};
use std::ops::Range;
use std::{io, ptr};

/// A size of slots.
struct Class {
    size: usize,
    guard: usize,
    count: usize,
}

const CLASSES: [Class; 5] = [
    Class { size: PAGE, guard: 15 * PAGE, count: 512 },
    Class { size: 64 << 10, guard: 64 << 10, count: 256 },
    Class { size: 1 << 20, guard: 1 << 20, count: 256 },
    Class { size: 64 << 20, guard: 1 << 20, count: 64 },
    Class { size: 1 << 30, guard: 1 << 20, count: 64 },
];
/// Classes to do without where address space is scarce.
const FEW_CLASSES: usize = 3;

/// Bytes before an object that are zeroed as well: what a write just below it leaves behind.
const BELOW: usize = 64;

/// Slots from one object to the next where they stand in front. It has no factor in common with the numbers of slots, so all
/// of them are given out; and rarely has an input so many objects that others stand there.
const APART: usize = 37;

/// The slots.
#[derive(Debug)]
pub(crate) struct Arena {
    region: Region,
    classes: Vec<Slots>,
    /// Objects stand at the start of their slots, [`APART`] from each other, the last one first.
    pub(crate) in_front: bool,
}

#[derive(Debug)]
struct Slots {
    /// Address of the first slot.
    base: usize,
    /// Slots used by the present input.
    used: usize,
    /// For every slot, the lowest address that is not zero; 0 if it was never opened.
    lows: Vec<usize>,
}

impl Arena {
    /// Reserves the address space.
    pub(crate) fn new() -> io::Result<Arena> {
        let reserve = |classes: &[Class]| Region::reserve(INPUT, classes.iter().map(Class::extent).sum());
        let (region, count) = match reserve(&CLASSES) {
            Ok(region) => (region, CLASSES.len()),
            Err(_) => (reserve(&CLASSES[..FEW_CLASSES])?, FEW_CLASSES),
        };
        let mut base = region.base() as usize;
        let classes = CLASSES[..count]
            .iter()
            .map(|class| {
                let slots = Slots { base, used: 0, lows: vec![0; class.count] };
                base += class.extent();
                slots
            })
            .collect();
        Ok(Arena { region, classes, in_front: false })
    }

    /// Forgets which slots are in use.
    #[inline]
    pub(crate) fn clear(&mut self) {
        for slots in &mut self.classes {
            slots.used = 0;
        }
    }

    /// The address of a new object of `size` bytes, all zero like the rest of its slot; `None` if there is
    /// no room.
    #[inline]
    pub(crate) fn place(&mut self, size: usize) -> Option<usize> {
        for (class, slots) in CLASSES.iter().zip(&mut self.classes) {
            if size > class.size || slots.used == class.count {
                continue;
            }
            let number = match self.in_front {
                true => class.count - 1 - slots.used * APART % class.count,
                false => slots.used,
            };
            let slot = slots.base + number * class.stride();
            let end = slot + class.size;
            let low = &mut slots.lows[number];
            if *low == 0 {
                self.region.open(slot - self.region.base() as usize, class.size).ok()?;
                *low = end;
            }
            slots.used += 1;
            if self.in_front {
                zero(slot, slot + size);
                *low = slot + BELOW;
                return Some(slot);
            }
            zero(slot.max((end - size).min(*low) - BELOW), end);
            *low = end - size;
            return Some(end - size);
        }
        None
    }

    /// Makes everything zero that was ever written to.
    pub(crate) fn scrub(&mut self) {
        for (class, slots) in CLASSES.iter().zip(&mut self.classes) {
            for (i, low) in slots.lows.iter_mut().enumerate().filter(|(_, low)| **low != 0) {
                let slot = slots.base + i * class.stride();
                zero(slot.max(*low - BELOW), slot + class.size);
                *low = slot + class.size;
            }
        }
    }

    /// Its address space, guards included.
    pub(crate) fn range(&self) -> Range<usize> {
        let base = self.region.base() as usize;
        base..base + self.region.len()
    }
}

#[inline]
fn zero(from: usize, to: usize) {
    // SAFETY: inside an open slot.
    unsafe { ptr::write_bytes(from as *mut u8, 0, to - from) };
}

impl Class {
    const fn stride(&self) -> usize {
        self.size + self.guard
    }

    const fn extent(&self) -> usize {
        self.stride() * self.count
    }
}
