//! Starts, feeds, watches and restarts C workers.
//!
//! A worker may crash, hang or damage itself; the driver does not. Because a campaign is deterministic, a worker
//! that died is replaced by one that repeats the same campaign without the execution that killed it. And because
//! a target may have scribbled over the worker, nothing a campaign reports is believed before [`confirm`] has
//! repeated it in fresh processes. Tests of whole programs are then tried on a [`PlainProgram`].
//!
//! This crate does not know how tests are searched for, nor what is done with them.

mod calls;
mod confirm;
mod length;
mod place;
mod plain;
mod solvers;
mod undefined;
mod worker;

pub use confirm::{Confirmed, confirm};
pub use plain::PlainProgram;
pub use solvers::Solvers;
pub use undefined::{Undefined, undefined};
pub use worker::{Backend, BackendError, Campaigned, Manner};
