//! Replays of runs of real virtual machines.

mod features;
mod random;
mod support;
