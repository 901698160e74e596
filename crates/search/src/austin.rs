//! AUSTIN's hill climber (Lakhotia 2009, figures 3.2 and 3.12–3.17): one variable after the other, −δ then
//! +δ, accelerating pattern moves, decimal refinement of floats, enumerators in order, random restarts.
//!
//! Kept as published: only strict improvements count, and every pattern run sends the scan back to the first
//! variable. Settled where the text is silent: values stop at the limits of their type, a move that changes
//! nothing is not evaluated, all accuracies start anew at a restart, and a pointer is a variable that is
//! null or leads to one new element.

use crate::point::Point;
use crate::{Engine, Oracle};
use input::{FloatKind, Input, LeafKind, Var};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The engine `austin`.
#[derive(Clone, Copy, Debug)]
pub struct Austin {
    /// Most decimals of a `float`.
    pub float_accuracy: u32,
    /// Most decimals of a `double` or `long double`.
    pub double_accuracy: u32,
    /// Decimals of every float at the start and after a restart.
    pub first_accuracy: u32,
}

impl Austin {
    /// The values of the thesis.
    pub const DEFAULT: Austin = Austin { float_accuracy: 6, double_accuracy: 15, first_accuracy: 1 };
}

impl Engine for Austin {
    fn name(&self) -> &'static str {
        "austin"
    }

    fn summary(&self) -> &'static str {
        "AUSTIN's hill climber to the letter: alternating variables, pattern moves, random restarts"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[
            ("float_accuracy", "6", "most decimals tried in a float"),
            ("double_accuracy", "15", "most decimals tried in a double"),
            ("first_accuracy", "1", "decimals of a float after a restart"),
        ]
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        let space = oracle.space().clone();
        let mut climb = Climb::new(*self, Point::new(oracle, &space, start)?);
        if climb.prims.is_empty() {
            return ControlFlow::Continue(());
        }
        loop {
            if climb.neighbourhood_explored() {
                climb.restart()?;
            } else {
                climb.move_variable()?;
            }
        }
    }
}

/// The global variables of the thesis' pseudo-code.
struct Climb<'a> {
    limits: Austin,
    point: Point<'a>,
    prims: Vec<Var>,
    idx: usize,
    dir: i32,
    accuracy: BTreeMap<Var, u32>,
    prec_idx: usize,
    inc_prec: bool,
    prec_ok: bool,
}

impl<'a> Climb<'a> {
    fn new(limits: Austin, point: Point<'a>) -> Climb<'a> {
        let prims = point.vars();
        let accuracy = BTreeMap::new();
        Climb {
            limits,
            point,
            prims,
            idx: 0,
            dir: -1,
            accuracy,
            prec_idx: 0,
            inc_prec: false,
            prec_ok: false,
        }
    }

    /// The scan starts again at the first variable of the present input.
    fn reset(&mut self) {
        self.dir = -1;
        self.idx = 0;
        self.prims = self.point.vars();
    }

    /// Uniform over the types, pointers null, enums at their first value, accuracies forgotten.
    fn restart(&mut self) -> ControlFlow<()> {
        let mut input = Input::zero(self.point.space);
        for var in input.vars(self.point.space).collect::<Vec<_>>() {
            let leaf = input.leaf(self.point.space, var);
            if !matches!(leaf.kind, LeafKind::Enum { .. }) {
                *input.cell_mut(var) = leaf.uniform(self.point.oracle.rng());
            }
        }
        self.accuracy.clear();
        (self.prec_idx, self.inc_prec, self.prec_ok) = (0, false, false);
        self.point.restart(input)?;
        self.reset();
        ControlFlow::Continue(())
    }

    /// Figure 3.12, inner part.
    fn move_variable(&mut self) -> ControlFlow<()> {
        let var = self.prims[self.idx];
        let leaf = self.point.leaf(var);
        match &leaf.kind {
            LeafKind::Enum { values, .. } => {
                let values = values.iter().map(|&value| leaf.clamp(value));
                let better = self.point.try_each(var, values)?;
                self.after_discrete_move(better);
            }
            LeafKind::Selector { members } => {
                let better = self.point.try_each(var, (0..*members).map(u128::from))?;
                self.after_discrete_move(better);
            }
            LeafKind::Pointer { .. } => {
                let better = self.point.try_other_pointer(var)?;
                self.after_discrete_move(better);
            }
            LeafKind::Bool | LeafKind::Int { .. } | LeafKind::Float(_) => self.explore(var)?,
        }
        ControlFlow::Continue(())
    }

    /// Figure 3.15: one look at all values, then the next variable or, after success, the first.
    fn after_discrete_move(&mut self, better: bool) {
        self.idx += 1;
        if better {
            self.reset();
        }
    }

    /// Figure 3.13: −δ, then +δ, then the next variable; success starts a pattern run.
    fn explore(&mut self, var: Var) -> ControlFlow<()> {
        let dir = self.dir;
        if dir < 0 {
            self.dir = 1;
        } else {
            self.dir = -1;
            self.idx += 1;
        }
        if self.step(var, f64::from(dir))? {
            self.prec_ok |= self.inc_prec;
            self.pattern_run(var, dir)?;
        }
        ControlFlow::Continue(())
    }

    /// Figure 3.14: steps of 2^it·δ while they help.
    fn pattern_run(&mut self, var: Var, dir: i32) -> ControlFlow<()> {
        let mut it = 1;
        while self.step(var, f64::from(dir) * 2f64.powi(it))? {
            it += 1;
        }
        self.reset();
        ControlFlow::Continue(())
    }

    /// Moves a variable by `steps` δ: 1 for integers, 10^−accuracy for floats.
    fn step(&mut self, var: Var, steps: f64) -> ControlFlow<(), bool> {
        let leaf = self.point.leaf(var);
        let cell = self.point.cell(var);
        let moved = match leaf.kind {
            LeafKind::Float(kind) => {
                let delta = steps * 10f64.powi(-(self.accuracy(var) as i32));
                leaf.clamp_float(kind, leaf.float_value(kind, cell) + delta)
            }
            _ => leaf.int_step(cell, steps as i128),
        };
        self.point.try_cell(var, moved)
    }

    fn accuracy(&self, var: Var) -> u32 {
        self.accuracy.get(&var).copied().unwrap_or(self.limits.first_accuracy)
    }

    /// Figure 3.2: whether every variable was tried, floats with as many decimals as are of use.
    fn neighbourhood_explored(&mut self) -> bool {
        if self.idx < self.prims.len() {
            return false;
        }
        if self.prec_idx >= self.prims.len() {
            return true;
        }
        if self.inc_prec && !self.prec_ok {
            let var = self.prims[self.prec_idx];
            let refined = self.accuracy(var);
            self.accuracy.insert(var, if refined > 1 { refined - 1 } else { refined });
            self.prec_idx += 1;
        }
        (self.prec_ok, self.inc_prec) = (false, false);
        while self.prec_idx < self.prims.len() {
            let var = self.prims[self.prec_idx];
            if self.accuracy(var) < self.most_decimals(var) {
                self.accuracy.insert(var, self.accuracy(var) + 1);
                self.inc_prec = true;
                self.reset();
                return false;
            }
            self.prec_idx += 1;
        }
        self.prec_idx = 0;
        true
    }

    fn most_decimals(&self, var: Var) -> u32 {
        match self.point.leaf(var).kind {
            LeafKind::Float(FloatKind::F32) => self.limits.float_accuracy,
            LeafKind::Float(_) => self.limits.double_accuracy,
            _ => 0,
        }
    }
}
