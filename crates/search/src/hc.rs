//! First-ascent hill climbing with random restarts (Awedikian 2009, table 3.3): Gaussian steps in one
//! parameter at a time, the first strict improvement is taken.
//!
//! One sweep over the parameters a restart, as published. Restarts end with the oracle's budget, not with
//! a count. The text knows integers only: floats step likewise, everything without a metric is redrawn.

use crate::point::{Point, flip_pointer};
use crate::{Engine, Oracle};
use input::{Input, Leaf, LeafKind, Rng, Var};
use std::f64::consts::TAU;
use std::ops::ControlFlow;

/// The engine `hc`.
#[derive(Clone, Copy, Debug)]
pub struct HillClimbing {
    /// Standard deviation of a step; types whose range is narrower than eight of them use an eighth of it.
    pub sigma: f64,
    /// Neighbours tried in each parameter.
    pub neighbours: u32,
}

impl HillClimbing {
    /// The values of the thesis.
    pub const DEFAULT: HillClimbing = HillClimbing { sigma: 400.0, neighbours: 100 };
}

impl Engine for HillClimbing {
    fn name(&self) -> &'static str {
        "hc"
    }

    fn summary(&self) -> &'static str {
        "first-ascent hill climbing: Gaussian steps in one variable at a time, random restarts"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[
            ("sigma", "400", "standard deviation of a step, at most an eighth of the type's range"),
            ("neighbours", "100", "neighbours tried in each variable before the next one"),
        ]
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        let space = oracle.space().clone();
        let mut point = Point::new(oracle, &space, start)?;
        if point.vars().is_empty() {
            return ControlFlow::Continue(());
        }
        loop {
            self.sweep(&mut point)?;
            let random = Input::random(&space, point.oracle.rng());
            point.restart(random)?;
        }
    }
}

impl HillClimbing {
    fn sweep(&self, point: &mut Point<'_>) -> ControlFlow<()> {
        let mut parameter = 0;
        // Asked anew every time: a pointer or a union selector changes which variables there are.
        while let Some(&var) = point.vars().get(parameter) {
            for _ in 0..self.tries(point.leaf(var)) {
                self.neighbour(point, var)?;
            }
            parameter += 1;
        }
        ControlFlow::Continue(())
    }

    /// A pointer has few neighbours.
    fn tries(&self, leaf: &Leaf) -> u32 {
        if matches!(leaf.kind, LeafKind::Pointer { .. }) { self.neighbours.min(2) } else { self.neighbours }
    }

    fn neighbour(&self, point: &mut Point<'_>, var: Var) -> ControlFlow<(), bool> {
        let (leaf, cell) = (point.leaf(var), point.cell(var));
        let moved = match leaf.kind {
            LeafKind::Pointer { .. } => {
                let len = point.oracle.rng().u32(1..=4);
                return point.try_shape(|input, space| flip_pointer(input, space, var, len));
            }
            LeafKind::Int { .. } => {
                let (least, greatest) = leaf.int_bounds();
                let sigma = self.sigma.min((greatest as f64 - least as f64) / 8.0).max(1.0);
                leaf.int_step(cell, (gaussian(point.oracle.rng()) * sigma).round() as i128)
            }
            LeafKind::Float(kind) => {
                let step = gaussian(point.oracle.rng()) * self.sigma;
                leaf.clamp_float(kind, leaf.float_value(kind, cell) + step)
            }
            LeafKind::Bool | LeafKind::Enum { .. } | LeafKind::Selector { .. } => {
                leaf.random(point.oracle.rng())
            }
        };
        point.try_cell(var, moved)
    }
}

/// A standard normal number (Box & Muller 1958).
fn gaussian(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (TAU * rng.f64()).cos()
}
