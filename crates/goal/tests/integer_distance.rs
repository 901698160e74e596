//! Distances of integer predicates: the table by hand, the rest by property. A number in a name is that of the checklist drawn
//! from Awedikian's thesis.

use goal::distance::{self, Distances, wide};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

fn config() -> Config {
    Config { cases: 2_000, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() }
}

/// A predicate, and its distances to true and to false for `a - b` from -6 to 6.
struct Row<T> {
    name: &'static str,
    distances: fn(T, T) -> Distances,
    to_true: [u128; 13],
    to_false: [u128; 13],
}

fn table<T: 'static>(
    equal: [fn(T, T) -> Distances; 2],
    less: [fn(T, T) -> Distances; 2],
    greater: [fn(T, T) -> Distances; 2],
) -> [Row<T>; 6] {
    let row = |name, distances, to_true, to_false| Row { name, distances, to_true, to_false };
    let differs = [6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6];
    let same = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    let not_less = [0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7];
    let is_less = [6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0];
    let is_greater = [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6];
    let not_greater = [7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0];
    [
        row("==", equal[0], differs, same),
        row("!=", equal[1], same, differs),
        row("<", less[0], not_less, is_less),
        row("<=", less[1], is_greater, not_greater),
        row(">", greater[0], not_greater, is_greater),
        row(">=", greater[1], is_less, not_less),
    ]
}

#[track_caller]
fn check_table<T: Copy + 'static>(rows: [Row<T>; 6], number: fn(i8) -> T) {
    for Row { name, distances, to_true, to_false } in rows {
        for (a, b) in (-3..=3).flat_map(|a| (-3..=3).map(move |b| (a, b))) {
            let column = (a - b + 6) as usize;
            let expected = Distances { to_true: to_true[column], to_false: to_false[column] };
            assert_eq!(distances(number(a), number(b)), expected, "{a} {name} {b}");
        }
    }
}

#[test]
fn item_26_table_signed() {
    use distance::{equal, signed_less, signed_less_equal};
    let rows = table::<i64>(
        [equal, |a, b| !equal(a, b)],
        [signed_less, signed_less_equal],
        [|a, b| signed_less(b, a), |a, b| signed_less_equal(b, a)],
    );
    check_table(rows, i64::from);
}

#[test]
fn item_26_table_unsigned_across_the_sign_bit() {
    use distance::{unsigned_equal, unsigned_less, unsigned_less_equal};
    let rows = table::<u64>(
        [unsigned_equal, |a, b| !unsigned_equal(a, b)],
        [unsigned_less, unsigned_less_equal],
        [|a, b| unsigned_less(b, a), |a, b| unsigned_less_equal(b, a)],
    );
    check_table(rows, |n| (1u64 << 63).wrapping_add_signed(n.into()));
}

#[test]
fn item_26_table_signed_wide() {
    use wide::{equal, signed_less, signed_less_equal};
    let rows = table::<i128>(
        [equal, |a, b| !equal(a, b)],
        [signed_less, signed_less_equal],
        [|a, b| signed_less(b, a), |a, b| signed_less_equal(b, a)],
    );
    check_table(rows, i128::from);
}

#[test]
fn item_26_table_unsigned_wide() {
    use wide::{unsigned_equal, unsigned_less, unsigned_less_equal};
    let rows = table::<u128>(
        [unsigned_equal, |a, b| !unsigned_equal(a, b)],
        [unsigned_less, unsigned_less_equal],
        [|a, b| unsigned_less(b, a), |a, b| unsigned_less_equal(b, a)],
    );
    check_table(rows, |n| (1u128 << 127).wrapping_add_signed(n.into()));
}

#[test]
fn item_28_truth_and_switch() {
    assert_eq!(distance::truth(true), Distances { to_true: 0, to_false: 1 });
    assert_eq!(distance::truth(false), Distances { to_true: 1, to_false: 0 });
    assert_eq!(distance::switch_case(-2, 5), Distances { to_true: 7, to_false: 0 });
    assert_eq!(distance::switch_case(5, 5), Distances { to_true: 0, to_false: 1 });
}

#[test]
fn item_33_extremes_are_exact() {
    let span = u128::from(u64::MAX);
    assert_eq!(distance::equal(i64::MIN, i64::MAX).to_true, span);
    assert_eq!(distance::signed_less(i64::MAX, i64::MIN).to_true, span + 1);
    assert_eq!(distance::signed_less(i64::MIN, i64::MAX).to_false, span);
    assert_eq!(distance::signed_less_equal(i64::MIN, i64::MAX).to_false, span + 1);
    assert_eq!(distance::unsigned_less(u64::MAX, 0).to_true, span + 1);
    assert_eq!(distance::unsigned_less_equal(u64::MAX, 0).to_true, span);
}

#[test]
fn widest_distances_stay_below_not_evaluated() {
    let all = [
        wide::equal(i128::MIN, i128::MAX),
        wide::unsigned_equal(0, u128::MAX),
        wide::signed_less(i128::MAX, i128::MIN),
        wide::signed_less_equal(i128::MIN, i128::MAX),
        wide::unsigned_less(u128::MAX, 0),
        wide::unsigned_less_equal(0, u128::MAX),
    ];
    for Distances { to_true, to_false } in all {
        assert_eq!((to_true.max(to_false), to_true.min(to_false)), (u128::MAX - 1, 0));
    }
    assert_eq!(wide::equal(i128::MIN, i128::MAX - 2).to_true, u128::MAX - 2);
}

/// The distance to the outcome that did not happen, after checking which did.
fn missing(distances: Distances, holds: bool) -> Result<u128, TestCaseError> {
    prop_assert_eq!(distances.to_true == 0, holds);
    prop_assert_eq!(distances.to_false == 0, !holds);
    prop_assert_eq!(!distances, Distances { to_true: distances.to_false, to_false: distances.to_true });
    prop_assert!(distances.to_true != u128::MAX && distances.to_false != u128::MAX);
    Ok(distances.to_true.max(distances.to_false))
}

/// The properties for one type.
macro_rules! properties {
    ($module:ident, $number:ty, $equal:path, $less:path, $less_equal:path) => {
        mod $module {
            use super::*;

            /// Whole range, extremes, and pairs close to each other.
            fn operands() -> impl Strategy<Value = ($number, $number)> {
                let edge = prop::sample::select(vec![
                    <$number>::MIN,
                    <$number>::MIN + 1,
                    0,
                    1,
                    <$number>::MAX - 1,
                    <$number>::MAX,
                ]);
                let number = prop_oneof![edge, any::<$number>(), any::<u8>().prop_map(<$number>::from)];
                let close =
                    (number.clone(), any::<i8>()).prop_map(|(a, d)| (a, a.wrapping_add(d as $number)));
                prop_oneof![(number.clone(), number), close]
            }

            fn closer(a: $number, b: $number) -> $number {
                if a < b { a + 1 } else { a - 1 }
            }

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn item_26_zero_exactly_when_the_outcome_holds((a, b) in operands()) {
                    missing($equal(a, b), a == b)?;
                    missing($less(a, b), a < b)?;
                    missing($less_equal(a, b), a <= b)?;
                    prop_assert_eq!($less_equal(a, b), !$less(b, a));
                }

                #[test]
                fn item_27_a_step_towards_the_other_outcome_shrinks((a, b) in operands()) {
                    prop_assume!(a != b && a.abs_diff(b) as u128 <= u128::MAX - 3);
                    for (c, d) in [(closer(a, b), b), (a, closer(b, a))] {
                        prop_assert_eq!($equal(a, b).to_true - $equal(c, d).to_true, 1);
                        for distances in [$less, $less_equal] {
                            let (before, after) = (distances(a, b), distances(c, d));
                            let unreached = before.to_true.max(before.to_false);
                            let same_side = if before.to_true == 0 { after.to_false } else { after.to_true };
                            prop_assert_eq!(unreached - same_side, 1);
                        }
                    }
                }
            }
        }
    };
}

properties!(signed, i64, distance::equal, distance::signed_less, distance::signed_less_equal);
properties!(unsigned, u64, distance::unsigned_equal, distance::unsigned_less, distance::unsigned_less_equal);
properties!(signed_wide, i128, wide::equal, wide::signed_less, wide::signed_less_equal);
properties!(unsigned_wide, u128, wide::unsigned_equal, wide::unsigned_less, wide::unsigned_less_equal);
