//! Terms put together from parts and taken apart again: memory is bytes.

use super::bits::BitsOf;
use super::{Rewritten, again, done};
use crate::op::Op;
use crate::store::{Node, Term, Terms};
use crate::value::sign_extend;

impl Terms {
    pub(super) fn simplify_concat(&mut self, node: &Node) -> Rewritten {
        let (a, b, width) = (node.first(), node.second(), node.bits());
        if let Some((high, low)) = self.pair(a, Op::Concat) {
            let low = self.concat(low, b);
            return again(Node::binary(Op::Concat, width, high, low));
        }
        if let Some(x) = self.under(a, Op::ZExt) {
            let low = self.concat(x, b);
            return again(Node::unary(Op::ZExt, width, low));
        }
        if let Some(c) = self.value(a) {
            return self.number_above(c, node);
        }
        if let Some(joined) = self.joined(a, b) {
            return done(joined);
        }
        let (middle, low) = self.pair(b, Op::Concat)?;
        let high = self.joined(a, middle)?;
        again(Node::binary(Op::Concat, width, high, low))
    }

    /// A number above: zeros are an extension, other numbers take in a number below.
    fn number_above(&mut self, c: u128, node: &Node) -> Rewritten {
        let (b, width) = (node.second(), node.bits());
        if c == 0 {
            return again(Node::unary(Op::ZExt, width, b));
        }
        let (below, low) = match self.under(b, Op::ZExt) {
            Some(low) => (0, low),
            None => self.of_number(b, Op::Concat)?,
        };
        let below_width = self.width(b) - self.width(low);
        let high = self.constant(c << below_width | below, width - self.width(low));
        again(Node::binary(Op::Concat, width, high, low))
    }

    /// One term for two that belong side by side.
    fn joined(&mut self, a: Term, b: Term) -> Option<Term> {
        if let Some(joined) = self.joined_extracts(a, b) {
            return Some(joined);
        }
        let x = self.under(a, Op::SExt)?;
        let width = self.width(a) + self.width(b);
        if self.width(x) == 1 && self.bit_source(x) == self.sign_source(b) {
            return Some(self.sext(b, width));
        }
        let narrow = self.joined_extracts(x, b)?;
        Some(self.sext(narrow, width))
    }

    /// Neighbouring bits of one term.
    fn joined_extracts(&mut self, a: Term, b: Term) -> Option<Term> {
        let (high, low) = (self.node(a), self.node(b));
        let width = high.bits() + low.bits();
        let is_next = u32::from(high.extra) == u32::from(low.extra) + low.bits();
        match (high.op, low.op) {
            (Op::Extract, Op::Extract) if high.a == low.a && is_next => {
                Some(self.extract(low.first(), low.extra.into(), width))
            }
            (_, Op::Extract) if self.is_above(a, &low) => {
                Some(self.extract(low.first(), low.extra.into(), width))
            }
            (Op::Extract, _) if self.is_below(b, &high) => {
                Some(self.extract(high.first(), u32::from(high.extra) - low.bits(), width))
            }
            _ => None,
        }
    }

    /// Whether `a` is what stands above an extract of a bitwise operation with a number.
    fn is_above(&mut self, a: Term, low: &Node) -> bool {
        let (base, from) = (low.first(), u32::from(low.extra) + low.bits());
        self.is_masked(base)
            && from + self.width(a) <= self.width(base)
            && self.extract(base, from, self.width(a)) == a
    }

    /// Whether `b` is what stands below such an extract.
    fn is_below(&mut self, b: Term, high: &Node) -> bool {
        let (base, to) = (high.first(), u32::from(high.extra));
        self.is_masked(base)
            && to >= self.width(b)
            && self.extract(base, to - self.width(b), self.width(b)) == b
    }

    /// Whether extracts see through this term in some places only.
    fn is_masked(&self, term: Term) -> bool {
        let node = self.node(term);
        matches!(node.op, Op::And | Op::Or | Op::Xor) && self.is_number(node.second())
    }

    /// The term and place that a single bit comes from.
    fn bit_source(&self, bit: Term) -> (Term, u32) {
        let node = self.node(bit);
        if node.op == Op::Extract { (node.first(), node.extra.into()) } else { (bit, 0) }
    }

    /// The term and place that the highest bit comes from.
    fn sign_source(&self, mut term: Term) -> (Term, u32) {
        loop {
            let node = self.node(term);
            match node.op {
                Op::SExt | Op::Concat => term = node.first(),
                Op::Extract => return (node.first(), u32::from(node.extra) + node.bits() - 1),
                _ => return (term, node.bits() - 1),
            }
        }
    }

    pub(super) fn simplify_extract(&mut self, node: &Node) -> Rewritten {
        let (a, low, width) = (node.first(), u32::from(node.extra), node.bits());
        if width == self.width(a) {
            return done(a);
        }
        let inner = self.node(a);
        let x = inner.first();
        match inner.op {
            Op::Extract => again(Node::extract(x, low + u32::from(inner.extra), width)),
            Op::Concat => self.extract_concat(&inner, low, width),
            Op::ZExt => self.extract_zext(x, low, width),
            Op::SExt => self.extract_sext(x, low, width),
            Op::And | Op::Or | Op::Xor => match self.bits_of_bitwise(&inner, low, width) {
                BitsOf::Number(value) => self.number(value, width),
                BitsOf::Operand => again(Node::extract(x, low, width)),
                BitsOf::Both => None,
            },
            Op::Shl => {
                let by = self.value(inner.second())? as u32;
                match low.checked_sub(by) {
                    Some(low) => again(Node::extract(x, low, width)),
                    None if low + width <= by => self.number(0, width),
                    None => None,
                }
            }
            _ => None,
        }
    }

    fn extract_concat(&mut self, concat: &Node, low: u32, width: u32) -> Rewritten {
        let (high, rest) = (concat.first(), concat.second());
        let cut = self.width(rest);
        if low >= cut {
            return again(Node::extract(high, low - cut, width));
        }
        if low + width <= cut {
            return again(Node::extract(rest, low, width));
        }
        let high = self.extract(high, 0, low + width - cut);
        let rest = self.extract(rest, low, cut - low);
        again(Node::binary(Op::Concat, width, high, rest))
    }

    fn extract_zext(&mut self, x: Term, low: u32, width: u32) -> Rewritten {
        let cut = self.width(x);
        if low >= cut {
            return self.number(0, width);
        }
        if low + width <= cut {
            return again(Node::extract(x, low, width));
        }
        let part = self.extract(x, low, cut - low);
        again(Node::unary(Op::ZExt, width, part))
    }

    fn extract_sext(&mut self, x: Term, low: u32, width: u32) -> Rewritten {
        let cut = self.width(x);
        if low + width <= cut {
            return again(Node::extract(x, low, width));
        }
        let low = low.min(cut - 1);
        let part = self.extract(x, low, cut - low);
        again(Node::unary(Op::SExt, width, part))
    }

    pub(super) fn simplify_zext(&mut self, node: &Node) -> Rewritten {
        let (a, width) = (node.first(), node.bits());
        if width == self.width(a) {
            return done(a);
        }
        if let Some(x) = self.under(a, Op::ZExt) {
            return again(Node::unary(Op::ZExt, width, x));
        }
        let (c, low) = self.of_number(a, Op::Concat)?;
        let high = self.constant(c, width - self.width(low));
        again(Node::binary(Op::Concat, width, high, low))
    }

    pub(super) fn simplify_sext(&mut self, node: &Node) -> Rewritten {
        let (a, width) = (node.first(), node.bits());
        if width == self.width(a) {
            return done(a);
        }
        if let Some(x) = self.under(a, Op::SExt) {
            return again(Node::unary(Op::SExt, width, x));
        }
        if let Some(x) = self.under(a, Op::ZExt) {
            return again(Node::unary(Op::ZExt, width, x));
        }
        let (c, low) = self.of_number(a, Op::Concat)?;
        let c = sign_extend(c, self.width(a) - self.width(low)) as u128;
        let high = self.constant(c, width - self.width(low));
        again(Node::binary(Op::Concat, width, high, low))
    }
}
