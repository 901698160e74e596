//! Which jumps and methods a class has, in the order of their numbers.
//!
//! Hooks, traces and whoever reads them must agree on what number a jump has. The classes of a program are in some order that its owner
//! keeps; within a class the jumps of its methods follow each other as the methods stand in the file, by pc. So the number of a jump
//! is the count of all jumps in the classes before, plus its place here.

use java_classfile::{ClassFile, Instruction, Pc};

/// An instruction that control leaves in more than one way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The method, by its position in [`ClassFile::methods`].
    pub method: usize,
    /// Where in its code.
    pub pc: Pc,
    /// By what.
    pub kind: JumpKind,
}

/// What decides a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JumpKind {
    /// An int compared with zero.
    Zero,
    /// Two ints.
    Two,
    /// Two references.
    References,
    /// A reference that may be null.
    Null,
    /// The value of a switch.
    Switch,
}

impl JumpKind {
    /// What an instruction is decided by, if it is a conditional jump or a switch.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Option<JumpKind> {
        Some(match instruction {
            Instruction::If { .. } => JumpKind::Zero,
            Instruction::IfInts { .. } => JumpKind::Two,
            Instruction::IfRefs { .. } => JumpKind::References,
            Instruction::IfNull { .. } => JumpKind::Null,
            Instruction::TableSwitch(_) | Instruction::LookupSwitch(_) => JumpKind::Switch,
            _ => return None,
        })
    }
}

/// The jumps of a class, in the order of their numbers.
#[must_use]
pub fn jumps(class: &ClassFile) -> Vec<Jump> {
    let mut all = Vec::new();
    for (method, code) in class.methods.iter().enumerate().filter_map(|(i, m)| Some((i, m.code.as_ref()?))) {
        let jump = |(pc, instruction): &(Pc, Instruction)| {
            Some(Jump { method, pc: *pc, kind: JumpKind::of(instruction)? })
        };
        all.extend(code.instructions.iter().filter_map(jump));
    }
    all
}
