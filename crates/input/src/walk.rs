//! Reading a type and its leaves side by side.

use crate::leaf::Leaf;
use std::ops::Range;

/// Goes through a type in the order in which [`crate::LeafTable`] lists its leaves. Not every scalar has a leaf: of a
/// large array only the first elements do.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    leaves: &'a [Leaf],
    /// Index of the first leaf not taken yet.
    next: usize,
    /// The place reached, written like [`Leaf::path`].
    path: String,
}

impl<'a> Walk<'a> {
    /// Stands at the start of an element.
    #[must_use]
    pub fn new(leaves: &'a [Leaf]) -> Walk<'a> {
        Walk { leaves, next: 0, path: String::new() }
    }

    /// Goes down to a member or an element: `.x`, `[3]`, or nothing for what has no name. Returns the way back for
    /// [`Walk::leave`].
    pub fn enter(&mut self, step: &str) -> usize {
        let outer = self.path.len();
        self.path.push_str(step);
        outer
    }

    /// Goes back up.
    pub fn leave(&mut self, outer: usize) {
        self.path.truncate(outer);
    }

    /// Whether the next leaf belongs to this place.
    #[must_use]
    pub fn has_leaf(&self) -> bool {
        self.leaves.get(self.next).is_some_and(|leaf| self.holds(leaf))
    }

    /// The leaf of the scalar or the union selector at this place and its index; `None` if it has none.
    pub fn take(&mut self) -> Option<(usize, &'a Leaf)> {
        let leaf = self.leaves.get(self.next).filter(|leaf| leaf.path == self.path)?;
        self.next += 1;
        Some((self.next - 1, leaf))
    }

    /// The indices of all leaves of this place that were not taken yet.
    #[must_use]
    pub fn rest(&self) -> Range<usize> {
        let rest = self.leaves[self.next..].iter();
        self.next..self.next + rest.take_while(|leaf| self.holds(leaf)).count()
    }

    /// Passes over all leaves of this place.
    pub fn skip(&mut self) {
        self.next = self.rest().end;
    }

    fn holds(&self, leaf: &Leaf) -> bool {
        let inside = leaf.path.strip_prefix(self.path.as_str());
        inside.is_some_and(|path| path.is_empty() || path.starts_with(['.', '[']))
    }
}
