//! The whole crate from outside. Names that begin with `c` and a number say which point of the checklist of Candidate
//! Sequence Search they settle.

mod assignments;
mod connection;
mod driver;
mod dynamic;
mod fixtures;
mod golden;
mod grouping;
mod influence;
mod naive;
mod properties;
mod reduction;
mod states;
