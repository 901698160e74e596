//! Control dependence as sets of outcomes, and which outcomes exclude each other.
//!
//! The thesis writes `ControlDep(16) = {12, -13}`: the decisions on the way to line 16, each with the outcome that leads on. In
//! C a block may be controlled in several ways. Behind `a || b` it is reached through `{a}` or `{-a, b}`, and no set of outcomes
//! holds for both; so here a block has *ways*. Every block on a way comes before the next in program order: the control
//! dependence of a loop's head on what ends the loop says how it is reached again, which needs to have reached it before.

use super::DependenceSet;
use model::{BlockId, Branch, BranchId, BranchKind, Cfg, Goal};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How a block is reached: in one of these ways.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Ways {
    /// The outcomes of each. One that is always executed has the empty way, and one that never is has none.
    pub sets: BTreeSet<DependenceSet>,
    /// There are more.
    pub is_cut: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Control<'f> {
    cfg: &'f Cfg,
    dependence: Vec<Vec<(BlockId, usize)>>,
    /// By block, its place in program order; none if it is never reached.
    rank: Vec<Option<u32>>,
    /// By block, whether its branches may be evaluated more than once a run.
    repeated: Vec<bool>,
    block_of: FxHashMap<BranchId, BlockId>,
    /// The labels that the `switch` of a block chooses from.
    labels: FxHashMap<BlockId, Vec<BranchId>>,
}

impl<'f> Control<'f> {
    pub(super) fn new(cfg: &'f Cfg, branches: &[Branch]) -> Control<'f> {
        let mut rank = vec![None; cfg.successors.len()];
        (0..).zip(cfg.reverse_postorder()).for_each(|(place, block)| rank[block.index()] = Some(place));
        let mut labels: FxHashMap<BlockId, Vec<BranchId>> = FxHashMap::default();
        for branch in branches {
            if matches!(
                branch.kind,
                BranchKind::Case | BranchKind::Default | BranchKind::NoDefault | BranchKind::Target
            ) {
                labels.entry(branch.block).or_default().push(branch.id);
            }
        }
        Control {
            cfg,
            dependence: cfg.control_dependence(),
            rank,
            repeated: cfg.repeated(),
            block_of: branches.iter().map(|branch| (branch.id, branch.block)).collect(),
            labels,
        }
    }

    pub(super) fn block_of(&self, branch: BranchId) -> Option<BlockId> {
        self.block_of.get(&branch).copied()
    }

    /// Numbers the branches in program order, from 1 on.
    pub(super) fn places(&self) -> FxHashMap<BranchId, u32> {
        let mut order: Vec<(Option<u32>, BranchId)> =
            self.block_of.iter().map(|(&branch, block)| (self.rank[block.index()], branch)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, branch)| branch).zip(1..).collect()
    }

    /// Walks from the block to what controls it, and on to what is always executed.
    pub(super) fn ways(&self, block: BlockId, most: usize) -> Ways {
        let mut ways = Ways::default();
        let mut open = vec![(block, Vec::new())];
        open.retain(|(block, _)| self.rank[block.index()].is_some());
        // Not the sets: where no outcomes are known, countless paths may have the same.
        let mut paths = 0;
        while let Some((block, mut way)) = open.pop() {
            if paths == most {
                ways.is_cut = true;
                break;
            }
            let mut steps = self.steps_to(block);
            let Some((controller, outcome)) = steps.pop() else {
                ways.sets.insert(way.into_iter().collect());
                paths += 1;
                continue;
            };
            let longer = |outcome| way.iter().copied().chain(outcome).collect();
            open.extend(steps.into_iter().map(|(controller, outcome)| (controller, longer(outcome))));
            // Not copied, for the sake of an `else if` of thousands.
            way.extend(outcome);
            open.push((controller, way));
        }
        ways
    }

    /// What controls `block` directly, with the outcome that leads to it. Of several outcomes that take an edge each will do; an
    /// edge that none takes is no branch to go wrong at.
    fn steps_to(&self, block: BlockId) -> Vec<(BlockId, Option<Goal>)> {
        let mut steps = Vec::new();
        for (controller, taken_by) in self.controllers(block) {
            let outcomes = taken_by.iter().copied().map(Some).chain(taken_by.is_empty().then_some(None));
            steps.extend(outcomes.map(|outcome| (controller, outcome)));
        }
        steps
    }

    /// What every way to a block takes: of the outcomes on one way, those that there is no path without.
    pub(super) fn required(&self, block: BlockId) -> DependenceSet {
        let one_way = self.ways(block, 1).sets.into_iter().flatten();
        one_way.filter(|&outcome| !self.is_reached_without(block, outcome)).collect()
    }

    fn is_reached_without(&self, block: BlockId, outcome: Goal) -> bool {
        let mut seen = vec![false; self.cfg.successors.len()];
        let mut open = vec![BlockId(0)];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at.index()], true) {
                let edges = self.cfg.successors[at.index()].iter();
                open.extend(edges.filter(|edge| edge.taken_by != [outcome]).map(|edge| edge.to));
            }
        }
        seen[block.index()]
    }

    /// The blocks on all ways to a block.
    pub(super) fn blocks_before(&self, block: BlockId) -> BTreeSet<BlockId> {
        let mut found = BTreeSet::new();
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            open.extend(
                self.controllers(block).map(|(controller, _)| controller).filter(|&c| found.insert(c)),
            );
        }
        found
    }

    /// What `block` depends on directly when it is first reached, with the outcomes that lead to it.
    fn controllers(&self, block: BlockId) -> impl Iterator<Item = (BlockId, &'f [Goal])> + '_ {
        let is_before = move |controller: &BlockId| self.rank[controller.index()] < self.rank[block.index()];
        self.dependence[block.index()].iter().filter(move |(controller, _)| is_before(controller)).map(
            |&(controller, edge)| {
                (controller, self.cfg.successors[controller.index()][edge].taken_by.as_slice())
            },
        )
    }

    /// Whether no run can take the outcomes of both sets: `thenElseConflicts` of the thesis.
    pub(super) fn conflict(&self, a: &DependenceSet, b: &DependenceSet) -> bool {
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().any(|&outcome| self.excluded_by(outcome).any(|other| many.contains(&other)))
    }

    /// The outcomes that no run takes beside this one: the other one of the branch, and of a `switch` the other labels.
    fn excluded_by(&self, outcome: Goal) -> impl Iterator<Item = Goal> + '_ {
        let block = self.block_of(outcome.branch).filter(|block| !self.repeated[block.index()]);
        let labels = block.filter(|_| outcome.outcome).and_then(|block| self.labels.get(&block));
        let others = labels.into_iter().flatten().filter(move |&&label| label != outcome.branch);
        let others = others.map(|&branch| Goal { branch, outcome: true });
        block.map(|_| Goal { outcome: !outcome.outcome, ..outcome }).into_iter().chain(others)
    }
}
