//! Fitness-guided exploration (T. Xie, N. Tillmann, J. de Halleux, W. Schulte, "Fitness-Guided Path Exploration in Dynamic
//! Symbolic Execution", 2009, Fitnex): the paths that came closest to an open goal are flipped first.
//!
//! Conditions over what the program counted or looked up are not conditions over its input: nothing can be solved for in
//! `sscanf(text, "v%d.%d-rc%d", …) == 3`. But a run that read two numbers is nearer to it than one that read none, and a run that
//! reads three is a small change of that one.
//!
//! ```text
//! while there are flips:
//!   for each open goal, in turn:
//!     path := the one nearest to the goal; among equals the one with the least rank, the newest first
//!     force its last flip that is new, giving q
//!     rank(q) := 0 if q is nearer to a goal than all before, else rank(path) + 1
//!     rank(path) := rank(path) + 1
//! ```
//!
//! The rank spreads the work over paths of the same distance: deep first, but none is left alone for long.
//!
//! Before all that, where a run decided something as no run before, this decision and those just behind it are taken the other
//! way: distances do not tell that a run came one character further.

use crate::{Execution, Explorer, Flip, Forced, Stop, Strategy, Walk, walk};
use model::Goal;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The strategy `nearest`.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Decisions of all paths that are kept; when there are more, only paths nearer than all others are added.
    pub pending: u64,
}

impl Nearest {
    /// Some hundred megabytes at most.
    pub const DEFAULT: Nearest = Nearest { pending: 1 << 20 };
}

impl Strategy for Nearest {
    fn name(&self) -> &'static str {
        "nearest"
    }

    fn summary(&self) -> &'static str {
        "flips the paths that came closest to an open goal (Fitnex)"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[("pending", "1048576", "decisions of the paths that are kept")]
    }

    fn with(&self, parameter: &str, value: u64) -> Option<Box<dyn Strategy>> {
        (parameter == "pending").then(|| Box::new(Nearest { pending: value }) as _)
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        walk(Queues::new(*self), explorer, start)
    }

    fn begin(&self) -> Option<Box<dyn Walk>> {
        Some(Box::new(Queues::new(*self)))
    }
}

/// The rank of runs that others made: there are many, and before they are all looked at some steps are made from own ones.
const LEARNED: u32 = 4;

/// Decisions that are flipped where one is of a new kind, itself included.
const BEHIND: u32 = 3;

/// Approach level and distance.
type Nearness = (u32, u128);
/// A path in a queue: the best first, among equals the newest.
type Place = (Nearness, u32, Reverse<u64>);

struct Queues {
    strategy: Nearest,
    paths: HashMap<u64, Known>,
    decisions: u64,
    /// The paths by their nearness to each goal; under `None` all of them, for when no goal is near.
    queues: BTreeMap<Option<Goal>, BTreeSet<Place>>,
    /// The least distances so far.
    best: BTreeMap<Goal, Nearness>,
    /// The goal whose turn was last.
    last: Option<Goal>,
    /// Flips of decisions of a new kind.
    novel: VecDeque<(Rc<Execution>, Flip)>,
}

/// A path that may have flips left.
struct Known {
    run: Rc<Execution>,
    rank: u32,
    /// Only flips before this one are left.
    before: Flip,
}

impl Queues {
    fn new(strategy: Nearest) -> Queues {
        let (paths, queues) = (HashMap::new(), BTreeMap::new());
        let (best, novel) = (BTreeMap::new(), VecDeque::new());
        Queues { strategy, paths, decisions: 0, queues, best, last: None, novel }
    }

    fn add(&mut self, run: &Rc<Execution>, rank: u32) {
        self.novel.extend(novel_flips(run).map(|flip| (Rc::clone(run), flip)));
        let mut is_nearer = false;
        for &(goal, nearness) in &run.near {
            let best = self.best.entry(goal).or_insert((u32::MAX, u128::MAX));
            is_nearer |= nearness < *best;
            *best = nearness.min(*best);
        }
        if self.paths.contains_key(&run.number) || !is_nearer && self.decisions > self.strategy.pending {
            return;
        }
        let rank = if is_nearer { 0 } else { rank };
        self.decisions += run.path.decisions.len() as u64;
        let place = |nearness| (nearness, rank, Reverse(run.number));
        for &(goal, nearness) in &run.near {
            self.queues.entry(Some(goal)).or_default().insert(place(nearness));
        }
        self.queues.entry(None).or_default().insert(place((0, 0)));
        let before = Flip { decision: u32::MAX, way: 0 };
        self.paths.insert(run.number, Known { run: Rc::clone(run), rank, before });
    }

    /// The next flip: of a new kind, or of the path nearest to the goal whose turn it is.
    fn next(&mut self, explorer: &Explorer<'_>) -> Option<(Rc<Execution>, Flip)> {
        while let Some((run, flip)) = self.novel.pop_back() {
            if explorer.new_flips(&run, flip.decision).contains(&flip) {
                return Some((run, flip));
            }
        }
        self.queues.retain(|goal, _| goal.is_none_or(|goal| explorer.is_uncovered(goal)));
        loop {
            let goals = || self.queues.iter().filter(|(goal, queue)| goal.is_some() && !queue.is_empty());
            let after = goals().find(|(goal, _)| **goal > self.last).or_else(|| goals().next());
            let goal = after.and_then(|(&goal, _)| goal);
            self.last = goal;
            let queue = self.queues.get_mut(&goal)?;
            let (nearness, rank, Reverse(number)) = queue.pop_first()?;
            let Some(path) = self.paths.get_mut(&number) else { continue };
            if path.rank > rank {
                queue.insert((nearness, path.rank, Reverse(number)));
                continue;
            }
            let flips = explorer.new_flips(&path.run, 0);
            let Some(&flip) = flips.iter().rev().find(|&&flip| flip < path.before) else {
                self.decisions -= path.run.path.decisions.len() as u64;
                self.paths.remove(&number);
                continue;
            };
            path.rank += 1;
            path.before = flip;
            queue.insert((nearness, path.rank, Reverse(number)));
            return Some((Rc::clone(&path.run), flip));
        }
    }
}

/// The flips at decisions of a new kind and just behind them.
fn novel_flips(run: &Execution) -> impl Iterator<Item = Flip> {
    let decisions: BTreeSet<u32> =
        run.novel.iter().flat_map(|&decision| decision..decision + BEHIND).collect();
    run.flips(0).filter(move |flip| decisions.contains(&flip.decision))
}

impl Walk for Queues {
    fn learn(&mut self, _: &mut Explorer<'_>, run: &Rc<Execution>) {
        self.add(run, LEARNED);
    }

    fn go(&mut self, explorer: &mut Explorer<'_>) -> ControlFlow<Stop> {
        while let Some((run, flip)) = self.next(explorer) {
            let rank = self.paths.get(&run.number).map_or(0, |path| path.rank);
            match explorer.flip(&run, flip)? {
                Forced::Reached(child) | Forced::Diverged(child) | Forced::Supplied(child) => {
                    self.add(&child, rank)
                }
                Forced::Infeasible | Forced::Unknown => {}
            }
        }
        ControlFlow::Continue(())
    }
}
