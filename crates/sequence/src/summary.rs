//! What is known of an invokable before anything is run: section 4.3 of the thesis.

use crate::{ArrayTypeId, FieldId, IdSet, TypeId};

/// The kinds of invokables, Table 4.2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `new T[] {…}`: its slots are the elements. An array constructor for each length that matters is declared.
    ArrayConstructor,
    /// `new T(…)`.
    Constructor,
    /// `o.f`.
    InstanceFieldLoad,
    /// `o.f = …`.
    InstanceFieldStore,
    /// `o.m(…)`.
    InstanceMethod,
    /// `T.f`.
    StaticFieldLoad,
    /// `T.f = …`.
    StaticFieldStore,
    /// `T.m(…)`.
    StaticMethod,
}

impl Kind {
    /// All of them, in the order of the table.
    pub const ALL: [Kind; 8] = [
        Kind::ArrayConstructor,
        Kind::Constructor,
        Kind::InstanceFieldLoad,
        Kind::InstanceFieldStore,
        Kind::InstanceMethod,
        Kind::StaticFieldLoad,
        Kind::StaticFieldStore,
        Kind::StaticMethod,
    ];

    /// Whether it needs an object to work on.
    #[must_use]
    pub fn has_receiver(self) -> bool {
        matches!(self, Kind::InstanceFieldLoad | Kind::InstanceFieldStore | Kind::InstanceMethod)
    }

    /// Whether it always leaves a reference.
    #[must_use]
    pub fn constructs(self) -> bool {
        matches!(self, Kind::ArrayConstructor | Kind::Constructor)
    }

    /// Whether it leaves nothing.
    #[must_use]
    pub fn stores_field(self) -> bool {
        matches!(self, Kind::InstanceFieldStore | Kind::StaticFieldStore)
    }

    /// The parameters of this kind besides a receiver, as slots.
    fn role(self) -> Role {
        if self == Kind::ArrayConstructor { Role::Element } else { Role::Argument }
    }
}

/// What a reference in a slot is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The object that is worked on, never null.
    Receiver,
    /// An argument, or the value that is stored.
    Argument,
    /// An element of the array that is made.
    Element,
}

/// A place for a reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// What it is for.
    pub role: Role,
    /// What fits in.
    pub of: TypeId,
}

/// A statement of a test, and everything it may do. All sets are closed over whatever it can call, every override
/// included, and hold what the initialisers of classes define that it may trigger. A constructor defines all
/// fields of its objects, by default initialisation (Table 4.3). Primitive parameters influence nothing and are
/// left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invokable {
    /// What it is.
    pub kind: Kind,
    /// Its places for references, the receiver first.
    pub slots: Vec<Slot>,
    /// The reference it leaves, if any.
    pub returns: Option<TypeId>,
    /// Fields it may write.
    pub defines: IdSet<FieldId>,
    /// Fields it may read.
    pub uses: IdSet<FieldId>,
    /// Types of arrays it may write to.
    pub stores: IdSet<ArrayTypeId>,
    /// Types of arrays it may read from.
    pub loads: IdSet<ArrayTypeId>,
}

impl Invokable {
    /// An invokable that does nothing yet.
    #[must_use]
    pub fn new(kind: Kind) -> Invokable {
        Invokable {
            kind,
            slots: Vec::new(),
            returns: None,
            defines: IdSet::default(),
            uses: IdSet::default(),
            stores: IdSet::default(),
            loads: IdSet::default(),
        }
    }

    /// On objects of a type.
    #[must_use]
    pub fn on(mut self, of: TypeId) -> Invokable {
        self.slots.insert(0, Slot { role: Role::Receiver, of });
        self
    }

    /// With one more reference parameter, or element.
    #[must_use]
    pub fn takes(mut self, of: TypeId) -> Invokable {
        self.slots.push(Slot { role: self.kind.role(), of });
        self
    }

    /// Leaving a reference.
    #[must_use]
    pub fn returns(mut self, of: TypeId) -> Invokable {
        self.returns = Some(of);
        self
    }

    /// Writing these fields, too.
    #[must_use]
    pub fn defines(mut self, fields: &[FieldId]) -> Invokable {
        fields.iter().for_each(|field| self.defines.insert(*field));
        self
    }

    /// Reading these fields, too.
    #[must_use]
    pub fn uses(mut self, fields: &[FieldId]) -> Invokable {
        fields.iter().for_each(|field| self.uses.insert(*field));
        self
    }

    /// Writing to arrays of these types, too.
    #[must_use]
    pub fn stores(mut self, arrays: &[ArrayTypeId]) -> Invokable {
        arrays.iter().for_each(|array| self.stores.insert(*array));
        self
    }

    /// Reading from arrays of these types, too.
    #[must_use]
    pub fn loads(mut self, arrays: &[ArrayTypeId]) -> Invokable {
        arrays.iter().for_each(|array| self.loads.insert(*array));
        self
    }
}
