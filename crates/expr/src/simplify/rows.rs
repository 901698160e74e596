//! Tables of numbers: what a program looks up it mostly asks one thing about.
//!
//! `isspace(c)` looks a word up in a table of 384 and takes one bit of it. Operations with numbers are done on all rows
//! instead, so that in the end there is a table of truth values; and if those are true in a few ranges only, it becomes
//! what a person would have written: `c == ' ' || c - '\t' < 5`.

use super::{Rewritten, again, done};
use crate::op::Op;
use crate::store::{Node, Table, TableId, Term, Terms};
use crate::value::{apply, mask};

/// Rows of a table on which operations are done.
const MOST_ROWS: usize = 512;
/// Ranges of a table of truth values that are better told one by one.
const MOST_RANGES: usize = 4;

impl Terms {
    /// An operation on numbers and one row of a table of numbers is a row of another table.
    pub(super) fn looked_up(&mut self, node: &Node) -> Rewritten {
        if matches!(node.op, Op::Lookup | Op::Ite | Op::FFma) {
            return None;
        }
        let mut found = None;
        for (i, operand) in node.operands().enumerate() {
            if self.is_number(operand) {
                continue;
            }
            let inner = self.node(operand);
            if inner.op != Op::Lookup || found.is_some() {
                return None;
            }
            found = Some((i, inner.first(), TableId(inner.b)));
        }
        let (place, index, table) = found?;
        let rows = self.mapped(node, place, table)?;
        again(Node::binary(Op::Lookup, node.bits(), index, Term(rows.0)))
    }

    /// The table of what a node makes of the rows of another one as its operand number `place`, if they are numbers.
    fn mapped(&mut self, node: &Node, place: usize, table: TableId) -> Option<TableId> {
        let other = node.operands().enumerate().find(|&(i, _)| i != place).map(|(_, term)| term);
        let key = (table, place, Node { a: 0, b: other.map_or(0, |term| term.0), c: 0, ..*node });
        if let Some(&known) = self.mapped.get(&key) {
            return Some(known);
        }
        if !self.is_table_of_numbers(table) {
            return None;
        }
        let width = node.bits();
        let (mut values, mut widths) = ([0; 3], [0; 3]);
        if let Some(other) = other {
            values[1 - place] = self.value(other).unwrap_or(0);
            widths[1 - place] = self.width(other);
        }
        let rows: Table = self.table(table).clone();
        widths[place] = self.width(rows[0]);
        let mut of_row = |terms: &mut Terms, row: Term| {
            values[place] = terms.value(row).unwrap_or(0);
            let value = apply(node.op, width, node.extra.into(), values, widths);
            terms.constant(value, width)
        };
        let new: Table = rows.iter().map(|&row| of_row(self, row)).collect();
        let new = self.intern_table(without_repeated_end(&new));
        self.mapped.insert(key, new);
        Some(new)
    }

    fn is_table_of_numbers(&self, table: TableId) -> bool {
        let rows = self.table(table);
        rows.len() <= MOST_ROWS && rows.iter().all(|&row| self.is_number(row))
    }

    /// A row of a table of truth values, as the ranges of the index in which it is true.
    pub(super) fn in_ranges(&mut self, index: Term, table: TableId) -> Rewritten {
        let rows = self.table(table);
        if self.width(rows[0]) != 1 || !self.is_table_of_numbers(table) {
            return None;
        }
        let truths: Vec<bool> = rows.iter().map(|&row| self.value(row) == Some(1)).collect();
        let [false_in, true_in] = [false, true].map(|truth| ranges(&truths, truth));
        let is_inverted = false_in.len() < true_in.len();
        let ranges = if is_inverted { false_in } else { true_in };
        if ranges.len() > MOST_RANGES {
            return None;
        }
        let mut any = self.truth(false);
        for (first, end) in ranges {
            let here = self.in_range(index, first, end);
            any = self.binary(Op::Or, any, here);
        }
        done(if is_inverted { self.not(any) } else { any })
    }

    fn in_range(&mut self, index: Term, first: usize, end: Option<usize>) -> Term {
        let width = self.width(index);
        let start = self.constant(first as u128, width);
        match end {
            // The last row is that of all larger numbers.
            None => self.binary(Op::Ule, start, index),
            Some(end) if end == first + 1 => self.binary(Op::Eq, index, start),
            Some(end) => {
                let back = self.constant((first as u128).wrapping_neg() & mask(width), width);
                let offset = self.binary(Op::Add, index, back);
                let length = self.constant((end - first) as u128, width);
                self.binary(Op::Ult, offset, length)
            }
        }
    }
}

/// Where a list has a value: starts and ends, no end for a range that goes on.
fn ranges(truths: &[bool], truth: bool) -> Vec<(usize, Option<usize>)> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for run in truths.chunk_by(|a, b| a == b) {
        let end = start + run.len();
        if run[0] == truth {
            ranges.push((start, (end < truths.len()).then_some(end)));
        }
        start = end;
    }
    ranges
}

/// Rows of a table without repetitions of the last one.
pub(super) fn without_repeated_end(rows: &[Term]) -> Table {
    let last = rows[rows.len() - 1];
    let repeated = rows.iter().rev().take_while(|&&row| row == last).count();
    rows[..=rows.len() - repeated].into()
}
