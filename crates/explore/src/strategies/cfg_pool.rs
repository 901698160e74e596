//! CFG-directed search with a memory: what the authors of [`super::CfgDirected`] saw missing (section 4.3, end).
//!
//! - A success resets nothing: tries are kept for the whole search.
//! - The branches of all paths that covered something new compete, not those of the last path only.
//! - A branch that was forced without success comes back a few times, ranked behind those not tried yet, and is
//!   then given longer static paths.
//! - When no branch is left, a random input joins the pool.

use crate::along::search_along;
use crate::cfcg::Distances;
use crate::ranking::Ranking;
use crate::{Execution, Explorer, Flip, Forced, Stop, Strategy, Walk, walk};
use model::Goal;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The strategy `cfg-pool`.
#[derive(Clone, Copy, Debug)]
pub struct CfgPool {
    /// Paths kept; the oldest goes first.
    pub paths: u64,
    /// How often a branch may fail before it is given up.
    pub failures: u32,
}

impl CfgPool {
    /// Enough for the successes of some hundred runs.
    pub const DEFAULT: CfgPool = CfgPool { paths: 64, failures: 4 };
    /// All paths of the pool together have no more decisions, unless it is only one path.
    const DECISIONS: usize = 1 << 20;
}

impl Strategy for CfgPool {
    fn name(&self) -> &'static str {
        "cfg-pool"
    }

    fn summary(&self) -> &'static str {
        "cfg over a pool of paths: remembers its failures, comes back to older paths with more patience"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[
            ("paths", "64", "paths in the pool"),
            ("failures", "4", "failures after which a branch of a path is given up"),
        ]
    }

    fn with(&self, parameter: &str, value: u64) -> Option<Box<dyn Strategy>> {
        let changed = match parameter {
            "paths" => CfgPool { paths: value, ..*self },
            "failures" => CfgPool { failures: value.try_into().unwrap_or(u32::MAX), ..*self },
            _ => return None,
        };
        Some(Box::new(changed))
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        walk(Pool::new(*self), explorer, start)
    }

    fn begin(&self) -> Option<Box<dyn Walk>> {
        Some(Box::new(Pool::new(*self)))
    }
}

impl Walk for Pool {
    fn learn(&mut self, explorer: &mut Explorer<'_>, run: &Rc<Execution>) {
        self.update(explorer);
        self.add(explorer, Rc::clone(run));
    }

    fn go(&mut self, explorer: &mut Explorer<'_>) -> ControlFlow<Stop> {
        loop {
            while let Some(run) = self.advance(explorer)? {
                self.learn(explorer, &run);
            }
            if explorer.is_finished() {
                return ControlFlow::Continue(());
            }
            let Some(input) = explorer.random_assignment() else { return ControlFlow::Continue(()) };
            let run = explorer.run(input)?;
            self.learn(explorer, &run);
        }
    }
}

/// A flip of the path of a run.
type Candidate = (u64, Flip);

struct Pool {
    limits: CfgPool,
    paths: VecDeque<Rc<Execution>>,
    ranking: Ranking<Candidate>,
    distances: Distances,
    /// Failures by outcome, on any path.
    tries: HashMap<Goal, u32>,
    /// Failures of one flip of one path.
    returns: HashMap<Candidate, u32>,
}

impl Pool {
    fn new(limits: CfgPool) -> Pool {
        Pool {
            limits,
            paths: VecDeque::new(),
            ranking: Ranking::new(),
            distances: Distances::default(),
            tries: HashMap::new(),
            returns: HashMap::new(),
        }
    }

    fn update(&mut self, explorer: &Explorer<'_>) {
        self.distances = explorer.graph().distances(|goal| explorer.is_uncovered(goal));
    }

    fn add(&mut self, explorer: &mut Explorer<'_>, path: Rc<Execution>) {
        for flip in path.flips(0) {
            if let Some(distance) = path.goal(flip).and_then(|goal| self.distances.of(goal)) {
                self.ranking.push((path.number, flip), distance, &mut explorer.rng);
            }
        }
        self.paths.push_back(path);
        while self.is_too_large() {
            self.paths.pop_front();
            let oldest = self.paths.front().map_or(0, |path| path.number);
            self.ranking.retain(|&(number, _)| number >= oldest);
            self.returns.retain(|&(number, _), _| number >= oldest);
        }
    }

    fn is_too_large(&self) -> bool {
        let decisions: usize = self.paths.iter().map(|path| path.path.decisions.len()).sum();
        let over = self.paths.len() as u64 > self.limits.paths || decisions > CfgPool::DECISIONS;
        over && self.paths.len() > 1
    }

    /// Picks the best branch of the pool until a run covers something new; `None` when none is left.
    fn advance(&mut self, explorer: &mut Explorer<'_>) -> ControlFlow<Stop, Option<Rc<Execution>>> {
        loop {
            let Pool { ranking, paths, distances, tries, returns, .. } = &mut *self;
            let score = |candidate: &Candidate| {
                let goal = find(paths, candidate.0)?.goal(candidate.1)?;
                let failures = tries.get(&goal).unwrap_or(&0) + returns.get(candidate).unwrap_or(&0);
                Some(distances.of(goal)? + failures)
            };
            let picked = ranking.pop(&mut explorer.rng, score);
            let Some((candidate, weight)) = picked else { return ControlFlow::Continue(None) };
            let found = self.attempt(explorer, candidate, weight)?;
            if found.is_some() {
                return ControlFlow::Continue(found);
            }
        }
    }

    fn attempt(
        &mut self,
        explorer: &mut Explorer<'_>,
        candidate: Candidate,
        weight: u32,
    ) -> ControlFlow<Stop, Option<Rc<Execution>>> {
        let (number, flip) = candidate;
        let Some(path) = find(&self.paths, number).cloned() else { return ControlFlow::Continue(None) };
        let Some(goal) = path.goal(flip) else { return ControlFlow::Continue(None) };
        let found = match explorer.flip(&path, flip)? {
            Forced::Reached(run) | Forced::Diverged(run) if !run.new.is_empty() => Some(run),
            Forced::Supplied(run) => Some(run),
            Forced::Reached(run) => search_along(explorer, &self.distances, run, flip, goal, weight)?,
            Forced::Diverged(_) | Forced::Infeasible | Forced::Unknown => {
                return ControlFlow::Continue(None);
            }
        };
        let failures = self.returns.entry(candidate).or_default();
        if found.is_none() {
            *failures += 1;
            *self.tries.entry(goal).or_default() += 1;
        }
        if *failures < self.limits.failures {
            self.ranking.push(candidate, weight, &mut explorer.rng);
        }
        ControlFlow::Continue(found)
    }
}

/// The path of a run; they are in the order of their numbers.
fn find(paths: &VecDeque<Rc<Execution>>, number: u64) -> Option<&Rc<Execution>> {
    paths.binary_search_by_key(&number, |path| path.number).ok().map(|i| &paths[i])
}
