//! What the tests of a program reach, all scripts together.

use campaign::{Progress, Variant};
use model::{Goal, Program};
use std::collections::BTreeSet;

/// Goals that some test reaches, and what they show of decisions.
pub(crate) struct Reached<'p> {
    goals: BTreeSet<Goal>,
    progress: Progress<'p>,
}

impl<'p> Reached<'p> {
    /// Nothing yet.
    pub(crate) fn new(program: &'p Program, variant: Variant) -> Reached<'p> {
        let decisions = program.functions.iter().flat_map(|function| &function.decisions);
        Reached { goals: BTreeSet::new(), progress: Progress::new(decisions, variant) }
    }

    /// Whether no test reaches a goal, and one is worth having: of a vector only while it may show a condition.
    pub(crate) fn is_wanted(&self, goal: Goal) -> bool {
        !self.goals.contains(&goal) && self.progress.is_wanted(goal)
    }

    /// A test reaches these.
    pub(crate) fn add(&mut self, goals: &[Goal]) {
        self.goals.extend(goals.iter().copied());
        goals.iter().for_each(|&goal| self.progress.reach(goal));
    }

    /// No test reaches this one.
    pub(crate) fn rule_out(&mut self, goal: Goal) {
        self.progress.rule_out(goal);
    }

    /// What others must know who look for vectors: nothing if there are none.
    pub(crate) fn known(&self) -> Vec<Goal> {
        if self.progress.is_empty() { Vec::new() } else { self.goals.iter().copied().collect() }
    }
}
