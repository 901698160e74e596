//! Distances of floating-point predicates: properties over bit patterns, and values by hand.

use goal::distance::{Distances, FloatPredicate, float};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

fn config() -> Config {
    Config { cases: 4_000, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() }
}

fn predicates() -> impl Iterator<Item = FloatPredicate> {
    (0..16).map(FloatPredicate::from_code)
}

/// LLVM's language reference, `fcmp`, word by word.
fn holds(predicate: FloatPredicate, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match predicate {
        FloatPredicate::FALSE => false,
        FloatPredicate::OEQ => !unordered && a == b,
        FloatPredicate::OGT => !unordered && a > b,
        FloatPredicate::OGE => !unordered && a >= b,
        FloatPredicate::OLT => !unordered && a < b,
        FloatPredicate::OLE => !unordered && a <= b,
        FloatPredicate::ONE => !unordered && a != b,
        FloatPredicate::ORD => !unordered,
        FloatPredicate::UNO => unordered,
        FloatPredicate::UEQ => unordered || a == b,
        FloatPredicate::UGT => unordered || a > b,
        FloatPredicate::UGE => unordered || a >= b,
        FloatPredicate::ULT => unordered || a < b,
        FloatPredicate::ULE => unordered || a <= b,
        FloatPredicate::UNE => unordered || a != b,
        _ => true,
    }
}

const SPECIAL: [f64; 14] = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    1.0,
    -1.0,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    -f64::NAN,
];

/// Any bit pattern, special values, and pairs a few steps apart.
fn operands() -> impl Strategy<Value = (f64, f64)> {
    let number =
        prop_oneof![prop::sample::select(SPECIAL.to_vec()), any::<u64>().prop_map(f64::from_bits), -9.0..9.0];
    let close = (number.clone(), -9i64..9)
        .prop_map(|(a, steps): (f64, _)| (a, f64::from_bits(a.to_bits().wrapping_add_signed(steps))));
    prop_oneof![(number.clone(), number), close]
}

fn check_outcomes(a: f64, b: f64) -> Result<(), TestCaseError> {
    for predicate in predicates() {
        let Distances { to_true, to_false } = float(predicate, a, b);
        prop_assert_eq!(to_true == 0, holds(predicate, a, b), "{:?} {} {}", predicate, a, b);
        prop_assert_eq!(to_false == 0, !holds(predicate, a, b), "{:?} {} {}", predicate, a, b);
        prop_assert!(to_true != u128::MAX && to_false != u128::MAX);
        prop_assert_eq!(float(!predicate, a, b), !float(predicate, a, b));
    }
    Ok(())
}

#[test]
fn outcomes_of_special_values() {
    for (a, b) in SPECIAL.iter().flat_map(|&a| SPECIAL.map(|b| (a, b))) {
        check_outcomes(a, b).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The next number from `a` towards `b`; from either zero, the smallest number on that side.
fn closer(a: f64, b: f64) -> f64 {
    if a < b { a.next_up() } else { a.next_down() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn item_26_zero_exactly_when_the_outcome_holds((a, b) in operands()) {
        check_outcomes(a, b)?;
    }

    #[test]
    fn item_27_one_step_closer_is_strictly_better((a, b) in operands()) {
        prop_assume!(!a.is_nan() && !b.is_nan() && a != b);
        for (c, d) in [(closer(a, b), b), (a, closer(b, a))] {
            for predicate in predicates() {
                let (before, after) = (float(predicate, a, b), float(predicate, c, d));
                let movable = |distance| distance != 0 && distance < UNREACHABLE;
                if movable(before.to_true) {
                    prop_assert!(after.to_true < before.to_true, "{:?} {} {}", predicate, a, b);
                }
                if movable(before.to_false) {
                    prop_assert!(after.to_false < before.to_false, "{:?} {} {}", predicate, a, b);
                }
            }
        }
    }

    #[test]
    fn item_27_a_smaller_difference_is_better(a in -1e9..1e9f64, b in -1e9..1e9f64, c in -1e9..1e9f64) {
        let to_equal = |x: f64| float(FloatPredicate::OEQ, x, c).to_true;
        if (a - c).abs() < (b - c).abs() {
            prop_assert!(to_equal(a) < to_equal(b));
        }
    }
}

/// From here on distances say "no change of the numbers helps".
const UNREACHABLE: u128 = u128::MAX - 2;

#[test]
fn values_by_hand() {
    let one = u128::from(1.0f64.to_bits()) << 64;
    // From 1 to 2 lie 2^52 steps, and the difference is 1.
    let gap = one + (1 << 52);
    assert_eq!(float(FloatPredicate::OEQ, 1.0, 2.0), Distances { to_true: gap, to_false: 0 });
    assert_eq!(float(FloatPredicate::OGE, 1.0, 2.0), Distances { to_true: gap, to_false: 0 });
    assert_eq!(float(FloatPredicate::OGT, 1.0, 2.0), Distances { to_true: gap + 1, to_false: 0 });
    assert_eq!(float(FloatPredicate::OLE, 1.0, 2.0), Distances { to_true: 0, to_false: gap + 1 });
    assert_eq!(float(FloatPredicate::OLT, 1.0, 2.0), Distances { to_true: 0, to_false: gap });
    assert_eq!(float(FloatPredicate::OLT, 2.0, 2.0), Distances { to_true: 1, to_false: 0 });
    assert_eq!(float(FloatPredicate::OEQ, -0.0, 0.0), Distances { to_true: 0, to_false: 1 });
    // The smallest numbers on either side of zero: two steps, two of the smallest units.
    assert_eq!(float(FloatPredicate::OEQ, -5e-324, 5e-324).to_true, (2 << 64) + 2);
}

#[test]
fn item_33_gradient_where_differences_vanish_or_overflow() {
    let to_equal = |a, b| float(FloatPredicate::OEQ, a, b).to_true;
    assert!(to_equal(1e300f64.next_down(), 1.0) < to_equal(1e300, 1.0));
    assert!(to_equal(1.0, 1e300) < to_equal(1.0f64.next_down(), 1e300));
    assert!(to_equal(f64::MAX / 1.5, f64::MIN) < to_equal(f64::MAX, f64::MIN));
    assert!(to_equal(f64::MAX, 0.0) < to_equal(f64::INFINITY, 0.0));
    assert_eq!(to_equal(f64::INFINITY, f64::INFINITY), 0);
}

#[test]
fn a_nan_is_farther_than_any_number() {
    for predicate in [FloatPredicate::OEQ, FloatPredicate::OLT, FloatPredicate::ONE, FloatPredicate::ORD] {
        assert_eq!(float(predicate, f64::NAN, 1.0), Distances { to_true: UNREACHABLE, to_false: 0 });
    }
    assert!(float(FloatPredicate::OEQ, f64::INFINITY, f64::NEG_INFINITY).to_true < UNREACHABLE);
    assert_eq!(float(FloatPredicate::UNO, 1.0, 1.0).to_true, UNREACHABLE);
    assert_eq!(float(FloatPredicate::FALSE, 1.0, 1.0), Distances { to_true: u128::MAX - 1, to_false: 0 });
    assert_eq!(float(FloatPredicate::TRUE, 1.0, 1.0), Distances { to_true: 0, to_false: u128::MAX - 1 });
}
