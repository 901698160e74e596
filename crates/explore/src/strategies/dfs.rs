//! `BoundedDFS` (Burnim and Sen 2008, section 2.4).
//!
//! ```text
//! BoundedDFS(p, i, depth):
//!   for each branch p_j of p, j >= i, while depth > 0:
//!     if p_j can be forced, giving q:
//!       depth := depth - 1
//!       BoundedDFS(q, j + 1, depth)
//! ```
//!
//! Only successful forcing counts, so exactly 2^depth − 1 branches are forced where paths are long enough. What
//! the tree knows to be explored, from a search before this one, is passed over.

use crate::{Execution, Explorer, Flip, Forced, Stop, Strategy};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The strategy `dfs`.
#[derive(Clone, Copy, Debug)]
pub struct BoundedDfs {
    /// How many successful forcings a path may go back to.
    pub depth: u64,
}

impl BoundedDfs {
    /// The depth used for the larger experiments of the paper.
    pub const DEFAULT: BoundedDfs = BoundedDfs { depth: 14 };
}

/// A call of `BoundedDFS` at work.
struct Call {
    path: Rc<Execution>,
    /// Those not picked yet.
    flips: std::vec::IntoIter<Flip>,
    depth: u64,
}

impl Call {
    fn new(explorer: &Explorer<'_>, path: Rc<Execution>, from: u32, depth: u64) -> Call {
        Call { flips: explorer.new_flips(&path, from).into_iter(), path, depth }
    }
}

impl Strategy for BoundedDfs {
    fn name(&self) -> &'static str {
        "dfs"
    }

    fn summary(&self) -> &'static str {
        "bounded depth-first search: flips from the first to the last, the new path before the rest"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[("depth", "14", "branches forced one below the other")]
    }

    fn with(&self, parameter: &str, value: u64) -> Option<Box<dyn Strategy>> {
        (parameter == "depth").then(|| Box::new(BoundedDfs { depth: value }) as _)
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        let path = explorer.run(start)?;
        // A stack of its own: the depth is the user's to choose.
        let mut calls = vec![Call::new(explorer, path, 0, self.depth)];
        while let Some(call) = calls.last_mut() {
            let Some(flip) = call.flips.next().filter(|_| call.depth > 0) else {
                calls.pop();
                continue;
            };
            let (path, from) = match explorer.flip(&call.path, flip)? {
                Forced::Reached(path) => (path, flip.decision + 1),
                Forced::Supplied(path) => (path, 0),
                Forced::Diverged(_) | Forced::Infeasible | Forced::Unknown => continue,
            };
            call.depth -= 1;
            let below = Call::new(explorer, path, from, call.depth);
            calls.push(below);
        }
        ControlFlow::Continue(())
    }
}
