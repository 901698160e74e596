//! Who settled what, and at which price.

use std::time::Duration;

/// The layers in the order in which they are asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Layer {
    /// Independent parts; settles what the hint satisfies already.
    Slice,
    /// Constants and plain contradictions.
    Fold,
    /// Models and unsatisfiable sets of earlier questions.
    Cache,
    /// Ranges.
    Interval,
    /// Inputs computed backwards.
    Invert,
    /// All values of a few bytes.
    Enumerate,
    /// Local search.
    Descent,
    /// The SMT solver.
    Smt,
}

impl Layer {
    /// All layers in order.
    pub const ALL: [Layer; 8] = [
        Layer::Slice,
        Layer::Fold,
        Layer::Cache,
        Layer::Interval,
        Layer::Invert,
        Layer::Enumerate,
        Layer::Descent,
        Layer::Smt,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Layer::Slice => "slice",
            Layer::Fold => "fold",
            Layer::Cache => "cache",
            Layer::Interval => "interval",
            Layer::Invert => "invert",
            Layer::Enumerate => "enumerate",
            Layer::Descent => "descent",
            Layer::Smt => "smt",
        }
    }
}

/// The account of one layer. Independent parts of a question are counted one by one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Count {
    /// Times it was asked.
    pub asked: u64,
    /// Settled with a model.
    pub sat: u64,
    /// Settled with a proof.
    pub unsat: u64,
    /// Models that failed their evaluation.
    pub failed_models: u64,
    /// Time spent; a report, never a reason.
    pub time: Duration,
}

/// The accounts of all layers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    counts: [Count; Layer::ALL.len()],
    /// Questions left open.
    pub unknown: u64,
}

impl Stats {
    /// The account of a layer.
    #[must_use]
    pub fn of(&self, layer: Layer) -> &Count {
        &self.counts[layer as usize]
    }

    pub(crate) fn of_mut(&mut self, layer: Layer) -> &mut Count {
        &mut self.counts[layer as usize]
    }
}
