//! The whole tool as a user meets it, but for Java. One binary: to link one takes as long as to compile a file of tests, and the tests of one
//! file fill the processors that the last one of another leaves idle.

mod architecture;
mod bad_input;
mod cc;
mod checklist;
mod cli;
mod confined;
mod contracts;
mod determinism;
mod errors;
mod experiment;
mod findings;
mod fixtures;
mod heap;
mod hostile;
mod libraries;
mod mcdc;
mod program_suite;
mod resume;
mod run;
mod settings;
mod sources;
#[path = "../support/mod.rs"]
mod support;
mod surroundings;
