//! Box plots of coverage, as inline SVG.

use super::escape;
use crate::plan::Variant;
use crate::stats::{BoxPlot, Quartiles};
use crate::table::{Results, Runs, Setting};
use std::fmt::Write;

const HEIGHT: f64 = 260.0;
/// Room around the boxes.
const LEFT: f64 = 46.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 50.0;
/// Room for a variant and its name.
const STEP: f64 = 100.0;
/// Half of the width of a box.
const HALF: f64 = 24.0;

/// Colours that people who see few colours can tell apart (Okabe and Ito). They only please: names stand below.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#808080"];

/// The coverage of all runs of a setting, a box for each variant. `index` makes ids unique on the page.
pub(super) fn plot(results: &Results, setting: &Setting, index: usize) -> String {
    let width = LEFT + STEP * results.variants.len() as f64 + RIGHT;
    let title = escape(&format!("Coverage of {}", setting.title()));
    let mut svg = format!(
        "<figure class=\"plot\"><figcaption>{}</figcaption>\
         <svg viewBox=\"0 0 {width} {HEIGHT}\" width=\"{width}\" role=\"img\" aria-labelledby=\"t{index} d{index}\">\
         <title id=\"t{index}\">{title}</title><desc id=\"d{index}\">{}</desc>\n",
        escape(&format!("{}, {}", setting.domain, setting.budget)),
        escape(&description(results, setting)),
    );
    axis(&mut svg, width);
    for (i, (variant, runs)) in results.variants.iter().zip(&setting.runs).enumerate() {
        let centre = LEFT + STEP * (i as f64 + 0.5);
        label(&mut svg, centre, HEIGHT - BOTTOM + 18.0, &variant.engine);
        if variant.name != variant.engine {
            label(&mut svg, centre, HEIGHT - BOTTOM + 34.0, &variant.fitness.to_string());
        }
        if let Some(plot) = BoxPlot::of(&runs.coverage) {
            draw(&mut svg, &plot, centre, COLOURS[i % COLOURS.len()]);
        }
    }
    svg + "</svg></figure>\n"
}

/// Percent to the page.
fn y(percent: f64) -> f64 {
    HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * percent / 100.0
}

fn axis(svg: &mut String, width: f64) {
    for percent in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let (y, end) = (y(percent), width - RIGHT);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{end:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent}%</text>",
            LEFT - 7.0,
            y + 4.0
        );
    }
}

fn label(svg: &mut String, x: f64, y: f64, text: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", escape(text));
}

/// Whiskers first, so that the box covers their inner ends; dots at equal places are one dot.
fn draw(svg: &mut String, plot: &BoxPlot, centre: f64, colour: &str) {
    let Quartiles { lower, median, upper } = plot.quartiles;
    let (left, cap) = (centre - HALF, HALF / 2.0);
    let _ = write!(svg, "<g class=\"box\" style=\"--c:{colour}\">");
    for (end, inner) in [(plot.whiskers.0, lower), (plot.whiskers.1, upper)] {
        let (end, inner) = (y(end), y(inner));
        let _ = write!(
            svg,
            "<path class=\"whisker\" d=\"M{:.1} {end:.1}h{HALF:.1}M{centre:.1} {end:.1}V{inner:.1}\"/>",
            centre - cap
        );
    }
    let _ = write!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
         <path class=\"median\" d=\"M{left:.1} {:.1}h{:.1}\"/>",
        y(upper),
        2.0 * HALF,
        y(lower) - y(upper),
        y(median),
        2.0 * HALF
    );
    for outlier in plot.outliers.chunk_by(|a, b| a == b) {
        let _ = write!(svg, "<circle cx=\"{centre:.1}\" cy=\"{:.1}\" r=\"3\"/>", y(outlier[0]));
    }
    *svg += "</g>\n";
}

/// The plot in words.
fn description(results: &Results, setting: &Setting) -> String {
    let of_variant = |(variant, runs): (&Variant, &Runs)| {
        let Some(BoxPlot { quartiles, outliers, .. }) = BoxPlot::of(&runs.coverage) else {
            return format!("{}: no runs.", variant.name);
        };
        let Quartiles { lower, median, upper } = quartiles;
        format!(
            "{}: median {median:.1} %, quartiles {lower:.1} % and {upper:.1} %, outliers {} of {} runs.",
            variant.name,
            outliers.len(),
            runs.coverage.len()
        )
    };
    let all: Vec<String> = results.variants.iter().zip(&setting.runs).map(of_variant).collect();
    all.join(" ")
}
