//! What the execution of one invokable did, callees included.

use crate::{ArrayTypeId, FieldId, ObjectId};
use std::collections::BTreeSet;

/// A field that was written or read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// Of a class.
    Static(FieldId),
    /// Of an object.
    Instance(ObjectId, FieldId),
}

impl Place {
    /// The field.
    #[must_use]
    pub fn field(self) -> FieldId {
        match self {
            Place::Static(field) | Place::Instance(_, field) => field,
        }
    }
}

/// An element of an array that was written or read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Element {
    /// The array.
    pub array: ObjectId,
    /// Its type.
    pub of: ArrayTypeId,
    /// Which element.
    pub index: u32,
}

/// What the execution of one invokable did. A new object defines its fields, and a new array stores its elements,
/// when it is made. The order of events inside an invokable is left out on purpose: in
/// `m() { flag = false; if (a > 0) flag = true; }` the definition depends on a use that comes after it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trace {
    /// Fields that were written.
    pub defines: BTreeSet<Place>,
    /// Fields that were read.
    pub uses: BTreeSet<Place>,
    /// Elements that were written.
    pub stores: BTreeSet<Element>,
    /// Elements that were read.
    pub loads: BTreeSet<Element>,
    /// The reference that was returned, if one was and it was not null.
    pub returned: Option<ObjectId>,
    /// The places of the invokables whose results it was run with, the receiver included. Places and not objects:
    /// two invokables may return the same object, but only one of their results was handed on.
    pub arguments: BTreeSet<usize>,
}

impl Trace {
    /// Whether one of the two wrote what the other wrote or read, so that their order can be seen.
    pub(crate) fn conflicts(&self, other: &Trace) -> bool {
        let fields =
            |a: &Trace, b: &Trace| !a.defines.is_disjoint(&b.uses) || !a.defines.is_disjoint(&b.defines);
        let arrays =
            |a: &Trace, b: &Trace| !a.stores.is_disjoint(&b.loads) || !a.stores.is_disjoint(&b.stores);
        fields(self, other) || fields(other, self) || arrays(self, other) || arrays(other, self)
    }
}
