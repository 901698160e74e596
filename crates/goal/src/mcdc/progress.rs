//! What is shown of the decisions of a function, and what would show more.

use super::{Selection, Variant, Want, merge};
use model::{Decision, Goal, Vector};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Which vectors were reached, and which conditions are shown by them.
#[derive(Clone, Debug)]
pub struct Progress<'d> {
    variant: Variant,
    decisions: Vec<Tracked<'d>>,
    /// Decision and number of each vector.
    places: FxHashMap<Goal, (usize, usize)>,
    /// What alone is wanted that is no vector; `None` if everything is.
    outcomes: Option<BTreeSet<Goal>>,
}

#[derive(Clone, Debug)]
struct Tracked<'d> {
    decision: &'d Decision,
    vectors: Vec<(Goal, Vector)>,
    state: Vec<State>,
    /// Those that show everything with as few as can be.
    planned: Vec<bool>,
    /// By vector: the conditions that its outcome hangs on, see [`Variant::deciding`].
    deciding: Vec<u64>,
    /// Conditions that are shown, a bit each.
    shown: u64,
    /// What alone is wanted.
    want: Option<Want>,
    /// If only some pairs are to show conditions: what each of them is to show, a bit each.
    allowed: Option<FxHashMap<[usize; 2], u64>>,
    /// By vector: whether it is wanted. Asked after every run, so it is found out when something changes.
    wanted: Vec<bool>,
}

/// What became of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Nothing yet.
    Open,
    /// A run had it.
    Reached,
    /// No run can have it.
    Impossible,
}

/// What became of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// These vectors, by their places among those of the decision, show it.
    By([usize; 2]),
    /// Every pair that would show it has a vector that cannot be reached.
    Impossible,
    /// Neither.
    Open,
}

/// The vectors of a decision that show everything with as few as can be, where no input stands against it. What constants keep from
/// deciding needs none.
#[must_use]
pub fn planned(decision: &Decision) -> Vec<(Goal, Vector)> {
    let as_evaluated = |values: u64| {
        let (_, evaluated) = decision.shape.evaluate(values);
        (evaluated, values & evaluated)
    };
    let few: Vec<(u64, u64)> = decision.shape.few().into_iter().map(as_evaluated).collect();
    let mut planned = decision.vectors();
    planned.retain(|(_, vector)| few.contains(&(vector.evaluated, vector.values)));
    let shows = |a: &Vector, b: &Vector| Variant::UniqueCause.shows(&decision.shape, a, b) != 0;
    let is_paired = |(_, one): &(Goal, Vector)| planned.iter().any(|(_, other)| shows(one, other));
    planned.iter().copied().filter(is_paired).collect()
}

impl<'d> Progress<'d> {
    /// Of these decisions, with nothing reached.
    #[must_use]
    pub fn new(decisions: impl IntoIterator<Item = &'d Decision>, variant: Variant) -> Progress<'d> {
        let mut tracked = Vec::new();
        let mut places = FxHashMap::default();
        for decision in decisions {
            let vectors = decision.vectors();
            places.extend(vectors.iter().enumerate().map(|(i, &(goal, _))| (goal, (tracked.len(), i))));
            let state = vec![State::Open; vectors.len()];
            let plan = planned(decision);
            let planned = vectors.iter().map(|vector| plan.contains(vector)).collect();
            let deciding = vectors.iter().map(|(_, v)| variant.deciding(&decision.shape, v)).collect();
            let (want, allowed, wanted) = (None, None, Vec::new());
            let mut new =
                Tracked { decision, vectors, state, planned, deciding, shown: 0, want, allowed, wanted };
            new.refresh(variant);
            tracked.push(new);
        }
        Progress { variant, decisions: tracked, places, outcomes: None }
    }

    /// The same where nothing is wanted but what was selected.
    #[must_use]
    pub fn restricted_to(mut self, selection: Option<&Selection>) -> Progress<'d> {
        let Some(selection) = selection else { return self };
        for tracked in &mut self.decisions {
            tracked.restrict(selection.of(tracked.decision));
            tracked.refresh(self.variant);
        }
        self.outcomes = Some(selection.outcomes().clone());
        self
    }

    /// Whether there are no decisions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
    }

    /// Notes that a goal was reached; others than vectors are none of its business.
    pub fn reach(&mut self, goal: Goal) {
        let Some(&(decision, number)) = self.places.get(&goal) else { return };
        let variant = self.variant;
        let tracked = &mut self.decisions[decision];
        if tracked.state[number] == State::Reached {
            return;
        }
        tracked.state[number] = State::Reached;
        let partners = (0..tracked.vectors.len()).filter(|&other| tracked.state[other] == State::Reached);
        let shown = partners.map(|other| tracked.shows(variant, number, other)).fold(0, |all, new| all | new);
        tracked.shown |= shown;
        tracked.refresh(variant);
    }

    /// Notes that a goal cannot be reached.
    pub fn rule_out(&mut self, goal: Goal) {
        if let Some(&(decision, number)) = self.places.get(&goal)
            && self.decisions[decision].state[number] == State::Open
        {
            self.decisions[decision].state[number] = State::Impossible;
            self.decisions[decision].refresh(self.variant);
        }
    }

    /// Whether reaching a goal may show another condition, or is planned as long as something is left to show: with such vectors few
    /// are needed in the end. Of all that is no vector, everything is unless something was selected.
    #[must_use]
    pub fn is_wanted(&self, goal: Goal) -> bool {
        match self.places.get(&goal) {
            Some(&(decision, number)) => self.decisions[decision].wanted[number],
            None => self.outcomes.as_ref().is_none_or(|outcomes| outcomes.contains(&goal)),
        }
    }

    /// Whether reaching a vector is all that a condition lacks to be shown.
    #[must_use]
    pub fn completes(&self, goal: Goal) -> bool {
        self.places.get(&goal).is_some_and(|&(decision, number)| {
            let tracked = &self.decisions[decision];
            tracked.state[number] == State::Open
                && tracked.helps(self.variant, number, |state| state == State::Reached)
        })
    }

    /// Whether every condition is shown or cannot be.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.decisions.iter().all(|tracked| !tracked.wanted.contains(&true))
    }

    /// The vectors of a decision with whether they were reached, and what became of its conditions; the pairs are chosen so that few
    /// vectors are needed.
    #[must_use]
    pub fn conclusion(&self, decision: usize) -> (Vec<(Goal, Vector, bool)>, Vec<Shown>) {
        let tracked = &self.decisions[decision];
        let conditions = tracked.decision.conditions.len();
        let reached = |number: &usize| tracked.state[*number] == State::Reached;
        let pairs = tracked.pairs(self.variant, reached);
        let chosen = merge(&pairs);
        let possible = tracked.pairs(self.variant, |number| tracked.state[*number] != State::Impossible);
        let shown = (0..conditions).map(|condition| match chosen[condition] {
            Some(pair) => Shown::By(pair),
            // Where ways were left out, others might do.
            None if possible[condition].is_empty() && !tracked.decision.is_cut => Shown::Impossible,
            None => Shown::Open,
        });
        let vectors =
            tracked.vectors.iter().enumerate().map(|(i, &(goal, vector))| (goal, vector, reached(&i)));
        (vectors.collect(), shown.collect())
    }

    /// Of the first decision, by condition the pairs that would show it, and the vectors of the plan.
    pub(super) fn open_choice(&self) -> (Vec<Vec<[usize; 2]>>, Vec<usize>) {
        let tracked = &self.decisions[0];
        let planned = (0..tracked.planned.len()).filter(|&number| tracked.planned[number]);
        (tracked.pairs(self.variant, |_| true), planned.collect())
    }

    /// What became of the vectors that were selected of a decision, by their numbers: of those that were named all, of
    /// pairs the ones that show a condition and, where nothing does, all that would.
    #[must_use]
    pub fn selected(&self, decision: usize) -> Vec<(usize, State)> {
        let tracked = &self.decisions[decision];
        let numbers: BTreeSet<usize> = match &tracked.want {
            None => BTreeSet::new(),
            Some(Want::Vectors(numbers)) => numbers.iter().copied().collect(),
            Some(Want::Pairs(pairs)) => {
                let (_, shown) = self.conclusion(decision);
                let of = |(shown, pairs): (&Shown, &Vec<[usize; 2]>)| match shown {
                    Shown::By(pair) => pair.to_vec(),
                    Shown::Impossible | Shown::Open => pairs.concat(),
                };
                shown.iter().zip(pairs).flat_map(of).collect()
            }
        };
        numbers.into_iter().map(|number| (number, tracked.state[number])).collect()
    }

    /// The vectors that the conclusions about all decisions need, or that were named.
    #[must_use]
    pub fn needed(&self) -> Vec<Goal> {
        let mut needed = Vec::new();
        for decision in 0..self.decisions.len() {
            let tracked = &self.decisions[decision];
            if let Some(Want::Vectors(numbers)) = &tracked.want {
                let reached = numbers.iter().filter(|&&number| tracked.state[number] == State::Reached);
                needed.extend(reached.map(|&number| tracked.vectors[number].0));
                continue;
            }
            let (vectors, shown) = self.conclusion(decision);
            for pair in shown {
                if let Shown::By(pair) = pair {
                    needed.extend(pair.map(|number| vectors[number].0));
                }
            }
        }
        needed.sort_unstable();
        needed.dedup();
        needed
    }
}

impl Tracked<'_> {
    fn shows(&self, variant: Variant, a: usize, b: usize) -> u64 {
        let shows = variant.shows_with([a, b].map(|i| &self.vectors[i].1), [a, b].map(|i| self.deciding[i]));
        match &self.allowed {
            Some(allowed) => shows & allowed.get(&[a.min(b), a.max(b)]).copied().unwrap_or(0),
            None => shows,
        }
    }

    fn restrict(&mut self, want: Want) {
        if let Want::Pairs(pairs) = &want {
            let mut allowed = FxHashMap::default();
            for (condition, pairs) in pairs.iter().enumerate() {
                for &[a, b] in pairs {
                    *allowed.entry([a.min(b), a.max(b)]).or_insert(0) |= 1 << condition;
                }
            }
            let is_paired = |number: &usize| allowed.keys().any(|pair| pair.contains(number));
            (0..self.planned.len()).for_each(|number| self.planned[number] &= is_paired(&number));
            self.allowed = Some(allowed);
        }
        self.want = Some(want);
    }

    /// Finds out what is wanted now.
    fn refresh(&mut self, variant: Variant) {
        let is_open = |number: usize| self.state[number] == State::Open;
        if let Some(Want::Vectors(numbers)) = &self.want {
            self.wanted = (0..self.vectors.len()).map(|n| is_open(n) && numbers.contains(&n)).collect();
            return;
        }
        let helps: Vec<bool> =
            (0..self.vectors.len()).map(|n| is_open(n) && self.helps(variant, n, |_| true)).collect();
        let is_done = !helps.contains(&true);
        self.wanted =
            (0..helps.len()).map(|n| helps[n] || is_open(n) && self.planned[n] && !is_done).collect();
    }

    /// Whether a vector shows a condition that is not shown yet, together with one whose state will do.
    fn helps(&self, variant: Variant, number: usize, will_do: impl Fn(State) -> bool) -> bool {
        let mut partners = (0..self.vectors.len())
            .filter(|&other| self.state[other] != State::Impossible && will_do(self.state[other]));
        partners.any(|other| self.shows(variant, number, other) & !self.shown != 0)
    }

    /// By condition: the pairs that show it, of vectors that will do.
    fn pairs(&self, variant: Variant, will_do: impl Fn(&usize) -> bool) -> Vec<Vec<[usize; 2]>> {
        let usable: Vec<usize> = (0..self.vectors.len()).filter(|number| will_do(number)).collect();
        let mut strict = self.pairs_of(variant, &usable);
        if variant == Variant::UniqueCauseOrMasking {
            let held = self.pairs_of(Variant::UniqueCause, &usable);
            for (pairs, held) in strict.iter_mut().zip(held) {
                if !held.is_empty() {
                    *pairs = held;
                }
            }
        }
        strict
    }

    fn pairs_of(&self, variant: Variant, usable: &[usize]) -> Vec<Vec<[usize; 2]>> {
        let mut pairs = vec![Vec::new(); self.decision.conditions.len()];
        for (i, &a) in usable.iter().enumerate() {
            for &b in &usable[i + 1..] {
                let mut shows = self.shows(variant, a, b);
                while shows != 0 {
                    pairs[shows.trailing_zeros() as usize].push([a, b]);
                    shows &= shows - 1;
                }
            }
        }
        pairs
    }
}
