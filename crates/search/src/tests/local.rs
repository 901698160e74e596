//! The three local searches on lines of known shape.

use crate::testing::{Bench, Subject, at};
use crate::{Avm, Engine};
use input::{Input, Rng};

fn trace(engine: &Avm, target: i128) -> Vec<i128> {
    let mut bench = Bench::new(&Subject::ints(64, true, 1), 1, 1000, |v| v.equal(0, target));
    assert!(bench.run(engine), "{}", engine.name());
    bench.trace().into_iter().map(|[value]| value).collect()
}

#[test]
fn iterated_pattern_search_begins_again_with_step_one() {
    // At 7 the step of 8 fails; 6 fails, 8 is better, 10 is better still, 14 fails, 11 is the target.
    assert_eq!(trace(&Avm::ITERATED_PATTERN, 11), [0, -1, 1, 3, 7, 15, 6, 8, 10, 14, 9, 11]);
}

#[test]
fn geometric_search_halves_the_bracket() {
    // Bracket 3..15: 9 against 10, then 10..15: 12 against 13, then 10..12: 11.
    assert_eq!(trace(&Avm::GEOMETRIC, 11), [0, -1, 1, 3, 7, 15, 9, 10, 12, 13, 11]);
}

#[test]
fn lattice_search_divides_the_bracket_by_fibonacci_numbers() {
    // Thirteen positions 3..15 fit into F(8) − 1 = 20: compare 3+8−1 with 3+13−1 = 15, known. 10 is better, so
    // 3..14 stays with 13: compare 3+5−1 = 7, known, with 10; then 8..14 with 8: compare 8+3−1 = 10 with 8+5−1 = 12,
    // equally good, so 11..14 with 5: compare 11+2−1 = 12 with 13; then 3: compare 11 with 12.
    assert_eq!(trace(&Avm::LATTICE, 11), [0, -1, 1, 3, 7, 15, 10, 12, 13, 11]);
}

#[test]
fn each_finds_the_bottom_of_any_unimodal_line_in_its_order_of_evaluations() {
    let mut rng = Rng::with_seed(9);
    for _ in 0..200 {
        let (from, target) = (rng.i64(..) >> rng.u32(0..64), rng.i64(..) >> rng.u32(0..64));
        for (engine, worst) in [(Avm::ITERATED_PATTERN, 2500), (Avm::GEOMETRIC, 200), (Avm::LATTICE, 200)] {
            // Steeper on one side than on the other.
            let slope = |x: i128| at(0, if x < target.into() { 3 } else { 1 } * x.abs_diff(target.into()));
            let mut bench = Bench::new(&Subject::ints(64, true, 1), 1, worst, |v| slope(v.int(0)));
            let mut start = Input::zero(&bench.space);
            start.objects[0].cells[0] = u128::from(from as u64);
            assert!(bench.run_from(&engine, start), "{} from {from} to {target}", engine.name());
        }
    }
}
