//! The decisions of a function: their vectors, and the pairs that show each condition.

use super::page::escape;
use crate::summary::{
    ConditionSummary, DecisionSummary, FunctionSummary, LeftOutSummary, State, VectorSummary,
};

/// One table a decision; nothing where there are none.
pub(super) fn shown(f: &FunctionSummary) -> String {
    if f.decisions.is_empty() && f.left_out.is_empty() {
        return String::new();
    }
    let tables: String = f.decisions.iter().map(decision).chain(f.left_out.iter().map(left_out)).collect();
    let conditions = f.conditions();
    format!(
        "<h4>Decisions</h4><p class=\"where\">MC/DC: {} of {} conditions shown, {} infeasible, {} unknown.</p>{tables}",
        conditions.covered, conditions.total, conditions.infeasible, conditions.unknown
    )
}

fn left_out(left_out: &LeftOutSummary) -> String {
    let LeftOutSummary { place, text, reason } = left_out;
    format!(
        "<p class=\"decision\">line {}: <code>{}</code> <span class=\"where\">(left out: {})</span></p>\n",
        place.line,
        escape(text),
        escape(reason)
    )
}

fn decision(d: &DecisionSummary) -> String {
    let letters: String =
        d.conditions.iter().map(|c| format!("<th scope=\"col\" class=\"n\">{}</th>", c.letter)).collect();
    let vectors: String = d.vectors.iter().enumerate().map(|(i, v)| vector(i + 1, v)).collect();
    let conditions: String = d.conditions.iter().map(condition).collect();
    let mut notes = Vec::new();
    if !d.confirmable {
        notes.push("the judge does not count this decision");
    }
    if d.incomplete {
        notes.push("not all ways through it are told apart");
    }
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!(" <span class=\"where\">({})</span>", notes.join("; "))
    };
    format!(
        "<p class=\"decision\">line {}: <code>{}</code>{notes}</p>\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Vectors of the decision in line {}\"><table>\
         <thead><tr><th scope=\"col\" class=\"n\">#</th>{letters}<th scope=\"col\">Outcome</th><th scope=\"col\">Tests</th></tr></thead>\
         <tbody>{vectors}</tbody></table></div><ul class=\"conditions\">{conditions}</ul>\n",
        d.place.line,
        escape(&d.text),
        d.place.line,
    )
}

fn vector(number: usize, v: &VectorSummary) -> String {
    let values: String = v.values.chars().map(|value| format!("<td class=\"n\">{value}</td>")).collect();
    let tests = match v.infeasible {
        true => "<span class=\"where\">no input has it</span>".to_owned(),
        false => format!("<code>{}</code>", escape(&v.tests.join(", "))),
    };
    format!(
        "<tr><th scope=\"row\" class=\"n\">{number}</th>{values}<td>{}</td><td>{tests}</td></tr>",
        v.outcome
    )
}

fn condition(c: &ConditionSummary) -> String {
    let what = match (c.state, c.pair) {
        (State::Covered, Some([a, b])) => format!("shown by {a} and {b}"),
        (State::Covered, None) => "shown".to_owned(),
        (State::Infeasible, _) => {
            "cannot be shown: of every pair of vectors that would, one has no input".to_owned()
        }
        (State::Constant, _) => format!("constant, always {}", c.value.unwrap_or_default()),
        (State::Unknown, _) => "<b class=\"bad\">not shown</b>".to_owned(),
    };
    format!("<li>{} <code>{}</code>: {what}</li>", c.letter, escape(&c.text))
}
