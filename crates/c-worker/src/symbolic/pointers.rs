//! Which pointer of the input an address was made of.
//!
//! Where a pointer of the input leads is part of the input's shape, and a number only by accident. So an access through
//! one asks for no more than that it is not null (C. Sen, D. Marinov, G. Agha, "CUTE", 2005), and what a path says about
//! an index into its object is said relative to it.

use super::log::{Record, number};
use expr::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// Accesses that are told of one run.
const MOST_USES: usize = 1 << 10;

/// The pointers of the present input.
#[derive(Default, Debug)]
pub(super) struct Pointers {
    /// Their terms, with where they lead.
    own: FxHashMap<u32, u64>,
    /// What addresses were found to be made of.
    bases: FxHashMap<u32, Base>,
    /// Those that were followed already.
    followed: FxHashSet<u32>,
    /// Those that may lead to objects of any type.
    untyped: FxHashSet<u32>,
    /// What was done with the objects of these: pointer, offset, and the access as the code describes it.
    uses: FxHashSet<(u32, u64, u32)>,
}

/// What an address is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Base {
    /// The term of the pointer.
    pub(super) pointer: u32,
    /// Where it leads.
    pub(super) address: u64,
    /// Something that depends on the input was added.
    pub(super) is_indexed: bool,
}

impl Pointers {
    pub(super) fn clear(&mut self) {
        self.own.clear();
        self.bases.clear();
        self.followed.clear();
        self.untyped.clear();
        self.uses.clear();
    }

    /// Enters a pointer.
    pub(super) fn add(&mut self, term: u32, address: u64, is_untyped: bool) {
        self.own.insert(term, address);
        if is_untyped {
            self.untyped.insert(term);
        }
    }

    /// Whether an access to what a pointer leads to tells something new about its type.
    pub(super) fn use_as(&mut self, pointer: u32, offset: u64, access: u32) -> bool {
        self.untyped.contains(&pointer)
            && self.uses.len() < MOST_USES
            && self.uses.insert((pointer, offset, access))
    }

    /// Whether a pointer is followed for the first time.
    pub(super) fn follow(&mut self, pointer: u32) -> bool {
        self.followed.insert(pointer)
    }

    /// The pointer that an address was made of by adding to it, if it is one.
    pub(super) fn base(&mut self, records: &[Record], address: u32) -> Option<Base> {
        if self.own.is_empty() {
            return None;
        }
        let (mut term, mut is_indexed) = (address, false);
        let found = loop {
            if let Some(&address) = self.own.get(&term) {
                break Base { pointer: term, address, is_indexed };
            }
            if let Some(&base) = self.bases.get(&term) {
                break Base { is_indexed: is_indexed || base.is_indexed, ..base };
            }
            let record = records.get(term as usize)?;
            let is_sum = record.op == Op::Add as u8 || record.op == Op::Sub as u8;
            if !is_sum || record.width != 64 || record.number == number::FIRST {
                return None;
            }
            is_indexed |= record.number != number::SECOND && !is_number(records, record.b);
            term = record.a;
        };
        if address != found.pointer {
            self.bases.insert(address, found);
        }
        Some(found)
    }
}

fn is_number(records: &[Record], term: u32) -> bool {
    records.get(term as usize).is_some_and(|record| record.op == Op::Const as u8)
}
