//! C source to an instrumented shared object and its model, through clang and LLVM.
//!
//! This crate does not know what the model will be used for: no goals, no search, no worker.

mod assemble;
pub mod bundle;
mod checks;
mod clang;
mod contracts;
pub mod covmap;
mod dataflow;
mod decisions;
mod divisions;
pub mod dwarf;
mod flags;
mod flow;
mod headers;
mod ir;
mod link;
mod probe;
mod program;
mod prove;
mod reach;
mod runtime;
mod scan;
mod shifts;
mod spread;
mod streams;
mod stubs;
mod symbolic;
mod trampoline;
mod undefined;
mod unit;
mod usage;
pub mod whole;

pub use clang::{Clang, ClangError, SourceUnit, keep_flags};
pub use contracts::{Contracts, Requirement};
pub use headers::{HEADERS, write_headers};
pub use program::{Built, Compiled, build, build_bundle, build_with_stubs};
pub use prove::infeasible;
pub use stubs::Surroundings;
pub use symbolic::{Symbolic, build_symbolic};

/// The program could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The compiler or linker said no.
    #[error(transparent)]
    Clang(#[from] ClangError),
    /// Reading or writing files failed.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: String,
        /// What happened.
        source: std::io::Error,
    },
    /// Clang's coverage records were not understood.
    #[error(transparent)]
    Mapping(#[from] covmap::MappingError),
    /// Debug information was not understood.
    #[error("debug information: {0}")]
    Debug(String),
    /// A precondition does not fit its function; in words, with its place first.
    #[error("{0}")]
    Contract(String),
    /// A whole program without its beginning.
    #[error("the program has no `{0}`")]
    NoEntry(&'static str),
    /// A bug of ours.
    #[error("internal error: {0}")]
    Internal(String),
}

impl From<inkwell::builder::BuilderError> for BuildError {
    fn from(error: inkwell::builder::BuilderError) -> Self {
        BuildError::Internal(format!("LLVM builder: {error}"))
    }
}
