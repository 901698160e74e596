//! The top of the page: the verdict in a sentence, how the run was made, a row per function.

use super::page::escape;
use super::{Page, bar, file_name, plot};
use crate::summary::{FunctionSummary, Summary};
use crate::words::{count, grouped, seconds};

impl Page<'_> {
    pub(super) fn overview(&self) -> String {
        let totals = &self.summary.totals;
        format!(
            "<section class=\"hero\" aria-labelledby=\"title\"><div class=\"verdict\"><p class=\"kicker\">Branch coverage</p>\
             <h1 id=\"title\">{}</h1><p class=\"figure\"><strong>{}</strong> {}</p>{}<p class=\"lead\">{}</p>{}</div>\
             <div class=\"hero-plot\">{}</div></section>\n{}{}",
            escape(&self.title()),
            totals.goals.percent(),
            caption(self.summary),
            bar(totals.goals),
            verdict(self.summary),
            LEGEND,
            match &self.summary.program {
                Some(program) => plot::program(program, &self.summary.functions),
                None => plot::summed(&self.summary.functions),
            },
            self.table(),
            settings(self.summary),
        )
    }

    fn table(&self) -> String {
        let rows: String = self.summary.functions.iter().enumerate().map(|(i, f)| self.row(i, f)).collect();
        let has_time = self.summary.functions.iter().any(|f| f.seconds.is_some());
        let time = if has_time { "<th scope=\"col\" class=\"n wide\">Time</th>" } else { "" };
        // What a whole program does is nobody's own work.
        let executions =
            if self.is_program() { "" } else { "<th scope=\"col\" class=\"n wide\">Executions</th>" };
        format!(
            "<section aria-labelledby=\"overview\"><div class=\"bar-title\"><h2 id=\"overview\">Overview</h2>\
             <div class=\"tools\"><label>Filter <input type=\"search\" id=\"filter\" placeholder=\"function or file\"></label>\
             <label><input type=\"checkbox\" id=\"open-only\"> only with something left</label></div></div>\n\
             <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Functions and their coverage\">\
             <table class=\"overview\"><thead><tr><th scope=\"col\">Function</th><th scope=\"col\">Branch outcomes</th>\
             <th scope=\"col\" class=\"n\">Covered</th><th scope=\"col\" class=\"n\">Infeasible</th>\
             <th scope=\"col\" class=\"n\">Not reached</th><th scope=\"col\" class=\"n\">Tests</th>\
             {executions}{time}</tr></thead>\n\
             <tbody>{rows}</tbody></table></div><p id=\"no-match\" hidden>No function matches.</p></section>\n"
        )
    }

    fn row(&self, index: usize, f: &FunctionSummary) -> String {
        let findings = match f.findings.len() {
            0 => String::new(),
            n => format!(" <span class=\"chip bad\">! {}</span>", count(n, "finding")),
        };
        let executions = match self.is_program() {
            true => String::new(),
            false => format!("<td class=\"n wide\">{}</td>", grouped(f.executions)),
        };
        let left = f.tally.unknown > 0 || !f.findings.is_empty();
        format!(
            "<tr data-key=\"{key}\" data-left=\"{left}\"><th scope=\"row\"><a href=\"#f{index}\"><code>{name}</code></a>\
             <span class=\"where\">{file}:{line}</span>{findings}</th><td>{bar}</td>\
             <td class=\"n\">{covered}<span class=\"of\">/{total}</span></td>{infeasible}{unknown}\
             <td class=\"n\">{tests}</td>{executions}{time}</tr>\n",
            key = escape(&format!("{} {}", f.name, f.file).to_lowercase()),
            name = escape(&f.name),
            file = escape(file_name(&f.file)),
            line = f.line,
            bar = bar(f.tally),
            covered = f.tally.covered,
            total = f.tally.total,
            infeasible = quiet_zero("", f.tally.infeasible),
            unknown = quiet_zero("unk", f.tally.unknown),
            tests = if self.is_program() { f.reached_by() } else { f.tests.len() },
            executions = executions,
            time = f.seconds.map(|s| format!("<td class=\"n wide\">{}</td>", seconds(s))).unwrap_or_default(),
        )
    }
}

fn quiet_zero(class: &str, n: usize) -> String {
    match n {
        0 => "<td class=\"n zero\">0</td>".to_owned(),
        n => format!("<td class=\"n {class}\">{n}</td>"),
    }
}

fn caption(summary: &Summary) -> String {
    let goals = summary.totals.goals;
    format!("{} of {} branch outcomes covered", grouped(goals.covered as u64), grouped(goals.total as u64))
}

fn verdict(summary: &Summary) -> String {
    let totals = &summary.totals;
    let mut text = format!(
        "{} for {}, found in {}{}.",
        count(totals.tests, "test"),
        count(totals.functions, "function"),
        count(totals.executions as usize, "execution"),
        totals.seconds.map(|s| format!(" and {}", seconds(s))).unwrap_or_default(),
    );
    if totals.goals.infeasible > 0 {
        text += &format!(" {} cannot happen.", count(totals.goals.infeasible, "outcome"));
    }
    match totals.goals.unknown {
        0 => text += " Nothing is left open.",
        n => text += &format!(" <b>{} not reached</b>, each with its reason below.", count(n, "outcome")),
    }
    if totals.findings > 0 {
        text += &format!(
            " <b class=\"bad\">{} on which the code faults or hangs.</b>",
            count(totals.findings, "input")
        );
    }
    text
}

fn settings(summary: &Summary) -> String {
    let s = &summary.settings;
    let mut items = vec![
        ("Command", format!("<code>{}</code>", escape(&summary.command))),
        ("Engine", escape(&s.engine)),
        ("Criterion", escape(&s.criterion)),
        (if summary.program.is_some() { "Budget" } else { "Budget per function" }, escape(&s.budget)),
        ("Seed", s.seed.to_string()),
        ("Tool", escape(&summary.tool)),
    ];
    if let Some(making) = &summary.making {
        items.push(("Tests", making.counts()));
        for (phase, taken, share) in making.shares() {
            items.push(("Time", format!("{} for {} ({share:.0} %)", seconds(taken), escape(phase))));
        }
    }
    if !summary.undefined.is_empty() {
        items.push(("Defined nowhere", escape(&summary.undefined.join(", "))));
    }
    if !summary.stubs.is_empty() {
        items.push(("Stubs", escape(&summary.stubs.join(", "))));
    }
    if !summary.problems.is_empty() {
        let problems: Vec<String> = summary.problems.iter().map(|problem| escape(problem)).collect();
        items.push(("Not worked with", problems.join("<br>")));
    }
    let list: String = items.iter().map(|(k, v)| format!("<div><dt>{k}</dt><dd>{v}</dd></div>")).collect();
    format!(
        "<section aria-labelledby=\"run\"><h2 id=\"run\">Run</h2><dl class=\"facts\">{list}</dl></section>\n"
    )
}

const LEGEND: &str = "<ul class=\"legend\"><li><span class=\"b cov\">T<i>✓</i></span> covered</li>\
    <li><span class=\"b inf\">T<i>∅</i></span> infeasible, proven</li>\
    <li><span class=\"b unk\">F<i>?</i></span> not reached</li>\
    <li class=\"hint\">T and F: the condition is true, is false</li></ul>";
