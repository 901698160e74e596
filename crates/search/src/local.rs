//! Local searches on one variable: iterated pattern search (Korel 1990; Harman & McMinn 2010), geometric and
//! lattice search (Kempka, McMinn & Sudholt 2015, algorithms 2–4).

use crate::line::Line;
use std::ops::ControlFlow;

/// How the alternating variable method searches one variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalSearch {
    /// Pattern moves of doubling length, begun again with length 1 as long as they help: O(log²) evaluations on
    /// a unimodal line, robust on others.
    IteratedPattern,
    /// Pattern moves, then binary search between the last but one and the last position: O(log).
    Geometric,
    /// Pattern moves, then Fibonacci search there: O(log) with one new evaluation a step.
    Lattice,
}

impl LocalSearch {
    pub(crate) fn minimise(self, line: &mut Line<'_, '_>) -> ControlFlow<()> {
        match self {
            LocalSearch::IteratedPattern => iterated_pattern_search(line),
            LocalSearch::Geometric => geometric_search(line),
            LocalSearch::Lattice => lattice_search(line),
        }
    }
}

fn iterated_pattern_search(line: &mut Line<'_, '_>) -> ControlFlow<()> {
    while let Some(direction) = explore(line)? {
        pattern_run(line, direction)?;
    }
    ControlFlow::Continue(())
}

fn geometric_search(line: &mut Line<'_, '_>) -> ControlFlow<()> {
    let Some(direction) = explore(line)? else { return ControlFlow::Continue(()) };
    let (mut left, mut right) = pattern_run(line, direction)?;
    while left < right {
        let middle = left.wrapping_add((span(left, right) / 2) as i128);
        if line.probe(middle)? <= line.probe(middle + 1)? {
            right = middle;
        } else {
            left = middle + 1;
        }
    }
    line.probe(left)?;
    ControlFlow::Continue(())
}

fn lattice_search(line: &mut Line<'_, '_>) -> ControlFlow<()> {
    let Some(direction) = explore(line)? else { return ControlFlow::Continue(()) };
    let (mut left, right) = pattern_run(line, direction)?;
    // Consecutive Fibonacci numbers; `large − 1` positions are left to choose from.
    let (mut small, mut large) = (1u128, 2u128);
    while large <= span(left, right).saturating_add(1) && large < u128::MAX {
        (small, large) = (large, large.saturating_add(small));
    }
    while large > 2 {
        let smaller = large - small;
        if small - 1 <= span(left, right) {
            let (near, far) =
                (left.wrapping_add((smaller - 1) as i128), left.wrapping_add((small - 1) as i128));
            if line.probe(near)? >= line.probe(far)? {
                left = left.wrapping_add(smaller as i128);
            }
        }
        (small, large) = (smaller, small);
    }
    line.probe(left)?;
    ControlFlow::Continue(())
}

/// Exploratory moves: the direction, if any, in which the neighbour is strictly better. The line has moved there.
fn explore(line: &mut Line<'_, '_>) -> ControlFlow<(), Option<i128>> {
    for direction in [-1, 1] {
        let (from, neighbour) = (line.here(), line.ahead(direction));
        line.probe(neighbour)?;
        if line.here() != from {
            return ControlFlow::Continue(Some(direction));
        }
    }
    ControlFlow::Continue(None)
}

/// Pattern moves of doubling length while they help. Returns, in order, the last but one good position and the
/// first bad one: a minimum of a unimodal line lies between them.
fn pattern_run(line: &mut Line<'_, '_>, direction: i128) -> ControlFlow<(), (i128, i128)> {
    let mut before = line.here() - direction;
    let mut step = direction;
    loop {
        step = step.saturating_mul(2);
        let (from, target) = (line.here(), line.ahead(step));
        line.probe(target)?;
        if target == from || line.here() != target {
            return ControlFlow::Continue((before.min(target), before.max(target)));
        }
        before = from;
    }
}

/// Distance of two positions, exact even from one end of `i128` to the other.
fn span(left: i128, right: i128) -> u128 {
    right.wrapping_sub(left) as u128
}
