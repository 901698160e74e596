//! Hooks in Java classes, and virtual machines that run tests of them.
//!
//! ```text
//! classes ──instrument──► Prepared ──► Home: a folder with the worker and the classes
//!                                        │
//!  Script, values ──► Host ──► Machine ──┴─(pipe)──► java branchwise.rt.Worker
//!  Ran: Reply + trace ◄──────────┘ ◄──(pipe, mapped file)──┘
//! ```
//!
//! A [`Machine`] is one process; a [`Host`] replaces it when it hangs, dies or is spoiled. The Java side of the worker is in
//! `java/`, compiled when this crate is, and carried along in it.

mod home;
mod host;
mod instrument;
mod machine;
mod prepared;
mod process;
mod trace;

pub use home::{Home, MachineSettings, OWN_FOLDER, StartError};
pub use host::{Answer, Counts, Host};
pub use instrument::{HookError, HookSet, Instrumented, Untouched, Why, instrument};
pub use machine::{Gone, Machine, Ran, Remains, ScriptId};
pub use prepared::Prepared;
