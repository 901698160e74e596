//! Which object an address belongs to.

use crate::layout::Placed;
use std::ops::Range;

/// Live objects: the program's variables and those of the present input.
#[derive(Default, Debug)]
pub(super) struct Objects {
    /// Sorted by start, without overlap.
    variables: Vec<Range<usize>>,
    input: Vec<Range<usize>>,
}

impl Objects {
    pub(super) fn new(mut variables: Vec<Range<usize>>) -> Objects {
        variables.retain(|range| !range.is_empty());
        variables.sort_by_key(|range| range.start);
        variables.dedup_by(|next, range| next.start < range.end);
        Objects { variables, input: Vec::new() }
    }

    /// Takes the objects of a new input.
    pub(super) fn set_input(&mut self, placed: &[Placed]) {
        self.input.clear();
        self.input.extend(placed.iter().filter(|p| p.start != 0).map(|p| p.start..p.start + p.size));
    }

    pub(super) fn containing(&self, address: usize) -> Option<Range<usize>> {
        if let Some(range) = self.input.iter().find(|range| range.contains(&address)) {
            return Some(range.clone());
        }
        let next = self.variables.partition_point(|range| range.start <= address);
        self.variables[..next].last().filter(|range| range.contains(&address)).cloned()
    }
}
