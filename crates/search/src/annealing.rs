//! Simulated annealing (Kirkpatrick, Gelatt & Vecchi 1983), used for test data by Tracey, Clark, Mander & McDermid
//! (1998): a random neighbour is taken if it is better, and if it is worse with a probability that falls with the
//! temperature. Cooling is geometric; when the system is frozen the search starts anew at a random input.

use crate::neighbour::random_neighbour;
use crate::point::Point;
use crate::restart::at_random;
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
    /// Our own, set on the small subjects of the tests: Awedikian's account of Tracey has no numbers. At first a distance
    /// may grow a thousandfold in every other step, at last 0.0005 is a fifteenth of a doubling; 51 temperatures with
    /// 20 moves each lie in between.
    pub const DEFAULT: Annealing = Annealing { temperature: 0.1, cooling: 0.9, moves: 20, frozen: 0.0005 };
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
            ("temperature", "0.1", "temperature at the start, in approach levels"),
            ("cooling", "0.9", "factor from one temperature to the next"),
            ("moves", "20", "neighbours tried at each temperature"),
            ("frozen", "0.0005", "temperature at which the search starts anew"),
        ]
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        at_random(oracle, start, |point| self.anneal(point))
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
        let rise = energy(fitness, neighbour.size()) - energy(point.fitness, point.input.size());
        let chance = (-rise / temperature).exp();
        let is_taken = fitness < point.fitness || point.oracle.rng().f64() < chance;
        if is_taken {
            (point.input, point.fitness) = (neighbour, fitness);
        }
    }
    ControlFlow::Continue(())
}

/// The texts' approach level + normalised distance, to which the size of the input adds. The norm is logarithmic, so that
/// at every distance the way to half of it is worth the same; whether an input is better at all is decided on the
/// exact values. Twice the cells count like twice the distance: most changes of shape make no difference, and
/// inputs would grow without end.
fn energy(fitness: Fitness, cells: u64) -> f64 {
    let doublings = (fitness.distance as f64 + 1.0).log2() + (cells as f64 + 1.0).log2();
    f64::from(fitness.level) + doublings / 128.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, Subject, Values, at};
    use model::TypeKind;

    /// Share of the steps from a distance of 3 to one of 7 that are taken.
    fn share_taken(temperature: f64) -> f64 {
        let mut subject = Subject::new();
        let truth = subject.add(TypeKind::Bool, 1);
        subject.params = vec![truth];
        let objective = |v: &Values<'_>| at(0, if v.cell(0, 0) == 0 { 3 } else { 7 });
        let mut bench = Bench::new(&subject, 7, usize::MAX, objective);
        let space = bench.space.clone();
        let (mut tried, mut taken) = (0, 0);
        let ControlFlow::Continue(mut point) = Point::new(&mut bench, &space, Input::zero(&space)) else {
            unreachable!("nothing is covered")
        };
        for _ in 0..20_000 {
            let at_bottom = Input::zero(&space);
            point.fitness = at(0, 3);
            point.input = at_bottom;
            let _ = try_neighbour(&mut point, temperature);
            // Every other draw of a truth value is the old one.
            tried += 1;
            taken += usize::from(point.fitness == at(0, 7));
        }
        2.0 * taken as f64 / tried as f64
    }

    #[test]
    fn worse_neighbours_are_taken_as_often_as_metropolis_says() {
        // log2(8) − log2(4) = 1 doubling = 1/128.
        for (temperature, expected) in [(1.0, 0.992), (1.0 / 128.0, 0.368), (0.5 / 128.0, 0.135), (1e-4, 0.0)]
        {
            let share = share_taken(temperature);
            assert!((share - expected).abs() < 0.02, "{share} at {temperature}");
        }
    }

    #[test]
    fn energy_follows_the_order_of_fitness() {
        let distances = [0, 1, 2, 1000, 1 << 40, (1 << 53) + 1, 1 << 100, u128::MAX];
        let ordered: Vec<Fitness> =
            [0, 1, 2, 500].iter().flat_map(|&level| distances.map(|distance| at(level, distance))).collect();
        assert!(ordered.iter().map(|&fitness| energy(fitness, 0)).is_sorted());
        assert!(energy(Fitness::COVERED, 0) == 0.0 && energy(Fitness::WORST, u64::MAX).is_finite());
    }

    #[test]
    fn when_it_is_frozen_the_search_starts_anew() {
        // Everything but the start is fifty levels higher: too far for any temperature.
        let hopeless = |v: &Values<'_>| at(if (v.int(0), v.int(1)) == (0, 0) { 1 } else { 51 }, 1);
        let mut bench = Bench::new(&Subject::ints(32, true, 2), 1, 1100, hopeless);
        bench.run(&Annealing::DEFAULT);
        let moved = |values: &[i128; 2]| values.iter().filter(|&&value| value != 0).count();
        // 0.1 · 0.9^n > 0.0005 for n = 0 … 50, twenty moves each.
        let restart = bench.trace::<2>().iter().position(|values| moved(values) == 2);
        assert_eq!(restart, Some(1 + 51 * 20));
    }
}
