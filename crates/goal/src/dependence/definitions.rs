//! Last definitions.
//!
//! "A last definition is a program node that assigns a value to a variable which may potentially be used by a node; a
//! definition-clear path must exist between both" (thesis, section 2.4, after McMinn and Holcombe 2006).

use model::{Access, BlockId, Cfg, DataFlow, VariableId};
use std::collections::{BTreeSet, HashSet};

/// An access of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The block.
    pub block: BlockId,
    /// Index into its accesses.
    pub index: usize,
}

/// Where a variable has its value from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Definition {
    /// It is an input: "line 0" of the thesis, which uses nothing and depends on nothing.
    Entry,
    /// It is assigned to.
    At(Place),
}

#[derive(Clone, Debug)]
pub(super) struct Definitions<'f> {
    data: &'f DataFlow,
    /// By block, the blocks before it that are ever reached.
    predecessors: Vec<Vec<BlockId>>,
}

impl<'f> Definitions<'f> {
    pub(super) fn new(cfg: &Cfg, data: &'f DataFlow) -> Definitions<'f> {
        let mut predecessors = vec![Vec::new(); cfg.successors.len()];
        for block in cfg.reverse_postorder() {
            for edge in &cfg.successors[block.index()] {
                predecessors[edge.to.index()].push(block);
            }
        }
        Definitions { data, predecessors }
    }

    /// Goes back from the place on all paths, each up to a definition that leaves nothing of earlier ones.
    pub(super) fn last_definitions(&self, place: Place, variable: VariableId) -> BTreeSet<Definition> {
        let mut found = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut open = vec![(place.block, place.index)];
        while let Some((block, end)) = open.pop() {
            if self.scan(block, end, variable, &mut found) {
                continue;
            }
            if block == BlockId(0) && self.data.is_input(variable) {
                found.insert(Definition::Entry);
            }
            let before = self.predecessors[block.index()].iter().filter(|&&before| seen.insert(before));
            open.extend(before.map(|&before| (before, self.data.block(before).len())));
        }
        found
    }

    /// Adds the definitions before `end`, the last first. Returns whether nothing from before the block is left.
    fn scan(&self, block: BlockId, end: usize, of: VariableId, found: &mut BTreeSet<Definition>) -> bool {
        for (index, access) in self.data.block(block).iter().enumerate().take(end).rev() {
            if let Access::Define { variable, kills, .. } = *access
                && variable == of
            {
                found.insert(Definition::At(Place { block, index }));
                if kills {
                    return true;
                }
            }
        }
        false
    }

    /// The last definitions of all that is used at a place.
    pub(super) fn last_definitions_at(&self, place: Place) -> BTreeSet<Definition> {
        let uses = self.data.block(place.block).get(place.index).map_or(&[][..], Access::uses);
        uses.iter().flat_map(|&variable| self.last_definitions(place, variable)).collect()
    }

    /// Whether nothing is used there.
    pub(super) fn is_constant(&self, place: Place) -> bool {
        self.data.block(place.block).get(place.index).is_none_or(|access| access.uses().is_empty())
    }

    /// Where the branches of a block are decided.
    pub(super) fn decisions(&self, block: BlockId) -> impl Iterator<Item = Place> + use<'f> {
        let accesses = self.data.block(block).iter().enumerate();
        accesses
            .filter(|(_, access)| matches!(access, Access::Decide { .. }))
            .map(move |(index, _)| Place { block, index })
    }
}
