//! What a test supplies: objects made of typed cells, and the moves from one input to the next.
//!
//! An [`Input`] is a list of [`Object`]s. The first ones are the *roots* (one for every parameter and one
//! for every global the function uses); the others stand on the heap and are reached through pointer cells.
//! An object has `len` elements of one type; every element has the same *leaves* (scalars, pointers, union
//! selectors), described once per type by a [`LeafTable`]. So an input is flat, regular arrays of cells:
//! laying it out in memory is a loop without decisions, and a move changes one number.
//!
//! This crate does not know how a value is run or printed.

mod flatten;
mod float;
mod leaf;
mod number;
mod rest;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod value;
mod walk;

pub use fastrand::Rng;
pub use float::{ordered_from_bits, ordered_to_bits};
pub use leaf::{
    Guard, Leaf, LeafKind, LeafTable, Place, Range, RangeRule, Root, Space, SpaceError, SpaceLimits, TableId,
    Tail, Ways,
};
pub use model::FloatKind;
pub use rest::{Extra, ExtraKind, ExtraRead, Settled};
pub use value::{Input, Object, Pointer, Var};
pub use walk::Walk;
