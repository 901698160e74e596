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
    /// Chains for one outcome.
    pub chains: u64,
}

impl Extension {
    /// Longer than most limits in programs; a second chain where the first came from a run that led nowhere.
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
        &[("links", "80", "links of a chain"), ("chains", "3", "chains for one outcome")]
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

/// The chains at work.
struct Chains {
    strategy: Extension,
    /// Runs whose outcomes were not looked at yet.
    waiting: VecDeque<Rc<Execution>>,
    /// Chains that can be begun.
    ready: VecDeque<(Rc<Execution>, Goal)>,
    begun: BTreeMap<Goal, u64>,
    current: Option<Chain>,
}

struct Chain {
    run: Rc<Execution>,
    goal: Goal,
    from: u32,
    links: u64,
}

impl Chains {
    fn new(strategy: Extension) -> Chains {
        let (waiting, ready) = (VecDeque::new(), VecDeque::new());
        Chains { strategy, waiting, ready, begun: BTreeMap::new(), current: None }
    }

    /// The next chain: an outcome of a run, each outcome a few times.
    fn next(&mut self, explorer: &Explorer<'_>) -> Option<Chain> {
        loop {
            while let Some((run, goal)) = self.ready.pop_front() {
                let begun = self.begun.entry(goal).or_default();
                if *begun < self.strategy.chains {
                    *begun += 1;
                    return Some(Chain { run, goal, from: 0, links: self.strategy.links });
                }
            }
            let run = self.waiting.pop_front()?;
            let mut goals: Vec<Goal> =
                explorer.new_flips(&run, 0).into_iter().filter_map(|flip| run.goal(flip)).collect();
            goals.sort_unstable();
            goals.dedup();
            self.ready.extend(goals.into_iter().map(|goal| (Rc::clone(&run), goal)));
        }
    }
}

impl Chain {
    fn flip(&self, explorer: &Explorer<'_>) -> Option<Flip> {
        let flips = explorer.new_flips(&self.run, self.from);
        flips.into_iter().find(|&flip| self.run.goal(flip) == Some(self.goal))
    }
}

impl Walk for Chains {
    fn learn(&mut self, _: &mut Explorer<'_>, run: &Rc<Execution>) {
        self.waiting.push_back(Rc::clone(run));
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
            match explorer.flip(&chain.run, flip)? {
                Forced::Reached(run) | Forced::Diverged(run) => {
                    (chain.run, chain.from) = (run, flip.decision + 1);
                }
                Forced::Supplied(run) => (chain.run, chain.from) = (run, 0),
                Forced::Infeasible | Forced::Unknown => chain.from = flip.decision + 1,
            }
        }
    }
}
