//! Control flow of a method: blocks of instructions, edges of jumps and of exceptions.
//!
//! A block ends at jumps, where a jump leads to, and where the protected code of a handler begins or ends. From a block of protected code that
//! may throw, an edge that no outcome takes leads to the handler. Exceptions that nobody in the method catches have no edges: with them,
//! everything behind a call would depend on the call.

use crate::sites::{Shape, Site};
use java_classfile::instruction::{ArithOp, IntegerKind, NumericKind};
use java_classfile::{Code, Instruction, Pc};
use model::{BlockId, BranchId, Cfg, Edge, Goal};
use std::collections::BTreeSet;

/// Where the blocks of a method begin, by offset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blocks {
    starts: Vec<Pc>,
}

impl Blocks {
    /// Of a method's code.
    #[must_use]
    pub fn of(code: &Code) -> Blocks {
        let mut starts = BTreeSet::from([0]);
        for (at, (_, instruction)) in code.instructions.iter().enumerate() {
            let targets = instruction.targets();
            let ends = !targets.is_empty() || !instruction.falls_through();
            if let Some((next, _)) = code.instructions.get(at + 1).filter(|_| ends) {
                starts.insert(*next);
            }
            starts.extend(targets);
        }
        for handler in &code.handlers {
            starts.extend([handler.start, handler.end, handler.handler]);
        }
        starts.retain(|start| *start < code.length);
        Blocks { starts: starts.into_iter().collect() }
    }

    /// The block of an instruction.
    #[must_use]
    pub fn at(&self, pc: Pc) -> BlockId {
        BlockId(self.starts.partition_point(|start| *start <= pc).saturating_sub(1) as u32)
    }

    /// Where the blocks begin, in order.
    #[must_use]
    pub fn starts(&self) -> &[Pc] {
        &self.starts
    }
}

/// The control flow of a method; `sites` are its own jumps.
#[must_use]
pub fn graph(code: &Code, blocks: &Blocks, sites: &[Site]) -> Cfg {
    let mut cfg = Cfg { successors: vec![Vec::new(); blocks.starts.len()] };
    for (number, start) in blocks.starts.iter().enumerate() {
        let end = blocks.starts.get(number + 1).copied().unwrap_or(code.length);
        let of_block = instructions(code, *start, end);
        let Some((pc, last)) = of_block.last() else { continue };
        let edges = &mut cfg.successors[number];
        match sites.iter().find(|site| site.pc == *pc) {
            Some(site) => decide(edges, blocks, site, end),
            None => {
                for target in last.targets() {
                    join(edges, blocks.at(target), None);
                }
                if last.falls_through() && end < code.length {
                    join(edges, blocks.at(end), None);
                }
            }
        }
        if of_block.iter().any(|(_, instruction)| may_throw(instruction)) {
            let catches = code.handlers.iter().filter(|handler| (handler.start..handler.end).contains(start));
            catches.for_each(|handler| catch(edges, blocks.at(handler.handler)));
        }
    }
    cfg
}

fn instructions(code: &Code, start: Pc, end: Pc) -> &[(Pc, Instruction)] {
    let place = |pc: Pc| code.instructions.partition_point(|(at, _)| *at < pc);
    code.instructions.get(place(start)..place(end)).unwrap_or_default()
}

/// The edges of a jump with its outcomes.
fn decide(edges: &mut Vec<Edge>, blocks: &Blocks, site: &Site, next: Pc) {
    match &site.shape {
        Shape::Condition { target, taken_is, .. } => {
            let goal = |outcome| Some(Goal { branch: site.branch, outcome });
            join(edges, blocks.at(*target), goal(*taken_is));
            join(edges, blocks.at(next), goal(!taken_is));
        }
        Shape::Switch { targets } => {
            for (number, target) in (0..).zip(targets) {
                let branch = BranchId(site.branch.0 + number);
                join(edges, blocks.at(target.pc), Some(Goal { branch, outcome: true }));
            }
        }
    }
}

/// Adds an edge, or an outcome to the edge that leads there by other outcomes.
fn join(edges: &mut Vec<Edge>, to: BlockId, goal: Option<Goal>) {
    let same = |edge: &&mut Edge| edge.to == to && !edge.taken_by.is_empty();
    match edges.iter_mut().find(same) {
        Some(edge) => edge.taken_by.extend(goal),
        None => edges.push(Edge { to, taken_by: goal.into_iter().collect() }),
    }
}

/// Adds the edge of an exception. A jump that leads to the same place says more.
fn catch(edges: &mut Vec<Edge>, to: BlockId) {
    if !edges.iter().any(|edge| edge.to == to) {
        edges.push(Edge { to, taken_by: Vec::new() });
    }
}

/// Whether an instruction may throw, out of memory and dying threads aside.
fn may_throw(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Arith { kind, op } => {
            matches!(kind, NumericKind::Int | NumericKind::Long) && matches!(op, ArithOp::Div | ArithOp::Rem)
        }
        Instruction::Nop
        | Instruction::Push(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::Stack(_)
        | Instruction::Bitwise { kind: IntegerKind::Int | IntegerKind::Long, .. }
        | Instruction::Shift { .. }
        | Instruction::Neg(_)
        | Instruction::Increment { .. }
        | Instruction::Convert { .. }
        | Instruction::Compare(_)
        | Instruction::If { .. }
        | Instruction::IfInts { .. }
        | Instruction::IfRefs { .. }
        | Instruction::IfNull { .. }
        | Instruction::Goto { .. }
        | Instruction::Jsr { .. }
        | Instruction::Ret { .. }
        | Instruction::TableSwitch(_)
        | Instruction::LookupSwitch(_)
        | Instruction::Return(_)
        | Instruction::InstanceOf(_) => false,
        _ => true,
    }
}
