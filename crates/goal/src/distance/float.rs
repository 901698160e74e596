//! Distances of floating-point comparisons.
//!
//! The difference `|a - b|` alone is no guide where it rounds away or overflows: from 1 to 1e300 no step of
//! the smaller operand changes it, and between numbers near both ends of the range it is infinite. The
//! number of representable steps alone is a poor guide too: from 0 to 1 there are as many as from 1 to
//! infinity. So the distance is both, lexicographically: the bit pattern of `|a - b|`, which orders as the
//! difference does, above the number of steps from `a` to `b`. When one operand steps towards the other
//! the first never grows and the second always shrinks.

use super::{Distances, NEVER, UNORDERED};

/// How `a` and `b` relate: exactly one of these bits.
pub(super) type Relation = u8;
pub(super) const EQUAL: Relation = 1;
pub(super) const GREATER: Relation = 2;
pub(super) const LESS: Relation = 4;
pub(super) const NOT_ORDERED: Relation = 8;

/// A floating-point comparison, numbered as in LLVM's `fcmp`: the number is the set of relations (equal 1,
/// greater 2, less 4, unordered 8) under which the comparison holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatPredicate(u8);

impl FloatPredicate {
    /// Never.
    pub const FALSE: FloatPredicate = FloatPredicate(0);
    /// Ordered and equal: C's `==`.
    pub const OEQ: FloatPredicate = FloatPredicate(1);
    /// Ordered and greater: C's `>`.
    pub const OGT: FloatPredicate = FloatPredicate(2);
    /// Ordered and greater or equal: C's `>=`.
    pub const OGE: FloatPredicate = FloatPredicate(3);
    /// Ordered and less: C's `<`.
    pub const OLT: FloatPredicate = FloatPredicate(4);
    /// Ordered and less or equal: C's `<=`.
    pub const OLE: FloatPredicate = FloatPredicate(5);
    /// Ordered and not equal.
    pub const ONE: FloatPredicate = FloatPredicate(6);
    /// Ordered: neither operand is a NaN.
    pub const ORD: FloatPredicate = FloatPredicate(7);
    /// Unordered: an operand is a NaN.
    pub const UNO: FloatPredicate = FloatPredicate(8);
    /// Unordered or equal.
    pub const UEQ: FloatPredicate = FloatPredicate(9);
    /// Unordered or greater: the negation of `<=`.
    pub const UGT: FloatPredicate = FloatPredicate(10);
    /// Unordered, greater or equal: the negation of `<`.
    pub const UGE: FloatPredicate = FloatPredicate(11);
    /// Unordered or less: the negation of `>=`.
    pub const ULT: FloatPredicate = FloatPredicate(12);
    /// Unordered, less or equal: the negation of `>`.
    pub const ULE: FloatPredicate = FloatPredicate(13);
    /// Unordered or not equal: C's `!=`.
    pub const UNE: FloatPredicate = FloatPredicate(14);
    /// Always.
    pub const TRUE: FloatPredicate = FloatPredicate(15);

    /// The predicate with LLVM's number `code`, of which only the low four bits count.
    #[inline]
    #[must_use]
    pub const fn from_code(code: u8) -> FloatPredicate {
        FloatPredicate(code & 15)
    }

    /// LLVM's number.
    #[inline]
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// Both distances of operands that are related so and, if ordered, `gap` apart.
    #[inline]
    pub(super) fn distances(self, relation: Relation, gap: u128) -> Distances {
        Distances { to_true: self.distance(relation, gap), to_false: (!self).distance(relation, gap) }
    }

    /// Nothing says how far a number is from not being one, or back: a fixed distance above all others.
    #[inline]
    fn distance(self, relation: Relation, gap: u128) -> u128 {
        let ordered = EQUAL | GREATER | LESS;
        if self.0 & relation != 0 {
            0
        } else if self == FloatPredicate::FALSE {
            NEVER
        } else if relation == NOT_ORDERED || self.0 & ordered == 0 {
            UNORDERED
        } else {
            gap + u128::from(self.0 & EQUAL == 0)
        }
    }
}

impl std::ops::Not for FloatPredicate {
    type Output = FloatPredicate;

    /// The complementary predicate.
    #[inline]
    fn not(self) -> FloatPredicate {
        FloatPredicate(!self.0 & 15)
    }
}

/// The relation of two numbers by keys that order as they do.
#[inline]
pub(super) fn relation<K: Ord>(a: &K, b: &K) -> Relation {
    match a.cmp(b) {
        std::cmp::Ordering::Less => LESS,
        std::cmp::Ordering::Equal => EQUAL,
        std::cmp::Ordering::Greater => GREATER,
    }
}

/// Comparison of doubles; narrower types are widened first, which is exact.
#[inline]
#[must_use]
pub fn float(predicate: FloatPredicate, a: f64, b: f64) -> Distances {
    if a.is_nan() | b.is_nan() {
        return predicate.distances(NOT_ORDERED, 0);
    }
    let (x, y) = (key(a), key(b));
    // Equal infinities have no difference.
    let difference = if x == y { 0 } else { (a - b).abs().to_bits() };
    predicate.distances(relation(&x, &y), u128::from(difference) << 64 | u128::from(x.abs_diff(y)))
}

/// Consecutive for consecutive numbers; one value for both zeros.
#[inline]
fn key(number: f64) -> i64 {
    let magnitude = (number.to_bits() & !(1 << 63)) as i64;
    if number.is_sign_negative() { -magnitude } else { magnitude }
}
