//! Conversions between numbers.

use crate::machine::{Fallible, Flow, Machine};
use crate::value::{Number, Value, width};
use expr::Op;
use java_classfile::instruction::{ConvertTo, NumericKind};

impl Machine<'_, '_> {
    pub(super) fn convert(&mut self, from: NumericKind, to: ConvertTo) -> Fallible<Flow> {
        let number = self.top()?.pop_number(from)?;
        let converted = match to {
            ConvertTo::Byte => self.cut(number, 8, true),
            ConvertTo::Char => self.cut(number, 16, false),
            ConvertTo::Short => self.cut(number, 16, true),
            ConvertTo::Int => self.converted(number, NumericKind::Int),
            ConvertTo::Long => self.converted(number, NumericKind::Long),
            ConvertTo::Float => self.converted(number, NumericKind::Float),
            ConvertTo::Double => self.converted(number, NumericKind::Double),
        };
        self.push(Value::Number(converted))
    }

    /// A number in another type.
    pub(crate) fn converted(&mut self, number: Number, to: NumericKind) -> Number {
        use NumericKind::{Double, Float, Int, Long};
        match (number.kind, to) {
            (from, to) if from == to => number,
            (Int, Long) => self.unary(Op::SExt, Long, number),
            (Long, Int) => self.lower_half(number),
            (Int | Long, _) => self.unary(Op::FFromSigned, to, number),
            (Float | Double, Float | Double) => self.unary(Op::FConvert, to, number),
            (Float | Double, _) => self.truncated(number, to),
        }
    }

    fn lower_half(&mut self, number: Number) -> Number {
        let term = number.term.map(|term| self.terms.extract(term, 0, 32));
        Number::constant(NumericKind::Int, number.bits).with(term.and_then(|term| self.open(term)))
    }

    /// To an integer: towards zero, to the nearest there is if it is too large, zero if it is not a number.
    fn truncated(&mut self, number: Number, to: NumericKind) -> Number {
        let value = match number.kind {
            NumericKind::Float => f64::from(f32::from_bits(number.bits as u32)),
            _ => f64::from_bits(number.bits),
        };
        let bits = match to {
            NumericKind::Long => (value as i64).cast_unsigned(),
            _ => u64::from((value as i32).cast_unsigned()),
        };
        let plain = Number::constant(to, bits);
        let Some(term) = number.term else { return plain };
        // The operation of terms gives the lowest integer for all that is too large, which is wrong at the upper end.
        let width = width(to);
        let limit = match number.kind {
            NumericKind::Float => u64::from(((1u64 << (width - 1)) as f32).to_bits()),
            _ => ((1u64 << (width - 1)) as f64).to_bits(),
        };
        let limit = Number::constant(number.kind, limit);
        let inside = self.terms.unary(Op::FToSigned, width, term);
        let most = self.terms.constant((1u128 << (width - 1)) - 1, width);
        let is_large = self.predicate(Op::FLe, limit, number);
        let clamped = self.terms.ite(is_large, most, inside);
        let zero = self.terms.constant(0, width);
        let is_nan = self.terms.unary(Op::FIsNan, 1, term);
        let term = self.terms.ite(is_nan, zero, clamped);
        plain.with(self.open(term))
    }
}
