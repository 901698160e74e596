//! Properties of cells and inputs.

mod number;
mod value;
