//! Engines against objective functions with known answers.

mod austin;
mod avm;
mod engines;
mod local;
mod strings;
