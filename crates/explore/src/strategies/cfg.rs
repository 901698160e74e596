//! `CfgDirectedSearch` (Burnim and Sen 2008, section 4.3), as published.
//!
//! ```text
//! p: the current path; tries(b) := 0 for all branches b
//! pick an unpicked branch p_i with the smallest UncoveredDistance(p̄_i) + tries(p̄_i), at random among equals
//! force it, giving q;  SearchAlongPath(q, i + 1, S) for all static paths S from p̄_i up to that weight
//!   success:  p := the new path, tries reset, distances computed anew
//!   failure:  tries(p̄_i) += 1
//! ```

use crate::along::search_along;
use crate::ranking::Ranking;
use crate::{Execution, Explorer, Forced, Stop, Strategy};
use model::Goal;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The strategy `cfg`.
#[derive(Clone, Copy, Debug)]
pub struct CfgDirected;

impl CfgDirected {
    /// There is nothing to choose.
    pub const DEFAULT: CfgDirected = CfgDirected;
}

impl Strategy for CfgDirected {
    fn name(&self) -> &'static str {
        "cfg"
    }

    fn summary(&self) -> &'static str {
        "forces branches from which short static paths lead to uncovered ones, and drives runs along them"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[]
    }

    fn with(&self, _: &str, _: u64) -> Option<Box<dyn Strategy>> {
        None
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        let mut path = explorer.run(start)?;
        while let Some(better) = advance(explorer, &path)? {
            path = better;
        }
        ControlFlow::Continue(())
    }
}

/// From a path to one that covers something new; `None` when no branch is left to pick.
fn advance(explorer: &mut Explorer<'_>, path: &Execution) -> ControlFlow<Stop, Option<Rc<Execution>>> {
    let distances = explorer.graph().distances(|goal| explorer.is_uncovered(goal));
    let mut tries: HashMap<Goal, u32> = HashMap::new();
    let mut ranking = Ranking::new();
    for flip in path.flips(0) {
        if let Some(distance) = path.goal(flip).and_then(|goal| distances.of(goal)) {
            ranking.push(flip, distance, &mut explorer.rng);
        }
    }
    loop {
        let picked = ranking.pop(&mut explorer.rng, |&flip| {
            let goal = path.goal(flip)?;
            Some(distances.of(goal)? + tries.get(&goal).unwrap_or(&0))
        });
        let Some((flip, weight)) = picked else { return ControlFlow::Continue(None) };
        let Some(goal) = path.goal(flip) else { continue };
        let found = match explorer.flip(path, flip)? {
            Forced::Reached(run) | Forced::Diverged(run) if !run.new.is_empty() => Some(run),
            Forced::Supplied(run) => Some(run),
            Forced::Reached(run) => search_along(explorer, &distances, run, flip, goal, weight)?,
            Forced::Diverged(_) | Forced::Infeasible | Forced::Unknown => continue,
        };
        if found.is_some() {
            return ControlFlow::Continue(found);
        }
        *tries.entry(goal).or_default() += 1;
    }
}
