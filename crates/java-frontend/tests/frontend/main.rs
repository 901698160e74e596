//! The model of classes, from their sources to sequences of calls of them.

mod decisions;
mod jacoco;
mod model;
mod scripts;
mod sequences;
mod summaries;
mod support;
