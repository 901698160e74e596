//! Which sequences are candidates: the switches, and the rules behind them.

use crate::bits::{BitMatrix, Bits, indices};
use crate::{Id, Influence, InvokableId, Universe};

/// Partial order reduction, section 4.3.4: of sequences that differ in the order of invokables that have nothing
/// to do with each other, some are dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Por {
    /// Nothing is dropped.
    None,
    /// As printed: neighbours `p; q` need `p → q` or a number of `p` not above that of `q`. This loses sequences:
    /// with `x() { g = f + 1; }` and `y() { f = 5; }` the order decides, though `x` does not influence `y`.
    Printed,
    /// The rule for neighbours, applied only where neither influences the other and both write nothing in common.
    Sound,
    /// The same notion of independence, but `q` is also compared with what it could be moved in front of over
    /// several places. If all numbers differ, exactly one order remains of each class: its lexicographic normal form
    /// (Anisimov and Knuth 1979).
    Canonical,
}

/// The filters of section 4.3, each with its switch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Filters {
    /// Every invokable but the last may influence a later one. Without it, all sequences are candidates.
    pub influence: bool,
    /// Every receiver can be the result of an earlier invokable.
    pub executable: bool,
    /// References can be chosen such that data flows between all invokables (section 4.3.3).
    pub connected: bool,
    /// Slots other than receivers may be null. Without it, every slot needs an earlier result.
    pub nulls: bool,
    /// Partial order reduction.
    pub por: Por,
}

impl Default for Filters {
    fn default() -> Filters {
        Filters { influence: true, executable: true, connected: true, nulls: true, por: Por::Sound }
    }
}

impl Filters {
    /// The search of listing 4.2 before any optimisation: influence alone.
    pub const INFLUENCE: Filters =
        Filters { influence: true, executable: false, connected: false, nulls: true, por: Por::None };
}

/// The filters on one universe and target, with all answers that do not depend on a sequence computed.
pub(crate) struct Rules<'u> {
    pub(crate) universe: &'u Universe,
    pub(crate) influence: Influence,
    pub(crate) filters: Filters,
    pub(crate) target: InvokableId,
    /// Row: an invokable; column: one that it can swap places with.
    independent: BitMatrix,
    /// Row: an invokable; column: one that may use a static field that it may define.
    static_links: BitMatrix,
    /// May use a static field that something before the last place may define.
    static_users: Bits,
    /// May define a static field that something may use.
    static_definers: Bits,
    /// Leave something that fits into a slot.
    consumable: Bits,
    /// The most slots of an invokable that stands before the last place.
    slots: usize,
    /// Per demand how many invokables it takes to meet it from nothing, at least.
    costs: Vec<Option<usize>>,
}

impl<'u> Rules<'u> {
    pub(crate) fn new(universe: &'u Universe, target: InvokableId, filters: Filters) -> Rules<'u> {
        let influence = match filters.influence {
            true => Influence::towards(universe, target),
            false => Influence::complete(universe, target),
        };
        let count = universe.len();
        let mut rules = Rules {
            universe,
            influence,
            filters,
            target,
            independent: BitMatrix::new(count, count),
            static_links: BitMatrix::new(count, count),
            static_users: Bits::new(count),
            static_definers: Bits::new(count),
            consumable: Bits::new(count),
            slots: 0,
            costs: vec![None; universe.demand_count],
        };
        let usable = universe.ids().filter(|id| rules.is_usable(*id));
        rules.slots = usable.map(|id| universe.demands_of(id).len()).max().unwrap_or(0);
        rules.compare_pairs();
        rules.find_costs();
        rules
    }

    /// Whether an invokable occurs in candidates at all, before the last place.
    pub(crate) fn is_usable(&self, id: InvokableId) -> bool {
        let near = !self.filters.influence || self.influence.distance(id).is_some();
        near && self.universe.is_allowed(id)
    }

    fn compare_pairs(&mut self) {
        let all = !self.filters.influence;
        let here = |id: &InvokableId| all || self.is_usable(*id) || *id == self.target;
        let occurring: Vec<InvokableId> = self.universe.ids().filter(here).collect();
        for a in &occurring {
            for b in &occurring {
                let ordered = self.influence.influences(*a, *b) || self.influence.influences(*b, *a);
                if !ordered && !self.universe.clash(*a, *b) {
                    self.independent.set(a.index(), b.index());
                }
                if self.universe.static_flow(*a, *b) {
                    self.static_links.set(a.index(), b.index());
                    self.static_users.insert(b.index());
                    self.static_definers.insert(a.index());
                }
                if self.universe.flows(*a, *b).return_argument {
                    self.consumable.insert(a.index());
                }
            }
        }
    }

    /// A producer comes after what it needs itself, the dearest of which is a lower bound of what that takes.
    fn find_costs(&mut self) {
        let usable: Vec<InvokableId> = self.universe.ids().filter(|id| self.is_usable(*id)).collect();
        loop {
            let mut changed = false;
            for id in usable.iter().copied() {
                let Some(cost) = self.cost_of(id) else { continue };
                for demand in indices(self.universe.meets.row(id.index())) {
                    if self.costs[demand].is_none_or(|old| cost < old) {
                        self.costs[demand] = Some(cost);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn cost_of(&self, id: InvokableId) -> Option<usize> {
        indices(self.musts(id)).try_fold(1, |most: usize, demand| Some(most.max(self.costs[demand]? + 1)))
    }

    pub(crate) fn musts(&self, id: InvokableId) -> &[u64] {
        self.universe.musts(id, self.filters.executable, self.filters.nulls)
    }

    /// Whether `places` more invokables in front may suffice to meet a demand.
    pub(crate) fn within(&self, demand: usize, places: usize) -> bool {
        self.costs[demand].is_some_and(|cost| cost <= places)
    }

    /// Whether anything at all can meet a demand.
    pub(crate) fn producible(&self, demand: usize) -> bool {
        self.costs[demand].is_some()
    }

    pub(crate) fn static_use_of_any(&self, id: InvokableId) -> bool {
        self.static_users.contains(id.index())
    }

    pub(crate) fn static_define_for_any(&self, id: InvokableId) -> bool {
        self.static_definers.contains(id.index())
    }

    pub(crate) fn consumable(&self, id: InvokableId) -> bool {
        self.consumable.contains(id.index())
    }

    /// How many slots the target and `places - 1` others before it can spare for results of earlier ones, at most:
    /// where static fields connect nothing, it takes all but one of the places a slot to hang together themselves.
    pub(crate) fn links_to_later(&self, places: usize) -> usize {
        let others = places.saturating_sub(1);
        let slots = self.universe.demands_of(self.target).len() + others * self.slots;
        if self.static_users.next(0).is_some() { slots } else { slots.saturating_sub(others) }
    }

    pub(crate) fn static_link(&self, first: InvokableId, second: InvokableId) -> bool {
        self.static_links.get(first.index(), second.index())
    }

    /// Whether partial order reduction keeps a part, the end of a sequence, that it kept without its first. The
    /// target is last whatever its number, so that no order with it is ever dropped but by the printed rule.
    pub(crate) fn keeps_front(&self, part: &[InvokableId]) -> bool {
        let [first, rest @ ..] = part else { return true };
        let Some(second) = rest.first() else { return true };
        match self.filters.por {
            Por::None => true,
            Por::Printed => self.keeps_printed(*first, *second),
            Por::Sound => rest.len() == 1 || self.keeps_order(*first, *second),
            Por::Canonical => !(1..part.len() - 1).any(|at| self.overtakes(part, at)),
        }
    }

    /// The same for a part that begins a sequence and was kept without its last; `complete` if it is all of it.
    pub(crate) fn keeps_back(&self, part: &[InvokableId], complete: bool) -> bool {
        let [.., before, last] = part else { return true };
        match self.filters.por {
            Por::None => true,
            Por::Printed => self.keeps_printed(*before, *last),
            _ if complete => true,
            Por::Sound => self.keeps_order(*before, *last),
            Por::Canonical => {
                let over =
                    part[..part.len() - 1].iter().rev().take_while(|id| self.is_independent(**id, *last));
                !over.into_iter().any(|id| self.universe.number(*id) > self.universe.number(*last))
            }
        }
    }

    fn keeps_printed(&self, first: InvokableId, second: InvokableId) -> bool {
        self.influence.influences(first, second)
            || self.universe.number(first) <= self.universe.number(second)
    }

    fn keeps_order(&self, first: InvokableId, second: InvokableId) -> bool {
        !self.is_independent(first, second) || self.universe.number(first) <= self.universe.number(second)
    }

    /// Whether the invokable at `at` could move before the first, and has a smaller number.
    fn overtakes(&self, part: &[InvokableId], at: usize) -> bool {
        self.universe.number(part[at]) < self.universe.number(part[0])
            && part[..at].iter().all(|id| self.is_independent(*id, part[at]))
    }

    fn is_independent(&self, first: InvokableId, second: InvokableId) -> bool {
        self.independent.get(first.index(), second.index())
    }
}
