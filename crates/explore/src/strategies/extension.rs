//! Loop extension: the same way is taken again and again.
//!
//! What needs a list of 33 elements or a string of 20 characters lies behind a loop whose condition must hold so often.
//! Every other strategy meets it after all shorter paths of the same kind. Here a branch outcome that a run could have had
//! is forced, then forced again at the next place where the new run could have had it, and so on: a chain of runs, each
//! one link longer, for every outcome.
//!
//! ```text
//! for each outcome g that a run could have had:
//!   from := 0
//!   while the run has a new flip to g at decision >= from, the first one:
//!     run := what forcing it gives;  from := behind the flip
//! ```
//!
//! Some shapes are large in more than one direction: a tree that is wide, a list each of whose elements has a list. So every
//! chain is made a second time, and there it also takes every flip that makes the input larger (K. Kim et al., "CAVM", 2018,
//! grow their structures so).

use crate::{Execution, Explorer, Flip, Forced, Stop, Strategy, Walk, walk};
use model::Goal;
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The strategy `extension`.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// Links of a chain.
    pub links: u64,
    /// Chains for one outcome, of each kind.
    pub chains: u64,
}

impl Extension {
    /// Longer than most limits in programs; more chains where the first came from a run that led nowhere.
    pub const DEFAULT: Extension = Extension { links: 80, chains: 3 };
}

impl Strategy for Extension {
    fn name(&self) -> &'static str {
        "extension"
    }

    fn summary(&self) -> &'static str {
        "takes the same way again and again: longer lists, strings and loops"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[("links", "80", "links of a chain"), ("chains", "3", "chains for one outcome, of each kind")]
    }

    fn with(&self, parameter: &str, value: u64) -> Option<Box<dyn Strategy>> {
        match parameter {
            "links" => Some(Box::new(Extension { links: value, ..*self })),
            "chains" => Some(Box::new(Extension { chains: value, ..*self })),
            _ => None,
        }
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        walk(Chains::new(*self), explorer, start)
    }

    fn begin(&self) -> Option<Box<dyn Walk>> {
        Some(Box::new(Chains::new(*self)))
    }
}

/// Links after which another chain has its turn.
const TURN: u64 = 8;

/// The chains at work.
struct Chains {
    strategy: Extension,
    /// Runs whose outcomes were not looked at yet.
    waiting: VecDeque<Rc<Execution>>,
    /// Chains that can be begun.
    ready: VecDeque<(Rc<Execution>, Way)>,
    begun: BTreeMap<Way, u64>,
    current: Option<Chain>,
    /// Chains that had their turn and may go on when all others had theirs.
    resting: VecDeque<Chain>,
}

/// What a chain forces again and again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    goal: Goal,
    /// Whatever makes the input larger is forced as well.
    grows: bool,
}

struct Chain {
    run: Rc<Execution>,
    way: Way,
    from: u32,
    links: u64,
}

impl Chains {
    fn new(strategy: Extension) -> Chains {
        let (waiting, ready, resting) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Chains { strategy, waiting, ready, begun: BTreeMap::new(), current: None, resting }
    }

    /// The next chain: an outcome of a run, each outcome a few times.
    fn next(&mut self, explorer: &Explorer<'_>) -> Option<Chain> {
        loop {
            while let Some((run, way)) = self.ready.pop_front() {
                let begun = self.begun.entry(way).or_default();
                if *begun < self.strategy.chains {
                    *begun += 1;
                    return Some(Chain { run, way, from: 0, links: self.strategy.links });
                }
            }
            let Some(run) = self.waiting.pop_front() else { return self.resting.pop_front() };
            let flips = explorer.new_flips(&run, 0);
            let mut goals: Vec<Goal> = flips.iter().filter_map(|&flip| run.goal(flip)).collect();
            goals.sort_unstable();
            goals.dedup();
            let can_grow = flips.iter().any(|&flip| explorer.grows(&run, flip));
            for grows in [false, true].into_iter().take(1 + usize::from(can_grow)) {
                self.ready.extend(goals.iter().map(|&goal| (Rc::clone(&run), Way { goal, grows })));
            }
        }
    }
}

impl Chain {
    fn flip(&self, explorer: &Explorer<'_>) -> Option<Flip> {
        explorer.new_flips(&self.run, self.from).into_iter().find(|&flip| {
            self.run.goal(flip) == Some(self.way.goal) || self.way.grows && explorer.grows(&self.run, flip)
        })
    }
}

impl Walk for Chains {
    fn learn(&mut self, _: &mut Explorer<'_>, run: &Rc<Execution>) {
        // What covered something new is the better start.
        if run.new.is_empty() {
            self.waiting.push_back(Rc::clone(run));
        } else {
            self.waiting.push_front(Rc::clone(run));
        }
    }

    fn go(&mut self, explorer: &mut Explorer<'_>) -> ControlFlow<Stop> {
        loop {
            let Some(chain) = &mut self.current else {
                self.current = self.next(explorer);
                if self.current.is_none() {
                    return ControlFlow::Continue(());
                }
                continue;
            };
            let Some(flip) = chain.flip(explorer).filter(|_| chain.links > 0) else {
                self.current = None;
                continue;
            };
            chain.links -= 1;
            let is_tired = chain.links.is_multiple_of(TURN);
            match explorer.flip(&chain.run, flip)? {
                Forced::Reached(run) | Forced::Diverged(run) => {
                    (chain.run, chain.from) = (run, flip.decision + 1);
                }
                Forced::Supplied(run) => (chain.run, chain.from) = (run, 0),
                Forced::Infeasible | Forced::Unknown => chain.from = flip.decision + 1,
            }
            if is_tired {
                self.resting.extend(self.current.take());
            }
        }
    }
}
