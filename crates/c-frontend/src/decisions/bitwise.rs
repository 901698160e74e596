//! The conditions of bitwise decisions in the code.
//!
//! ```text
//!   (a > 3) & (b < 2)         %c = icmp sgt i32 %a, 3
//!           ▲                 %x = zext i1 %c to i32            ◄ the site of `a > 3`
//!           │                 %d = icmp slt i32 %b, 2
//!           │                 %y = zext i1 %d to i32            ◄ the site of `b < 2`
//!           └──────────────── %r = and i32 %x, %y, !dbg 3:15    ◄ found by where it stands
//! ```
//!
//! Nothing jumps on such a condition, but its truth value is there before it is widened. The operator is found by its line and column in the debug
//! information, and the conditions from it by going back along operands, in step with the syntax tree. Conditions of `&&` and `||` are branches.

use super::syntax::{Bitwise, Tree};
use super::{Candidate, Member, Place, Regions, Subject};
use crate::ir;
use crate::scan::Site;
use inkwell::llvm_sys::core as llvm;
use inkwell::values::{AsValueRef, BasicValueEnum, InstructionOpcode, InstructionValue};
use inkwell::{IntPredicate, basic_block::BasicBlock};
use model::{Position, Shape};
use std::path::Path;

/// A decision of the unit as one of this function; `None` if it is not inside of it, or the reason why it cannot be followed.
pub(super) fn resolve<'c>(
    subject: &Subject<'_, 'c>,
    decision: &Bitwise,
) -> Option<(Place, Result<Candidate<'c>, &'static str>)> {
    let (file, start, end) = subject.described.body?;
    let is_inside = start <= decision.start
        && decision.end <= end
        && Path::new(&subject.described.files[file as usize].path).canonicalize().ok()? == decision.file;
    if !is_inside {
        return None;
    }
    let place = Place { file, start: decision.start, end: decision.end };
    let Some(tree) = &decision.tree else {
        return Some((place, Err("its operators come from a macro")));
    };
    let mut resolver = Resolver { subject, file, members: Vec::new() };
    let shape = resolver.shape(tree);
    let members = resolver.members;
    let candidate = shape.map(|shape| Candidate { members, shape, place, is_confirmable: false });
    let is_small = |c: &Candidate<'_>| c.shape.conditions() <= 64;
    Some((place, candidate.filter(is_small).ok_or("the code does not show its conditions one by one")))
}

struct Resolver<'a, 'c> {
    subject: &'a Subject<'a, 'c>,
    file: u32,
    /// Conditions so far, in the order of their evaluation.
    members: Vec<Member<'c>>,
}

impl<'c> Resolver<'_, 'c> {
    /// Outside of bitwise operators.
    fn shape(&mut self, tree: &Tree) -> Option<Shape> {
        match tree {
            Tree::Leaf { start, end } => self.branch(*start, *end),
            Tree::Not(inner) => Some(self.shape(inner)?.negated()),
            Tree::Join { and, whole: false, sides, .. } => {
                let first = self.shape(&sides[0])?;
                Some(first.then(*and, &self.shape(&sides[1])?))
            }
            Tree::Join { whole: true, operator, and, .. } => {
                let instruction = self.instruction(*operator, *and)?;
                self.value(tree, ir::result(instruction))
            }
        }
    }

    /// Inside of one: this is its value.
    fn value(&mut self, tree: &Tree, value: BasicValueEnum<'c>) -> Option<Shape> {
        match tree {
            Tree::Leaf { start, end } => self.leaf(*start, *end, value),
            Tree::Not(inner) => {
                let (inside, negated) = through(value);
                // An even number of negations would be another text.
                negated.then(|| self.value(inner, inside))?.map(|shape| shape.negated())
            }
            Tree::Join { whole: false, .. } => self.shape(tree),
            Tree::Join { and, whole: true, operator, sides } => {
                let (value, negated) = through(value);
                let instruction = ir::definition(value).filter(|&i| is_operator(i, *operator, *and))?;
                let first = self.value(&sides[0], ir::operand(instruction, 0)?)?;
                let second = self.value(&sides[1], ir::operand(instruction, 1)?)?;
                (!negated).then(|| first.beside(*and, &second))
            }
        }
    }

    /// A condition of a bitwise operator: a truth value that is widened, or a constant.
    fn leaf(&mut self, start: Position, end: Position, value: BasicValueEnum<'c>) -> Option<Shape> {
        let place = Place { file: self.file, start, end };
        if let Some(constant) = ir::constant(value) {
            self.members.push(Member::Constant(place));
            return Some(Shape::constant(constant != 0));
        }
        let widening = ir::definition(value).filter(|i| i.get_opcode() == InstructionOpcode::ZExt)?;
        let BasicValueEnum::IntValue(condition) = ir::operand(widening, 0)? else { return None };
        if condition.get_type().get_bit_width() != 1 {
            return None;
        }
        self.members.push(Member::Value(place, Site::Select { at: widening, condition }));
        Some(Shape::condition())
    }

    /// A condition of `&&` or `||`.
    fn branch(&mut self, start: Position, end: Position) -> Option<Shape> {
        let regions = Regions(self.subject.described);
        let outside = |index: usize| {
            let region = regions.region(index);
            let place = Place { file: region.file, start: region.start, end: region.end };
            let place = super::outermost(self.subject.described, place);
            (place.file, place.start, place.end) == (self.file, start, end)
        };
        let mut found = (0..regions.len()).filter(|&index| outside(index));
        let index = found.next().filter(|_| found.next().is_none())?;
        self.members.push(regions.member(index));
        match regions.is_folded(index) {
            true => regions.value(index).map(Shape::constant),
            false => Some(Shape::condition()),
        }
    }

    /// The only instruction of this kind that stands there.
    fn instruction(&self, operator: Position, and: bool) -> Option<InstructionValue<'c>> {
        let all = self.subject.blocks.iter().copied().flat_map(BasicBlock::get_instructions);
        let mut found = all.filter(|&instruction| is_operator(instruction, operator, and));
        found.next().filter(|_| found.next().is_none())
    }
}

fn is_operator(instruction: InstructionValue<'_>, at: Position, and: bool) -> bool {
    let opcode = if and { InstructionOpcode::And } else { InstructionOpcode::Or };
    let value = instruction.as_value_ref();
    // SAFETY: a live instruction; LLVM returns 0 where it has no location.
    let (line, column) = unsafe { (llvm::LLVMGetDebugLocLine(value), llvm::LLVMGetDebugLocColumn(value)) };
    instruction.get_opcode() == opcode && (line, column) == (at.line, at.column)
}

/// What is behind widenings, comparisons with 0 and negations; whether it is negated on the way.
fn through(mut value: BasicValueEnum<'_>) -> (BasicValueEnum<'_>, bool) {
    let mut negated = false;
    while let Some((inner, flips)) = ir::definition(value).and_then(one_step) {
        value = inner;
        negated ^= flips;
    }
    (value, negated)
}

fn one_step<'c>(instruction: InstructionValue<'c>) -> Option<(BasicValueEnum<'c>, bool)> {
    let inner = ir::operand(instruction, 0)?;
    let other = || ir::operand(instruction, 1).and_then(ir::constant);
    match instruction.get_opcode() {
        InstructionOpcode::ZExt | InstructionOpcode::Trunc => Some((inner, false)),
        InstructionOpcode::Xor if other()? != 0 => Some((inner, true)),
        InstructionOpcode::ICmp if other()? == 0 => match instruction.get_icmp_predicate()? {
            IntPredicate::NE => Some((inner, false)),
            IntPredicate::EQ => Some((inner, true)),
            _ => None,
        },
        _ => None,
    }
}
