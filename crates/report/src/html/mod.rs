//! `report.html`: one self-contained page.
//!
//! Style and script are inlined and a content security policy forbids everything else, so the page makes no
//! request whatever the sources contain. Functions are folded away in `<details>`: a browser lays out only
//! what is opened, which keeps a report on 300 functions usable.

mod decisions;
mod exploration;
mod function;
mod goals;
mod graph;
mod highlight;
mod overview;
mod page;
mod plot;
mod program;
mod source;

use crate::RunReport;
use crate::summary::{GoalSummary, GoalTally, Place, State, Summary};
use page::escape;
use source::Sources;
use std::collections::BTreeMap;

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");

/// Functions are unfolded at once in reports up to this size.
const UNFOLDED: usize = 4;

/// The text of `report.html`.
#[must_use]
pub fn html(run: &RunReport) -> String {
    let summary = Summary::of(run);
    let page = Page { anchors: anchors(&summary), sources: Sources::new(run), summary: &summary };
    let functions: String = (0..summary.functions.len()).map(|i| page.function(i)).collect();
    page::shell(
        &page.title(),
        STYLE,
        SCRIPT,
        &format!("{}{}{}", page.overview(), page.program(), functions_section(&functions)),
    )
}

fn functions_section(functions: &str) -> String {
    format!(
        "<section aria-labelledby=\"functions\"><div class=\"bar-title\"><h2 id=\"functions\">Functions</h2>\
         <div class=\"tools\"><button type=\"button\" data-fold=\"open\">Open all</button>\
         <button type=\"button\" data-fold=\"\">Close all</button></div></div>\n{functions}</section>\n"
    )
}

/// What every part of the page needs.
struct Page<'a> {
    summary: &'a Summary,
    sources: Sources,
    /// Element ids of the tests by name.
    anchors: BTreeMap<&'a str, String>,
}

impl Page<'_> {
    fn title(&self) -> String {
        match self.summary.units.as_slice() {
            [unit] => file_name(&unit.path).to_owned(),
            units => format!("{} files", units.len()),
        }
    }

    /// Whether tests belong to the whole program.
    fn is_program(&self) -> bool {
        self.summary.program.is_some()
    }

    /// A link to a test, or its bare name if the report does not list it. Static functions of one name have
    /// tests of one name: the function's own come first.
    fn test_link(&self, function: usize, name: &str) -> String {
        let own = self.summary.functions[function].tests.iter().position(|t| t.name == name);
        let own = own.map(|test| format!("t{function}-{test}"));
        match own.or_else(|| self.anchors.get(name).cloned()) {
            Some(id) => format!("<a href=\"#{id}\"><code>{}</code></a>", escape(name)),
            None => format!("<code>{}</code>", escape(name)),
        }
    }
}

fn anchors(summary: &Summary) -> BTreeMap<&str, String> {
    let of_program = summary.program.iter().flat_map(|program| program.tests.iter().enumerate());
    let mut anchors: BTreeMap<&str, String> =
        of_program.map(|(i, test)| (test.name.as_str(), format!("tp-{i}"))).collect();
    for (f, function) in summary.functions.iter().enumerate() {
        for (t, test) in function.tests.iter().enumerate() {
            anchors.entry(test.name.as_str()).or_insert_with(|| format!("t{f}-{t}"));
        }
    }
    anchors
}

/// Class, sign and word of a state: colour never stands alone.
fn look(state: State) -> (&'static str, &'static str, &'static str) {
    match state {
        State::Covered => ("cov", "✓", "covered"),
        State::Infeasible => ("inf", "∅", "infeasible"),
        State::Unknown => ("unk", "?", "not reached"),
        State::Constant => ("inf", "=", "constant"),
    }
}

/// A stacked bar with its numbers as text for those who do not see it.
fn bar(tally: GoalTally) -> String {
    let part = |class: &str, n: usize| match n {
        0 => String::new(),
        n => format!("<span class=\"{class}\" style=\"flex-grow:{n}\"></span>"),
    };
    format!(
        "<span class=\"bar\" role=\"img\" aria-label=\"{} covered, {} infeasible, {} not reached of {}\">{}{}{}</span>",
        tally.covered,
        tally.infeasible,
        tally.unknown,
        tally.total,
        part("cov", tally.covered),
        part("inf", tally.infeasible),
        part("unk", tally.unknown),
    )
}

/// Why a goal is in its state, in one sentence without markup.
fn explanation(goal: &GoalSummary) -> String {
    match goal.state {
        State::Covered => {
            let by = match goal.tests.as_slice() {
                [] => "covered".to_owned(),
                [one] => format!("covered by {one}"),
                [first, rest @ ..] => format!("covered by {first} and {} more", rest.len()),
            };
            match (&goal.engine, goal.execution) {
                (Some(engine), Some(execution)) => {
                    format!("{by}; found by {engine} at execution {}", crate::words::grouped(execution))
                }
                _ => by,
            }
        }
        State::Infeasible => format!("cannot happen: {}", goal.why.as_deref().unwrap_or_default()),
        State::Unknown => format!("not reached: {}", goal.why.as_deref().unwrap_or_default()),
        State::Constant => "always the same".to_owned(),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `triangle.c:14:9`, without the folder.
fn short_place(place: &Place) -> String {
    format!("{}:{}:{}", file_name(&place.file), place.line, place.column)
}
