//! What every engine owes its caller.

use crate::testing::{Bench, Subject, at};
use crate::{HillClimbing, Oracle, all, by_name};
use input::Input;
use std::ops::ControlFlow;

#[test]
fn every_name_leads_back_to_its_engine() {
    let names: Vec<&str> = all().iter().map(|engine| engine.name()).collect();
    assert_eq!(
        names,
        [
            "avm",
            "avm-geometric",
            "avm-lattice",
            "austin",
            "hc",
            "hc-gecco",
            "ga",
            "ga-etf",
            "annealing",
            "tabu",
            "random"
        ]
    );
    for engine in all() {
        assert_eq!(by_name(engine.name()).map(|e| e.summary()), Some(engine.summary()));
        assert!(engine.parameters().iter().all(|(_, value, _)| value.parse::<f64>().is_ok()));
    }
    assert!(by_name("none").is_none());
}

#[test]
fn without_variables_the_start_is_evaluated_once() {
    for engine in all() {
        let mut bench = Bench::new(&Subject::new(), 1, 100, |_| at(0, 1));
        let start = Input::zero(bench.space());
        assert_eq!(engine.search(&mut bench, start), ControlFlow::Continue(()), "{}", engine.name());
        assert_eq!(bench.evaluations, 1);
    }
}

#[test]
fn a_hopeless_search_uses_exactly_its_budget_and_begins_at_the_start() {
    for engine in all() {
        let mut bench = Bench::new(&Subject::ints(16, true, 3), 1, 3000, |_| at(2, 7));
        assert!(!bench.run(*engine));
        assert_eq!(bench.evaluations, 3000, "{}", engine.name());
        assert_eq!(bench.trace::<3>()[0], [0, 0, 0]);
    }
}

#[test]
fn same_seed_same_search_other_seed_other_search() {
    let log = |engine, seed| {
        let mut bench = Bench::new(&Subject::ints(32, true, 2), seed, 2000, |v| {
            at(0, 1 + (v.int(0) * 3).abs_diff(v.int(1)) % 1000)
        });
        bench.run(engine);
        bench.log
    };
    for engine in all() {
        assert_eq!(log(*engine, 5), log(*engine, 5), "{}", engine.name());
        assert_ne!(log(*engine, 5), log(*engine, 6), "{}", engine.name());
    }
}

#[test]
fn hill_climbing_follows_the_slope_in_steps_of_its_width() {
    for seed in 0..20 {
        let mut bench = Bench::new(&Subject::ints(32, true, 2), seed, 20_000, |v| {
            at(0, v.int(0).abs_diff(1000).saturating_sub(50) + v.int(1).abs_diff(-700).saturating_sub(50))
        });
        assert!(bench.run(&HillClimbing::DEFAULT), "seed {seed}");
        // Before the first restart every step is a Gaussian one: beyond six σ is next to impossible.
        let steps = bench.trace::<2>();
        let longest = steps.iter().take(100).map(|[a, _]| a.abs()).max();
        assert!(longest < Some(1000 + 6 * 400), "{longest:?}");
    }
}

#[test]
fn hill_climbing_scales_its_step_to_narrow_types() {
    let mut bench = Bench::new(&Subject::ints(8, true, 1), 3, 100, |v| at(0, 1 + v.int(0).unsigned_abs()));
    bench.run(&HillClimbing::DEFAULT);
    let tried = bench.trace::<1>();
    let inside = tried.iter().filter(|[a]| (-120..=120).contains(a)).count();
    assert!(inside > 90, "σ = 400 would end at the limits of char: {tried:?}");
}
