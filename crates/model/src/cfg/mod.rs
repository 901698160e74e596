//! Control-flow graphs.

mod dependence;
mod order;

use crate::program::Goal;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Index of a block in its [`Cfg`]; the entry is block 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct BlockId(pub u32);

impl BlockId {
    /// Index into tables with one entry a block.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A control-flow graph. Block 0 is the entry; a block without successors leaves the function.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cfg {
    /// Outgoing edges of every block.
    pub successors: Vec<Vec<Edge>>,
}

/// An edge of the graph.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// Where it leads.
    pub to: BlockId,
    /// Branch outcomes each of which takes this edge; empty for unconditional edges.
    pub taken_by: Vec<Goal>,
}

impl Cfg {
    /// For every block, the `(controller, index of its outgoing edge)` pairs it is control dependent on,
    /// sorted and without repetition.
    ///
    /// Exact after Ferrante, Ottenstein and Warren: `y` depends on the edge `x → z` when `y`
    /// post-dominates `z` but does not strictly post-dominate `x`. Of parallel edges each is listed.
    /// A block that the entry does not reach controls nothing and depends on nothing. For loops that never
    /// end see the module `dependence`.
    #[must_use]
    pub fn control_dependence(&self) -> Vec<Vec<(BlockId, usize)>> {
        dependence::control_dependence(self)
    }

    /// The blocks farthest from the entry first: AUSTIN's order of targets. Covering a deep branch covers
    /// those on the way to it. Every block occurs once; those that the entry does not reach come last.
    #[must_use]
    pub fn reverse_breadth_first(&self) -> Vec<BlockId> {
        let mut order = self.breadth_first();
        order.reverse();
        let reached: HashSet<BlockId> = order.iter().copied().collect();
        order.extend(self.blocks().filter(|block| !reached.contains(block)));
        order
    }

    /// The blocks that the entry reaches, in program order: but for the edges that go back in a loop, every block comes after
    /// those that lead to it; what the first edge of a block leads to comes before what the others do.
    #[must_use]
    pub fn reverse_postorder(&self) -> Vec<BlockId> {
        order::reverse_postorder(self)
    }

    /// For every block, whether one run of the function may execute it more than once: it lies on a cycle.
    #[must_use]
    pub fn repeated(&self) -> Vec<bool> {
        order::repeated(self)
    }

    fn blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.successors.len() as u32).map(BlockId)
    }

    /// The blocks that the entry reaches, nearest first.
    fn breadth_first(&self) -> Vec<BlockId> {
        self.reached_by(|_| true)
    }

    /// The blocks that the entry reaches over edges that are open, nearest first.
    #[must_use]
    pub fn reached_by(&self, is_open: impl Fn(&Edge) -> bool) -> Vec<BlockId> {
        let mut seen = vec![false; self.successors.len()];
        let mut order: Vec<BlockId> = self.blocks().take(1).collect();
        seen.iter_mut().take(1).for_each(|entry| *entry = true);
        let mut next = 0;
        while let Some(&block) = order.get(next) {
            for edge in self.successors[block.index()].iter().filter(|edge| is_open(edge)) {
                if !std::mem::replace(&mut seen[edge.to.index()], true) {
                    order.push(edge.to);
                }
            }
            next += 1;
        }
        order
    }
}
