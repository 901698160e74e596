//! Branch distance: how far a predicate is from each of its two outcomes.
//!
//! For integers the distances are Tracey's with the failure constant K = 1 only where it is needed, that
//! is where the difference of the operands would be 0 although the outcome is not the wanted one:
//!
//! | predicate | to true, if false | to false, if true |
//! |-----------|-------------------|-------------------|
//! | `a == b`  | `abs(a - b)`      | 1                 |
//! | `a != b`  | 1                 | `abs(a - b)`      |
//! | `a < b`   | `a - b + 1`       | `b - a`           |
//! | `a <= b`  | `a - b`           | `b - a + 1`       |
//! | `a > b`   | `b - a + 1`       | `a - b`           |
//! | `a >= b`  | `b - a`           | `a - b + 1`       |
//!
//! The second column is the first of the complementary predicate. Tables in print that negate the operands
//! instead are 0 at equality for `<=` and `>=`. `a > b` is written `less(b, a)` and `a != b` `!equal(a, b)`.
//!
//! Differences of 64-bit operands are exact in 128 bits. [`u128::MAX`] is never a distance: it stands for
//! "not evaluated" wherever smallest distances are kept.

mod float;
mod long_double;
pub mod wide;

pub use float::{FloatPredicate, float};
pub use long_double::long_double;

/// Larger than every distance that a change of the operands can shrink.
const UNORDERED: u128 = u128::MAX - 2;

/// No operands give this outcome. Also the greatest distance: larger differences count as this one.
const NEVER: u128 = u128::MAX - 1;

/// How far an evaluated predicate is from either outcome. One of the two happened and has distance 0, the
/// other has not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Distances {
    /// Distance to true.
    pub to_true: u128,
    /// Distance to false.
    pub to_false: u128,
}

impl std::ops::Not for Distances {
    type Output = Distances;

    /// The distances of the negated predicate.
    #[inline]
    fn not(self) -> Distances {
        Distances { to_true: self.to_false, to_false: self.to_true }
    }
}

/// A condition without operands to compare.
#[inline]
#[must_use]
pub fn truth(value: bool) -> Distances {
    Distances { to_true: u128::from(!value), to_false: u128::from(value) }
}

/// `a == b`.
///
/// Equality does not say whether its operands are signed, yet the distance between bit patterns on either
/// side of the sign bit depends on it: see [`unsigned_equal`].
#[inline]
#[must_use]
pub fn equal(a: i64, b: i64) -> Distances {
    equal_at(a.abs_diff(b).into())
}

/// `a == b` of operands known to be unsigned.
#[inline]
#[must_use]
pub fn unsigned_equal(a: u64, b: u64) -> Distances {
    equal_at(a.abs_diff(b).into())
}

/// Whether a switch on `value` goes to the label `case`.
#[inline]
#[must_use]
pub fn switch_case(value: i64, case: i64) -> Distances {
    equal(value, case)
}

/// `a < b`, signed.
#[inline]
#[must_use]
pub fn signed_less(a: i64, b: i64) -> Distances {
    less_at(a < b, a.abs_diff(b).into())
}

/// `a <= b`, signed.
#[inline]
#[must_use]
pub fn signed_less_equal(a: i64, b: i64) -> Distances {
    !signed_less(b, a)
}

/// `a < b`, unsigned.
#[inline]
#[must_use]
pub fn unsigned_less(a: u64, b: u64) -> Distances {
    less_at(a < b, a.abs_diff(b).into())
}

/// `a <= b`, unsigned.
#[inline]
#[must_use]
pub fn unsigned_less_equal(a: u64, b: u64) -> Distances {
    !unsigned_less(b, a)
}

/// Equality of operands `gap` apart.
#[inline]
fn equal_at(gap: u128) -> Distances {
    Distances { to_true: gap, to_false: u128::from(gap == 0) }
}

/// Strict order of operands `gap` apart; `gap` must leave room for K.
#[inline]
fn less_at(less: bool, gap: u128) -> Distances {
    let (to_true, to_false) = if less { (0, gap) } else { (gap + 1, 0) };
    Distances { to_true, to_false }
}
