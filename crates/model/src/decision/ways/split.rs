//! From the ways through a decision to the expression that has them.

use super::{Expression, Next};
use std::collections::BTreeSet;

/// The expression over conditions from `first` on that has these ways; `None` if none of `&&`, `||` and `!` has.
pub(super) fn expression(ways: &[[Next; 2]], first: u32, constant: &[Option<bool>]) -> Option<Expression> {
    if let [sides] = ways {
        let condition = match constant.get(first as usize).copied().flatten() {
            Some(value) => Expression::Constant(first, value),
            None => Expression::Condition(first),
        };
        return match sides {
            [Next::End(false), Next::End(true)] => Some(condition),
            [Next::End(true), Next::End(false)] => Some(Expression::Not(Box::new(condition))),
            _ => None,
        };
    }
    let (at, before, behind, end) = (1..ways.len()).find_map(|at| parts(ways, at))?;
    let before = expression(&before, first, constant)?;
    let behind = expression(&behind, first + at as u32, constant)?;
    // The first part is true where it goes on.
    let before = if end { Expression::Not(Box::new(before)) } else { before };
    Some(Expression::Join { and: !end, whole: false, sides: Box::new([before, behind]) })
}

type Ways = Vec<[Next; 2]>;

/// The first part of a decision, and its rest from a condition on: the rest is evaluated when the first part has one outcome, and
/// otherwise the decision ends, always with the same. Also returns that end.
fn parts(ways: &[[Next; 2]], at: usize) -> Option<(usize, Ways, Ways, bool)> {
    let (first, rest) = ways.split_at(at);
    let leaves = |next: &Next| !matches!(next, Next::Place(to) if (*to as usize) < at);
    let exits: BTreeSet<Next> = first.iter().flatten().copied().filter(leaves).collect();
    let goes_on = Next::Place(at as u32);
    let ends: Vec<Next> = exits.iter().copied().filter(|&exit| exit != goes_on).collect();
    let [Next::End(end)] = ends[..] else { return None };
    let inside = |next: Next| match next {
        Next::Place(to) if to as usize == at => Next::End(true),
        Next::End(_) => Next::End(false),
        inner => inner,
    };
    let behind = |next: Next| match next {
        Next::Place(to) => Next::Place(to - at as u32),
        end => end,
    };
    let part = |part: &[[Next; 2]], turn: &dyn Fn(Next) -> Next| -> Ways {
        part.iter().map(|sides| sides.map(turn)).collect()
    };
    Some((at, part(first, &inside), part(rest, &behind), end))
}
