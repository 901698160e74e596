//! What the tree knows about forcing, and what to force.

use super::arena::{NONE, ROOT, State};
use super::{Leaf, LeafId, Tree};
use crate::execution::{Flip, Forcing, Wanted};
use expr::Term;
use fastrand::Rng;
use target::Path;

/// Where a [`Forcing`] leads in the tree.
pub(super) struct Place {
    pub(super) node: u32,
    /// Not only to a leaf above it.
    pub(super) exact: bool,
    pub(super) below_pin: bool,
}

impl Tree {
    pub(super) fn locate(&self, forcing: &Forcing) -> Option<Place> {
        let mut place = Place { node: ROOT, exact: false, below_pin: false };
        let last = match forcing.wanted {
            Wanted::Way(condition) => condition,
            Wanted::OtherThan(_) => Term(NONE),
        };
        for &condition in forcing.prefix.iter().chain([&last]) {
            let node = self.arena.node(place.node);
            if node.state != State::Inner {
                return Some(place);
            }
            place.below_pin |= node.pin && condition.0 != NONE;
            place.node = self.arena.child(place.node, condition.0)?;
        }
        place.exact = true;
        Some(place)
    }

    /// Whether it is known that no input can do this.
    #[must_use]
    pub fn is_infeasible(&self, forcing: &Forcing) -> bool {
        self.locate(forcing).is_some_and(|place| {
            let state = self.arena.node(place.node).state;
            matches!(state, State::Leaf(Leaf::Infeasible | Leaf::Pinned))
        })
    }

    /// Whether no run did this yet, as far as the tree remembers, and it is not known to be impossible.
    #[must_use]
    pub fn is_new(&self, forcing: &Forcing) -> bool {
        self.locate(forcing).is_none_or(|place| self.may_be_new(place.node))
    }

    fn may_be_new(&self, node: u32) -> bool {
        let state = self.arena.node(node).state;
        matches!(state, State::Leaf(Leaf::Unexplored | Leaf::Cut | Leaf::Pruned))
    }

    /// The flips of a path at decision `from` and later for which [`Tree::is_new`] holds, in one walk.
    #[must_use]
    pub fn new_flips(&self, path: &Path, from: u32) -> Vec<Flip> {
        let mut flips = Vec::new();
        // The decision, or the leaf that the path was found to lead to.
        let mut at = Some(ROOT);
        for (number, decision) in (0..).zip(&path.decisions) {
            let inner = at.filter(|&node| self.arena.node(node).state == State::Inner);
            for (way, other) in (0..).zip(&decision.others).filter(|_| number >= from) {
                let place = match inner {
                    Some(node) => self.arena.child(node, other.condition.0),
                    None => at,
                };
                if place.is_none_or(|node| self.may_be_new(node)) {
                    flips.push(Flip { decision: number, way });
                }
            }
            if let Some(node) = inner {
                at = self.arena.child(node, decision.taken.condition.0);
            }
        }
        flips
    }

    /// An unexplored leaf, each with the same probability; other numbers for pins when there is no other.
    pub fn random_leaf(&self, rng: &mut Rng) -> Option<LeafId> {
        let pool = self.arena.open.iter().find(|pool| !pool.is_empty())?;
        rng.choice(pool).copied().map(LeafId)
    }

    /// What a run must do to come to a leaf.
    #[must_use]
    pub fn forcing(&self, LeafId(leaf): LeafId) -> Forcing {
        let mut prefix = Vec::new();
        let mut node = leaf;
        while node != ROOT && node != NONE {
            prefix.push(Term(self.arena.node(node).condition));
            node = self.arena.node(node).parent;
        }
        prefix.reverse();
        let wanted = match prefix.pop() {
            Some(Term(NONE)) | None => Wanted::OtherThan(self.numbers(self.arena.node(leaf).parent)),
            Some(condition) => Wanted::Way(condition),
        };
        Forcing { prefix, wanted }
    }

    /// The numbers seen at a pin.
    fn numbers(&self, pin: u32) -> Vec<Term> {
        let conditions = self.arena.children(pin).map(|child| Term(self.arena.node(child).condition));
        conditions.filter(|&Term(condition)| condition != NONE).collect()
    }
}
