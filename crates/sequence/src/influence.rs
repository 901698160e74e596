//! Which invokable may influence which: section 4.3.1, asked once for every pair.

use crate::bits::{BitMatrix, Bits};
use crate::{Id, InvokableId, Universe};

/// The influence of invokables on each other, kept as bits. Row `b` has the invokables `a` with `a → b`, because
/// sequences grow by what influences them.
pub struct Influence {
    onto: BitMatrix,
    /// Steps of influence from an invokable, standing before the last place, to the target.
    distances: Vec<Option<u32>>,
    checks: u64,
}

impl Influence {
    /// What influences `target`, directly or through others that may stand in a sequence. Nothing is asked about
    /// influence on invokables outside of this cone, which no candidate contains.
    #[must_use]
    pub fn towards(universe: &Universe, target: InvokableId) -> Influence {
        let mut influence = Influence::unknown(universe);
        let mut asked = Bits::new(universe.len());
        let mut frontier = vec![target];
        let mut distance = 0;
        while !frontier.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for onto in frontier {
                influence.ask(universe, onto, &mut asked);
                next.extend(influence.reached(universe, onto, distance));
            }
            frontier = next;
        }
        influence
    }

    /// The influence of every invokable on every other, for sequences that are not restricted to it.
    #[must_use]
    pub fn complete(universe: &Universe, target: InvokableId) -> Influence {
        let mut influence = Influence::towards(universe, target);
        let mut asked = Bits::new(universe.len());
        let cone = universe.ids().filter(|id| *id == target || influence.distance(*id).is_some());
        cone.for_each(|id| asked.insert(id.index()));
        universe.ids().for_each(|onto| influence.ask(universe, onto, &mut asked));
        influence
    }

    fn unknown(universe: &Universe) -> Influence {
        let count = universe.len();
        Influence { onto: BitMatrix::new(count, count), distances: vec![None; count], checks: 0 }
    }

    fn ask(&mut self, universe: &Universe, onto: InvokableId, asked: &mut Bits) {
        if asked.contains(onto.index()) {
            return;
        }
        asked.insert(onto.index());
        for from in universe.ids() {
            self.checks += 1;
            if universe.flows(from, onto).any() {
                self.onto.set(onto.index(), from.index());
            }
        }
    }

    /// Those that reach the target through `onto`, and did not before.
    fn reached(&mut self, universe: &Universe, onto: InvokableId, distance: u32) -> Vec<InvokableId> {
        let mut fresh = Vec::new();
        for from in universe.ids().filter(|from| universe.is_allowed(*from)) {
            if self.influences(from, onto) && self.distances[from.index()].is_none() {
                self.distances[from.index()] = Some(distance);
                fresh.push(from);
            }
        }
        fresh
    }

    /// Whether `first` may influence `second`.
    #[must_use]
    pub fn influences(&self, first: InvokableId, second: InvokableId) -> bool {
        self.onto.get(second.index(), first.index())
    }

    /// How many steps of influence lead from an invokable that stands before the last place to the target;
    /// `None` if it stands in no candidate.
    #[must_use]
    pub fn distance(&self, id: InvokableId) -> Option<u32> {
        self.distances.get(id.index()).copied().flatten()
    }

    /// How many pairs were looked at: never more than there are.
    #[must_use]
    pub fn checks(&self) -> u64 {
        self.checks
    }

    pub(crate) fn onto(&self, id: InvokableId) -> &[u64] {
        self.onto.row(id.index())
    }
}
