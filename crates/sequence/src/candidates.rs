//! Step 1 of Candidate Sequence Search: sequences that end with the invokable under test, section 4.3, listing 4.2.
//!
//! The thesis keeps a work list of all sequences, which took 90 % of the prototype's memory, and proposes to derive
//! each from the one before (4.3.2). Here the search goes deep, once for every length, and remembers one sequence:
//! the order is that of the work list, by length and then by the ids read from the back.

use crate::bits::Bits;
use crate::filters::Rules;
use crate::links::{Links, Unknown};
use crate::{Filters, Id, Influence, InvokableId, Universe};

/// The greatest length of a sequence; the number of those that are longer has no meaning any more.
pub const MAX_LENGTH: usize = 63;

/// The candidate sequences of an invokable under test, shortest first, those of a length in the order of their ids
/// from the last to the first. Memory is taken when it is made; going on takes none.
pub struct Candidates<'u> {
    rules: Rules<'u>,
    links: Links,
    /// Sequences grow from the end of this buffer to its front.
    buffer: Vec<InvokableId>,
    length: usize,
    /// How many invokables at the end of the buffer are placed.
    depth: usize,
    levels: Vec<Level>,
    yielded: u64,
    tried: u64,
}

/// What is known when so many invokables are placed.
struct Level {
    /// Those that may be put in front.
    choices: Bits,
    /// The first of them that was not tried.
    cursor: usize,
    /// Demands that something in front must meet.
    unmet: Bits,
}

impl<'u> Candidates<'u> {
    /// The candidates with at most `longest` invokables, at most [`MAX_LENGTH`].
    #[must_use]
    pub fn new(
        universe: &'u Universe,
        target: InvokableId,
        filters: Filters,
        longest: usize,
    ) -> Candidates<'u> {
        let longest = if universe.get(target).is_some() { longest.min(MAX_LENGTH) } else { 0 };
        let mut links = Links::default();
        links.reserve(universe, longest);
        let level = || Level {
            choices: Bits::new(universe.len()),
            cursor: 0,
            unmet: Bits::new(universe.demand_count),
        };
        let mut levels: Vec<Level> = (0..=longest).map(|_| level()).collect();
        levels[0].choices.insert(target.index());
        Candidates {
            rules: Rules::new(universe, target, filters),
            links,
            buffer: vec![target; longest],
            length: 1,
            depth: 0,
            levels,
            yielded: 0,
            tried: 0,
        }
    }

    /// The next candidate. Iterating instead gives copies.
    pub fn step(&mut self) -> Option<&[InvokableId]> {
        self.step_within(u64::MAX)
    }

    /// The next candidate, unless it takes more work, counted as in [`Candidates::tried`], than there may be in all.
    pub fn step_within(&mut self, tried: u64) -> Option<&[InvokableId]> {
        if self.depth == self.length {
            // The candidate that was handed out last.
            self.depth -= 1;
        }
        while self.length <= self.buffer.len() && self.tried < tried {
            match self.next_choice() {
                Some(front) => {
                    if self.prepend(front) && self.depth == self.length {
                        self.yielded += 1;
                        return Some(&self.buffer[self.buffer.len() - self.length..]);
                    }
                }
                None if self.depth > 0 => self.depth -= 1,
                None => {
                    self.length += 1;
                    self.levels[0].cursor = 0;
                }
            }
        }
        None
    }

    /// Whether all candidates were handed out.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.length > self.buffer.len()
    }

    /// How many candidates were handed out.
    #[must_use]
    pub fn yielded(&self) -> u64 {
        self.yielded
    }

    /// How many times an invokable was put in front of something: the work that was done.
    #[must_use]
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// What influences what, as far as these candidates ask.
    #[must_use]
    pub fn influence(&self) -> &Influence {
        &self.rules.influence
    }

    fn next_choice(&mut self) -> Option<InvokableId> {
        let level = &mut self.levels[self.depth];
        let choice = level.choices.next(level.cursor)?;
        level.cursor = choice + 1;
        Some(InvokableId::new(choice))
    }

    /// Puts an invokable in front, unless no candidate of this length ends with the result.
    fn prepend(&mut self, front: InvokableId) -> bool {
        self.tried += 1;
        let start = self.buffer.len() - self.depth - 1;
        self.buffer[start] = front;
        if !self.rules.keeps_front(&self.buffer[start..]) || !self.can_be_met(front) {
            return false;
        }
        let unknown = if self.depth + 1 < self.length { Unknown::Before } else { Unknown::Nothing };
        let connected = !self.rules.filters.connected
            || self.links.connectable(&self.rules, &self.buffer[start..], unknown);
        if connected {
            self.extend_choices(front);
            self.depth += 1;
        }
        connected
    }

    /// Notes the demands that are open with `front` in front; whether the places before it may suffice for them.
    fn can_be_met(&mut self, front: InvokableId) -> bool {
        let (below, above) = self.levels.split_at_mut(self.depth + 1);
        let unmet = &mut above[0].unmet;
        unmet.copy(below[self.depth].unmet.words());
        unmet.subtract(self.rules.universe.meets.row(front.index()));
        unmet.unite(self.rules.musts(front));
        let places = self.length - self.depth - 1;
        unmet.iter().all(|demand| self.rules.within(demand, places))
    }

    /// What may stand before `front`: all that influences it or what stands after it.
    fn extend_choices(&mut self, front: InvokableId) {
        let (below, above) = self.levels.split_at_mut(self.depth + 1);
        let choices = &mut above[0].choices;
        let allowed = self.rules.universe.allowed.words();
        above[0].cursor = 0;
        if !self.rules.filters.influence {
            choices.copy(allowed);
            return;
        }
        choices.copy(self.rules.influence.onto(front));
        choices.keep(allowed);
        if self.depth > 0 {
            choices.unite(below[self.depth].choices.words());
        }
    }
}

impl Iterator for Candidates<'_> {
    type Item = Vec<InvokableId>;

    fn next(&mut self) -> Option<Vec<InvokableId>> {
        self.step().map(<[InvokableId]>::to_vec)
    }
}
