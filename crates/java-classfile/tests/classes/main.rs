//! Classes of compilers, of libraries and of chance, read and rewritten.

mod attributes;
mod constructs;
mod corrupted;
mod flow;
mod javap;
mod libraries;
mod old;
mod plan;
#[path = "../support/mod.rs"]
mod support;
