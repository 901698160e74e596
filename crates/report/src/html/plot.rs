//! Goals covered over executions as an inline SVG.

use crate::plot::{LEFT, Scale, Side};
use crate::summary::{FunctionSummary, GoalTally, ProgramSummary};
use crate::words::grouped;
use std::fmt::Write;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 200.0;

/// What is drawn.
struct Figure<'a> {
    curve: &'a [(u64, u32)],
    executions: u64,
    /// The goals at the top.
    goals: usize,
    side: Side,
    /// What is said below.
    caption: &'a str,
}

/// One function.
pub(super) fn single(function: &FunctionSummary) -> String {
    draw(&Figure {
        curve: &function.curve,
        executions: function.executions,
        goals: function.tally.total,
        side: Side::Goals,
        caption: "branch outcomes covered over executions (logarithmic)",
    })
}

/// A whole program: of all goals, and of those in functions that were reached at all. What is linked but never called,
/// or only with other inputs than those that vary, hides in the first how the search is doing.
pub(super) fn program(program: &ProgramSummary, functions: &[FunctionSummary]) -> String {
    let mut all = GoalTally::default();
    functions.iter().for_each(|f| all.add(f.tally));
    let reached = GoalTally::of_reached(functions);
    let absolute = Figure {
        curve: &program.curve,
        executions: program.executions,
        goals: all.total,
        side: Side::Goals,
        caption: "branch outcomes covered over executions (logarithmic)",
    };
    if reached.total == all.total {
        return draw(&absolute);
    }
    let caption = format!(
        "share of the {} outcomes in functions of which at least one is reached: {}",
        grouped(reached.total as u64),
        reached.percent()
    );
    let relative = Figure { goals: reached.total, side: Side::Percent, caption: &caption, ..absolute };
    draw(&absolute) + &draw(&relative)
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
    draw(&Figure {
        curve: &curve,
        executions: functions.iter().map(|f| f.executions).max().unwrap_or(0),
        goals: functions.iter().map(|f| f.tally.total).sum(),
        side: Side::Goals,
        caption: "branch outcomes covered over executions per function (logarithmic)",
    })
}

fn draw(figure: &Figure) -> String {
    let Figure { curve, executions, goals, side, caption } = *figure;
    if curve.is_empty() || goals == 0 {
        return String::new();
    }
    let last = executions.max(curve.last().map_or(1, |p| p.0)).max(10);
    let scale = Scale { width: WIDTH, height: HEIGHT, last: last as f64, goals: goals as f64, side };
    let covered = curve.last().map_or(0, |p| p.1);
    let mut svg = format!(
        "<figure class=\"plot\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"Coverage over executions: {covered} of {goals} branch outcomes after {} executions\">",
        grouped(last)
    );
    scale.axes(&mut svg);
    let line = scale.steps(curve, last);
    let area = format!("{line}V{:.1}H{LEFT}Z", scale.y(0.0));
    let _ = write!(svg, "<path class=\"area\" d=\"{area}\"/><path class=\"line\" d=\"{line}\"/></svg>");
    let _ = write!(svg, "<figcaption>{caption}</figcaption></figure>");
    svg
}
