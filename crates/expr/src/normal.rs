//! The normal form, kept by the constructors and checked for every node that enters a store in a debug build:
//!
//! 1. A term of numbers is a number. Numbers of up to 64 bits are [`Op::Const`], wider ones [`Op::Wide`].
//! 2. Of two operands of a commutative operation a number comes second, else the older term first. Sums and products
//!    of floating-point numbers do not commute: of two operands that are not numbers, x86-64 keeps the first.
//! 3. On one bit there is no arithmetic and no order, only `And`, `Or`, `Xor`, `Eq`, `Not`; `Not` of `Xor` is `Eq`.
//! 4. Numbers are added, never subtracted: `x - 3` is `x + (-3)`. There is no `0 - x`, and `x + x` is a shift.
//! 5. `Add`, `Mul`, `And`, `Or`, `Xor`, `Shl` with a number are not over the same operation with a number.
//! 6. `Not` and `Neg` are not over each other or themselves, nor where the number below can take them in; `Not` is
//!    not over an order: that of `a < b` is `b <= a`.
//! 7. No operation with a number that does nothing or leaves a number: `x + 0`, `x * 1`, `x & 0`, `x / 1`, …
//! 8. A product with a power of two is `Shl`, the quotient `LShr`, the unsigned remainder `And`.
//! 9. Shifts right by numbers are extensions of extracts. So is `And` with `2^k - 1`, but for all bits except the sign,
//!    which is `fabs`.
//! 10. `Concat` nests to the right. Neighbouring bits of one term are one `Extract`, neighbouring numbers one number,
//!     copies of the sign above a term are `SExt`, zeros above a term are `ZExt`.
//! 11. `Extract` is of less than the whole, and not of `Extract`, `Concat`, `ZExt`, `SExt`, a shift or bitwise
//!     operation with a number that it can see through.
//! 12. Extensions widen; `SExt` is not over `ZExt`, none is over itself or over a number in front.
//! 13. `Ite` has different arms, a condition that is no `Not`, no arm that asks the same condition; on one bit no
//!     number for an arm. `c ? 1 : 0` is `ZExt`, `c ? -1 : 0` is `SExt`.
//! 14. An operation on numbers and on choices of numbers by one condition is itself a choice of numbers.
//! 15. `Eq` with a number is not over what can be undone on the number: `Not`, `Neg`, `Add`, `Sub`, `Xor`, `Mul` by an
//!     odd number, extensions, `Concat`. It is not between a term and the same plus a number.
//! 16. An order with a number is not over an extension and leaves more than one value on both sides. Extensions of one
//!     kind are not compared.
//! 17. `Lookup` has at least three rows, all of which the index can reach, and the last two differ. An operation on numbers
//!     and one row of numbers is itself such a row; a row of truth values is told by ranges of the index if they are few.
//! 18. Comparisons of floating-point numbers are not of a term with itself, with a number that is none, or of two
//!     `float`s widened; `FIsNan` is not over a conversion.
//!
//! To add an operation: `op.rs` (number and meaning), `value.rs`, the narrow evaluator in `tape.rs`, `checked.rs`,
//! `text.rs`; a rule is one function in `simplify/` with an example in `tests/rules.rs` and a line here.

use crate::op::Op;
use crate::store::{Node, Term, Terms};
use crate::value::mask;

impl Terms {
    /// Whether the node, whose operands are in normal form, is itself.
    pub(crate) fn is_normal(&self, node: &Node) -> bool {
        match node.op {
            Op::Const => {
                node.width <= 64 && u64::from(node.b) << 32 | u64::from(node.a) <= mask(node.bits()) as u64
            }
            Op::Wide => node.width > 64,
            Op::Var => true,
            _ => self.is_normal_operation(node),
        }
    }

    fn is_normal_operation(&self, node: &Node) -> bool {
        let (a, b) = (node.first(), node.second());
        let number = if node.op.arity() == 2 { self.value(b) } else { None };
        let is_open = node.operands().any(|operand| !self.is_number(operand));
        let is_ordered = !node.op.is_commutative() || number.is_some() || (!self.is_number(a) && a <= b);
        let fits = match node.op {
            Op::Not | Op::Neg => self.is_normal_inversion(node),
            Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                self.is_normal_arithmetic(node, number)
            }
            Op::And | Op::Or | Op::Xor => a != b && self.is_normal_bitwise(node, number),
            Op::Shl => number.is_none_or(|c| c != 0 && c < node.width.into() && !self.is_multiple(a)),
            Op::LShr | Op::AShr => number.is_none(),
            Op::Concat => self.is_normal_concat(a, b),
            Op::Extract => self.is_normal_extract(node),
            Op::ZExt | Op::SExt => self.is_normal_extension(node),
            Op::Ite => self.is_normal_choice(node),
            Op::Eq => a != b && self.is_normal_equality(a, b, number),
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => a != b && self.is_normal_order(a, b),
            Op::Lookup => self.is_normal_lookup(node),
            Op::FEq | Op::FLt | Op::FLe => {
                a != b && !(self.is(a, Op::FConvert) && self.is(b, Op::FConvert) && self.width(a) == 64)
            }
            Op::FIsNan => !matches!(self.node(a).op, Op::FConvert | Op::FFromSigned | Op::FFromUnsigned),
            _ => true,
        };
        is_open && is_ordered && fits && !self.is_choice_of_numbers(node)
    }

    fn is(&self, term: Term, op: Op) -> bool {
        self.node(term).op == op
    }

    fn is_multiple(&self, term: Term) -> bool {
        self.by_number(term, Op::Mul).is_some() || self.by_number(term, Op::Shl).is_some()
    }

    fn is_normal_inversion(&self, node: &Node) -> bool {
        let (a, is_not) = (node.first(), node.op == Op::Not);
        match self.node(a).op {
            Op::Not | Op::Neg | Op::Ult | Op::Ule | Op::Slt | Op::Sle => false,
            Op::Add => self.by_number(a, Op::Add).is_none(),
            Op::Sub => is_not && self.of_number(a, Op::Sub).is_none(),
            Op::Xor if is_not => node.width > 1 && self.by_number(a, Op::Xor).is_none(),
            Op::Eq => self.pair(a, Op::Eq).is_some_and(|(x, _)| self.width(x) > 1),
            Op::Mul | Op::Shl => is_not || !self.is_multiple(a),
            _ => is_not || node.width > 1,
        }
    }

    fn is_normal_arithmetic(&self, node: &Node, number: Option<u128>) -> bool {
        let (op, a, b) = (node.op, node.first(), node.second());
        let Some(c) = number else {
            return match op {
                Op::Add => node.width > 1 && a != b && !self.is(a, Op::Neg) && !self.is(b, Op::Neg),
                Op::Sub => node.width > 1 && a != b && self.value(a) != Some(0) && !self.is(b, Op::Neg),
                Op::Mul => node.width > 1,
                Op::URem | Op::SRem => a != b,
                _ => true,
            };
        };
        match op {
            Op::Add => {
                c != 0 && node.width > 1 && self.by_number(a, Op::Add).is_none() && !self.is(a, Op::Not)
            }
            Op::Sub => false,
            Op::Mul => !c.is_power_of_two() && c != 0 && node.width > 1 && !self.is_multiple(a),
            Op::UDiv | Op::URem => !c.is_power_of_two() && c != 0 && !self.is(a, Op::ZExt),
            Op::SRem if c == 0 => false,
            _ => c != 1 && c != mask(node.bits()),
        }
    }

    fn is_normal_bitwise(&self, node: &Node, number: Option<u128>) -> bool {
        let (op, a, b) = (node.op, node.first(), node.second());
        let Some(c) = number else {
            let both = |inner| self.is(a, inner) && self.is(b, inner);
            let is_inverted = op == Op::Xor && (self.is(a, Op::Not) || self.is(b, Op::Not));
            return !both(Op::ZExt) && !is_inverted && (op == Op::Xor || !self.are_opposite(a, b));
        };
        let is_low_mask = op == Op::And && c & c.wrapping_add(1) == 0 && c != mask(node.bits()) >> 1;
        c != 0
            && c != mask(node.bits())
            && !is_low_mask
            && !self.is(a, Op::ZExt)
            && self.by_number(a, op).is_none()
            && !(op == Op::Xor && self.is(a, Op::Not))
    }

    fn is_normal_concat(&self, a: Term, b: Term) -> bool {
        let (high, low) = (self.node(a), self.node(b));
        let is_next = high.op == Op::Extract
            && low.op == Op::Extract
            && high.a == low.a
            && u32::from(high.extra) == u32::from(low.extra) + low.bits();
        let number_below = low.op == Op::ZExt || self.is_number(b) || self.of_number(b, Op::Concat).is_some();
        let are_numbers = self.is_number(a) && number_below;
        !matches!(high.op, Op::Concat | Op::ZExt) && self.value(a) != Some(0) && !is_next && !are_numbers
    }

    fn is_normal_extract(&self, node: &Node) -> bool {
        let inner = self.node(node.first());
        let is_part = node.bits() < inner.bits();
        let end = u32::from(node.extra) + node.bits();
        is_part
            && match inner.op {
                Op::Extract | Op::Concat | Op::ZExt | Op::SExt => false,
                Op::Shl => {
                    self.value(inner.second()).is_none_or(|by| u128::from(node.extra) < by && by < end.into())
                }
                Op::And | Op::Or | Op::Xor => self.value(inner.second()).is_none_or(|c| {
                    let seen = c >> node.extra & mask(node.bits());
                    seen != 0 && (inner.op == Op::Xor || seen != mask(node.bits()))
                }),
                _ => true,
            }
    }

    fn is_normal_extension(&self, node: &Node) -> bool {
        let inner = self.node(node.first());
        let is_extended = inner.op == Op::ZExt || inner.op == node.op;
        node.bits() > inner.bits() && !is_extended && self.of_number(node.first(), Op::Concat).is_none()
    }

    fn is_normal_choice(&self, node: &Node) -> bool {
        let (condition, arms) = (node.first(), [node.second(), node.third()]);
        let asks_again = arms.iter().any(|&arm| self.is(arm, Op::Ite) && self.node(arm).a == condition.0);
        let is_extension = match arms.map(|arm| self.value(arm)) {
            [Some(0), Some(c)] | [Some(c), Some(0)] => c == 1 || c == mask(node.bits()),
            [None, None] => false,
            _ => node.width == 1,
        };
        arms[0] != arms[1]
            && !self.is(condition, Op::Not)
            && !self.is_number(condition)
            && !asks_again
            && !is_extension
    }

    fn is_normal_equality(&self, a: Term, b: Term, number: Option<u128>) -> bool {
        let node = self.node(a);
        if number.is_none() {
            let same_extension = self.is(b, node.op) && matches!(node.op, Op::ZExt | Op::SExt | Op::Not);
            let is_inverted = node.width == 1 && (node.op == Op::Not || self.is(b, Op::Not));
            let same_term = self.without_number(a).0 == self.without_number(b).0;
            return !same_extension && !is_inverted && !same_term;
        }
        let undone = match node.op {
            Op::Not | Op::Neg | Op::ZExt | Op::SExt | Op::Concat => true,
            Op::Add | Op::Xor => self.is_number(node.second()),
            Op::Sub => self.is_number(node.first()),
            Op::Mul => self.value(node.second()).is_some_and(|c| c & 1 == 1),
            _ => false,
        };
        node.width > 1 && !undone
    }

    fn is_normal_order(&self, a: Term, b: Term) -> bool {
        let is_extension = |term| self.is(term, Op::ZExt) || self.is(term, Op::SExt);
        let narrows = match (self.is_number(a), self.is_number(b)) {
            (true, _) => is_extension(b),
            (_, true) => is_extension(a),
            _ => is_extension(a) && self.is(b, self.node(a).op),
        };
        self.width(a) > 1 && !narrows
    }

    fn is_normal_lookup(&self, node: &Node) -> bool {
        let rows = self.rows(node);
        let reachable = 1_usize.checked_shl(self.width(node.first())).unwrap_or(usize::MAX);
        let differ = rows.len() > 2 && rows[rows.len() - 1] != rows[rows.len() - 2];
        differ && rows.len() <= reachable && !self.is_number(node.first())
    }

    fn is_choice_of_numbers(&self, node: &Node) -> bool {
        let mut conditions = node.operands().filter(|&operand| !self.is_number(operand)).map(|operand| {
            let inner = self.node(operand);
            let of_numbers =
                inner.op == Op::Ite && self.is_number(inner.second()) && self.is_number(inner.third());
            of_numbers.then(|| inner.first())
        });
        let first = conditions.next().flatten();
        first.is_some() && conditions.all(|condition| condition == first)
    }
}
