//! Replays of runs of real virtual machines.

mod features;
mod fixtures;
mod modern;
mod opcodes;
mod overflow;
mod random;
mod sequences;
mod support;
