//! What explorations did, added up for the report.

use crate::Session;
use crate::concolic::Runner;
use crate::hybrid::Explored;
use explore::Explorer;
use model::Goal;
use solver::{Layer, Stats};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use suite::{Exploration, LayerAccount};
use target::Approximation;

/// Places with losses that are told.
const PLACES: usize = 100;

/// The sum of several explorations.
#[derive(Default)]
pub(crate) struct Account {
    exploration: Exploration,
    approximations: BTreeMap<Approximation, u64>,
    losses: BTreeMap<u32, u64>,
    diverged: BTreeMap<Option<Goal>, u64>,
    explorers: usize,
    complete: usize,
}

impl Account {
    pub(crate) fn explorer(&mut self, explorer: &Explorer<'_>) {
        let statistics = explorer.statistics();
        self.exploration.traced += statistics.runs;
        self.exploration.divergences += statistics.divergences;
        self.exploration.paths += explorer.tree().census().paths;
        for (&goal, count) in explorer.diverged() {
            *self.diverged.entry(goal).or_default() += count;
        }
        self.explorers += 1;
        self.complete += usize::from(explorer.tree().is_complete());
    }

    pub(crate) fn solver(&mut self, stats: &Stats) {
        self.exploration.unknown += stats.unknown;
        self.exploration.layers.resize(Layer::ALL.len(), LayerAccount::default());
        for (sum, layer) in self.exploration.layers.iter_mut().zip(Layer::ALL) {
            let count = stats.of(layer);
            layer.name().clone_into(&mut sum.layer);
            sum.asked += count.asked;
            sum.sat += count.sat;
            sum.unsat += count.unsat;
            sum.seconds += count.time.as_secs_f64();
        }
    }

    pub(crate) fn program(&mut self, program: &Runner<'_, '_, '_>) {
        for (what, count) in &program.approximations {
            *self.approximations.entry(what.clone()).or_default() += count;
        }
        for (&place, count) in &program.losses {
            *self.losses.entry(place).or_default() += count;
        }
    }

    /// All of it, and what it says about goals.
    pub(crate) fn explored(mut self, infeasible: Vec<Goal>, session: &Session<'_>) -> Explored {
        self.exploration.complete = self.explorers > 0 && self.complete == self.explorers;
        let lost = self.losses.iter().filter_map(|(&place, &count)| Some((session.loss(place)?, count)));
        let left = self.diverged.iter().map(|(&goal, &count)| (left_at(session, goal), count));
        let mut losses: Vec<(String, u64)> = lost.chain(left).collect();
        losses.sort_by(|(a, m), (b, n)| (Reverse(m), a).cmp(&(Reverse(n), b)));
        losses.truncate(PLACES);
        self.exploration.losses = losses;
        Explored { infeasible, approximations: self.approximations, exploration: Some(self.exploration) }
    }
}

/// Where a run did not do what was computed for it, in words.
fn left_at(session: &Session<'_>, goal: Option<Goal>) -> String {
    let what = "another way than computed";
    match goal.and_then(|goal| session.place(goal)) {
        Some(place) => format!("{place}: {what}"),
        None => what.to_owned(),
    }
}
