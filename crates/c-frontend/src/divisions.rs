//! Divisions that fault.
//!
//! C leaves division by zero undefined, and so does LLVM: the optimiser drops a division whose result nobody needs,
//! computes `1 / b` without dividing, and believes afterwards that no divisor was zero. An unoptimised program faults.
//! Ours do too: the optimiser neither knows the operands nor that the result is not needed.

use crate::ir;
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue};

/// Hides the operands and results of all divisions that may fault. To be called when nothing looks at the
/// instructions any more.
pub(crate) fn define<'c>(
    module: &Module<'c>,
    function: FunctionValue<'c>,
    builder: &Builder<'c>,
) -> Result<(), BuilderError> {
    let all: Vec<InstructionValue<'c>> =
        function.get_basic_block_iter().flat_map(|block| block.get_instructions()).collect();
    for division in all.into_iter().filter(|i| is_division(*i)) {
        let (Some(BasicValueEnum::IntValue(dividend)), Some(BasicValueEnum::IntValue(divisor))) =
            (ir::operand(division, 0), ir::operand(division, 1))
        else {
            continue;
        };
        // Other widths have no instruction that would fault.
        let has_instruction = matches!(divisor.get_type().get_bit_width(), 8 | 16 | 32 | 64);
        let is_harmless = divisor.get_sign_extended_constant().is_some_and(|n| n != 0 && n != -1);
        if !has_instruction || is_harmless {
            continue;
        }
        builder.position_before(&division);
        for (i, operand) in [dividend, divisor].into_iter().enumerate() {
            division.set_operand(i as u32, pass_on(module, builder, operand)?);
        }
        if let Some(next) = division.get_next_instruction() {
            builder.position_before(&next);
            need(module, builder, ir::result(division))?;
        }
    }
    Ok(())
}

fn is_division(instruction: InstructionValue<'_>) -> bool {
    use InstructionOpcode as O;
    matches!(instruction.get_opcode(), O::UDiv | O::SDiv | O::URem | O::SRem)
}

/// The same number, from assembly that the optimiser cannot read.
fn pass_on<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    number: IntValue<'c>,
) -> Result<IntValue<'c>, BuilderError> {
    let ty = number.get_type();
    let function = ty.fn_type(&[ty.into()], false);
    let context = module.get_context();
    let assembly =
        context.create_inline_asm(function, String::new(), "=r,0".to_owned(), false, false, None, false);
    let call = builder.build_indirect_call(function, assembly, &[number.into()], "")?;
    Ok(call.try_as_basic_value().basic().map_or(number, BasicValueEnum::into_int_value))
}

/// Empty assembly that needs a number.
fn need<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    number: BasicValueEnum<'c>,
) -> Result<(), BuilderError> {
    let context = module.get_context();
    let function = context.void_type().fn_type(&[number.get_type().into()], false);
    let assembly =
        context.create_inline_asm(function, String::new(), "r".to_owned(), true, false, None, false);
    builder.build_indirect_call(function, assembly, &[number.into()], "").map(|_| ())
}
