//! Answers of the solver, checked by evaluation and by a solver of others.

#[path = "../common/mod.rs"]
mod common;
mod named;
mod process;
mod random;
