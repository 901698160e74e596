//! Several curves in one picture: an SVG file of its own, readable on light and dark ground.

use crate::plot::{LEFT, RIGHT, Scale, Side, TOP};
use crate::words::grouped;
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
/// Room above the curves for what is shown.
const HEAD: f64 = 28.0;
/// Height of a line of the legend.
const ROW: f64 = 18.0;
/// Names side by side in the legend.
const COLUMNS: usize = 5;

/// Colours that people who see few colours can tell apart (Okabe and Ito), each again with dashes.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#808080"];

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#57606a}.grid{stroke:#8c959f;stroke-opacity:.4;fill:none}\
    .curve{fill:none;stroke-width:2;stroke-linejoin:round}\
    @media(prefers-color-scheme:dark){text{fill:#9aa4b0}}";

/// One line of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// `(execution, goals covered)`.
    pub points: Vec<(u64, u32)>,
    /// Where it ends.
    pub executions: u64,
}

/// A picture of coverage over executions: above in goals, up to the best of the curves, below as a share. Each plot has a
/// title and the number of goals it is about.
#[must_use]
pub fn compared(curves: &[Curve], absolute: (&str, usize), relative: (&str, usize)) -> String {
    let legend = ROW * curves.len().div_ceil(COLUMNS) as f64;
    let height = 2.0 * (HEAD + HEIGHT) + legend + TOP;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"Coverage over executions by strategy\"><style>{STYLE}</style>\n"
    );
    let best = curves.iter().filter_map(|curve| curve.points.last()).map(|point| point.1).max();
    let top = rounded_up(best.unwrap_or(0));
    panel(&mut svg, curves, absolute, (Side::Goals, top), 0.0);
    panel(&mut svg, curves, relative, (Side::Percent, relative.1), HEAD + HEIGHT);
    for (i, curve) in curves.iter().enumerate() {
        entry(&mut svg, curve, i, 2.0 * (HEAD + HEIGHT));
    }
    svg + "</svg>\n"
}

/// The next number that is good at the end of an axis.
fn rounded_up(n: u32) -> usize {
    let step = 10usize.pow(n.max(1).ilog10().saturating_sub(1)) * 2;
    (n as usize).next_multiple_of(step)
}

fn panel(
    svg: &mut String,
    curves: &[Curve],
    (title, goals): (&str, usize),
    (side, highest): (Side, usize),
    top: f64,
) {
    let last = curves.iter().map(|c| c.executions.max(c.points.last().map_or(0, |p| p.0))).max();
    let last = last.unwrap_or(0).max(10) as f64;
    let scale = Scale { width: WIDTH, height: HEIGHT, last, goals: highest.max(1) as f64, side };
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{:.1}\">{} ({})</text><g transform=\"translate(0 {:.1})\">",
        top + HEAD - 8.0,
        escaped(title),
        grouped(goals as u64),
        top + HEAD
    );
    scale.axes(svg);
    for (i, curve) in curves.iter().enumerate() {
        let line = scale.steps(&curve.points, curve.executions);
        let _ = write!(svg, "\n<path class=\"curve\" {} d=\"{line}\"/>", stroke(i));
    }
    *svg += "</g>\n";
}

fn entry(svg: &mut String, curve: &Curve, index: usize, top: f64) {
    let step = (WIDTH - LEFT - RIGHT) / COLUMNS as f64;
    let x = LEFT + step * (index % COLUMNS) as f64;
    let y = top + ROW * (index / COLUMNS) as f64;
    let _ = writeln!(
        svg,
        "<path class=\"curve\" {} d=\"M{x:.1} {y:.1}h22\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        stroke(index),
        x + 28.0,
        y + 4.0,
        escaped(&curve.name)
    );
}

fn stroke(index: usize) -> String {
    let dashes = if index < COLOURS.len() { "" } else { " stroke-dasharray=\"6 3\"" };
    format!("stroke=\"{}\"{dashes}", COLOURS[index % COLOURS.len()])
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_is_in_both_plots_and_in_the_legend() {
        let curve =
            |i: u64| Curve { name: format!("<{i}>"), points: vec![(1, 2), (i + 5, 4)], executions: 100 };
        let curves: Vec<Curve> = (0..9).map(curve).collect();
        let svg = compared(&curves, ("all", 40), ("reached", 8));
        assert_eq!(svg.matches("class=\"curve\"").count(), 27);
        assert_eq!(svg.matches("stroke-dasharray").count(), 6, "seven colours, then dashes");
        assert!(svg.contains("&lt;8>") && svg.contains("all (40)") && svg.contains(">100%<"), "{svg}");
        assert!(svg.contains(">4</text>") && !svg.contains(">40</text>"), "up to the best");
        assert_eq!([0, 7, 41, 1_234].map(rounded_up), [0, 8, 42, 1_400]);
        let strokes: std::collections::BTreeSet<String> = (0..9).map(stroke).collect();
        assert_eq!(strokes.len(), 9, "no two look alike");
    }
}
