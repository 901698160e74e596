//! Which objects no constructor has seen yet, at every instruction of a method.
//!
//! Between `new` and the call of a constructor, and in a constructor before it calls another one, an object must not be
//! passed on: the verifier refuses it. A hook that wants to look at an object has to know.
//!
//! ```text
//!   0: new Point        stack: uninitialized(0)
//!   3: dup              stack: uninitialized(0) uninitialized(0)
//!   4: invokespecial Point.<init>:()V
//!   7: areturn          stack: an object. The call at 4 left it on top.
//! ```
//!
//! A state says only what is *not* initialized, so it stays small; where paths with different knowledge meet, nothing is
//! known, as nothing can be done with such a value.

use crate::class::{ClassFile, Method};
use crate::code::Code;
use crate::error::Malformed;
use crate::instruction::{Instruction, InvokeKind, Kind, Pc, StackOp};
use crate::pool::Pool;
use std::collections::BTreeMap;
use thiserror::Error;

/// A value on the stack or in a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// A value that may be passed on, half of a `long` or `double`, or nothing that can be used.
    Value,
    /// The object whose constructor runs, before it has called another one.
    UninitializedThis,
    /// What the `new` at this offset has made, before its constructor has run.
    Uninitialized(Pc),
}

/// A call of a constructor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constructed {
    /// What the object was before; never [`Slot::Value`].
    pub object: Slot,
    /// Whether the object is on top of the stack afterwards.
    pub on_top: bool,
}

/// Code that no verifier would accept.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what}, at {pc}")]
pub struct FlowError {
    /// The instruction.
    pub pc: Pc,
    /// What is wrong with it.
    pub what: FlowProblem,
}

/// What is wrong with code.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FlowProblem {
    /// More is taken from the stack than is there.
    #[error("the stack is empty")]
    Underflow,
    /// More is put on the stack than the method declares.
    #[error("the stack is full")]
    Overflow,
    /// Paths meet with stacks of different heights.
    #[error("the height of the stack depends on the path")]
    Height,
    /// The last instruction is not the end.
    #[error("the code has no end")]
    NoEnd,
    /// A constant is not what the instruction needs.
    #[error(transparent)]
    Constant(#[from] Malformed),
}

/// What holds before an instruction.
#[derive(Clone, PartialEq, Debug, Default)]
struct State {
    height: u32,
    /// Slots of the stack that are no [`Slot::Value`], by their height.
    stack: BTreeMap<u32, Slot>,
    /// Variables that are no [`Slot::Value`].
    locals: BTreeMap<u32, Slot>,
    this_is_uninitialized: bool,
}

/// Which objects are uninitialized at every instruction of a method.
#[derive(Clone, PartialEq, Debug)]
pub struct Initialization {
    /// By offset; those that cannot be reached are missing.
    states: BTreeMap<Pc, State>,
    constructed: BTreeMap<Pc, Constructed>,
    is_constructor: bool,
}

impl Initialization {
    /// Follows all paths through a method; nothing if it has no code.
    pub fn of(class: &ClassFile, method: &Method) -> Result<Option<Initialization>, FlowError> {
        let Some(code) = &method.code else { return Ok(None) };
        // The constructor of the root class has nobody to call.
        let is_constructor = method.name == "<init>" && class.superclass.is_some();
        let mut first = State { this_is_uninitialized: is_constructor, ..State::default() };
        if is_constructor {
            first.locals.insert(0, Slot::UninitializedThis);
        }
        let mut flow = Flow { code, pool: &class.pool, states: BTreeMap::new(), work: Vec::new() };
        flow.arrive(0, first)?;
        flow.run()?;
        let constructed = flow.constructed()?;
        Ok(Some(Initialization { states: flow.states, constructed, is_constructor }))
    }

    /// Whether any path leads to an instruction.
    #[must_use]
    pub fn is_reachable(&self, pc: Pc) -> bool {
        self.states.contains_key(&pc)
    }

    /// Slots on the stack before an instruction, if any path leads there.
    #[must_use]
    pub fn stack_height(&self, pc: Pc) -> Option<u32> {
        self.states.get(&pc).map(|state| state.height)
    }

    /// Whether `this` must not be used before an instruction: in a constructor on some path that has not called another
    /// constructor yet. Always so for instructions of constructors that no path leads to.
    #[must_use]
    pub fn this_is_uninitialized(&self, pc: Pc) -> bool {
        self.states.get(&pc).map_or(self.is_constructor, |state| state.this_is_uninitialized)
    }

    /// A slot of the stack before an instruction, counted from the top; nothing if the stack is lower or no path leads there.
    #[must_use]
    pub fn operand(&self, pc: Pc, from_top: u32) -> Option<Slot> {
        let state = self.states.get(&pc)?;
        let position = state.height.checked_sub(from_top.checked_add(1)?)?;
        Some(state.slot(position))
    }

    /// What the call of a constructor at an offset makes of which object; nothing if none is called there.
    #[must_use]
    pub fn constructed(&self, pc: Pc) -> Option<Constructed> {
        self.constructed.get(&pc).copied()
    }
}

impl State {
    fn slot(&self, position: u32) -> Slot {
        self.stack.get(&position).copied().unwrap_or(Slot::Value)
    }

    fn push(&mut self, slot: Slot) {
        if slot != Slot::Value {
            self.stack.insert(self.height, slot);
        }
        self.height += 1;
    }

    fn pop(&mut self, count: u32) -> Result<(), FlowProblem> {
        self.height = self.height.checked_sub(count).ok_or(FlowProblem::Underflow)?;
        self.stack.split_off(&self.height);
        Ok(())
    }

    fn set_local(&mut self, index: u32, slot: Slot) {
        if slot == Slot::Value {
            self.locals.remove(&index);
        } else {
            self.locals.insert(index, slot);
        }
    }

    /// Slots that are put back in another order.
    fn rearrange(&mut self, op: StackOp) -> Result<(), FlowProblem> {
        let pops = op.effect().pops;
        let bottom = self.height.checked_sub(pops).ok_or(FlowProblem::Underflow)?;
        let taken: Vec<Slot> = (bottom..self.height).map(|position| self.slot(position)).collect();
        self.pop(pops)?;
        op.moves().iter().for_each(|&from| self.push(taken[from]));
        Ok(())
    }

    /// A constructor has run on an object: all copies of it are initialized.
    fn initialize(&mut self, object: Slot) {
        self.stack.retain(|_, slot| *slot != object);
        self.locals.retain(|_, slot| *slot != object);
        self.this_is_uninitialized &= object != Slot::UninitializedThis;
    }

    /// Knows only what both know. Says whether that is less than before.
    fn merge(&mut self, other: &State) -> Result<bool, FlowProblem> {
        if self.height != other.height {
            return Err(FlowProblem::Height);
        }
        let before = (self.stack.len(), self.locals.len(), self.this_is_uninitialized);
        self.stack.retain(|position, slot| other.stack.get(position) == Some(slot));
        self.locals.retain(|index, slot| other.locals.get(index) == Some(slot));
        self.this_is_uninitialized |= other.this_is_uninitialized;
        Ok(before != (self.stack.len(), self.locals.len(), self.this_is_uninitialized))
    }
}

struct Flow<'a> {
    code: &'a Code,
    pool: &'a Pool,
    states: BTreeMap<Pc, State>,
    work: Vec<Pc>,
}

impl Flow<'_> {
    /// A path leads to an instruction.
    fn arrive(&mut self, pc: Pc, state: State) -> Result<(), FlowError> {
        if self.code.position(pc).is_none() {
            return Err(FlowError { pc, what: FlowProblem::NoEnd });
        }
        if state.height > u32::from(self.code.max_stack) {
            return Err(FlowError { pc, what: FlowProblem::Overflow });
        }
        match self.states.get_mut(&pc) {
            Some(known) => {
                if known.merge(&state).map_err(|what| FlowError { pc, what })? {
                    self.work.push(pc);
                }
            }
            None => {
                self.states.insert(pc, state);
                self.work.push(pc);
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), FlowError> {
        while let Some(pc) = self.work.pop() {
            let Some(position) = self.code.position(pc) else { continue };
            let before = self.states.get(&pc).cloned().unwrap_or_default();
            self.raise(pc, &before)?;
            let instruction = &self.code.instructions[position].1;
            let after = self.after(pc, instruction, &before).map_err(|what| FlowError { pc, what })?;
            for target in instruction.targets() {
                self.arrive(target, after.clone())?;
            }
            if instruction.falls_through() {
                // A subroutine takes its return address from the stack and leaves objects alone.
                let is_call = matches!(instruction, Instruction::Jsr { .. });
                self.arrive(self.code.end_of(position), if is_call { before } else { after })?;
            }
        }
        Ok(())
    }

    /// An instruction may throw: its handlers find the variables as they were, and the exception.
    fn raise(&mut self, pc: Pc, before: &State) -> Result<(), FlowError> {
        for handler in &self.code.handlers {
            if (handler.start..handler.end).contains(&pc) {
                let caught = State { height: 1, stack: BTreeMap::new(), ..before.clone() };
                self.arrive(handler.handler, caught)?;
            }
        }
        Ok(())
    }

    fn after(&self, pc: Pc, instruction: &Instruction, before: &State) -> Result<State, FlowProblem> {
        let mut state = before.clone();
        match instruction {
            Instruction::Stack(op) => state.rearrange(*op)?,
            Instruction::New(_) => {
                // What an earlier round of a loop made here and never initialized is out of reach.
                state.initialize(Slot::Uninitialized(pc));
                state.push(Slot::Uninitialized(pc));
            }
            Instruction::Load { kind: Kind::Ref, index } => {
                let local = state.locals.get(&u32::from(*index)).copied();
                state.push(local.unwrap_or(Slot::Value));
            }
            Instruction::Store { kind, index } => {
                // Two slots of a number are no objects.
                let top = state.height.checked_sub(1).map_or(Slot::Value, |top| state.slot(top));
                state.pop(kind.slots())?;
                state.set_local(u32::from(*index), top);
                if kind.slots() == 2 {
                    state.set_local(u32::from(*index) + 1, Slot::Value);
                }
            }
            _ => {
                let object = self.object(instruction, before)?;
                let effect = instruction.stack_effect(self.pool)?;
                state.pop(effect.pops)?;
                if let Some(object) = object {
                    state.initialize(object);
                }
                (0..effect.pushes).for_each(|_| state.push(Slot::Value));
            }
        }
        Ok(state)
    }

    /// The uninitialized object on which an instruction calls a constructor.
    fn object(&self, instruction: &Instruction, before: &State) -> Result<Option<Slot>, FlowProblem> {
        let Instruction::Invoke { kind: InvokeKind::Special, method } = instruction else { return Ok(None) };
        let member = self.pool.member(*method)?;
        if member.name != "<init>" {
            return Ok(None);
        }
        let pops = instruction.stack_effect(self.pool)?.pops;
        let position = before.height.checked_sub(pops).ok_or(FlowProblem::Underflow)?;
        Ok(Some(before.slot(position)).filter(|slot| *slot != Slot::Value))
    }

    /// All calls of constructors on paths that were followed.
    fn constructed(&self) -> Result<BTreeMap<Pc, Constructed>, FlowError> {
        let mut all = BTreeMap::new();
        for (&pc, before) in &self.states {
            let Some(instruction) = self.code.at(pc) else { continue };
            let failed = |what| FlowError { pc, what };
            let Some(object) = self.object(instruction, before).map_err(failed)? else { continue };
            let pops = instruction.stack_effect(self.pool).map_err(|what| failed(what.into()))?.pops;
            let below = before.height.checked_sub(pops + 1).map(|below| before.slot(below));
            all.insert(pc, Constructed { object, on_top: below == Some(object) });
        }
        Ok(all)
    }
}
