//! What local variables, the stack and the heap hold: concrete values with the terms they came from.

use crate::heap::ObjectId;
use expr::{Term, Variable};
use java_classfile::instruction::{Kind, NumericKind};
use java_classfile::{Pc, Type};

/// A value in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// A number; a `long` or `double` is followed by [`Value::Upper`].
    Number(Number),
    /// A reference.
    Reference(Reference),
    /// Where a subroutine returns to.
    Return(Pc),
    /// The second slot of a `long` or `double`.
    Upper,
    /// Nothing was put there yet.
    Unset,
}

/// A reference.
///
/// Equal small numbers share one box, whatever they were computed from. So what a box stands for goes with the reference and
/// not with the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reference {
    /// `None` for `null`.
    pub(crate) object: Option<ObjectId>,
    /// The number in the box that it leads to, if it depends on the input.
    pub(crate) boxed: Option<Number>,
    /// Whether it is null, if the input says so: the variable is zero then.
    pub(crate) origin: Option<Variable>,
}

/// A primitive value as the virtual machine computes with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    pub(crate) kind: NumericKind,
    /// Those of an `int` or `float` are the lower half; the upper one is zero.
    pub(crate) bits: u64,
    /// What it is as a function of the input, if it depends on it.
    pub(crate) term: Option<Term>,
}

impl Reference {
    pub(crate) const NULL: Reference = Reference { object: None, boxed: None, origin: None };

    pub(crate) fn to(object: ObjectId) -> Reference {
        Reference { object: Some(object), boxed: None, origin: None }
    }
}

impl Number {
    pub(crate) fn constant(kind: NumericKind, bits: u64) -> Number {
        let bits = if width(kind) == 32 { bits & 0xffff_ffff } else { bits };
        Number { kind, bits, term: None }
    }

    pub(crate) fn int(value: i32) -> Number {
        Number::constant(NumericKind::Int, u64::from(value.cast_unsigned()))
    }

    pub(crate) fn with(self, term: Option<Term>) -> Number {
        Number { term, ..self }
    }

    /// The value of an `int`.
    pub(crate) fn as_int(self) -> i32 {
        (self.bits as u32).cast_signed()
    }

    pub(crate) fn width(self) -> u32 {
        width(self.kind)
    }

    /// Whether the concrete values are the same; all that are not numbers are taken for one.
    pub(crate) fn agrees(self, bits: u64) -> bool {
        self.bits == bits
            || match self.kind {
                NumericKind::Float => is_nan_32(self.bits) && is_nan_32(bits),
                NumericKind::Double => f64::from_bits(self.bits).is_nan() && f64::from_bits(bits).is_nan(),
                NumericKind::Int | NumericKind::Long => false,
            }
    }
}

fn is_nan_32(bits: u64) -> bool {
    f32::from_bits(bits as u32).is_nan()
}

pub(crate) fn width(kind: NumericKind) -> u32 {
    if matches!(kind, NumericKind::Long | NumericKind::Double) { 64 } else { 32 }
}

impl Value {
    pub(crate) const NULL: Value = Value::Reference(Reference::NULL);

    /// Whether it is the null reference.
    pub(crate) fn is_null(self) -> bool {
        matches!(self, Value::Reference(Reference { object: None, .. }))
    }

    /// Zero, false or null.
    pub(crate) fn zero(ty: &Type) -> Value {
        match numeric(ty) {
            Some(kind) => Value::Number(Number::constant(kind, 0)),
            None => Value::NULL,
        }
    }

    /// Slots that it takes.
    pub(crate) fn slots(self) -> usize {
        match self {
            Value::Number(number) if number.width() == 64 => 2,
            _ => 1,
        }
    }

    /// Whether an instruction of this kind can take it.
    pub(crate) fn is(self, kind: Kind) -> bool {
        match self {
            Value::Number(number) => kind == as_kind(number.kind),
            Value::Reference(_) | Value::Return(_) => kind == Kind::Ref,
            Value::Upper | Value::Unset => false,
        }
    }
}

/// How the machine computes with values of a type; `None` for references.
pub(crate) fn numeric(ty: &Type) -> Option<NumericKind> {
    Some(match ty {
        Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => NumericKind::Int,
        Type::Long => NumericKind::Long,
        Type::Float => NumericKind::Float,
        Type::Double => NumericKind::Double,
        Type::Object(_) | Type::Array(_) => return None,
    })
}

fn as_kind(kind: NumericKind) -> Kind {
    match kind {
        NumericKind::Int => Kind::Int,
        NumericKind::Long => Kind::Long,
        NumericKind::Float => Kind::Float,
        NumericKind::Double => Kind::Double,
    }
}
