//! Approach level and branch distance as one ordered value (Wegener, Baresel, Sthamer 2001).
//!
//! The texts add `approach level + normalised distance`; every normalisation loses unit steps of large
//! distances (1 − 1.001^−d is flat from d = 29,877 in doubles). Comparing the pair lexicographically loses
//! nothing.

use model::{BlockId, BranchId, Cfg, Decision, Function, Goal};
use rustc_hash::{FxHashMap, FxHashSet};

/// How far a run was from a goal; smaller is better and [`Fitness::COVERED`] is the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fitness {
    /// Controlling branches still missing between the run and the goal.
    pub level: u32,
    /// Distance at the branch where the run went the other way.
    pub distance: u128,
}

impl Fitness {
    /// The goal was reached.
    pub const COVERED: Fitness = Fitness { level: 0, distance: 0 };
    /// No controlling branch was evaluated.
    pub const WORST: Fitness = Fitness { level: u32::MAX, distance: u128::MAX };
}

/// The branch outcomes that lead to a goal, by approach level: computed once a goal, used for every run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// `(level, outcome)` by rising level; the first entry is the goal itself at level 0. A branch occurs at
    /// one level only, its lowest: a run that evaluates it is judged there.
    pub steps: Vec<(u32, Goal)>,
}

/// What the plans of all goals of a function have in common.
///
/// A plan may name every branch of the function, as for the last condition of a long `else if`, so all
/// plans together can take space quadratic in the number of branches. They are made on demand instead,
/// each in time linear in the part of the control-dependence graph behind its goal.
#[derive(Clone, Debug)]
pub struct Plans<'f> {
    cfg: &'f Cfg,
    dependence: Vec<Vec<(BlockId, usize)>>,
    block_of: FxHashMap<BranchId, BlockId>,
    /// By the id of a node: its decision.
    decisions: FxHashMap<BranchId, &'f Decision>,
}

impl<'f> Plans<'f> {
    /// Computes the function's control dependence once for all goals.
    #[must_use]
    pub fn new(function: &'f Function) -> Plans<'f> {
        Plans {
            cfg: &function.cfg,
            dependence: function.cfg.control_dependence(),
            block_of: function.branches.iter().map(|branch| (branch.id, branch.block)).collect(),
            decisions: function
                .decisions
                .iter()
                .flat_map(|decision| decision.nodes.iter().map(move |node| (node.branch, decision)))
                .collect(),
        }
    }

    /// Walks the control-dependence graph backwards from the goal, breadth first.
    ///
    /// An edge that no outcome takes (that of an endless loop's head) is no branch to go wrong at: crossing
    /// it costs no level.
    #[must_use]
    pub fn plan(&self, goal: Goal) -> Plan {
        let mut trail = Trail::to(goal);
        let (block, level) = self.begin(&mut trail, goal);
        self.walk(&mut trail, block.into_iter().collect(), level);
        trail.finish()
    }

    /// Where the walk to a goal begins: at the block that decides it. A vector of a decision is first approached inside of it,
    /// condition by condition; the walk begins where the first of them is decided, so many levels away.
    pub(crate) fn begin(&self, trail: &mut Trail, goal: Goal) -> (Option<BlockId>, u32) {
        let Some(decision) = self.decisions.get(&goal.branch) else {
            return (self.block_of(goal.branch), 0);
        };
        let way = decision.way_to(goal.branch);
        let levels = way.len() as u32;
        (1..).zip(way).for_each(|(level, outcome)| trail.add(level, outcome));
        (decision.conditions.first().and_then(|&first| self.block_of(first)), levels)
    }

    /// Adds what controls the blocks of `frontier` to the trail, the nearest at the level above `level`. Returns the last
    /// level at which there was something.
    pub(crate) fn walk(&self, trail: &mut Trail, mut frontier: Vec<BlockId>, mut level: u32) -> u32 {
        let mut seen = FxHashSet::default();
        let mut last = level;
        while !frontier.is_empty() {
            level += 1;
            let mut next = Vec::new();
            while let Some(block) = frontier.pop() {
                if !seen.insert(block) {
                    continue;
                }
                for (controller, taken_by) in self.controllers(block) {
                    if taken_by.is_empty() { &mut frontier } else { &mut next }.push(controller);
                    taken_by.iter().for_each(|&outcome| trail.add(level, outcome));
                    last = level;
                }
            }
            frontier = next;
        }
        last
    }

    /// The block that decides a branch.
    pub(crate) fn block_of(&self, branch: BranchId) -> Option<BlockId> {
        self.block_of.get(&branch).copied()
    }

    /// What leads to one of these blocks, from level 1 on.
    #[must_use]
    pub fn plan_to(&self, blocks: &[BlockId]) -> Plan {
        let mut trail = Trail::default();
        self.walk(&mut trail, blocks.to_vec(), 0);
        trail.finish()
    }

    /// The blocks that `block` depends on directly, with the outcomes that lead to it.
    fn controllers(&self, block: BlockId) -> impl Iterator<Item = (BlockId, &'f [Goal])> + '_ {
        self.dependence[block.index()].iter().map(|&(controller, edge)| {
            (controller, self.cfg.successors[controller.index()][edge].taken_by.as_slice())
        })
    }
}

/// A plan in the making.
#[derive(Default)]
pub(crate) struct Trail {
    steps: Vec<(u32, Goal)>,
    level_of: FxHashMap<BranchId, u32>,
}

impl Trail {
    pub(crate) fn to(goal: Goal) -> Trail {
        Trail { steps: vec![(0, goal)], level_of: FxHashMap::from_iter([(goal.branch, 0)]) }
    }

    /// Adds an outcome unless its branch stands at a lower level.
    fn add(&mut self, level: u32, outcome: Goal) {
        if *self.level_of.entry(outcome.branch).or_insert(level) == level {
            self.steps.push((level, outcome));
        }
    }

    pub(crate) fn finish(mut self) -> Plan {
        self.steps.sort_unstable();
        self.steps.dedup();
        Plan { steps: self.steps }
    }
}

impl Plan {
    /// The plan of one goal; for several goals of a function use [`Plans`].
    #[must_use]
    pub fn new(function: &Function, goal: Goal) -> Plan {
        Plans::new(function).plan(goal)
    }

    /// Judges a run by its smallest distances: the lowest level at which a branch was evaluated.
    pub fn fitness(&self, distance: impl Fn(Goal) -> u128) -> Fitness {
        let mut best = Fitness::WORST;
        for &(level, outcome) in &self.steps {
            if level > best.level {
                break;
            }
            let distance = distance(outcome);
            if distance != u128::MAX {
                best = best.min(Fitness { level, distance });
            }
        }
        best
    }
}
