//! Floating-point cells as numbers and as points of an ordered line.

use crate::leaf::Leaf;
use model::FloatKind;

/// The place of a float on the line of all floats of its format: consecutive floats are one apart, both
/// zeros are next to each other (−0 just below +0), NaNs lie beyond the infinities.
#[must_use]
pub fn ordered_from_bits(kind: FloatKind, bits: u128) -> i128 {
    let (width, magnitude_mask) = format(kind);
    let negative = bits >> (width - 1) & 1 == 1;
    let magnitude = (bits & magnitude_mask) as i128;
    if negative { -magnitude - 1 } else { magnitude }
}

/// Inverse of [`ordered_from_bits`]; positions outside the line are clamped to ±infinity.
#[must_use]
pub fn ordered_to_bits(kind: FloatKind, ordered: i128) -> u128 {
    let (width, _) = format(kind);
    let infinity = infinity_magnitude(kind) as i128;
    let ordered = ordered.clamp(-infinity - 1, infinity);
    let (negative, mut magnitude) =
        if ordered < 0 { (true, (-ordered - 1) as u128) } else { (false, ordered as u128) };
    if kind == FloatKind::F80 {
        // The x87 format stores the leading bit: a pattern without it is no number.
        let integer_bit = 1u128 << 63;
        if magnitude >> 64 != 0 && magnitude & integer_bit == 0 {
            magnitude |= integer_bit;
        }
    }
    (u128::from(negative) << (width - 1)) | magnitude
}

fn format(kind: FloatKind) -> (u32, u128) {
    match kind {
        FloatKind::F32 => (32, (1 << 31) - 1),
        FloatKind::F64 => (64, (1 << 63) - 1),
        FloatKind::F80 => (80, (1 << 79) - 1),
    }
}

fn infinity_magnitude(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::F32 => u128::from(f32::INFINITY.to_bits()),
        FloatKind::F64 => u128::from(f64::INFINITY.to_bits()),
        FloatKind::F80 => 0x7fff_8000_0000_0000_0000,
    }
}

impl Leaf {
    /// The value of a float cell, rounded to double for `long double`.
    #[must_use]
    pub fn float_value(&self, kind: FloatKind, cell: u128) -> f64 {
        match kind {
            FloatKind::F32 => f64::from(f32::from_bits(cell as u32)),
            FloatKind::F64 => f64::from_bits(cell as u64),
            FloatKind::F80 => f80_to_f64(cell),
        }
    }

    /// The cell that holds `value`, rounded to `float` where the format demands it.
    #[must_use]
    pub fn float_cell(&self, kind: FloatKind, value: f64) -> u128 {
        match kind {
            FloatKind::F32 => u128::from((value as f32).to_bits()),
            FloatKind::F64 => u128::from(value.to_bits()),
            FloatKind::F80 => f64_to_f80(value),
        }
    }
}

/// Exact: every double is a `long double`.
fn f64_to_f80(value: f64) -> u128 {
    let bits = value.to_bits();
    let sign = u128::from(bits >> 63) << 79;
    let exponent = (bits >> 52 & 0x7ff) as u128;
    let fraction = u128::from(bits & ((1 << 52) - 1));
    let integer_bit = 1u128 << 63;
    let magnitude = match exponent {
        0 if fraction == 0 => 0,
        0 => {
            // A double denormal is normal here: its leading one moves to bit 63.
            let leading = 127 - fraction.leading_zeros();
            (u128::from(leading + 16383 - 1074) << 64) | (fraction << (63 - leading))
        }
        0x7ff => (0x7fff << 64) | integer_bit | (fraction << 11),
        _ => ((exponent + 16383 - 1023) << 64) | integer_bit | (fraction << 11),
    };
    sign | magnitude
}

fn f80_to_f64(bits: u128) -> f64 {
    let sign = if bits >> 79 & 1 == 1 { -1.0 } else { 1.0 };
    let exponent = (bits >> 64 & 0x7fff) as i32;
    let significand = bits as u64;
    if exponent == 0x7fff {
        return if significand << 1 == 0 { sign * f64::INFINITY } else { f64::NAN };
    }
    // Two steps keep the scale in range; the first product is exact apart from one rounding.
    let scale = exponent - 16383 - 63;
    let half = scale / 2;
    sign * (significand as f64) * 2f64.powi(half) * 2f64.powi(scale - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_the_numbers() {
        let line = [f64::NEG_INFINITY, -1.5, -f64::MIN_POSITIVE, -5e-324, -0.0, 0.0, 5e-324, 1.0, f64::INFINITY];
        let places = line.map(|v| ordered_from_bits(FloatKind::F64, u128::from(v.to_bits())));
        assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
        for (value, place) in line.iter().zip(places) {
            assert_eq!(ordered_to_bits(FloatKind::F64, place), u128::from(value.to_bits()));
        }
    }

    #[test]
    fn long_double_round_trip() {
        for v in [0.0, -0.0, 1.0, -2.25, 1e300, 5e-324, 3e-310, f64::MIN_POSITIVE, f64::INFINITY, f64::MAX] {
            assert_eq!(f80_to_f64(f64_to_f80(v)).to_bits(), v.to_bits(), "{v:e}");
        }
        assert_eq!(f64_to_f80(1.0), 0x3fff_8000_0000_0000_0000);
        assert!(f80_to_f64(f64_to_f80(f64::NAN)).is_nan());
    }
}
