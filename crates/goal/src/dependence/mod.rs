//! Dependence sets: branch outcomes that let a goal be reached, also where only the data says so.
//!
//! After Z. Awedikian, "Automatic Data Generation for MC/DC Test Criterion Using Metaheuristic Algorithms", École Polytechnique
//! de Montréal, 2009, section 4.5.2. A condition on a flag tells a search nothing about how the flag comes to be set. So the
//! approach level also counts the branches that control the *last definitions* of the variables that matter, those that control
//! the definitions of what these look at, and so on:
//!
//! ```c
//!     if (b > 0) r1 = true; else r1 = false;   // 1
//!     if (r1) error1 = 1;                      // 5
//!     if (errno) error2 = 1;                   // 7
//!     if (error1 && error2) target();          // 9: {} {5,1} {5,-1} {7} {5,1,7} {5,-1,7}
//! ```
//!
//! Each set is a goal's approach level of its own, a [`DependencePlan`]; which of them helps is for a search to find out. The
//! first is the goal's control dependence alone, the fitness without data.
//!
//! Where the thesis leaves its algorithm open, or it would not end, this is what is done here:
//! - The variables of the decisions that control the goal are followed too, as its example of `Calc` needs.
//! - Chains of definitions that come round in a loop end, see `chains`; the sets of more than two variables are united too, see
//!   `merge`. Both are bounded, and a bound that was reached is [said](DependenceSets::reached).
//! - A block that is controlled in several ways, as behind `a || b` or two labels, gives a set for each, see `control`.
//!
//! **Loops.** A run says of an outcome whether *any* evaluation of the branch took it, and else how close the closest came. For
//! a set this is right: it asks that definitions were executed, no matter in which round. For the same reason two outcomes of
//! one branch contradict each other only if the branch is evaluated once a run. In
//! `while (c) { if (a) return; flag = 1; } if (flag) target();` the target needs `c` both true, for the flag, and false, to get
//! there. What the sets do not ask for is the order: that no later definition undoes the one that counts. They guide, and
//! whether the goal was reached is seen from the goal alone.

mod chains;
mod control;
mod definitions;
mod merge;
mod plan;

pub use control::Ways;
pub use definitions::{Definition, Place};
pub use plan::DependencePlan;

use chains::Chains;
use control::Control;
use definitions::Definitions;
use merge::merge;
use model::{BlockId, Branch, BranchId, Cfg, DataFlow, Goal, VariableId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Outcomes that are wanted together.
pub type DependenceSet = BTreeSet<Goal>;

/// How much is looked at: the numbers of sets and of chains may double with every condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Ways to one block.
    pub ways: usize,
    /// Chains of definitions, counted at each of their links.
    pub chains: usize,
    /// Sets.
    pub sets: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { ways: 32, chains: 2048, sets: 64 }
    }
}

/// Which of the [`Limits`] was in the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bound {
    /// [`Limits::ways`].
    Ways,
    /// [`Limits::chains`].
    Chains,
    /// [`Limits::sets`].
    Sets,
}

/// The dependence sets of a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DependenceSets {
    /// The goal's control dependence: what every way to it takes. Part of all sets.
    pub plain: DependenceSet,
    /// What single chains of definitions ask for: `DepSets` of the thesis, the smallest first.
    pub chains: Vec<DependenceSet>,
    /// These and their unions: `DepFit` of the thesis, the smallest first, which is the plain one.
    pub sets: Vec<DependenceSet>,
    /// The bounds without which there might be more or longer ones; none if this is all there is.
    pub reached: BTreeSet<Bound>,
    /// By branch, its place in program order.
    places: FxHashMap<BranchId, u32>,
}

/// What the dependence sets of all goals of a function have in common.
#[derive(Clone, Debug)]
pub struct Dependence<'f> {
    control: Control<'f>,
    definitions: Definitions<'f>,
}

impl<'f> Dependence<'f> {
    /// For a function with this control flow, these branches and this data flow.
    #[must_use]
    pub fn new(cfg: &'f Cfg, branches: &[Branch], data: &'f DataFlow) -> Dependence<'f> {
        Dependence { control: Control::new(cfg, branches), definitions: Definitions::new(cfg, data) }
    }

    /// The ways to a block, at most so many: `getControlDep` of the thesis.
    #[must_use]
    pub fn ways(&self, block: BlockId, most: usize) -> Ways {
        self.control.ways(block, most)
    }

    /// The definitions that a variable may have its value from where it is accessed: `getLastDefs` of the thesis.
    #[must_use]
    pub fn last_definitions(&self, place: Place, variable: VariableId) -> BTreeSet<Definition> {
        self.definitions.last_definitions(place, variable)
    }

    /// The dependence sets of a goal. Of a goal that belongs to another function, or cannot be reached, only the empty one.
    #[must_use]
    pub fn sets(&self, goal: Goal, limits: &Limits) -> DependenceSets {
        let mut reached = BTreeSet::new();
        let target = self.control.block_of(goal.branch);
        let plain = target.map(|block| self.control.required(block)).unwrap_or_default();
        let mut chains = Chains::new(self, goal, &plain, limits, &mut reached);
        let chains = target.map(|block| chains.get_dependencies(block)).unwrap_or_default();
        let (sets, is_cut) = merge(&chains, limits.sets, |a, b| self.control.conflict(a, b));
        if is_cut {
            reached.insert(Bound::Sets);
        }
        let finish = |sets: Vec<DependenceSet>| {
            let mut sets: Vec<_> = sets.into_iter().map(|set| &set | &plain).collect();
            sets.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
            sets
        };
        let (chains, sets) = (finish(chains.into_iter().collect()), finish(sets));
        DependenceSets { chains, sets, reached, places: self.control.places(), plain }
    }
}
