//! Methods of `Math`.

use super::Guess;
use crate::frame::Call;
use crate::machine::Machine;
use crate::value::{Number, Value};
use expr::Op;
use java_classfile::instruction::NumericKind;

impl Machine<'_, '_> {
    pub(super) fn math(&mut self, name: &str, call: &Call) -> Option<Guess> {
        let &Value::Number(a) = call.arguments.first()? else { return None };
        let number = match (name, call.arguments.get(1)) {
            ("abs", None) => self.absolute(a),
            ("sqrt", None) => self.unary(Op::FSqrt, a.kind, a),
            ("floor", None) => self.unary(Op::FFloor, a.kind, a),
            ("ceil", None) => self.unary(Op::FCeil, a.kind, a),
            ("rint", None) => self.unary(Op::FRint, a.kind, a),
            ("min", Some(&Value::Number(b))) if b.kind == a.kind => self.extreme(a, b, true),
            ("max", Some(&Value::Number(b))) if b.kind == a.kind => self.extreme(a, b, false),
            _ => return None,
        };
        Some(Guess::Number(number))
    }

    fn absolute(&mut self, a: Number) -> Number {
        match a.kind {
            NumericKind::Float => self.binary(Op::And, a, Number::constant(a.kind, 0x7fff_ffff)),
            NumericKind::Double => self.binary(Op::And, a, Number::constant(a.kind, u64::MAX >> 1)),
            NumericKind::Int | NumericKind::Long => {
                let zero = Number::constant(a.kind, 0);
                let negated = self.unary(Op::Neg, a.kind, a);
                let below = self.predicate(Op::Slt, a, zero);
                let is_below = a.bits >> (a.width() - 1) == 1;
                self.choose(below, is_below, negated, a)
            }
        }
    }

    fn extreme(&mut self, a: Number, b: Number, least: bool) -> Number {
        if matches!(a.kind, NumericKind::Float | NumericKind::Double) {
            return self.float_extreme(a, b, least);
        }
        let below = self.predicate(Op::Slt, a, b);
        let key = |number: Number| number.bits ^ 1 << (number.width() - 1);
        let is_below = key(a) < key(b);
        if least { self.choose(below, is_below, a, b) } else { self.choose(below, is_below, b, a) }
    }

    /// What is not a number wins, and −0 is below 0: of equal numbers all bits but those of zeros are the same.
    fn float_extreme(&mut self, a: Number, b: Number, least: bool) -> Number {
        let [x, y] = [a, b].map(as_double);
        let equal_bits = self.binary(if least { Op::Or } else { Op::And }, a, b);
        let below = if least { self.predicate(Op::FLt, a, b) } else { self.predicate(Op::FLt, b, a) };
        let ordered = self.choose(below, if least { x < y } else { y < x }, a, b);
        let equal = self.predicate(Op::FEq, a, b);
        let result = self.choose(equal, x == y, equal_bits, ordered);
        let result = self.choose_if_nan(b, y, result);
        self.choose_if_nan(a, x, result)
    }

    fn choose_if_nan(&mut self, number: Number, value: f64, otherwise: Number) -> Number {
        let term = self.term(number);
        let is_nan = self.terms.unary(Op::FIsNan, 1, term);
        self.choose(is_nan, value.is_nan(), number, otherwise)
    }
}

fn as_double(number: Number) -> f64 {
    match number.kind {
        NumericKind::Float => f64::from(f32::from_bits(number.bits as u32)),
        _ => f64::from_bits(number.bits),
    }
}
