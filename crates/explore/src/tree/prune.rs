//! Making room: the deepest decisions go.
//!
//! Every level of a tree has at most as many decisions as there are paths, but a path may be a million levels
//! deep, and the chance that a leaf down there matters is smallest. What is left is a quarter short of the limit,
//! so that pruning, which looks at every node, is rare.

use super::arena::State;
use super::{Leaf, Tree};

impl Tree {
    pub(super) fn prune(&mut self) {
        let depth = self.deepest_to_keep(self.limit / 4 * 3);
        for node in 0..self.arena.nodes.len() as u32 {
            let at = self.arena.node(node);
            if at.state == State::Inner && at.depth == depth {
                self.arena.cut_below(node, Leaf::Pruned);
                self.census.pruned += 1;
            }
        }
    }

    /// The depth up to which there are at most `keep` nodes.
    fn deepest_to_keep(&self, keep: usize) -> u32 {
        let used = self.arena.nodes.iter().filter(|node| node.state != State::Free);
        let mut levels: Vec<usize> = Vec::new();
        for node in used {
            let depth = node.depth as usize;
            if levels.len() <= depth {
                levels.resize(depth + 1, 0);
            }
            levels[depth] += 1;
        }
        let mut kept = 0;
        let within = levels.iter().take_while(|&&level| {
            kept += level;
            kept <= keep
        });
        (within.count() as u32).saturating_sub(1)
    }
}
