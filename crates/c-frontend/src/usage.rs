//! What a function touches: globals read and written, functions called, constants and words used.

use crate::ir::{self, GlobalRef};
use inkwell::types::AnyTypeEnum;
use inkwell::values::{BasicValueEnum, FunctionValue, GlobalValue, InstructionOpcode, InstructionValue};
use std::collections::BTreeSet;

/// Direct uses of one function, by IR name.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Usage {
    pub(crate) reads: BTreeSet<String>,
    pub(crate) writes: BTreeSet<String>,
    pub(crate) calls: BTreeSet<String>,
    /// Types of functions called through pointers, as LLVM prints them.
    pub(crate) indirect: BTreeSet<String>,
    /// Functions whose address is taken, with their types.
    pub(crate) taken: BTreeSet<(String, String)>,
    /// Every call with the number of its block.
    pub(crate) sites: Vec<(u32, Called)>,
    pub(crate) constants: BTreeSet<i128>,
    /// String constants without their ends, also those in tables.
    pub(crate) strings: BTreeSet<Vec<u8>>,
}

/// Bytes of a string constant that is a word of the program and no text for people.
const WORD: usize = 32;
/// Steps from a variable to the strings in its table.
const TABLES: u32 = 3;

/// What a call goes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Called {
    /// A function by name.
    Name(String),
    /// Whatever a pointer to a function of this type leads to.
    Pointer(String),
}

/// Functions whose address a variable holds from the beginning, with their types.
pub(crate) fn initially_taken(variable: GlobalValue<'_>) -> Vec<(String, String)> {
    let globals = variable.get_initializer().map(ir::globals_in).unwrap_or_default();
    let function = |global| match global {
        GlobalRef::Function(f) => Some((name(f), type_name(f.get_type().into()))),
        GlobalRef::Variable(_) => None,
    };
    globals.into_iter().filter_map(function).collect()
}

/// Collects the uses of a function.
pub(crate) fn usage(function: FunctionValue<'_>) -> Usage {
    let mut usage = Usage::default();
    for (number, block) in function.get_basic_block_iter().enumerate() {
        for instruction in block.get_instructions() {
            usage.note(instruction);
            if instruction.get_opcode() == InstructionOpcode::Call {
                usage.sites.push((number as u32, called(instruction)));
            }
        }
    }
    usage
}

impl Usage {
    fn note(&mut self, instruction: InstructionValue<'_>) {
        let opcode = instruction.get_opcode();
        if opcode == InstructionOpcode::Call {
            match ir::called_function(instruction) {
                Some(callee)
                    if is_intrinsic(callee, "llvm.dbg.") || is_intrinsic(callee, "llvm.instrprof.") =>
                {
                    return;
                }
                Some(callee) => self.calls.insert(name(callee)),
                None => self.indirect.insert(called_type(instruction)),
            };
        }
        let called_operand = instruction.get_num_operands().wrapping_sub(1);
        for index in 0..instruction.get_num_operands() {
            let Some(value) = ir::operand(instruction, index) else { continue };
            self.note_constant(opcode, value);
            for global in ir::globals_in(value) {
                match global {
                    GlobalRef::Function(_)
                        if opcode == InstructionOpcode::Call && index == called_operand => {}
                    GlobalRef::Function(f) => {
                        self.taken.insert((name(f), type_name(f.get_type().into())));
                    }
                    GlobalRef::Variable(variable) => {
                        self.note_strings(variable, TABLES);
                        let name = variable.get_name().to_string_lossy().into_owned();
                        self.note_access(instruction, index, name, 0);
                    }
                }
            }
        }
    }

    /// Says how the pointer that is operand `index` of `instruction` is used. Anything but a plain load or store
    /// may read and write.
    fn note_access(&mut self, instruction: InstructionValue<'_>, index: u32, name: String, depth: u32) {
        match instruction.get_opcode() {
            InstructionOpcode::Load => {
                self.reads.insert(name);
            }
            InstructionOpcode::Store if index == 1 => {
                self.writes.insert(name);
            }
            InstructionOpcode::GetElementPtr if depth < 4 => {
                for user in ir::users(instruction) {
                    self.note_pointer_user(user, instruction, &name, depth);
                }
            }
            _ => {
                self.reads.insert(name.clone());
                self.writes.insert(name);
            }
        }
    }

    fn note_pointer_user(
        &mut self,
        user: InstructionValue<'_>,
        pointer: InstructionValue<'_>,
        name: &str,
        depth: u32,
    ) {
        for index in 0..user.get_num_operands() {
            if ir::operand(user, index).and_then(ir::definition) == Some(pointer) {
                self.note_access(user, index, name.to_owned(), depth + 1);
            }
        }
    }

    /// The string that a variable is, if it is constant, or those that it leads to.
    fn note_strings(&mut self, variable: GlobalValue<'_>, depth: u32) {
        let Some(value) = variable.get_initializer() else { return };
        if let Some(bytes) = ir::data(value) {
            let word = bytes.strip_suffix(b"\0").filter(|_| variable.is_constant()).unwrap_or_default();
            if (1..=WORD).contains(&word.len()) && !word.contains(&0) {
                self.strings.insert(word.to_vec());
            }
        } else if depth > 0 {
            for global in ir::globals_in(value) {
                if let GlobalRef::Variable(inner) = global {
                    self.note_strings(inner, depth - 1);
                }
            }
        }
    }

    fn note_constant(&mut self, opcode: InstructionOpcode, value: BasicValueEnum<'_>) {
        use InstructionOpcode as O;
        let interesting = matches!(
            opcode,
            O::ICmp
                | O::Switch
                | O::Sub
                | O::Add
                | O::And
                | O::Xor
                | O::Mul
                | O::SDiv
                | O::UDiv
                | O::SRem
                | O::URem
        );
        if let (true, Some(constant)) = (interesting, ir::constant(value)) {
            self.constants.insert(i128::from(constant));
            if let BasicValueEnum::IntValue(v) = value
                && let Some(unsigned) = v.get_zero_extended_constant()
            {
                self.constants.insert(i128::from(unsigned));
            }
        }
    }
}

fn name(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

fn is_intrinsic(function: FunctionValue<'_>, prefix: &str) -> bool {
    function.get_name().to_bytes().starts_with(prefix.as_bytes())
}

pub(crate) fn type_name(ty: AnyTypeEnum<'_>) -> String {
    ty.to_string()
}

fn called(call: InstructionValue<'_>) -> Called {
    match ir::called_function(call) {
        Some(callee) => Called::Name(name(callee)),
        None => Called::Pointer(called_type(call)),
    }
}

fn called_type(call: InstructionValue<'_>) -> String {
    inkwell::values::CallSiteValue::try_from(call)
        .map_or_else(|_| String::new(), |site| site.get_called_fn_type().to_string())
}
