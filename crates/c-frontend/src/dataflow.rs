//! Which variables the blocks of a function read and write, from code in which every variable is still memory.
//!
//! A variable is an `alloca` or a global, with all its parts: an element of an array or a member defines it without killing what was there. What is written
//! through other pointers, and by functions that are called, is not seen; dependence sets only guide, so a definition that is missing costs
//! guidance and nothing else.

use crate::ir::{self, GlobalRef};
use inkwell::values::{AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue};
use model::{Access, DataFlow, Variable, VariableId};
use std::collections::{BTreeSet, HashMap};

/// Steps from a value back to the variables that it is computed from.
const DEEPEST: u32 = 64;

/// The data flow of a function.
pub(crate) fn read(function: FunctionValue<'_>) -> DataFlow {
    let mut reader = Reader::default();
    let blocks = function.get_basic_block_iter().map(|block| {
        let mut accesses: Vec<Access> = Vec::new();
        for instruction in block.get_instructions() {
            accesses.extend(reader.access(instruction));
        }
        one_decision(accesses)
    });
    let blocks = blocks.collect();
    DataFlow { variables: reader.variables, blocks }
}

/// A block decides once; what several conditions of it look at is looked at together, where the last of them stands.
fn one_decision(accesses: Vec<Access>) -> Vec<Access> {
    let decisions = accesses.iter().filter(|access| matches!(access, Access::Decide { .. }));
    let mut uses: Vec<VariableId> = decisions.flat_map(|access| access.uses().to_vec()).collect();
    uses.sort_unstable();
    uses.dedup();
    let last = accesses.iter().rposition(|access| matches!(access, Access::Decide { .. }));
    let mut kept = Vec::new();
    for (index, access) in accesses.into_iter().enumerate() {
        match access {
            Access::Decide { .. } if Some(index) == last => kept.push(Access::Decide { uses: uses.clone() }),
            Access::Decide { .. } => {}
            define => kept.push(define),
        }
    }
    kept
}

#[derive(Default)]
struct Reader {
    variables: Vec<Variable>,
    /// By the address of LLVM's value.
    known: HashMap<usize, VariableId>,
}

impl Reader {
    fn access(&mut self, instruction: InstructionValue<'_>) -> Option<Access> {
        match instruction.get_opcode() {
            InstructionOpcode::Store => {
                let (value, place) = (ir::operand(instruction, 0)?, ir::operand(instruction, 1)?);
                let (variable, kills) = self.variable_at(place)?;
                if is_parameter(value) {
                    self.variables[variable.0 as usize].is_input = true;
                }
                Some(Access::Define { variable, uses: self.uses(value), kills })
            }
            InstructionOpcode::Br if instruction.get_num_operands() == 3 => {
                Some(Access::Decide { uses: self.uses(ir::operand(instruction, 0)?) })
            }
            InstructionOpcode::Switch | InstructionOpcode::Select => {
                Some(Access::Decide { uses: self.uses(ir::operand(instruction, 0)?) })
            }
            _ => None,
        }
    }

    /// The variable that a pointer leads into, and whether to all of it.
    fn variable_at(&mut self, place: BasicValueEnum<'_>) -> Option<(VariableId, bool)> {
        if let Some(instruction) = ir::definition(place) {
            return match instruction.get_opcode() {
                InstructionOpcode::Alloca => {
                    // Clang does not keep their names.
                    let name = format!("local {}", self.variables.len());
                    Some((self.variable(instruction.as_value_ref() as usize, name, false), true))
                }
                InstructionOpcode::GetElementPtr | InstructionOpcode::BitCast => {
                    let (variable, _) = self.variable_at(ir::operand(instruction, 0)?)?;
                    Some((variable, false))
                }
                _ => None,
            };
        }
        match ir::globals_in(place)[..] {
            [GlobalRef::Variable(global)] => {
                let name = global.get_name().to_string_lossy().into_owned();
                let is_whole = place.as_value_ref() == global.as_value_ref();
                Some((self.variable(global.as_value_ref() as usize, name, true), is_whole))
            }
            _ => None,
        }
    }

    fn variable(&mut self, key: usize, name: String, is_input: bool) -> VariableId {
        *self.known.entry(key).or_insert_with(|| {
            self.variables.push(Variable { name, is_input });
            VariableId(self.variables.len() as u32 - 1)
        })
    }

    /// The variables that a value is computed from.
    fn uses(&mut self, value: BasicValueEnum<'_>) -> Vec<VariableId> {
        let mut found = BTreeSet::new();
        self.collect(value, DEEPEST, &mut BTreeSet::new(), &mut found);
        found.into_iter().collect()
    }

    fn collect(
        &mut self,
        value: BasicValueEnum<'_>,
        steps: u32,
        seen: &mut BTreeSet<usize>,
        found: &mut BTreeSet<VariableId>,
    ) {
        let Some(instruction) = ir::definition(value) else { return };
        if steps == 0 || !seen.insert(instruction.as_value_ref() as usize) {
            return;
        }
        if instruction.get_opcode() == InstructionOpcode::Load
            && let Some((variable, _)) = ir::operand(instruction, 0).and_then(|place| self.variable_at(place))
        {
            found.insert(variable);
        }
        // Also of a load: an index, or the pointer that is followed, is looked at as well.
        for index in 0..instruction.get_num_operands() {
            if let Some(operand) = ir::operand(instruction, index) {
                self.collect(operand, steps - 1, seen, found);
            }
        }
    }
}

/// Whether a value is what the function was given.
fn is_parameter(value: BasicValueEnum<'_>) -> bool {
    // SAFETY: the value is live.
    unsafe { !inkwell::llvm_sys::core::LLVMIsAArgument(value.as_value_ref()).is_null() }
}
