//! Engines against objective functions with known answers.

mod alias;
mod austin;
mod avm;
mod engines;
mod ga;
mod hc;
mod local;
mod mate;
mod metaheuristics;
mod strings;
