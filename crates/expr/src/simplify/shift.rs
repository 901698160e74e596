//! Shifts. By a number to the right they are extensions of extracts.

use super::{Rewritten, again, done};
use crate::op::Op;
use crate::store::{Node, Terms};
use crate::value::mask;

impl Terms {
    pub(super) fn simplify_shl(&mut self, node: &Node) -> Rewritten {
        let (a, width) = (node.first(), node.bits());
        if self.value(a) == Some(0) {
            return done(a);
        }
        let by = match self.value(node.second())? {
            0 => return done(a),
            by if by >= width.into() => return self.number(0, width),
            by => by as u32,
        };
        if let Some((x, first)) = self.by_number(a, Op::Shl) {
            return again(self.with_number(Op::Shl, x, first + u128::from(by)));
        }
        if let Some((x, c)) = self.by_number(a, Op::Mul) {
            return again(self.with_number(Op::Mul, x, c << by));
        }
        matches!(self.node(a).op, Op::ZExt | Op::Concat | Op::Extract).then_some(())?;
        let kept = self.extract(a, 0, width - by);
        let zeros = self.constant(0, by);
        again(Node::binary(Op::Concat, width, kept, zeros))
    }

    pub(crate) fn simplify_lshr(&mut self, node: &Node) -> Rewritten {
        let (a, width) = (node.first(), node.bits());
        if self.value(a) == Some(0) {
            return done(a);
        }
        let by = match self.value(node.second())? {
            0 => return done(a),
            by if by >= width.into() => return self.number(0, width),
            by => by as u32,
        };
        let kept = self.extract(a, by, width - by);
        done(self.zext(kept, width))
    }

    pub(super) fn simplify_ashr(&mut self, node: &Node) -> Rewritten {
        let (a, width) = (node.first(), node.bits());
        if self.value(a).is_some_and(|value| value == 0 || value == mask(width)) {
            return done(a);
        }
        let by = match self.value(node.second())? {
            0 => return done(a),
            by => by.min(u128::from(width - 1)) as u32,
        };
        let kept = self.extract(a, by, width - by);
        again(Node::unary(Op::SExt, width, kept))
    }
}
