//! A set of bit-vectors as an unsigned and a signed interval, and how operations act on such sets. Each rule may
//! forget values that cannot occur, never keep back one that can.

use expr::{mask, sign_extend};

/// Numbers of `width` bits between both pairs of bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) width: u32,
    pub(crate) low: u128,
    pub(crate) high: u128,
    pub(crate) least: i128,
    pub(crate) most: i128,
}

impl Range {
    pub(crate) fn all(width: u32) -> Range {
        let most = (mask(width) >> 1) as i128;
        Range { width, low: 0, high: mask(width), least: -most - 1, most }
    }

    pub(crate) fn point(width: u32, value: u128) -> Range {
        let signed = sign_extend(value, width);
        Range { width, low: value, high: value, least: signed, most: signed }
    }

    /// The numbers from `low` to `high`, unsigned.
    pub(crate) fn unsigned(width: u32, low: u128, high: u128) -> Range {
        Range { low, high: high.min(mask(width)), ..Range::all(width) }.reduced()
    }

    /// The numbers from `least` to `most`, signed; all if one bound does not fit.
    pub(crate) fn signed(width: u32, least: Option<i128>, most: Option<i128>) -> Range {
        let all = Range::all(width);
        match (least, most) {
            (Some(least), Some(most)) if all.least <= least && most <= all.most => {
                Range { least, most, ..all }.reduced()
            }
            _ => all,
        }
    }

    pub(crate) fn truth(value: bool) -> Range {
        Range::point(1, value.into())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.low > self.high || self.least > self.most
    }

    /// Its only number.
    pub(crate) fn only(&self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    /// What is in both.
    pub(crate) fn meet(&self, other: &Range) -> Range {
        Range {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        }
        .reduced()
    }

    /// The smallest range around both.
    pub(crate) fn join(&self, other: &Range) -> Range {
        Range {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Where numbers of one sign remain, each pair of bounds sharpens the other.
    fn reduced(mut self) -> Range {
        if self.is_empty() {
            return self;
        }
        let half = 1 << (self.width - 1);
        if self.high < half || self.low >= half {
            self.least = self.least.max(sign_extend(self.low, self.width));
            self.most = self.most.min(sign_extend(self.high, self.width));
        }
        if !self.is_empty() && (self.least >= 0 || self.most < 0) {
            self.low = self.low.max(self.least as u128 & mask(self.width));
            self.high = self.high.min(self.most as u128 & mask(self.width));
        }
        self
    }

    /// Its numbers plus a constant, around the circle; all if that is two intervals.
    pub(crate) fn shifted(&self, by: u128) -> Range {
        let add = |value: u128| value.wrapping_add(by) & mask(self.width);
        let (low, high) = (add(self.low), add(self.high));
        if low <= high { Range::unsigned(self.width, low, high) } else { Range::all(self.width) }
    }

    pub(crate) fn complement(&self) -> Range {
        let all = mask(self.width);
        let unsigned = Range::unsigned(self.width, all - self.high, all - self.low);
        unsigned.meet(&Range::signed(self.width, Some(!self.most), Some(!self.least)))
    }

    pub(crate) fn negated(&self) -> Range {
        self.complement().shifted(1)
    }

    pub(crate) fn plus(&self, other: &Range) -> Range {
        if let Some(by) = other.only() {
            return self.shifted(by).meet(&self.signed_plus(other));
        }
        let fits = |sum: &u128| *sum <= mask(self.width);
        let high = self.high.checked_add(other.high).filter(fits);
        let sum = high
            .map_or(Range::all(self.width), |high| Range::unsigned(self.width, self.low + other.low, high));
        sum.meet(&self.signed_plus(other))
    }

    fn signed_plus(&self, other: &Range) -> Range {
        Range::signed(self.width, self.least.checked_add(other.least), self.most.checked_add(other.most))
    }

    pub(crate) fn minus(&self, other: &Range) -> Range {
        let signed =
            Range::signed(self.width, self.least.checked_sub(other.most), self.most.checked_sub(other.least));
        let unsigned = if let Some(by) = other.only() {
            self.shifted(by.wrapping_neg() & mask(self.width))
        } else if self.low >= other.high {
            Range::unsigned(self.width, self.low - other.high, self.high - other.low)
        } else {
            Range::all(self.width)
        };
        unsigned.meet(&signed)
    }

    pub(crate) fn times(&self, other: &Range) -> Range {
        let corners = [self.least, self.most].map(|a| [other.least, other.most].map(|b| a.checked_mul(b)));
        let corners: Option<Vec<i128>> = corners.into_iter().flatten().collect();
        let signed = corners.map_or(Range::all(self.width), |corners| {
            Range::signed(self.width, corners.iter().min().copied(), corners.iter().max().copied())
        });
        let high = self.high.checked_mul(other.high).filter(|&high| high <= mask(self.width));
        let unsigned = high
            .map_or(Range::all(self.width), |high| Range::unsigned(self.width, self.low * other.low, high));
        unsigned.meet(&signed)
    }

    /// Without one number, where that is a bound.
    pub(crate) fn without(mut self, value: u128) -> Range {
        let signed = sign_extend(value, self.width);
        if self.only() == Some(value) {
            self.high = 0;
            self.low = 1;
            return self;
        }
        if self.low == value {
            self.low += 1;
        }
        if self.high == value {
            self.high -= 1;
        }
        if self.least == signed && self.most > signed {
            self.least += 1;
        }
        if self.most == signed && self.least < signed {
            self.most -= 1;
        }
        self.reduced()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn contains(range: &Range, value: u128) -> bool {
        let signed = sign_extend(value, range.width);
        (range.low..=range.high).contains(&value) && (range.least..=range.most).contains(&signed)
    }

    /// A range around some numbers of 8 bits, and one of them.
    fn ranges() -> impl Strategy<Value = (Range, u128)> {
        prop::collection::vec(any::<u8>(), 1..4).prop_map(|values| {
            let points = values.iter().map(|&value| Range::point(8, value.into()));
            let hull = points.reduce(|a, b| a.join(&b)).expect("not empty");
            (hull.reduced(), values[0].into())
        })
    }

    proptest! {
        #[test]
        fn no_result_is_lost((a, x) in ranges(), (b, y) in ranges()) {
            let of = |op, result: Range, value| {
                assert!(contains(&result, value & 0xff), "{op} of {x} in {a:?} and {y} in {b:?}: {result:?}");
            };
            of("plus", a.plus(&b), x + y);
            of("minus", a.minus(&b), x.wrapping_sub(y));
            of("times", a.times(&b), x * y);
            of("complement", a.complement(), !x);
            of("negated", a.negated(), x.wrapping_neg());
            of("shifted", a.shifted(y), x + y);
            if x != y {
                of("without", a.without(y), x);
                of("join", a.join(&b), x);
            } else {
                of("meet", a.meet(&b), x);
            }
        }
    }
}
