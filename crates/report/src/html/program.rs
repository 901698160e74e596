//! The tests of a whole program: what goes in, how it ends, what each is for.

use super::page::escape;
use super::{Page, exploration, file_name};
use crate::summary::{Input, ProgramFinding, ProgramSummary, ProgramTestSummary};
use crate::words::{count, grouped};

/// Goals of a test that are named; the tables of the functions have all.
const NAMED: usize = 6;

impl Page<'_> {
    /// The section, or nothing if the report is about functions.
    pub(super) fn program(&self) -> String {
        let Some(program) = &self.summary.program else { return String::new() };
        let rows: String =
            program.tests.iter().enumerate().map(|(i, test)| self.program_test(i, test)).collect();
        let table = match rows.as_str() {
            "" => "<p class=\"where\">None.</p>".to_owned(),
            rows => format!(
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Tests of the program\"><table class=\"stack\">\
                 <thead><tr><th scope=\"col\">Test</th><th scope=\"col\">Input</th><th scope=\"col\">End</th>\
                 <th scope=\"col\">Reaches first</th><th scope=\"col\" class=\"n\">Reaches</th></tr></thead>\
                 <tbody>{rows}</tbody></table></div>"
            ),
        };
        format!(
            "<section aria-labelledby=\"program\"><h2 id=\"program\">Tests of the program</h2>{}{table}{}{}{}</section>\n",
            findings(program),
            left_out(program),
            notes(program),
            explored(program),
        )
    }

    fn program_test(&self, index: usize, test: &ProgramTestSummary) -> String {
        let prints = match test.stdout.as_deref() {
            None => "<br>what it prints is not asserted".to_owned(),
            Some("\"\"") => String::new(),
            Some(stdout) => format!("<br>prints <code>{}</code>", escape(stdout)),
        };
        format!(
            "<tr id=\"tp-{index}\" tabindex=\"-1\"><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}{prints}</td>\
             <td>{}</td><td class=\"n\">{}<span class=\"of\">/{}</span></td></tr>\n",
            escape(&test.name),
            inputs(test),
            escape(&test.end),
            self.reached_first(&test.name),
            test.covers,
            self.summary.totals.goals.total,
        )
    }

    /// Goals that no earlier test reaches: tests are listed in order of their goals.
    fn reached_first(&self, name: &str) -> String {
        let mut links = Vec::new();
        let mut all = 0;
        for (f, function) in self.summary.functions.iter().enumerate() {
            for (g, goal) in function.goals.iter().enumerate() {
                if goal.tests.first().is_some_and(|first| first == name) {
                    all += 1;
                    if links.len() < NAMED {
                        let place = goal.visible();
                        links.push(format!(
                            "<a href=\"#g{f}-{g}\">{}:{} {}</a>",
                            escape(file_name(&place.file)),
                            place.line,
                            goal.outcome
                        ));
                    }
                }
            }
        }
        if all > links.len() {
            links.push(format!("and {} more", all - links.len()));
        }
        links.join(", ")
    }
}

fn explored(program: &ProgramSummary) -> String {
    let shown = |e| exploration::shown(e, "the program", " in the world as it is modelled");
    program.exploration.as_ref().map(shown).unwrap_or_default()
}

/// What goes in, a line each.
fn inputs(test: &ProgramTestSummary) -> String {
    let mut lines = Vec::new();
    if !test.arguments.is_empty() {
        lines.push(format!("arguments <code>{}</code>", escape(&test.arguments.join(" "))));
    }
    lines.extend(test.stdin.as_ref().map(|stdin| format!("stdin <code>{}</code>", escape(stdin))));
    let named = |what: &str, input: &Input| {
        format!("{what}<code>{}</code> = <code>{}</code>", escape(&input.name), escape(&input.value))
    };
    lines.extend(test.files.iter().map(|file| named("file ", file)));
    lines.extend(test.values.iter().map(|value| named("", value)));
    match lines.is_empty() {
        true => "<span class=\"where\">none</span>".to_owned(),
        false => lines.join("<br>"),
    }
}

fn findings(program: &ProgramSummary) -> String {
    let items: String = program.findings.iter().enumerate().map(|(i, f)| finding(i, f)).collect();
    match items.as_str() {
        "" => String::new(),
        items => format!("<h4>Findings</h4><ul class=\"findings\">{items}</ul><h4>Tests</h4>"),
    }
}

fn finding(index: usize, finding: &ProgramFinding) -> String {
    let place = finding.place.as_ref().map(|p| format!(" at <code>{}</code>", escape(p))).unwrap_or_default();
    let stack = match finding.stack.as_slice() {
        [] => String::new(),
        stack => format!("<pre>{}</pre>", escape(&stack.join("\n"))),
    };
    format!(
        "<li id=\"xp-{index}\" tabindex=\"-1\"><b class=\"bad\">! {}</b>{place} <span class=\"where\">crashes/{}</span>\
         <br>{}{stack}</li>",
        escape(&finding.what),
        escape(&finding.test.name),
        inputs(&finding.test)
    )
}

/// Tests that are in no suite.
fn left_out(program: &ProgramSummary) -> String {
    let why = |test: &ProgramTestSummary| {
        let known = program.plain.iter().find(|count| test.plain.as_ref() == Some(&count.plain));
        known.map(|count| escape(&count.why)).unwrap_or_default()
    };
    let item = |test: &ProgramTestSummary| {
        let (end, inputs) = (escape(&test.end), inputs(test));
        format!("<li><b>{end}</b> in the modelled world; {}<br>{inputs}</li>", why(test))
    };
    match program.left_out.as_slice() {
        [] => String::new(),
        tests => format!("<h4>Left out</h4><ul>{}</ul>", tests.iter().map(item).collect::<String>()),
    }
}

/// What a careful reader should know.
fn notes(program: &ProgramSummary) -> String {
    let plain = program.plain.iter().map(|plain| format!("{}: {}", count(plain.count, "test"), plain.why));
    let approximations = program.approximations.iter().map(|a| format!("{} (×{})", a.what, grouped(a.count)));
    let unstable = program.unstable.iter().map(|u| format!("not repeatable: {u}"));
    let items: String =
        plain.chain(approximations).chain(unstable).map(|n| format!("<li>{}</li>", escape(&n))).collect();
    match items.as_str() {
        "" => String::new(),
        items => format!("<h4>Notes</h4><ul>{items}</ul>"),
    }
}
