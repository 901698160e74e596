//! Random testing: the baseline.

use crate::{Explorer, Stop, Strategy};
use std::ops::ControlFlow;

/// The strategy `random`: fresh random inputs, nothing is forced.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl Strategy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn summary(&self) -> &'static str {
        "independent random inputs, nothing is forced; the baseline"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[]
    }

    fn with(&self, _: &str, _: u64) -> Option<Box<dyn Strategy>> {
        None
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        explorer.run(start)?;
        while let Some(input) = explorer.random_assignment() {
            explorer.run(input)?;
        }
        ControlFlow::Continue(())
    }
}
