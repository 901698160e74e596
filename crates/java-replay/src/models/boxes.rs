//! Boxes of primitive values.

use super::Guess;
use crate::frame::Call;
use crate::heap::Content;
use crate::machine::Machine;
use crate::value::{Number, Reference, Value};
use expr::Op;
use java_classfile::Type;
use java_classfile::instruction::{CompareOp, NumericKind};
use java_wire::Primitive;

impl Machine<'_, '_> {
    pub(super) fn boxes(&mut self, class: &str, name: &str, call: &Call) -> Option<Guess> {
        if call.has_receiver {
            return self.box_method(name, call);
        }
        let primitive = Primitive::ALL.into_iter().find(|primitive| primitive.box_class() == class)?;
        let &Value::Number(first) = call.arguments.first()? else { return None };
        match (name, call.arguments.get(1)) {
            ("valueOf", None) if call.called.descriptor.parameters == [primitive.ty()] => {
                Some(Guess::Boxed(first))
            }
            ("compare", Some(&Value::Number(second))) => {
                self.compared(primitive, first, second).map(Guess::Number)
            }
            ("hashCode", None)
                if matches!(primitive.ty(), Type::Int | Type::Short | Type::Byte | Type::Char) =>
            {
                Some(Guess::Number(first))
            }
            ("isNaN", None) => Some(Guess::Number(self.is_nan(first))),
            ("floatToRawIntBits" | "doubleToRawLongBits" | "intBitsToFloat" | "longBitsToDouble", None) => {
                let kind = match first.kind {
                    NumericKind::Float => NumericKind::Int,
                    NumericKind::Int => NumericKind::Float,
                    NumericKind::Double => NumericKind::Long,
                    NumericKind::Long => NumericKind::Double,
                };
                Some(Guess::Number(Number { kind, ..first }))
            }
            _ => None,
        }
    }

    fn is_nan(&mut self, number: Number) -> Number {
        let holds = !number.agrees(number.bits) || is_nan(number);
        let term = self.term(number);
        let term = self.terms.unary(Op::FIsNan, 1, term);
        self.boolean(holds, term)
    }

    /// What is in the box that a reference leads to, if that is known.
    pub(super) fn unboxed(&self, reference: Reference) -> Option<Number> {
        match (&self.heap.object(reference.object?).content, reference.boxed) {
            (_, Some(number)) => Some(number),
            (Content::Boxed(number), None) => Some(*number),
            _ => None,
        }
    }

    fn box_method(&mut self, name: &str, call: &Call) -> Option<Guess> {
        let &Value::Reference(receiver) = call.arguments.first()? else { return None };
        let number = self.unboxed(receiver)?;
        let kind = match name {
            "intValue" => NumericKind::Int,
            "longValue" => NumericKind::Long,
            "floatValue" => NumericKind::Float,
            "doubleValue" => NumericKind::Double,
            "booleanValue" | "charValue" => return Some(Guess::Number(number)),
            "byteValue" => {
                let int = self.converted(number, NumericKind::Int);
                return Some(Guess::Number(self.cut(int, 8, true)));
            }
            "shortValue" => {
                let int = self.converted(number, NumericKind::Int);
                return Some(Guess::Number(self.cut(int, 16, true)));
            }
            "equals" | "compareTo" => return self.with_other_box(name, receiver, number, call),
            _ => return None,
        };
        Some(Guess::Number(self.converted(number, kind)))
    }

    fn with_other_box(
        &mut self,
        name: &str,
        receiver: Reference,
        number: Number,
        call: &Call,
    ) -> Option<Guess> {
        let &Value::Reference(other) = call.arguments.get(1)? else { return None };
        if name == "equals" {
            return self.equal_boxes(receiver, other).map(Guess::Number);
        }
        let class = self.heap.object(receiver.object?).class.clone()?;
        let primitive = Primitive::ALL.into_iter().find(|primitive| *primitive.box_class() == *class)?;
        let other = self.unboxed(other)?;
        self.compared(primitive, number, other).map(Guess::Number)
    }

    /// Boxes are equal if they are of one class and so are their bits.
    pub(super) fn equal_boxes(&mut self, a: Reference, b: Reference) -> Option<Number> {
        let (x, y) = (self.unboxed(a)?, self.unboxed(b)?);
        let class = |reference: Reference| self.heap.object(reference.object?).class.clone();
        if class(a)? != class(b)? {
            return Some(Number::int(0));
        }
        // Floating point: all that is not a number is equal, which bits do not tell.
        if !matches!(x.kind, NumericKind::Int | NumericKind::Long) || x.kind != y.kind {
            return None;
        }
        let equal = self.predicate(Op::Eq, x, y);
        Some(self.boolean(x.bits == y.bits, equal))
    }

    fn compared(&mut self, primitive: Primitive, a: Number, b: Number) -> Option<Number> {
        if a.kind != b.kind {
            return None;
        }
        match primitive {
            Primitive::Int | Primitive::Long => {
                let signed = |number: Number| match number.kind {
                    NumericKind::Int => i64::from(number.as_int()),
                    _ => number.bits.cast_signed(),
                };
                let result = Number::int(signed(a).cmp(&signed(b)) as i32);
                if a.term.is_none() && b.term.is_none() {
                    return Some(result);
                }
                let term = self.three_way_term(CompareOp::Long, a, b);
                Some(result.with(self.open(term)))
            }
            Primitive::Byte | Primitive::Short | Primitive::Char => Some(self.binary(Op::Sub, a, b)),
            Primitive::Boolean | Primitive::Float | Primitive::Double => None,
        }
    }
}

fn is_nan(number: Number) -> bool {
    match number.kind {
        NumericKind::Float => f32::from_bits(number.bits as u32).is_nan(),
        _ => f64::from_bits(number.bits).is_nan(),
    }
}
