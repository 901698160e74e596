//! Replays of runs of real virtual machines.

mod every;
mod features;
mod fixtures;
mod library;
mod modern;
mod opcodes;
mod overflow;
mod quietly;
mod random;
mod sequences;
mod support;
