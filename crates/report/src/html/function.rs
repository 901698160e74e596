//! One function: what is left, its source, tests, findings, curve.

use super::page::escape;
use super::{Page, UNFOLDED, bar, decisions, exploration, file_name, graph, plot};
use crate::suggest;
use crate::summary::{AssertionSummary, FindingSummary, FunctionSummary, SetsSummary, TestSummary};
use crate::words::{count, grouped, seconds};

impl Page<'_> {
    pub(super) fn function(&self, id: usize) -> String {
        let f = &self.summary.functions[id];
        let unfolded = if self.summary.functions.len() <= UNFOLDED { " open" } else { "" };
        format!(
            "<details class=\"fn\" id=\"f{id}\"{unfolded}><summary><h3><code>{}</code></h3>\
             <span class=\"where\">{}:{}</span>{}<span class=\"share\">{}</span></summary>\n<div class=\"body\">{}</div></details>\n",
            escape(&f.name),
            escape(file_name(&f.file)),
            f.line,
            bar(f.tally),
            f.tally.percent(),
            self.body(f, id),
        )
    }

    fn body(&self, f: &FunctionSummary, id: usize) -> String {
        let source = match self.sources.annotated(f, id) {
            Some(lines) => format!(
                "<div class=\"source\" tabindex=\"0\" role=\"region\" aria-label=\"Source of {}\"><pre><code>{lines}</code></pre></div>",
                escape(&f.name)
            ),
            None => format!("<p class=\"where\">The source of {} is not at hand.</p>", escape(&f.file)),
        };
        format!(
            "<p class=\"facts-line\">{}</p>{}{}{}{}{}{}{}",
            self.facts(f),
            self.open_goals(f, id),
            findings(f, id) + &assumed(f) + &assertions(f),
            format_args!("{}<h4>Source</h4>{source}", decisions::shown(f)),
            if self.is_program() { String::new() } else { tests(f, id) },
            notes(f) + &dependence_sets(f),
            f.exploration.as_ref().map(|e| exploration::shown(e, &f.name, "")).unwrap_or_default(),
            format_args!("{}{}", plot::single(f), self.all_goals(f, id)),
        )
    }

    fn facts(&self, f: &FunctionSummary) -> String {
        let mut facts = vec![escape(&f.file)];
        if f.is_static {
            facts.push("static".to_owned());
        }
        if self.is_program() {
            facts.push(format!("reached by {}", count(f.reached_by(), "test")));
        } else {
            facts.push(count(f.tests.len(), "test"));
            facts.push(format!("{} executions", grouped(f.executions)));
            facts.push(format!("seed {}", f.seed));
        }
        facts.extend(f.seconds.map(seconds));
        facts.join(" <span aria-hidden=\"true\">·</span> ")
    }
}

fn tests(f: &FunctionSummary, id: usize) -> String {
    if f.tests.is_empty() {
        return "<h4>Tests</h4><p class=\"where\">None.</p>".to_owned();
    }
    let rows: String = f.tests.iter().enumerate().map(|(i, test)| test_row(f, id, i, test)).collect();
    format!(
        "<h4>Tests</h4><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Tests of {}\"><table class=\"stack\">\
         <thead><tr><th scope=\"col\">Test</th><th scope=\"col\">Inputs</th><th scope=\"col\">Outcome</th>\
         <th scope=\"col\" class=\"n\">Reaches</th></tr></thead><tbody>{rows}</tbody></table></div>",
        escape(&f.name)
    )
}

fn test_row(f: &FunctionSummary, id: usize, index: usize, test: &TestSummary) -> String {
    let inputs = match test.inputs.as_str() {
        "" => "<span class=\"where\">none</span>".to_owned(),
        inputs => format!("<code>{}</code>", escape(inputs)),
    };
    let outcome = match &test.result {
        Some(result) => format!("returns <code>{}</code>", escape(result)),
        None => escape(&test.outcome),
    };
    let death = if test.death { " <span class=\"chip\">death test</span>" } else { "" };
    format!(
        "<tr id=\"t{id}-{index}\" tabindex=\"-1\"><th scope=\"row\"><code>{}</code></th><td>{inputs}</td>\
         <td>{outcome}{death}</td><td class=\"n\">{}<span class=\"of\">/{}</span></td></tr>\n",
        escape(&test.name),
        test.covers,
        f.tally.total
    )
}

/// Who shared the budget of a goal with several dependence sets, and which of them led there.
fn dependence_sets(f: &FunctionSummary) -> String {
    if f.dependence_sets.is_empty() {
        return String::new();
    }
    let row = |sets: &SetsSummary| {
        let runs: Vec<String> = sets.runs.iter().map(|&runs| grouped(runs)).collect();
        let found = match sets.found_by {
            Some(0) => "control dependence".to_owned(),
            Some(set) => format!("set {set}"),
            None => "–".to_owned(),
        };
        format!(
            "<tr><th scope=\"row\"><code>{}:{} {}</code></th><td class=\"n\">{}</td><td>{}</td><td>{found}</td></tr>\n",
            sets.line,
            sets.column,
            escape(&sets.goal),
            sets.runs.len(),
            runs.join(" · "),
        )
    };
    let rows: String = f.dependence_sets.iter().map(row).collect();
    format!(
        "<h4>Searches by dependence set</h4><div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Searches by dependence set in {}\"><table class=\"stack\"><thead><tr><th scope=\"col\">Goal</th>\
         <th scope=\"col\" class=\"n\">Sets</th><th scope=\"col\">Runs of each</th><th scope=\"col\">Reached by</th></tr></thead>\
         <tbody>{rows}</tbody></table></div>",
        escape(&f.name)
    )
}

fn findings(f: &FunctionSummary, id: usize) -> String {
    if f.findings.is_empty() {
        return String::new();
    }
    let items: String =
        f.findings.iter().enumerate().map(|(i, finding)| finding_item(f, id, i, finding)).collect();
    format!("<h4>Findings</h4><ul class=\"findings\">{items}</ul>")
}

fn assumed(f: &FunctionSummary) -> String {
    if f.assumed.is_empty() {
        return String::new();
    }
    let items: String = f.assumed.iter().map(|c| format!("<li><code>{}</code></li>", escape(c))).collect();
    format!("<h4>Assumed of callers</h4><ul>{items}</ul>")
}

fn assertions(f: &FunctionSummary) -> String {
    if f.assertions.is_empty() {
        return String::new();
    }
    let item = |a: &AssertionSummary| {
        let [condition, place, test] = [&a.condition, &a.place, &a.test].map(|text| escape(text));
        format!("<li><code>{condition}</code> at <code>{place}</code> fails in <code>{test}</code></li>")
    };
    let items: String = f.assertions.iter().map(item).collect();
    format!("<h4>Assertions that fail</h4><ul class=\"findings\">{items}</ul>")
}

fn finding_item(f: &FunctionSummary, id: usize, index: usize, finding: &FindingSummary) -> String {
    let place = finding.place.as_ref().map(|p| format!(" at <code>{}</code>", escape(p))).unwrap_or_default();
    let stack = match finding.stack.as_slice() {
        [] => String::new(),
        stack => format!("<pre>{}</pre>", escape(&stack.join("\n"))),
    };
    let also = match finding.also.as_slice() {
        [] => String::new(),
        names => format!("<br>also from <code>{}</code>", escape(&names.join(", "))),
    };
    let hint = match &finding.precondition {
        Some(condition) => format!(
            "<br>If callers never do that, <code>{}</code> in branchwise.toml says so.",
            escape(&suggest::line(&f.name, condition))
        ),
        None => String::new(),
    };
    let input = match finding.calls.as_slice() {
        [] => format!("with <code>{}</code>", escape(&finding.inputs)),
        calls => format!("<pre>{}</pre>", escape(&calls.join("\n"))),
    };
    let file = finding.reproducer.as_ref();
    let file = file.map(|path| format!(" <span class=\"where\">{}</span>", escape(path))).unwrap_or_default();
    let question = finding.question.as_ref().map(|q| format!("<p class=\"question\">{}</p>", escape(q)));
    format!(
        "<li id=\"x{id}-{index}\" tabindex=\"-1\"><b class=\"bad\">! {}</b>{place}{file}<br>{input}{also}{}{hint}{stack}{}</li>",
        escape(&finding.what),
        question.unwrap_or_default(),
        graph::drawing(&finding.objects, &finding.what)
    )
}

/// What a careful reader should know: approximations, and what did not repeat.
fn notes(f: &FunctionSummary) -> String {
    let approximations = f.approximations.iter().map(|a| format!("{} (×{})", a.what, grouped(a.count)));
    let unstable = f.unstable.iter().map(|u| format!("not repeatable: {u}"));
    let items: String = approximations.chain(unstable).map(|n| format!("<li>{}</li>", escape(&n))).collect();
    match items.as_str() {
        "" => String::new(),
        items => format!("<h4>Notes</h4><ul>{items}</ul>"),
    }
}
