//! Straight-line code to insert.

use super::Why;
use super::pool::PoolBuilder;
use crate::descriptor::{MethodDescriptor, Type};
use crate::error::Malformed;
use crate::instruction::{Kind, StackOp};
use crate::text;

/// A sequence of instructions without jumps.
///
/// ```
/// # use java_classfile::Snippet;
/// let hook = Snippet::new().dup().int(7).invoke_static("Hooks", "branch", "(II)V");
/// ```
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Snippet {
    ops: Vec<Op>,
}

#[derive(Clone, PartialEq, Debug)]
enum Op {
    Stack(StackOp),
    Load { kind: Kind, index: u16 },
    Store { kind: Kind, index: u16 },
    Null,
    Int(i32),
    Long(i64),
    String(String),
    Class(String),
    GetStatic(Named),
    InvokeStatic(Named),
}

#[derive(Clone, PartialEq, Debug)]
struct Named {
    class: String,
    name: String,
    descriptor: String,
}

/// What code needs and leaves behind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Effect {
    /// Slots by which the stack is higher at the end.
    pub(super) net: i64,
    /// Slots by which it is higher in between.
    pub(super) peak: i64,
    /// Local variables up to the highest that is used.
    pub(super) locals: u32,
}

impl Snippet {
    /// No instructions.
    #[must_use]
    pub fn new() -> Snippet {
        Snippet::default()
    }

    fn with(mut self, op: Op) -> Snippet {
        self.ops.push(op);
        self
    }

    /// Moves slots of the stack.
    #[must_use]
    pub fn stack(self, op: StackOp) -> Snippet {
        self.with(Op::Stack(op))
    }

    /// `a →`
    #[must_use]
    pub fn pop(self) -> Snippet {
        self.stack(StackOp::Pop)
    }

    /// `a b →`
    #[must_use]
    pub fn pop2(self) -> Snippet {
        self.stack(StackOp::Pop2)
    }

    /// `a → a a`
    #[must_use]
    pub fn dup(self) -> Snippet {
        self.stack(StackOp::Dup)
    }

    /// `a b → b a b`
    #[must_use]
    pub fn dup_x1(self) -> Snippet {
        self.stack(StackOp::DupX1)
    }

    /// `a b c → c a b c`
    #[must_use]
    pub fn dup_x2(self) -> Snippet {
        self.stack(StackOp::DupX2)
    }

    /// `a b → a b a b`
    #[must_use]
    pub fn dup2(self) -> Snippet {
        self.stack(StackOp::Dup2)
    }

    /// `a b c → b c a b c`
    #[must_use]
    pub fn dup2_x1(self) -> Snippet {
        self.stack(StackOp::Dup2X1)
    }

    /// `a b c d → c d a b c d`
    #[must_use]
    pub fn dup2_x2(self) -> Snippet {
        self.stack(StackOp::Dup2X2)
    }

    /// `a b → b a`
    #[must_use]
    pub fn swap(self) -> Snippet {
        self.stack(StackOp::Swap)
    }

    /// Pushes a local variable.
    #[must_use]
    pub fn load(self, kind: Kind, index: u16) -> Snippet {
        self.with(Op::Load { kind, index })
    }

    /// Pops into a local variable. The method gets as many variables as it takes; what is kept in new ones is lost at the
    /// next stack map frame.
    #[must_use]
    pub fn store(self, kind: Kind, index: u16) -> Snippet {
        self.with(Op::Store { kind, index })
    }

    /// Pushes `null`.
    #[must_use]
    pub fn null(self) -> Snippet {
        self.with(Op::Null)
    }

    /// Pushes an `int`.
    #[must_use]
    pub fn int(self, value: i32) -> Snippet {
        self.with(Op::Int(value))
    }

    /// Pushes a `long`.
    #[must_use]
    pub fn long(self, value: i64) -> Snippet {
        self.with(Op::Long(value))
    }

    /// Pushes a `String`.
    #[must_use]
    pub fn string(self, text: &str) -> Snippet {
        self.with(Op::String(text.to_owned()))
    }

    /// Pushes a class, by its internal name.
    #[must_use]
    pub fn class(self, name: &str) -> Snippet {
        self.with(Op::Class(name.to_owned()))
    }

    /// Pushes a static field.
    #[must_use]
    pub fn get_static(self, class: &str, name: &str, descriptor: &str) -> Snippet {
        self.with(Op::GetStatic(Named::new(class, name, descriptor)))
    }

    /// Calls a static method of a class, not of an interface.
    #[must_use]
    pub fn invoke_static(self, class: &str, name: &str, descriptor: &str) -> Snippet {
        self.with(Op::InvokeStatic(Named::new(class, name, descriptor)))
    }

    pub(super) fn pushes_class(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Class(_)))
    }

    pub(super) fn effect(&self) -> Result<Effect, Malformed> {
        let mut effect = Effect::default();
        for op in &self.ops {
            op.check_texts()?;
            let (pops, pushes) = op.slots()?;
            effect.net += pushes - pops;
            effect.peak = effect.peak.max(effect.net);
            effect.locals = effect.locals.max(op.locals());
        }
        Ok(effect)
    }

    pub(super) fn encode(&self, pool: &mut PoolBuilder<'_>) -> Result<Vec<u8>, Why> {
        let mut bytes = Vec::new();
        for op in &self.ops {
            op.encode(pool, &mut bytes)?;
        }
        Ok(bytes)
    }
}

impl Named {
    fn new(class: &str, name: &str, descriptor: &str) -> Named {
        Named { class: class.to_owned(), name: name.to_owned(), descriptor: descriptor.to_owned() }
    }
}

impl Op {
    /// Constants hold texts of at most 65,535 bytes.
    fn check_texts(&self) -> Result<(), Malformed> {
        let texts: &[&String] = match self {
            Op::String(text) | Op::Class(text) => &[text],
            Op::GetStatic(named) | Op::InvokeStatic(named) => &[&named.class, &named.name, &named.descriptor],
            _ => &[],
        };
        let fits = |text: &&String| text::encode(text).len() <= usize::from(u16::MAX);
        if texts.iter().all(fits) { Ok(()) } else { Err(Malformed::Text) }
    }

    /// Slots that are popped and pushed.
    fn slots(&self) -> Result<(i64, i64), Malformed> {
        Ok(match self {
            Op::Stack(op) => (i64::from(op.effect().pops), i64::from(op.effect().pushes)),
            Op::Load { kind, .. } => (0, i64::from(kind.slots())),
            Op::Store { kind, .. } => (i64::from(kind.slots()), 0),
            Op::Null | Op::Int(_) | Op::String(_) | Op::Class(_) => (0, 1),
            Op::Long(_) => (0, 2),
            Op::GetStatic(field) => (0, i64::from(field.descriptor.parse::<Type>()?.slots())),
            Op::InvokeStatic(method) => {
                let descriptor: MethodDescriptor = method.descriptor.parse()?;
                (i64::from(descriptor.parameter_slots()), i64::from(descriptor.result_slots()))
            }
        })
    }

    fn locals(&self) -> u32 {
        match self {
            Op::Load { kind, index } | Op::Store { kind, index } => u32::from(*index) + kind.slots(),
            _ => 0,
        }
    }

    /// The length does not depend on the constants that there are: constants are named by two bytes always.
    fn encode(&self, pool: &mut PoolBuilder<'_>, bytes: &mut Vec<u8>) -> Result<(), Why> {
        match self {
            Op::Stack(op) => bytes.push(87 + *op as u8),
            Op::Load { kind, index } => variable(bytes, 21, 26, *kind, *index),
            Op::Store { kind, index } => variable(bytes, 54, 59, *kind, *index),
            Op::Null => bytes.push(1),
            Op::Int(value) => int(pool, bytes, *value)?,
            Op::Long(value @ (0 | 1)) => bytes.push(9 + *value as u8),
            Op::Long(value) => with_index(bytes, 20, pool.long(*value)?),
            Op::String(text) => with_index(bytes, 19, pool.string(text)?),
            Op::Class(name) => with_index(bytes, 19, pool.class(name)?),
            Op::GetStatic(Named { class, name, descriptor }) => {
                with_index(bytes, 178, pool.field(class, name, descriptor)?);
            }
            Op::InvokeStatic(Named { class, name, descriptor }) => {
                with_index(bytes, 184, pool.method(class, name, descriptor)?);
            }
        }
        Ok(())
    }
}

fn with_index(bytes: &mut Vec<u8>, opcode: u8, index: u16) {
    bytes.push(opcode);
    bytes.extend(index.to_be_bytes());
}

/// The shortest of the three forms of a load or store.
fn variable(bytes: &mut Vec<u8>, opcode: u8, short: u8, kind: Kind, index: u16) {
    let kind = kind as u8;
    match (index, u8::try_from(index)) {
        (0..=3, _) => bytes.push(short + 4 * kind + index as u8),
        (_, Ok(index)) => bytes.extend([opcode + kind, index]),
        (_, Err(_)) => {
            bytes.push(196);
            with_index(bytes, opcode + kind, index);
        }
    }
}

fn int(pool: &mut PoolBuilder<'_>, bytes: &mut Vec<u8>, value: i32) -> Result<(), Why> {
    match (value, i8::try_from(value), i16::try_from(value)) {
        (-1..=5, _, _) => bytes.push((3 + value) as u8),
        (_, Ok(value), _) => bytes.extend([16, value.cast_unsigned()]),
        (_, _, Ok(value)) => with_index(bytes, 17, value.cast_unsigned()),
        _ => with_index(bytes, 19, pool.integer(value)?),
    }
    Ok(())
}
