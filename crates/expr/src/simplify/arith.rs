//! Sums, products, quotients.

use super::{Rewritten, again, done, is_ones, power_of_two};
use crate::op::Op;
use crate::store::{Node, Term, Terms};
use crate::value::{mask, sign_extend};

impl Terms {
    pub(super) fn simplify_add(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if width == 1 {
            return again(self.same(Op::Xor, a, b));
        }
        if let Some(c) = self.value(b) {
            return self.add_number(a, c);
        }
        if let Some(y) = self.under(b, Op::Neg) {
            return again(self.same(Op::Sub, a, y));
        }
        if let Some(y) = self.under(a, Op::Neg) {
            return again(self.same(Op::Sub, b, y));
        }
        if a == b {
            return again(self.with_number(Op::Shl, a, 1));
        }
        (self.is_disjoint(a, b) || self.is_disjoint(b, a)).then_some(())?;
        again(self.same(Op::Or, a, b))
    }

    fn add_number(&mut self, a: Term, c: u128) -> Rewritten {
        if c == 0 {
            return done(a);
        }
        if let Some((x, d)) = self.by_number(a, Op::Add) {
            return again(self.with_number(Op::Add, x, d.wrapping_add(c)));
        }
        if let Some((d, x)) = self.of_number(a, Op::Sub) {
            return again(self.number_minus(d.wrapping_add(c), x));
        }
        let x = self.under(a, Op::Not)?;
        again(self.number_minus(c.wrapping_sub(1), x))
    }

    /// Whether `b` is a zero extension that has only bits where `a` ends in zeros.
    fn is_disjoint(&self, a: Term, b: Term) -> bool {
        self.under(b, Op::ZExt).is_some_and(|z| self.width(z) <= self.low_zeros(a))
    }

    /// How many of the lowest bits are plainly zero.
    fn low_zeros(&self, mut a: Term) -> u32 {
        while let Some(low) = self.pair(a, Op::Concat).map(|(_, low)| low).or(self.under(a, Op::ZExt)) {
            a = low;
        }
        if let Some(value) = self.value(a) {
            return value.trailing_zeros().min(self.width(a));
        }
        self.by_number(a, Op::Shl).map_or(0, |(_, by)| by as u32)
    }

    pub(super) fn simplify_sub(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if width == 1 {
            return again(self.same(Op::Xor, a, b));
        }
        if a == b {
            return self.number(0, width);
        }
        if let Some(c) = self.value(b) {
            return again(self.with_number(Op::Add, a, c.wrapping_neg()));
        }
        if let Some(y) = self.under(b, Op::Neg) {
            return again(self.same(Op::Add, a, y));
        }
        let c = self.value(a)?;
        self.subtract_from(c, b)
    }

    fn subtract_from(&mut self, c: u128, b: Term) -> Rewritten {
        if c == 0 {
            return again(Node::unary(Op::Neg, self.width(b), b));
        }
        if let Some((x, d)) = self.by_number(b, Op::Add) {
            return again(self.number_minus(c.wrapping_sub(d), x));
        }
        if let Some((d, x)) = self.of_number(b, Op::Sub) {
            return again(self.with_number(Op::Add, x, c.wrapping_sub(d)));
        }
        let x = self.under(b, Op::Not)?;
        again(self.with_number(Op::Add, x, c.wrapping_add(1)))
    }

    pub(super) fn simplify_neg(&mut self, node: &Node) -> Rewritten {
        let a = node.first();
        if node.width == 1 {
            return done(a);
        }
        if let Some(x) = self.under(a, Op::Neg) {
            return done(x);
        }
        if let Some(x) = self.under(a, Op::Not) {
            return again(self.with_number(Op::Add, x, 1));
        }
        if let Some((x, y)) = self.pair(a, Op::Sub) {
            return again(self.same(Op::Sub, y, x));
        }
        if let Some((x, c)) = self.by_number(a, Op::Add) {
            return again(self.number_minus(c.wrapping_neg(), x));
        }
        let (x, c) = self.multiple(a)?;
        again(self.with_number(Op::Mul, x, c.wrapping_neg()))
    }

    /// `x` and `c` if `term` is `x * c`, perhaps as a shift.
    fn multiple(&self, term: Term) -> Option<(Term, u128)> {
        let shifted = || self.by_number(term, Op::Shl).map(|(x, by)| (x, 1 << by));
        self.by_number(term, Op::Mul).or_else(shifted)
    }

    pub(super) fn simplify_mul(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if width == 1 {
            return again(self.same(Op::And, a, b));
        }
        let Some(c) = self.value(b) else {
            let (x, y) = (self.under(a, Op::Neg)?, self.under(b, Op::Neg)?);
            return again(self.same(Op::Mul, x, y));
        };
        match c {
            0 => return self.number(0, width),
            1 => return done(a),
            _ if is_ones(c, width) => return again(Node::unary(Op::Neg, width, a)),
            _ => {}
        }
        if let Some((x, d)) = self.multiple(a) {
            return again(self.with_number(Op::Mul, x, c.wrapping_mul(d)));
        }
        if let Some(x) = self.under(a, Op::Neg) {
            return again(self.with_number(Op::Mul, x, c.wrapping_neg()));
        }
        let by = power_of_two(c)?;
        again(self.with_number(Op::Shl, a, by.into()))
    }

    pub(super) fn simplify_udiv(&mut self, node: &Node) -> Rewritten {
        let (a, width) = (node.first(), node.bits());
        let c = self.value(node.second())?;
        if c == 0 {
            return self.number(u128::MAX, width);
        }
        if let Some(by) = power_of_two(c) {
            return again(self.with_number(Op::LShr, a, by.into()));
        }
        let x = self.under(a, Op::ZExt)?;
        if c > mask(self.width(x)) {
            return self.number(0, width);
        }
        self.divide_narrow(Op::UDiv, x, c, width)
    }

    pub(super) fn simplify_urem(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if a == b || self.value(a) == Some(0) {
            return self.number(0, width);
        }
        let c = self.value(b)?;
        if c == 0 {
            return done(a);
        }
        if c.is_power_of_two() {
            return again(self.with_number(Op::And, a, c - 1));
        }
        let x = self.under(a, Op::ZExt)?;
        if c > mask(self.width(x)) {
            return done(a);
        }
        self.divide_narrow(Op::URem, x, c, width)
    }

    /// The extension of `x op c`.
    fn divide_narrow(&mut self, op: Op, x: Term, c: u128, width: u32) -> Rewritten {
        let narrow = self.with_number(op, x, c);
        let narrow = self.make(narrow);
        again(Node::unary(Op::ZExt, width, narrow))
    }

    pub(super) fn simplify_sdiv(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        match self.value(b) {
            Some(c) if is_ones(c, width) => return again(Node::unary(Op::Neg, width, a)),
            Some(1) => return done(a),
            _ => {}
        }
        (self.is_positive(a) && self.is_positive(b)).then_some(())?;
        again(self.same(Op::UDiv, a, b))
    }

    pub(super) fn simplify_srem(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if a == b || self.value(a) == Some(0) {
            return self.number(0, width);
        }
        match self.value(b) {
            Some(0) => return done(a),
            Some(c) if c == 1 || is_ones(c, width) => return self.number(0, width),
            _ => {}
        }
        (self.is_positive(a) && self.is_positive(b)).then_some(())?;
        again(self.same(Op::URem, a, b))
    }

    /// Whether the sign bit is plainly zero.
    pub(crate) fn is_positive(&self, a: Term) -> bool {
        match self.value(a) {
            Some(value) => sign_extend(value, self.width(a)) >= 0,
            None => self.node(a).op == Op::ZExt,
        }
    }
}
