//! Replays of runs of real virtual machines.

mod every;
mod features;
mod fixtures;
mod modern;
mod opcodes;
mod random;
mod sequences;
mod support;
