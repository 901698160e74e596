//! Results that their type does not hold. Java takes the lower bits and goes on; whoever looks for errors wants to know.
//!
//! Hashes are made to overflow: nothing is said of `hashCode`, nor of what it calls.

use crate::frame::Frame;
use crate::machine::Machine;
use crate::outcome::{Check, Overflow};
use crate::value::Number;
use expr::{Op, Term, sign_extend};
use java_classfile::instruction::NumericKind;
use java_wire::message;

impl Machine<'_, '_> {
    /// Checks that `int` or `long` holds a sum, difference, product or quotient, if that depends on the input and somebody asks.
    pub(super) fn check_result(&mut self, op: Op, left: Number, right: Number) {
        let is_asked = self.settings.overflow && can_overflow(op) && !self.is_quiet();
        let is_open = left.term.is_some() || right.term.is_some();
        if !is_asked || !is_open || self.hashing > 0 {
            return;
        }
        let holds = is_held(op, left, right);
        let wanted = match op {
            Op::SDiv => self.quotient_is_held(left, right),
            _ => self.result_is_held(op, left, right),
        };
        self.check(Check::Overflow, holds, Some(wanted));
        if !holds {
            self.note_overflow(op, left, right);
        }
    }

    /// The result in twice as many bits is one that the type has.
    fn result_is_held(&mut self, op: Op, left: Number, right: Number) -> Term {
        let (narrow, wide) = (left.width(), left.width() * 2);
        let [left, right] = [left, right].map(|number| {
            let term = self.term(number);
            self.terms.sext(term, wide)
        });
        let result = self.terms.binary(op, left, right);
        let highest = (1u128 << (narrow - 1)) - 1;
        let [lowest, highest] = [!highest, highest].map(|bound| self.terms.constant(bound, wide));
        let is_low = self.terms.binary(Op::Sle, lowest, result);
        let is_high = self.terms.binary(Op::Sle, result, highest);
        self.and(is_low, is_high)
    }

    /// There is only one that is not: of the lowest number and -1.
    fn quotient_is_held(&mut self, left: Number, right: Number) -> Term {
        let lowest = Number::constant(left.kind, 1 << (left.width() - 1));
        let minus_one = Number::constant(left.kind, u64::MAX);
        let is_lowest = self.predicate(Op::Eq, left, lowest);
        let is_minus_one = self.predicate(Op::Eq, right, minus_one);
        let is_beyond = self.and(is_lowest, is_minus_one);
        self.terms.not(is_beyond)
    }

    fn note_overflow(&mut self, op: Op, left: Number, right: Number) {
        let place = self.place();
        if !self.overflown.contains(&place) {
            self.overflown.push(place);
            let stack = self.frames.iter().rev().filter(|frame| !frame.quiet).map(told).collect();
            self.overflows.push(Overflow { step: self.step, what: words(op, left, right), stack });
        }
    }
}

/// The remainder of the lowest number and -1 is 0, as it should be.
fn can_overflow(op: Op) -> bool {
    matches!(op, Op::Add | Op::Sub | Op::Mul | Op::SDiv)
}

fn is_held(op: Op, left: Number, right: Number) -> bool {
    let [a, b] = [left, right].map(signed);
    let result = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        _ => a.checked_div(b).unwrap_or_default(),
    };
    sign_extend(result as u128, left.width()) == result
}

/// What a number of at most 64 bits is: nothing that is made of two of them overflows.
fn signed(number: Number) -> i128 {
    sign_extend(number.bits.into(), number.width())
}

/// `int overflow: 2147483647 + 1`
fn words(op: Op, left: Number, right: Number) -> String {
    let (a, b) = (signed(left), signed(right));
    let ty = if left.kind == NumericKind::Int { "int" } else { "long" };
    let computed = match op {
        Op::Add => format!("{a} + {b}"),
        Op::Sub if a == 0 => format!("-({b})"),
        Op::Sub => format!("{a} - {b}"),
        Op::Mul => format!("{a} * {b}"),
        _ => format!("{a} / {b}"),
    };
    format!("{ty} overflow: {computed}")
}

fn told(frame: &Frame<'_>) -> message::Frame {
    let method = &frame.method;
    let line = method.code.line(frame.pc()).unwrap_or_default();
    (method.file.name.clone(), method.method.name.clone(), line.into())
}
