//! Interval propagation: the range of every term follows from its operands, and where the result is known to lie in
//! less, the operands follow from it. An empty range is a proof.

use super::range::Range;
use crate::query::{Query, assign, assigned, parts};
use expr::{Node, Op, Term, Variable, mask};
use std::collections::BTreeMap;

/// Constraints up to which it is worth finding out which of them contradict each other.
const FEW: usize = 32;

/// What the ranges tell.
pub(crate) enum Outcome {
    /// These constraints cannot hold together.
    Contradiction(Vec<Term>),
    /// Assignments worth a try: the hint moved into the ranges of its variables, and their ends.
    Candidates(Vec<Vec<u128>>),
}

/// Propagates from the constraints.
pub(crate) fn propagate(query: &Query, start: &[u128], rounds: usize) -> Outcome {
    match Intervals::propagated(query, &query.constraints, rounds) {
        Some(intervals) => Outcome::Candidates(intervals.candidates(start)),
        None => Outcome::Contradiction(core(query, rounds)),
    }
}

/// The values that each variable may have: the first, and how many from there on, around the end if need be. `None` if that is
/// known of none.
pub(crate) fn values(query: &Query, rounds: usize) -> Option<BTreeMap<Variable, (u128, u128)>> {
    let intervals = Intervals::propagated(query, &query.constraints, rounds)?;
    let narrow = |range: Range| {
        let unsigned = (range.low, (range.high - range.low).saturating_add(1));
        let room = range.most.wrapping_sub(range.least) as u128;
        let signed = (range.least as u128 & mask(range.width), room.saturating_add(1));
        if signed.1 < unsigned.1 { signed } else { unsigned }
    };
    Some(intervals.inputs().into_iter().map(|(variable, range)| (variable, narrow(range))).collect())
}

/// The constraints that a contradiction needs: those without which it is not found.
fn core(query: &Query, rounds: usize) -> Vec<Term> {
    let mut core = query.constraints.clone();
    if core.len() > FEW {
        return core;
    }
    for constraint in &query.constraints {
        let rest: Vec<Term> = core.iter().copied().filter(|kept| kept != constraint).collect();
        if Intervals::propagated(query, &rest, rounds).is_none() {
            core = rest;
        }
    }
    core
}

struct Intervals<'q, 't> {
    query: &'q Query<'t>,
    /// By place in the order of the query.
    ranges: Vec<Range>,
    changed: bool,
}

impl<'q, 't> Intervals<'q, 't> {
    /// The ranges if some constraints hold; none if they cannot.
    fn propagated(query: &'q Query<'t>, constraints: &[Term], rounds: usize) -> Option<Intervals<'q, 't>> {
        let mut intervals = Intervals::new(query, constraints);
        for _ in 0..rounds {
            intervals.changed = false;
            if !(intervals.forwards() && intervals.backwards()) {
                return None;
            }
            if !intervals.changed {
                break;
            }
        }
        Some(intervals)
    }

    fn new(query: &'q Query<'t>, constraints: &[Term]) -> Intervals<'q, 't> {
        let range = |&term: &Term| {
            let width = query.terms.width(term);
            query.terms.value(term).map_or(Range::all(width), |value| Range::point(width, value))
        };
        let mut ranges: Vec<Range> = query.order.iter().map(range).collect();
        for &constraint in constraints {
            ranges[query.place(constraint)] = Range::truth(true);
        }
        Intervals { query, ranges, changed: false }
    }

    fn of(&self, term: u32) -> Range {
        self.ranges[self.query.place(Term(term))]
    }

    /// Narrows a term; whether anything is left.
    fn narrow(&mut self, term: u32, range: &Range) -> bool {
        let place = self.query.place(Term(term));
        let met = self.ranges[place].meet(range);
        self.changed |= met != self.ranges[place];
        self.ranges[place] = met;
        !met.is_empty()
    }

    fn forwards(&mut self) -> bool {
        let query = self.query;
        query.order.iter().all(|&term| {
            let range = self.result(&query.terms.node(term), term);
            self.narrow(term.0, &range)
        })
    }

    fn backwards(&mut self) -> bool {
        let query = self.query;
        query.order.iter().rev().all(|&term| self.operands(&query.terms.node(term), term))
    }

    /// The range of a term by those of its operands.
    fn result(&self, node: &Node, term: Term) -> Range {
        let width = u32::from(node.width);
        let all = Range::all(width);
        if node.op.arity() == 0 || node.op.is_float() {
            return all;
        }
        let a = self.of(node.a);
        let b = if node.op.arity() > 1 { self.of(node.b) } else { a };
        match node.op {
            Op::Not => a.complement(),
            Op::Neg => a.negated(),
            Op::Add => a.plus(&b),
            Op::Sub => a.minus(&b),
            Op::Mul => a.times(&b),
            Op::UDiv if b.low > 0 => Range::unsigned(width, a.low / b.high, a.high / b.low),
            Op::URem if a.high < b.low => a,
            Op::URem if b.low > 0 => Range::unsigned(width, 0, a.high.min(b.high - 1)),
            Op::SDiv | Op::SRem if b.least > 0 => divided(node.op, &a, &b),
            Op::And => Range::unsigned(width, 0, a.high.min(b.high)),
            Op::Or => Range::unsigned(width, a.low.max(b.low), ones_up_to(a.high | b.high)),
            Op::Xor => Range::unsigned(width, 0, ones_up_to(a.high | b.high)),
            Op::Shl | Op::LShr | Op::AShr => shifted(node.op, &a, &b),
            Op::Concat => Range::unsigned(width, a.low << b.width | b.low, a.high << b.width | b.high),
            Op::Extract if a.high >> node.extra <= mask(width) => {
                Range::unsigned(width, a.low >> node.extra, a.high >> node.extra)
            }
            Op::ZExt => Range::unsigned(width, a.low, a.high),
            Op::SExt => Range::signed(width, Some(a.least), Some(a.most)),
            Op::Ite => match a.only() {
                Some(0) => self.of(node.c),
                Some(_) => b,
                None => b.join(&self.of(node.c)),
            },
            Op::Lookup => self.rows(term, all),
            op if op.is_predicate() => decided(op, &a, &b, node.a == node.b).map_or(all, Range::truth),
            _ => all,
        }
    }

    /// The hull of the rows of a lookup; the index itself is skipped.
    fn rows(&self, term: Term, all: Range) -> Range {
        let rows = parts(self.query.terms, term).skip(1).map(|row| self.of(row.0));
        rows.reduce(|a, b| a.join(&b)).unwrap_or(all)
    }

    /// Narrows the operands of a term by its own range; whether anything is left.
    fn operands(&mut self, node: &Node, term: Term) -> bool {
        if node.op.arity() == 0 || node.op.is_float() {
            return true;
        }
        let result = self.of(term.0);
        let a = self.of(node.a);
        let b = if node.op.arity() > 1 { self.of(node.b) } else { a };
        let (to_a, to_b) = match node.op {
            Op::Not => (result.complement(), None),
            Op::Neg => (result.negated(), None),
            Op::Add => (result.minus(&b), Some(result.minus(&a))),
            Op::Sub => (result.plus(&b), Some(a.minus(&result))),
            Op::And if node.width > 1 => (
                Range::unsigned(a.width, result.low, a.high),
                Some(Range::unsigned(b.width, result.low, b.high)),
            ),
            Op::Or if node.width > 1 => {
                (Range::unsigned(a.width, 0, result.high), Some(Range::unsigned(b.width, 0, result.high)))
            }
            Op::And | Op::Or => connective(node.op, &result, &a, &b),
            Op::Concat => (Range::unsigned(a.width, result.low >> b.width, result.high >> b.width), None),
            Op::ZExt if result.low > mask(a.width) => return false,
            Op::ZExt => (Range::unsigned(a.width, result.low, result.high), None),
            Op::SExt => {
                (Range::signed(a.width, Some(result.least.max(a.least)), Some(result.most.min(a.most))), None)
            }
            Op::Extract if node.extra == 0 && a.high <= mask(result.width) => {
                (Range::unsigned(a.width, result.low, result.high), None)
            }
            Op::UDiv if b.only().is_some_and(|by| by > 0) => (undivided(&result, &a, b.low), None),
            Op::LShr if b.only().is_some_and(|by| by < a.width.into()) => {
                (undivided(&result, &a, 1 << b.low), None)
            }
            Op::Mul if b.low > 0 && a.high.checked_mul(b.high).is_some_and(|top| top <= mask(a.width)) => {
                (Range::unsigned(a.width, result.low.div_ceil(b.high), result.high / b.low), None)
            }
            Op::Ite => return self.choice(node, &result, &a),
            op if op.is_predicate() => match result.only() {
                Some(truth) => compared(op, truth == 1, &a, &b),
                None => return true,
            },
            _ => return true,
        };
        self.narrow(node.a, &to_a) && to_b.is_none_or(|to_b| self.narrow(node.b, &to_b))
    }

    fn choice(&mut self, node: &Node, result: &Range, condition: &Range) -> bool {
        let [then, otherwise] = [node.b, node.c].map(|branch| self.of(branch).meet(result).is_empty());
        match (condition.only(), then, otherwise) {
            (Some(0), ..) => self.narrow(node.c, result),
            (Some(_), ..) => self.narrow(node.b, result),
            (None, true, true) => false,
            (None, true, false) => self.narrow(node.a, &Range::truth(false)),
            (None, false, true) => self.narrow(node.a, &Range::truth(true)),
            _ => true,
        }
    }

    /// The range of each variable; of one read with two widths, that of the wider.
    fn inputs(&self) -> BTreeMap<Variable, Range> {
        let mut inputs: BTreeMap<Variable, Range> = BTreeMap::new();
        for (&term, range) in self.query.order.iter().zip(&self.ranges) {
            let node = self.query.terms.node(term);
            if node.op == Op::Var {
                let known = inputs.entry(Variable(node.a)).or_insert(*range);
                *known = if range.width > known.width { *range } else { *known };
            }
        }
        inputs
    }

    fn candidates(&self, start: &[u128]) -> Vec<Vec<u128>> {
        let ranges = self.inputs();
        let with = |pick: &dyn Fn(&Range, u128) -> u128| {
            let mut assignment = start.to_vec();
            for (variable, range) in &ranges {
                let hint = assigned(start, *variable) & mask(range.width);
                assign(&mut assignment, *variable, pick(range, hint));
            }
            assignment
        };
        vec![
            with(&|range, hint| inside(range, hint)),
            with(&|range, _| range.low),
            with(&|range, _| range.high),
            with(&|range, _| range.most as u128 & mask(range.width)),
        ]
    }
}

/// The number of a range nearest to a hint.
fn inside(range: &Range, hint: u128) -> u128 {
    let signed = expr::sign_extend(hint, range.width);
    if signed < range.least || signed > range.most {
        return signed.clamp(range.least, range.most) as u128 & mask(range.width);
    }
    hint.clamp(range.low, range.high)
}

/// All ones below and at the highest bit.
fn ones_up_to(value: u128) -> u128 {
    if value == 0 { 0 } else { u128::MAX >> value.leading_zeros() }
}

/// Signed division by something positive.
fn divided(op: Op, a: &Range, b: &Range) -> Range {
    if op == Op::SRem {
        let least = if a.least >= 0 { 0 } else { a.least.max(-(b.most - 1)) };
        let most = if a.most <= 0 { 0 } else { a.most.min(b.most - 1) };
        return Range::signed(a.width, Some(least), Some(most));
    }
    let corners = [a.least, a.most].map(|a| [b.least, b.most].map(|b| a / b));
    let corners = corners.as_flattened();
    Range::signed(a.width, corners.iter().min().copied(), corners.iter().max().copied())
}

/// The dividends of an unsigned division by a constant.
fn undivided(result: &Range, a: &Range, by: u128) -> Range {
    let low = result.low.saturating_mul(by);
    let high = result.high.saturating_mul(by).saturating_add(by - 1);
    // A saturated bound lies above every number of the width.
    if low > mask(a.width) { Range { low: 1, high: 0, ..*a } } else { Range::unsigned(a.width, low, high) }
}

fn shifted(op: Op, a: &Range, b: &Range) -> Range {
    let width = a.width;
    let Some(by) = b.only().filter(|&by| by < width.into()) else { return Range::all(width) };
    match op {
        Op::LShr => Range::unsigned(width, a.low >> by, a.high >> by),
        Op::AShr => Range::signed(width, Some(a.least >> by), Some(a.most >> by)),
        _ if a.high <= mask(width) >> by => Range::unsigned(width, a.low << by, a.high << by),
        _ => Range::all(width),
    }
}

/// The outcome of a comparison, if the ranges tell.
fn decided(op: Op, a: &Range, b: &Range, same: bool) -> Option<bool> {
    match op {
        Op::Eq | Op::Ule | Op::Sle if same => Some(true),
        Op::Ult | Op::Slt if same => Some(false),
        Op::Eq if a.meet(b).is_empty() => Some(false),
        Op::Eq => (a.only().is_some() && a.only() == b.only()).then_some(true),
        Op::Ult => before(a.high < b.low, a.low >= b.high),
        Op::Ule => before(a.high <= b.low, a.low > b.high),
        Op::Slt => before(a.most < b.least, a.least >= b.most),
        Op::Sle => before(a.most <= b.least, a.least > b.most),
        _ => None,
    }
}

fn before(surely: bool, never: bool) -> Option<bool> {
    if surely { Some(true) } else { never.then_some(false) }
}

/// What both operands of a comparison with a known outcome are within.
fn compared(op: Op, truth: bool, a: &Range, b: &Range) -> (Range, Option<Range>) {
    let (to_a, to_b) = match (op, truth) {
        (Op::Eq, true) => (*b, *a),
        (Op::Eq, false) => {
            (b.only().map_or(*a, |value| a.without(value)), a.only().map_or(*b, |value| b.without(value)))
        }
        (Op::Ult, true) => unsigned_order(a, b, 1),
        (Op::Ule, true) => unsigned_order(a, b, 0),
        (Op::Slt, true) => signed_order(a, b, 1),
        (Op::Sle, true) => signed_order(a, b, 0),
        (Op::Ult, false) => swap(unsigned_order(b, a, 0)),
        (Op::Ule, false) => swap(unsigned_order(b, a, 1)),
        (Op::Slt, false) => swap(signed_order(b, a, 0)),
        (Op::Sle, false) => swap(signed_order(b, a, 1)),
        _ => (*a, *b),
    };
    (to_a, Some(to_b))
}

fn swap((a, b): (Range, Range)) -> (Range, Range) {
    (b, a)
}

/// `a + gap <= b`.
fn unsigned_order(a: &Range, b: &Range, gap: u128) -> (Range, Range) {
    match (b.high.checked_sub(gap), a.low.checked_add(gap)) {
        (Some(high), Some(low)) => {
            (Range { high: high.min(a.high), ..*a }, Range { low: low.max(b.low), ..*b })
        }
        _ => (Range { low: 1, high: 0, ..*a }, *b),
    }
}

fn signed_order(a: &Range, b: &Range, gap: i128) -> (Range, Range) {
    match (b.most.checked_sub(gap), a.least.checked_add(gap)) {
        (Some(most), Some(least)) => {
            (Range { most: most.min(a.most), ..*a }, Range { least: least.max(b.least), ..*b })
        }
        _ => (Range { low: 1, high: 0, ..*a }, *b),
    }
}

/// `and` and `or` of truth values.
fn connective(op: Op, result: &Range, a: &Range, b: &Range) -> (Range, Option<Range>) {
    // The value that decides alone: false for `and`, true for `or`.
    let strong = u128::from(op == Op::Or);
    let weak = Range::truth(op == Op::And);
    let deciding = Range::truth(op == Op::Or);
    match result.only() {
        Some(value) if value != strong => (weak, Some(weak)),
        Some(_) if a.only() == Some(1 - strong) => (*a, Some(deciding)),
        Some(_) if b.only() == Some(1 - strong) => (deciding, Some(*b)),
        _ => (*a, Some(*b)),
    }
}
