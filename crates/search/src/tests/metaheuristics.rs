//! What genetic algorithms, annealing, tabu search and hill climbing have in common. Numbers in names are those of the
//! checklist drawn from Awedikian's thesis.

use crate::testing::{Bench, Subject, Values, assert_inside, at};
use crate::{Annealing, Engine, GeneticAlgorithm, HillClimbing, RandomSearch, Tabu, all, by_name};
use goal::Fitness;
use input::Pointer;

fn engines() -> [&'static dyn Engine; 6] {
    ["hc", "hc-gecco", "ga", "ga-etf", "annealing", "tabu"].map(|name| by_name(name).expect("it is listed"))
}

/// How many of six seeds reach the goal in 10 000 evaluations.
fn successes(engine: &dyn Engine, subject: &Subject, objective: impl Fn(&Values<'_>) -> Fitness) -> usize {
    (0..6).filter(|&seed| Bench::new(subject, seed, 10_000, &objective).run(engine)).count()
}

/// `a` within 20 of 900 and `b` of -700 and `c` of 800, 16-bit numbers all.
fn three_numbers(values: &Values<'_>) -> Fitness {
    let distance = |(param, to)| values.int(param).abs_diff(to).saturating_sub(20);
    at(0, [(0, 900), (1, -700), (2, 800)].map(distance).into_iter().sum())
}

/// `p && p->next && p->value within 100 of 2000 && p->next->value within 100 of -2500`.
fn two_nodes(values: &Values<'_>) -> Fitness {
    let Some((first, next)) = node(values, values.cell(0, 0)) else { return at(3, 1) };
    let Some((second, _)) = node(values, next) else { return at(2, 1) };
    match [(first, 300, 1), (second, -200, 0)].map(|(v, to, l)| (v.abs_diff(to).saturating_sub(20), l)) {
        [(0, _), (0, _)] => Fitness::COVERED,
        [(0, _), (distance, level)] | [(distance, level), _] => at(level, distance),
    }
}

/// Value and pointer of the node that a pointer leads to.
fn node(values: &Values<'_>, pointer: u128) -> Option<(i128, u128)> {
    let Pointer::Element { object, element } = Pointer::decode(pointer) else { return None };
    let cells = &values.input.objects[object as usize].cells;
    let value = *cells.get(2 * element as usize)?;
    Some((i128::from(value as u16 as i16), cells[2 * element as usize + 1]))
}

#[test]
fn each_finds_three_numbers_where_random_search_does_not() {
    let subject = Subject::ints(16, true, 3);
    assert_eq!(successes(&RandomSearch, &subject, three_numbers), 0);
    for engine in engines() {
        assert!(successes(engine, &subject, three_numbers) >= 2, "{}", engine.name());
    }
}

#[test]
fn each_finds_two_nodes_of_a_list_where_random_search_does_not() {
    let subject = Subject::list();
    assert_eq!(successes(&RandomSearch, &subject, two_nodes), 0);
    for engine in engines() {
        assert!(successes(engine, &subject, two_nodes) >= 2, "{}", engine.name());
    }
}

#[test]
fn item_46_every_value_is_inside_the_domain_of_its_leaf() {
    let subject = Subject::assorted();
    for engine in all() {
        for seed in 0..3 {
            // Rugged, so that searches go everywhere, and without end.
            let objective = |v: &Values<'_>| {
                let sum = v.input.places().map(|var| v.input.cell(var) % 1009).sum::<u128>();
                at(2, 1 + sum % 257)
            };
            let mut bench = Bench::new(&subject, seed, 1500, objective);
            bench.run(*engine);
            bench.log.iter().for_each(|input| assert_inside(&bench.space, input, engine.name()));
        }
    }
}

#[test]
fn item_61_the_same_seed_gives_the_same_evaluations_of_graphs() {
    let log = |engine, seed| {
        let mut bench =
            Bench::new(&Subject::assorted(), seed, 600, |v| at(1, 1 + u128::from(v.input.size())));
        bench.run(engine);
        bench.log
    };
    for engine in engines() {
        assert_eq!(log(engine, 8), log(engine, 8), "{}", engine.name());
        assert_ne!(log(engine, 8), log(engine, 9), "{}", engine.name());
    }
}

#[test]
fn item_49_the_listed_parameters_are_those_in_use() {
    let listed = |engine: &dyn Engine| -> Vec<f64> {
        engine.parameters().iter().map(|(_, value, _)| value.parse().expect("numbers all")).collect()
    };
    for ga in [GeneticAlgorithm::THESIS, GeneticAlgorithm::ETF] {
        let GeneticAlgorithm { population, crossover, mutation, generations, carry_over, .. } = ga;
        let used =
            [population as f64, crossover, mutation, f64::from(generations), f64::from(u8::from(carry_over))];
        assert_eq!(listed(&ga), used);
    }
    for hc in [HillClimbing::DEFAULT, HillClimbing::GECCO] {
        assert_eq!(listed(&hc), [hc.sigma, f64::from(hc.neighbours)]);
    }
    let Annealing { temperature, cooling, moves, frozen } = Annealing::DEFAULT;
    assert_eq!(listed(&Annealing::DEFAULT), [temperature, cooling, f64::from(moves), frozen]);
    let Tabu { neighbours, tenure, patience } = Tabu::DEFAULT;
    assert_eq!(listed(&Tabu::DEFAULT), [neighbours.into(), tenure as f64, patience.into()]);
    let thesis = [100.0, 0.7, 0.05, 400.0, 1.0];
    assert_eq!(listed(&GeneticAlgorithm::THESIS), thesis);
}
