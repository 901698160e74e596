//! Choices: of two, and of the rows of a table.

use super::rows::without_repeated_end;
use super::{Rewritten, again, done, is_ones};
use crate::build::row;
use crate::op::Op;
use crate::store::{Node, Table, TableId, Term, Terms};
use crate::value::apply;

impl Terms {
    /// An operation on numbers and on choices of numbers by one condition is itself such a choice.
    pub(super) fn chosen(&mut self, node: &Node) -> Rewritten {
        if node.op == Op::Lookup {
            return None;
        }
        let mut condition = None;
        let (mut then, mut otherwise, mut widths) = ([0; 3], [0; 3], [0; 3]);
        for (i, operand) in node.operands().enumerate() {
            widths[i] = self.width(operand);
            let (by, values) = self.choice_of_numbers(operand)?;
            [then[i], otherwise[i]] = values;
            condition = match (condition, by) {
                (Some(one), Some(other)) if one != other => return None,
                (known, by) => known.or(by),
            };
        }
        let width = node.bits();
        let on = |values| apply(node.op, width, node.extra.into(), values, widths);
        let (then, otherwise) = (self.constant(on(then), width), self.constant(on(otherwise), width));
        again(Node::ternary(Op::Ite, width, condition?, then, otherwise))
    }

    /// The two values of a choice of numbers and its condition; a number is a choice by any condition.
    fn choice_of_numbers(&self, term: Term) -> Option<(Option<Term>, [u128; 2])> {
        if let Some(value) = self.value(term) {
            return Some((None, [value; 2]));
        }
        let node = self.node(term);
        (node.op == Op::Ite).then_some(())?;
        Some((Some(node.first()), [self.value(node.second())?, self.value(node.third())?]))
    }

    pub(super) fn simplify_ite(&mut self, node: &Node) -> Rewritten {
        let (condition, then, otherwise) = (node.first(), node.second(), node.third());
        let width = node.bits();
        if let Some(value) = self.value(condition) {
            return done(if value != 0 { then } else { otherwise });
        }
        if then == otherwise {
            return done(then);
        }
        if let Some(opposite) = self.under(condition, Op::Not) {
            return again(Node::ternary(Op::Ite, width, opposite, otherwise, then));
        }
        if let Some(arm) = self.arm(condition, then, true) {
            return again(Node::ternary(Op::Ite, width, condition, arm, otherwise));
        }
        if let Some(arm) = self.arm(condition, otherwise, false) {
            return again(Node::ternary(Op::Ite, width, condition, then, arm));
        }
        if width == 1 {
            return self.logic(condition, then, otherwise);
        }
        let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
        match (then, otherwise) {
            (1, 0) => again(Node::unary(Op::ZExt, width, condition)),
            (0, 1) => again(Node::unary(Op::ZExt, width, self.not(condition))),
            (ones, 0) if is_ones(ones, width) => again(Node::unary(Op::SExt, width, condition)),
            (0, ones) if is_ones(ones, width) => again(Node::unary(Op::SExt, width, self.not(condition))),
            _ => None,
        }
    }

    /// The arm of a choice by the same condition inside a choice.
    fn arm(&self, condition: Term, inner: Term, truth: bool) -> Option<Term> {
        let node = self.node(inner);
        (node.op == Op::Ite && node.first() == condition).then_some(())?;
        Some(if truth { node.second() } else { node.third() })
    }

    /// A choice of truth values with a constant arm.
    fn logic(&mut self, condition: Term, then: Term, otherwise: Term) -> Rewritten {
        match (self.value(then), self.value(otherwise)) {
            (Some(1), Some(_)) => done(condition),
            (Some(_), Some(_)) => again(Node::unary(Op::Not, 1, condition)),
            (Some(1), None) => again(Node::binary(Op::Or, 1, condition, otherwise)),
            (None, Some(0)) => again(Node::binary(Op::And, 1, condition, then)),
            (Some(_), None) => again(Node::binary(Op::And, 1, self.not(condition), otherwise)),
            (None, Some(_)) => again(Node::binary(Op::Or, 1, self.not(condition), then)),
            (None, None) => None,
        }
    }

    /// Only the rows that an index of this width can reach, without repetitions of the last one.
    pub(crate) fn trimmed(&self, index: Term, rows: &[Term]) -> Table {
        let reachable = 1_usize.checked_shl(self.width(index)).unwrap_or(usize::MAX);
        without_repeated_end(&rows[..rows.len().min(reachable)])
    }

    pub(super) fn simplify_lookup(&mut self, node: &Node) -> Rewritten {
        let (index, width) = (node.first(), node.bits());
        let rows = self.table(TableId(node.b));
        if let Some(value) = self.value(index) {
            return done(row(rows, value));
        }
        if let Some((Some(condition), [then, otherwise])) = self.choice_of_numbers(index) {
            let (then, otherwise) = (row(rows, then), row(rows, otherwise));
            return again(Node::ternary(Op::Ite, width, condition, then, otherwise));
        }
        match **rows {
            [only] => done(only),
            [first, second] => {
                let zero = self.constant(0, self.width(index));
                let is_first = self.binary(Op::Eq, index, zero);
                again(Node::ternary(Op::Ite, width, is_first, first, second))
            }
            _ => self.in_ranges(index, TableId(node.b)),
        }
    }
}
