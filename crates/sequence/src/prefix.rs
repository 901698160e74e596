//! Sequence grouping, section 4.4.3: candidates that begin alike stand together.
//!
//! ```text
//! a;b;c;mut    shared 0    explore a, b, c, mut
//! a;b;d;mut    shared 2    explore       d, mut
//! a;e;c;mut    shared 1    explore    e, c, mut
//! ```
//!
//! The thesis proposes a tree of all candidates. A walk in the order of the ids read from the front meets each
//! prefix in one stretch, and is that tree visited depth first, without storing it. The filters are the same; those
//! that look forwards, influence and connection, are applied as soon as they are certain to fail.

use crate::bits::{Bits, is_subset};
use crate::filters::Rules;
use crate::links::{Links, Unknown};
use crate::{Filters, Id, InvokableId, MAX_LENGTH, Universe};

/// The candidates of one length as a tree of prefixes, visited depth first.
pub struct PrefixWalk<'u> {
    rules: Rules<'u>,
    links: Links,
    sequence: Vec<InvokableId>,
    depth: usize,
    levels: Vec<Level>,
    /// How much of the candidate handed out last still stands.
    shared: usize,
    entered: u64,
    yielded: u64,
    tried: u64,
}

/// What is known when so many invokables are placed.
struct Level {
    /// Those that may come next; they depend on the number of places alone.
    choices: Bits,
    /// The first of them that was not tried.
    cursor: usize,
    /// Demands that earlier results meet.
    met: Bits,
    /// The places whose invokable has influenced none so far.
    pending: u64,
}

/// A candidate, and what it has in common with the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit<'w> {
    /// How many first invokables are those of the candidate before: whoever explored them need not do so again.
    pub shared: usize,
    /// The whole candidate.
    pub sequence: &'w [InvokableId],
}

impl<'u> PrefixWalk<'u> {
    /// The candidates of exactly that length, at most [`MAX_LENGTH`].
    #[must_use]
    pub fn new(
        universe: &'u Universe,
        target: InvokableId,
        filters: Filters,
        length: usize,
    ) -> PrefixWalk<'u> {
        let length = if universe.get(target).is_some() && length <= MAX_LENGTH { length } else { 0 };
        let rules = Rules::new(universe, target, filters);
        let mut links = Links::default();
        links.reserve(universe, length);
        let level = |depth: usize| Level {
            choices: choices(&rules, length - depth),
            cursor: 0,
            met: Bits::new(universe.demand_count),
            pending: 0,
        };
        let levels = (0..length).map(level).collect();
        PrefixWalk {
            rules,
            links,
            sequence: vec![target; length],
            depth: 0,
            levels,
            shared: 0,
            entered: 0,
            yielded: 0,
            tried: 0,
        }
    }

    /// The next candidate.
    pub fn step(&mut self) -> Option<Visit<'_>> {
        while let Some(level) = self.levels.get_mut(self.depth) {
            let choice = level.choices.next(level.cursor);
            level.cursor = choice.map_or(usize::MAX, |choice| choice + 1);
            match choice {
                Some(choice) if self.append(InvokableId::new(choice)) => return Some(self.visit()),
                Some(_) => {}
                None if self.depth == 0 => return None,
                None => self.back(self.depth - 1),
            }
        }
        None
    }

    /// Leaves out all candidates that share so many first invokables with the one handed out last, because
    /// exploration found out that nothing comes of these. With 0 that is all.
    pub fn skip(&mut self, prefix: usize) {
        match prefix.min(self.levels.len()) {
            0 => self.levels.clear(),
            prefix if prefix <= self.shared => self.back(prefix - 1),
            _ => {}
        }
    }

    /// How many candidates were handed out.
    #[must_use]
    pub fn yielded(&self) -> u64 {
        self.yielded
    }

    /// How many prefixes the candidates so far have, which is what there is to explore, each once.
    #[must_use]
    pub fn entered(&self) -> u64 {
        self.entered
    }

    /// How many times an invokable was put behind something: the work that was done.
    #[must_use]
    pub fn tried(&self) -> u64 {
        self.tried
    }

    fn visit(&mut self) -> Visit<'_> {
        let shared = self.shared;
        // The last place is not on the stack: nothing comes after it.
        self.shared = self.depth;
        self.yielded += 1;
        self.entered += (self.sequence.len() - shared) as u64;
        Visit { shared, sequence: &self.sequence }
    }

    fn back(&mut self, depth: usize) {
        self.depth = depth;
        self.shared = self.shared.min(depth);
    }

    /// Puts an invokable behind the others, unless no candidate begins with the result; whether it is complete.
    fn append(&mut self, next: InvokableId) -> bool {
        self.tried += 1;
        let left = self.sequence.len() - self.depth - 1;
        self.sequence[self.depth] = next;
        let part = &self.sequence[..=self.depth];
        let level = &self.levels[self.depth];
        if !self.rules.keeps_back(part, left == 0) || !is_subset(self.rules.musts(next), level.met.words()) {
            return false;
        }
        let pending = self.still_pending(next);
        if self.rules.filters.influence && !self.can_influence(pending, left) {
            return false;
        }
        let unknown = if left > 0 { Unknown::After(left) } else { Unknown::Nothing };
        if self.rules.filters.connected && !self.links.connectable(&self.rules, part, unknown) {
            return false;
        }
        if left > 0 {
            self.descend(next, pending);
        }
        left == 0
    }

    /// The places that have influenced nothing when `next` is placed, itself included.
    fn still_pending(&self, next: InvokableId) -> u64 {
        let waiting = |at: &usize| self.levels[self.depth].pending >> at & 1 == 1;
        let waits = |at: &usize| !self.rules.influence.influences(self.sequence[*at], next);
        let before = (0..self.depth).filter(waiting).filter(waits);
        before.fold(1 << self.depth, |pending, at| pending | 1 << at)
    }

    /// Whether all that have influenced nothing can do so in the places that are left.
    fn can_influence(&self, pending: u64, left: usize) -> bool {
        let near = |at: usize| {
            let distance = self.rules.influence.distance(self.sequence[at]);
            distance.is_some_and(|distance| distance as usize <= left)
        };
        let last = self.sequence.len() - 1;
        (0..last.min(self.depth + 1)).all(|at| pending >> at & 1 == 0 || near(at))
    }

    fn descend(&mut self, next: InvokableId, pending: u64) {
        let (below, above) = self.levels.split_at_mut(self.depth + 1);
        let level = &mut above[0];
        level.met.copy(below[self.depth].met.words());
        level.met.unite(self.rules.universe.meets.row(next.index()));
        level.pending = pending;
        level.cursor = 0;
        self.depth += 1;
    }
}

/// What may stand where so many places are left, itself included: the target in the last, before it all that can
/// influence the target through as many others as there is room for.
fn choices(rules: &Rules<'_>, left: usize) -> Bits {
    let mut choices = Bits::new(rules.universe.len());
    if left == 1 {
        choices.insert(rules.target.index());
        return choices;
    }
    let near = |id: &InvokableId| {
        let distance = rules.influence.distance(*id);
        !rules.filters.influence || distance.is_some_and(|distance| (distance as usize) < left)
    };
    let usable = rules.universe.ids().filter(|id| rules.is_usable(*id)).filter(near);
    usable.for_each(|id| choices.insert(id.index()));
    choices
}
