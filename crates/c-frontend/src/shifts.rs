//! Shifts by too much.
//!
//! C leaves them undefined, LLVM may then do anything, and does something else at every level of optimisation. An
//! unoptimised program on x86-64 takes the amount modulo the width; so do all our builds.

use crate::ir;
use inkwell::builder::{Builder, BuilderError};
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode};

/// Reduces every shift amount; LLVM folds those of constants.
pub(crate) fn define<'c>(function: FunctionValue<'c>, builder: &Builder<'c>) -> Result<(), BuilderError> {
    for block in function.get_basic_block_iter() {
        for shift in block.get_instructions() {
            let is_shift = matches!(
                shift.get_opcode(),
                InstructionOpcode::Shl | InstructionOpcode::LShr | InstructionOpcode::AShr
            );
            let Some(BasicValueEnum::IntValue(amount)) = ir::operand(shift, 1).filter(|_| is_shift) else {
                continue;
            };
            let width = amount.get_type().get_bit_width();
            // Widths that are no powers of two exist only as `_BitInt`, where the hardware has no say.
            if !width.is_power_of_two() {
                continue;
            }
            builder.position_before(&shift);
            let most = amount.get_type().const_int(u64::from(width - 1), false);
            let reduced = builder.build_and(amount, most, "")?;
            shift.set_operand(1, reduced);
        }
    }
    Ok(())
}
