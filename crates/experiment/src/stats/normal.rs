//! The tails of the normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// From where on the continued fraction converges faster than the series.
const FAR: f64 = 2.0;
/// Terms after which neither changes a double any more.
const TERMS: u32 = 80;

/// How likely a standard normal variable is at least as far from 0 as `z`, on either side.
pub(super) fn two_sided(z: f64) -> f64 {
    complementary_error(z.abs() / SQRT_2)
}

/// erfc for what is not negative, by formulas 7.1.6 and 7.1.14 of Abramowitz and Stegun.
fn complementary_error(x: f64) -> f64 {
    if x < FAR { 1.0 - 2.0 / PI.sqrt() * series(x) } else { (-x * x).exp() / PI.sqrt() * fraction(x) }
}

/// e^(-x²) Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)); all terms have one sign, so nothing cancels.
fn series(x: f64) -> f64 {
    let mut term = x * (-x * x).exp();
    let mut sum = term;
    for n in 1..=TERMS {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    sum
}

/// 1 / (x + (1/2) / (x + (2/2) / (x + (3/2) / …))), from its end.
fn fraction(x: f64) -> f64 {
    let rest = (1..=TERMS).rev().fold(x, |rest, n| x + f64::from(n) / 2.0 / rest);
    1.0 / rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_table_7_1() {
        // erf to ten digits, from the handbook.
        for (x, erf) in [(0.0, 0.0), (0.5, 0.520_499_877_8), (1.0, 0.842_700_792_9), (2.0, 0.995_322_265_0)] {
            assert!((1.0 - complementary_error(x) - erf).abs() < 1e-10, "{x}");
        }
    }

    #[test]
    fn the_tails_are_the_area_under_the_bell() {
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
        for z in [0.1, 0.968, 1.96, 2.7, 2.9, 4.0] {
            // Simpson's rule from z to 12, beyond which lies less than 1e-30.
            let step = (12.0 - z) / 20_000.0;
            let weight = |i: u32| if i.is_multiple_of(20_000) { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
            let area: f64 = (0..=20_000).map(|i| weight(i) * density(z + f64::from(i) * step)).sum();
            let tails = 2.0 * area * step / 3.0;
            assert!((two_sided(z) / tails - 1.0).abs() < 1e-9, "{z}");
            assert_eq!(two_sided(z), two_sided(-z));
        }
    }

    #[test]
    fn series_and_fraction_meet() {
        let (near, far) = (complementary_error(FAR - 1e-9), complementary_error(FAR));
        assert!(near > far && near - far < 1e-10);
    }
}
