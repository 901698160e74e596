//! TODO

pub mod dwarf;
