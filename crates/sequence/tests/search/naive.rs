//! Candidate Sequence Search word by word: a work list of whole sequences, filters that try everything.

use proptest::prelude::*;
use sequence::{ArrayTypeId, FieldId, Filters, Id, Invokable, InvokableId, Kind, Por, Role, TypeId};
use sequence::{Universe, UniverseBuilder};

/// A random universe before it is built. The last invokable is under test.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) types: usize,
    pub(crate) supertypes: Vec<(TypeId, TypeId)>,
    pub(crate) statics: Vec<bool>,
    pub(crate) invokables: Vec<Invokable>,
    pub(crate) numbers: Vec<u32>,
}

pub(crate) fn specs(types: usize, invokables: usize) -> impl Strategy<Value = Spec> {
    let of = move || (0..types).prop_map(TypeId::new);
    let fields = || prop::collection::vec((0..3_usize).prop_map(FieldId::new), 0..2);
    let arrays = || prop::collection::vec(Just(ArrayTypeId(0)), 0..2);
    let parts = (prop::sample::select(Kind::ALL.to_vec()), of(), prop::option::of(of()));
    let slots = prop::collection::vec(of(), 0..3);
    let invokable = (parts, slots, fields(), fields(), arrays(), arrays());
    let invokable = invokable.prop_map(|((kind, class, returns), slots, defines, uses, stores, loads)| {
        let mut made = Invokable::new(kind).defines(&defines).uses(&uses).stores(&stores).loads(&loads);
        made.returns =
            if kind.stores_field() { None } else { returns.or(kind.constructs().then_some(class)) };
        made = slots.into_iter().fold(made, Invokable::takes);
        if kind.has_receiver() { made.on(class) } else { made }
    });
    let invokables = prop::collection::vec(invokable, 2..=invokables);
    let numbers = prop::collection::vec(0..4_u32, 8);
    let supertypes = prop::collection::vec((of(), of()), 0..3);
    (supertypes, prop::collection::vec(any::<bool>(), 3), invokables, numbers).prop_map(
        move |(supertypes, statics, invokables, numbers)| Spec {
            types,
            supertypes,
            statics,
            invokables,
            numbers,
        },
    )
}

impl Spec {
    pub(crate) fn build(&self) -> Universe {
        let mut builder = UniverseBuilder::new();
        for _ in 0..self.types {
            builder.reference_type();
        }
        self.supertypes.iter().for_each(|(of, up)| builder.supertype(*of, *up));
        for is_static in &self.statics {
            if *is_static {
                builder.static_field()
            } else {
                builder.field()
            };
        }
        builder.array_type();
        for (invokable, number) in self.invokables.iter().zip(&self.numbers) {
            let id = builder.invokable(invokable.clone());
            builder.number(id, *number);
        }
        builder.build().expect("a sound universe")
    }

    pub(crate) fn target(&self) -> InvokableId {
        InvokableId::new(self.invokables.len() - 1)
    }

    fn of(&self, id: InvokableId) -> &Invokable {
        &self.invokables[id.index()]
    }

    fn assignable(&self, from: TypeId, to: TypeId) -> bool {
        let mut reached = vec![from];
        for _ in 0..self.types {
            let more = self.supertypes.iter().filter(|(of, _)| reached.contains(of)).map(|(_, up)| *up);
            let more: Vec<TypeId> = more.collect();
            reached.extend(more);
        }
        reached.contains(&to)
    }

    fn produces(&self, id: InvokableId, of: TypeId) -> bool {
        self.of(id).returns.is_some_and(|returns| self.assignable(returns, of))
    }

    pub(crate) fn influences(&self, first: InvokableId, second: InvokableId) -> bool {
        let (a, b) = (self.of(first), self.of(second));
        b.slots.iter().any(|slot| self.produces(first, slot.of))
            || a.defines.iter().any(|field| b.uses.contains(field))
            || a.stores.iter().any(|array| b.loads.contains(array))
    }

    pub(crate) fn independent(&self, first: InvokableId, second: InvokableId) -> bool {
        let (a, b) = (self.of(first), self.of(second));
        !self.influences(first, second)
            && !self.influences(second, first)
            && !a.defines.iter().any(|field| b.defines.contains(field))
            && !a.stores.iter().any(|array| b.stores.contains(array))
    }

    fn filled(&self, sequence: &[InvokableId], receivers: bool) -> bool {
        sequence.iter().enumerate().all(|(at, id)| {
            let mut slots =
                self.of(*id).slots.iter().filter(|slot| !receivers || slot.role == Role::Receiver);
            slots.all(|slot| sequence[..at].iter().any(|before| self.produces(*before, slot.of)))
        })
    }

    /// Tries every choice of a producer, or none, for every slot.
    pub(crate) fn connected(&self, sequence: &[InvokableId]) -> bool {
        let mut slots = Vec::new();
        let mut links = Vec::new();
        for (at, id) in sequence.iter().enumerate() {
            for slot in &self.of(*id).slots {
                let fit = (0..at).filter(|before| self.produces(sequence[*before], slot.of));
                let mut choices: Vec<Option<(usize, usize)>> = fit.map(|before| Some((before, at))).collect();
                choices.push(None);
                slots.push(choices);
            }
            let of_class =
                |field: &FieldId| self.statics[field.index()] && self.of(*id).uses.contains(*field);
            let linked =
                |before: &usize| self.of(sequence[*before]).defines.iter().any(|field| of_class(&field));
            links.extend((0..at).filter(linked).map(|before| (before, at)));
        }
        try_all(&slots, &mut links, sequence.len())
    }

    fn keeps(&self, por: Por, sequence: &[InvokableId]) -> bool {
        let number = |id: InvokableId| self.numbers[id.index()];
        let last = sequence.len() - 1;
        sequence.windows(2).enumerate().all(|(at, pair)| match por {
            Por::None => true,
            Por::Printed => self.influences(pair[0], pair[1]) || number(pair[0]) <= number(pair[1]),
            _ => at + 1 == last || !self.independent(pair[0], pair[1]) || number(pair[0]) <= number(pair[1]),
        })
    }

    /// Listing 4.2, a filter after the other.
    pub(crate) fn candidates(&self, filters: Filters, longest: usize) -> Vec<Vec<InvokableId>> {
        let mut all = Vec::new();
        let mut level = vec![vec![self.target()]];
        for _ in 0..longest {
            all.extend(level.iter().filter(|sequence| self.passes(filters, sequence)).cloned());
            let mut next = Vec::new();
            for sequence in &level {
                for id in (0..self.invokables.len()).map(InvokableId::new) {
                    if !filters.influence || sequence.iter().any(|later| self.influences(id, *later)) {
                        next.push([&[id], sequence.as_slice()].concat());
                    }
                }
            }
            level = next;
        }
        all
    }

    fn passes(&self, filters: Filters, sequence: &[InvokableId]) -> bool {
        (!filters.executable || self.filled(sequence, true))
            && (filters.nulls || self.filled(sequence, false))
            && self.keeps(filters.por, sequence)
            && (!filters.connected || self.connected(sequence))
    }
}

fn try_all(slots: &[Vec<Option<(usize, usize)>>], links: &mut Vec<(usize, usize)>, nodes: usize) -> bool {
    let Some((choices, rest)) = slots.split_first() else { return spans(links, nodes) };
    choices.iter().any(|choice| {
        links.extend(choice);
        let found = try_all(rest, links, nodes);
        if choice.is_some() {
            links.pop();
        }
        found
    })
}

fn spans(links: &[(usize, usize)], nodes: usize) -> bool {
    let mut reached = vec![0];
    for _ in 0..nodes {
        for (a, b) in links {
            let more = match (reached.contains(a), reached.contains(b)) {
                (true, false) => *b,
                (false, true) => *a,
                _ => continue,
            };
            reached.push(more);
        }
    }
    reached.len() == nodes
}
