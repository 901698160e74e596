//! Runs functions of an instrumented shared object, millions of times a second.
//!
//! An [`Image`] is loaded once; a [`CTarget`] lays out inputs in memory it owns, calls the function under a
//! guard that recovers from faults, endless loops and `exit`, and puts everything back before the next run:
//! variables, heap, floating-point environment, `errno`, buffered output. Functions after which a process
//! cannot simply be reset run in forked children instead. The [`sandbox`] keeps the machine safe from them.
//!
//! [`serve`] is the process around it: it takes jobs from the driver and runs campaigns beside the target.
//! [`confined`] runs somebody else's command in the same sandbox. This
//! crate does not know how a search works, nor what becomes of its results.
//! It is written for x86-64 Linux.

mod arena;
mod capture;
mod cell;
mod confined;
mod fork;
mod guard;
mod heap;
mod image;
mod layout;
mod observe;
mod owned;
mod probes;
mod region;
mod run;
mod runtime;
pub mod sandbox;
mod select;
mod serve;
mod snapshot;
mod stack;
mod stop;
mod symbolic;
mod tmp;
mod trace;

pub use capture::StdoutCapture;
pub use confined::confined;
pub use image::{Image, LoadError};
pub use run::{CTarget, Isolation, Limits, SetupError};
pub use serve::serve;
pub use symbolic::SymbolicError;
