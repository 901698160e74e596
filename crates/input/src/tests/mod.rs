//! Properties of cells and inputs.

mod flatten;
mod guesses;
mod number;
mod value;
