//! The genetic algorithm of Awedikian (2009, table 3.1): whole arithmetic crossover, uniform mutation, rank selection,
//! one elite, the population carried from goal to goal.
//!
//! Settled where the text is silent or contradicts itself: α is uniform in [0, 1), once a mating, and the second child
//! has the roles of the parents swapped; every gene mutates with the rate on its own; of an odd number of
//! places the last pair fills one, so that the population has the same size always; an offspring has no fitness yet
//! and counts as bad as the parent it takes after when the worst one is looked for; after the last generation the
//! search starts afresh. Ranking needs the order of fitness only, so distances are not normalised.

use crate::mate::offspring;
use crate::neighbour::redraw;
use crate::point::variables;
use crate::{Engine, Memory, Oracle};
use goal::Fitness;
use input::{Input, Rng, Space};
use std::ops::ControlFlow;

/// Draws after which an individual is taken for one that cannot change.
const DRAWS: usize = 32;

/// The engines `ga` and `ga-etf`.
#[derive(Clone, Copy, Debug)]
pub struct GeneticAlgorithm {
    /// Individuals; at least two, for they have two parents.
    pub population: usize,
    /// Probability that two parents are mated; otherwise both are copied.
    pub crossover: f64,
    /// Probability that a gene is drawn anew.
    pub mutation: f64,
    /// Generations for one goal before a fresh population.
    pub generations: u32,
    /// Who lives on.
    pub survival: Survival,
    /// Whether the search for a goal begins with the last population of the one before: how to get to a decision
    /// is the same for all goals of it.
    pub carry_over: bool,
}

/// Who lives on beside the offspring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Survival {
    /// The best parent: 1-elitism.
    Elite,
    /// The fittest of parents and offspring. Awedikian, Ayari & Antoniol (GECCO 2009, section 3.4) let some number of the
    /// fittest parents compete with the offspring; here all of them do.
    Fittest,
}

impl GeneticAlgorithm {
    /// The values of the thesis.
    pub const THESIS: GeneticAlgorithm = GeneticAlgorithm {
        population: 100,
        crossover: 0.7,
        mutation: 0.05,
        generations: 400,
        survival: Survival::Elite,
        carry_over: true,
    };

    /// The Evolutionary Testing Framework as AUSTIN was compared with it (Lakhotia 2009, section 3.4.1): population and
    /// rates. "Strong elitism" is not explained there and is read as the survival of the fittest. The text has
    /// no number of generations and no word on the next goal: the thesis' number, and a fresh start.
    pub const ETF: GeneticAlgorithm = GeneticAlgorithm {
        population: 200,
        crossover: 1.0,
        mutation: 0.01,
        generations: 400,
        survival: Survival::Fittest,
        carry_over: false,
    };
}

impl Engine for GeneticAlgorithm {
    fn name(&self) -> &'static str {
        match self.survival {
            Survival::Elite => "ga",
            Survival::Fittest => "ga-etf",
        }
    }

    fn summary(&self) -> &'static str {
        match self.survival {
            Survival::Elite => "genetic algorithm: arithmetic crossover, rank selection, one elite",
            Survival::Fittest => "genetic algorithm with the settings of ETF: the fittest of all survive",
        }
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self.survival {
            Survival::Elite => &[
                ("population", "100", "individuals"),
                ("crossover", "0.7", "probability that two parents are mated, not copied"),
                ("mutation", "0.05", "probability that a gene is drawn anew"),
                ("generations", "400", "generations before a fresh population"),
                ("carry_over", "1", "whether the next goal begins with the last population"),
            ],
            Survival::Fittest => &[
                ("population", "200", "individuals"),
                ("crossover", "1", "probability that two parents are mated, not copied"),
                ("mutation", "0.01", "probability that a gene is drawn anew"),
                ("generations", "400", "generations before a fresh population"),
                ("carry_over", "0", "whether the next goal begins with the last population"),
            ],
        }
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        self.search_on(oracle, start, &mut Memory::default())
    }

    fn search_on(&self, oracle: &mut dyn Oracle, start: Input, memory: &mut Memory) -> ControlFlow<()> {
        let space = oracle.space().clone();
        if start.vars(&space).next().is_none() {
            oracle.evaluate(&start)?;
            return ControlFlow::Continue(());
        }
        let carried = if self.carry_over { std::mem::take(&mut memory.population) } else { Vec::new() };
        let mut evolution = Evolution { settings: *self, oracle, space: &space, population: Vec::new() };
        evolution.populate(start, carried);
        let end = evolution.run();
        if self.carry_over {
            memory.population = evolution.into_last_population();
        }
        end
    }
}

/// A solution with its fitness for the present goal, once it was run.
#[derive(Clone, Debug)]
pub(crate) struct Individual {
    pub(crate) input: Input,
    pub(crate) fitness: Option<Fitness>,
}

impl Individual {
    fn new(input: Input) -> Individual {
        Individual { input, fitness: None }
    }

    /// A child that is its parent again need not be run.
    fn born(input: Input, parents: [&Individual; 2]) -> Individual {
        let fitness = parents.into_iter().find(|parent| parent.input == input).and_then(|p| p.fitness);
        Individual { input, fitness }
    }
}

/// A new individual before mutation, and the place of the parent it takes after among the ranked.
struct Child {
    individual: Individual,
    after: usize,
}

pub(crate) struct Evolution<'a> {
    pub(crate) settings: GeneticAlgorithm,
    pub(crate) oracle: &'a mut dyn Oracle,
    pub(crate) space: &'a Space,
    /// The best first, once ranked.
    pub(crate) population: Vec<Individual>,
}

impl Evolution<'_> {
    fn run(&mut self) -> ControlFlow<()> {
        loop {
            for _ in 0..self.settings.generations {
                self.evaluate()?;
                self.rank();
                self.reproduce();
            }
            self.population.clear();
            self.fill();
        }
    }

    /// The first generation: the start, then those carried over, then random ones. The start takes the place of
    /// itself or of the last.
    fn populate(&mut self, start: Input, mut carried: Vec<Input>) {
        carried.truncate(self.settings.population);
        let place =
            carried.iter().position(|input| *input == start).unwrap_or(carried.len().saturating_sub(1));
        if !carried.is_empty() {
            carried.remove(place);
        }
        self.population = std::iter::once(start).chain(carried).map(Individual::new).collect();
        self.fill();
    }

    fn fill(&mut self) {
        while self.population.len() < self.settings.population {
            let input = Input::random(self.space, self.oracle.rng());
            self.population.push(Individual::new(input));
        }
    }

    pub(crate) fn evaluate(&mut self) -> ControlFlow<()> {
        for individual in self.population.iter_mut().filter(|individual| individual.fitness.is_none()) {
            individual.fitness = Some(self.oracle.evaluate(&individual.input)?);
        }
        ControlFlow::Continue(())
    }

    pub(crate) fn rank(&mut self) {
        self.population.sort_by_key(|individual| individual.fitness);
        self.population.truncate(self.settings.population);
    }

    /// Makes the next generation of a ranked one.
    pub(crate) fn reproduce(&mut self) {
        let size = self.settings.population;
        let (survivors, places) = match self.settings.survival {
            Survival::Elite => (1, size - 1),
            Survival::Fittest => (size, size),
        };
        let mut children = Vec::with_capacity(places + 1);
        while children.len() < places {
            children.extend(self.breed());
        }
        children.truncate(places);
        let worst = (0..children.len()).max_by_key(|&place| children[place].after);
        self.population.truncate(survivors);
        for (place, Child { mut individual, .. }) in children.into_iter().enumerate() {
            self.mutate(&mut individual, worst == Some(place));
            self.population.push(individual);
        }
    }

    /// Two children of two parents, or the parents once more.
    fn breed(&mut self) -> [Child; 2] {
        let rng = self.oracle.rng();
        let places = select_parents(self.population.len(), rng);
        let [x, y] = places.map(|place| &self.population[place]);
        let individuals = if rng.f64() < self.settings.crossover {
            let alpha = rng.f64();
            [(x, y), (y, x)]
                .map(|(x, y)| Individual::born(offspring(self.space, &x.input, &y.input, alpha, rng), [x, y]))
        } else {
            [x.clone(), y.clone()]
        };
        let [first, second] = individuals;
        [Child { individual: first, after: places[0] }, Child { individual: second, after: places[1] }]
    }

    /// Draws some genes anew; at least one of an individual that must change.
    fn mutate(&mut self, individual: &mut Individual, must_change: bool) {
        let input = &mut individual.input;
        input.drop_unreachable(self.space);
        let before = input.clone();
        for gene in variables(self.oracle, self.space, input).into_iter().rev() {
            if self.oracle.rng().f64() < self.settings.mutation {
                redraw(input, self.space, self.oracle.rng(), gene);
            }
        }
        for _ in 0..DRAWS {
            if !must_change || *input != before {
                break;
            }
            let genes = variables(self.oracle, self.space, input);
            let rng = self.oracle.rng();
            let gene = genes[rng.usize(..genes.len())];
            redraw(input, self.space, rng, gene);
        }
        if *input != before {
            individual.fitness = None;
        }
    }

    /// Those who live at the end; of parents beside offspring that was not run yet, the parents.
    fn into_last_population(mut self) -> Vec<Input> {
        self.population.truncate(self.settings.population);
        self.population.into_iter().map(|individual| individual.input).collect()
    }
}

/// The places of two different parents in a population of such a size.
pub(crate) fn select_parents(size: usize, rng: &mut Rng) -> [usize; 2] {
    let first = select(size, rng);
    loop {
        let second = select(size, rng);
        if second != first {
            return [first, second];
        }
    }
}

/// A place with a probability proportional to its rank: `size` for the first, 1 for the last.
fn select(size: usize, rng: &mut Rng) -> usize {
    loop {
        let place = rng.usize(..size);
        let rank = size - place;
        if rank > rng.usize(..size) {
            return place;
        }
    }
}
