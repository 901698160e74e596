//! The order in which blocks are executed, as far as the graph has one.

use super::{BlockId, Cfg};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// Depth first from the entry, the last edge first: so what the first edge leads to ends later and comes earlier.
pub(super) fn reverse_postorder(cfg: &Cfg) -> Vec<BlockId> {
    let mut seen = vec![false; cfg.successors.len()];
    let mut order = Vec::new();
    let mut open: Vec<(BlockId, usize)> = Vec::new();
    let mut enter = |block: BlockId, open: &mut Vec<(BlockId, usize)>| {
        if !std::mem::replace(&mut seen[block.index()], true) {
            open.push((block, cfg.successors[block.index()].len()));
        }
    };
    cfg.blocks().take(1).for_each(|entry| enter(entry, &mut open));
    while let Some((block, edges_left)) = open.last_mut() {
        if *edges_left == 0 {
            order.push(*block);
            open.pop();
        } else {
            *edges_left -= 1;
            let next = cfg.successors[block.index()][*edges_left].to;
            enter(next, &mut open);
        }
    }
    order.reverse();
    order
}

pub(super) fn repeated(cfg: &Cfg) -> Vec<bool> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = cfg.blocks().map(|_| graph.add_node(())).collect();
    for (&node, edges) in nodes.iter().zip(&cfg.successors) {
        for edge in edges {
            graph.add_edge(node, nodes[edge.to.index()], ());
        }
    }
    let mut repeated = vec![false; cfg.successors.len()];
    for component in kosaraju_scc(&graph) {
        let is_cycle = component.len() > 1 || component.iter().any(|&node| graph.contains_edge(node, node));
        component.iter().for_each(|node| repeated[node.index()] = is_cycle);
    }
    repeated
}
