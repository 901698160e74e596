//! Evaluation counts and sequences that the thesis prints, or that its pseudo-code yields when done by hand.

use crate::testing::{Bench, Subject, Values, at};
use crate::{Austin, Engine};
use goal::Fitness;
use input::{Input, LeafKind};
use model::{FloatKind, TypeKind};

fn evaluations(subject: &Subject, engine: &Austin, objective: impl Fn(&Values<'_>) -> Fitness) -> usize {
    let mut bench = Bench::new(subject, 1, 500, objective);
    assert!(bench.run(engine), "not reached");
    bench.evaluations
}

#[test]
fn figure_7_1a_takes_five_evaluations() {
    let subject = Subject::ints(32, true, 2);
    // a += 5; b -= 10; if (a == b)
    let mut bench = Bench::new(&subject, 1, 100, |v| at(0, (v.int(0) + 5).abs_diff(v.int(1) - 10)));
    assert!(bench.run(&Austin::DEFAULT));
    assert_eq!(bench.trace(), [[0, 0], [-1, 0], [-3, 0], [-7, 0], [-15, 0]]);
}

#[test]
fn figure_3_1_tries_the_printed_keys() {
    let mut bench = Bench::new(&Subject::ints(32, true, 1), 1, 100, |v| v.equal(0, 10));
    assert!(bench.run(&Austin::DEFAULT));
    assert_eq!(bench.trace(), [[0], [-1], [1], [3], [7], [15], [6], [8], [10]]);
}

#[test]
fn far_constants_take_the_counts_of_the_raw_distance() {
    for (target, count) in [(30_000, 61), (36_000, 62), (40_000, 57), (1 << 20, 25), (1 << 30, 35)] {
        let subject = Subject::ints(32, true, 1);
        assert_eq!(evaluations(&subject, &Austin::DEFAULT, |v| v.equal(0, target)), count, "{target}");
    }
}

/// `d > 1.34876`, then `d < 1.34877`; distances are differences of values, which positive doubles order
/// like their bits.
fn interval(value: f64) -> Fitness {
    let distance = |d: f64| u128::from(d.to_bits()) + 1;
    if value <= 1.34876 {
        at(1, distance(1.34876 - value))
    } else if value >= 1.34877 {
        at(0, distance(value - 1.34877))
    } else {
        Fitness::COVERED
    }
}

fn float_value(values: &Values<'_>) -> f64 {
    f64::from(f32::from_bits(values.cell(0, 0) as u32))
}

#[test]
fn figure_3_3_refines_the_accuracy() {
    let single = Subject::floats(FloatKind::F32, 1);
    assert_eq!(evaluations(&single, &Austin::DEFAULT, |v| interval(float_value(v))), 32);
    let double = Subject::floats(FloatKind::F64, 1);
    assert_eq!(evaluations(&double, &Austin::DEFAULT, |v| interval(v.double(0))), 36);
}

#[test]
fn a_frozen_accuracy_is_stuck_after_eleven_evaluations() {
    let frozen = Austin { double_accuracy: 1, ..Austin::DEFAULT };
    let mut bench = Bench::new(&Subject::floats(FloatKind::F64, 1), 1, 12, |v| interval(v.double(0)));
    assert!(!bench.run(&frozen));
    let tried: Vec<f64> =
        bench.log.iter().map(|input| f64::from_bits(input.objects[0].cells[0] as u64)).collect();
    assert!(tried[..11].iter().all(|v| v.abs() < 10.0), "climbs first: {tried:?}");
    assert!(tried[11].abs() > 1e100, "then starts anew anywhere in the type: {tried:?}");
}

#[test]
fn enumerators_are_tried_in_declared_order_from_the_first() {
    let mut subject = Subject::new();
    let ty = subject.enumeration(&[7, -3, 12, 5]);
    subject.params.push(ty);
    let mut bench = Bench::new(&subject, 1, 100, |v| at(0, u128::from(v.int(0) != 5)));
    assert!(bench.run(&Austin::DEFAULT));
    assert_eq!(bench.trace(), [[7], [-3], [12], [5]]);
}

#[test]
fn moves_stop_at_the_limits_of_the_type() {
    let subject = Subject::ints(8, false, 1);
    let mut bench = Bench::new(&subject, 1, 1000, |v| v.equal(0, 255));
    assert!(bench.run(&Austin::DEFAULT));
    // 0 has nothing below it; the last pattern move of 128 goes to 255 exactly as 1+2+…+128.
    assert_eq!(bench.trace(), [[0], [1], [3], [7], [15], [31], [63], [127], [255]]);
}

#[test]
fn after_a_pattern_run_the_scan_begins_at_the_first_variable() {
    let subject = Subject::ints(32, true, 2);
    // Only b matters: every success in b is followed by two looks at a.
    let mut bench = Bench::new(&subject, 1, 100, |v| v.equal(1, 2));
    assert!(bench.run(&Austin::DEFAULT));
    let expected = [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1], [0, 3], [-1, 1], [1, 1], [0, 0], [0, 2]];
    assert_eq!(bench.trace(), expected);
}

#[test]
fn a_restart_has_null_pointers_first_enumerators_and_numbers_from_the_whole_type() {
    let mut subject = Subject::new();
    let (number, enumeration) = (subject.int(64, true), subject.enumeration(&[7, 9]));
    let list = subject.aggregate(|fields| TypeKind::Struct { fields }, &[(number, 0, None)]);
    let pointer = subject.pointer(list);
    subject.params = vec![number, enumeration, pointer];
    let mut bench = Bench::new(&subject, 1, 400, |_| at(0, 1));
    assert!(!bench.run(&Austin::DEFAULT));
    // A flat round: the start, two moves of the number, one other enumerator, one new object.
    let restarts: Vec<&Input> = bench.log.iter().step_by(5).skip(1).collect();
    assert!(restarts.iter().all(|input| input.objects.len() == 3 && input.objects[1].cells[0] == 7));
    let large = restarts.iter().filter(|input| (input.objects[0].cells[0] as i64).unsigned_abs() > 1 << 60);
    assert!(large.count() * 4 > restarts.len() * 3, "seven in eight are that large");
}

#[test]
fn a_pointer_is_a_move_like_a_boolean() {
    let mut subject = Subject::new();
    let number = subject.int(32, true);
    let pointer = subject.pointer(number);
    subject.params.push(pointer);
    let objective = |v: &Values<'_>| match v.pointee(0) {
        None => at(1, 1),
        Some(object) => at(0, (object.cells[0] as i32).abs_diff(10).into()),
    };
    let mut bench = Bench::new(&subject, 1, 100, objective);
    assert!(bench.run(&Austin::DEFAULT));
    let space = subject.space();
    assert!(matches!(
        space.table(space.roots[0].table).leaves[0].kind,
        LeafKind::Pointer { to: Some(_), .. }
    ));
    let keys: Vec<Option<i32>> =
        bench.log.iter().map(|i| i.objects.get(1).map(|o| o.cells[0] as i32)).collect();
    let with_key: Vec<i32> = keys.iter().flatten().copied().collect();
    assert_eq!(with_key, [0, -1, 1, 3, 7, 15, 6, 8, 10], "the keys of figure 3.1");
    assert_eq!(Austin::DEFAULT.name(), "austin");
}
