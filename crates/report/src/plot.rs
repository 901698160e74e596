//! The geometry of plots: goals covered over executions, in steps, logarithmic in executions.

use std::fmt::Write;

/// Room around the curves.
pub(crate) const LEFT: f64 = 48.0;
pub(crate) const RIGHT: f64 = 14.0;
pub(crate) const TOP: f64 = 14.0;
pub(crate) const BOTTOM: f64 = 34.0;

/// What numbers at the side say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// Goals.
    Goals,
    /// Their share.
    Percent,
}

/// From data to the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The last execution, at least 10.
    pub(crate) last: f64,
    /// Goals at the top, at least 1.
    pub(crate) goals: f64,
    pub(crate) side: Side,
}

impl Scale {
    pub(crate) fn x(&self, execution: f64) -> f64 {
        LEFT + (self.width - LEFT - RIGHT) * execution.max(1.0).log10() / self.last.log10()
    }

    pub(crate) fn y(&self, covered: f64) -> f64 {
        self.height - BOTTOM - (self.height - TOP - BOTTOM) * (covered / self.goals).min(1.0)
    }

    pub(crate) fn axes(&self, svg: &mut String) {
        for share in [0.0, 0.5, 1.0] {
            let goals = (self.goals * share).round();
            let y = self.y(goals);
            let text = match self.side {
                Side::Goals => format!("{goals}"),
                Side::Percent => format!("{:.0}%", share * 100.0),
            };
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                self.width - RIGHT,
                LEFT - 7.0,
                y + 4.0
            );
        }
        let decades = self.last.log10().floor() as i32;
        let every = decades / 5 + 1;
        for decade in (0..=decades).step_by(every as usize) {
            let x = self.x(10f64.powi(decade));
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{x:.1} {:.1}v4\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                self.height - BOTTOM,
                self.height - BOTTOM + 18.0,
                decade_text(decade)
            );
        }
    }

    /// A curve as steps up to its last execution.
    pub(crate) fn steps(&self, curve: &[(u64, u32)], executions: u64) -> String {
        let mut line = format!("M{LEFT} {:.1}", self.y(0.0));
        for &(execution, covered) in curve {
            let _ = write!(line, "H{:.1}V{:.1}", self.x(execution as f64), self.y(f64::from(covered)));
        }
        let end = executions.max(curve.last().map_or(1, |point| point.0));
        let _ = write!(line, "H{:.1}", self.x(end as f64));
        line
    }
}

fn decade_text(decade: i32) -> String {
    let unit = ["", "k", "M", "G", "T", "P", "E"][(decade / 3).clamp(0, 6) as usize];
    format!("{}{unit}", 10u32.pow(decade.rem_euclid(3) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_spans_the_plot() {
        let scale = Scale { width: 460.0, height: 200.0, last: 1000.0, goals: 10.0, side: Side::Goals };
        assert_eq!(scale.x(1.0), LEFT);
        assert_eq!(scale.x(0.0), LEFT);
        assert!((scale.x(1000.0) - (460.0 - RIGHT)).abs() < 1e-9);
        assert_eq!(scale.y(0.0), 200.0 - BOTTOM);
        assert_eq!(scale.y(10.0), TOP);
    }

    #[test]
    fn decades_have_short_names() {
        let names: Vec<String> = (0..8).map(decade_text).collect();
        assert_eq!(names, ["1", "10", "100", "1k", "10k", "100k", "1M", "10M"]);
    }
}
