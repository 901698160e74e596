//! Evaluation: a set of terms laid out as a straight-line program, run under one assignment after another.
//!
//! Values lie in slots of 64 bits, those of wider terms in two. Nearly every step is narrow and computes in machine
//! words.

use crate::Assignment;
use crate::op::Op;
use crate::store::{Node, Term, Terms, Variable};
use crate::value::{apply, apply_narrow, mask};
use rustc_hash::FxHashMap;

/// A straight-line program that computes some terms and all that they are made of.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    steps: Vec<Step>,
    /// Slots of the rows of lookups.
    rows: Vec<u32>,
    /// First slot and width of every term.
    slots: FxHashMap<Term, Slot>,
    roots: Vec<Slot>,
    variables: Vec<(Variable, u32)>,
    variable_slots: Vec<u32>,
    values: Vec<u64>,
}

/// Where the value of a term is found.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    first: u32,
    width: u8,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    op: Op,
    width: u8,
    extra: u8,
    /// Whether the result or an operand has more than 64 bits.
    is_wide: bool,
    /// Of the first two operands; no operation asks for that of the third.
    widths: [u8; 2],
    /// Slots of the operands; for lookups that of the index and a range of `rows`.
    operands: [u32; 3],
    target: u32,
}

impl Tape {
    /// A tape for these terms.
    #[must_use]
    pub fn new(terms: &Terms, roots: &[Term]) -> Tape {
        let mut tape = Tape::default();
        tape.add_all(terms, roots);
        tape
    }

    /// Adds a term and what it is made of.
    pub fn add(&mut self, terms: &Terms, root: Term) {
        self.add_all(terms, &[root]);
    }

    fn add_all(&mut self, terms: &Terms, roots: &[Term]) {
        let new = terms.reachable_except(roots, |term| self.slots.contains_key(&term));
        self.slots.reserve(new.len());
        for term in new {
            self.push(terms, term);
        }
        self.roots.extend(roots.iter().map(|root| self.slots[root]));
    }

    fn push(&mut self, terms: &Terms, term: Term) {
        let node = terms.node(term);
        let slot = Slot { first: self.values.len() as u32, width: node.width };
        self.values.extend_from_slice(if node.width > 64 { &[0, 0] } else { &[0] });
        self.slots.insert(term, slot);
        match node.op {
            Op::Const | Op::Wide => {
                let value = terms.value(term).unwrap_or(0);
                write(&mut self.values, slot.first, node.bits(), value);
            }
            Op::Var => {
                self.variables.push((Variable(node.a), node.bits()));
                self.variable_slots.push(slot.first);
            }
            _ => self.push_step(terms, &node, slot.first),
        }
    }

    fn push_step(&mut self, terms: &Terms, node: &Node, target: u32) {
        let Node { op, width, extra, .. } = *node;
        let (mut widths, mut operands) = ([0; 3], [0; 3]);
        for (i, operand) in node.operands().enumerate() {
            let slot = self.slots[&operand];
            (operands[i], widths[i]) = (slot.first, slot.width);
        }
        if op == Op::Lookup {
            operands[1] = self.rows.len() as u32;
            self.rows.extend(terms.rows(node).iter().map(|row| self.slots[row].first));
            operands[2] = self.rows.len() as u32;
        }
        let is_wide = width > 64 || widths.iter().any(|&width| width > 64);
        let widths = [widths[0], widths[1]];
        self.steps.push(Step { op, width, extra, is_wide, widths, operands, target });
    }

    /// The variables that matter, with their widths, the oldest first.
    #[must_use]
    pub fn variables(&self) -> &[(Variable, u32)] {
        &self.variables
    }

    /// How many operations one run takes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to compute.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Computes everything under an assignment.
    pub fn run(&mut self, assignment: &Assignment) {
        for (&(variable, width), &slot) in self.variables.iter().zip(&self.variable_slots) {
            let value = assignment.get(variable.0 as usize).copied().unwrap_or(0) & mask(width);
            write(&mut self.values, slot, width, value);
        }
        for step in &self.steps {
            let values = &mut self.values;
            if step.op == Op::Lookup {
                choose_row(step, &self.rows, values);
            } else if step.is_wide {
                run_wide(step, values);
            } else {
                let operands = step.operands.map(|slot| values[slot as usize]);
                let widths = step.widths.map(u32::from);
                values[step.target as usize] =
                    apply_narrow(step.op, step.width.into(), step.extra.into(), operands, widths);
            }
        }
    }

    /// The value of a term of this tape in the last run; 0 for others.
    #[must_use]
    pub fn value(&self, term: Term) -> u128 {
        self.slots.get(&term).map_or(0, |&slot| self.at(slot))
    }

    /// Where the values of a term will be, for those who ask after every run.
    #[must_use]
    pub fn slot(&self, term: Term) -> Option<Slot> {
        self.slots.get(&term).copied()
    }

    /// The value in a slot of this tape.
    #[inline]
    #[must_use]
    pub fn at(&self, slot: Slot) -> u128 {
        read(&self.values, slot.first, slot.width.into())
    }

    /// The value of the root that was given or added at this place.
    #[inline]
    #[must_use]
    pub fn root(&self, place: usize) -> u128 {
        self.roots.get(place).map_or(0, |&slot| self.at(slot))
    }
}

fn choose_row(step: &Step, rows: &[u32], values: &mut [u64]) {
    let [index, from, to] = step.operands;
    let rows = &rows[from as usize..to as usize];
    let index = read(values, index, step.widths[0].into());
    let last = rows.len() - 1;
    let row = rows[usize::try_from(index).map_or(last, |i| i.min(last))];
    let value = read(values, row, step.width.into());
    write(values, step.target, step.width.into(), value);
}

fn run_wide(step: &Step, values: &mut [u64]) {
    let [a, b, c] = step.operands;
    let [first, second] = step.widths.map(u32::from);
    // The third operand of a choice is as wide as its result; no other wide operation has three.
    let operands = [read(values, a, first), read(values, b, second), read(values, c, step.width.into())];
    let value = apply(step.op, step.width.into(), step.extra.into(), operands, [first, second, 0]);
    write(values, step.target, step.width.into(), value);
}

#[inline]
fn read(values: &[u64], slot: u32, width: u32) -> u128 {
    let slot = slot as usize;
    let high = if width > 64 { values.get(slot + 1).copied().unwrap_or(0) } else { 0 };
    u128::from(high) << 64 | u128::from(values[slot])
}

#[inline]
fn write(values: &mut [u64], slot: u32, width: u32, value: u128) {
    let slot = slot as usize;
    values[slot] = value as u64;
    if width > 64 {
        values[slot + 1] = (value >> 64) as u64;
    }
}
