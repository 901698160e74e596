//! Engines against objective functions with known answers.

mod alias;
mod austin;
mod avm;
mod engines;
mod local;
mod strings;
