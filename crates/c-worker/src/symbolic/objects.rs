//! Which object an address belongs to.

use crate::layout::Placed;
use std::collections::BTreeMap;
use std::ops::Range;

/// Deeper recursion than this is not followed.
const MOST_LOCALS: usize = 1 << 16;
/// More blocks of the heap than these are not known.
const MOST_BLOCKS: usize = 1 << 16;

/// Live objects: the program's variables, those of the present input, those on the stack, and blocks of the heap.
#[derive(Default, Debug)]
pub(super) struct Objects {
    /// Sorted by start, without overlap.
    variables: Vec<Range<usize>>,
    /// Each with the bytes that it has in the longest input.
    input: Vec<(Range<usize>, usize)>,
    /// On the stack, each with its frame; frames further down come later.
    locals: Vec<(usize, Range<usize>)>,
    /// Ends of blocks by their start. A freed one stays until its place is used again: who looks into it errs anyway.
    blocks: BTreeMap<usize, usize>,
}

impl Objects {
    pub(super) fn new(mut variables: Vec<Range<usize>>) -> Objects {
        variables.retain(|range| !range.is_empty());
        variables.sort_by_key(|range| range.start);
        variables.dedup_by(|next, range| next.start < range.end);
        Objects { variables, ..Objects::default() }
    }

    /// Takes the objects of a new input, each with the bytes that it could have.
    pub(super) fn set_input<'a>(&mut self, placed: impl Iterator<Item = (&'a Placed, usize)>) {
        self.input.clear();
        self.locals.clear();
        self.blocks.clear();
        let there = placed.filter(|(place, _)| place.start != 0);
        self.input.extend(there.map(|(p, most)| (p.start..p.start + p.size, most.max(p.size))));
    }

    /// Enters a local object. Frames below its own have been left, and what overlaps it is gone.
    pub(super) fn add_local(&mut self, object: Range<usize>, frame: usize) {
        while self.locals.last().is_some_and(|&(other, _)| other < frame) {
            self.locals.pop();
        }
        let same = self.locals.iter().rposition(|&(other, _)| other != frame).map_or(0, |i| i + 1);
        let mut i = same;
        while i < self.locals.len() {
            let other = &self.locals[i].1;
            if other.start < object.end && object.start < other.end {
                self.locals.swap_remove(i);
            } else {
                i += 1;
            }
        }
        if self.locals.len() < MOST_LOCALS {
            self.locals.push((frame, object));
        }
    }

    /// Enters a block of the heap. What overlaps it is gone.
    pub(super) fn add_block(&mut self, start: usize, bytes: usize) {
        let end = start.saturating_add(bytes);
        while let Some((&other, _)) = self.blocks.range(..end).next_back().filter(|&(_, &stop)| stop > start)
        {
            self.blocks.remove(&other);
        }
        if self.blocks.len() < MOST_BLOCKS {
            self.blocks.insert(start, end);
        }
    }

    /// Whether an address belongs to an object of the input.
    pub(super) fn is_input(&self, address: usize) -> bool {
        self.input.iter().any(|(range, _)| range.contains(&address))
    }

    /// Where the object of an address starts, and how many bytes it can have: one of the input may be longer next time.
    pub(super) fn extent(&self, address: usize) -> Option<(usize, usize)> {
        let input = self.input.iter().find(|(range, _)| range.contains(&address));
        input.map(|(range, most)| (range.start, *most)).or_else(|| {
            let object = self.containing(address)?;
            Some((object.start, object.len()))
        })
    }

    pub(super) fn containing(&self, address: usize) -> Option<Range<usize>> {
        if let Some((range, _)) = self.input.iter().find(|(range, _)| range.contains(&address)) {
            return Some(range.clone());
        }
        if let Some((_, range)) = self.locals.iter().rev().find(|(_, range)| range.contains(&address)) {
            return Some(range.clone());
        }
        if let Some((&start, &end)) =
            self.blocks.range(..=address).next_back().filter(|&(_, &end)| address < end)
        {
            return Some(start..end);
        }
        let next = self.variables.partition_point(|range| range.start <= address);
        self.variables[..next].last().filter(|range| range.contains(&address)).cloned()
    }
}
