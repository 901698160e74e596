//! A random leaf of the constraint tree (den Hollander 2010, section 3.3).

use crate::{Explorer, Stop, Strategy};
use std::ops::ControlFlow;

/// The strategy `tree`: any unexplored leaf, each with the same probability. Ends when there is none, which
/// proves what is uncovered infeasible if the tree is complete.
#[derive(Clone, Copy, Debug)]
pub struct RandomLeaf;

impl Strategy for RandomLeaf {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn summary(&self) -> &'static str {
        "random unexplored leaf of the constraint tree; no path is run twice"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[]
    }

    fn with(&self, _: &str, _: u64) -> Option<Box<dyn Strategy>> {
        None
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        explorer.run(start)?;
        while let Some(leaf) = explorer.random_leaf() {
            explorer.force_leaf(leaf)?;
        }
        ControlFlow::Continue(())
    }
}
