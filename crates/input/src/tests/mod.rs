//! Properties of cells and inputs.

mod flatten;
mod number;
mod value;
