//! Distances of long double predicates, with the processor's own comparison as the judge.

use goal::distance::{Distances, FloatPredicate, float, long_double};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

const SIGN: u128 = 1 << 79;
const ONE: u128 = 0x3fff_8000_0000_0000_0000;
const LARGEST: u128 = 0x7ffe_ffff_ffff_ffff_ffff;
const INFINITY: u128 = 0x7fff_8000_0000_0000_0000;
const NAN: u128 = 0x7fff_c000_0000_0000_0000;

/// From here on distances say "no change of the numbers helps".
const UNREACHABLE: u128 = u128::MAX - 2;

fn config() -> Config {
    Config { cases: 4_000, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() }
}

fn predicates() -> impl Iterator<Item = FloatPredicate> {
    (0..16).map(FloatPredicate::from_code)
}

/// The number `steps` representable numbers from zero.
fn nth(steps: i128) -> u128 {
    let (magnitude, sign) = (steps.unsigned_abs(), if steps < 0 { SIGN } else { 0 });
    let (exponent, fraction) = (magnitude >> 63, magnitude & ((1 << 63) - 1));
    let integer_bit = if exponent == 0 { 0 } else { 1 << 63 };
    sign | exponent << 64 | integer_bit | fraction
}

/// Steps from zero to infinity.
const INFINITY_STEPS: i128 = 0x7fff << 63;

/// Numbers as steps from zero: the whole range, the neighbourhood of zero, one, infinity.
fn steps() -> impl Strategy<Value = i128> {
    let centre = prop::sample::select(vec![0, 1 << 63, 0x3fff << 63, INFINITY_STEPS, -(0x3fff << 63)]);
    let near = (centre, -9i128..9).prop_map(|(centre, offset)| centre + offset);
    prop_oneof![near, -INFINITY_STEPS..=INFINITY_STEPS, -(1i128 << 70)..1 << 70]
        .prop_map(|steps| steps.clamp(-INFINITY_STEPS, INFINITY_STEPS))
}

fn pairs() -> impl Strategy<Value = (i128, i128)> {
    let close =
        (steps(), -9i128..9).prop_map(|(a, offset)| (a, (a + offset).clamp(-INFINITY_STEPS, INFINITY_STEPS)));
    let opposite =
        (steps(), -9i128..9).prop_map(|(a, offset)| (a, (offset - a).clamp(-INFINITY_STEPS, INFINITY_STEPS)));
    prop_oneof![(steps(), steps()), close, opposite]
}

/// Exact widening of a double.
fn widen(number: f64) -> u128 {
    let bits = number.to_bits();
    let sign = if number.is_sign_negative() { SIGN } else { 0 };
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let pattern =
        |exponent: u64, significand: u64| sign | u128::from(exponent) << 64 | u128::from(significand);
    match exponent {
        0 if fraction == 0 => sign,
        0 => {
            pattern(u64::from(0x3fff - 1011 - fraction.leading_zeros()), fraction << fraction.leading_zeros())
        }
        0x7ff => pattern(0x7fff, 1 << 63 | fraction << 11),
        _ => pattern(exponent + 0x3fff - 1023, 1 << 63 | fraction << 11),
    }
}

/// The relation as an LLVM predicate code with one bit set.
#[cfg(target_arch = "x86_64")]
fn relation_by_processor(a: u128, b: u128) -> u8 {
    let (zero, parity, carry): (u8, u8, u8);
    // SAFETY: reads 10 of the 16 bytes behind each pointer and leaves the x87 stack as it was.
    unsafe {
        std::arch::asm!(
            "fld tbyte ptr [{b}]",
            "fld tbyte ptr [{a}]",
            "fucomip st, st(1)",
            "setz {zero}",
            "setp {parity}",
            "setc {carry}",
            "fstp st(0)",
            a = in(reg) &a,
            b = in(reg) &b,
            zero = out(reg_byte) zero,
            parity = out(reg_byte) parity,
            carry = out(reg_byte) carry,
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            options(nostack, readonly),
        );
    }
    match (parity, zero, carry) {
        (1, ..) => 8,
        (_, 1, _) => 1,
        (.., 1) => 4,
        _ => 2,
    }
}

#[cfg(target_arch = "x86_64")]
fn check_outcomes(a: u128, b: u128) -> Result<(), TestCaseError> {
    let relation = relation_by_processor(a, b);
    for predicate in predicates() {
        let Distances { to_true, to_false } = long_double(predicate, a, b);
        let holds = predicate.code() & relation != 0;
        prop_assert_eq!(to_true == 0, holds, "{:?} {:x} {:x}", predicate, a, b);
        prop_assert_eq!(to_false == 0, !holds, "{:?} {:x} {:x}", predicate, a, b);
        prop_assert!(to_true != u128::MAX && to_false != u128::MAX);
        prop_assert_eq!(long_double(!predicate, a, b), !long_double(predicate, a, b));
    }
    Ok(())
}

#[cfg(target_arch = "x86_64")]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn outcomes_as_the_processor_sees_numbers((a, b) in pairs()) {
        check_outcomes(nth(a), nth(b))?;
    }

    /// All patterns: pseudo-denormals, unnormals, pseudo-infinities and NaNs, with garbage in the padding.
    #[test]
    fn outcomes_as_the_processor_sees_any_bits(
        (a, b) in (any::<u128>(), any::<u128>()),
        exponents in prop::sample::select(vec![(0, 0), (0, 1), (1, 0), (0x7fff, 0x7fff), (0x7fff, 3), (7, 7)]),
        (c, d) in prop::sample::select(vec![(0, 0), (0, 1 << 63), (1 << 63, 1 << 63), (1 << 63, 0)]),
        whole in any::<bool>(),
    ) {
        let with = |bits: u128, exponent: u128, low: u128| bits >> 79 << 79 | exponent << 64 | low;
        check_outcomes(a, b)?;
        let tail = |bits: u128| if whole { 0 } else { bits & 3 };
        check_outcomes(with(a, exponents.0, c | tail(a)), with(b, exponents.1, d | tail(b)))?;
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_step_closer_is_strictly_better((a, b) in pairs()) {
        prop_assume!(a != b);
        let direction = (b - a).signum();
        for (c, d) in [(a + direction, b), (a, b - direction)] {
            for predicate in predicates() {
                let before = long_double(predicate, nth(a), nth(b));
                let after = long_double(predicate, nth(c), nth(d));
                let improves = |before, after| before == 0 || before >= UNREACHABLE || after < before;
                prop_assert!(improves(before.to_true, after.to_true), "{:?} {} {}", predicate, a, b);
                prop_assert!(improves(before.to_false, after.to_false), "{:?} {} {}", predicate, a, b);
            }
        }
    }

    /// The high parts order as exact differences: of whole numbers, so that `i128` holds them.
    #[test]
    fn a_smaller_difference_is_better(a in any::<i32>(), b in any::<i32>(), c in any::<i32>()) {
        let to_equal = |x: i32| long_double(FloatPredicate::OEQ, widen(x.into()), widen(c.into())).to_true;
        if a.abs_diff(c) < b.abs_diff(c) {
            prop_assert!(to_equal(a) < to_equal(b));
        }
    }

    #[test]
    fn agrees_with_doubles(a in any::<f64>(), b in any::<f64>()) {
        for predicate in predicates() {
            let (wide, narrow) = (long_double(predicate, widen(a), widen(b)), float(predicate, a, b));
            prop_assert_eq!(wide.to_true == 0, narrow.to_true == 0);
        }
    }
}

#[test]
fn values_by_hand() {
    let (two, equal) = (ONE + (1 << 64), FloatPredicate::OEQ);
    assert_eq!(widen(1.0), ONE);
    assert_eq!(widen(-2.0), SIGN | two);
    assert_eq!(nth(0x3fff << 63), ONE);
    // From 1 to 2 lie 2^63 steps; from 2 to 4 as many, but the difference is twice as large.
    let steps = |distance: u128| distance & ((1 << 80) - 1);
    let difference = |distance: u128| distance >> 80;
    let (near, far) =
        (long_double(equal, ONE, two).to_true, long_double(equal, two, two + (1 << 64)).to_true);
    assert_eq!((steps(near), steps(far)), (1 << 63, 1 << 63));
    assert_eq!(difference(far) - difference(near), 1 << 32);
    assert_eq!(long_double(equal, 0, SIGN), Distances { to_true: 0, to_false: 1 });
    assert_eq!(long_double(FloatPredicate::OLT, ONE, ONE), Distances { to_true: 1, to_false: 0 });
    assert_eq!(steps(long_double(equal, 1, SIGN | 1).to_true), 2);
}

/// A tiny number changes the leading bits of the difference from 1 only downwards.
#[test]
fn differences_round_down() {
    let difference = |a, b| long_double(FloatPredicate::OEQ, a, b).to_true >> 80;
    for tiny in [1, 0x0001_8000_0000_0000_0000, ONE - (127 << 64), ONE - (60 << 64)] {
        assert_eq!(difference(ONE, tiny), difference(ONE, 0) - 1, "{tiny:x}");
        assert_eq!(difference(ONE, SIGN | tiny), difference(ONE, 0), "{tiny:x}");
    }
}

#[test]
fn infinities_and_nans() {
    let equal = FloatPredicate::OEQ;
    let to_equal = |a, b| long_double(equal, a, b).to_true;
    assert_eq!(to_equal(INFINITY, INFINITY), 0);
    assert!(to_equal(LARGEST, ONE) < to_equal(INFINITY, ONE));
    assert!(to_equal(INFINITY, SIGN | LARGEST) < to_equal(INFINITY, SIGN | INFINITY));
    assert!(to_equal(INFINITY, SIGN | INFINITY) < UNREACHABLE);
    assert_eq!(long_double(equal, NAN, ONE), Distances { to_true: UNREACHABLE, to_false: 0 });
    assert_eq!(long_double(FloatPredicate::UNO, ONE, ONE).to_true, UNREACHABLE);
}
