//! Declares types, fields and invokables, and checks that they fit together.

use crate::bits::{BitMatrix, Bits};
use crate::{ArrayTypeId, FieldId, Id, Invokable, InvokableId, Kind, Role, TypeId, Universe};

/// Why there is no such universe.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UniverseError {
    /// A type that was not declared.
    #[error("type {} was not declared", .0.0)]
    UnknownType(TypeId),
    /// A field that was not declared.
    #[error("field {} was not declared", .0.0)]
    UnknownField(FieldId),
    /// A type of arrays that was not declared.
    #[error("array type {} was not declared", .0.0)]
    UnknownArrayType(ArrayTypeId),
    /// An invokable that was not declared.
    #[error("invokable {} was not declared", .0.0)]
    UnknownInvokable(InvokableId),
    /// Slots or result that its kind cannot have.
    #[error("invokable {}: {what}", .id.0)]
    Shape {
        /// Which one.
        id: InvokableId,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Collects the declarations of a [`Universe`].
#[derive(Default)]
pub struct UniverseBuilder {
    types: usize,
    supertypes: Vec<(TypeId, TypeId)>,
    statics: Vec<bool>,
    arrays: usize,
    invokables: Vec<Invokable>,
    numbers: Vec<u32>,
    excluded: Vec<InvokableId>,
    only: Vec<(TypeId, Vec<InvokableId>)>,
}

impl UniverseBuilder {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> UniverseBuilder {
        UniverseBuilder::default()
    }

    /// Declares a reference type.
    pub fn reference_type(&mut self) -> TypeId {
        self.types += 1;
        TypeId::new(self.types - 1)
    }

    /// Declares that objects of `of` can be used as objects of `supertype`. What follows by steps is found out.
    pub fn supertype(&mut self, of: TypeId, supertype: TypeId) {
        self.supertypes.push((of, supertype));
    }

    /// Declares a field of objects.
    pub fn field(&mut self) -> FieldId {
        self.statics.push(false);
        FieldId::new(self.statics.len() - 1)
    }

    /// Declares a static field.
    pub fn static_field(&mut self) -> FieldId {
        self.statics.push(true);
        FieldId::new(self.statics.len() - 1)
    }

    /// Declares a type of arrays for stores and loads.
    pub fn array_type(&mut self) -> ArrayTypeId {
        self.arrays += 1;
        ArrayTypeId::new(self.arrays - 1)
    }

    /// Declares an invokable. Its number for partial order reduction is that of its id.
    pub fn invokable(&mut self, invokable: Invokable) -> InvokableId {
        let id = InvokableId::new(self.invokables.len());
        self.invokables.push(invokable);
        self.numbers.push(id.0);
        id
    }

    /// Gives an invokable another number for partial order reduction.
    pub fn number(&mut self, id: InvokableId, number: u32) {
        if let Some(old) = self.numbers.get_mut(id.index()) {
            *old = number;
        }
    }

    /// Keeps an invokable out of all sequences, but for the last place if it is itself under test.
    pub fn exclude(&mut self, id: InvokableId) {
        self.excluded.push(id);
    }

    /// Lets only the results of these invokables go into slots of a type, say only `Integer.valueOf(int)` into
    /// those of type `Comparable` (section 6.3). A second list for the same type replaces the first.
    pub fn only(&mut self, of: TypeId, producers: &[InvokableId]) {
        self.only.push((of, producers.to_vec()));
    }

    /// The universe, or what is wrong with the declarations.
    pub fn build(self) -> Result<Universe, UniverseError> {
        for (index, invokable) in self.invokables.iter().enumerate() {
            self.check(InvokableId::new(index), invokable)?;
        }
        let nothing = BitMatrix::new(0, 0);
        let universe = Universe {
            allowed: self.allowed()?,
            statics: self.static_fields(),
            assignable: self.closure()?,
            only: self.lists()?,
            invokables: self.invokables,
            numbers: self.numbers,
            demands: Vec::new(),
            demand_count: 0,
            meets: nothing.clone(),
            wants: nothing.clone(),
            receives: nothing,
        };
        Ok(universe.derive())
    }

    fn check(&self, id: InvokableId, invokable: &Invokable) -> Result<(), UniverseError> {
        let types = invokable.slots.iter().map(|slot| slot.of).chain(invokable.returns);
        types.into_iter().try_for_each(|of| self.known_type(of))?;
        let unknown_field = |field: &FieldId| field.index() >= self.statics.len();
        if let Some(field) = invokable.defines.iter().chain(invokable.uses.iter()).find(unknown_field) {
            return Err(UniverseError::UnknownField(field));
        }
        let unknown_array = |array: &ArrayTypeId| array.index() >= self.arrays;
        if let Some(array) = invokable.stores.iter().chain(invokable.loads.iter()).find(unknown_array) {
            return Err(UniverseError::UnknownArrayType(array));
        }
        match misshapen(invokable) {
            Some(what) => Err(UniverseError::Shape { id, what }),
            None => Ok(()),
        }
    }

    fn known_type(&self, of: TypeId) -> Result<(), UniverseError> {
        if of.index() < self.types { Ok(()) } else { Err(UniverseError::UnknownType(of)) }
    }

    fn known(&self, id: InvokableId) -> Result<(), UniverseError> {
        if id.index() < self.invokables.len() { Ok(()) } else { Err(UniverseError::UnknownInvokable(id)) }
    }

    fn allowed(&self) -> Result<Bits, UniverseError> {
        let mut allowed = Bits::new(self.invokables.len());
        (0..self.invokables.len()).for_each(|index| allowed.insert(index));
        for id in &self.excluded {
            self.known(*id)?;
            allowed.remove(id.index());
        }
        Ok(allowed)
    }

    fn static_fields(&self) -> Bits {
        let mut statics = Bits::new(self.statics.len());
        let of_classes = self.statics.iter().enumerate().filter(|(_, is_static)| **is_static);
        of_classes.for_each(|(field, _)| statics.insert(field));
        statics
    }

    /// The reflexive and transitive closure of the declared supertypes.
    fn closure(&self) -> Result<BitMatrix, UniverseError> {
        let mut assignable = BitMatrix::new(self.types, self.types);
        (0..self.types).for_each(|of| assignable.set(of, of));
        for (of, supertype) in &self.supertypes {
            self.known_type(*of)?;
            self.known_type(*supertype)?;
        }
        // Hierarchies are shallow, so few rounds add something.
        let round = |assignable: &mut BitMatrix| {
            let edges = self.supertypes.iter();
            edges.fold(false, |news, (of, up)| assignable.unite_rows(of.index(), up.index()) || news)
        };
        while round(&mut assignable) {}
        Ok(assignable)
    }

    fn lists(&self) -> Result<Vec<Option<Bits>>, UniverseError> {
        let mut lists = vec![None; self.types];
        for (of, producers) in &self.only {
            self.known_type(*of)?;
            let mut list = Bits::new(self.invokables.len());
            for id in producers {
                self.known(*id)?;
                list.insert(id.index());
            }
            lists[of.index()] = Some(list);
        }
        Ok(lists)
    }
}

/// What Table 4.2 does not allow.
fn misshapen(invokable: &Invokable) -> Option<&'static str> {
    let kind = invokable.kind;
    let receivers = invokable.slots.iter().filter(|slot| slot.role == Role::Receiver).count();
    let first = invokable.slots.first().is_some_and(|slot| slot.role == Role::Receiver);
    let elements = invokable.slots.iter().filter(|slot| slot.role == Role::Element).count();
    if kind.has_receiver() && !(first && receivers == 1) {
        return Some("works on an object, so its first slot, and only that, is a receiver");
    }
    if !kind.has_receiver() && receivers > 0 {
        return Some("works on no object, so it has no receiver");
    }
    let wanted = if kind == Kind::ArrayConstructor { invokable.slots.len() } else { 0 };
    if elements != wanted {
        return Some("the slots of an array constructor, and of nothing else, are elements");
    }
    if kind.constructs() && invokable.returns.is_none() {
        return Some("constructs something, so it leaves a reference");
    }
    if kind.stores_field() && invokable.returns.is_some() {
        return Some("stores a field, so it leaves nothing");
    }
    None
}
