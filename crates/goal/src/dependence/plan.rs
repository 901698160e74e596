//! The fitness of a run for a dependence set.

use super::{DependenceSet, DependenceSets};
use crate::fitness::{Fitness, Plan};
use model::{BranchId, Goal};
use rustc_hash::FxHashMap;

/// What leads to a goal when all of a dependence set is wanted: the goal's own [`Plan`], and what the set asks for beyond it.
///
/// The level of a run is the thesis' `Count(depSet − executedSet)` (section 4.7): the levels of the plan that are missing and
/// the further outcomes that are. With none of these missing it is the plan that judges, down to level 0, the goal itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DependencePlan {
    target: Plan,
    /// In program order.
    further: Vec<Goal>,
    /// Places in program order of all branches above. Those of callers are not known here, and come first.
    places: FxHashMap<BranchId, u32>,
}

impl DependenceSets {
    /// A plan for each set, in their order; the first judges as `target`, the goal's own plan, does.
    pub fn plans<'s>(&'s self, target: &'s Plan) -> impl Iterator<Item = DependencePlan> + 's {
        self.sets.iter().map(|set| self.plan(target, set))
    }

    fn plan(&self, target: &Plan, set: &DependenceSet) -> DependencePlan {
        let place = |goal: &Goal| self.places.get(&goal.branch).copied().unwrap_or(0);
        let mut further: Vec<Goal> = set.difference(&self.plain).copied().collect();
        further.sort_by_key(place);
        let outcomes = target.steps.iter().map(|(_, outcome)| outcome).chain(&further);
        let places = outcomes.map(|outcome| (outcome.branch, place(outcome))).collect();
        DependencePlan { target: target.clone(), further, places }
    }
}

impl DependencePlan {
    /// What the set asks for beyond the goal's control dependence, in program order.
    #[must_use]
    pub fn further(&self) -> &[Goal] {
        &self.further
    }

    /// Judges a run by its smallest distances. A run that reached the goal has no need of the set.
    pub fn fitness(&self, distance: impl Fn(Goal) -> u128) -> Fitness {
        let own = self.target.fitness(&distance);
        let missing = self.further.iter().filter(|&&outcome| distance(outcome) != 0).count() as u32;
        let is_evaluated = |&outcome: &Goal| distance(outcome) != u128::MAX;
        if own == Fitness::COVERED || (own != Fitness::WORST && missing == 0) {
            return own;
        }
        if own == Fitness::WORST && !self.further.iter().any(is_evaluated) {
            return Fitness::WORST;
        }
        let own_level = if own == Fitness::WORST { self.levels() } else { own.level };
        let diverged = self.diverged(&distance);
        Fitness { level: own_level + missing, distance: diverged.map_or(u128::MAX, distance) }
    }

    /// Where a run left the way to the goal: of the outcomes that it lacks, the first in program order.
    ///
    /// Only of those that it evaluated: what controls an outcome is part of the set too, so one that was not evaluated is not
    /// where the run went wrong, unless it never got that far.
    pub fn diverged(&self, distance: impl Fn(Goal) -> u128) -> Option<Goal> {
        let went_wrong = |&outcome: &Goal| !matches!(distance(outcome), 0 | u128::MAX);
        let level = self.target.fitness(&distance).level;
        let own = self.target.steps.iter().filter(|&&(at, _)| at == level && at > 0);
        let own = own.map(|&(_, outcome)| outcome).filter(went_wrong);
        let own = own.min_by_key(|&outcome| distance(outcome));
        let further = self.further.iter().copied().find(went_wrong);
        further.into_iter().chain(own).min_by_key(|outcome| self.places[&outcome.branch])
    }

    /// How many levels the goal's own plan has; its steps are sorted by them.
    fn levels(&self) -> u32 {
        self.target.steps.last().map_or(1, |&(level, _)| level + 1)
    }
}
