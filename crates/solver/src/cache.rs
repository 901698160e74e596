//! What earlier questions taught. Terms are interned and never change, so a set of constraints is a set of numbers;
//! a cache belongs to one [`expr::Terms`].

use crate::Why;
use crate::query::{Query, assign, assigned};
use expr::{Term, Variable};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Values of some variables.
type Model = Vec<(Variable, u128)>;

#[derive(Default)]
pub(crate) struct Cache {
    /// Latest first.
    models: VecDeque<Model>,
    /// Unsatisfiable sets by their newest constraint, which only few questions contain.
    cores: FxHashMap<Term, Vec<Box<[Term]>>>,
    core_count: usize,
    given_up: FxHashMap<Box<[Term]>, Why>,
}

impl Cache {
    /// Whether a sorted set of constraints contains one that is known to be unsatisfiable.
    pub(crate) fn is_unsat(&self, constraints: &[Term]) -> bool {
        let candidates = constraints.iter().filter_map(|newest| self.cores.get(newest)).flatten();
        candidates.into_iter().any(|core| core.iter().all(|term| constraints.binary_search(term).is_ok()))
    }

    /// An earlier model that satisfies this question too.
    pub(crate) fn model(&mut self, query: &mut Query, start: &[u128]) -> Option<Vec<u128>> {
        let mut tried = start.to_vec();
        for i in 0..self.models.len() {
            tried.clear();
            tried.extend_from_slice(start);
            for &(variable, value) in &self.models[i] {
                // Other variables belong to other slices and keep their values.
                if query.variables.binary_search_by_key(&variable, |&(known, _)| known).is_ok() {
                    assign(&mut tried, variable, value);
                }
            }
            if query.holds(&tried) {
                let used = self.models.remove(i)?;
                self.models.push_front(used);
                return Some(tried);
            }
        }
        None
    }

    /// Why the SMT solver did not decide the same question before.
    pub(crate) fn given_up(&self, constraints: &[Term]) -> Option<Why> {
        self.given_up.get(constraints).copied()
    }

    pub(crate) fn learn_model(&mut self, query: &Query, assignment: &[u128], limit: usize) {
        let values = query.variables.iter().map(|&(variable, _)| (variable, assigned(assignment, variable)));
        self.models.push_front(values.collect());
        self.models.truncate(limit);
    }

    pub(crate) fn learn_unsat(&mut self, constraints: &[Term], limit: usize) {
        if self.core_count >= limit {
            self.cores.clear();
            self.core_count = 0;
        }
        if let Some(&newest) = constraints.last() {
            self.cores.entry(newest).or_default().push(constraints.into());
            self.core_count += 1;
        }
    }

    pub(crate) fn learn_given_up(&mut self, constraints: &[Term], why: Why, limit: usize) {
        if self.given_up.len() >= limit {
            self.given_up.clear();
        }
        self.given_up.insert(constraints.into(), why);
    }
}
