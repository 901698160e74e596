//! Moves of several variables at once, for relations that every single move breaks: `a == b && b == c`,
//! a sum to be kept, two values in the wrong order.

use crate::line::{Line, Unit};
use crate::local::LocalSearch;
use crate::point::Point;
use input::{LeafKind, Var};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Tries groups of equal values, then at most `most` pairs. Says whether one move was strictly better; the
/// first that is ends the attempt.
pub(crate) fn move_together(
    point: &mut Point<'_>,
    search: LocalSearch,
    most: usize,
) -> ControlFlow<(), bool> {
    let classes = classes(point);
    for class in &classes {
        if move_equal_values(point, search, class)? {
            return ControlFlow::Continue(true);
        }
    }
    for (first, second, unit) in pairs(point, &classes, most) {
        if move_pair(point, search, first, second, unit)? {
            return ControlFlow::Continue(true);
        }
    }
    ControlFlow::Continue(false)
}

/// Numbers that can be compared and exchanged.
struct Class {
    unit: Unit,
    vars: Vec<Var>,
}

/// The number variables by type, in order of their first variable.
fn classes(point: &Point<'_>) -> Vec<Class> {
    let mut classes: Vec<(u16, bool, Class)> = Vec::new();
    for var in point.vars() {
        let leaf = point.leaf(var);
        let unit = match leaf.kind {
            LeafKind::Int { .. } => Unit::One,
            LeafKind::Float(kind) => Unit::Decimals(kind, 0),
            _ => continue,
        };
        let of_same_type =
            |c: &&mut (u16, bool, Class)| (c.0, c.1, c.2.unit) == (leaf.width, leaf.is_signed(), unit);
        match classes.iter_mut().find(of_same_type) {
            Some((.., class)) => class.vars.push(var),
            None => classes.push((leaf.width, leaf.is_signed(), Class { unit, vars: vec![var] })),
        }
    }
    classes.into_iter().map(|(.., class)| class).collect()
}

/// All variables of one value move by the same amount.
fn move_equal_values(point: &mut Point<'_>, search: LocalSearch, class: &Class) -> ControlFlow<(), bool> {
    let mut groups: BTreeMap<u128, Vec<(Var, i128)>> = BTreeMap::new();
    for &var in &class.vars {
        groups.entry(point.cell(var)).or_default().push((var, 1));
    }
    // Two of them are a pair, tried later among the others.
    for group in groups.values().filter(|group| group.len() > 2) {
        if move_by(point, search, class.unit, group)? {
            return ControlFlow::Continue(true);
        }
    }
    ControlFlow::Continue(false)
}

/// All pairs of one class, or a random choice of them where there are too many.
fn pairs(point: &mut Point<'_>, classes: &[Class], most: usize) -> Vec<(Var, Var, Unit)> {
    let count = |class: &Class| class.vars.len() * (class.vars.len() - 1) / 2;
    let mut pairs = Vec::new();
    let total: usize = classes.iter().map(count).sum();
    for class in classes {
        if total <= most {
            for (i, &first) in class.vars.iter().enumerate() {
                pairs.extend(class.vars[i + 1..].iter().map(|&second| (first, second, class.unit)));
            }
        } else {
            let rng = point.oracle.rng();
            for _ in 0..(most * count(class)).div_ceil(total) {
                let (i, j) = (rng.usize(..class.vars.len()), rng.usize(..class.vars.len()));
                if i != j {
                    pairs.push((class.vars[i.min(j)], class.vars[i.max(j)], class.unit));
                }
            }
        }
    }
    pairs
}

fn move_pair(
    point: &mut Point<'_>,
    search: LocalSearch,
    first: Var,
    second: Var,
    unit: Unit,
) -> ControlFlow<(), bool> {
    let better = move_by(point, search, unit, &[(first, 1), (second, 1)])?
        || move_by(point, search, unit, &[(first, 1), (second, -1)])?
        || assign(point, first, second, unit)?
        || assign(point, second, first, unit)?
        || swap(point, first, second)?;
    ControlFlow::Continue(better)
}

fn move_by(
    point: &mut Point<'_>,
    search: LocalSearch,
    unit: Unit,
    vars: &[(Var, i128)],
) -> ControlFlow<(), bool> {
    let mut line = Line::through_cells(point, unit, vars);
    search.minimise(&mut line)?;
    ControlFlow::Continue(line.improved())
}

/// `to := from`, and one less and one more than it.
fn assign(point: &mut Point<'_>, to: Var, from: Var, unit: Unit) -> ControlFlow<(), bool> {
    let (leaf, value) = (point.leaf(to), point.cell(from));
    let next = |step: i128| match unit {
        Unit::One => leaf.int_step(value, step),
        Unit::Decimals(kind, _) | Unit::Ulps(kind, _) => leaf.ulp_step(kind, value, step),
    };
    let values = [value, next(-1), next(1)].into_iter().filter(|&cell| leaf.allows(cell));
    point.try_each(to, values)
}

fn swap(point: &mut Point<'_>, first: Var, second: Var) -> ControlFlow<(), bool> {
    let (a, b) = (point.cell(first), point.cell(second));
    if !point.leaf(first).allows(b) || !point.leaf(second).allows(a) {
        return ControlFlow::Continue(false);
    }
    point.try_cells([(first, b), (second, a)])
}
