//! The data-flow check of section 4.3.3: can data flow between all invokables of a sequence?
//!
//! Every slot takes the result of one earlier invokable, so `new Integer; new Integer; hashCode()` falls apart:
//! the one slot links one of the two. Wanted is a choice of one producer for each slot, such that the chosen links
//! and those by static fields connect everything. That is a spanning tree with at most one edge of each slot: a
//! common independent set of a graphic matroid and a partition matroid. A largest one is found by augmenting paths
//! (Edmonds), exactly and in polynomial time, where trying all choices is exponential in the slots.

use crate::filters::Rules;
use crate::{Filters, InvokableId, Universe};

/// What is not chosen yet when a part of a sequence is looked at. Whatever stands there is taken as one node that
/// produces, or consumes, all that invokables can. If a whole sequence is connected, it stays so when the unknown
/// part of it is drawn together to this node; so parts without a connection are parts of no candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unknown {
    Nothing,
    Before,
    /// So many places, the last one included.
    After(usize),
}

/// The number of the slots, all together, of what comes after the part that is known.
const LATER: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Edge {
    ends: (u8, u8),
    slot: u32,
    chosen: bool,
}

/// Whether references can be chosen such that data flows between all invokables of a sequence, each slot taking
/// one earlier result or, where needed, null. For a single question; searches have the filter built in.
#[must_use]
pub fn connected(universe: &Universe, sequence: &[InvokableId]) -> bool {
    let Some(last) = sequence.last() else { return true };
    let known = |id: &InvokableId| universe.get(*id).is_some();
    if sequence.len() > crate::MAX_LENGTH || !sequence.iter().all(known) {
        return false;
    }
    let rules = Rules::new(universe, *last, Filters { influence: false, ..Filters::default() });
    Links::default().connectable(&rules, sequence, Unknown::Nothing)
}

/// Decides about connections, in memory that is used again.
#[derive(Default)]
pub(crate) struct Links {
    /// The component of each node by static links alone.
    fixed: Vec<u8>,
    /// The same by static and chosen links.
    joined: Vec<u8>,
    /// The same without one chosen link.
    without: Vec<u8>,
    edges: Vec<Edge>,
    slots: u32,
    /// How many links what comes after can have to what is known.
    later: usize,
    queue: Vec<usize>,
    /// The edge before this one on the way, and the one between them that would go.
    parents: Vec<Option<(usize, usize)>>,
    seen: Vec<bool>,
}

impl Links {
    /// Takes all memory that sequences of that length need.
    pub(crate) fn reserve(&mut self, universe: &Universe, length: usize) {
        let slots = universe.demands.iter().map(Vec::len).max().unwrap_or(0);
        let edges = length * (length + 1) * slots + length;
        self.edges.reserve(edges);
        self.queue.reserve(edges);
        self.parents.reserve(edges);
        self.seen.reserve(edges);
        for labels in [&mut self.fixed, &mut self.joined, &mut self.without] {
            labels.reserve(length + 1);
        }
    }

    /// Whether references can be chosen such that all items, and what is unknown, are connected.
    pub(crate) fn connectable(&mut self, rules: &Rules<'_>, items: &[InvokableId], unknown: Unknown) -> bool {
        self.join_fixed(rules, items, unknown);
        self.list_edges(rules, items, unknown);
        let mut missing = components(&self.fixed).saturating_sub(1);
        if missing > self.slots as usize + self.later {
            return false;
        }
        missing -= self.choose_greedily();
        while missing > 0 && self.augment() {
            missing -= 1;
        }
        missing == 0
    }

    fn join_fixed(&mut self, rules: &Rules<'_>, items: &[InvokableId], unknown: Unknown) {
        let nodes = items.len() + usize::from(unknown != Unknown::Nothing);
        self.fixed.clear();
        self.fixed.extend((0..nodes).map(|node| node as u8));
        for (at, item) in items.iter().enumerate() {
            let earlier = items[..at].iter().enumerate();
            let linked = earlier.filter(|(_, before)| rules.static_link(**before, *item));
            linked.for_each(|(before, _)| join(&mut self.fixed, before, at));
            let beyond = match unknown {
                Unknown::Nothing => false,
                Unknown::Before => rules.static_use_of_any(*item),
                Unknown::After(_) => rules.static_define_for_any(*item),
            };
            if beyond {
                join(&mut self.fixed, at, items.len());
            }
        }
    }

    fn list_edges(&mut self, rules: &Rules<'_>, items: &[InvokableId], unknown: Unknown) {
        self.edges.clear();
        self.slots = 0;
        for (at, item) in items.iter().enumerate() {
            for demand in rules.universe.demands_of(*item) {
                for (before, producer) in items[..at].iter().enumerate() {
                    if rules.universe.supplies(*producer, *demand) {
                        self.offer(before, at);
                    }
                }
                if unknown == Unknown::Before && rules.producible(*demand) {
                    self.offer(items.len(), at);
                }
                self.slots += 1;
            }
        }
        self.later = 0;
        if let Unknown::After(places) = unknown {
            self.later = rules.links_to_later(places);
            let consumed = items.iter().enumerate().filter(|(_, item)| rules.consumable(**item));
            consumed.for_each(|(at, _)| self.offer_slot(at, items.len(), LATER));
        }
    }

    fn offer(&mut self, from: usize, to: usize) {
        self.offer_slot(from, to, self.slots);
    }

    fn offer_slot(&mut self, from: usize, to: usize, slot: u32) {
        if self.fixed[from] != self.fixed[to] {
            self.edges.push(Edge { ends: (from as u8, to as u8), slot, chosen: false });
        }
    }

    fn capacity(&self, slot: u32) -> usize {
        if slot == LATER { self.later } else { 1 }
    }

    /// Takes every edge that joins something and has its slot free. Usually that is all there is to do.
    fn choose_greedily(&mut self) -> usize {
        self.joined.clone_from(&self.fixed);
        let (mut chosen, mut slot, mut free) = (0, None, 0);
        for index in 0..self.edges.len() {
            let edge = self.edges[index];
            // The edges of a slot stand together.
            if slot != Some(edge.slot) {
                (slot, free) = (Some(edge.slot), self.capacity(edge.slot));
            }
            let (from, to) = ends(&edge);
            if free > 0 && self.joined[from] != self.joined[to] {
                join(&mut self.joined, from, to);
                self.edges[index].chosen = true;
                free -= 1;
                chosen += 1;
            }
        }
        chosen
    }

    /// Makes the choice one larger by exchanging along a shortest path, if there is one: from an edge that joins two
    /// components, over the edge that has its slot, to an edge that replaces that one, to one with a free slot.
    fn augment(&mut self) -> bool {
        self.join_chosen(None);
        self.joined.clone_from(&self.without);
        self.queue.clear();
        self.parents.clear();
        self.parents.resize(self.edges.len(), None);
        self.seen.clear();
        for (index, edge) in self.edges.iter().enumerate() {
            let (from, to) = ends(edge);
            let source = !edge.chosen && self.joined[from] != self.joined[to];
            self.seen.push(source || edge.chosen);
            if source {
                self.queue.push(index);
            }
        }
        let mut at = 0;
        while let Some(edge) = self.queue.get(at).copied() {
            let slot = self.edges[edge].slot;
            if self.edges.iter().filter(|other| other.chosen && other.slot == slot).count()
                < self.capacity(slot)
            {
                self.exchange(edge);
                return true;
            }
            for owner in 0..self.edges.len() {
                if self.edges[owner].chosen && self.edges[owner].slot == slot {
                    self.reach_over(edge, owner);
                }
            }
            at += 1;
        }
        false
    }

    /// Queues the edges that hold together what is chosen if `owner` goes.
    fn reach_over(&mut self, edge: usize, owner: usize) {
        self.join_chosen(Some(owner));
        for (index, other) in self.edges.iter().enumerate() {
            let (from, to) = ends(other);
            if !self.seen[index] && self.without[from] != self.without[to] {
                self.seen[index] = true;
                self.parents[index] = Some((edge, owner));
                self.queue.push(index);
            }
        }
    }

    /// The components by all chosen edges but one.
    fn join_chosen(&mut self, but: Option<usize>) {
        self.without.clone_from(&self.fixed);
        for (index, edge) in self.edges.iter().enumerate() {
            if edge.chosen && Some(index) != but {
                let (from, to) = ends(edge);
                join(&mut self.without, from, to);
            }
        }
    }

    /// Chooses the edges on the way to `last`, and no longer those between them.
    fn exchange(&mut self, last: usize) {
        let mut edge = last;
        self.edges[edge].chosen = true;
        while let Some((parent, owner)) = self.parents[edge] {
            self.edges[owner].chosen = false;
            self.edges[parent].chosen = true;
            edge = parent;
        }
    }
}

fn ends(edge: &Edge) -> (usize, usize) {
    (usize::from(edge.ends.0), usize::from(edge.ends.1))
}

fn join(labels: &mut [u8], one: usize, other: usize) {
    let (keep, drop) = (labels[one], labels[other]);
    labels.iter_mut().filter(|label| **label == drop).for_each(|label| *label = keep);
}

/// A label is the number of a node of its component, so those that label themselves are counted.
fn components(labels: &[u8]) -> usize {
    labels.iter().enumerate().filter(|(node, label)| usize::from(**label) == *node).count()
}
