//! Small integers for the things that summaries speak of.
//!
//! The prototype compared names, and section 6.2 of the thesis blames that for much of its time: an integer is
//! compared about a hundred times faster. Names stay with the caller, who gave out the ids.

use crate::bits::Bits;
use std::fmt;
use std::marker::PhantomData;

/// An index with a meaning.
pub trait Id: Copy + Ord + fmt::Debug {
    /// The id with that index.
    fn new(index: usize) -> Self;

    /// Where things of this id stand in a list.
    fn index(self) -> usize;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl Id for $name {
            fn new(index: usize) -> $name {
                // An index beyond the range names nothing that was declared, and building the universe says so.
                $name(u32::try_from(index).unwrap_or(u32::MAX))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A reference type: class, interface or array.
    TypeId
}
id! {
    /// A field, static or of instances.
    FieldId
}
id! {
    /// A type of arrays as stores and loads know it; which ones are told apart is the caller's choice.
    ArrayTypeId
}
id! {
    /// One statement that may stand in a sequence.
    InvokableId
}
id! {
    /// An object or array of one execution.
    ObjectId
}

/// A set of ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdSet<I> {
    bits: Bits,
    of: PhantomData<I>,
}

impl<I: Id> IdSet<I> {
    /// Adds an id.
    pub fn insert(&mut self, id: I) {
        self.bits.grow(id.index() + 1);
        self.bits.insert(id.index());
    }

    /// Whether the id is in the set.
    #[must_use]
    pub fn contains(&self, id: I) -> bool {
        self.bits.contains(id.index())
    }

    /// Whether some id is in both sets.
    #[must_use]
    pub fn intersects(&self, other: &IdSet<I>) -> bool {
        self.bits.intersects(other.bits.words())
    }

    /// The ids in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.bits.iter().map(I::new)
    }

    pub(crate) fn bits(&self) -> &Bits {
        &self.bits
    }
}

impl<I> Default for IdSet<I> {
    fn default() -> IdSet<I> {
        IdSet { bits: Bits::default(), of: PhantomData }
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> IdSet<I> {
        let mut set = IdSet::default();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

impl<I: Id, const N: usize> From<[I; N]> for IdSet<I> {
    fn from(ids: [I; N]) -> IdSet<I> {
        ids.into_iter().collect()
    }
}
