//! Concolic exploration: which branch of which path to force next.
//!
//! A run leaves a [`target::Path`]: its decisions as terms over the input. A [`Strategy`] picks a decision and
//! another way out of it, the [`Explorer`] solves for an input that goes there, runs it and hands back the new
//! path. Counting, budgets, coverage, the [`Tree`] of all paths and the decision to stop live in the explorer.
//! The program and the solver come in through [`Program`] and [`Solve`]; no process, clock or language is known.
//!
//! | file | holds |
//! |---|---|
//! | `program.rs` | the traits |
//! | `explorer.rs` | the explorer: runs, forces, keeps coverage and tree |
//! | `account.rs` | limits, counts, and how things end |
//! | `execution.rs` | one run, the ways to leave it, and what a forced run is asked to do |
//! | `tree/` | the constraint tree: leaves, completeness, bounded memory |
//! | `cfcg.rs` | combined control-flow and call graph, distances to uncovered branches |
//! | `along.rs` | `SearchAlongPath`: a run is driven along static paths |
//! | `novelty.rs` | questions of a kind that no run asked before |
//! | `ranking.rs` | flips in the order of a score that only grows |
//! | `strategies/` | the strategies, a file each |
//!
//! A new strategy is one file and one line in [`all`].

mod account;
mod along;
mod cfcg;
mod execution;
mod explorer;
mod novelty;
mod program;
mod quota;
mod ranking;
mod strategies;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;

pub use account::{Forced, Limits, Progress, Statistics, Stop};
pub use cfcg::Cfcg;
pub use execution::{Execution, Flip, Forcing, Step, Wanted};
pub use explorer::Explorer;
pub use program::{Answer, Program, Run, Solve};
pub use strategies::{
    BoundedDfs, CfgDirected, CfgPool, Extension, Generational, Nearest, Random, RandomBranch, RandomLeaf,
    UniformRandom,
};
pub use tree::{Added, Census, Leaf, LeafId, Tree};

use std::ops::ControlFlow;
use std::rc::Rc;

/// A way to choose the next branch.
pub trait Strategy: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// One line for the list of engines.
    fn summary(&self) -> &'static str;

    /// Parameters as `(name, value, meaning)`.
    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)];

    /// The same strategy with another value of a parameter; `None` if there is no such parameter.
    fn with(&self, parameter: &str, value: u64) -> Option<Box<dyn Strategy>>;

    /// Explores from the input `start`, which is run first, until the explorer says stop (`Break`). `Continue`
    /// means that the strategy has nothing left to pick. The same explorer, its random numbers included, gives
    /// the same exploration.
    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop>;

    /// The same as a search that takes turns with others, if the strategy can be one.
    fn begin(&self) -> Option<Box<dyn Walk>> {
        None
    }
}

/// A search that can be interrupted and goes on later.
pub trait Walk {
    /// Takes in a run, its own first one or one that somebody else made.
    fn learn(&mut self, explorer: &mut Explorer<'_>, run: &Rc<Execution>);

    /// Goes on until the explorer says stop (`Break`). `Continue` means that nothing is left to pick.
    fn go(&mut self, explorer: &mut Explorer<'_>) -> ControlFlow<Stop>;
}

/// The whole of [`Strategy::explore`] for a strategy that can take turns.
fn walk(mut walk: impl Walk, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
    let first = explorer.run(start)?;
    walk.learn(explorer, &first);
    walk.go(explorer)
}

/// Every strategy.
#[must_use]
pub fn all() -> &'static [&'static dyn Strategy] {
    &[
        &CfgPool::DEFAULT,
        &CfgDirected::DEFAULT,
        &Generational::DEFAULT,
        &Extension::DEFAULT,
        &Nearest::DEFAULT,
        &RandomLeaf,
        &RandomBranch::DEFAULT,
        &UniformRandom,
        &BoundedDfs::DEFAULT,
        &Random,
    ]
}

/// The strategy of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Strategy> {
    all().iter().copied().find(|strategy| strategy.name() == name)
}

/// Explores until a limit is reached. A strategy that ends early starts again on fresh random inputs.
pub fn explore(strategy: &dyn Strategy, explorer: &mut Explorer<'_>, start: Vec<u128>) -> Stop {
    let mut start = start;
    loop {
        if let ControlFlow::Break(stop) = strategy.explore(explorer, start) {
            return stop;
        }
        if explorer.is_finished() {
            return Stop::Complete;
        }
        let Some(random) = explorer.random_assignment() else { return Stop::Exhausted };
        start = random;
    }
}
