//! Conditions that no single instruction decides.
//!
//! For `(a ? b : c) && d` clang does not compute the first operand: it jumps on `a`, then on `b` or on `c`, each
//! straight to where the operand's truth leads. The counter of one side still stands in a block of its own, the
//! *entry* of that side; the other side has none, its count is a difference. What decides the operand is then a
//! piece of the graph:
//!
//! ```text
//!   head: br %a, left, right        head  = immediate dominator of the entry
//!   left: br %b, entry, out         piece = blocks under the head that still may reach the entry
//!   right: br %c, entry, out        piece → entry: one outcome; any other way out of it: the other outcome
//! ```
//!
//! This agrees with clang's difference of counters by construction: the head runs as often as the operand is
//! evaluated, and leaves the piece exactly once, also where a `goto` inside the operand leads elsewhere.

use crate::ir;
use crate::scan::Scan;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValueEnum, InstructionValue, IntValue};
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::HashSet;

/// What a jump of the piece says about the condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict<'c> {
    /// It decides the condition, which is true when `condition` is not `inverted`.
    Both { condition: IntValue<'c>, inverted: bool },
    /// Whoever comes here has this outcome.
    Always(bool),
    /// This outcome when `condition` is not `inverted`; otherwise the evaluation goes on.
    When { condition: IntValue<'c>, inverted: bool, outcome: bool },
}

/// A condition spread over several jumps.
pub(crate) struct Spread<'c> {
    /// Where its evaluation begins.
    pub(crate) head: BasicBlock<'c>,
    /// The jumps that decide something, each with what it decides.
    pub(crate) verdicts: Vec<(InstructionValue<'c>, Verdict<'c>)>,
}

/// Finds what decides the condition whose outcome `side` leads to the block `entry`. `None` where a switch takes
/// part in the decision, or nothing does.
pub(crate) fn spread<'c>(scan: &Scan<'c>, entry: BasicBlock<'c>, side: bool) -> Option<Spread<'c>> {
    let index = |block: BasicBlock<'c>| scan.blocks.iter().position(|&b| b == block).map(NodeIndex::new);
    let graph = graph(scan);
    let dominators = simple_fast(&graph, NodeIndex::new(0));
    let entry = index(entry)?;
    let head = dominators.immediate_dominator(entry)?;
    let piece = piece(&graph, &dominators, head, entry);
    let mut verdicts = Vec::new();
    for &node in &piece {
        let jump = scan.blocks[node.index()].get_terminator()?;
        let ways: Vec<Option<bool>> = ir::successors(jump)
            .into_iter()
            .filter_map(index)
            .map(|to| match to {
                _ if to == entry => Some(side),
                _ if piece.contains(&to) => None,
                _ => Some(!side),
            })
            .collect();
        if let Some(verdict) = verdict(jump, &ways)? {
            verdicts.push((jump, verdict));
        }
    }
    // The order of a set of blocks is not that of the source.
    verdicts.sort_by_key(|(jump, _)| jump.get_parent().and_then(index));
    (verdicts.len() > 1).then(|| Spread { head: scan.blocks[head.index()], verdicts })
}

/// What a jump with these outcomes of its ways says; `None` inside if nothing, outside if it cannot be told.
fn verdict<'c>(jump: InstructionValue<'c>, ways: &[Option<bool>]) -> Option<Option<Verdict<'c>>> {
    let condition = match ir::operand(jump, 0) {
        Some(BasicValueEnum::IntValue(value)) => Some(value),
        _ => None,
    };
    match *ways {
        [first, ref rest @ ..] if rest.iter().all(|&other| other == first) => {
            Some(first.map(Verdict::Always))
        }
        [Some(on_true), Some(_)] => Some(Some(Verdict::Both { condition: condition?, inverted: !on_true })),
        [Some(outcome), None] => {
            Some(Some(Verdict::When { condition: condition?, inverted: false, outcome }))
        }
        [None, Some(outcome)] => Some(Some(Verdict::When { condition: condition?, inverted: true, outcome })),
        // `unreachable` and the like end the run; a switch with mixed ways is not followed.
        [] => Some(None),
        _ => None,
    }
}

fn graph(scan: &Scan<'_>) -> DiGraph<(), ()> {
    let mut graph = DiGraph::new();
    for _ in &scan.blocks {
        graph.add_node(());
    }
    let index: std::collections::HashMap<_, _> =
        scan.blocks.iter().enumerate().map(|(i, &b)| (b, NodeIndex::new(i))).collect();
    for (i, block) in scan.blocks.iter().enumerate() {
        for to in block.get_terminator().map(ir::successors).unwrap_or_default() {
            graph.add_edge(NodeIndex::new(i), index[&to], ());
        }
    }
    graph
}

/// The blocks from which the entry can still be reached without beginning the evaluation anew.
fn piece(
    graph: &DiGraph<(), ()>,
    dominators: &Dominators<NodeIndex>,
    head: NodeIndex,
    entry: NodeIndex,
) -> HashSet<NodeIndex> {
    let under = |node, above| dominators.dominators(node).is_some_and(|mut d| d.any(|block| block == above));
    let mut piece = HashSet::from([head]);
    let mut todo = vec![entry];
    while let Some(node) = todo.pop() {
        for before in graph.neighbors_directed(node, petgraph::Direction::Incoming) {
            if under(before, head) && !under(before, entry) && piece.insert(before) {
                todo.push(before);
            }
        }
    }
    piece
}
