//! Solving without help from outside.

pub(crate) mod descent;
pub(crate) mod enumerate;
pub(crate) mod interval;
pub(crate) mod invert;
mod range;
mod wish;
