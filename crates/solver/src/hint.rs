//! What holds under the hint. Many questions in a row share their hint and most of their constraints, so values are
//! kept until another hint comes.

use crate::query::{assigned, parts};
use expr::{Op, Term, Terms, Variable, apply, mask};

/// Values of terms under one assignment.
#[derive(Default)]
pub(crate) struct Hint {
    assignment: Vec<u128>,
    /// By term; one counts if it was noted for this assignment.
    values: Vec<u128>,
    noted: Vec<u32>,
    number: u32,
}

impl Hint {
    /// Goes over to an assignment.
    pub(crate) fn set(&mut self, assignment: &[u128]) {
        if self.assignment != assignment || self.number == 0 {
            self.assignment.clear();
            self.assignment.extend_from_slice(assignment);
            self.number = self.number.wrapping_add(1);
            if self.number == 0 {
                self.noted.fill(0);
                self.number = 1;
            }
        }
    }

    fn is_known(&self, term: Term) -> bool {
        self.noted[term.index()] == self.number
    }

    fn known(&self, term: Term) -> u128 {
        self.values[term.index()]
    }

    /// The value of a term.
    pub(crate) fn value(&mut self, terms: &Terms, root: Term) -> u128 {
        if self.values.len() <= root.index() {
            self.values.resize(terms.len(), 0);
            self.noted.resize(terms.len(), 0);
        }
        if self.is_known(root) {
            return self.known(root);
        }
        let mut todo = vec![root];
        while let Some(&term) = todo.last() {
            let before = todo.len();
            if !self.is_known(term) {
                todo.extend(parts(terms, term).filter(|&part| !self.is_known(part)));
            }
            if todo.len() == before {
                todo.pop();
                if !self.is_known(term) {
                    self.values[term.index()] = self.computed(terms, term);
                    self.noted[term.index()] = self.number;
                }
            }
        }
        self.known(root)
    }

    /// The value of a term whose operands are known.
    fn computed(&self, terms: &Terms, term: Term) -> u128 {
        let node = terms.node(term);
        match node.op {
            Op::Const | Op::Wide => terms.value(term).unwrap_or(0),
            Op::Var => assigned(&self.assignment, Variable(node.a)) & mask(node.width.into()),
            Op::Lookup => {
                let rows: Vec<Term> = parts(terms, term).skip(1).collect();
                let last = rows.len() - 1;
                let index = usize::try_from(self.known(Term(node.a))).map_or(last, |index| index.min(last));
                self.known(rows[index])
            }
            op => {
                let (mut values, mut widths) = ([0; 3], [0; 3]);
                for (i, operand) in node.operands().enumerate() {
                    (values[i], widths[i]) = (self.known(operand), terms.width(operand));
                }
                apply(op, node.width.into(), node.extra.into(), values, widths)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_hint_gives_other_values() {
        let mut terms = Terms::new();
        let x = terms.variable(Variable(1), 8);
        let rows: Vec<Term> = [7, 8, 9].map(|row| terms.constant(row, 8)).to_vec();
        let row = terms.lookup(x, rows.into());
        let sum = terms.binary(Op::Add, row, x);
        let mut hint = Hint::default();
        for (assignment, value) in [(vec![], 7), (vec![0, 1], 9), (vec![0, 0x1ff], 8)] {
            hint.set(&assignment);
            assert_eq!(hint.value(&terms, sum), value, "{assignment:?}");
        }
    }
}
