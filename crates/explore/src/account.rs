//! Limits, counts, and how things end.

use crate::execution::Execution;
use std::rc::Rc;

/// Limits, all of them counts: no clock takes part in a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Runs.
    pub runs: u64,
    /// Questions to the solver: where nothing can be forced, no runs would be used up.
    pub queries: u64,
    /// Nodes of the tree.
    pub nodes: usize,
    /// Paths of each call that are followed after one path of the calls before it.
    pub paths_per_call: Option<u64>,
    /// Stop when the tree is complete, since nothing new can happen.
    pub stop_when_complete: bool,
    /// Stop when all wanted goals are covered.
    pub stop_when_covered: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            runs: 10_000,
            queries: 1_000_000,
            nodes: 1 << 20,
            paths_per_call: None,
            stop_when_complete: true,
            stop_when_covered: true,
        }
    }
}

/// Why an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A limit was reached.
    Budget,
    /// All wanted goals are covered.
    Covered,
    /// All paths were run: goals not covered are infeasible.
    Complete,
    /// The strategy ended and there are no other inputs to start from.
    Exhausted,
    /// The caller said so.
    Interrupted,
}

/// What came of forcing.
#[derive(Clone, Debug)]
pub enum Forced {
    /// The run did what was asked.
    Reached(Rc<Execution>),
    /// There was a run, but it went elsewhere.
    Diverged(Rc<Execution>),
    /// What was asked needs more than the input had. It was supplied, and the run with it has a path of its own.
    Supplied(Rc<Execution>),
    /// Proven impossible.
    Infeasible,
    /// The solver gave up.
    Unknown,
}

/// Counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Runs.
    pub runs: u64,
    /// Runs that a solver's answer led to, whether they did what was asked or not.
    pub forced: u64,
    /// Questions answered with an input.
    pub sat: u64,
    /// Questions answered with a proof that there is none.
    pub unsat: u64,
    /// Questions not answered.
    pub unknown: u64,
    /// Questions not asked since enough paths of the call were known.
    pub beyond: u64,
    /// Questions not asked since the tree knew that the answer is no.
    pub spared: u64,
    /// Forced runs that did not do what was asked.
    pub divergences: u64,
    /// Runs along a path that was known.
    pub repeats: u64,
}

impl Statistics {
    /// What counts as a question to the solver.
    pub(crate) fn questions(&self) -> u64 {
        self.sat + self.unsat + self.unknown + self.beyond
    }
}

/// What the sink of an explorer is told after every run.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Outcomes covered so far.
    pub covered: usize,
    /// The run.
    pub execution: &'a Execution,
}
