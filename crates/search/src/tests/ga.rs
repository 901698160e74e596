//! The genetic algorithm, generation by generation. Numbers in names are those of the checklist drawn from
//! Awedikian's thesis.

use crate::ga::{Evolution, Individual, select_parents};
use crate::testing::{Bench, Subject, Values, at};
use crate::{Engine, GeneticAlgorithm, Memory, Oracle, Tabu};
use goal::Fitness;
use input::{Input, Rng, Space, Var};

const THESIS: GeneticAlgorithm = GeneticAlgorithm::THESIS;
/// Copies only, but for the worst.
const COPIES: GeneticAlgorithm = GeneticAlgorithm { crossover: 0.0, mutation: 0.0, ..THESIS };

fn distance_to(a: i128, b: i128) -> impl Fn(&Values<'_>) -> Fitness {
    move |values| at(0, 1 + values.int(0).abs_diff(a) + values.int(1).abs_diff(b))
}

/// Individual `i` of a population of 100 has `i` in all of its three parameters.
fn numbered(space: &Space) -> Vec<Individual> {
    let individual = |number: u32| {
        let mut input = Input::zero(space);
        (0..3).for_each(|object| *input.cell_mut(Var { object, cell: 0 }) = number.into());
        Individual { input, fitness: None }
    };
    (0..100).map(individual).collect()
}

/// Lets the numbered population, the smaller the better, live for a generation after it was evaluated.
fn next_generation(settings: GeneticAlgorithm, seed: u64) -> (Vec<Individual>, usize) {
    let mut bench = Bench::new(&Subject::ints(32, true, 3), seed, 10_000, |v| {
        at(0, 1 + v.int(0).unsigned_abs() + v.int(1).unsigned_abs() + v.int(2).unsigned_abs())
    });
    let space = bench.space().clone();
    let population = numbered(&space);
    let mut evolution = Evolution { settings, oracle: &mut bench, space: &space, population };
    assert!(evolution.evaluate().is_continue());
    evolution.rank();
    evolution.reproduce();
    let population = evolution.population.clone();
    assert!(evolution.evaluate().is_continue());
    (population, bench.evaluations)
}

fn genes(individual: &Individual) -> [u128; 3] {
    [0, 1, 2].map(|object| individual.input.cell(Var { object, cell: 0 }))
}

#[test]
fn item_50_selection_is_proportional_to_rank_and_takes_two_different_parents() {
    const SIZE: usize = 100;
    const DRAWS: u32 = 100_000;
    let mut rng = Rng::with_seed(50);
    let mut counts = [0u32; SIZE];
    for _ in 0..DRAWS {
        let [first, second] = select_parents(SIZE, &mut rng);
        assert_ne!(first, second);
        counts[first] += 1;
    }
    let chi_square: f64 = (0..SIZE)
        .map(|place| {
            let expected = f64::from(DRAWS) * (SIZE - place) as f64 / (SIZE * (SIZE + 1) / 2) as f64;
            (f64::from(counts[place]) - expected).powi(2) / expected
        })
        .sum();
    // 99 degrees of freedom: beyond 148.2 in one of a thousand cases.
    assert!(chi_square < 148.2, "{chi_square}");
}

#[test]
fn item_52_the_elite_is_never_mutated() {
    let every_gene = GeneticAlgorithm { mutation: 1.0, ..THESIS };
    for seed in 0..50 {
        let (population, _) = next_generation(every_gene, seed);
        assert_eq!(genes(&population[0]), [0, 0, 0]);
        assert_eq!(population[0].fitness, Some(at(0, 1)));
        // Of 99 others drawn anew from 2^32 numbers none is where it was.
        assert!(population[1..].iter().all(|individual| individual.fitness.is_none()));
    }
}

#[test]
fn item_52_the_worst_is_always_mutated() {
    for seed in 0..50 {
        let (population, _) = next_generation(COPIES, seed);
        let (changed, same): (Vec<_>, Vec<_>) =
            population.iter().partition(|individual| individual.fitness.is_none());
        let [changed] = changed[..] else { panic!("one and no other: {changed:?}") };
        // One gene of three was drawn anew: two tell whose copy it was.
        let [a, b, c] = genes(changed);
        let whose = if a == b || a == c { a } else { b };
        assert!(same.iter().all(|individual| genes(individual)[0] <= whose));
    }
}

#[test]
fn item_52_mutation_draws_five_of_a_hundred_genes_from_the_whole_domain() {
    let mutation_only = GeneticAlgorithm { crossover: 0.0, ..THESIS };
    let mut drawn = Vec::new();
    for seed in 0..100 {
        let (population, _) = next_generation(mutation_only, seed);
        drawn.extend(population.iter().flat_map(genes).filter(|&gene| gene >= 100));
    }
    // 100 generations of 99 · 3 genes at 5 %, and of the worst now and then one more: 1485 to 1585, σ = 38.
    assert!((1370..1700).contains(&drawn.len()), "{}", drawn.len());
    let upper_half = drawn.iter().filter(|&&gene| gene >= 1 << 31).count();
    assert!(upper_half.abs_diff(drawn.len() / 2) < 5 * 20, "{upper_half} of {}", drawn.len());
}

#[test]
fn item_53_unchanged_individuals_are_not_run_again() {
    for seed in 0..20 {
        let (_, evaluations) = next_generation(COPIES, seed);
        assert_eq!(evaluations, 100 + 1);
    }
    // A gene in a hundred thousand: hardly a generation changes more than the worst.
    let (_, evaluations) = next_generation(GeneticAlgorithm { mutation: 1e-5, ..COPIES }, 1);
    assert_eq!(evaluations, 100 + 1);
}

#[test]
fn item_49_the_best_never_gets_worse() {
    let mut bench = Bench::new(&Subject::ints(32, true, 2), 5, 5000, distance_to(70_000, -3));
    let space = bench.space().clone();
    let population =
        (0..100).map(|_| Individual { input: Input::random(&space, bench.rng()), fitness: None });
    let population = population.collect();
    let mut evolution = Evolution { settings: THESIS, oracle: &mut bench, space: &space, population };
    let mut course = Vec::new();
    while evolution.evaluate().is_continue() {
        evolution.rank();
        course.push(evolution.population[0].fitness.expect("all were run"));
        evolution.reproduce();
    }
    assert!(course.is_sorted_by(|before, after| before >= after));
    assert!(course.first() > course.last(), "and gets better: {course:?}");
}

#[test]
fn item_54_the_next_goal_begins_with_the_last_population() {
    let subject = Subject::ints(32, true, 2);
    let mut memory = Memory::default();
    let mut first = Bench::new(&subject, 1, 1000, distance_to(5000, 5000));
    let start = Input::zero(first.space());
    assert!(THESIS.search_on(&mut first, start, &mut memory).is_break());
    let last = memory.population.clone();
    let best =
        first.log.iter().map(|input| distance_to(5000, 5000)(&Values { space: &first.space, input })).min();
    let elite = distance_to(5000, 5000)(&Values { space: &first.space, input: &last[0] });
    assert_eq!(Some(elite), best);

    // From one of them, and from another input, which replaces the last.
    let other = Input::random(&first.space, &mut Rng::with_seed(9));
    for (start, rest) in [(last[7].clone(), [&last[..7], &last[8..]].concat()), (other, last[..99].to_vec())]
    {
        let mut second = Bench::new(&subject, 2, 1000, distance_to(-9, 88));
        let mut memory = memory.clone();
        let _ = THESIS.search_on(&mut second, start.clone(), &mut memory);
        assert_eq!(second.log[0], start);
        assert_eq!(second.log[1..100], rest);
        assert_ne!(memory.population, last);
    }
}

#[test]
fn item_54_carrying_over_can_be_turned_off_and_is_the_genetic_algorithms_alone() {
    let subject = Subject::ints(32, true, 2);
    let fresh = GeneticAlgorithm { carry_over: false, ..THESIS };
    let engines: [&dyn Engine; 3] = [&fresh, &GeneticAlgorithm::ETF, &Tabu::DEFAULT];
    for engine in engines {
        let run = |memory: &mut Memory| {
            let mut bench = Bench::new(&subject, 3, 700, distance_to(5000, 5000));
            let start = Input::zero(bench.space());
            let _ = engine.search_on(&mut bench, start, memory);
            bench.log
        };
        let mut memory = Memory::default();
        let first = run(&mut memory);
        assert!(memory.population.is_empty());
        assert_eq!(run(&mut memory), first);
    }
}

#[test]
fn item_55_the_population_stays_as_large_as_it_is() {
    for seed in 0..20 {
        assert_eq!(next_generation(THESIS, seed).0.len(), 100);
    }
    let etf = GeneticAlgorithm { carry_over: true, ..GeneticAlgorithm::ETF };
    for (settings, size) in [(THESIS, 100), (etf, 200)] {
        let mut memory = Memory::default();
        // Wherever the search is interrupted.
        for budget in [1, 99, 100, 101, 200, 201, 555, 3000] {
            let mut bench = Bench::new(&Subject::ints(32, true, 2), 1, budget, distance_to(1, 2));
            let start = Input::zero(bench.space());
            let _ = settings.search_on(&mut bench, start, &mut memory);
            assert_eq!(memory.population.len(), size, "{budget}");
        }
    }
}

#[test]
fn the_fittest_of_parents_and_offspring_survive() {
    let settings = GeneticAlgorithm { population: 100, mutation: 1.0, ..GeneticAlgorithm::ETF };
    let (population, evaluations) = next_generation(settings, 1);
    assert_eq!((population.len(), evaluations), (200, 200));
    let parents: Vec<u128> = population[..100].iter().map(|parent| genes(parent)[0]).collect();
    assert_eq!(parents, (0..100).collect::<Vec<_>>());
}

#[test]
fn after_the_last_generation_the_search_starts_afresh() {
    let short = GeneticAlgorithm { generations: 3, ..COPIES };
    let mut bench = Bench::new(&Subject::ints(32, true, 2), 1, 1000, distance_to(1, 2));
    bench.run(&short);
    // 100 at first, and in the second and the third generation the worst.
    let (first, second) = bench.log.split_at(102);
    let common = second[..100].iter().filter(|input| first.contains(input)).count();
    assert!(common < 10, "small numbers are likely, copies are not: {common}");
}
