//! Goals covered over executions as an inline SVG: steps, logarithmic in executions.

use crate::summary::{FunctionSummary, ProgramSummary};
use crate::words::grouped;
use std::fmt::Write;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 34.0;

/// One function.
pub(super) fn single(function: &FunctionSummary) -> String {
    draw(&function.curve, function.executions, function.tally.total, "executions")
}

/// A whole program.
pub(super) fn program(program: &ProgramSummary, goals: usize) -> String {
    draw(&program.curve, program.executions, goals, "executions")
}

/// All functions together: goals covered once every function had so many executions.
pub(super) fn summed(functions: &[FunctionSummary]) -> String {
    let mut gains: Vec<(u64, u32)> = Vec::new();
    for function in functions {
        let mut before = 0;
        for &(execution, covered) in &function.curve {
            gains.push((execution, covered.saturating_sub(before)));
            before = before.max(covered);
        }
    }
    gains.sort_unstable();
    let mut total = 0;
    let curve: Vec<(u64, u32)> = gains
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| {
            total += group.iter().map(|g| g.1).sum::<u32>();
            (group[0].0, total)
        })
        .collect();
    let last = functions.iter().map(|f| f.executions).max().unwrap_or(0);
    draw(&curve, last, functions.iter().map(|f| f.tally.total).sum(), "executions per function")
}

fn draw(curve: &[(u64, u32)], executions: u64, goals: usize, unit: &str) -> String {
    if curve.is_empty() || goals == 0 {
        return String::new();
    }
    let last = executions.max(curve.last().map_or(1, |p| p.0)).max(10);
    let scale = Scale { last: last as f64, goals: goals as f64 };
    let covered = curve.last().map_or(0, |p| p.1);
    let mut svg = format!(
        "<figure class=\"plot\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"Coverage over executions: {covered} of {goals} branch outcomes after {} executions\">",
        grouped(last)
    );
    scale.axes(&mut svg);
    let (line, area) = scale.steps(curve);
    let _ = write!(svg, "<path class=\"area\" d=\"{area}\"/><path class=\"line\" d=\"{line}\"/></svg>");
    let _ =
        write!(svg, "<figcaption>branch outcomes covered over {unit} (logarithmic)</figcaption></figure>");
    svg
}

struct Scale {
    last: f64,
    goals: f64,
}

impl Scale {
    fn x(&self, execution: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * execution.max(1.0).log10() / self.last.log10()
    }

    fn y(&self, covered: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (covered / self.goals).min(1.0)
    }

    fn axes(&self, svg: &mut String) {
        for share in [0.0, 0.5, 1.0] {
            let goals = (self.goals * share).round();
            let y = self.y(goals);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{goals}</text>",
                WIDTH - RIGHT,
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
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 18.0,
                decade_text(decade)
            );
        }
    }

    /// The curve as steps, and the same closed down to the axis.
    fn steps(&self, curve: &[(u64, u32)]) -> (String, String) {
        let mut line = format!("M{LEFT} {:.1}", self.y(0.0));
        for &(execution, covered) in curve {
            let _ = write!(line, "H{:.1}V{:.1}", self.x(execution as f64), self.y(f64::from(covered)));
        }
        let _ = write!(line, "H{:.1}", WIDTH - RIGHT);
        let area = format!("{line}V{:.1}H{LEFT}Z", self.y(0.0));
        (line, area)
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
        let scale = Scale { last: 1000.0, goals: 10.0 };
        assert_eq!(scale.x(1.0), LEFT);
        assert_eq!(scale.x(0.0), LEFT);
        assert!((scale.x(1000.0) - (WIDTH - RIGHT)).abs() < 1e-9);
        assert_eq!(scale.y(0.0), HEIGHT - BOTTOM);
        assert_eq!(scale.y(10.0), TOP);
    }

    #[test]
    fn decades_have_short_names() {
        let names: Vec<String> = (0..8).map(decade_text).collect();
        assert_eq!(names, ["1", "10", "100", "1k", "10k", "100k", "1M", "10M"]);
    }
}
