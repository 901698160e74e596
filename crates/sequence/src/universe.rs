//! The invokables that sequences are made of, and what fits where.

use crate::bits::{BitMatrix, Bits, intersects};
use crate::{FieldId, Id, Invokable, InvokableId, Role, Slot, TypeId};

/// Everything that sequences may be made of. Made by [`UniverseBuilder`](crate::UniverseBuilder).
///
/// References are not matched type by type while sequences are searched for: the different types of all slots,
/// usually few, are the *demands*, and a row of bits says for each invokable which of them its result can meet.
pub struct Universe {
    pub(crate) invokables: Vec<Invokable>,
    pub(crate) numbers: Vec<u32>,
    /// May stand before the last place of a sequence.
    pub(crate) allowed: Bits,
    pub(crate) statics: Bits,
    /// Row: a type; column: a type it can be used as.
    pub(crate) assignable: BitMatrix,
    /// Per type the invokables that may produce it, where not all may.
    pub(crate) only: Vec<Option<Bits>>,
    /// The demand of every slot of every invokable.
    pub(crate) demands: Vec<Vec<usize>>,
    pub(crate) demand_count: usize,
    /// Row: an invokable; column: a demand that its result meets.
    pub(crate) meets: BitMatrix,
    /// Row: an invokable; column: a demand of one of its slots.
    pub(crate) wants: BitMatrix,
    /// The same of receivers alone.
    pub(crate) receives: BitMatrix,
}

/// In which ways one invokable may influence another, section 4.3.1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flows {
    /// A result of the first is a reference that fits into a slot of the second.
    pub return_argument: bool,
    /// A field that the first may define is one that the second may use; of which object is not asked.
    pub define_use: bool,
    /// The first may store into an array of a type that the second may load from.
    pub store_load: bool,
}

impl Flows {
    /// Whether there is a way at all.
    #[must_use]
    pub fn any(self) -> bool {
        self.return_argument || self.define_use || self.store_load
    }
}

impl Universe {
    /// How many invokables there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.invokables.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.invokables.is_empty()
    }

    /// The invokable of an id that this universe gave out.
    #[must_use]
    pub fn get(&self, id: InvokableId) -> Option<&Invokable> {
        self.invokables.get(id.index())
    }

    /// All ids, in ascending order.
    pub fn ids(&self) -> impl Iterator<Item = InvokableId> + use<> {
        (0..self.invokables.len()).map(InvokableId::new)
    }

    /// The number that partial order reduction goes by.
    #[must_use]
    pub fn number(&self, id: InvokableId) -> u32 {
        self.numbers.get(id.index()).copied().unwrap_or(id.0)
    }

    /// Whether the invokable may stand before the last place of a sequence.
    #[must_use]
    pub fn is_allowed(&self, id: InvokableId) -> bool {
        self.allowed.contains(id.index())
    }

    /// Whether the field belongs to a class and not to its objects.
    #[must_use]
    pub fn is_static(&self, field: FieldId) -> bool {
        self.statics.contains(field.index())
    }

    /// Whether an object of the first type can be used as one of the second.
    #[must_use]
    pub fn is_assignable(&self, from: TypeId, to: TypeId) -> bool {
        self.assignable.get(from.index(), to.index())
    }

    /// Whether the result of `producer`, an object of the type `class`, may go into the slot: it fits, and the
    /// producer is not left out by a list of those that may.
    #[must_use]
    pub fn fits(&self, producer: InvokableId, class: TypeId, slot: &Slot) -> bool {
        let listed = match self.only.get(slot.of.index()) {
            Some(Some(only)) => only.contains(producer.index()),
            _ => true,
        };
        listed && self.is_assignable(class, slot.of)
    }

    /// In which ways `first` may influence `second`. Computed anew every time: searches ask
    /// [`Influence`](crate::Influence).
    #[must_use]
    pub fn flows(&self, first: InvokableId, second: InvokableId) -> Flows {
        let (Some(a), Some(b)) = (self.get(first), self.get(second)) else { return Flows::default() };
        Flows {
            return_argument: intersects(self.meets.row(first.index()), self.wants.row(second.index())),
            define_use: a.defines.intersects(&b.uses),
            store_load: a.stores.intersects(&b.loads),
        }
    }

    /// The demands of the slots of an invokable.
    pub(crate) fn demands_of(&self, id: InvokableId) -> &[usize] {
        self.demands.get(id.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether the result of an invokable meets a demand.
    pub(crate) fn supplies(&self, id: InvokableId, demand: usize) -> bool {
        self.meets.get(id.index(), demand)
    }

    /// Whether `first` may define a static field that `second` may use.
    pub(crate) fn static_flow(&self, first: InvokableId, second: InvokableId) -> bool {
        let (Some(a), Some(b)) = (self.get(first), self.get(second)) else { return false };
        let shared = a.defines.bits().words().iter().zip(b.uses.bits().words()).zip(self.statics.words());
        shared.into_iter().any(|((define, used), statics)| define & used & statics != 0)
    }

    /// Whether both may write the same thing, so that the order of the two decides what remains.
    pub(crate) fn clash(&self, first: InvokableId, second: InvokableId) -> bool {
        let (Some(a), Some(b)) = (self.get(first), self.get(second)) else { return false };
        a.defines.intersects(&b.defines) || a.stores.intersects(&b.stores)
    }

    /// The demands of an invokable that some earlier result must meet.
    pub(crate) fn musts(&self, id: InvokableId, executable: bool, nulls: bool) -> &[u64] {
        match (executable, nulls) {
            (_, false) => self.wants.row(id.index()),
            (true, true) => self.receives.row(id.index()),
            (false, true) => &[],
        }
    }

    /// Fills in what follows from the declarations.
    pub(crate) fn derive(mut self) -> Universe {
        let mut types: Vec<TypeId> =
            self.invokables.iter().flat_map(|i| &i.slots).map(|slot| slot.of).collect();
        types.sort_unstable();
        types.dedup();
        let count = self.invokables.len();
        self.demand_count = types.len();
        self.meets = BitMatrix::new(count, types.len());
        self.wants = BitMatrix::new(count, types.len());
        self.receives = BitMatrix::new(count, types.len());
        for id in self.ids() {
            self.derive_supply(id, &types);
            self.derive_demand(id, &types);
        }
        self
    }

    fn derive_supply(&mut self, id: InvokableId, types: &[TypeId]) {
        let Some(returns) = self.invokables[id.index()].returns else { return };
        for (demand, of) in types.iter().enumerate() {
            if self.fits(id, returns, &Slot { role: Role::Argument, of: *of }) {
                self.meets.set(id.index(), demand);
            }
        }
    }

    fn derive_demand(&mut self, id: InvokableId, types: &[TypeId]) {
        let mut demands = Vec::new();
        for slot in &self.invokables[id.index()].slots {
            let demand = types.partition_point(|of| *of < slot.of);
            self.wants.set(id.index(), demand);
            if slot.role == Role::Receiver {
                self.receives.set(id.index(), demand);
            }
            demands.push(demand);
        }
        self.demands.push(demands);
    }
}
