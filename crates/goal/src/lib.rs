//! Coverage goals, branch distance, approach level, and the judgement of a run.
//!
//! This crate does not know who ran the program, nor in which language it was written.

mod calls;
pub mod dependence;
pub mod distance;
mod fitness;
pub mod mcdc;

pub use calls::CallPlans;
pub use fitness::{Fitness, Plan, Plans};
