//! Simulated annealing (Kirkpatrick, Gelatt & Vecchi 1983), used for test data by Tracey, Clark, Mander & McDermid
//! (1998): a random neighbour is taken if it is better, and if it is worse with a probability that falls with the
//! temperature. Cooling is geometric; when the system is frozen the search starts anew at a random input.

use crate::neighbour::random_neighbour;
use crate::point::Point;
use crate::{Engine, Oracle};
use goal::Fitness;
use input::Input;
use std::ops::ControlFlow;

/// The engine `annealing`. A temperature of 1 is worth an approach level.
#[derive(Clone, Copy, Debug)]
pub struct Annealing {
    /// Temperature at the start: one level worse is taken in e^(−1/temperature) of all cases.
    pub temperature: f64,
    /// Factor from one temperature to the next.
    pub cooling: f64,
    /// Neighbours tried at each temperature.
    pub moves: u32,
    /// Temperature at which the search starts anew.
    pub frozen: f64,
}

impl Annealing {
    /// Tracey's paper leaves the numbers open. These begin with 2 % of the steps to the next level taken, end with 2 % of the
    /// steps that double the distance taken, and use some 2300 evaluations in between.
    pub const DEFAULT: Annealing = Annealing { temperature: 0.25, cooling: 0.9, moves: 50, frozen: 0.002 };
}

impl Engine for Annealing {
    fn name(&self) -> &'static str {
        "annealing"
    }

    fn summary(&self) -> &'static str {
        "simulated annealing: worse neighbours are taken while it is hot; geometric cooling, restarts"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[
            ("temperature", "0.25", "temperature at the start, in approach levels"),
            ("cooling", "0.9", "factor from one temperature to the next"),
            ("moves", "50", "neighbours tried at each temperature"),
            ("frozen", "0.002", "temperature at which the search starts anew"),
        ]
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        let space = oracle.space().clone();
        let mut point = Point::new(oracle, &space, start)?;
        if point.vars().is_empty() {
            return ControlFlow::Continue(());
        }
        loop {
            self.anneal(&mut point)?;
            let random = Input::random(&space, point.oracle.rng());
            point.restart(random)?;
        }
    }
}

impl Annealing {
    fn anneal(&self, point: &mut Point<'_>) -> ControlFlow<()> {
        let mut temperature = self.temperature;
        while temperature > self.frozen {
            for _ in 0..self.moves {
                try_neighbour(point, temperature)?;
            }
            temperature *= self.cooling;
        }
        ControlFlow::Continue(())
    }
}

/// Metropolis' rule.
fn try_neighbour(point: &mut Point<'_>, temperature: f64) -> ControlFlow<()> {
    let (_, neighbour) = random_neighbour(point);
    if neighbour != point.input {
        let fitness = point.oracle.evaluate(&neighbour)?;
        let is_taken = fitness <= point.fitness || {
            let rise = energy(fitness) - energy(point.fitness);
            point.oracle.rng().f64() < (-rise / temperature).exp()
        };
        if is_taken {
            (point.input, point.fitness) = (neighbour, fitness);
        }
    }
    ControlFlow::Continue(())
}

/// The texts' approach level + normalised distance. The norm is logarithmic, so that at every distance the way to
/// half of it is worth the same; which of two inputs is better is decided on the exact values.
pub(crate) fn energy(fitness: Fitness) -> f64 {
    f64::from(fitness.level) + (fitness.distance as f64 + 1.0).log2() / 128.0
}
