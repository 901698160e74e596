//! The constraint tree (M. den Hollander, "Automatic Unit Test Generation", 2010, section 3.3): all paths that
//! were run, and all that are known to branch off them.
//!
//! Inner nodes are decisions, edges the conditions of their ways, so the conditions from the root to a leaf are
//! the path condition. The leaves split the set of inputs between them:
//!
//! ```text
//!             x < 5                     path 1:  x < 5, y == 0
//!           /       \                   path 2:  x < 5, y != 0
//!        y == 0   ¬(x < 5)
//!        /    \       └ unexplored
//!   terminal  terminal
//! ```
//!
//! *Pins.* A run used a number, say the address `a + i` with `i` being 3; its path holds only for `i == 3`. Such a
//! node has a child for every number seen, and one leaf for all others, with the condition that `i` is none of
//! those seen. A proof of "unsatisfiable" below a pin holds for the pinned numbers ([`Leaf::Pinned`]); what happens
//! for the others is found below that leaf. It waits in a pool of its own, drawn from when all else is explored.
//!
//! *Memory.* A decision whose ways are all settled becomes one settled leaf: nothing below it needs to be run
//! again. When the nodes are up nevertheless, the deepest decisions are pruned, and the tree stays incomplete.

mod arena;
mod prune;
mod query;

use crate::execution::Forcing;
use arena::{Arena, NONE, ROOT, State};
use expr::Term;
use query::Place;
use target::{Approximation, Decision, Path};

/// The kinds of leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// Not tried.
    Unexplored,
    /// A run ended here.
    Terminal,
    /// Proven: no input leads here.
    Infeasible,
    /// Proven for the numbers pinned on the way.
    Pinned,
    /// All below was run or proven infeasible, and forgotten.
    Settled,
    /// The solver gave up.
    TimedOut,
    /// Not tried, since enough paths of the call were known.
    Beyond,
    /// The run that should have come here went elsewhere.
    Diverged,
    /// An input that leads here lacks what its run needs; with that, it takes another path.
    Outgrown,
    /// A run came here, but its further decisions were not kept.
    Cut,
    /// Forgotten for want of memory.
    Pruned,
}

impl Leaf {
    /// Whether there is nothing left to find.
    #[must_use]
    pub fn is_settled(self) -> bool {
        matches!(self, Leaf::Terminal | Leaf::Infeasible | Leaf::Pinned | Leaf::Settled)
    }
}

/// A leaf that [`Tree::random_leaf`] picked; good until the tree changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct LeafId(u32);

/// What the tree made of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// It is new.
    New,
    /// It was run before.
    Known,
    /// It contradicts a path that was run before: equal conditions, different continuation.
    Inconsistent,
    /// It leads where the tree was pruned.
    Pruned,
}

/// What happened to the tree so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Census {
    /// Different paths that were run.
    pub paths: u64,
    /// Leaves proven infeasible.
    pub infeasible: u64,
    /// Leaves proven infeasible for pinned numbers.
    pub pinned: u64,
    /// Leaves given up by the solver.
    pub timed_out: u64,
    /// Leaves that a forced run missed.
    pub diverged: u64,
    /// Leaves that stand for a forgotten part of the tree.
    pub pruned: u64,
    /// Runs with more decisions than were kept.
    pub cut: u64,
    /// Runs that lost precision where no pin says so.
    pub inexact: u64,
    /// Runs that contradict a run or a proof.
    pub inconsistent: u64,
}

/// The tree.
#[derive(Clone, Debug)]
pub struct Tree {
    arena: Arena,
    limit: usize,
    census: Census,
}

impl Tree {
    /// An empty tree of at most so many nodes.
    #[must_use]
    pub fn new(limit: usize) -> Tree {
        Tree { arena: Arena::new(), limit: limit.clamp(16, NONE as usize), census: Census::default() }
    }

    /// Adds the path of run number `run`.
    pub fn add(&mut self, path: &Path, run: u32) -> Added {
        self.census.cut += u64::from(path.cut);
        self.census.inexact += u64::from(path.approximations.keys().any(|lost| !is_pinned(lost)));
        let added = self.insert(path, run).or_else(|_| {
            self.prune();
            self.insert(path, run)
        });
        let added = added.unwrap_or_else(|full_at| {
            self.arena.cut_below(full_at, Leaf::Pruned);
            self.census.pruned += 1;
            Added::Pruned
        });
        self.census.paths += u64::from(added == Added::New);
        self.census.inconsistent += u64::from(added == Added::Inconsistent);
        added
    }

    /// `Err` is the leaf at which memory ran out.
    fn insert(&mut self, path: &Path, run: u32) -> Result<Added, u32> {
        let mut node = ROOT;
        for decision in &path.decisions {
            match self.arena.node(node).state {
                State::Inner => {}
                State::Leaf(Leaf::Settled) => return Ok(Added::Known),
                State::Leaf(Leaf::Pruned) => return Ok(Added::Pruned),
                State::Leaf(Leaf::Terminal) | State::Free => return Ok(Added::Inconsistent),
                State::Leaf(leaf) => {
                    self.grow(node, decision, run)?;
                    self.census.inconsistent += u64::from(leaf.is_settled());
                }
            }
            match self.follow(node, decision, run)? {
                Some(child) => node = child,
                None => return Ok(Added::Inconsistent),
            }
        }
        Ok(self.finish(node, path.cut))
    }

    /// Makes a leaf a decision.
    fn grow(&mut self, node: u32, decision: &Decision, run: u32) -> Result<(), u32> {
        let ways = decision.others.len() + 1;
        if self.arena.len() + ways.max(2) > self.limit {
            return Err(node);
        }
        self.arena.open_up(node, decision.is_pin());
        // Ways that cannot be told apart, such as two that are never taken, are one.
        let mut others: Vec<Term> = decision.others.iter().map(|way| way.condition).collect();
        others.sort_unstable();
        others.dedup();
        for condition in others.into_iter().filter(|&other| other != decision.taken.condition) {
            self.arena.add(node, Some(condition), run);
        }
        if decision.is_pin() {
            self.arena.add(node, None, run);
        }
        self.arena.add(node, Some(decision.taken.condition), run);
        Ok(())
    }

    /// The child that a run went to; a new number of a pin gets one.
    fn follow(&mut self, node: u32, decision: &Decision, run: u32) -> Result<Option<u32>, u32> {
        let condition = decision.taken.condition;
        let known = self.arena.child(node, condition.0);
        let is_new_number = known.is_none() && decision.is_pin() && self.arena.node(node).pin;
        if !is_new_number {
            return Ok(known);
        }
        if self.arena.len() >= self.limit {
            return Err(node);
        }
        self.reopen_others(node);
        Ok(Some(self.arena.add(node, Some(condition), run)))
    }

    /// A number was found that the leaf for all others stood for.
    fn reopen_others(&mut self, pin: u32) {
        let Some(others) = self.arena.child(pin, NONE) else { return };
        if self.arena.node(others).state == State::Leaf(Leaf::Infeasible) {
            self.census.inconsistent += 1;
        }
        self.arena.set(others, State::Leaf(Leaf::Unexplored));
    }

    /// A run ended at this node.
    fn finish(&mut self, node: u32, cut: bool) -> Added {
        let leaf = match self.arena.node(node).state {
            State::Leaf(leaf) => leaf,
            State::Inner if cut => return Added::Known,
            State::Inner | State::Free => return Added::Inconsistent,
        };
        match leaf {
            Leaf::Terminal | Leaf::Settled => return Added::Known,
            Leaf::Pruned => return Added::Pruned,
            Leaf::Cut if cut => return Added::Known,
            Leaf::Infeasible | Leaf::Pinned => self.census.inconsistent += 1,
            Leaf::Unexplored
            | Leaf::TimedOut
            | Leaf::Beyond
            | Leaf::Diverged
            | Leaf::Outgrown
            | Leaf::Cut => {}
        }
        self.arena.set(node, State::Leaf(if cut { Leaf::Cut } else { Leaf::Terminal }));
        self.collapse(node);
        Added::New
    }

    /// Writes down why no run came to a leaf. Proofs below pins become [`Leaf::Pinned`].
    pub fn settle(&mut self, forcing: &Forcing, leaf: Leaf) {
        let place = self.locate(forcing);
        let leaf = match &place {
            Some(place) if leaf == Leaf::Infeasible && place.below_pin => Leaf::Pinned,
            _ => leaf,
        };
        match leaf {
            Leaf::Infeasible => self.census.infeasible += 1,
            Leaf::Pinned => self.census.pinned += 1,
            Leaf::TimedOut => self.census.timed_out += 1,
            Leaf::Diverged => self.census.diverged += 1,
            _ => {}
        }
        let Some(Place { node, exact: true, .. }) = place else { return };
        if let State::Leaf(Leaf::Unexplored | Leaf::TimedOut | Leaf::Diverged) = self.arena.node(node).state {
            self.arena.set(node, State::Leaf(leaf));
            self.collapse(node);
        }
    }

    /// Forgets what is below decisions whose ways are all settled, from a settled leaf upwards.
    fn collapse(&mut self, mut node: u32) {
        while node != ROOT {
            let parent = self.arena.node(node).parent;
            if !self.arena.children(parent).all(|child| self.is_settled(child)) {
                return;
            }
            self.arena.cut_below(parent, Leaf::Settled);
            node = parent;
        }
    }

    fn is_settled(&self, node: u32) -> bool {
        matches!(self.arena.node(node).state, State::Leaf(leaf) if leaf.is_settled())
    }

    /// The run that made a leaf known.
    #[must_use]
    pub fn run_of(&self, LeafId(leaf): LeafId) -> u32 {
        self.arena.node(leaf).run
    }

    /// How many leaves are unexplored, those for other numbers of pins included.
    #[must_use]
    pub fn unexplored(&self) -> usize {
        self.arena.open.iter().map(Vec::len).sum()
    }

    /// Nodes in use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Whether no path was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.arena.node(ROOT).state == State::Leaf(Leaf::Unexplored)
    }

    /// What happened so far.
    #[must_use]
    pub fn census(&self) -> &Census {
        &self.census
    }

    /// Whether every input of the shape explored takes a path that was run. Then goals that no run reached are
    /// infeasible. Settled leaves say so only if all paths were exact and went where they should.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let Census { diverged, cut, inexact, inconsistent, .. } = self.census;
        self.is_settled(ROOT) && diverged + cut + inexact + inconsistent == 0
    }
}

/// Whether a loss of precision is always accompanied by a pin.
fn is_pinned(lost: &Approximation) -> bool {
    matches!(lost, Approximation::Address | Approximation::Switch)
}
