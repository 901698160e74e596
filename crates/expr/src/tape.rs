//! Evaluation: a set of terms laid out as a straight-line program, run under one assignment after another.

use crate::Assignment;
use crate::op::Op;
use crate::store::{TableId, Term, Terms, Variable};
use crate::value::{apply, mask};
use std::collections::HashMap;

/// A straight-line program that computes some terms and all that they are made of.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    steps: Vec<Step>,
    rows: Vec<u32>,
    slots: HashMap<Term, u32>,
    variables: Vec<(Variable, u32)>,
    values: Vec<u128>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    op: Op,
    width: u8,
    extra: u8,
    /// Slots of the operands; for constants nothing, for variables the index, for lookups `b..c` in `rows`.
    operands: [u32; 3],
    widths: [u8; 3],
}

impl Tape {
    /// A tape for these terms.
    #[must_use]
    pub fn new(terms: &Terms, roots: &[Term]) -> Tape {
        let mut tape = Tape::default();
        for &root in roots {
            tape.add(terms, root);
        }
        tape
    }

    /// Adds a term and what it is made of.
    pub fn add(&mut self, terms: &Terms, root: Term) {
        let mut todo = vec![root];
        while let Some(&term) = todo.last() {
            if self.slots.contains_key(&term) {
                todo.pop();
                continue;
            }
            let node = terms.node(term);
            let before = todo.len();
            todo.extend(node.operands().filter(|operand| !self.slots.contains_key(operand)));
            if node.op == Op::Lookup {
                let rows = terms.table(TableId(node.b));
                todo.extend(rows.iter().filter(|row| !self.slots.contains_key(row)));
            }
            if todo.len() == before {
                todo.pop();
                self.push(terms, term);
            }
        }
    }

    fn push(&mut self, terms: &Terms, term: Term) {
        let node = terms.node(term);
        let slot = self.steps.len() as u32;
        let mut step = Step {
            op: node.op,
            width: node.width,
            extra: node.extra,
            operands: [node.a, node.b, node.c],
            widths: [0; 3],
        };
        for (i, operand) in node.operands().enumerate() {
            step.operands[i] = self.slots[&operand];
            step.widths[i] = terms.width(operand) as u8;
        }
        match node.op {
            Op::Var => self.variables.push((Variable(node.a), node.width.into())),
            Op::Lookup => {
                let rows = terms.table(TableId(node.b));
                step.operands[1] = self.rows.len() as u32;
                self.rows.extend(rows.iter().map(|row| self.slots[row]));
                step.operands[2] = self.rows.len() as u32;
            }
            _ => {}
        }
        self.steps.push(step);
        self.values.push(terms.value(term).unwrap_or(0));
        self.slots.insert(term, slot);
    }

    /// The variables that matter, with their widths, in order of first use.
    #[must_use]
    pub fn variables(&self) -> &[(Variable, u32)] {
        &self.variables
    }

    /// How many operations one run takes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it computes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Computes everything under an assignment.
    pub fn run(&mut self, assignment: &Assignment) {
        for (i, step) in self.steps.iter().enumerate() {
            let [a, b, c] = step.operands;
            let value = match step.op {
                Op::Const | Op::Wide => continue,
                Op::Var => assignment.get(a as usize).copied().unwrap_or(0) & mask(step.width.into()),
                Op::Lookup => {
                    let rows = &self.rows[b as usize..c as usize];
                    let index = self.values[a as usize];
                    let last = rows.len() - 1;
                    self.values[rows[usize::try_from(index).map_or(last, |i| i.min(last))] as usize]
                }
                op => {
                    let at =
                        |slot: u32, n: usize| if n < op.arity() { self.values[slot as usize] } else { 0 };
                    let widths = step.widths.map(u32::from);
                    apply(op, step.width.into(), step.extra.into(), [at(a, 0), at(b, 1), at(c, 2)], widths)
                }
            };
            self.values[i] = value;
        }
    }

    /// The value of a term of this tape in the last run; 0 for others.
    #[must_use]
    pub fn value(&self, term: Term) -> u128 {
        self.slots.get(&term).map_or(0, |&slot| self.values[slot as usize])
    }
}
