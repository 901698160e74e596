//! Effect size: Vargha and Delaney, "A critique and improvement of the CL common language effect size statistics of
//! McGraw and Wong", 2000.

use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;

/// Â12: how likely a value of the first sample is larger than one of the second, equal ones counted half. 0.5 means no
/// difference.
#[must_use]
pub fn a12(first: &[f64], second: &[f64]) -> Option<f64> {
    let pairs = first.len() * second.len();
    (pairs > 0).then(|| doubled_wins(first, second) as f64 / (2 * pairs) as f64)
}

/// Twice the number of pairs that the first sample wins, so that a tie is a whole number.
pub(super) fn doubled_wins(first: &[f64], second: &[f64]) -> u64 {
    let points = |a: &f64, b: &f64| match a.partial_cmp(b) {
        Some(Ordering::Greater) => 2,
        Some(Ordering::Equal) => 1,
        _ => 0,
    };
    first.iter().flat_map(|a| second.iter().map(move |b| points(a, b))).sum()
}

/// How much an effect is, in the bands of Vargha and Delaney: the same on either side of 0.5.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Magnitude {
    /// Nearer to 0.5 than 0.56 is.
    Negligible,
    /// From 0.56.
    Small,
    /// From 0.64.
    Medium,
    /// From 0.71.
    Large,
}

impl Magnitude {
    /// The band of an Â12.
    #[must_use]
    pub fn of(a12: f64) -> Magnitude {
        // The slack is for rounding: 0.71 - 0.5 is less than 0.21 in floating point.
        let distance = (a12 - 0.5).abs() + 1e-9;
        if distance >= 0.21 {
            Magnitude::Large
        } else if distance >= 0.14 {
            Magnitude::Medium
        } else if distance >= 0.06 {
            Magnitude::Small
        } else {
            Magnitude::Negligible
        }
    }
}

impl fmt::Display for Magnitude {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Magnitude::Negligible => "negligible",
            Magnitude::Small => "small",
            Magnitude::Medium => "medium",
            Magnitude::Large => "large",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wins_and_ties_by_hand() {
        // 3 beats 1 and 2; 2 beats 1 and ties with 2; 1 ties with 1: 3 wins and 2 ties of 6 pairs.
        assert_eq!(a12(&[3.0, 2.0, 1.0], &[1.0, 2.0]), Some(4.0 / 6.0));
        assert_eq!(a12(&[5.0], &[1.0, 2.0]), Some(1.0));
        assert_eq!(a12(&[1.0], &[1.0]), Some(0.5));
        assert_eq!(a12(&[], &[1.0]), None);
    }

    #[test]
    fn bands_are_those_of_the_paper_on_both_sides() {
        use Magnitude::{Large, Medium, Negligible, Small};
        let bands = [(0.5, Negligible), (0.559, Negligible), (0.56, Small), (0.639, Small), (0.64, Medium)];
        for (a12, band) in bands.into_iter().chain([(0.709, Medium), (0.71, Large), (1.0, Large)]) {
            assert_eq!((Magnitude::of(a12), Magnitude::of(1.0 - a12)), (band, band), "{a12}");
        }
        for (wins, pairs, band) in [(14, 25, Small), (16, 25, Medium), (71, 100, Large)] {
            let of = |wins: i32| Magnitude::of(f64::from(wins) / f64::from(pairs));
            assert_eq!((of(wins), of(pairs - wins)), (band, band), "{wins} of {pairs}");
        }
    }

    fn sample() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec((-9i32..9).prop_map(f64::from), 1..12)
    }

    proptest! {
        #[test]
        fn the_two_sides_sum_to_one(a in sample(), b in sample()) {
            let sum = a12(&a, &b).expect("values") + a12(&b, &a).expect("values");
            prop_assert!((sum - 1.0).abs() < 1e-12);
        }

        #[test]
        fn only_the_order_of_values_counts(a in sample(), b in sample()) {
            let cubed = |sample: &[f64]| sample.iter().map(|x| x.powi(3) + 7.0).collect::<Vec<_>>();
            prop_assert_eq!(a12(&a, &b), a12(&cubed(&a), &cubed(&b)));
        }
    }
}
