//! Equality and order of integers.

use super::{Rewritten, again, done};
use crate::op::Op;
use crate::store::{Node, Term, Terms};
use crate::value::{mask, sign_extend};

impl Terms {
    pub(super) fn simplify_eq(&mut self, node: &Node) -> Rewritten {
        let (a, b) = (node.first(), node.second());
        if a == b {
            return self.truth_step(true);
        }
        if let Some(c) = self.value(b) {
            return self.equals_number(a, c);
        }
        if self.width(a) == 1 {
            for (x, y) in [(a, b), (b, a)] {
                if let Some(x) = self.under(x, Op::Not) {
                    return again(Node::binary(Op::Xor, 1, x, y));
                }
            }
        }
        if let (Some(x), Some(y)) = (self.under(a, Op::Not), self.under(b, Op::Not)) {
            return again(Node::binary(Op::Eq, 1, x, y));
        }
        let ((x, more), (y, less)) = (self.without_number(a), self.without_number(b));
        if x == y {
            // Addresses in one object mostly: `at == text + 3`.
            return self.truth_step(more == less);
        }
        self.narrow_both(Op::Eq, a, b)
    }

    /// A term as a sum of another one and a number.
    pub(crate) fn without_number(&self, a: Term) -> (Term, u128) {
        let node = self.node(a);
        let number = if node.op == Op::Add { self.value(node.second()) } else { None };
        number.map_or((a, 0), |number| (node.first(), number))
    }

    /// `a == c`: what was done to `a` is undone on `c`.
    fn equals_number(&mut self, a: Term, c: u128) -> Rewritten {
        let node = self.node(a);
        let (width, x, y) = (node.bits(), node.first(), node.second());
        if width == 1 {
            return if c == 1 { done(a) } else { again(Node::unary(Op::Not, 1, a)) };
        }
        if let Some((mut inner, mut c)) = self.undone(a, c) {
            // A chain of these may be long; only its end becomes a term.
            while let Some(next) = self.undone(inner, c) {
                (inner, c) = next;
            }
            return self.equals(inner, c);
        }
        match node.op {
            Op::Sub | Op::Xor if c == 0 => again(Node::binary(Op::Eq, 1, x, y)),
            Op::ZExt | Op::SExt => match self.narrowed(&node, c) {
                Some(c) => self.equals(x, c),
                None => self.truth_step(false),
            },
            Op::Concat => self.equals_parts(x, y, c),
            _ => None,
        }
    }

    /// The operand of `a` and what it is equal to if `a` is equal to `c`; bits of `c` above the width are left.
    fn undone(&self, a: Term, c: u128) -> Option<(Term, u128)> {
        let node = self.node(a);
        let (x, y) = (node.first(), node.second());
        match node.op {
            Op::Not => Some((x, !c)),
            Op::Neg => Some((x, c.wrapping_neg())),
            Op::Add => self.value(y).map(|d| (x, c.wrapping_sub(d))),
            Op::Sub => self.value(x).map(|d| (y, d.wrapping_sub(c))),
            Op::Xor => self.value(y).map(|d| (x, c ^ d)),
            Op::Mul => self.value(y).and_then(inverse).map(|inverse| (x, c.wrapping_mul(inverse))),
            _ => None,
        }
    }

    fn equals(&mut self, x: Term, c: u128) -> Rewritten {
        let c = self.constant(c, self.width(x));
        again(Node::binary(Op::Eq, 1, x, c))
    }

    fn equals_parts(&mut self, high: Term, low: Term, c: u128) -> Rewritten {
        let (high_c, low_c) = (c >> self.width(low), c & mask(self.width(low)));
        let high_c = self.constant(high_c, self.width(high));
        let low_c = self.constant(low_c, self.width(low));
        let high = self.binary(Op::Eq, high, high_c);
        let low = self.binary(Op::Eq, low, low_c);
        again(Node::binary(Op::And, 1, high, low))
    }

    /// The number that an extension makes `c` of.
    fn narrowed(&self, extension: &Node, c: u128) -> Option<u128> {
        let (from, to) = (self.width(extension.first()), extension.bits());
        let narrow = c & mask(from);
        let back = if extension.op == Op::ZExt { narrow } else { sign_extend(narrow, from) as u128 };
        (back & mask(to) == c).then_some(narrow)
    }

    /// A comparison of two extensions of one kind, on the wider of their operands.
    fn narrow_both(&mut self, op: Op, a: Term, b: Term) -> Rewritten {
        let (x, y) = (self.node(a), self.node(b));
        (x.op == y.op && matches!(x.op, Op::ZExt | Op::SExt)).then_some(())?;
        let width = self.width(x.first()).max(self.width(y.first()));
        let narrow_x = self.make(Node::unary(x.op, width, x.first()));
        let narrow_y = self.make(Node::unary(x.op, width, y.first()));
        let op = if x.op == Op::ZExt { unsigned(op) } else { op };
        again(Node::binary(op, 1, narrow_x, narrow_y))
    }

    pub(super) fn simplify_order(&mut self, node: &Node) -> Rewritten {
        let (op, a, b) = (node.op, node.first(), node.second());
        if a == b {
            return self.truth_step(matches!(op, Op::Ule | Op::Sle));
        }
        if self.width(a) == 1 {
            return self.order_of_bits(op, a, b);
        }
        if op != unsigned(op) && self.is_positive(a) && self.is_positive(b) {
            return again(Node::binary(unsigned(op), 1, a, b));
        }
        match (self.value(a), self.value(b)) {
            (None, Some(c)) => self.at_most_number(op, a, c),
            (Some(c), None) => self.at_least_number(op, c, b),
            _ => self.narrow_both(op, a, b),
        }
    }

    /// Of two bits: unsigned, 0 is the smaller; signed, 1 is.
    fn order_of_bits(&mut self, op: Op, a: Term, b: Term) -> Rewritten {
        let (small, large) = if op == unsigned(op) { (a, b) } else { (b, a) };
        let not_small = self.not(small);
        let logic = if matches!(op, Op::Ult | Op::Slt) { Op::And } else { Op::Or };
        again(Node::binary(logic, 1, not_small, large))
    }

    /// `x < c` or `x <= c`.
    fn at_most_number(&mut self, op: Op, x: Term, c: u128) -> Rewritten {
        let width = self.width(x);
        let (lowest, highest) = bounds(op, width);
        let is_strict = matches!(op, Op::Ult | Op::Slt);
        if c == lowest {
            return if is_strict { self.truth_step(false) } else { self.equals(x, c) };
        }
        if c == highest {
            return if is_strict { self.differs(x, c) } else { self.truth_step(true) };
        }
        if is_strict && c == lowest.wrapping_add(1) & mask(width) {
            return self.equals(x, lowest);
        }
        if !is_strict && c == highest.wrapping_sub(1) & mask(width) {
            return self.differs(x, highest);
        }
        self.narrow_order(op, x, c, |x, c| (x, c))
    }

    /// `c < x` or `c <= x`.
    fn at_least_number(&mut self, op: Op, c: u128, x: Term) -> Rewritten {
        let width = self.width(x);
        let (lowest, highest) = bounds(op, width);
        let is_strict = matches!(op, Op::Ult | Op::Slt);
        if c == highest {
            return if is_strict { self.truth_step(false) } else { self.equals(x, c) };
        }
        if c == lowest {
            return if is_strict { self.differs(x, c) } else { self.truth_step(true) };
        }
        if is_strict && c == highest.wrapping_sub(1) & mask(width) {
            return self.equals(x, highest);
        }
        if !is_strict && c == lowest.wrapping_add(1) & mask(width) {
            return self.differs(x, lowest);
        }
        self.narrow_order(op, x, c, |x, c| (c, x))
    }

    fn differs(&mut self, x: Term, c: u128) -> Rewritten {
        let c = self.constant(c, self.width(x));
        let equal = self.binary(Op::Eq, x, c);
        again(Node::unary(Op::Not, 1, equal))
    }

    /// The order of an extension and a number, on the operand of the extension. `place` puts the operand and the
    /// number on their sides.
    fn narrow_order<P>(&mut self, op: Op, a: Term, c: u128, place: P) -> Rewritten
    where
        P: Fn(Term, Term) -> (Term, Term),
    {
        let node = self.node(a);
        let x = node.first();
        matches!(node.op, Op::ZExt | Op::SExt).then_some(())?;
        // Signed, a zero extension is only left beside a negative number, which is below it.
        let op_on_x = if node.op == Op::ZExt { unsigned(op) } else { op };
        if let Some(c) = self.narrowed(&node, c) {
            let c = self.constant(c, self.width(x));
            let (left, right) = place(x, c);
            return again(Node::binary(op_on_x, 1, left, right));
        }
        let zero = self.constant(0, self.width(x));
        let is_left = place(x, zero).0 == x;
        let is_negative = sign_extend(c, node.bits()) < 0;
        match (node.op, op == unsigned(op)) {
            // All extensions are below the number, or above if it is negative and the order signed.
            (Op::ZExt, true) => self.truth_step(is_left),
            (_, false) => self.truth_step(is_left != is_negative),
            // The number is above what is not negative and below what is.
            _ if is_left => again(Node::binary(Op::Sle, 1, zero, x)),
            _ => again(Node::binary(Op::Slt, 1, x, zero)),
        }
    }
}

/// The lowest and the highest number in the order of `op`.
fn bounds(op: Op, width: u32) -> (u128, u128) {
    let sign = 1 << (width - 1);
    if op == unsigned(op) { (0, mask(width)) } else { (sign, sign - 1) }
}

fn unsigned(op: Op) -> Op {
    match op {
        Op::Slt => Op::Ult,
        Op::Sle => Op::Ule,
        other => other,
    }
}

/// The number that times `odd` is 1 modulo 2^128, by Newton's iteration: each step doubles the right bits.
fn inverse(odd: u128) -> Option<u128> {
    (odd & 1 == 1).then_some(())?;
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2_u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    Some(inverse)
}
