//! What C sources are built to, next to what compilers and llvm-cov say of them.

mod calls;
mod dataflow;
mod goals;
mod library;
mod spread;
mod stubs;
mod undefined;
