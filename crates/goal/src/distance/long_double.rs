//! Distances of comparisons of x87 80-bit numbers, which Rust has no type for.
//!
//! As for doubles, the size of the difference stands above the number of representable steps. The steps need
//! 80 bits, so 48 remain for the difference: its exponent and 32 bits of its significand, taken from exact
//! integer arithmetic over the whole range. Infinity counts as the number after the largest.

use super::Distances;
use super::float::{FloatPredicate, NOT_ORDERED, relation};

const INTEGER_BIT: u64 = 1 << 63;

/// A number: `significand * 2^exponent`, negated if `negative`, up to a constant factor.
#[derive(Clone, Copy)]
struct Extended {
    negative: bool,
    exponent: u32,
    significand: u64,
}

/// Comparison of long doubles given by their bit patterns; only the low 80 bits count.
#[inline]
#[must_use]
pub fn long_double(predicate: FloatPredicate, a_bits: u128, b_bits: u128) -> Distances {
    let (Some(a), Some(b)) = (Extended::decode(a_bits), Extended::decode(b_bits)) else {
        return predicate.distances(NOT_ORDERED, 0);
    };
    let (x, y) = (a.key(), b.key());
    let gap = if x == y { 0 } else { a.difference(b) << 80 | x.abs_diff(y) };
    predicate.distances(relation(&x, &y), gap)
}

impl Extended {
    /// `None` for NaNs and for the encodings that the processor treats as such: those of a normal exponent
    /// without the integer bit. Exponent 0 means the same scale as exponent 1.
    fn decode(bits: u128) -> Option<Extended> {
        let significand = bits as u64;
        let exponent = (bits >> 64) as u32 & 0x7fff;
        let negative = bits >> 79 & 1 == 1;
        let valid = match exponent {
            0 => true,
            0x7fff => significand == INTEGER_BIT,
            _ => significand & INTEGER_BIT != 0,
        };
        valid.then_some(Extended { negative, exponent: exponent.max(1), significand })
    }

    /// Consecutive for consecutive numbers; one value for both zeros.
    fn key(self) -> i128 {
        let below = i128::from(self.exponent - 1) << 63;
        let magnitude = below + i128::from(self.significand);
        if self.negative { -magnitude } else { magnitude }
    }

    /// A 48-bit value that orders as `|self - other|` does; the two must differ.
    ///
    /// The smaller number is shifted to the scale of the larger. Both this and the cut to 48 bits round down,
    /// and the first is finer, so that the result is exactly the leading bits of the true difference.
    fn difference(self, other: Extended) -> u128 {
        let order = |number: Extended| (number.exponent, number.significand);
        let (large, small) = if order(self) >= order(other) { (self, other) } else { (other, self) };
        let shift = (large.exponent - small.exponent).min(127);
        let high = u128::from(large.significand) << 62;
        let low = u128::from(small.significand) << 62;
        let difference = if large.negative == small.negative {
            high - low.div_ceil(1 << shift)
        } else {
            high + (low >> shift)
        };
        let leading = difference.leading_zeros();
        let exponent = large.exponent + 127 - leading;
        u128::from(exponent) << 32 | difference << leading << 1 >> 96
    }
}
