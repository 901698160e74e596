//! What crosses the border between driver, worker and instrumented code.

pub mod abi;
