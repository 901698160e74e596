//! Bitwise operations; on one bit they are logic.

use super::{Rewritten, again, done, is_ones};
use crate::op::Op;
use crate::store::{Node, Term, Terms};
use crate::value::{apply, mask};

impl Terms {
    pub(super) fn simplify_not(&mut self, node: &Node) -> Rewritten {
        let (a, width) = (node.first(), node.bits());
        let inner = self.node(a);
        let (x, y) = (inner.first(), inner.second());
        match inner.op {
            Op::Not => done(x),
            Op::Neg => again(self.with_number(Op::Add, x, u128::MAX)),
            Op::Ult => again(Node::binary(Op::Ule, 1, y, x)),
            Op::Ule => again(Node::binary(Op::Ult, 1, y, x)),
            Op::Slt => again(Node::binary(Op::Sle, 1, y, x)),
            Op::Sle => again(Node::binary(Op::Slt, 1, y, x)),
            Op::Eq if self.width(x) == 1 => again(Node::binary(Op::Xor, 1, x, y)),
            Op::Xor if width == 1 => again(Node::binary(Op::Eq, 1, x, y)),
            Op::Xor => {
                let c = self.value(y)?;
                again(self.with_number(Op::Xor, x, !c))
            }
            Op::Add => {
                let c = self.value(y)?;
                again(self.number_minus(!c, x))
            }
            Op::Sub => {
                let c = self.value(x)?;
                again(self.with_number(Op::Add, y, !c))
            }
            _ => None,
        }
    }

    pub(super) fn simplify_and(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if a == b {
            return done(a);
        }
        let Some(c) = self.value(b) else {
            if self.are_opposite(a, b) {
                return self.number(0, width);
            }
            return self.narrow_bitwise(node);
        };
        if c == 0 {
            return self.number(0, width);
        }
        if is_ones(c, width) {
            return done(a);
        }
        if let Some((x, d)) = self.by_number(a, Op::And) {
            return again(self.with_number(Op::And, x, c & d));
        }
        match self.by_number(a, Op::Or) {
            Some((x, d)) if c & d == 0 => return again(self.with_number(Op::And, x, c)),
            Some((_, d)) if c & d == c => return self.number(c, width),
            _ => {}
        }
        self.and_low_mask(a, c).or_else(|| self.bitwise_on_parts(node, c))
    }

    /// The lowest bits, extended. All bits but the sign stay a conjunction: that is `fabs`.
    fn and_low_mask(&mut self, a: Term, c: u128) -> Rewritten {
        let (kept, width) = (c.trailing_ones(), self.width(a));
        (c == mask(kept.max(1)) && kept < width - 1).then_some(())?;
        let low = self.extract(a, 0, kept);
        again(Node::unary(Op::ZExt, width, low))
    }

    pub(super) fn simplify_or(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if a == b {
            return done(a);
        }
        let Some(c) = self.value(b) else {
            if self.are_opposite(a, b) {
                return self.number(u128::MAX, width);
            }
            return self.narrow_bitwise(node).or_else(|| self.fill_zeros(node));
        };
        if c == 0 {
            return done(a);
        }
        if is_ones(c, width) {
            return self.number(c, width);
        }
        if let Some((x, d)) = self.by_number(a, Op::Or) {
            return again(self.with_number(Op::Or, x, c | d));
        }
        match self.by_number(a, Op::And) {
            Some((x, d)) if is_ones(c | d, width) => return again(self.with_number(Op::Or, x, c)),
            Some((_, d)) if c | d == c => return self.number(c, width),
            _ => {}
        }
        self.bitwise_on_parts(node, c)
    }

    pub(super) fn simplify_xor(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if a == b {
            return self.number(0, width);
        }
        let Some(c) = self.value(b) else {
            for (x, y) in [(a, b), (b, a)] {
                if let Some(x) = self.under(x, Op::Not) {
                    let xor = self.binary(Op::Xor, x, y);
                    return again(Node::unary(Op::Not, width, xor));
                }
            }
            return self.narrow_bitwise(node).or_else(|| self.fill_zeros(node));
        };
        if c == 0 {
            return done(a);
        }
        if is_ones(c, width) {
            return again(Node::unary(Op::Not, width, a));
        }
        if let Some((x, d)) = self.by_number(a, Op::Xor) {
            return again(self.with_number(Op::Xor, x, c ^ d));
        }
        if let Some(x) = self.under(a, Op::Not) {
            return again(self.with_number(Op::Xor, x, !c));
        }
        self.bitwise_on_parts(node, c)
    }

    /// A bitwise operation of a concatenation and a number, done on the parts if for one of them it does nothing.
    fn bitwise_on_parts(&mut self, node: &Node, c: u128) -> Rewritten {
        let (op, width) = (node.op, node.bits());
        let (high, low) = match self.under(node.first(), Op::ZExt) {
            Some(low) => (self.constant(0, width - self.width(low)), low),
            None => self.pair(node.first(), Op::Concat)?,
        };
        let (high_c, low_c) = (c >> self.width(low), c & mask(self.width(low)));
        let idle = |c, width| c == 0 || (op != Op::Xor && is_ones(c, width));
        (self.is_number(high) || idle(high_c, self.width(high)) || idle(low_c, self.width(low)))
            .then_some(())?;
        let high = self.with_number(op, high, high_c);
        let low = self.with_number(op, low, low_c);
        let (high, low) = (self.make(high), self.make(low));
        again(Node::binary(Op::Concat, width, high, low))
    }

    /// A bitwise operation of two zero extensions is the extension of a narrower one.
    fn narrow_bitwise(&mut self, node: &Node) -> Rewritten {
        let (x, y) = (self.under(node.first(), Op::ZExt)?, self.under(node.second(), Op::ZExt)?);
        let width = self.width(x).max(self.width(y));
        let (x, y) = (self.zext(x, width), self.zext(y, width));
        let narrow = self.binary(node.op, x, y);
        again(Node::unary(Op::ZExt, node.bits(), narrow))
    }

    /// Bits put beside others, `x << 8 | y`, are a concatenation.
    fn fill_zeros(&mut self, node: &Node) -> Rewritten {
        let (a, b) = (node.first(), node.second());
        self.fill(node.op, a, b).or_else(|| self.fill(node.op, b, a))
    }

    fn fill(&mut self, op: Op, above: Term, extended: Term) -> Rewritten {
        let z = self.under(extended, Op::ZExt)?;
        let (high, low) = match self.by_number(above, Op::Shl) {
            Some((x, by)) => {
                (self.width(z) <= by as u32).then_some(())?;
                (self.extract(x, 0, self.width(x) - by as u32), self.constant(0, by as u32))
            }
            None => self.pair(above, Op::Concat)?,
        };
        (self.width(z) <= self.width(low)).then_some(())?;
        let z = self.zext(z, self.width(low));
        let low = self.binary(op, low, z);
        again(Node::binary(Op::Concat, self.width(above), high, low))
    }

    /// Whether one is plainly the complement of the other.
    pub(crate) fn are_opposite(&self, a: Term, b: Term) -> bool {
        let (x, y) = (self.node(a), self.node(b));
        let flipped = match x.op {
            Op::Ult => Op::Ule,
            Op::Ule => Op::Ult,
            Op::Slt => Op::Sle,
            Op::Sle => Op::Slt,
            _ => return self.under(a, Op::Not) == Some(b) || self.under(b, Op::Not) == Some(a),
        };
        y.op == flipped && (x.a, x.b) == (y.b, y.a)
    }

    /// What an extract sees of a bitwise operation with a number: the operand, the number, or both.
    pub(super) fn bits_of_bitwise(&self, node: &Node, low: u32, width: u32) -> BitsOf {
        let Some(c) = self.value(node.second()) else { return BitsOf::Both };
        let c = c >> low & mask(width);
        let on = |x| apply(node.op, width, 0, [x, c, 0], [width; 3]);
        match (on(0), on(mask(width))) {
            (zeros, ones) if zeros == ones => BitsOf::Number(zeros),
            (0, ones) if is_ones(ones, width) => BitsOf::Operand,
            _ => BitsOf::Both,
        }
    }
}

/// See [`Terms::bits_of_bitwise`].
pub(super) enum BitsOf {
    Operand,
    Number(u128),
    Both,
}
