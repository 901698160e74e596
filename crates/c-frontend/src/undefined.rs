//! Values that nobody gave.
//!
//! A variable read before it is set is undefined in C, and what LLVM makes of it is whatever a register holds: it differs
//! from run to run, and terms would differ with it. The same holds for values that a loop carries before anyone needs
//! them. In all our builds they are zero, as memory is that was never written. A variable that is only ever given one
//! constant has it from the start, also in all builds: LLVM sees to that when it makes registers of variables.

use crate::ir;
use inkwell::values::FunctionValue;

/// Gives zero to all who use a value without one.
pub(crate) fn define(function: FunctionValue<'_>) {
    function
        .get_basic_block_iter()
        .flat_map(|block| block.get_instructions())
        .for_each(ir::zero_undefined_operands);
}
