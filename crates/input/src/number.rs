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
