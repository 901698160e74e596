//! States that were there before: what they lead to is known, and sequences of containers stay short.

use crate::{Canonical, InvokableId};
use std::collections::HashMap;

/// The invokables that are still to be run from a state, the one under test included.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Remaining(Box<[InvokableId]>);

impl Remaining {
    /// In this order and no other.
    #[must_use]
    pub fn in_order(rest: &[InvokableId]) -> Remaining {
        Remaining(rest.into())
    }

    /// In whatever order: fit for searches that try all of them. With partial order reduction not all are tried
    /// after each prefix, and [`Remaining::in_order`] is the safe choice.
    #[must_use]
    pub fn in_any_order(rest: &[InvokableId]) -> Remaining {
        let mut rest: Box<[InvokableId]> = rest.into();
        rest.sort_unstable();
        Remaining(rest)
    }
}

/// Whether to go on from a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It was not there before.
    New,
    /// An earlier state with the same invokables to come stands for everything that this one can be.
    Subsumed,
}

/// The states met so far, each with a constraint `C` on its symbols; `()` where there are none.
pub struct Seen<C> {
    states: HashMap<(Canonical, Remaining), Vec<C>>,
    held: usize,
    limit: usize,
    subsumed: u64,
}

impl<C> Seen<C> {
    /// None yet, and memory for `limit` of them. When it is full, further states are taken for new.
    #[must_use]
    pub fn new(limit: usize) -> Seen<C> {
        Seen { states: HashMap::new(), held: 0, limit, subsumed: 0 }
    }

    /// Meets a state. `covers(old, new)` says whether all values that the new constraint allows are allowed by the
    /// old one, both with their symbols numbered as [`Heap::canonical`](crate::Heap::canonical) lists them; if it
    /// cannot tell, it says no.
    pub fn meet(
        &mut self,
        state: Canonical,
        rest: Remaining,
        constraint: C,
        mut covers: impl FnMut(&C, &C) -> bool,
    ) -> Verdict {
        let key = (state, rest);
        let known = self.states.get(&key).map_or(&[][..], Vec::as_slice);
        if known.iter().any(|old| covers(old, &constraint)) {
            self.subsumed += 1;
            return Verdict::Subsumed;
        }
        if self.held < self.limit {
            self.held += 1;
            self.states.entry(key).or_default().push(constraint);
        }
        Verdict::New
    }

    /// How many states are held.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held
    }

    /// How many were found to be there before.
    #[must_use]
    pub fn subsumed(&self) -> u64 {
        self.subsumed
    }
}
