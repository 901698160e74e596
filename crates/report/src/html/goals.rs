//! Lists of goals: what is left and why, and all of them.

use super::page::escape;
use super::{Page, explanation, look, short_place};
use crate::summary::{FunctionSummary, GoalSummary, State};

impl Page<'_> {
    /// The goals nobody reached, each with its reason.
    pub(super) fn open_goals(&self, function: &FunctionSummary, id: usize) -> String {
        let items: String = function
            .goals
            .iter()
            .enumerate()
            .filter(|(_, g)| g.state != State::Covered)
            .map(|(i, g)| self.open_goal(id, i, g))
            .collect();
        match items.as_str() {
            "" => String::new(),
            items => format!("<h4>Not covered</h4><ul class=\"open\">{items}</ul>"),
        }
    }

    fn open_goal(&self, id: usize, index: usize, goal: &GoalSummary) -> String {
        let mut text = format!(
            "<li><a href=\"#g{id}-{index}\">{}</a> {} <span class=\"why\">{}</span>",
            badge(goal),
            self.condition(goal),
            escape(&explanation(goal))
        );
        if let Some(finding) = goal.finding {
            let id = if self.is_program() { "p".to_owned() } else { id.to_string() };
            text += &format!(" (<a href=\"#x{id}-{finding}\">finding {}</a>)", finding + 1);
        }
        text + "</li>"
    }

    /// `line 14: a == b`, with the macro if it hides in one.
    fn condition(&self, goal: &GoalSummary) -> String {
        let quote = escape(&self.sources.quote(&goal.place));
        let inside = goal.expansion.as_ref().map(|_| {
            format!(" <span class=\"where\">in a macro, {}</span>", escape(&short_place(&goal.place)))
        });
        let quote = if quote.is_empty() { String::new() } else { format!(" <code>{quote}</code>") };
        format!(
            "<span class=\"where\">line {}</span>{quote}{}",
            goal.visible().line,
            inside.unwrap_or_default()
        )
    }

    /// Every goal in a table that is folded away.
    pub(super) fn all_goals(&self, function: &FunctionSummary, id: usize) -> String {
        if function.goals.is_empty() {
            return "<p class=\"where\">The function has no branches.</p>".to_owned();
        }
        let rows: String = function.goals.iter().enumerate().map(|(i, g)| self.goal_row(id, i, g)).collect();
        format!(
            "<details class=\"more\"><summary><h4>All {} branch outcomes</h4></summary>\
             <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All branch outcomes\"><table class=\"stack\">\
             <thead><tr><th scope=\"col\">Outcome</th><th scope=\"col\">Condition</th><th scope=\"col\">State</th>\
             <th scope=\"col\">Tests, or why not</th></tr></thead><tbody>{rows}</tbody></table></div></details>",
            function.goals.len()
        )
    }

    fn goal_row(&self, id: usize, index: usize, goal: &GoalSummary) -> String {
        let (_, _, word) = look(goal.state);
        let mut reason: Vec<String> =
            goal.tests.iter().take(8).map(|name| self.test_link(id, name)).collect();
        if goal.tests.len() > 8 {
            reason.push(format!("and {} more", goal.tests.len() - 8));
        }
        if let Some(why) = &goal.why {
            reason.insert(0, escape(why));
        }
        if let (Some(engine), Some(execution)) = (&goal.engine, goal.execution) {
            let execution = crate::words::grouped(execution);
            reason.push(format!("<span class=\"where\">{}, execution {execution}</span>", escape(engine)));
        }
        format!(
            "<tr id=\"g{id}-{index}\" tabindex=\"-1\"><td>{} {}</td><td>{}</td><td>{word}</td><td>{}</td></tr>\n",
            badge(goal),
            goal.outcome,
            self.condition(goal),
            reason.join(" ")
        )
    }
}

/// A badge that is no link.
fn badge(goal: &GoalSummary) -> String {
    let (class, sign, word) = look(goal.state);
    let letter = if goal.outcome { 'T' } else { 'F' };
    format!(
        "<span class=\"b {class}\" role=\"img\" aria-label=\"{} {word}\">{letter}<i>{sign}</i></span>",
        goal.outcome
    )
}
