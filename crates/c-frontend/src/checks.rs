//! Checks for errors, which clang puts into the code when it is asked to (`-fsanitize=… -fsanitize-trap`):
//!
//! ```text
//!   %ok = icmp ne i32 %divisor, 0
//!   br i1 %ok, label %go_on, label %failed          ◄ a branch that nobody counts
//! failed:
//!   call @llvm.ubsantrap(i8 3)                      ◄ becomes a call of the runtime, which ends the run
//!   unreachable
//! ```

use crate::ir;
use crate::runtime::Runtime;
use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue};
use model::Check;
use std::collections::HashMap;
use wire::abi::Slot;

/// The checks. Not among them: what C leaves undefined but compilers have long defined, such as shifting a one into the
/// sign, and pointers that are not aligned.
pub(crate) const FLAGS: [&str; 2] = [
    "-fsanitize=integer-divide-by-zero,signed-integer-overflow,shift-exponent,array-bounds,null,nonnull-attribute,\
     unreachable,vla-bound,builtin",
    "-fsanitize-trap=all",
];

const TRAP: &str = "llvm.ubsantrap";

/// Clang's numbers of what failed.
mod number {
    pub(super) const UNREACHABLE: i64 = 1;
    pub(super) const DIVISION: i64 = 3;
    pub(super) const BOUNDS: i64 = 18;
}

/// What clang's number of a failed check means; a division may also overflow.
fn check(number: i64) -> Check {
    match number {
        0 | 12 | 13 | 21 => Check::SignedOverflow,
        number::UNREACHABLE => Check::Unreachable,
        number::DIVISION => Check::DivisionByZero,
        8 | 16 => Check::Builtin,
        number::BOUNDS => Check::Bounds,
        20 => Check::Shift,
        22 => Check::Null,
        24 => Check::ArrayLength,
        _ => Check::Other,
    }
}

/// Which successor of a jump is the failure of a check, if it is one.
pub(crate) fn failing_side(jump: InstructionValue<'_>) -> Option<usize> {
    if jump.get_opcode() != InstructionOpcode::Br {
        return None;
    }
    let [on_true, on_false] = ir::successors(jump)[..] else { return None };
    [on_true, on_false].into_iter().position(|block| {
        let first = block.get_first_instruction().and_then(trap_number);
        // Unreachable code is no check: the jump before it is the program's own.
        first.is_some_and(|number| number != number::UNREACHABLE)
    })
}

fn trap_number(instruction: InstructionValue<'_>) -> Option<i64> {
    ir::called_name(instruction).filter(|name| name == TRAP)?;
    ir::operand(instruction, 0).and_then(ir::constant)
}

/// Clang lets `a[n]++` and `a[n].x += 1` pass, as it must `&a[n]`, for an array of n elements: it only asks whether there
/// may be such an address. Where an access follows, the question is whether there is an element.
pub(crate) fn tighten<'c>(function: FunctionValue<'c>, builder: &Builder<'c>) -> Result<(), BuilderError> {
    for jump in function.get_basic_block_iter().filter_map(BasicBlock::get_terminator) {
        let Some(side) = failing_side(jump) else { continue };
        let sides = ir::successors(jump);
        let is_bounds = sides[side].get_first_instruction().and_then(trap_number) == Some(number::BOUNDS);
        let comparison = ir::operand(jump, 0).and_then(ir::definition);
        let lax = comparison.filter(|c| c.get_icmp_predicate() == Some(IntPredicate::ULE));
        let Some(lax) = lax.filter(|_| is_bounds && accesses(sides[1 - side])) else { continue };
        if let (Some(BasicValueEnum::IntValue(index)), Some(BasicValueEnum::IntValue(count))) =
            (ir::operand(lax, 0), ir::operand(lax, 1))
        {
            builder.position_before(&lax);
            let strict = builder.build_int_compare(IntPredicate::ULT, index, count, "")?;
            jump.set_operand(0, strict);
        }
    }
    Ok(())
}

/// Whether the first element that is addressed from here on is read or written before anything is decided but checks.
fn accesses(mut block: BasicBlock<'_>) -> bool {
    let mut addresses = Vec::new();
    loop {
        for instruction in block.get_instructions() {
            let is_of = |i| ir::operand(instruction, i).is_some_and(|operand| addresses.contains(&operand));
            match instruction.get_opcode() {
                InstructionOpcode::GetElementPtr if addresses.is_empty() || is_of(0) => {
                    addresses.push(ir::result(instruction));
                }
                InstructionOpcode::Load if is_of(0) => return true,
                InstructionOpcode::Store if is_of(1) => return true,
                _ => {}
            }
        }
        let Some(jump) = block.get_terminator() else { return false };
        let Some(side) = failing_side(jump) else { return false };
        block = ir::successors(jump)[1 - side];
    }
}

/// Lets failed checks end the run. To be called when nothing looks at the instructions any more.
pub(crate) fn report<'c>(
    function: FunctionValue<'c>,
    builder: &Builder<'c>,
    runtime: &Runtime<'_, 'c>,
) -> Result<(), BuilderError> {
    let conditions = conditions(function);
    for block in function.get_basic_blocks() {
        let traps: Vec<(InstructionValue<'c>, i64)> =
            block.get_instructions().filter_map(|i| Some((i, trap_number(i)?))).collect();
        for (trap, number) in traps {
            builder.position_before(&trap);
            if let Some(jump) = conditions.get(&block).filter(|_| !ir::has_line(trap)) {
                ir::speak_for(builder, jump.0);
            }
            let i32_type = runtime.module.get_context().i32_type();
            let constant = |check: Check| i32_type.const_int(check as u64, false);
            let divides = conditions.get(&block).filter(|_| number == number::DIVISION);
            let failed = match divides.and_then(|&(_, condition)| is_no_zero(condition)) {
                Some(no_zero) => {
                    let (overflow, zero) = (constant(Check::SignedOverflow), constant(Check::DivisionByZero));
                    builder.build_select(no_zero, overflow, zero, "")?.into_int_value()
                }
                None => constant(check(number)),
            };
            builder.build_call(runtime.thunk(Slot::FailedCheck), &[failed.into()], "")?;
            trap.erase_from_basic_block();
        }
    }
    Ok(())
}

/// By the block of a failure: the block before it, and the condition that holds where control goes on.
fn conditions<'c>(function: FunctionValue<'c>) -> HashMap<BasicBlock<'c>, (BasicBlock<'c>, IntValue<'c>)> {
    let jumps = function.get_basic_block_iter().filter_map(BasicBlock::get_terminator);
    let failing = jumps.filter_map(|jump| {
        let failed = ir::successors(jump)[failing_side(jump)?];
        let Some(BasicValueEnum::IntValue(condition)) = ir::operand(jump, 0) else { return None };
        Some((failed, (jump.get_parent()?, condition)))
    });
    failing.collect()
}

/// Of a signed division clang asks two things at once: `divisor != 0 & !(dividend == least & divisor == -1)`.
fn is_no_zero(condition: IntValue<'_>) -> Option<IntValue<'_>> {
    let both = ir::definition(condition.into()).filter(|i| i.get_opcode() == InstructionOpcode::And)?;
    match ir::operand(both, 0)? {
        BasicValueEnum::IntValue(no_zero) => Some(no_zero),
        _ => None,
    }
}

/// Makes all checks hold: the code is then what it is without them.
pub(crate) fn forget(function: FunctionValue<'_>) {
    for jump in function.get_basic_block_iter().filter_map(BasicBlock::get_terminator) {
        let Some(side) = failing_side(jump) else { continue };
        if let Some(BasicValueEnum::IntValue(condition)) = ir::operand(jump, 0) {
            let holds = condition.get_type().const_int(side as u64, false);
            jump.set_operand(0, holds);
        }
    }
}
