//! Branch distance of a conjunction: how far the operands of its comparisons are from satisfying it, 0 exactly if
//! they do. Integers are apart by their difference, floats by the number of floats in between; `and` adds, `or`
//! takes the smaller.

use expr::{Op, Tape, Term, Terms, mask, sign_extend};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// More than any two floats are apart.
const NOT_A_NUMBER: u128 = 1 << 66;

/// The distances of some truth terms, as a straight-line program above their comparisons.
pub(crate) struct Distance {
    steps: Vec<Step>,
    /// The steps whose sum is the result.
    roots: Vec<usize>,
}

enum Step {
    Bit {
        term: Term,
        want: bool,
    },
    Compare {
        op: Op,
        operands: [Term; 2],
        width: u32,
        want: bool,
    },
    Sum([usize; 2]),
    Min([usize; 2]),
    /// The smaller of two sums.
    Either([usize; 4]),
}

impl Distance {
    pub(crate) fn new(terms: &Terms, constraints: &[Term]) -> Distance {
        let mut distance = Distance { steps: Vec::new(), roots: Vec::new() };
        let mut made: FxHashMap<(Term, bool), usize> = FxHashMap::default();
        for (term, want) in needed(terms, constraints) {
            let step = distance.step(terms, term, want, &made);
            made.insert((term, want), step);
        }
        distance.roots = constraints.iter().map(|&constraint| made[&(constraint, true)]).collect();
        distance
    }

    fn step(
        &mut self,
        terms: &Terms,
        term: Term,
        want: bool,
        made: &FxHashMap<(Term, bool), usize>,
    ) -> usize {
        let node = terms.node(term);
        let [a, b, c] = [node.a, node.b, node.c].map(Term);
        let step = match node.op {
            Op::Not => return made[&(a, !want)],
            Op::And if want => Step::Sum([a, b].map(|part| made[&(part, true)])),
            Op::And => Step::Min([a, b].map(|part| made[&(part, false)])),
            Op::Or if want => Step::Min([a, b].map(|part| made[&(part, true)])),
            Op::Or => Step::Sum([a, b].map(|part| made[&(part, false)])),
            Op::Ite => Step::Either([(a, true), (b, want), (a, false), (c, want)].map(|part| made[&part])),
            Op::FIsNan => Step::Bit { term, want },
            op if op.is_predicate() => Step::Compare { op, operands: [a, b], width: terms.width(a), want },
            _ => Step::Bit { term, want },
        };
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// The distance after a run of the tape.
    pub(crate) fn of(&self, tape: &Tape) -> u128 {
        let mut values: Vec<u128> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let at = |i: usize| values[i];
            let value = match *step {
                Step::Bit { term, want } => u128::from((tape.value(term) == 1) != want),
                Step::Compare { op, operands, width, want } => {
                    let [a, b] = operands.map(|operand| tape.value(operand));
                    compare(op, a, b, width, want)
                }
                Step::Sum([a, b]) => at(a).saturating_add(at(b)),
                Step::Min([a, b]) => at(a).min(at(b)),
                Step::Either([a, b, c, d]) => at(a).saturating_add(at(b)).min(at(c).saturating_add(at(d))),
            };
            values.push(value);
        }
        self.roots.iter().fold(0, |sum: u128, &root| sum.saturating_add(values[root]))
    }
}

/// The truth terms whose distance is needed and to which value, operands first.
fn needed(terms: &Terms, constraints: &[Term]) -> BTreeSet<(Term, bool)> {
    let mut all = BTreeSet::new();
    let mut todo: Vec<(Term, bool)> = constraints.iter().map(|&constraint| (constraint, true)).collect();
    while let Some((term, want)) = todo.pop() {
        if !all.insert((term, want)) {
            continue;
        }
        let node = terms.node(term);
        let [a, b, c] = [node.a, node.b, node.c].map(Term);
        match node.op {
            Op::Not => todo.push((a, !want)),
            Op::And | Op::Or => todo.extend([(a, want), (b, want)]),
            Op::Ite => todo.extend([(a, true), (a, false), (b, want), (c, want)]),
            _ => {}
        }
    }
    all
}

/// The distance of one comparison from its wanted outcome.
fn compare(op: Op, a: u128, b: u128, width: u32, want: bool) -> u128 {
    // The order of signed numbers is that of unsigned ones with the sign inverted.
    let signed = |value| (sign_extend(value, width) as u128) ^ (1 << 127);
    match op {
        Op::Eq if want => around(a, b, width),
        Op::Eq => u128::from(a == b),
        Op::Ult | Op::Ule => order(op == Op::Ult, a, b, want),
        Op::Slt | Op::Sle => order(op == Op::Slt, signed(a), signed(b), want),
        _ => match (float_key(a, width), float_key(b, width)) {
            (Some(a), Some(b)) => compare_floats(op, a, b, want),
            _ if want => NOT_A_NUMBER,
            _ => 0,
        },
    }
}

fn compare_floats(op: Op, a: u128, b: u128, want: bool) -> u128 {
    match op {
        Op::FEq if want => a.abs_diff(b),
        Op::FEq => u128::from(a == b),
        _ => order(op == Op::FLt, a, b, want),
    }
}

/// The distance of `a < b` (`strict`) or `a <= b` from being true, or false.
fn order(strict: bool, a: u128, b: u128, want: bool) -> u128 {
    match (strict, want) {
        (true, true) => less(a, b),
        (true, false) => b.saturating_sub(a),
        (false, true) => a.saturating_sub(b),
        (false, false) => less(b, a),
    }
}

fn less(a: u128, b: u128) -> u128 {
    if a < b { 0 } else { (a - b).saturating_add(1) }
}

/// The shorter way between two numbers around the circle of their width.
fn around(a: u128, b: u128, width: u32) -> u128 {
    let up = a.wrapping_sub(b) & mask(width);
    let down = b.wrapping_sub(a) & mask(width);
    up.min(down)
}

/// The place of a float among all floats of its width, both zeros at one place; none if it is not a number.
pub(crate) fn float_key(bits: u128, width: u32) -> Option<u128> {
    let magnitude = bits & mask(width - 1);
    let infinity = infinity(width);
    match (magnitude > infinity, bits >> (width - 1) & 1) {
        (true, _) => None,
        (_, 0) => Some(infinity + magnitude),
        _ => Some(infinity - magnitude),
    }
}

/// The float at a place, of the places from 0 to twice that of zero.
pub(crate) fn float_at(key: u128, width: u32) -> u128 {
    let infinity = infinity(width);
    let key = key.min(2 * infinity);
    if key >= infinity { key - infinity } else { 1 << (width - 1) | (infinity - key) }
}

/// The bits of infinity, which is also the number of floats between it and zero.
fn infinity(width: u32) -> u128 {
    if width == 32 { f32::INFINITY.to_bits().into() } else { f64::INFINITY.to_bits().into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMPARISONS: [Op; 8] = [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle, Op::FEq, Op::FLt, Op::FLe];

    proptest! {
        #[test]
        fn zero_exactly_if_the_comparison_is_as_wanted(
            op in 0..COMPARISONS.len(), a: u64, b: u64, same: bool, want: bool, wide: bool,
        ) {
            let (op, width) = (COMPARISONS[op], if wide { 64 } else { 32 });
            let a = u128::from(a) & mask(width);
            let b = if same { a } else { u128::from(b) & mask(width) };
            let outcome = expr::apply(op, 1, 0, [a, b, 0], [width, width, 0]) == 1;
            prop_assert_eq!(compare(op, a, b, width, want) == 0, outcome == want);
        }

        #[test]
        fn places_of_floats_are_ordered_and_can_be_gone_back(a: f64, b: f64) {
            let key = |x: f64| float_key(x.to_bits().into(), 64);
            if let (Some(i), Some(j)) = (key(a), key(b)) {
                prop_assert_eq!(i < j, a < b);
                prop_assert_eq!(f64::from_bits(float_at(i, 64) as u64), a);
            }
        }
    }

    #[test]
    fn distances_by_hand() {
        assert_eq!(compare(Op::Eq, 255, 2, 8, true), 3, "around zero");
        assert_eq!(compare(Op::Slt, 5, 0xff, 8, true), 7, "5 < -1");
        assert_eq!(compare(Op::Ult, 0xff, 5, 8, true), 251);
        let [one, two] = [1f32, 2f32].map(|x| u128::from(x.to_bits()));
        assert_eq!(compare(Op::FLe, two, one, 32, true), 1 << 23);
        assert_eq!(compare(Op::FLt, f32::NAN.to_bits().into(), one, 32, false), 0);
    }
}
