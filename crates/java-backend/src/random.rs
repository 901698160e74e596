//! Random sequences with feedback, after Randoop (Pacheco, Lahiri, Ernst & Ball, ICSE 2007): long ones reach states that no enumeration of
//! short ones does. What is new in a run is kept; everything else is forgotten.

use input::{Input, LeafKind, Rng, Space};
use java_frontend::Sequences;
use sequence::{InvokableId, Product, Reference, Role};

/// Numbers that are drawn again and again, so that equal ones meet.
const FEW: i128 = 8;

/// A sequence of at most so many statements before the method under test, with objects for all places. `None` if nothing makes a
/// receiver.
pub(crate) fn sequence(
    sequences: &Sequences,
    length: usize,
    nulls: bool,
    rng: &mut Rng,
) -> Option<(Vec<InvokableId>, Vec<Vec<Reference>>)> {
    let mut growing = Growing { sequences, rng, nulls, steps: Vec::new(), references: Vec::new() };
    let all: Vec<InvokableId> = growing.allowed().collect();
    let length = if all.is_empty() { 0 } else { length };
    for _ in 0..length {
        let id = all[growing.rng.usize(..all.len())];
        // The method under test may come before itself, too.
        growing.add(id, 2);
    }
    growing.add(sequences.target, 4).then_some((growing.steps, growing.references))
}

/// Random values, many of them from a handful.
pub(crate) fn values(space: &Space, rng: &mut Rng) -> Input {
    let mut input = Input::random(space, rng);
    for var in input.vars(space).collect::<Vec<_>>() {
        let leaf = input.leaf(space, var);
        if matches!(leaf.kind, LeafKind::Int { .. }) && rng.u8(..) < 160 {
            *input.cell_mut(var) = leaf.int_step(leaf.zero(), rng.i128(-1..FEW));
        }
    }
    input
}

struct Growing<'a> {
    sequences: &'a Sequences,
    rng: &'a mut Rng,
    /// References may be null.
    nulls: bool,
    steps: Vec<InvokableId>,
    references: Vec<Vec<Reference>>,
}

impl Growing<'_> {
    /// Appends a statement, and before it what it needs, that many levels deep. Whether it could.
    fn add(&mut self, id: InvokableId, depth: u32) -> bool {
        let Some(invokable) = self.sequences.universe.get(id).cloned() else { return false };
        let mut references = Vec::new();
        for slot in &invokable.slots {
            let is_receiver = slot.role == Role::Receiver;
            let fitting: Vec<usize> = self.products(slot);
            let reference = match fitting.as_slice() {
                _ if self.nulls && !is_receiver && self.rng.u8(..) < 24 => Reference::Null,
                // Objects get a history if the same is used again and again.
                [first, ..] if self.rng.u8(..) < 160 => Reference::Result(*first),
                [_, ..] if depth == 0 || self.rng.u8(..) < 224 => {
                    Reference::Result(fitting[self.rng.usize(..fitting.len())])
                }
                _ => match self.make(slot, depth) {
                    Some(position) => Reference::Result(position),
                    None if is_receiver || !self.nulls => return false,
                    None => Reference::Null,
                },
            };
            references.push(reference);
        }
        self.steps.push(id);
        self.references.push(references);
        true
    }

    /// Appends something that makes an object for a slot.
    fn make(&mut self, slot: &sequence::Slot, depth: u32) -> Option<usize> {
        let universe = &self.sequences.universe;
        let makes = |id: &InvokableId| {
            universe.get(*id).and_then(|i| i.returns).is_some_and(|class| universe.fits(*id, class, slot))
        };
        let makers: Vec<InvokableId> = self.allowed().filter(makes).collect();
        if makers.is_empty() || depth == 0 {
            return None;
        }
        let maker = makers[self.rng.usize(..makers.len())];
        self.add(maker, depth - 1).then(|| self.steps.len() - 1)
    }

    /// What may stand before the method under test.
    fn allowed(&self) -> impl Iterator<Item = InvokableId> + use<'_> {
        let all = self.sequences.statements().map(|(id, _)| id);
        all.filter(|id| self.sequences.universe.is_allowed(*id))
    }

    /// Earlier results that fit a slot.
    fn products(&self, slot: &sequence::Slot) -> Vec<usize> {
        let universe = &self.sequences.universe;
        let product = |(position, &producer): (usize, &InvokableId)| {
            let class = universe.get(producer)?.returns?;
            Some(Product { position, producer, class, linked: false })
        };
        let all = self.steps.iter().enumerate().filter_map(product);
        all.filter(|p| universe.fits(p.producer, p.class, slot)).map(|p| p.position).collect()
    }
}
