//! The few questions about LLVM IR that inkwell does not answer directly.

use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core as llvm;
use inkwell::llvm_sys::debuginfo::{LLVMDILocationGetLine, LLVMInstructionGetDebugLoc};
use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, FunctionValue, GlobalValue, InstructionOpcode, InstructionValue,
    PointerValue,
};
use std::sync::Once;

/// The operand, if it is a value and neither a block nor metadata, such as the name of a register.
pub(crate) fn operand<'c>(instruction: InstructionValue<'c>, index: u32) -> Option<BasicValueEnum<'c>> {
    if index >= instruction.get_num_operands() {
        return None;
    }
    // SAFETY: a live instruction and one of its operands.
    let kind = unsafe {
        let operand = llvm::LLVMGetOperand(instruction.as_value_ref(), index);
        llvm::LLVMGetTypeKind(llvm::LLVMTypeOf(operand))
    };
    if matches!(kind, LLVMTypeKind::LLVMMetadataTypeKind | LLVMTypeKind::LLVMTokenTypeKind) {
        return None;
    }
    instruction.get_operand(index)?.value()
}

/// Puts zero in the place of operands that are undefined; poison is too.
pub(crate) fn zero_undefined_operands(instruction: InstructionValue<'_>) {
    let instruction = instruction.as_value_ref();
    // SAFETY: a live instruction, and each operand is replaced by one of its type. Operands that are no values of the
    // program (blocks, metadata) are never undefined.
    unsafe {
        for i in 0..llvm::LLVMGetNumOperands(instruction).unsigned_abs() {
            let operand = llvm::LLVMGetOperand(instruction, i);
            if llvm::LLVMIsUndef(operand) != 0 {
                llvm::LLVMSetOperand(instruction, i, llvm::LLVMConstNull(llvm::LLVMTypeOf(operand)));
            }
        }
    }
}

/// The instruction that makes a value, if one does.
pub(crate) fn definition<'c>(value: BasicValueEnum<'c>) -> Option<InstructionValue<'c>> {
    match value {
        BasicValueEnum::ArrayValue(v) => v.as_instruction(),
        BasicValueEnum::IntValue(v) => v.as_instruction_value(),
        BasicValueEnum::FloatValue(v) => v.as_instruction(),
        BasicValueEnum::PointerValue(v) => v.as_instruction(),
        BasicValueEnum::StructValue(v) => v.as_instruction(),
        BasicValueEnum::VectorValue(v) => v.as_instruction(),
        BasicValueEnum::ScalableVectorValue(_) => None,
    }
}

/// The value an instruction makes. It must make one: `store` and jumps do not.
pub(crate) fn result<'c>(instruction: InstructionValue<'c>) -> BasicValueEnum<'c> {
    // SAFETY: a live instruction; the caller passes one with a result.
    unsafe { BasicValueEnum::new(instruction.as_value_ref()) }
}

/// The instructions that use the result of this one.
pub(crate) fn users<'c>(instruction: InstructionValue<'c>) -> Vec<InstructionValue<'c>> {
    let mut users = Vec::new();
    // SAFETY: walks the use list of a live instruction; users of instructions are instructions.
    unsafe {
        let mut next = llvm::LLVMGetFirstUse(instruction.as_value_ref());
        while !next.is_null() {
            let user = llvm::LLVMGetUser(next);
            if !llvm::LLVMIsAInstruction(user).is_null() {
                users.push(InstructionValue::new(user));
            }
            next = llvm::LLVMGetNextUse(next);
        }
    }
    users
}

/// A constant integer, sign-extended.
pub(crate) fn constant(value: BasicValueEnum<'_>) -> Option<i64> {
    match value {
        BasicValueEnum::IntValue(v) => v.get_sign_extended_constant(),
        _ => None,
    }
}

/// The successors of a terminator in order: `br` has the true side first, `switch` the default. Other
/// instructions have none.
pub(crate) fn successors<'c>(terminator: InstructionValue<'c>) -> Vec<BasicBlock<'c>> {
    if !terminator.is_terminator() {
        return Vec::new();
    }
    let value = terminator.as_value_ref();
    // SAFETY: `value` is a terminator of a live module, and indices stay below the count.
    unsafe {
        (0..llvm::LLVMGetNumSuccessors(value))
            .filter_map(|i| BasicBlock::new(llvm::LLVMGetSuccessor(value, i)))
            .collect()
    }
}

/// The cases of a `switch`: `(value, destination)`, default excluded.
pub(crate) fn switch_cases<'c>(switch: InstructionValue<'c>) -> Vec<(BasicValueEnum<'c>, BasicBlock<'c>)> {
    (1..switch.get_num_operands() / 2)
        .filter_map(|i| {
            let value = operand(switch, 2 * i)?;
            let block = switch.get_operand(2 * i + 1)?.block()?;
            Some((value, block))
        })
        .collect()
}

/// Name of the directly called function.
pub(crate) fn called_name(call: InstructionValue<'_>) -> Option<String> {
    called_function(call).map(|f| f.get_name().to_string_lossy().into_owned())
}

/// The directly called function.
pub(crate) fn called_function<'c>(call: InstructionValue<'c>) -> Option<FunctionValue<'c>> {
    if call.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    // SAFETY: the called value of a call instruction of a live module; checked to be a function.
    unsafe {
        let callee = llvm::LLVMGetCalledValue(call.as_value_ref());
        if callee.is_null() || llvm::LLVMIsAFunction(callee).is_null() {
            return None;
        }
        FunctionValue::new(callee)
    }
}

/// Global variables and functions a value refers to, through constant expressions and initialisers.
pub(crate) fn globals_in<'c>(value: BasicValueEnum<'c>) -> Vec<GlobalRef<'c>> {
    let mut found = Vec::new();
    let mut todo = vec![value.as_value_ref()];
    while let Some(value) = todo.pop() {
        // SAFETY: operands of constants of a live module.
        unsafe {
            if !llvm::LLVMIsAGlobalVariable(value).is_null() {
                found.push(GlobalRef::Variable(GlobalValue::new(value)));
            } else if !llvm::LLVMIsAFunction(value).is_null() {
                found.extend(FunctionValue::new(value).map(GlobalRef::Function));
            } else if !llvm::LLVMIsAConstantExpr(value).is_null()
                || !llvm::LLVMIsAConstantStruct(value).is_null()
                || !llvm::LLVMIsAConstantArray(value).is_null()
            {
                let count = llvm::LLVMGetNumOperands(value);
                todo.extend((0..count as u32).map(|i| llvm::LLVMGetOperand(value, i)));
            }
        }
    }
    found
}

/// The bytes of a constant array of characters that is not all zero.
pub(crate) fn data<'c>(value: BasicValueEnum<'c>) -> Option<&'c [u8]> {
    let value = value.as_value_ref();
    // SAFETY: a value of a live module. Only data may be asked whether it is a string, and its bytes live as long as the
    // context does.
    unsafe {
        if llvm::LLVMIsAConstantDataArray(value).is_null() || llvm::LLVMIsConstantString(value) == 0 {
            return None;
        }
        let mut length = 0;
        let bytes = llvm::LLVMGetAsString(value, &mut length);
        (!bytes.is_null()).then(|| std::slice::from_raw_parts(bytes.cast(), length))
    }
}

/// A global named by a constant.
#[derive(Clone, Copy)]
pub(crate) enum GlobalRef<'c> {
    /// A variable.
    Variable(GlobalValue<'c>),
    /// A function.
    Function(FunctionValue<'c>),
}

/// Removes a global variable from its module. It must have no uses left.
pub(crate) fn delete_global(global: GlobalValue<'_>) {
    // SAFETY: the caller passes a live global and does not use it afterwards.
    unsafe { llvm::LLVMDeleteGlobal(global.as_value_ref()) }
}

/// Replaces all uses of one function by another of the same type.
pub(crate) fn replace_function(old: FunctionValue<'_>, new: FunctionValue<'_>) {
    // SAFETY: both are live functions of the same module; pointers are opaque, so any types fit.
    unsafe { llvm::LLVMReplaceAllUsesWith(old.as_value_ref(), new.as_value_ref()) }
}

/// The pointer an indirect call goes through.
pub(crate) fn called_pointer<'c>(call: InstructionValue<'c>) -> Option<PointerValue<'c>> {
    // SAFETY: the called value of a call instruction of a live module; it is a pointer.
    unsafe {
        let callee = llvm::LLVMGetCalledValue(call.as_value_ref());
        if callee.is_null() { None } else { Some(PointerValue::new(callee)) }
    }
}

/// Whether a call is inline assembly.
pub(crate) fn is_inline_assembly(call: InstructionValue<'_>) -> bool {
    // SAFETY: the called value of a call instruction of a live module.
    unsafe {
        let callee = llvm::LLVMGetCalledValue(call.as_value_ref());
        !callee.is_null() && !llvm::LLVMIsAInlineAsm(callee).is_null()
    }
}

/// Lets a call go somewhere else.
pub(crate) fn set_called(call: InstructionValue<'_>, callee: PointerValue<'_>) {
    // SAFETY: the called value is the last operand of a call.
    unsafe {
        let last = llvm::LLVMGetNumOperands(call.as_value_ref()) - 1;
        llvm::LLVMSetOperand(call.as_value_ref(), last as u32, callee.as_value_ref());
    }
}

/// Parameters of the called type; further arguments are variable ones.
pub(crate) fn parameter_count(call: InstructionValue<'_>) -> usize {
    // SAFETY: a call of a live module.
    unsafe { llvm::LLVMCountParamTypes(llvm::LLVMGetCalledFunctionType(call.as_value_ref())) as usize }
}

/// Whether the called type ends in `...`.
pub(crate) fn is_variadic(call: InstructionValue<'_>) -> bool {
    // SAFETY: a call of a live module.
    unsafe { llvm::LLVMIsFunctionVarArg(llvm::LLVMGetCalledFunctionType(call.as_value_ref())) != 0 }
}

/// The indices of `extractvalue` and `insertvalue`.
pub(crate) fn indices(instruction: InstructionValue<'_>) -> Vec<u32> {
    // SAFETY: the caller passes one of the two; LLVM keeps the array as long as the instruction.
    unsafe {
        let count = llvm::LLVMGetNumIndices(instruction.as_value_ref());
        let first = llvm::LLVMGetIndices(instruction.as_value_ref());
        std::slice::from_raw_parts(first, count as usize).to_vec()
    }
}

/// Replaces all uses of one variable by another.
pub(crate) fn replace_global(old: GlobalValue<'_>, new: GlobalValue<'_>) {
    // SAFETY: both are live variables of the same module; pointers are opaque, so any types fit.
    unsafe { llvm::LLVMReplaceAllUsesWith(old.as_value_ref(), new.as_value_ref()) }
}

/// The calls of a function, direct ones only.
pub(crate) fn direct_calls<'c>(function: FunctionValue<'c>) -> Vec<InstructionValue<'c>> {
    let mut calls = Vec::new();
    // SAFETY: walks the use list of a live function.
    unsafe {
        let mut next = llvm::LLVMGetFirstUse(function.as_value_ref());
        while !next.is_null() {
            let user = llvm::LLVMGetUser(next);
            if !llvm::LLVMIsACallInst(user).is_null()
                && llvm::LLVMGetCalledValue(user) == function.as_value_ref()
            {
                calls.push(InstructionValue::new(user));
            }
            next = llvm::LLVMGetNextUse(next);
        }
    }
    calls
}

/// Whether an instruction names a source line.
pub(crate) fn has_line(instruction: InstructionValue<'_>) -> bool {
    // SAFETY: a live instruction.
    unsafe {
        let place = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
        !place.is_null() && LLVMDILocationGetLine(place) != 0
    }
}

/// What is built next counts as part of the first source line that the block names.
pub(crate) fn speak_for<'c>(builder: &Builder<'c>, block: BasicBlock<'c>) {
    for instruction in block.get_instructions() {
        if !has_line(instruction) {
            continue;
        }
        // SAFETY: a live instruction and a live builder of one context.
        unsafe {
            let place = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
            return llvm::LLVMSetCurrentDebugLocation2(builder.as_mut_ptr(), place);
        }
    }
}

/// Tells the code generator, for the whole process, to make a function's frame before anything else. It would like
/// to do so only on the paths that call something, and a fault on another one would hide the caller.
pub(crate) fn make_frames_at_once() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let arguments = [c"branchwise".as_ptr(), c"-enable-shrink-wrap=false".as_ptr()];
        // SAFETY: the arguments outlive the call; LLVM keeps copies.
        unsafe { LLVMParseCommandLineOptions(2, arguments.as_ptr(), std::ptr::null()) }
    });
}
