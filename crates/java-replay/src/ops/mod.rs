//! The instructions, a file a family.

mod arithmetic;
mod arrays;
mod boundaries;
mod calls;
mod constants;
mod conversions;
mod dynamic;
mod fields;
mod jumps;
mod overflow;
mod types;

use crate::machine::{Fallible, Flow, Halt, Machine};
use crate::value::Value;
use java_classfile::Instruction;
use java_classfile::instruction::{Kind, StackOp};

impl<'p> Machine<'p, '_> {
    /// Executes the instruction that the uppermost frame is at.
    pub(crate) fn execute(&mut self, instruction: &'p Instruction) -> Fallible<Flow> {
        match instruction {
            Instruction::Nop => Ok(Flow::Next),
            Instruction::Push(constant) => self.push_constant(*constant),
            Instruction::Load { kind, index } => self.load_local(*kind, *index),
            Instruction::Store { kind, index } => self.store_local(*kind, *index),
            Instruction::ArrayLoad(element) => self.array_load(*element),
            Instruction::ArrayStore(element) => self.array_store(*element),
            Instruction::Stack(op) => self.stack(*op),
            Instruction::Arith { kind, op } => self.arithmetic(*kind, *op),
            Instruction::Bitwise { kind, op } => self.bitwise(*kind, *op),
            Instruction::Shift { kind, op } => self.shift(*kind, *op),
            Instruction::Neg(kind) => self.negate(*kind),
            Instruction::Increment { index, by } => self.increment(*index, *by),
            Instruction::Convert { from, to } => self.convert(*from, *to),
            Instruction::Compare(op) => self.three_way_compare(*op),
            Instruction::If { .. }
            | Instruction::IfInts { .. }
            | Instruction::IfRefs { .. }
            | Instruction::IfNull { .. }
            | Instruction::Goto { .. }
            | Instruction::Jsr { .. }
            | Instruction::Ret { .. }
            | Instruction::TableSwitch(_)
            | Instruction::LookupSwitch(_) => self.jump(instruction),
            Instruction::Return(kind) => self.leave_with(*kind),
            Instruction::GetStatic(field) => self.get_static(*field),
            Instruction::PutStatic(field) => self.put_static(*field),
            Instruction::GetField(field) => self.get_field(*field),
            Instruction::PutField(field) => self.put_field(*field),
            Instruction::Invoke { kind, method } => self.invoke(*kind, *method),
            Instruction::InvokeDynamic(site) => self.invoke_dynamic(*site),
            Instruction::New(class) => self.new_object(*class),
            Instruction::NewArray(element) => self.new_array(element),
            Instruction::NewRefArray(class) => self.new_reference_array(*class),
            Instruction::NewMultiArray { class, dimensions } => self.new_multi_array(*class, *dimensions),
            Instruction::ArrayLength => self.array_length(),
            Instruction::Throw => self.throw(),
            Instruction::CheckCast(class) => self.check_cast(*class),
            Instruction::InstanceOf(class) => self.instance_of(*class),
            Instruction::MonitorEnter | Instruction::MonitorExit => self.monitor(),
        }
    }

    pub(crate) fn push(&mut self, value: Value) -> Fallible<Flow> {
        self.top()?.push(value);
        Ok(Flow::Next)
    }

    fn load_local(&mut self, kind: Kind, index: u16) -> Fallible<Flow> {
        let value = *self.top()?.local(index)?;
        if !value.is(kind) {
            return Err(Halt::Broken("another kind of local variable"));
        }
        self.push(value)
    }

    fn store_local(&mut self, kind: Kind, index: u16) -> Fallible<Flow> {
        let frame = self.top()?;
        let value = frame.pop()?;
        if !value.is(kind) {
            return Err(Halt::Broken("another kind of value on the stack"));
        }
        *frame.local(index)? = value;
        if value.slots() == 2 {
            *frame.local(index.saturating_add(1))? = Value::Upper;
        }
        Ok(Flow::Next)
    }

    fn stack(&mut self, op: StackOp) -> Fallible<Flow> {
        let stack = &mut self.top()?.stack;
        let pops = op.effect().pops as usize;
        let below = stack.len().checked_sub(pops).ok_or(Halt::Broken("an empty stack"))?;
        let taken = stack.split_off(below);
        stack.extend(op.moves().iter().map(|&slot| taken[slot]));
        Ok(Flow::Next)
    }

    fn leave_with(&mut self, kind: Option<Kind>) -> Fallible<Flow> {
        let value = match kind {
            Some(_) => Some(self.top()?.pop()?),
            None => None,
        };
        Ok(Flow::Leave(value))
    }

    fn monitor(&mut self) -> Fallible<Flow> {
        let reference = self.top()?.pop_reference()?;
        self.not_null(reference, |_, _| Ok(Flow::Next))
    }

    fn throw(&mut self) -> Fallible<Flow> {
        let reference = self.top()?.pop_reference()?;
        self.not_null(reference, |_, thrown| Ok(Flow::Throw(thrown)))
    }
}
