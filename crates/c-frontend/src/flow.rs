//! The control-flow graph of a function as the model sees it.
//!
//! Two things of the IR would hide what controls what. Range checks behind a switch belong to the switch. And
//! where clang evaluates `a && b` to a truth value first (`while`, `!(…)`), it jumps on a *phi* of constants and
//! conditions already decided on the way; such edges are threaded to where they really lead:
//!
//! ```text
//!   a:  br %a, b, join          a ──false──► exit      (not via join)
//!   b:  br %b, join, join  ⇒    b ──true───► body
//!   join: %p = phi [false, a], [%b, b];  br %p, body, exit
//! ```

use crate::ir;
use crate::scan::{Scan, Site};
use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue, PhiValue};
use model::{BlockId, BranchId, Cfg, Edge, Goal};
use std::collections::HashMap;

/// Builds the graph. `jumps` says which branch (and which successor is its true side) a block's jump decides.
pub(crate) fn control_flow<'c>(
    scan: &Scan<'c>,
    jumps: &HashMap<BasicBlock<'c>, (BranchId, usize)>,
    sites: &[(BranchId, Site<'c>)],
) -> Cfg {
    let index: HashMap<BasicBlock<'c>, BlockId> =
        scan.blocks.iter().enumerate().map(|(i, &b)| (b, BlockId(i as u32))).collect();
    let successors = scan
        .blocks
        .iter()
        .map(|&block| match block.get_terminator() {
            Some(t) if t.get_opcode() == InstructionOpcode::Switch => {
                switch_edges(scan, block, sites, &index)
            }
            Some(t) => jump_edges(block, t, jumps, &index),
            None => Vec::new(),
        })
        .collect();
    Cfg { successors }
}

fn jump_edges<'c>(
    block: BasicBlock<'c>,
    terminator: InstructionValue<'c>,
    jumps: &HashMap<BasicBlock<'c>, (BranchId, usize)>,
    index: &HashMap<BasicBlock<'c>, BlockId>,
) -> Vec<Edge> {
    let condition = ir::operand(terminator, 0).filter(|_| terminator.get_opcode() == InstructionOpcode::Br);
    let mut edges = Vec::new();
    for (side, &successor) in ir::successors(terminator).iter().enumerate() {
        let mut known = HashMap::new();
        if let Some(condition) = condition {
            known.insert(condition, side == 0);
        }
        let taken_by = jumps
            .get(&block)
            .map(|&(branch, when_true)| Goal { branch, outcome: side == when_true })
            .into_iter()
            .collect();
        edges.push(Edge { to: index[&thread(block, successor, known)], taken_by });
    }
    edges
}

fn switch_edges<'c>(
    scan: &Scan<'c>,
    block: BasicBlock<'c>,
    sites: &[(BranchId, Site<'c>)],
    index: &HashMap<BasicBlock<'c>, BlockId>,
) -> Vec<Edge> {
    let Some((number, switch)) = scan.switches.iter().enumerate().find(|(_, s)| s.block == block) else {
        return Vec::new();
    };
    let mut edges: Vec<Edge> = Vec::new();
    let destinations = switch.rows.iter().map(|&(_, _, to)| to).chain([switch.default]);
    for destination in destinations {
        let to = index[&destination];
        if edges.iter().any(|edge| edge.to == to) {
            continue;
        }
        let leads_here = |site: &Site<'c>| match *site {
            Site::Case { switch: s, destination: d } => s == number && d == destination,
            Site::Default { switch: s } | Site::NoDefault { switch: s } => {
                s == number && destination == switch.default
            }
            _ => false,
        };
        let taken_by = sites
            .iter()
            .filter(|(_, site)| leads_here(site))
            .map(|&(branch, _)| Goal { branch, outcome: true })
            .collect();
        edges.push(Edge { to, taken_by });
    }
    edges
}

/// Follows an edge through blocks that only pass on a truth value already known.
fn thread<'c>(
    from: BasicBlock<'c>,
    to: BasicBlock<'c>,
    mut known: HashMap<BasicValueEnum<'c>, bool>,
) -> BasicBlock<'c> {
    let (mut previous, mut block, mut reached) = (from, to, to);
    // A chain of n operators passes n joins; the bound only guards against loops of empty blocks.
    for _ in 0..64 {
        if !learn(block, previous, &mut known) {
            break;
        }
        let Some(terminator) = block.get_terminator() else { break };
        let successors = ir::successors(terminator);
        let next = match (terminator.get_opcode(), &successors[..]) {
            (InstructionOpcode::Br, &[only]) => only,
            (InstructionOpcode::Br, &[on_true, on_false]) => {
                let Some(&value) = ir::operand(terminator, 0).and_then(|c| known.get(&c)) else { break };
                reached = if value { on_true } else { on_false };
                reached
            }
            _ => break,
        };
        (previous, block) = (block, next);
    }
    reached
}

/// Evaluates the truth values of a block entered from `previous`; false if the block does anything else.
fn learn<'c>(
    block: BasicBlock<'c>,
    previous: BasicBlock<'c>,
    known: &mut HashMap<BasicValueEnum<'c>, bool>,
) -> bool {
    for instruction in block.get_instructions() {
        if instruction.is_terminator() {
            break;
        }
        let value = match instruction.get_opcode() {
            InstructionOpcode::Phi => {
                let Ok(phi) = PhiValue::try_from(instruction) else { return false };
                let incoming = phi.get_incomings().find(|(_, from)| *from == previous);
                (phi.as_basic_value(), incoming.and_then(|(value, _)| truth(value, known)))
            }
            InstructionOpcode::Xor => {
                let (Some(a), Some(b)) = (ir::operand(instruction, 0), ir::operand(instruction, 1)) else {
                    return false;
                };
                let flipped = truth(a, known).zip(truth(b, known)).map(|(a, b)| a != b);
                (ir::result(instruction), flipped)
            }
            InstructionOpcode::Call
                if ir::called_name(instruction).is_some_and(|n| n.starts_with("llvm.instrprof.")) =>
            {
                continue;
            }
            _ => return false,
        };
        match value {
            (result, Some(truth)) => known.insert(result, truth),
            (result, None) => known.remove(&result),
        };
    }
    true
}

fn truth<'c>(value: BasicValueEnum<'c>, known: &HashMap<BasicValueEnum<'c>, bool>) -> Option<bool> {
    if let BasicValueEnum::IntValue(v) = value
        && v.get_type().get_bit_width() == 1
        && let Some(constant) = v.get_zero_extended_constant()
    {
        return Some(constant == 1);
    }
    known.get(&value).copied()
}
