//! How near the operands of a comparison are to where it turns out otherwise, as a decision of its own.

use crate::machine::{Fallible, Machine};
use crate::outcome::What;
use crate::value::Number;
use expr::{Op, Term, sign_extend};
use java_classfile::Pc;
use java_classfile::instruction::{Condition, NumericKind};
use smallvec::SmallVec;

impl Machine<'_, '_> {
    /// Behind a jump on the order of two integers: are they as near as they can be on this side of it?
    pub(super) fn boundary(
        &mut self,
        condition: Condition,
        holds: bool,
        left: Number,
        right: Number,
    ) -> Fallible<()> {
        let is_integer = matches!(left.kind, NumericKind::Int | NumericKind::Long);
        let is_ordered = !matches!(condition, Condition::Eq | Condition::Ne);
        if !is_integer || !is_ordered || left.term.is_none() && right.term.is_none() {
            return Ok(());
        }
        let nearest = nearest(condition, holds);
        let near = signed(left) - signed(right) == nearest;
        let term = self.is_apart(left, right, nearest);
        let Some(term) = self.open(term) else { return Ok(()) };
        let negated = self.terms.not(term);
        let (holding, failing) = if near { (term, negated) } else { (negated, term) };
        let jump = self.jump_number()?;
        let others = SmallVec::from_elem((Pc::MAX, failing), 1);
        self.decide(What::Boundary { jump, holds, near }, Some(holding), others);
        Ok(())
    }

    /// Whether two numbers are so far apart. What is one more than the highest number is none: their order, which stands before it on the path,
    /// rules that out.
    fn is_apart(&mut self, left: Number, right: Number, difference: i128) -> Term {
        let one = self.terms.constant(1, left.width());
        let (left, right) = (self.term(left), self.term(right));
        let (left, right) = match difference {
            0 => (left, right),
            1 => (left, self.terms.binary(Op::Add, right, one)),
            _ => (self.terms.binary(Op::Add, left, one), right),
        };
        self.terms.binary(Op::Eq, left, right)
    }
}

/// The difference of operands that is nearest to those with which a relation turns out otherwise.
fn nearest(condition: Condition, holds: bool) -> i128 {
    match (condition, holds) {
        (Condition::Lt, true) | (Condition::Ge, false) => -1,
        (Condition::Gt, true) | (Condition::Le, false) => 1,
        _ => 0,
    }
}

fn signed(number: Number) -> i128 {
    sign_extend(number.bits.into(), number.width())
}
