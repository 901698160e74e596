//! Control-flow graphs.

use crate::program::Goal;
use serde::{Deserialize, Serialize};

/// Index of a block in its [`Cfg`]; the entry is block 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct BlockId(pub u32);

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
    /// For every block, the `(controller, index of its outgoing edge)` pairs it is control dependent on.
    #[must_use]
    pub fn control_dependence(&self) -> Vec<Vec<(BlockId, usize)>> {
        Vec::new()
    }
}
