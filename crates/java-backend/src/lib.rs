//! Tests for Java classes: call sequences that are searched and explored in virtual machines.
//!
//! ```text
//! java-frontend: candidates ──► Script ──► JavaTarget ──► campaign: values for its slots
//!                                             │
//!                                         java-worker: runs, traces
//! ```
//!
//! A script with its slots is to a campaign what a function with its parameters is; so everything that searches for inputs of C
//! functions serves here unchanged. This crate does not know how tests are written down.

mod account;
mod candidates;
mod caught;
mod confirm;
mod doubt;
mod evolve;
mod finding;
mod noticed;
mod opening;
mod origin;
mod overflow;
mod parallel;
mod pool;
mod program;
mod reached;
mod reduce;
mod references;
mod replays;
mod rules;
mod search;
mod slots;
mod smt;
mod states;
mod suspect;
mod target;
mod telling;
mod times;
mod vivid;
mod witness;

pub use account::{Ends, MethodAccount, Obstacle};
pub use confirm::{Confirmed, Test, confirm};
pub use finding::{Findings, JavaFinding, find};
pub use java_replay::Arrays;
pub use java_wire::message::Frame;
pub use opening::{NoOpening, Opening};
pub use origin::Origin;
pub use pool::{Pool, Recipe};
pub use program::JavaProgram;
pub use replays::Replays;
pub use rules::Rules;
pub use search::{Found, Round, SearchSettings, Searched, Searcher};
pub use slots::Slots;
pub use states::States;
pub use suspect::{Kind, Suspect, Suspects};
pub use target::{JavaTarget, Learnt};
pub use times::Times;
