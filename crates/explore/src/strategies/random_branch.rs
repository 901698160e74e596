//! `RandomBranchSearch` (Burnim and Sen 2008, section 3.2): force one uniformly random branch of the current path
//! and go on from the new one.

use crate::{Execution, Explorer, Flip, Forced, Stop, Strategy, Walk, walk};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The strategy `random-branch`.
#[derive(Clone, Copy, Debug)]
pub struct RandomBranch {
    /// Start again after so many runs without new coverage; 0 is never.
    pub restart: u64,
}

impl RandomBranch {
    /// Without restarts.
    pub const DEFAULT: RandomBranch = RandomBranch { restart: 0 };
}

impl Strategy for RandomBranch {
    fn name(&self) -> &'static str {
        "random-branch"
    }

    fn summary(&self) -> &'static str {
        "forces a random branch of the current path and goes on from the new path"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[("restart", "0", "runs without new coverage after which fresh inputs are taken; 0: never")]
    }

    fn with(&self, parameter: &str, value: u64) -> Option<Box<dyn Strategy>> {
        (parameter == "restart").then(|| Box::new(RandomBranch { restart: value }) as _)
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        walk(Wandering { restart: self.restart, path: None, fruitless: 0 }, explorer, start)
    }

    fn begin(&self) -> Option<Box<dyn Walk>> {
        Some(Box::new(Wandering { restart: self.restart, path: None, fruitless: 0 }))
    }
}

/// The search at work.
struct Wandering {
    restart: u64,
    path: Option<Rc<Execution>>,
    fruitless: u64,
}

impl Walk for Wandering {
    fn learn(&mut self, _: &mut Explorer<'_>, run: &Rc<Execution>) {
        self.path = Some(Rc::clone(run));
        self.fruitless = 0;
    }

    fn go(&mut self, explorer: &mut Explorer<'_>) -> ControlFlow<Stop> {
        while let Some(path) = &self.path {
            let Some(next) = force_any(explorer, path)? else { break };
            self.fruitless = if next.new.is_empty() { self.fruitless + 1 } else { 0 };
            if self.restart > 0 && self.fruitless >= self.restart {
                break;
            }
            self.path = Some(next);
        }
        self.path = None;
        ControlFlow::Continue(())
    }
}

/// Forces a random branch. One that cannot be forced is not picked again from the same path, so that a path
/// without any ends the search.
fn force_any(explorer: &mut Explorer<'_>, path: &Execution) -> ControlFlow<Stop, Option<Rc<Execution>>> {
    let mut flips: Vec<Flip> = path.flips(0).collect();
    while !flips.is_empty() {
        let flip = flips.swap_remove(explorer.rng.usize(..flips.len()));
        if let Forced::Reached(next) | Forced::Diverged(next) | Forced::Supplied(next) =
            explorer.flip(path, flip)?
        {
            return ControlFlow::Continue(Some(next));
        }
    }
    ControlFlow::Continue(None)
}
