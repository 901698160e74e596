//! The references that an invokable can be run with, section 4.4: each slot is null or an earlier result.
//!
//! Sharing is wanted: `heap.insert(i); heap.insert(i)` reaches what two equal integers do not.

use crate::{InvokableId, Role, TypeId, Universe};

/// A result that is not null of an invokable that was run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// The place of the invokable in the sequence.
    pub position: usize,
    /// The invokable.
    pub producer: InvokableId,
    /// What the result can be used as: its class, or the type it was declared with where tests may not cast.
    pub class: TypeId,
    /// Whether a later invokable was already run with it.
    pub linked: bool,
}

/// What goes into a slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reference {
    /// The result of the invokable at a place of the sequence.
    Result(usize),
    /// No object.
    Null,
}

/// All ways to fill the slots of an invokable, a reference a slot. Those with fewer nulls come first; among
/// them, slot by slot, results that nothing is linked to yet come before others, and earlier before later ones.
/// The first invokable of a sequence has nothing but null to choose.
pub struct Assignments {
    slots: Vec<Options>,
    /// The choice in each slot; one beyond its results is null.
    choice: Vec<usize>,
    /// How many slots are null now.
    nulls: usize,
    state: State,
}

struct Options {
    results: Vec<usize>,
    nullable: bool,
}

enum State {
    Fresh,
    Running,
}

impl Assignments {
    /// The ways to run an invokable after `products`. Receivers are never null, other slots if `nulls` says so.
    #[must_use]
    pub fn new(universe: &Universe, id: InvokableId, products: &[Product], nulls: bool) -> Assignments {
        let slots = universe.get(id).map_or(&[][..], |invokable| &invokable.slots);
        let options = |slot: &crate::Slot| {
            let fits = |p: &&Product| universe.fits(p.producer, p.class, slot);
            let mut fitting: Vec<&Product> = products.iter().filter(fits).collect();
            fitting.sort_by_key(|product| (product.linked, product.position));
            let results = fitting.iter().map(|product| product.position).collect();
            Options { results, nullable: nulls && slot.role != Role::Receiver }
        };
        let slots: Vec<Options> = slots.iter().map(options).collect();
        Assignments { choice: vec![0; slots.len()], slots, nulls: 0, state: State::Fresh }
    }

    /// Fills the slots from `from` on with their first choices; whether that is possible.
    fn fill(&mut self, from: usize) -> bool {
        if !self.is_feasible(from) {
            return false;
        }
        for slot in from..self.slots.len() {
            self.choice[slot] = 0;
            if self.slots[slot].results.is_empty() || !self.is_feasible(slot + 1) {
                self.choice[slot] = self.slots[slot].results.len();
            }
        }
        true
    }

    /// Whether the slots from `from` on can hold the nulls that are missing before them.
    fn is_feasible(&self, from: usize) -> bool {
        let placed = (0..from).filter(|slot| self.choice[*slot] == self.slots[*slot].results.len()).count();
        let rest = &self.slots[from..];
        let least = rest.iter().filter(|options| options.results.is_empty()).count();
        let most = rest.iter().filter(|options| options.nullable).count();
        (least + placed..=most + placed).contains(&self.nulls)
    }

    /// The next choice with the same number of nulls.
    fn advance(&mut self) -> bool {
        for slot in (0..self.slots.len()).rev() {
            let choices = self.slots[slot].results.len() + usize::from(self.slots[slot].nullable);
            while self.choice[slot] + 1 < choices {
                self.choice[slot] += 1;
                if self.fill(slot + 1) {
                    return true;
                }
            }
        }
        false
    }

    fn reference(&self, slot: usize) -> Reference {
        let result = self.slots[slot].results.get(self.choice[slot]);
        result.map_or(Reference::Null, |position| Reference::Result(*position))
    }
}

impl Iterator for Assignments {
    type Item = Vec<Reference>;

    fn next(&mut self) -> Option<Vec<Reference>> {
        let impossible = |options: &Options| options.results.is_empty() && !options.nullable;
        if self.slots.iter().any(impossible) {
            return None;
        }
        let mut found = match self.state {
            State::Fresh => self.fill(0),
            State::Running => self.advance(),
        };
        self.state = State::Running;
        while !found && self.nulls < self.slots.len() {
            self.nulls += 1;
            found = self.fill(0);
        }
        found.then(|| (0..self.slots.len()).map(|slot| self.reference(slot)).collect())
    }
}
