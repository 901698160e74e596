//! Numbers and their terms, computed together.

use crate::machine::Machine;
use crate::value::{Number, width};
use expr::{Op, Term, apply_narrow};
use java_classfile::Type;
use java_classfile::instruction::NumericKind;

impl Machine<'_, '_> {
    /// A number as a term.
    pub(crate) fn term(&mut self, number: Number) -> Term {
        match number.term {
            Some(term) => term,
            None => self.terms.constant(number.bits.into(), number.width()),
        }
    }

    /// A term, unless it is a constant.
    pub(crate) fn open(&self, term: Term) -> Option<Term> {
        if self.terms.value(term).is_some() { None } else { Some(term) }
    }

    /// `a op b` where all three are of one kind.
    pub(crate) fn binary(&mut self, op: Op, a: Number, b: Number) -> Number {
        let width = a.width();
        let bits = apply_narrow(op, width, 0, [a.bits, b.bits, 0], [width, width]);
        let number = Number::constant(a.kind, bits);
        if a.term.is_none() && b.term.is_none() {
            return number;
        }
        let (left, right) = (self.term(a), self.term(b));
        let term = self.terms.binary(op, left, right);
        number.with(self.open(term))
    }

    /// `op a`, of the kind `to`.
    pub(crate) fn unary(&mut self, op: Op, to: NumericKind, a: Number) -> Number {
        let bits = apply_narrow(op, width(to), 0, [a.bits, 0, 0], [a.width(), 0]);
        let term = a.term.map(|term| self.terms.unary(op, width(to), term));
        Number::constant(to, bits).with(term.and_then(|term| self.open(term)))
    }

    /// A truth value of two numbers.
    pub(crate) fn predicate(&mut self, op: Op, a: Number, b: Number) -> Term {
        let (left, right) = (self.term(a), self.term(b));
        self.terms.binary(op, left, right)
    }

    pub(crate) fn and(&mut self, a: Term, b: Term) -> Term {
        self.terms.binary(Op::And, a, b)
    }

    pub(crate) fn or(&mut self, a: Term, b: Term) -> Term {
        self.terms.binary(Op::Or, a, b)
    }

    /// A truth value as an `int`, with what it is concretely.
    pub(crate) fn boolean(&mut self, value: bool, term: Term) -> Number {
        let term = self.terms.zext(term, 32);
        Number::int(value.into()).with(self.open(term))
    }

    /// An `int` cut to the bits of a smaller type and extended again, as fields and elements of that type keep it.
    pub(crate) fn narrowed(&mut self, number: Number, ty: &Type) -> Number {
        let (bits, signed) = match ty {
            Type::Boolean => (1, false),
            Type::Byte => (8, true),
            Type::Char => (16, false),
            Type::Short => (16, true),
            _ => return number,
        };
        self.cut(number, bits, signed)
    }

    pub(crate) fn cut(&mut self, number: Number, bits: u32, signed: bool) -> Number {
        let unused = 32 - bits;
        let low = (number.bits as u32) << unused;
        let value = if signed { low.cast_signed() >> unused } else { (low >> unused).cast_signed() };
        let term = number.term.map(|term| {
            let low = self.terms.extract(term, 0, bits);
            if signed { self.terms.sext(low, 32) } else { self.terms.zext(low, 32) }
        });
        Number::int(value).with(term.and_then(|term| self.open(term)))
    }
}
