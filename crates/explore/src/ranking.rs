//! A priority queue for scores that only grow.
//!
//! Distances grow as outcomes get covered, tries as attempts fail; so an entry that comes out with the score it
//! went in with is the best, and one whose score has grown goes back in.

use fastrand::Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Items with the smallest score first, in random order among equals.
#[derive(Clone, Debug)]
pub(crate) struct Ranking<T> {
    heap: BinaryHeap<Reverse<(u32, u64, T)>>,
}

impl<T: Ord> Ranking<T> {
    pub(crate) fn new() -> Ranking<T> {
        Ranking { heap: BinaryHeap::new() }
    }

    pub(crate) fn push(&mut self, item: T, score: u32, rng: &mut Rng) {
        self.heap.push(Reverse((score, rng.u64(..), item)));
    }

    /// The best item with its score of today, as `score` says; items without one are dropped.
    pub(crate) fn pop(&mut self, rng: &mut Rng, score: impl Fn(&T) -> Option<u32>) -> Option<(T, u32)> {
        loop {
            let Reverse((before, _, item)) = self.heap.pop()?;
            match score(&item) {
                Some(now) if now > before => self.push(item, now, rng),
                Some(now) => return Some((item, now)),
                None => {}
            }
        }
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.heap.retain(|Reverse((_, _, item))| keep(item));
    }
}
