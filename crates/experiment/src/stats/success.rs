//! How often something succeeds.

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// The interval that holds the true rate of success with 95 % confidence (Wilson, "Probable inference, the law of
/// succession, and statistical inference", 1927). Unlike the textbook's it has a width at 0 % and 100 % too, where
/// engines often are.
#[must_use]
pub fn wilson(successes: usize, trials: usize) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let rate = successes as f64 / n;
    let shrink = 1.0 + Z * Z / n;
    let centre = (rate + Z * Z / (2.0 * n)) / shrink;
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt() / shrink;
    let low = if successes == 0 { 0.0 } else { centre - half };
    let high = if successes == trials { 1.0 } else { centre + half };
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_the_rates_that_are_just_not_rejected() {
        // The definition: |rate - p| = z sqrt(p (1 - p) / n).
        for (successes, trials) in [(1, 30), (15, 30), (29, 30), (3, 7)] {
            let (low, high) = wilson(successes, trials).expect("trials");
            let rate = successes as f64 / trials as f64;
            for p in [low, high] {
                let bound = Z * (p * (1.0 - p) / trials as f64).sqrt();
                assert!(((rate - p).abs() - bound).abs() < 1e-12, "{successes} of {trials}: {p}");
            }
            assert!(low < rate && rate < high);
        }
    }

    #[test]
    fn never_and_always_have_an_end_at_the_rate() {
        // At 0 % the upper end is z² / (n + z²).
        let (low, high) = wilson(0, 30).expect("trials");
        assert_eq!(low, 0.0);
        assert!((high - Z * Z / (30.0 + Z * Z)).abs() < 1e-12);
        let (mirrored, one) = wilson(30, 30).expect("trials");
        assert_eq!(one, 1.0);
        assert!((mirrored - (1.0 - high)).abs() < 1e-12);
        assert_eq!(wilson(0, 0), None);
    }
}
