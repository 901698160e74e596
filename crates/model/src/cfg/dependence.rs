//! Post-dominators and control dependence.
//!
//! Control dependence is that of J. Ferrante, K. J. Ottenstein and J. D. Warren, "The Program Dependence
//! Graph and Its Use in Optimization", TOPLAS 9(3), 1987, section 3.1: for an edge `x → z`, the dependent
//! blocks are those on the way from `z` up the post-dominator tree to, but without, the immediate
//! post-dominator of `x`. Post-dominators are dominators of the reversed graph, found by the iteration of
//! K. D. Cooper, T. J. Harvey and K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
//!
//! Both need a single exit that every block reaches. All blocks without successors lead to a virtual one.
//! A loop that never ends is a set of blocks which all reach each other and nothing else; it gets one
//! pseudo-edge to the virtual exit, from its block nearest the entry (the head, in a structured program),
//! as if that block tested a condition which always says "once more". So blocks inside depend on each other
//! as in the same loop with an end, and blocks after a branch that chooses between the loop and the rest
//! depend on that branch, as in the weak control dependence of A. Podgurski and L. A. Clarke, 1990.
//! Pseudo-edges are never listed; the real edges of such a head are, also when it has only one.

use super::{BlockId, Cfg};
use petgraph::algo::{dominators::simple_fast, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};

type Graph = DiGraph<(), ()>;

pub(super) fn control_dependence(cfg: &Cfg) -> Vec<Vec<(BlockId, usize)>> {
    let mut dependence = vec![Vec::new(); cfg.successors.len()];
    let post_dominators = immediate_post_dominators(cfg);
    let mut controllers = cfg.breadth_first();
    controllers.sort_unstable();
    for controller in controllers {
        let stop = post_dominators[controller.index()];
        for (index, edge) in cfg.successors[controller.index()].iter().enumerate() {
            let mut block = edge.to.index();
            while block != stop {
                dependence[block].push((controller, index));
                block = post_dominators[block];
            }
        }
    }
    dependence
}

/// For every block the first other block, or the virtual exit (one past the last block), on every way out.
fn immediate_post_dominators(cfg: &Cfg) -> Vec<usize> {
    let exit = NodeIndex::new(cfg.successors.len());
    let tree = simple_fast(&reversed_with_exit(cfg), exit);
    let parent = |block| tree.immediate_dominator(NodeIndex::new(block)).unwrap_or(exit).index();
    (0..cfg.successors.len()).map(parent).collect()
}

/// The graph with all edges turned round and the virtual exit as its root.
fn reversed_with_exit(cfg: &Cfg) -> Graph {
    let mut graph = Graph::with_capacity(cfg.successors.len() + 1, cfg.successors.len() * 2);
    for _ in 0..=cfg.successors.len() {
        graph.add_node(());
    }
    for (block, edges) in cfg.successors.iter().enumerate() {
        for edge in edges {
            graph.add_edge(NodeIndex::new(edge.to.index()), NodeIndex::new(block), ());
        }
    }
    let exit = NodeIndex::new(cfg.successors.len());
    for block in leaving_blocks(cfg, &graph) {
        graph.add_edge(exit, NodeIndex::new(block), ());
    }
    graph
}

/// One block for every set of blocks that control cannot leave: a block without successors, or the block
/// nearest the entry of a loop that never ends.
fn leaving_blocks(cfg: &Cfg, reversed: &Graph) -> Vec<usize> {
    let mut nearness = vec![usize::MAX; cfg.successors.len()];
    for (rank, block) in cfg.breadth_first().into_iter().enumerate() {
        nearness[block.index()] = rank;
    }
    let exit = NodeIndex::new(cfg.successors.len());
    let mut component_of = vec![0; cfg.successors.len() + 1];
    let components = kosaraju_scc(reversed);
    for (index, component) in components.iter().enumerate() {
        component.iter().for_each(|node| component_of[node.index()] = index);
    }
    let is_terminal = |component: &&Vec<NodeIndex>| {
        component.iter().filter(|&&node| node != exit).all(|node| {
            let home = component_of[node.index()];
            cfg.successors[node.index()].iter().all(|edge| component_of[edge.to.index()] == home)
        })
    };
    let nearest = |component: &Vec<NodeIndex>| {
        let blocks = component.iter().filter(|&&node| node != exit).map(|node| node.index());
        blocks.min_by_key(|&block| (nearness[block], block))
    };
    components.iter().filter(is_terminal).filter_map(nearest).collect()
}
