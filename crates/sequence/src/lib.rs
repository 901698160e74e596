//! Candidate Sequence Search: which sequences of calls are worth running to test a method that depends on state.
//!
//! After chapter 4 of M. den Hollander, *Automatic Unit Test Generation* (Delft 2010). A test of
//! `monitor.warning()` needs a monitor, switched on, that was told a temperature:
//!
//! ```text
//! new TemperatureMonitor(); setEnabled(_); updateTemperature(_); warning()
//! ```
//!
//! Step 1 finds such *candidates* from summaries of what each statement may define, use and return. Step 2 is the
//! driver's: it runs them, invokable by invokable; this crate tells which references to try and, from traces of
//! what was really defined and used, which runs are pointless. Nothing here knows a language or runs anything.
//!
//! | file | holds |
//! |---|---|
//! | `ids.rs`, `bits.rs` | small integers for types, fields and invokables, and sets of them |
//! | `summary.rs` | the eight kinds of invokables, and what is known of each |
//! | `builder.rs`, `universe.rs` | all invokables, what fits where, who may produce what |
//! | `influence.rs` | return-argument, define-use and store-load, asked once a pair |
//! | `filters.rs` | the switches: influence, executability, connection, partial order reduction |
//! | `links.rs` | whether data can flow between all invokables of a sequence |
//! | `candidates.rs` | the candidates, shortest first |
//! | `prefix.rs` | the candidates of one length, those that begin alike together |
//! | `assignments.rs` | the references that the slots of an invokable can have |
//! | `trace.rs`, `dynamic.rs` | what an execution did, and what follows from it for its sequence |
//! | `heap.rs`, `seen.rs` | states in canonical form, and those that were there before |

mod assignments;
mod bits;
mod builder;
mod candidates;
mod dynamic;
mod filters;
mod heap;
mod ids;
mod influence;
mod links;
mod prefix;
mod seen;
mod summary;
mod trace;
mod universe;

pub use assignments::{Assignments, Product, Reference};
pub use builder::{UniverseBuilder, UniverseError};
pub use candidates::{Candidates, MAX_LENGTH};
pub use dynamic::{can_still_matter, influences, is_out_of_order, is_redundant};
pub use filters::{Filters, Por};
pub use heap::{Canonical, Heap, HeapError, Node, NodeId, Value};
pub use ids::{ArrayTypeId, FieldId, Id, IdSet, InvokableId, ObjectId, TypeId};
pub use influence::Influence;
pub use links::connected;
pub use prefix::{PrefixWalk, Visit};
pub use seen::{Remaining, Seen, Verdict};
pub use summary::{Invokable, Kind, Role, Slot};
pub use trace::{Element, Place, Trace};
pub use universe::{Flows, Universe};
