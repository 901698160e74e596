//! Comparisons of floating-point numbers. Arithmetic is left alone: hardly a law of it holds for bits.

use super::{Rewritten, again};
use crate::op::Op;
use crate::store::{Node, Term, Terms};

impl Terms {
    pub(super) fn simplify_float_order(&mut self, node: &Node) -> Rewritten {
        let (op, a, b) = (node.op, node.first(), node.second());
        if [a, b].into_iter().any(|operand| self.is_nan_number(operand)) {
            return self.truth_step(false);
        }
        if a == b {
            if op == Op::FLt {
                return self.truth_step(false);
            }
            let is_nan = self.unary(Op::FIsNan, 1, a);
            return again(Node::unary(Op::Not, 1, is_nan));
        }
        let (x, y) = (self.as_single(a)?, self.as_single(b)?);
        again(Node::binary(op, 1, x, y))
    }

    fn is_nan_number(&self, term: Term) -> bool {
        match (self.value(term), self.width(term)) {
            (Some(bits), 32) => f32::from_bits(bits as u32).is_nan(),
            (Some(bits), _) => f64::from_bits(bits as u64).is_nan(),
            (None, _) => false,
        }
    }

    /// The `float` whose value a `double` has. C widens both sides of a comparison where one is a `double`.
    fn as_single(&mut self, term: Term) -> Option<Term> {
        (self.width(term) == 64).then_some(())?;
        let Some(bits) = self.value(term) else { return self.under(term, Op::FConvert) };
        let number = f64::from_bits(bits as u64);
        let single = number as f32;
        (f64::from(single) == number).then(|| self.constant(single.to_bits().into(), 32))
    }

    pub(super) fn simplify_is_nan(&mut self, node: &Node) -> Rewritten {
        let inner = self.node(node.first());
        match inner.op {
            Op::FConvert => again(Node::unary(Op::FIsNan, 1, inner.first())),
            Op::FFromSigned | Op::FFromUnsigned => self.truth_step(false),
            _ => None,
        }
    }
}
