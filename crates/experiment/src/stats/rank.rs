//! The rank-sum test of Wilcoxon (1945), in the form of Mann and Whitney ("On a test of whether one of two random
//! variables is stochastically larger than the other", 1947).

use super::effect::doubled_wins;
use super::{normal, sorted};
use serde::Serialize;
use std::fmt;

/// Samples smaller than this, without ties, are compared exactly; it is R's limit too.
const EXACT_BELOW: usize = 50;

/// The result of a test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RankSum {
    /// Pairs that the first sample wins, ties counted half.
    pub u: f64,
    /// How likely so large a difference, in either direction, is if both samples come from one distribution.
    pub p: f64,
    /// How `p` was computed.
    pub method: Method,
}

/// How a significance was computed.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// From the number of arrangements.
    Exact,
    /// From the normal distribution, corrected for ties and continuity.
    Normal,
}

/// The two-sided test of two samples.
#[must_use]
pub fn rank_sum(first: &[f64], second: &[f64]) -> Option<RankSum> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let doubled = doubled_wins(first, second);
    let ties = ties(first, second);
    let is_small = first.len().max(second.len()) < EXACT_BELOW;
    let (p, method) = if is_small && ties.iter().all(|&size| size == 1) {
        (exact(doubled / 2, first.len(), second.len()), Method::Exact)
    } else {
        (approximate(doubled, first.len(), second.len(), &ties), Method::Normal)
    };
    Some(RankSum { u: doubled as f64 / 2.0, p, method })
}

/// How often each value occurs in both samples together.
fn ties(first: &[f64], second: &[f64]) -> Vec<usize> {
    let pooled = sorted(&[first, second].concat());
    pooled.chunk_by(|a, b| a == b).map(<[f64]>::len).collect()
}

/// Twice the share of arrangements with at most the smaller of the two U: the distribution is symmetric.
fn exact(u: u64, m: usize, n: usize) -> f64 {
    let ways = arrangements(m, n);
    let smaller = (u as usize).min(m * n - u as usize);
    let tail: u128 = ways[..=smaller].iter().sum();
    let all: u128 = ways.iter().sum();
    (2.0 * tail as f64 / all as f64).min(1.0)
}

/// By U, in how many orders `m` values of the first and `n` of the second sample may come. The largest is of the second,
/// or it is of the first and wins `n` pairs: `ways(m, n, u) = ways(m, n - 1, u) + ways(m - 1, n, u - n)`.
fn arrangements(m: usize, n: usize) -> Vec<u128> {
    let mut only_first = vec![0; m * n + 1];
    only_first[0] = 1;
    let mut ways = vec![only_first; m + 1];
    for n in 1..=n {
        for m in 1..=m {
            let (fewer, same) = ways.split_at_mut(m);
            same[0][n..].iter_mut().zip(&fewer[m - 1]).for_each(|(ways, more)| *ways += more);
        }
    }
    ways.swap_remove(m)
}

fn approximate(doubled: u64, m: usize, n: usize, ties: &[usize]) -> f64 {
    let pairs = (m * n) as f64;
    let all = (m + n) as f64;
    let tied: f64 = ties.iter().map(|&t| (t as f64).powi(3) - t as f64).sum();
    let variance = pairs / 12.0 * (all + 1.0 - tied / (all * (all - 1.0)));
    // U moves in steps of one: half a step is the correction for continuity.
    let distance = ((doubled as f64 - pairs) / 2.0).abs() - 0.5;
    if distance <= 0.0 || variance <= 0.0 { 1.0 } else { normal::two_sided(distance / variance.sqrt()) }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Method::Exact => "exact",
            Method::Normal => "normal",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// Ages at which diabetes was found in men and women: the example of SciPy's documentation, which prints both values
    /// of p; 14 of 126 arrangements are as far from the middle.
    const MEN: [f64; 5] = [19.0, 22.0, 16.0, 29.0, 24.0];
    const WOMEN: [f64; 4] = [20.0, 11.0, 17.0, 12.0];

    #[test]
    fn a_published_example() {
        let test = rank_sum(&MEN, &WOMEN).expect("values");
        assert_eq!((test.u, test.method), (17.0, Method::Exact));
        assert!(close(test.p, 14.0 / 126.0), "{test:?}");
        assert!(close(approximate(34, 5, 4, &[1; 9]), 0.111_346_886_533_140_41));
    }

    #[test]
    fn the_extreme_of_three_and_three() {
        // One of the 20 arrangements on each side.
        let test = rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).expect("values");
        assert_eq!((test.u, test.p), (0.0, 0.1));
    }

    #[test]
    fn ties_are_corrected_for() {
        // Ranks 1, 3, 3 and 3, 5: U = 7 - 6 = 1, mean 3, variance 6/12 (6 - 24/20) = 2.4, z = (2 - 0.5) / sqrt(2.4).
        let test = rank_sum(&[1.0, 2.0, 2.0], &[2.0, 3.0]).expect("values");
        assert_eq!((test.u, test.method), (1.0, Method::Normal));
        assert!(close(test.p, normal::two_sided(1.5 / 2.4f64.sqrt())));
    }

    #[test]
    fn equal_samples_do_not_differ() {
        assert_eq!(rank_sum(&[4.0; 30], &[4.0; 30]).expect("values").p, 1.0);
        assert_eq!(rank_sum(&[1.0], &[2.0]).expect("values").p, 1.0);
        assert_eq!(rank_sum(&[], &[2.0]), None);
    }

    #[test]
    fn arrangements_are_counted_at_the_limit_of_exactness() {
        let largest = EXACT_BELOW - 1;
        let all: u128 = arrangements(largest, largest).iter().sum();
        // C(98, 49), factor by factor.
        let binomial = (1..=49u128).fold(1, |c, k| c * (49 + k) / k);
        assert_eq!(all, binomial);
    }

    #[test]
    fn large_samples_are_approximated() {
        let sample = |shift: f64| (0..50).map(|i| f64::from(i) + shift).collect::<Vec<_>>();
        let test = rank_sum(&sample(0.0), &sample(0.5)).expect("values");
        // i beats j + 0.5 for j < i: 50 · 49 / 2 pairs.
        assert_eq!((test.u, test.method), (1225.0, Method::Normal));
    }

    /// p by its definition: the share of all ways to choose the first sample from the pooled values whose U is at least
    /// as far from the middle.
    fn enumerated(first: &[f64], second: &[f64]) -> f64 {
        let pooled = [first, second].concat();
        let middle = (first.len() * second.len()) as i64;
        let distance = |a: &[f64], b: &[f64]| (doubled_wins(a, b) as i64 - middle).abs();
        let observed = distance(first, second);
        let (mut far, mut all) = (0, 0);
        for choice in 0u32..1 << pooled.len() {
            if choice.count_ones() as usize != first.len() {
                continue;
            }
            let (a, b): (Vec<_>, Vec<_>) = pooled.iter().enumerate().partition(|(i, _)| choice >> i & 1 == 1);
            let values = |part: Vec<(usize, &f64)>| part.into_iter().map(|(_, x)| *x).collect::<Vec<_>>();
            all += 1;
            far += u32::from(distance(&values(a), &values(b)) >= observed);
        }
        f64::from(far) / f64::from(all)
    }

    fn sample() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec((-9i32..9).prop_map(f64::from), 1..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn exact_is_what_enumeration_gives(
            order in Just((0..9).map(f64::from).collect::<Vec<_>>()).prop_shuffle(),
            first in 1usize..5,
            all in 5usize..=9,
        ) {
            let (first, second) = order[..all].split_at(first);
            let test = rank_sum(first, second).expect("values");
            prop_assert_eq!(test.method, Method::Exact);
            prop_assert!(close(test.p, enumerated(first, second)), "{:?}", test);
        }

        #[test]
        fn neither_side_is_preferred(a in sample(), b in sample()) {
            let (one, other) = (rank_sum(&a, &b).expect("values"), rank_sum(&b, &a).expect("values"));
            prop_assert!(close(one.p, other.p) && close(one.u + other.u, (a.len() * b.len()) as f64));
            prop_assert!(one.p > 0.0 && one.p <= 1.0);
        }

        #[test]
        fn only_the_order_of_values_counts(a in sample(), b in sample()) {
            let cubed = |sample: &[f64]| sample.iter().map(|x| x.powi(3) + 7.0).collect::<Vec<_>>();
            prop_assert_eq!(rank_sum(&a, &b), rank_sum(&cubed(&a), &cubed(&b)));
        }

        #[test]
        fn the_approximation_is_near_the_exact_value(a in 6usize..9, b in 6usize..9, u in 0u64..30) {
            let (exact, near) = (exact(u, a, b), approximate(2 * u, a, b, &vec![1; a + b]));
            prop_assert!((exact - near).abs() < 0.02, "{} {}", exact, near);
        }
    }
}
