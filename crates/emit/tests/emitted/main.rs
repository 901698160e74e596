//! Suites as text, and as what compilers and shells make of them.

mod large;
mod literals;
mod program;
mod random;
mod run;
#[path = "../support/subject.rs"]
mod subject;
#[path = "../support/mod.rs"]
mod support;
mod text;
