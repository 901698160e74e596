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
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue};
use model::Check;
use std::collections::HashMap;
use wire::abi::Slot;

/// The checks. Not among them: what C leaves undefined but compilers have long defined, such as shifting a one into the
/// sign, and pointers that are not aligned.
pub(crate) const FLAGS: [&str; 2] = [
    "-fsanitize=integer-divide-by-zero,signed-integer-overflow,shift-exponent,array-bounds,null,unreachable,\
     vla-bound,builtin",
    "-fsanitize-trap=all",
];

const TRAP: &str = "llvm.ubsantrap";

/// Clang's numbers of what failed.
mod number {
    pub(super) const UNREACHABLE: i64 = 1;
    pub(super) const DIVISION: i64 = 3;
}

/// What clang's number of a failed check means; a division may also overflow.
fn check(number: i64) -> Check {
    match number {
        0 | 12 | 13 | 21 => Check::SignedOverflow,
        number::UNREACHABLE => Check::Unreachable,
        number::DIVISION => Check::DivisionByZero,
        8 => Check::Builtin,
        18 => Check::Bounds,
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
                    let (overflow, zero) =
                        (constant(Check::SignedOverflow), constant(Check::DivisionByZero));
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
