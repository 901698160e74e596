//! Tabu search (Glover 1989), used for test data by Díaz, Tuya, Blanco & Dolado (2008): of a sample of neighbours the
//! best is taken, better or not, and the variable that it moved rests for some moves, so that the way back is closed.
//! A move that leads to something better than all before is taken in spite of that.

use crate::neighbour::random_neighbour;
use crate::point::Point;
use crate::{Engine, Oracle};
use goal::Fitness;
use input::{Input, Var};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// The engine `tabu`.
#[derive(Clone, Copy, Debug)]
pub struct Tabu {
    /// Neighbours looked at before each move.
    pub neighbours: u32,
    /// Moves for which a variable rests; at most half of the variables do at once.
    pub tenure: usize,
    /// Moves without anything better than before after which the search starts anew.
    pub patience: u32,
}

impl Tabu {
    /// Glover's seven for the tenure; the rest makes some thousand evaluations without success a restart.
    pub const DEFAULT: Tabu = Tabu { neighbours: 24, tenure: 7, patience: 50 };
}

impl Engine for Tabu {
    fn name(&self) -> &'static str {
        "tabu"
    }

    fn summary(&self) -> &'static str {
        "tabu search: the best of some neighbours, but not in a variable that moved of late; restarts"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[
            ("neighbours", "24", "neighbours looked at before each move"),
            ("tenure", "7", "moves for which a variable rests, at most half of the variables at once"),
            ("patience", "50", "moves without progress before a restart"),
        ]
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        let space = oracle.space().clone();
        let mut point = Point::new(oracle, &space, start)?;
        if point.vars().is_empty() {
            return ControlFlow::Continue(());
        }
        loop {
            self.walk(&mut point)?;
            let random = Input::random(&space, point.oracle.rng());
            point.restart(random)?;
        }
    }
}

/// A neighbour that was run.
struct Neighbour {
    var: Var,
    input: Input,
    fitness: Fitness,
}

impl Tabu {
    fn walk(&self, point: &mut Point<'_>) -> ControlFlow<()> {
        let mut best = point.fitness;
        let mut resting = VecDeque::new();
        let mut barren = 0;
        while barren < self.patience {
            if let Some(Neighbour { var, input, fitness }) = self.best_neighbour(point, &resting, best)? {
                (point.input, point.fitness) = (input, fitness);
                resting.push_back(var);
            } else {
                resting.pop_front();
            }
            while resting.len() > self.tenure.min(point.vars().len() / 2) {
                resting.pop_front();
            }
            barren = if point.fitness < best { 0 } else { barren + 1 };
            best = best.min(point.fitness);
        }
        ControlFlow::Continue(())
    }

    /// The best of a sample that is not tabu, or is better than anything before.
    fn best_neighbour(
        &self,
        point: &mut Point<'_>,
        resting: &VecDeque<Var>,
        best: Fitness,
    ) -> ControlFlow<(), Option<Neighbour>> {
        let mut chosen: Option<Neighbour> = None;
        for _ in 0..self.neighbours {
            let (var, input) = random_neighbour(point);
            if input == point.input {
                continue;
            }
            let fitness = point.oracle.evaluate(&input)?;
            let is_allowed = !resting.contains(&var) || fitness < best;
            if is_allowed && chosen.as_ref().is_none_or(|chosen| fitness < chosen.fitness) {
                chosen = Some(Neighbour { var, input, fitness });
            }
        }
        ControlFlow::Continue(chosen)
    }
}
