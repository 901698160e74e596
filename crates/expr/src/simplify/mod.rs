//! The rules that bring a node into normal form, a file a family of operations.
//!
//! A rule is sound for all widths and makes no term larger, with three exceptions that give the solver bits instead
//! of words: an extract that cuts two parts of a concatenation, a shift of a concatenation, and an equality of a
//! concatenation with a number may add one operation a part. Operands are in normal form, so a rule looks one or
//! two levels deep.
//!
//! Rules end: each step leaves a smaller or narrower term, or moves a `Not` outwards, or does away with a form that
//! no rule brings back (a number subtracted, a shift right by a number, an order of bits, …). Terms built on the way
//! are narrower or a `Not` of a part, so the stack is bounded by the width.

mod arith;
mod bits;
mod choice;
mod compare;
mod float;
mod parts;
mod rows;
mod shift;

use crate::op::Op;
use crate::store::{Node, Term, Terms};
use crate::value::mask;

/// What a rule makes of a node.
pub(crate) enum Step {
    /// This term, in normal form.
    Done(Term),
    /// This node, to be looked at again.
    Again(Node),
}

type Rewritten = Option<Step>;

#[expect(clippy::unnecessary_wraps, reason = "the value of a rule")]
fn done(term: Term) -> Rewritten {
    Some(Step::Done(term))
}

#[expect(clippy::unnecessary_wraps, reason = "the value of a rule")]
fn again(node: Node) -> Rewritten {
    Some(Step::Again(node))
}

impl Terms {
    /// The first rule that applies to a node that is not made of numbers only.
    pub(crate) fn simplify(&mut self, node: &Node) -> Rewritten {
        if node.operands().any(|operand| self.node(operand).op == Op::Ite)
            && let Some(step) = self.chosen(node)
        {
            return Some(step);
        }
        if node.operands().any(|operand| self.node(operand).op == Op::Lookup)
            && let Some(step) = self.looked_up(node)
        {
            return Some(step);
        }
        match node.op {
            Op::Not => self.simplify_not(node),
            Op::Neg => self.simplify_neg(node),
            Op::Add => self.simplify_add(node),
            Op::Sub => self.simplify_sub(node),
            Op::Mul => self.simplify_mul(node),
            Op::UDiv => self.simplify_udiv(node),
            Op::SDiv => self.simplify_sdiv(node),
            Op::URem => self.simplify_urem(node),
            Op::SRem => self.simplify_srem(node),
            Op::And => self.simplify_and(node),
            Op::Or => self.simplify_or(node),
            Op::Xor => self.simplify_xor(node),
            Op::Shl => self.simplify_shl(node),
            Op::LShr => self.simplify_lshr(node),
            Op::AShr => self.simplify_ashr(node),
            Op::Concat => self.simplify_concat(node),
            Op::Extract => self.simplify_extract(node),
            Op::ZExt => self.simplify_zext(node),
            Op::SExt => self.simplify_sext(node),
            Op::Ite => self.simplify_ite(node),
            Op::Lookup => self.simplify_lookup(node),
            Op::Eq => self.simplify_eq(node),
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => self.simplify_order(node),
            Op::FEq | Op::FLt | Op::FLe => self.simplify_float_order(node),
            Op::FIsNan => self.simplify_is_nan(node),
            _ => None,
        }
    }

    /// The operand of `term` if that is this operation.
    pub(crate) fn under(&self, term: Term, op: Op) -> Option<Term> {
        let node = self.node(term);
        (node.op == op).then(|| node.first())
    }

    /// Both operands of `term` if that is this operation.
    pub(crate) fn pair(&self, term: Term, op: Op) -> Option<(Term, Term)> {
        let node = self.node(term);
        (node.op == op).then(|| (node.first(), node.second()))
    }

    /// `x` and `c` if `term` is this operation of `x` and a number `c`.
    pub(crate) fn by_number(&self, term: Term, op: Op) -> Option<(Term, u128)> {
        let (x, c) = self.pair(term, op)?;
        Some((x, self.value(c)?))
    }

    /// `c` and `x` if `term` is this operation of a number `c` and `x`.
    pub(crate) fn of_number(&self, term: Term, op: Op) -> Option<(u128, Term)> {
        let (c, x) = self.pair(term, op)?;
        Some((self.value(c)?, x))
    }

    /// The operation with a number as its second operand.
    fn with_number(&mut self, op: Op, x: Term, c: u128) -> Node {
        let width = self.width(x);
        let c = self.constant(c, width);
        Node::binary(op, width, x, c)
    }

    /// `c - x`.
    fn number_minus(&mut self, c: u128, x: Term) -> Node {
        let width = self.width(x);
        let c = self.constant(c, width);
        Node::binary(Op::Sub, width, c, x)
    }

    fn same(&self, op: Op, a: Term, b: Term) -> Node {
        Node::binary(op, self.width(a), a, b)
    }

    fn number(&mut self, value: u128, width: u32) -> Rewritten {
        done(self.constant(value, width))
    }

    fn truth_step(&mut self, value: bool) -> Rewritten {
        done(self.truth(value))
    }
}

/// The exponent of a power of two.
fn power_of_two(value: u128) -> Option<u32> {
    value.is_power_of_two().then(|| value.trailing_zeros())
}

fn is_ones(value: u128, width: u32) -> bool {
    value == mask(width)
}
