//! A straight line through an input: one number, or several together, moved by whole steps.
//!
//! The local searches of the alternating variable method are stated for integer variables. Floats, groups of
//! variables and lengths of objects become integer variables here: the position on the line.

use crate::point::Point;
use goal::Fitness;
use input::{FloatKind, Input, Var};
use std::ops::ControlFlow;

/// What one step is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    /// One, in an integer.
    One,
    /// One in the last of so many decimals of a float.
    Decimals(FloatKind, i32),
    /// So many neighbours further on the line of all floats.
    Ulps(FloatKind, i128),
}

enum Axis {
    Cells { unit: Unit, tracks: Vec<Track> },
    Length { object: u32, from: Input },
}

/// A variable that takes part, its value at position 0, and whether it moves with the position or against.
struct Track {
    var: Var,
    from: u128,
    sign: i128,
}

/// Positions remembered: enough for the neighbours of the turning points of a search.
const REMEMBERED: usize = 8;

/// A line with the point of the climb on it. The point moves on whenever a probe is strictly better.
pub(crate) struct Line<'p, 'a> {
    point: &'p mut Point<'a>,
    axis: Axis,
    limits: (i128, i128),
    here: i128,
    start: Fitness,
    flat: bool,
    probes: usize,
    remembered: [(i128, Fitness); REMEMBERED],
}

impl<'p, 'a> Line<'p, 'a> {
    /// The line on which the variables move together, each with sign 1 or −1.
    pub(crate) fn through_cells(point: &'p mut Point<'a>, unit: Unit, vars: &[(Var, i128)]) -> Self {
        let tracks: Vec<Track> =
            vars.iter().map(|&(var, sign)| Track { var, from: point.cell(var), sign }).collect();
        let limits = match unit {
            Unit::One => tracks.iter().map(|track| room(point, track)).fold((i128::MIN, i128::MAX), narrower),
            // Clamped by the float format itself; half the range keeps sums of positions exact.
            _ => (i128::MIN / 2, i128::MAX / 2),
        };
        Line::new(point, Axis::Cells { unit, tracks }, limits)
    }

    /// The line of lengths of a heap object.
    pub(crate) fn through_lengths(point: &'p mut Point<'a>, object: u32) -> Self {
        let len = i128::from(point.input.objects[object as usize].len);
        let limits = (1 - len, i128::from(point.space.limits.elements).max(len) - len);
        let from = point.input.clone();
        Line::new(point, Axis::Length { object, from }, limits)
    }

    fn new(point: &'p mut Point<'a>, axis: Axis, limits: (i128, i128)) -> Self {
        let start = point.fitness;
        let remembered = [(0, start); REMEMBERED];
        Line { point, axis, limits, here: 0, start, flat: true, probes: 0, remembered }
    }

    /// The best position so far.
    pub(crate) fn here(&self) -> i128 {
        self.here
    }

    /// Whether no probe changed the fitness at all.
    pub(crate) fn is_flat(&self) -> bool {
        self.flat
    }

    /// Whether the search on this line gained anything.
    pub(crate) fn improved(&self) -> bool {
        self.here != 0
    }

    /// The position `delta` further, inside the limits.
    pub(crate) fn ahead(&self, delta: i128) -> i128 {
        let (least, greatest) = self.limits;
        self.here.saturating_add(delta).min(greatest).max(least)
    }

    /// The fitness at a position; a strictly better one becomes [`Line::here`].
    pub(crate) fn probe(&mut self, position: i128) -> ControlFlow<(), Fitness> {
        if position == self.here {
            return ControlFlow::Continue(self.point.fitness);
        }
        if let Some(&(_, known)) = self.remembered.iter().find(|&&(at, _)| at == position) {
            return ControlFlow::Continue(known);
        }
        let fitness =
            if self.place(position) { self.point.oracle.evaluate(&self.point.input)? } else { self.start };
        self.flat &= fitness == self.start;
        if fitness < self.point.fitness {
            self.point.fitness = fitness;
            self.here = position;
        } else {
            self.place(self.here);
        }
        self.remembered[self.probes % REMEMBERED] = (position, fitness);
        self.probes += 1;
        ControlFlow::Continue(fitness)
    }

    /// Puts the input at a position. Says whether it differs from the one at position 0.
    fn place(&mut self, position: i128) -> bool {
        let Point { space, input, .. } = &mut *self.point;
        match &self.axis {
            Axis::Cells { unit, tracks } => {
                let mut differs = false;
                for track in tracks {
                    let leaf = input.leaf(space, track.var);
                    let delta = track.sign.saturating_mul(position);
                    let cell = match *unit {
                        _ if position == 0 => track.from,
                        Unit::One => leaf.int_step(track.from, delta),
                        Unit::Decimals(kind, decimals) => {
                            leaf.decimal_step(kind, track.from, decimals, delta)
                        }
                        Unit::Ulps(kind, ulps) => leaf.ulp_step(kind, track.from, delta.saturating_mul(ulps)),
                    };
                    differs |= cell != track.from;
                    *input.cell_mut(track.var) = cell;
                }
                differs
            }
            Axis::Length { object, from } => {
                input.clone_from(from);
                let len = i128::from(from.objects[*object as usize].len) + position;
                position != 0 && input.resize(space, *object, len as u32)
            }
        }
    }
}

/// How far a variable can follow the position down and up.
fn room(point: &Point<'_>, track: &Track) -> (i128, i128) {
    let (down, up) = point.leaf(track.var).int_room(track.from);
    if track.sign < 0 { (up.saturating_neg(), down.saturating_neg()) } else { (down, up) }
}

fn narrower(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    (a.0.max(b.0), a.1.min(b.1))
}
