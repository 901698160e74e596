//! First-ascent hill climbing with random restarts (Awedikian 2009, table 3.3): Gaussian steps in one
//! parameter at a time, the first strict improvement is taken. And the variant of the paper on it (Awedikian,
//! Ayari & Antoniol, GECCO 2009, section 5.3): a random parameter, up and down by one, then a Gaussian step.
//!
//! One sweep over the parameters a restart, as published. Restarts end with the oracle's budget, not with
//! a count. The text knows integers only: floats step likewise, everything without a metric is redrawn.

use crate::point::{Point, flip_pointer};
use crate::restart::at_random;
use crate::{Engine, Oracle};
use input::{Input, Leaf, LeafKind, Rng, Var};
use std::f64::consts::TAU;
use std::ops::ControlFlow;

/// Restarts of the thesis, among which it divides a goal's evaluations.
const RESTARTS: u32 = 16;

/// The engines `hc` and `hc-gecco`.
#[derive(Clone, Copy, Debug)]
pub struct HillClimbing {
    /// Standard deviation of a step; types whose range is narrower than eight of them use an eighth of it.
    pub sigma: f64,
    /// Those of the first parameters, where they are known better: 5, 10 and 50 for day, month and year.
    pub sigmas: &'static [f64],
    /// Neighbours tried in each parameter, or without success in all, before the next parameter or a restart.
    pub neighbours: u32,
    /// Which neighbours.
    pub ascent: Ascent,
}

/// The order of neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ascent {
    /// Parameter after parameter, Gaussian steps only.
    Sweep,
    /// A random parameter, up and down by one before each Gaussian step.
    UnitFirst,
}

impl HillClimbing {
    /// The values of the thesis.
    pub const DEFAULT: HillClimbing =
        HillClimbing { sigma: 400.0, sigmas: &[], neighbours: 100, ascent: Ascent::Sweep };
    /// The values of the paper, which does not say when to restart.
    pub const GECCO: HillClimbing =
        HillClimbing { sigma: 300.0, ascent: Ascent::UnitFirst, ..HillClimbing::DEFAULT };

    /// The thesis' division of a goal's evaluations: 16 restarts use all of them.
    #[must_use]
    pub const fn for_budget(evaluations: u32, parameters: u32) -> HillClimbing {
        let parameters = if parameters == 0 { 1 } else { parameters };
        HillClimbing { neighbours: evaluations / RESTARTS / parameters, ..HillClimbing::DEFAULT }
    }
}

impl Engine for HillClimbing {
    fn name(&self) -> &'static str {
        match self.ascent {
            Ascent::Sweep => "hc",
            Ascent::UnitFirst => "hc-gecco",
        }
    }

    fn summary(&self) -> &'static str {
        match self.ascent {
            Ascent::Sweep => {
                "first-ascent hill climbing: Gaussian steps in one variable at a time, random restarts"
            }
            Ascent::UnitFirst => "first-ascent hill climbing: a random variable by one, then a Gaussian step",
        }
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self.ascent {
            Ascent::Sweep => &[
                ("sigma", "400", "standard deviation of a step, at most an eighth of the type's range"),
                ("neighbours", "100", "neighbours tried in each variable before the next one"),
            ],
            Ascent::UnitFirst => &[
                ("sigma", "300", "standard deviation of a step, at most an eighth of the type's range"),
                ("neighbours", "100", "variables tried in a row without success before a restart"),
            ],
        }
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        at_random(oracle, start, |point| match self.ascent {
            Ascent::Sweep => self.sweep(point),
            Ascent::UnitFirst => self.wander(point),
        })
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

    fn wander(&self, point: &mut Point<'_>) -> ControlFlow<()> {
        let mut barren = 0;
        while barren < self.neighbours {
            let vars = point.vars();
            let var = vars[point.oracle.rng().usize(..vars.len())];
            let better = unit_steps(point, var)? || self.neighbour(point, var)?;
            barren = if better { 0 } else { barren + 1 };
        }
        ControlFlow::Continue(())
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
                let sigma = self.sigma(var).min((greatest as f64 - least as f64) / 8.0).max(1.0);
                leaf.int_step(cell, (gaussian(point.oracle.rng()) * sigma).round() as i128)
            }
            LeafKind::Float(kind) => {
                let step = gaussian(point.oracle.rng()) * self.sigma(var);
                leaf.clamp_float(kind, leaf.float_value(kind, cell) + step)
            }
            LeafKind::Bool | LeafKind::Enum { .. } | LeafKind::Selector { .. } => {
                leaf.random(point.oracle.rng())
            }
        };
        point.try_cell(var, moved)
    }

    fn sigma(&self, var: Var) -> f64 {
        self.sigmas.get(var.object as usize).copied().unwrap_or(self.sigma)
    }
}

/// Up by one, down by one: numbers only.
fn unit_steps(point: &mut Point<'_>, var: Var) -> ControlFlow<(), bool> {
    let (leaf, cell) = (point.leaf(var), point.cell(var));
    match leaf.kind {
        LeafKind::Int { .. } => point.try_each(var, [1, -1].map(|step| leaf.int_step(cell, step))),
        LeafKind::Float(kind) => {
            let value = leaf.float_value(kind, cell);
            point.try_each(var, [1.0, -1.0].map(|step| leaf.clamp_float(kind, value + step)))
        }
        _ => ControlFlow::Continue(false),
    }
}

/// A standard normal number (Box & Muller 1958).
fn gaussian(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (TAU * rng.f64()).cos()
}
