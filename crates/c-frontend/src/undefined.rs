//! Values that nobody gave.
//!
//! A variable read before it is set is undefined in C, and what LLVM makes of it is whatever a register holds: it differs
//! from run to run, and terms would differ with it. The same holds for values that a loop carries before anyone needs
//! them. In all our builds they are zero, as memory is that was never written.

use crate::ir;
use inkwell::types::BasicType;
use inkwell::values::{BasicValueEnum, FunctionValue};

/// Gives zero to all who use a value without one.
pub(crate) fn define(function: FunctionValue<'_>) {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    for instruction in instructions {
        for index in 0..instruction.get_num_operands() {
            if let Some(value) = ir::operand(instruction, index).filter(|value| is_undefined(*value)) {
                instruction.set_operand(index, value.get_type().as_basic_type_enum().const_zero());
            }
        }
    }
}

/// Poison is undefined too.
fn is_undefined(value: BasicValueEnum<'_>) -> bool {
    match value {
        BasicValueEnum::ArrayValue(v) => v.is_undef(),
        BasicValueEnum::IntValue(v) => v.is_undef(),
        BasicValueEnum::FloatValue(v) => v.is_undef(),
        BasicValueEnum::PointerValue(v) => v.is_undef(),
        BasicValueEnum::StructValue(v) => v.is_undef(),
        BasicValueEnum::VectorValue(v) => v.is_undef(),
        BasicValueEnum::ScalableVectorValue(v) => v.is_undef(),
    }
}
