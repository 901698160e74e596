//! One step of inversion: which values of its operands give an operation the wished value.

use super::invert::Choices;
use crate::query::{Query, parts};
use expr::{Node, Op, Term, apply, mask, sign_extend};

/// A term should have a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wish {
    pub(super) term: Term,
    pub(super) value: u128,
}

/// Wishes that grant another one if all are granted.
type Wishes = Vec<Wish>;

/// Chooses among alternatives.
pub(super) fn one_of(mut alternatives: Vec<Wishes>, choices: &mut Choices) -> Option<Wishes> {
    match alternatives.len() {
        0 => None,
        count => Some(alternatives.swap_remove(choices.next(count))),
    }
}

/// The alternative ways to grant a wish.
pub(super) fn wishes(query: &Query, wish: &Wish) -> Vec<Wishes> {
    let node = query.terms.node(wish.term);
    let [a, b, c] = [node.a, node.b, node.c].map(Term);
    let each = |term: Term, value: u128| Wish { term, value: value & mask(query.terms.width(term)) };
    match node.op {
        Op::Ite => {
            let then = vec![each(b, wish.value), each(a, 1)];
            let otherwise = vec![each(c, wish.value), each(a, 0)];
            if query.value(a) == 1 { vec![then, otherwise] } else { vec![otherwise, then] }
        }
        Op::Lookup => rows(query, wish, a),
        Op::Concat => {
            let width = query.terms.width(b);
            vec![vec![each(a, wish.value >> width), each(b, wish.value)]]
        }
        Op::And if node.width == 1 && wish.value == 1 => vec![vec![each(a, 1), each(b, 1)]],
        Op::Or if node.width == 1 && wish.value == 0 => vec![vec![each(a, 0), each(b, 0)]],
        op if op.arity() == 1 => {
            unary(query, &node, wish.value).into_iter().map(|value| vec![each(a, value)]).collect()
        }
        op if op.is_predicate() => compared(query, &node, wish.value == 1),
        _ => {
            let fixed = |term: Term| query.terms.value(term).is_some();
            let mut alternatives = Vec::new();
            if !fixed(a) {
                alternatives.extend(left(query, &node, wish.value).map(|value| vec![each(a, value)]));
            }
            if !fixed(b) {
                alternatives.extend(right(query, &node, wish.value).map(|value| vec![each(b, value)]));
            }
            alternatives
        }
    }
}

/// Rows that have the value already, else the chosen row.
fn rows(query: &Query, wish: &Wish, index: Term) -> Vec<Wishes> {
    let rows: Vec<Term> = parts(query.terms, wish.term).skip(1).collect();
    let fits = |&i: &usize| i as u128 <= mask(query.terms.width(index));
    let having = (0..rows.len()).filter(|&i| query.value(rows[i]) == wish.value).filter(fits);
    let mut alternatives: Vec<Wishes> =
        having.take(4).map(|i| vec![Wish { term: index, value: i as u128 }]).collect();
    let chosen = usize::try_from(query.value(index)).map_or(rows.len() - 1, |i| i.min(rows.len() - 1));
    alternatives.push(vec![Wish { term: rows[chosen], value: wish.value }]);
    alternatives
}

/// Operands of an operation on one, best first.
fn unary(query: &Query, node: &Node, wish: u128) -> Vec<u128> {
    let operand = Term(node.a);
    let (width, from, now) = (u32::from(node.width), query.terms.width(operand), query.value(operand));
    let convert = |op: Op| apply(op, from, 0, [wish, 0, 0], [width, 0, 0]);
    match node.op {
        Op::Not => vec![!wish],
        Op::Neg => vec![wish.wrapping_neg()],
        Op::Extract => vec![now & !(mask(width) << node.extra) | wish << node.extra],
        Op::ZExt if wish > mask(from) => vec![],
        Op::ZExt => vec![wish],
        Op::SExt if sign_extend(wish & mask(from), from) != sign_extend(wish, width) => vec![],
        Op::SExt => vec![wish],
        Op::FSqrt => vec![apply(Op::FMul, width, 0, [wish, wish, 0], [width, width, 0])],
        Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRound | Op::FRint => vec![wish],
        Op::FIsNan if wish == 1 => vec![not_a_number(from)],
        Op::FIsNan => vec![0],
        Op::FConvert => vec![convert(Op::FConvert)],
        Op::FFromSigned => vec![convert(Op::FToSigned)],
        Op::FFromUnsigned => vec![convert(Op::FToUnsigned)],
        Op::FToSigned => vec![convert(Op::FFromSigned)],
        Op::FToUnsigned => vec![convert(Op::FFromUnsigned)],
        _ => vec![],
    }
}

fn not_a_number(width: u32) -> u128 {
    if width == 32 { f32::NAN.to_bits().into() } else { f64::NAN.to_bits().into() }
}

/// The first operand for which the operation with the second as it is gives the wish.
fn left(query: &Query, node: &Node, wish: u128) -> Option<u128> {
    let [now, other] = [node.a, node.b].map(|operand| query.value(Term(operand)));
    let width = u32::from(node.width);
    let float = |op: Op| apply(op, width, 0, [wish, other, 0], [width, width, 0]);
    match node.op {
        Op::Sub => Some(wish.wrapping_add(other)),
        Op::UDiv => {
            wish.checked_mul(other).map(|product| product.saturating_add(now.checked_rem(other).unwrap_or(0)))
        }
        Op::SDiv => Some(wish.wrapping_mul(other)),
        Op::URem => (wish < other).then(|| (now - now % other).wrapping_add(wish)),
        Op::SRem if other == 0 => Some(wish),
        Op::SRem => {
            let rest = apply(Op::SRem, width, 0, [now, other, 0], [width, width, 0]);
            Some(now.wrapping_sub(rest).wrapping_add(wish))
        }
        Op::Shl | Op::LShr | Op::AShr => unshifted(node.op, now, other, wish, width),
        Op::FSub => Some(float(Op::FAdd)),
        Op::FDiv => Some(float(Op::FMul)),
        Op::FRem | Op::FMin | Op::FMax | Op::FFma => Some(wish),
        _ => either(node.op, now, other, wish, width),
    }
}

/// The second operand for which the operation with the first as it is gives the wish.
fn right(query: &Query, node: &Node, wish: u128) -> Option<u128> {
    let [other, now] = [node.a, node.b].map(|operand| query.value(Term(operand)));
    let width = u32::from(node.width);
    let float = |op: Op| apply(op, width, 0, [other, wish, 0], [width, width, 0]);
    match node.op {
        Op::Sub => Some(other.wrapping_sub(wish)),
        Op::UDiv => other.checked_div(wish),
        Op::URem => other.checked_sub(wish),
        Op::FSub => Some(float(Op::FSub)),
        Op::FDiv => Some(float(Op::FDiv)),
        Op::FMin | Op::FMax => Some(wish),
        Op::Shl | Op::LShr | Op::AShr => {
            let amount = |by: &u128| apply(node.op, width, 0, [other, *by, 0], [width, width, 0]) == wish;
            (0..=u128::from(width)).find(amount)
        }
        _ => either(node.op, now, other, wish, width),
    }
}

/// The operand of a commutative operation.
fn either(op: Op, now: u128, other: u128, wish: u128, width: u32) -> Option<u128> {
    let float = |op: Op| apply(op, width, 0, [wish, other, 0], [width, width, 0]);
    match op {
        Op::Add => Some(wish.wrapping_sub(other)),
        Op::Xor => Some(wish ^ other),
        // Bits that the other operand hides stay.
        Op::And => (wish & !other == 0).then_some(now & !other | wish),
        Op::Or => (other & !wish == 0).then_some(now & other | wish & !other),
        Op::Mul => unmultiplied(other, wish, width),
        Op::FAdd => Some(float(Op::FSub)),
        Op::FMul => Some(float(Op::FDiv)),
        _ => None,
    }
}

/// A number that times `factor` is `product`, if there is one.
fn unmultiplied(factor: u128, product: u128, width: u32) -> Option<u128> {
    let twos = factor.trailing_zeros();
    if factor == 0 || product.trailing_zeros() < twos {
        return None;
    }
    let odd = factor >> twos;
    // Newton's iteration doubles the number of right bits; an odd number is its own inverse in three.
    let inverse =
        (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse))));
    Some((product >> twos).wrapping_mul(inverse) & mask(width) >> twos)
}

/// The number that shifted by `by` gives the wish; bits that fall out stay.
fn unshifted(op: Op, now: u128, by: u128, wish: u128, width: u32) -> Option<u128> {
    let by = u32::try_from(by).ok().filter(|&by| by < width)?;
    let value = match op {
        Op::Shl => wish >> by | now & !(mask(width) >> by),
        _ => wish << by | now & !(u128::MAX << by),
    } & mask(width);
    (apply(op, width, 0, [value, by.into(), 0], [width, width, 0]) == wish).then_some(value)
}

/// Operands that give a comparison its wished outcome: first the nearest, then far away.
fn compared(query: &Query, node: &Node, truth: bool) -> Vec<Wishes> {
    let operands = [node.a, node.b].map(Term);
    let [a, b] = operands.map(|operand| query.value(operand));
    let width = query.terms.width(operands[0]);
    let fixed = operands.map(|operand| query.terms.value(operand).is_some());
    let mut alternatives = Vec::new();
    for far in [false, true] {
        for side in [0, 1].into_iter().filter(|&side| !fixed[side]) {
            let other = if side == 0 { b } else { a };
            if let Some(value) = beside(node.op, truth, side == 0, other, width, far) {
                alternatives.push(vec![Wish { term: operands[side], value: value & mask(width) }]);
            }
        }
    }
    alternatives
}

/// A value on the wished side of `other`; `first` if it is the left operand that is sought.
fn beside(op: Op, truth: bool, first: bool, other: u128, width: u32, far: bool) -> Option<u128> {
    let all = mask(width);
    let (up, down) = (other.wrapping_add(1) & all, other.wrapping_sub(1) & all);
    match op {
        Op::Eq | Op::FEq if truth => (!far).then_some(other),
        Op::Eq | Op::FEq => Some(if far { down } else { up }),
        Op::FLt | Op::FLe => {
            // Neighbouring floats have neighbouring bits; of the sign only the direction is needed.
            let strict = (op == Op::FLt) == truth;
            let below = first == truth;
            let negative = other >> (width - 1) == 1;
            Some(match (strict, below == negative) {
                (false, _) => other,
                (true, true) => up,
                (true, false) => down,
            })
        }
        _ => {
            let strict = matches!(op, Op::Ult | Op::Slt) == truth;
            let below = first == truth;
            let sign = if matches!(op, Op::Slt | Op::Sle) { 1 << (width - 1) } else { 0 };
            let (lowest, highest) = (sign, all ^ sign);
            match (below, far) {
                (true, true) => Some(lowest),
                (false, true) => Some(highest),
                (true, false) if strict => (other != lowest).then_some(down),
                (false, false) if strict => (other != highest).then_some(up),
                _ => Some(other),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_are_undone_exactly_if_they_can_be(factor: u8, product: u8) {
            let (factor, product) = (u128::from(factor), u128::from(product));
            let known = (0..=255u128).any(|x| (x * factor) & 0xff == product);
            match unmultiplied(factor, product, 8) {
                Some(x) => prop_assert_eq!((x * factor) & 0xff, product),
                None => prop_assert!(!known || factor == 0),
            }
        }

        #[test]
        fn a_value_beside_another_compares_as_wished(op in 0..4usize, other: u8, truth: bool, first: bool, far: bool) {
            let op = [Op::Ult, Op::Ule, Op::Slt, Op::Sle][op];
            let other = u128::from(other);
            if let Some(value) = beside(op, truth, first, other, 8, far) {
                let (a, b) = if first { (value, other) } else { (other, value) };
                let outcome = apply(op, 1, 0, [a, b, 0], [8, 8, 0]) == 1;
                // Nothing lies beyond the ends; then no value would do.
                let possible = (0..256u128).any(|v| {
                    let (a, b) = if first { (v, other) } else { (other, v) };
                    (apply(op, 1, 0, [a, b, 0], [8, 8, 0]) == 1) == truth
                });
                prop_assert!(outcome == truth || !possible);
            }
        }
    }
}
