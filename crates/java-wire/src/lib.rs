//! Tests of Java code as data, and what is said between Branchwise and a JVM.
//!
//! ```text
//! Script + values ──► Request ──(pipe)──► JVM worker ──► Reply        how it ended, what was seen
//!                                         hooks ──(mapped memory)──► Events   what the run did, in order
//! ```
//!
//! The contract has one home: the numbers of [`event::Code`] and [`message`] are printed as a Java class by
//! [`java::constants`], and the worker is compiled with it.

pub mod event;
pub mod java;
pub mod message;
mod script;
pub mod site;

pub use script::{Action, Answering, Argument, Primitive, Script, Slot, Step, Value};
