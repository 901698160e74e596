//! What a box plot shows (Tukey, "Exploratory Data Analysis", 1977).

use super::{Quartiles, sorted};

/// How far whiskers reach, in heights of the box.
const REACH: f64 = 1.5;

/// The numbers of one box.
#[derive(Clone, PartialEq, Debug)]
pub struct BoxPlot {
    /// The box and the line in it.
    pub quartiles: Quartiles,
    /// The outermost values not farther from the box than 1.5 of its heights, never inside the box.
    pub whiskers: (f64, f64),
    /// All values beyond, ascending.
    pub outliers: Vec<f64>,
}

impl BoxPlot {
    /// The box of a sample.
    #[must_use]
    pub fn of(sample: &[f64]) -> Option<BoxPlot> {
        let quartiles = Quartiles::of(sample)?;
        let Quartiles { lower, upper, .. } = quartiles;
        let reach = REACH * (upper - lower);
        let (inside, outliers): (Vec<f64>, Vec<f64>) =
            sorted(sample).into_iter().partition(|&x| lower - reach <= x && x <= upper + reach);
        // Interpolated quartiles may lie beyond all values that are no outliers.
        let low = inside.first().map_or(lower, |x| x.min(lower));
        let high = inside.last().map_or(upper, |x| x.max(upper));
        Some(BoxPlot { quartiles, whiskers: (low, high), outliers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whiskers_end_at_values_and_outliers_lie_beyond() {
        // Quartiles at places 2.25 and 6.75 of 0..=9: 4.25 and 8.75; fences at -2.5 and 15.5.
        let sample = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 15.0, 16.0];
        let plot = BoxPlot::of(&sample).expect("ten values");
        assert_eq!((plot.quartiles.lower, plot.quartiles.upper), (4.25, 8.75));
        assert_eq!((plot.whiskers, plot.outliers), ((2.0, 15.0), vec![16.0]));
    }

    #[test]
    fn without_spread_everything_else_is_an_outlier() {
        let plot = BoxPlot::of(&[7.0, 7.0, 7.0, 1.0, 7.0, 7.0, 9.0]).expect("seven values");
        assert_eq!((plot.whiskers, plot.outliers), ((7.0, 7.0), vec![1.0, 9.0]));
        assert_eq!(BoxPlot::of(&[]), None);
    }

    #[test]
    fn whiskers_never_end_inside_the_box() {
        // The upper quartile, 2.5, lies between 0 and the outlier 10.
        let plot = BoxPlot::of(&[0.0, 0.0, 0.0, 10.0]).expect("four values");
        assert_eq!((plot.quartiles.upper, plot.whiskers, plot.outliers), (2.5, (0.0, 2.5), vec![10.0]));
    }
}
