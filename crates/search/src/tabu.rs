//! Tabu search (Glover 1989), used for test data by Díaz, Tuya, Blanco & Dolado (2008): of a sample of neighbours the
//! best is taken, better or not, and the variable that it moved rests for some moves, so that the way back is closed.
//! A move that leads to something better than all before is taken in spite of that.

use crate::neighbour::random_neighbour;
use crate::point::Point;
use crate::restart::at_random;
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
    /// Our own: a restart after 50 · 24 = 1200 evaluations without success.
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
        at_random(oracle, start, |point| self.walk(point))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, Subject, Values, at};

    const FIRST: Var = Var { object: 0, cell: 0 };
    const SECOND: Var = Var { object: 1, cell: 0 };

    /// The best neighbour of zero among 24 while one variable rests.
    fn best_neighbour(resting: Var, objective: impl Fn(&Values<'_>) -> Fitness) -> Option<Neighbour> {
        let mut bench = Bench::new(&Subject::ints(32, true, 2), 3, usize::MAX, objective);
        let space = bench.space.clone();
        let ControlFlow::Continue(mut point) = Point::new(&mut bench, &space, Input::zero(&space)) else {
            unreachable!("nothing is covered")
        };
        let best = point.fitness;
        match Tabu::DEFAULT.best_neighbour(&mut point, &VecDeque::from([resting]), best) {
            ControlFlow::Continue(neighbour) => neighbour,
            ControlFlow::Break(()) => unreachable!("nothing is covered"),
        }
    }

    #[test]
    fn the_best_that_does_not_rest_is_taken_though_it_is_worse() {
        // Both variables are best at zero, and the first costs less.
        let bowl = |v: &Values<'_>| at(0, 1 + v.int(0).unsigned_abs() + 1000 * v.int(1).unsigned_abs());
        let chosen = best_neighbour(FIRST, bowl).expect("there are 24");
        assert_eq!(chosen.var, SECOND);
        assert!(chosen.fitness > at(0, 1));
        assert_eq!(best_neighbour(SECOND, bowl).expect("there are 24").var, FIRST);
    }

    #[test]
    fn what_is_better_than_everything_before_is_taken_in_spite_of_the_rest() {
        let slope = |v: &Values<'_>| at(0, 1 + v.int(0).abs_diff(1 << 30) + v.int(1).unsigned_abs());
        let chosen = best_neighbour(FIRST, slope).expect("there are 24");
        assert_eq!(chosen.var, FIRST);
        assert!(chosen.fitness < at(0, 1 + (1 << 30)));
    }

    #[test]
    fn after_fifty_moves_without_progress_the_search_starts_anew() {
        // Two variables that alternate on a plateau: every move goes through.
        let mut bench = Bench::new(&Subject::ints(128, true, 2), 1, 2000, |_| at(0, 1));
        bench.run(&Tabu::DEFAULT);
        let changed = |pair: &[[i128; 2]]| pair[0][0] != pair[1][0] && pair[0][1] != pair[1][1];
        // Of 24 neighbours of one input all differ from it in one variable; a fresh input in both.
        let trace = bench.trace::<2>();
        assert!(trace.iter().skip(1).take(24).all(|values| values.contains(&0)));
        assert!(changed(&[trace[0], trace[1 + 50 * 24]]));
    }
}
