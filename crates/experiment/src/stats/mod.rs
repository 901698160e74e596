//! The statistics of randomised algorithms: spread, success, effect size, significance.
//!
//! Samples are finite numbers in any order. What cannot be computed from so few of them is `None`.

mod boxes;
mod effect;
mod normal;
mod rank;
mod success;

pub use boxes::BoxPlot;
pub use effect::{Magnitude, a12};
pub use rank::{Method, RankSum, rank_sum};
pub use success::wilson;

/// The arithmetic mean.
#[must_use]
pub fn mean(sample: &[f64]) -> Option<f64> {
    (!sample.is_empty()).then(|| sample.iter().sum::<f64>() / sample.len() as f64)
}

/// The standard deviation of a sample, with one degree of freedom less than it has values.
#[must_use]
pub fn standard_deviation(sample: &[f64]) -> Option<f64> {
    let mean = mean(sample)?;
    let squares: f64 = sample.iter().map(|x| (x - mean).powi(2)).sum();
    (sample.len() > 1).then(|| (squares / (sample.len() - 1) as f64).sqrt())
}

/// The value with half of the sample on either side.
#[must_use]
pub fn median(sample: &[f64]) -> Option<f64> {
    Some(Quartiles::of(sample)?.median)
}

/// The values that cut a sample into four.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quartiles {
    /// The first.
    pub lower: f64,
    /// The second.
    pub median: f64,
    /// The third.
    pub upper: f64,
}

impl Quartiles {
    /// Linear interpolation between the order statistics, with the extremes as the 0th and 4th quartile: definition 7 of
    /// Hyndman and Fan (1996), which R and NumPy use unless told otherwise.
    #[must_use]
    pub fn of(sample: &[f64]) -> Option<Quartiles> {
        let sorted = sorted(sample);
        let last = sorted.len().checked_sub(1)?;
        let at = |share: f64| {
            let place = share * last as f64;
            let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            low + (high - low) * place.fract()
        };
        Some(Quartiles { lower: at(0.25), median: at(0.5), upper: at(0.75) })
    }
}

fn sorted(sample: &[f64]) -> Vec<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mean_and_deviation_by_hand() {
        // Mean 5, squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over 7.
        let sample = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&sample), Some(5.0));
        assert_eq!(standard_deviation(&sample), Some((32.0f64 / 7.0).sqrt()));
    }

    #[test]
    fn the_deviations_of_the_thesis() {
        // GECCO Table 4: of 29 runs 6 (of 50), 21 (of 57) reach both goals and all others one.
        for (both, mean_printed, deviation_printed) in [(6, 60.34, 20.61), (21, 86.21, 22.74)] {
            let sample: Vec<f64> = (0..29).map(|run| if run < both { 100.0 } else { 50.0 }).collect();
            assert!((mean(&sample).expect("29 values") - mean_printed).abs() < 0.005);
            assert!((standard_deviation(&sample).expect("29 values") - deviation_printed).abs() < 0.005);
        }
    }

    #[test]
    fn too_few_values_have_no_statistics() {
        assert_eq!((mean(&[]), median(&[]), standard_deviation(&[1.0])), (None, None, None));
        assert_eq!(Quartiles::of(&[3.0]), Some(Quartiles { lower: 3.0, median: 3.0, upper: 3.0 }));
    }

    #[test]
    fn quartiles_by_hand() {
        // Places 0.75, 1.5 and 2.25 of 0..=3.
        let quartiles = Quartiles::of(&[40.0, 10.0, 30.0, 20.0]);
        assert_eq!(quartiles, Some(Quartiles { lower: 17.5, median: 25.0, upper: 32.5 }));
        let quartiles = Quartiles::of(&[5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(quartiles, Some(Quartiles { lower: 2.0, median: 3.0, upper: 4.0 }));
    }

    proptest! {
        #[test]
        fn quartiles_cut_the_sample(values in prop::collection::vec(-50i32..50, 1..40)) {
            let sample: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
            let Quartiles { lower, median, upper } = Quartiles::of(&sample).expect("not empty");
            prop_assert!(lower <= median && median <= upper);
            for (cut, share) in [(lower, 0.25), (median, 0.5), (upper, 0.75)] {
                let part = |test: &dyn Fn(f64) -> bool| sample.iter().filter(|&&x| test(x)).count() as f64;
                let n = sample.len() as f64;
                // Definition 7 has one value less to cut, hence the slack of one.
                prop_assert!(part(&|x| x < cut) <= share * n + 1.0);
                prop_assert!(part(&|x| x > cut) <= (1.0 - share) * n + 1.0);
            }
        }
    }
}
