//! Sums, products, bits, shifts: two's complement, shift distances masked, division by zero an exception.

use crate::machine::{Fallible, Flow, Halt, Machine};
use crate::outcome::Check;
use crate::value::{Number, Value};
use expr::Op;
use java_classfile::instruction::{ArithOp, BitOp, IntegerKind, NumericKind, ShiftOp};

impl Machine<'_, '_> {
    pub(super) fn arithmetic(&mut self, kind: NumericKind, op: ArithOp) -> Fallible<Flow> {
        let frame = self.top()?;
        let right = frame.pop_number(kind)?;
        let left = frame.pop_number(kind)?;
        let is_float = matches!(kind, NumericKind::Float | NumericKind::Double);
        if !is_float && matches!(op, ArithOp::Div | ArithOp::Rem) && !self.divisor(right) {
            return Ok(Flow::Throw(self.exception("java/lang/ArithmeticException")));
        }
        if !is_float {
            self.check_result(operation(op, false), left, right);
        }
        let result = self.binary(operation(op, is_float), left, right);
        self.push(Value::Number(result))
    }

    /// Checks a divisor.
    fn divisor(&mut self, divisor: Number) -> bool {
        let holds = divisor.bits != 0;
        let zero = Number::constant(divisor.kind, 0);
        let wanted = divisor.term.map(|_| {
            let is_zero = self.predicate(Op::Eq, divisor, zero);
            self.terms.not(is_zero)
        });
        self.check(Check::Divisor, holds, wanted);
        holds
    }

    pub(super) fn bitwise(&mut self, kind: IntegerKind, op: BitOp) -> Fallible<Flow> {
        let frame = self.top()?;
        let (right, left) = (frame.pop_number(numeric(kind))?, frame.pop_number(numeric(kind))?);
        let op = match op {
            BitOp::And => Op::And,
            BitOp::Or => Op::Or,
            BitOp::Xor => Op::Xor,
        };
        let result = self.binary(op, left, right);
        self.push(Value::Number(result))
    }

    pub(super) fn shift(&mut self, kind: IntegerKind, op: ShiftOp) -> Fallible<Flow> {
        let frame = self.top()?;
        let (distance, value) = (frame.pop_int()?, frame.pop_number(numeric(kind))?);
        let most = if kind == IntegerKind::Int { 31 } else { 63 };
        let masked = self.binary(Op::And, distance, Number::int(most));
        let distance = match kind {
            IntegerKind::Int => masked,
            IntegerKind::Long => self.unary(Op::ZExt, NumericKind::Long, masked),
        };
        let op = match op {
            ShiftOp::Left => Op::Shl,
            ShiftOp::Right => Op::AShr,
            ShiftOp::UnsignedRight => Op::LShr,
        };
        let result = self.binary(op, value, distance);
        self.push(Value::Number(result))
    }

    pub(super) fn negate(&mut self, kind: NumericKind) -> Fallible<Flow> {
        let value = self.top()?.pop_number(kind)?;
        let result = match kind {
            NumericKind::Int | NumericKind::Long => {
                self.check_result(Op::Sub, Number::constant(kind, 0), value);
                self.unary(Op::Neg, kind, value)
            }
            // Only the sign changes, of what is not a number too.
            NumericKind::Float => self.binary(Op::Xor, value, Number::constant(kind, 1 << 31)),
            NumericKind::Double => self.binary(Op::Xor, value, Number::constant(kind, 1 << 63)),
        };
        self.push(Value::Number(result))
    }

    pub(super) fn increment(&mut self, index: u16, by: i16) -> Fallible<Flow> {
        let Value::Number(number) = *self.top()?.local(index)? else {
            return Err(Halt::Broken("no number to increment"));
        };
        let by = Number::int(by.into());
        self.check_result(Op::Add, number, by);
        let sum = self.binary(Op::Add, number, by);
        *self.top()?.local(index)? = Value::Number(sum);
        Ok(Flow::Next)
    }
}

pub(super) fn numeric(kind: IntegerKind) -> NumericKind {
    match kind {
        IntegerKind::Int => NumericKind::Int,
        IntegerKind::Long => NumericKind::Long,
    }
}

fn operation(op: ArithOp, is_float: bool) -> Op {
    match (op, is_float) {
        (ArithOp::Add, false) => Op::Add,
        (ArithOp::Sub, false) => Op::Sub,
        (ArithOp::Mul, false) => Op::Mul,
        (ArithOp::Div, false) => Op::SDiv,
        (ArithOp::Rem, false) => Op::SRem,
        (ArithOp::Add, true) => Op::FAdd,
        (ArithOp::Sub, true) => Op::FSub,
        (ArithOp::Mul, true) => Op::FMul,
        (ArithOp::Div, true) => Op::FDiv,
        (ArithOp::Rem, true) => Op::FRem,
    }
}
