//! Hill climbing step by step. Numbers in names are those of the checklist drawn from Awedikian's thesis.

use crate::testing::{Bench, Subject, at};
use crate::{Ascent, HillClimbing};

/// What a search tries from zero while nothing helps: the parameter changed, and its value.
fn tried(engine: HillClimbing, evaluations: usize) -> Vec<(usize, i128)> {
    let mut bench = Bench::new(&Subject::ints(32, true, 3), 5, evaluations + 1, |_| at(0, 1));
    bench.run(&engine);
    let change = |values: &[i128; 3]| {
        let changed: Vec<usize> = (0..3).filter(|&param| values[param] != 0).collect();
        let [param] = changed[..] else { panic!("one parameter at a time: {values:?}") };
        (param, values[param])
    };
    bench.trace::<3>()[1..].iter().map(change).collect()
}

fn deviation(steps: impl Iterator<Item = i128>) -> f64 {
    let steps: Vec<f64> = steps.map(|step| step as f64).collect();
    (steps.iter().map(|step| step * step).sum::<f64>() / steps.len() as f64).sqrt()
}

#[test]
fn item_56_sixteen_restarts_share_the_budget_evenly_among_the_parameters() {
    assert_eq!(HillClimbing::for_budget(5000, 3).neighbours, 104);
    assert_eq!(HillClimbing::for_budget(10_000, 3).neighbours, 208);
    // A Gaussian step of less than a half is none, and is not run: one in a thousand.
    let steps = tried(HillClimbing::for_budget(5000, 3), 3 * 104 - 3);
    let params: Vec<usize> = steps.iter().map(|&(param, _)| param).collect();
    assert!(params.is_sorted());
    for param in 0..2 {
        let count = params.iter().filter(|&&p| p == param).count();
        assert!((101..=104).contains(&count), "{count}");
    }
}

#[test]
fn item_56_a_parameter_may_have_a_deviation_of_its_own() {
    let dates = HillClimbing { sigmas: &[5.0, 50.0], neighbours: 1000, ..HillClimbing::DEFAULT };
    let steps = tried(dates, 2500);
    for (param, sigma) in [(0, 5.0), (1, 50.0), (2, 400.0)] {
        let of_param = steps.iter().filter(|&&(p, _)| p == param).map(|&(_, step)| step);
        // Steps of nothing are not in the list: the rest deviates a little more.
        let ratio = deviation(of_param) / sigma;
        assert!((0.9..1.15).contains(&ratio), "{param}: {ratio}");
    }
}

#[test]
fn item_58_the_variant_tries_one_up_and_one_down_then_a_gaussian_step() {
    let patient = HillClimbing { neighbours: u32::MAX, ..HillClimbing::GECCO };
    let steps = tried(patient, 300);
    let (triples, rest) = steps.as_chunks::<3>();
    assert!(rest.is_empty());
    for [up, down, gaussian] in triples {
        assert_eq!((up.1, down.1), (1, -1));
        assert!(up.0 == down.0 && up.0 == gaussian.0, "all in the same parameter");
    }
    let ratio = deviation(triples.iter().map(|[_, _, gaussian]| gaussian.1)) / 300.0;
    assert!((0.8..1.2).contains(&ratio), "100 steps: {ratio}");
    let params: Vec<usize> = triples.iter().map(|[up, ..]| up.0).collect();
    assert!((0..3).all(|param| params.iter().filter(|&&p| p == param).count() > 15), "at random: {params:?}");
    assert!(!params.is_sorted());
}

#[test]
fn item_58_a_unit_step_that_helps_is_taken_at_once() {
    let mut bench = Bench::new(&Subject::ints(32, true, 1), 1, 41, |v| at(0, v.int(0).abs_diff(40)));
    assert!(bench.run(&HillClimbing::GECCO));
    let climbed: Vec<i128> = bench.trace::<1>().iter().map(|&[value]| value).collect();
    assert_eq!(climbed, (0..=40).collect::<Vec<_>>());
    assert_eq!(HillClimbing::GECCO.ascent, Ascent::UnitFirst);
}

#[test]
fn item_57_only_improvements_are_taken() {
    let distance = |value: i128| value.abs_diff(100_000);
    let engine = HillClimbing { neighbours: 500, ..HillClimbing::DEFAULT };
    let mut bench = Bench::new(&Subject::ints(32, true, 1), 2, 400, |v| at(0, distance(v.int(0))));
    bench.run(&engine);
    let mut best = 0;
    for [value] in bench.trace::<1>() {
        // Every step begins at the best so far.
        assert!(value.abs_diff(best) < 6 * 400, "{value} from {best}");
        if distance(value) < distance(best) {
            best = value;
        }
    }
    assert!(best > 10_000);
}
