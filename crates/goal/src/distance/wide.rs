//! The same distances for 128-bit operands.
//!
//! The largest differences leave no room below [`u128::MAX`], which means "not evaluated": those from
//! `u128::MAX - 2` on share one distance. Nothing else is lost.

use super::{Distances, NEVER, equal_at, less_at};

/// `a == b`, signed; see [`super::equal`].
#[inline]
#[must_use]
pub fn equal(a: i128, b: i128) -> Distances {
    equal_at(a.abs_diff(b).min(NEVER))
}

/// `a == b` of operands known to be unsigned.
#[inline]
#[must_use]
pub fn unsigned_equal(a: u128, b: u128) -> Distances {
    equal_at(a.abs_diff(b).min(NEVER))
}

/// `a < b`, signed.
#[inline]
#[must_use]
pub fn signed_less(a: i128, b: i128) -> Distances {
    less_at(a < b, a.abs_diff(b).min(NEVER - 1))
}

/// `a <= b`, signed.
#[inline]
#[must_use]
pub fn signed_less_equal(a: i128, b: i128) -> Distances {
    !signed_less(b, a)
}

/// `a < b`, unsigned.
#[inline]
#[must_use]
pub fn unsigned_less(a: u128, b: u128) -> Distances {
    less_at(a < b, a.abs_diff(b).min(NEVER - 1))
}

/// `a <= b`, unsigned.
#[inline]
#[must_use]
pub fn unsigned_less_equal(a: u128, b: u128) -> Distances {
    !unsigned_less(b, a)
}
