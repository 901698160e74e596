//! How instructions change the height of the stack.

use crate::descriptor::Type;
use crate::error::Malformed;
use crate::instruction::{
    CompareOp, Const, ConvertTo, ElementKind, Instruction, IntegerKind, InvokeKind, Kind, NumericKind,
    StackOp,
};
use crate::pool::Pool;

/// Slots that an instruction takes from the stack and puts on it. A `long` or `double` takes two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackEffect {
    /// Taken.
    pub pops: u32,
    /// Put.
    pub pushes: u32,
}

const fn effect(pops: u32, pushes: u32) -> StackEffect {
    StackEffect { pops, pushes }
}

impl StackOp {
    /// Slots that it takes and puts; those that it leaves in place are among both.
    #[must_use]
    pub fn effect(self) -> StackEffect {
        match self {
            StackOp::Pop => effect(1, 0),
            StackOp::Pop2 => effect(2, 0),
            StackOp::Dup => effect(1, 2),
            StackOp::DupX1 => effect(2, 3),
            StackOp::DupX2 => effect(3, 4),
            StackOp::Dup2 => effect(2, 4),
            StackOp::Dup2X1 => effect(3, 5),
            StackOp::Dup2X2 => effect(4, 6),
            StackOp::Swap => effect(2, 2),
        }
    }

    /// For every slot that it puts, lowest first, which of the slots that it takes that is, counted from the lowest.
    #[must_use]
    pub fn moves(self) -> &'static [usize] {
        match self {
            StackOp::Pop | StackOp::Pop2 => &[],
            StackOp::Dup => &[0, 0],
            StackOp::DupX1 => &[1, 0, 1],
            StackOp::DupX2 => &[2, 0, 1, 2],
            StackOp::Dup2 => &[0, 1, 0, 1],
            StackOp::Dup2X1 => &[1, 2, 0, 1, 2],
            StackOp::Dup2X2 => &[2, 3, 0, 1, 2, 3],
            StackOp::Swap => &[1, 0],
        }
    }
}

impl Instruction {
    /// What it takes from the stack and puts on it. It fails only with the pool of another class.
    pub fn stack_effect(&self, pool: &Pool) -> Result<StackEffect, Malformed> {
        Ok(match self {
            Instruction::Nop
            | Instruction::Increment { .. }
            | Instruction::Goto { .. }
            | Instruction::Ret { .. }
            | Instruction::Return(None) => effect(0, 0),
            Instruction::Push(constant) => effect(0, constant_slots(*constant, pool)?),
            Instruction::Load { kind, .. } => effect(0, kind.slots()),
            Instruction::Store { kind, .. } | Instruction::Return(Some(kind)) => effect(kind.slots(), 0),
            Instruction::ArrayLoad(kind) => effect(2, kind.slots()),
            Instruction::ArrayStore(kind) => effect(2 + kind.slots(), 0),
            Instruction::Stack(op) => op.effect(),
            Instruction::Arith { kind, .. } => effect(2 * kind.slots(), kind.slots()),
            Instruction::Bitwise { kind, .. } => effect(2 * kind.slots(), kind.slots()),
            Instruction::Shift { kind, .. } => effect(kind.slots() + 1, kind.slots()),
            Instruction::Neg(kind) => effect(kind.slots(), kind.slots()),
            Instruction::Convert { from, to } => effect(from.slots(), to.slots()),
            Instruction::Compare(CompareOp::Float { .. }) => effect(2, 1),
            Instruction::Compare(_) => effect(4, 1),
            Instruction::IfInts { .. } | Instruction::IfRefs { .. } => effect(2, 0),
            Instruction::If { .. }
            | Instruction::IfNull { .. }
            | Instruction::TableSwitch(_)
            | Instruction::LookupSwitch(_)
            | Instruction::Throw
            | Instruction::MonitorEnter
            | Instruction::MonitorExit => effect(1, 0),
            Instruction::Jsr { .. } | Instruction::New(_) => effect(0, 1),
            Instruction::GetStatic(field) => effect(0, field_slots(pool.member(*field)?.descriptor)?),
            Instruction::PutStatic(field) => effect(field_slots(pool.member(*field)?.descriptor)?, 0),
            Instruction::GetField(field) => effect(1, field_slots(pool.member(*field)?.descriptor)?),
            Instruction::PutField(field) => effect(1 + field_slots(pool.member(*field)?.descriptor)?, 0),
            Instruction::Invoke { kind, method } => {
                let descriptor = pool.method_descriptor(*method)?;
                let receiver = u32::from(*kind != InvokeKind::Static);
                effect(receiver + descriptor.parameter_slots(), descriptor.result_slots().into())
            }
            Instruction::InvokeDynamic(site) => {
                let descriptor = pool.method_descriptor(*site)?;
                effect(descriptor.parameter_slots(), descriptor.result_slots().into())
            }
            Instruction::NewMultiArray { dimensions, .. } => effect(u32::from(*dimensions), 1),
            Instruction::NewArray(_)
            | Instruction::NewRefArray(_)
            | Instruction::ArrayLength
            | Instruction::CheckCast(_)
            | Instruction::InstanceOf(_) => effect(1, 1),
        })
    }
}

fn field_slots(descriptor: &str) -> Result<u32, Malformed> {
    Ok(descriptor.parse::<Type>()?.slots().into())
}

fn constant_slots(constant: Const, pool: &Pool) -> Result<u32, Malformed> {
    match constant {
        Const::Long(_) | Const::Double(_) => Ok(2),
        Const::Dynamic(index) => field_slots(pool.dynamic(index)?.descriptor),
        _ => Ok(1),
    }
}

impl Kind {
    /// How many variables or stack slots a value takes.
    #[must_use]
    pub fn slots(self) -> u32 {
        if matches!(self, Kind::Long | Kind::Double) { 2 } else { 1 }
    }
}

impl ElementKind {
    /// How many stack slots an element takes.
    #[must_use]
    pub fn slots(self) -> u32 {
        if matches!(self, ElementKind::Long | ElementKind::Double) { 2 } else { 1 }
    }
}

impl NumericKind {
    /// How many stack slots a value takes.
    #[must_use]
    pub fn slots(self) -> u32 {
        if matches!(self, NumericKind::Long | NumericKind::Double) { 2 } else { 1 }
    }
}

impl IntegerKind {
    /// How many stack slots a value takes.
    #[must_use]
    pub fn slots(self) -> u32 {
        if self == IntegerKind::Long { 2 } else { 1 }
    }
}

impl ConvertTo {
    /// How many stack slots the result takes.
    #[must_use]
    pub fn slots(self) -> u32 {
        if matches!(self, ConvertTo::Long | ConvertTo::Double) { 2 } else { 1 }
    }
}
