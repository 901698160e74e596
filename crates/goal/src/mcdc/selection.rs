//! What is wanted of decisions where that is not everything.

use super::{Progress, Variant};
use model::{BranchId, Decision, Goal};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What is wanted of a decision; vectors by their places in [`Decision::vectors`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Want {
    /// All of these vectors.
    Vectors(Vec<usize>),
    /// By condition: one of these pairs.
    Pairs(Vec<Vec<[usize; 2]>>),
}

/// What alone is wanted: of some decisions something, of all others nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Selection {
    /// By the first node.
    decisions: BTreeMap<BranchId, Want>,
    /// Of decisions that are a single condition.
    outcomes: BTreeSet<Goal>,
}

impl Selection {
    /// Adds what is wanted of a decision.
    pub fn add(&mut self, decision: &Decision, want: Want) {
        let vectors = decision.vectors();
        match (&decision.conditions[..], &want) {
            (&[branch], _) if decision.nodes.iter().any(|node| node.branch == branch) => {
                let numbers = match want {
                    Want::Vectors(numbers) => numbers,
                    Want::Pairs(pairs) => pairs.concat().concat(),
                };
                self.outcomes.extend(numbers.into_iter().map(|number| vectors[number].0));
            }
            _ => {
                self.decisions.extend(decision.nodes.first().map(|node| (node.branch, want)));
            }
        }
    }

    /// What is wanted of a decision.
    #[must_use]
    pub fn of(&self, decision: &Decision) -> Want {
        let first = decision.nodes.first().and_then(|node| self.decisions.get(&node.branch));
        first.cloned().unwrap_or(Want::Vectors(Vec::new()))
    }

    /// The outcomes that are wanted of decisions of a single condition.
    #[must_use]
    pub fn outcomes(&self) -> &BTreeSet<Goal> {
        &self.outcomes
    }
}

impl Progress<'_> {
    /// What there is to choose from: by condition of a decision the pairs that would show it, and the vectors of a least set that shows
    /// all.
    #[must_use]
    pub fn choice(decision: &Decision, variant: Variant) -> (Vec<Vec<[usize; 2]>>, Vec<usize>) {
        Progress::new([decision], variant).open_choice()
    }
}
