//! Ranges, steps and random choice of numbers.

use crate::leaf::mask;
use crate::testing::{add, enumeration, field, float, int, rule, space};
use crate::{FloatKind, Input, Leaf, RangeRule, Rng, Space};
use model::{TypeKind, Types};

fn leaf_of(space: &Space) -> Leaf {
    space.table(space.roots[0].table).leaves[0].clone()
}

fn int_leaf(bits: u16, signed: bool, rules: &[RangeRule]) -> Leaf {
    let mut types = Types::default();
    let ty = int(&mut types, bits, signed);
    leaf_of(&space(types, &[ty], rules))
}

fn float_leaf(kind: FloatKind, rules: &[RangeRule]) -> Leaf {
    let mut types = Types::default();
    let ty = float(&mut types, kind);
    leaf_of(&space(types, &[ty], rules))
}

#[test]
fn steps_stop_at_the_limits_of_every_width() {
    for (bits, signed, least, greatest) in [
        (8, true, -128, 127),
        (8, false, 0, 255),
        (32, true, i128::from(i32::MIN), i128::from(i32::MAX)),
        (64, true, i128::from(i64::MIN), i128::from(i64::MAX)),
        (64, false, 0, i128::from(u64::MAX)),
        (128, true, i128::MIN, i128::MAX),
    ] {
        let leaf = int_leaf(bits, signed, &[]);
        let mut cell = leaf.zero();
        for (delta, end) in [(i128::MAX, greatest), (i128::MIN, least)] {
            cell = leaf.int_step(leaf.int_step(cell, delta), delta);
            assert_eq!(leaf.int_value(cell), end, "{bits} bits");
            assert_eq!(leaf.int_step(cell, delta.signum()), cell);
        }
    }
}

#[test]
fn unsigned_128_bit_values_are_exact_up_to_their_end() {
    let leaf = int_leaf(128, false, &[]);
    assert_eq!(leaf.int_step(u128::MAX - 1, 1), u128::MAX);
    assert_eq!(leaf.int_step(u128::MAX, 1), u128::MAX);
    assert_eq!(leaf.int_step(u128::MAX, -3), u128::MAX - 3);
    assert_eq!(leaf.int_step(1 << 127, -1), (1 << 127) - 1);
    assert_eq!(leaf.int_step(3, -5), 0);
    assert_eq!(leaf.int_room(u128::MAX), (-i128::MAX, 0));
}

#[test]
fn bounds_and_exclusions_hold_for_clamps_steps_and_random_values() {
    let leaf = int_leaf(32, true, &[rule("a", Some(-2), Some(10), &[0, 5, 9, 10])]);
    let value = |cell| leaf.int_value(cell);
    assert_eq!(value(leaf.zero()), 1);
    assert_eq!([-50, 5, 9, 50].map(|v| value(leaf.clamp(v))), [-2, 6, 8, 8]);
    assert_eq!(value(leaf.int_step(leaf.clamp(6), -1)), 4, "passes over 5 downwards");
    assert_eq!(value(leaf.int_step(leaf.clamp(8), 1)), 8, "nothing allowed above");
    let allowed = |v: i128| leaf.allows(v as u128 & mask(32));
    assert_eq!([-3, -2, 0, 4, 9, 11].map(allowed), [false, true, false, true, false, false]);
    let mut rng = Rng::with_seed(7);
    for _ in 0..500 {
        for v in [value(leaf.random(&mut rng)), value(leaf.uniform(&mut rng))] {
            assert!((-2..=8).contains(&v) && ![0, 5].contains(&v), "{v}");
        }
    }
}

#[test]
fn a_range_without_values_is_no_panic() {
    let rules = [rule("a", Some(10), Some(-10), &[])];
    let mut rng = Rng::with_seed(1);
    for leaf in [int_leaf(32, true, &rules), int_leaf(128, false, &rules)] {
        assert_eq!(leaf.int_value(leaf.random(&mut rng)), 10);
        assert_eq!(leaf.int_value(leaf.int_step(leaf.zero(), 1)), 10);
    }
    let leaf = float_leaf(FloatKind::F64, &rules);
    let _ = (leaf.random(&mut rng), leaf.uniform(&mut rng), leaf.ulp_step(FloatKind::F64, 0, 1));
}

#[test]
fn bit_fields_stay_in_their_width() {
    let mut types = Types::default();
    let base = int(&mut types, 32, true);
    let fields = vec![field("three", base, 0, Some(3)), field("one", base, 3, Some(1))];
    let record = add(&mut types, TypeKind::Struct { fields: Some(fields) }, 4);
    let space = space(types, &[record], &[]);
    let [three, one] = &space.table(space.roots[0].table).leaves[..] else { panic!("two leaves") };
    assert_eq!((three.int_bounds(), one.int_bounds()), ((-4, 3), (-1, 0)));
    assert_eq!((one.offset, one.bit, one.width), (0, 3, 1));
    let negative = three.int_step(three.zero(), -1);
    assert_eq!((negative, three.int_value(negative)), (0b111, -1));
    assert_eq!(three.int_value(three.int_step(negative, 100)), 3);
}

#[test]
fn enums_start_at_their_first_value() {
    let mut types = Types::default();
    let ty = enumeration(&mut types, &[7, -3, 4]);
    let space = space(types, &[ty], &[]);
    let leaf = leaf_of(&space);
    assert_eq!(leaf.int_value(Input::zero(&space).objects[0].cells[0]), 7);
    let mut rng = Rng::with_seed(3);
    let declared = (0..1000).filter(|_| [7, -3, 4].contains(&leaf.int_value(leaf.random(&mut rng)))).count();
    assert!((900..1000).contains(&declared), "mostly, not always, declared values: {declared}");
}

#[test]
fn decimal_steps_hit_decimal_constants_exactly() {
    for kind in [FloatKind::F32, FloatKind::F64, FloatKind::F80] {
        let leaf = float_leaf(kind, &[]);
        let mut cell = leaf.zero();
        for _ in 0..3 {
            cell = leaf.decimal_step(kind, cell, 1, 1);
        }
        assert_eq!(cell, leaf.float_cell(kind, 0.3));
        let huge = leaf.float_cell(kind, 1e30);
        assert_eq!(leaf.decimal_step(kind, huge, 1, 1), huge);
    }
}

#[test]
fn ulp_steps_cross_zero_and_end_at_infinity() {
    let kind = FloatKind::F64;
    let leaf = float_leaf(kind, &[]);
    let bits = |v: f64| u128::from(v.to_bits());
    assert_eq!(leaf.ulp_step(kind, bits(0.0), -1), bits(-0.0));
    assert_eq!(leaf.ulp_step(kind, bits(-0.0), -1), bits(-5e-324));
    assert_eq!(leaf.ulp_step(kind, bits(1.0), i128::MAX), bits(f64::INFINITY));
    assert_eq!(leaf.ulp_step(kind, bits(f64::NAN), -1), bits(f64::INFINITY));
}

#[test]
fn float_bounds_and_exclusions_hold() {
    let kind = FloatKind::F64;
    let leaf = float_leaf(kind, &[rule("a", Some(1), Some(4), &[2])]);
    let value = |cell| leaf.float_value(kind, cell);
    assert_eq!(value(leaf.zero()), 1.0);
    assert_eq!(value(leaf.clamp_float(kind, f64::NAN)), 1.0);
    let allowed = |v: f64| leaf.allows(leaf.float_cell(kind, v));
    assert_eq!([0.5, 1.0, 2.0, 4.5, f64::NAN].map(allowed), [false, true, false, false, false]);
    assert_eq!(value(leaf.ulp_step(kind, leaf.clamp_float(kind, 4.0), 9)), 4.0);
    assert_eq!(value(leaf.clamp_float(kind, 2.0)), 2.0 + f64::EPSILON * 2.0);
    let mut rng = Rng::with_seed(5);
    for _ in 0..500 {
        assert!((1.0..=4.0).contains(&value(leaf.random(&mut rng))));
    }
}
