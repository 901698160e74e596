//! Copies of `finally` blocks.
//!
//! The code of a `finally` block stands at every way out of the `try` and once more in a handler for everything, which throws again what it
//! caught. Copies count as the one in the handler: it is taken apart, and wherever control leaves the protected code the same opcodes
//! in the same order are a copy.

use super::matcher::{Listing, same_opcode};
use super::{Filter, View};
use java_classfile::instruction::Kind;
use java_classfile::{Handler, Instruction};
use std::collections::BTreeSet;

pub(super) fn filter(listing: &Listing<'_>, view: &mut View) {
    let handlers = &listing.code.handlers;
    for (number, handler) in handlers.iter().enumerate().filter(|(_, handler)| handler.catches.is_none()) {
        let start = listing.place(handler.handler);
        let Some(size) = size(listing, start).filter(|size| *size > 0) else { continue };
        let same = handlers.iter().filter(|other| other.handler == handler.handler);
        let inside: BTreeSet<usize> = same.clone().flat_map(|other| region(listing, other)).collect();
        for exit in same.flat_map(|other| exits(listing, other)) {
            if !inside.contains(&exit) {
                merge(listing, view, size, start, exit);
            }
        }
        // A handler of the same code that does nothing goes straight to its copy.
        let beside = |(other, handler2): &(usize, &Handler)| {
            *other != number && handler2.start == handler.start && handler2.end == handler.end
        };
        for (_, other) in handlers.iter().enumerate().filter(beside) {
            let copy = listing.place(other.handler) + 1;
            if !inside.contains(&copy) {
                merge(listing, view, size, start, copy);
            }
        }
    }
}

fn region(listing: &Listing<'_>, handler: &Handler) -> std::ops::Range<usize> {
    listing.place(handler.start)..listing.place(handler.end)
}

/// Where control goes from the protected code of a handler: by jumps, and by falling out at its end.
fn exits(listing: &Listing<'_>, handler: &Handler) -> Vec<usize> {
    let mut exits = Vec::new();
    let mut continues = false;
    let region = region(listing, handler);
    let end = region.end;
    for instruction in region.filter_map(|at| listing.get(at)) {
        continues =
            !matches!(instruction, Instruction::Goto { .. } | Instruction::Return(_) | Instruction::Throw);
        if instruction.is_conditional()
            || matches!(instruction, Instruction::Goto { .. } | Instruction::Jsr { .. })
        {
            exits.extend(instruction.targets().into_iter().map(|pc| listing.place(pc)));
        }
    }
    exits.extend(continues.then_some(end));
    exits
}

/// How many instructions a `finally` block has in its handler: from after `astore e` to before `aload e; athrow`.
fn size(listing: &Listing<'_>, start: usize) -> Option<usize> {
    let Instruction::Store { kind: Kind::Ref, index } = listing.get(start)? else { return None };
    let is_load = |at: &usize| matches!(listing.get(*at), Some(Instruction::Load { kind: Kind::Ref, index: other }) if other == index);
    let end = (start + 1..listing.len()).find(is_load)?;
    matches!(listing.get(end + 1), Some(Instruction::Throw)).then_some(end - start - 1)
}

fn merge(listing: &Listing<'_>, view: &mut View, size: usize, start: usize, copy: usize) {
    let pairs = || (start + 1..start + 1 + size).zip(copy..);
    let same =
        |(a, b): (usize, usize)| listing.get(a).zip(listing.get(b)).is_some_and(|(a, b)| same_opcode(a, b));
    if !pairs().all(same) {
        return;
    }
    view.hide(start, start + 1, Filter::FinallyCopy);
    pairs().for_each(|(first, second)| view.merge(first, second));
}
