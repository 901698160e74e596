//! Numbers in cells: reading, ranges, steps and random choice.

use crate::float::{ordered_from_bits, ordered_to_bits};
use crate::leaf::{Leaf, LeafKind, mask};
use fastrand::Rng;
use model::FloatKind;

impl Leaf {
    /// The first value the search tries.
    #[must_use]
    pub fn zero(&self) -> u128 {
        match &self.kind {
            LeafKind::Enum { values, .. } => values.first().map_or(0, |&v| self.clamp(v)),
            LeafKind::Int { .. } | LeafKind::Bool | LeafKind::Selector { .. } => self.clamp(0),
            LeafKind::Float(kind) => self.clamp_float(*kind, 0.0),
            LeafKind::Pointer { .. } => 0,
        }
    }

    /// An integer cell as a number. Unsigned 128-bit values above `i128::MAX` come out negative.
    #[must_use]
    pub fn int_value(&self, cell: u128) -> i128 {
        if self.is_signed() && self.width < 128 && cell >> (self.width - 1) & 1 == 1 {
            (cell | !mask(self.width)) as i128
        } else {
            cell as i128
        }
    }

    /// Whether integer arithmetic on this leaf is signed.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        matches!(self.kind, LeafKind::Int { signed: true } | LeafKind::Enum { signed: true, .. })
    }

    /// Least and greatest value of this leaf, user's bounds included. Unsigned 128-bit values above
    /// `i128::MAX` are outside: steps and random choice reach them.
    #[must_use]
    pub fn int_bounds(&self) -> (i128, i128) {
        let (least, greatest) = match &self.kind {
            LeafKind::Bool => (0, 1),
            LeafKind::Selector { members } => (0, i128::from(*members) - 1),
            _ if self.is_signed() => (-1 << (self.width - 1), ((1u128 << (self.width - 1)) - 1) as i128),
            _ => (0, mask(self.width.min(127)) as i128),
        };
        let (min, max) = self.range.bounds.unwrap_or((None, None));
        let least_allowed = min.map_or(least, |m| m.clamp(least, greatest));
        let greatest_allowed = max.map_or(greatest, |m| m.clamp(least, greatest));
        (least_allowed, greatest_allowed.max(least_allowed))
    }

    /// The allowed cell nearest to a number; an excluded one gives way to the next up, else down.
    #[must_use]
    pub fn clamp(&self, value: i128) -> u128 {
        let (least, greatest) = self.int_bounds();
        let value = value.clamp(least, greatest);
        let cell = |v: i128| v as u128 & mask(self.width);
        let allowed = |v: &i128| !self.range.exclude.contains(&cell(*v));
        let nearest = (value..=greatest).find(allowed).or_else(|| (least..value).rev().find(allowed));
        cell(nearest.unwrap_or(value))
    }

    /// How far an integer can move down (≤ 0) and up (≥ 0) inside its range, as far as an `i128` can say it.
    #[must_use]
    pub fn int_room(&self, cell: u128) -> (i128, i128) {
        if self.width == 128 && !self.is_signed() {
            let (min, max) = self.range.bounds.unwrap_or((None, None));
            let least = min.map_or(0, |m| m.max(0) as u128);
            let greatest = max.map_or(u128::MAX, |m| m.max(0) as u128);
            return (saturating_difference(least, cell), saturating_difference(greatest.max(least), cell));
        }
        let (least, greatest) = self.int_bounds();
        let value = self.int_value(cell);
        (least.saturating_sub(value), greatest.saturating_sub(value))
    }

    /// An integer moved by `delta`, kept inside the range. Excluded values are passed over in the direction of
    /// the move; without an allowed value on that side the cell stays.
    #[must_use]
    pub fn int_step(&self, cell: u128, delta: i128) -> u128 {
        let by = |from: u128, delta: i128| {
            let (down, up) = self.int_room(from);
            from.wrapping_add(delta.clamp(down, up.max(down)) as u128) & mask(self.width)
        };
        let mut moved = by(cell, delta);
        while self.range.exclude.contains(&moved) {
            let next = by(moved, delta.signum());
            if next == moved {
                return cell;
            }
            moved = next;
        }
        moved
    }

    /// Whether a cell of the right kind holds a value inside the range.
    #[must_use]
    pub fn allows(&self, cell: u128) -> bool {
        let inside = match self.kind {
            LeafKind::Pointer { .. } => true,
            LeafKind::Float(kind) => {
                let value = self.float_value(kind, cell);
                self.float_bounds().is_none_or(|(least, greatest)| value >= least && value <= greatest)
            }
            _ => {
                let (down, up) = self.int_room(cell);
                down <= 0 && up >= 0
            }
        };
        inside && !self.range.exclude.contains(&cell)
    }

    /// The allowed float nearest to a number. Where the user set bounds, NaN is outside.
    #[must_use]
    pub fn clamp_float(&self, kind: FloatKind, value: f64) -> u128 {
        let value = match self.float_bounds() {
            Some((least, greatest)) => value.max(least).min(greatest),
            None => value,
        };
        let mut cell = self.float_cell(kind, value);
        for _ in &self.range.exclude {
            if self.range.exclude.contains(&cell) {
                cell = ordered_to_bits(kind, ordered_from_bits(kind, cell) + 1);
            }
        }
        cell
    }

    fn float_bounds(&self) -> Option<(f64, f64)> {
        let (min, max) = self.range.bounds?;
        Some((min.map_or(f64::MIN, |m| m as f64), max.map_or(f64::MAX, |m| m as f64)))
    }

    /// A float moved by `steps` units of its last decimal place, counted from the nearest number with that
    /// many decimals: so values stay short and decimal constants are hit exactly.
    #[must_use]
    pub fn decimal_step(&self, kind: FloatKind, cell: u128, decimals: i32, steps: i128) -> u128 {
        let scale = 10f64.powi(decimals);
        let scaled = (self.float_value(kind, cell) * scale).round();
        let moved = scaled + steps as f64;
        // Beyond the precision of the format a decimal place is no step any more.
        if !moved.is_finite() || moved == scaled { cell } else { self.clamp_float(kind, moved / scale) }
    }

    /// A float moved along the line of all floats of its format.
    #[must_use]
    pub fn ulp_step(&self, kind: FloatKind, cell: u128, ulps: i128) -> u128 {
        let moved = ordered_to_bits(kind, ordered_from_bits(kind, cell).saturating_add(ulps));
        let value = self.float_value(kind, moved);
        let outside = self.float_bounds().is_some_and(|(least, greatest)| value < least || value > greatest);
        if outside || self.range.exclude.contains(&moved) { self.clamp_float(kind, value) } else { moved }
    }

    /// A random value. Half of the integers are small, because most code compares with small numbers.
    #[must_use]
    pub fn random(&self, rng: &mut Rng) -> u128 {
        match &self.kind {
            LeafKind::Enum { values, .. } if !values.is_empty() && rng.u8(..) >= 16 => {
                self.clamp(values[rng.usize(..values.len())])
            }
            LeafKind::Int { .. } | LeafKind::Enum { .. } if rng.bool() => {
                let (least, greatest) = self.int_bounds();
                self.clamp(rng.i128((-16).max(least).min(greatest)..=greatest.min(128).max(least)))
            }
            LeafKind::Float(kind) => self.random_float(*kind, rng),
            _ => self.uniform(rng),
        }
    }

    /// A value uniform over the whole range: every number equally likely, floats from −max to max.
    #[must_use]
    pub fn uniform(&self, rng: &mut Rng) -> u128 {
        match self.kind {
            LeafKind::Pointer { .. } => 0,
            LeafKind::Float(kind) => {
                let largest = if kind == FloatKind::F32 { f64::from(f32::MAX) } else { f64::MAX };
                let (least, greatest) = self.float_bounds().unwrap_or((-largest, largest));
                let share = rng.f64();
                self.clamp_float(kind, least * (1.0 - share) + greatest * share)
            }
            LeafKind::Int { signed: false } if self.width == 128 && self.range.bounds.is_none() => {
                let cell = rng.u128(..);
                if self.range.exclude.contains(&cell) { self.zero() } else { cell }
            }
            _ => {
                let (least, greatest) = self.int_bounds();
                self.clamp(rng.i128(least..=greatest))
            }
        }
    }

    fn random_float(&self, kind: FloatKind, rng: &mut Rng) -> u128 {
        let value = match rng.u8(..) {
            0..96 => f64::from(rng.i32(-128..=128)),
            96..160 => (rng.f64() - 0.5) * 2000.0,
            160..224 => (rng.f64() - 0.5) * 2f64.powi(rng.i32(-60..=60)),
            // Any bit pattern: infinities, NaN and denormals too.
            _ if self.range.bounds.is_none() => return self.any_float(kind, rng),
            _ => return self.uniform(rng),
        };
        self.clamp_float(kind, value)
    }

    fn any_float(&self, kind: FloatKind, rng: &mut Rng) -> u128 {
        match kind {
            FloatKind::F32 => u128::from(rng.u32(..)),
            FloatKind::F64 => u128::from(rng.u64(..)),
            // Random x87 patterns are mostly no numbers at all; every double is one.
            FloatKind::F80 => self.float_cell(kind, f64::from_bits(rng.u64(..))),
        }
    }
}

/// `a − b`, as near as an `i128` can come.
fn saturating_difference(a: u128, b: u128) -> i128 {
    let distance = a.abs_diff(b).min(i128::MAX as u128) as i128;
    if a < b { -distance } else { distance }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{add, enumeration, field, float, int, rule, space};
    use crate::{Input, RangeRule, Space};
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
        let declared =
            (0..1000).filter(|_| [7, -3, 4].contains(&leaf.int_value(leaf.random(&mut rng)))).count();
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
}
