//! The end-of-run table: fits 80 columns whatever the names and numbers are.
//!
//! ```text
//! function              goals  covered infeasible unknown tests  executions   time
//! triangle                 28   100.0%          0       0     9       1,204   12ms
//! ```

use crate::summary::{
    AssertionSummary, ConditionSummary, FunctionSummary, GoalSummary, GoalTally, LeftOutSummary,
    ProgramFinding, State, Summary,
};
use crate::{RunReport, suggest, words};
use std::collections::BTreeMap;
use std::fmt::Write;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const COLUMNS: usize = 80;
const NAME: usize = 20;
/// Methods that have rows of their own; of more there is one for each class.
const METHODS: usize = 40;
/// Goals and findings listed by name; the rest is in the other reports.
const LISTED: usize = 20;
/// Lines for each of them.
const LINES: usize = 3;
const INDENT: &str = "     ";

/// The table, the unknown goals and the findings.
#[must_use]
pub fn table(run: &RunReport) -> String {
    table_of(&Summary::with_times(run))
}

/// The same table from a summary that was read back.
#[must_use]
pub fn table_of(summary: &Summary) -> String {
    let is_program = summary.program.is_some();
    let mut text = match classes(summary) {
        Some(classes) => head("class") + &classes,
        None => head("function"),
    };
    for f in summary.functions.iter().filter(|_| !has_many_methods(summary)) {
        text += &match is_program {
            true => numbers(&f.name, f.tally, f.reached_by(), None, None),
            false => numbers(tail(&f.name), f.tally, f.tests.len(), Some(f.executions), f.seconds),
        };
    }
    if summary.functions.len() > 1 || is_program {
        let t = &summary.totals;
        text += &numbers("total", t.goals, t.tests, Some(t.executions), t.seconds);
    }
    text += &conditions(summary);
    text += &section("making of the tests", making_lines(summary));
    text += &section("obligations", obligation_lines(summary));
    text += &section("not reached", unknown_lines(summary));
    text += &section("not shown", unshown_lines(summary));
    text += &section("findings", finding_lines(summary));
    text += &section("assumed of callers", assumed_lines(summary));
    text += &section("assertions that fail", assertion_lines(summary));
    text += &section("stubs", stub_lines(summary));
    text += &section("not reached, by reason", reason_lines(summary));
    text
}

fn head(what: &str) -> String {
    row(what, ["goals", "covered", "infeasible", "unknown", "tests", "executions", "time"])
}

/// Whether these are methods, and too many to be read one by one.
fn has_many_methods(summary: &Summary) -> bool {
    let names = || summary.functions.iter().map(|function| &function.name);
    names().len() > METHODS && names().all(|name| name.contains('.'))
}

/// Of many methods a row for each class, in the order of the first of them.
fn classes(summary: &Summary) -> Option<String> {
    if !has_many_methods(summary) {
        return None;
    }
    let mut order: Vec<&str> = Vec::new();
    let mut sums: BTreeMap<&str, (GoalTally, usize, u64, Option<f64>)> = BTreeMap::new();
    for f in &summary.functions {
        let class = f.name.rsplit_once('.').map_or(f.name.as_str(), |(class, _)| class);
        let sum = sums.entry(class).or_insert_with(|| {
            order.push(class);
            Default::default()
        });
        sum.0.add(f.tally);
        sum.1 += f.tests.len();
        sum.2 += f.executions;
        sum.3 = f.seconds.map(|seconds| seconds + sum.3.unwrap_or_default());
    }
    let row = |class: &&str| {
        let (goals, tests, executions, seconds) = sums[class];
        numbers(tail(class), goals, tests, Some(executions), seconds)
    };
    Some(order.iter().map(row).collect())
}

/// What is left of `package.Class.method` when as many of the first words are gone as do not fit.
fn tail(name: &str) -> &str {
    let ends = name.match_indices('.').map(|(at, _)| &name[at + 1..]);
    std::iter::once(name).chain(ends).find(|tail| tail.width() <= NAME).unwrap_or(name)
}

fn numbers(
    name: &str,
    goals: GoalTally,
    tests: usize,
    executions: Option<u64>,
    seconds: Option<f64>,
) -> String {
    let cells = [
        short(goals.total as u64, 6),
        goals.percent(),
        short(goals.infeasible as u64, 9),
        short(goals.unknown as u64, 6),
        short(tests as u64, 5),
        executions.map(|n| short(n, 10)).unwrap_or_default(),
        seconds.map(words::seconds).unwrap_or_default(),
    ];
    row(name, cells.each_ref().map(String::as_str))
}

fn row(name: &str, [goals, covered, infeasible, unknown, tests, executions, time]: [&str; 7]) -> String {
    let name = fitted(name, NAME);
    let padding = " ".repeat(NAME - name.width());
    format!(
        "{name}{padding} {goals:>6} {covered:>8} {infeasible:>10} {unknown:>7} {tests:>5} {executions:>10} {time:>6}\n"
    )
}

/// A number that takes at most `width` characters: `12,345`, else `123M`.
fn short(n: u64, width: usize) -> String {
    let text = words::grouped(n);
    if text.len() <= width {
        return text;
    }
    let power = (n.max(1).ilog10() / 3).max(1);
    format!("{}{}", n / 1000u64.pow(power), ["", "k", "M", "G", "T", "P", "E"][power as usize])
}

fn section(title: &str, lines: Vec<String>) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}:\n");
    for line in lines.iter().take(LISTED) {
        for part in wrapped(line) {
            let _ = writeln!(text, "{part}");
        }
    }
    if lines.len() > LISTED {
        let _ = writeln!(text, "  … and {} more, see report.html", lines.len() - LISTED);
    }
    text
}

fn stub_lines(summary: &Summary) -> Vec<String> {
    if summary.stubs.is_empty() { Vec::new() } else { vec![summary.stubs.join(", ")] }
}

fn making_lines(summary: &Summary) -> Vec<String> {
    let Some(making) = &summary.making else { return Vec::new() };
    let phase = |(phase, seconds, share): (&str, f64, f64)| {
        format!("{phase}: {} ({share:.0}%)", words::seconds(seconds))
    };
    std::iter::once(making.counts()).chain(making.shares().into_iter().map(phase)).collect()
}

fn unknown_lines(summary: &Summary) -> Vec<String> {
    let unknown = |g: &&GoalSummary| g.state == State::Unknown && g.reason.as_deref() != Some("not-asked");
    summary.functions.iter().flat_map(|f| f.goals.iter().filter(unknown).map(unknown_line)).collect()
}

/// How many goals are unknown for which reason, where there are so many that they are hard to see through.
fn reason_lines(summary: &Summary) -> Vec<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (reason, count) in summary.functions.iter().flat_map(|f| &f.unknown_reasons) {
        *reasons.entry(reason).or_default() += count;
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    let is_short = summary.making.is_none() || reasons.len() < 2;
    if is_short && summary.totals.goals.unknown <= LISTED {
        return Vec::new();
    }
    reasons.sort_by_key(|&(reason, count)| (std::cmp::Reverse(count), reason));
    reasons.iter().map(|(reason, count)| format!("{reason}: {}", words::grouped(*count as u64))).collect()
}

fn unknown_line(goal: &GoalSummary) -> String {
    let why = goal.why.as_deref().unwrap_or_default();
    let place = goal.visible();
    format!("{}:{}:{} {}: {why}", file_name(&place.file), place.line, place.column, goal.outcome)
}

fn finding_lines(summary: &Summary) -> Vec<String> {
    let of_program = summary.program.iter().flat_map(|program| &program.findings);
    summary.functions.iter().flat_map(function_findings).chain(of_program.map(program_finding)).collect()
}

fn function_findings(function: &FunctionSummary) -> impl Iterator<Item = String> + '_ {
    function.findings.iter().map(|finding| {
        let place = match &finding.place {
            Some(place) => file_name(place).to_owned(),
            None => format!("{}:{}", file_name(&function.file), function.line),
        };
        let also = match finding.also.as_slice() {
            [] => String::new(),
            names => format!("; also from {}", names.join(", ")),
        };
        let hint = finding.precondition.as_ref().map(|condition| {
            format!("; if callers never do that: {}", suggest::line(&function.name, condition))
        });
        let hint = hint.unwrap_or_default();
        if !finding.calls.is_empty() {
            return format!("{place} {}: {}{also}", finding.what, finding.inputs.trim_end_matches(';'));
        }
        format!("{place} {} in {}({}){also}{hint}", finding.what, function.name, finding.inputs)
    })
}

/// `MC/DC: 14 of 16 conditions in 5 decisions shown (87.5%), 1 infeasible, 1 unknown`, and the weaker criteria that go with it.
fn conditions(summary: &Summary) -> String {
    let Some(tally) = summary.totals.conditions else { return String::new() };
    let decisions: usize = summary.functions.iter().map(|f| f.decisions.len()).sum();
    let outcomes = |name: &str, tally: Option<GoalTally>| {
        let line = |tally: GoalTally| {
            let (total, percent) = (words::count(tally.total, "outcome"), tally.percent());
            let GoalTally { covered, infeasible, unknown, .. } = tally;
            format!("{name}: {covered} of {total} ({percent}), {infeasible} infeasible, {unknown} unknown\n")
        };
        tally.map(line).unwrap_or_default()
    };
    let weaker = outcomes("decision coverage", summary.totals.decision_outcomes)
        + &outcomes("condition coverage", summary.totals.condition_outcomes);
    let all = summary.functions.iter().flat_map(|f| &f.decisions).flat_map(|d| &d.conditions);
    let also = |count: usize, what: &str| match count {
        0 => String::new(),
        _ => format!("; {} {what}", count),
    };
    let constant = also(all.filter(|c| c.state == State::Constant).count(), "more constant");
    let left_out: usize = summary.functions.iter().map(|f| f.left_out.len()).sum();
    let left_out = also(left_out, if left_out == 1 { "decision left out" } else { "decisions left out" });
    format!(
        "\nMC/DC: {} of {} in {} shown ({}), {} infeasible, {} unknown{constant}{left_out}\n{weaker}",
        tally.covered,
        words::count(tally.total, "condition"),
        words::count(decisions, "decision"),
        tally.percent(),
        tally.infeasible,
        tally.unknown
    )
}

fn unshown_lines(summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    for decision in summary.functions.iter().flat_map(|f| &f.decisions) {
        let is_told = |c: &&ConditionSummary| {
            !matches!(c.state, State::Covered | State::Constant) && c.why.as_deref() != Some(words::NOT_ASKED)
        };
        for condition in decision.conditions.iter().filter(is_told) {
            let place = format!("{}:{}", file_name(&decision.place.file), decision.place.line);
            let why = condition.why.as_deref().unwrap_or("budget spent");
            lines.push(format!("{place} {} in {}: {why}", condition.text, decision.text));
        }
    }
    for LeftOutSummary { place, text, reason } in summary.functions.iter().flat_map(|f| &f.left_out) {
        lines.push(format!("{}:{} {text}: left out, {reason}", file_name(&place.file), place.line));
    }
    lines
}

/// How many vectors were asked for, and those that no test has.
fn obligation_lines(summary: &Summary) -> Vec<String> {
    let Some(GoalTally { total, covered, infeasible, unknown }) = summary.totals.obligations else {
        return Vec::new();
    };
    let total = words::count(total, "vector");
    let mut lines = vec![format!("{covered} of {total} reached, {infeasible} infeasible, {unknown} unknown")];
    for obligation in summary.functions.iter().flat_map(|f| &f.obligations) {
        for wanted in obligation.wanted.iter().filter(|wanted| wanted.state != State::Covered) {
            let why = match wanted.state {
                State::Infeasible => "infeasible: no input has it",
                _ => "not reached",
            };
            let place = format!("{}:{}", file_name(&obligation.place.file), obligation.place.line);
            lines.push(format!("{place} {} of {}: {why}", wanted.values, obligation.text));
        }
    }
    lines
}

fn assumed_lines(summary: &Summary) -> Vec<String> {
    let line = |f: &FunctionSummary| format!("{}: {}", f.name, f.assumed.join(", "));
    summary.functions.iter().filter(|f| !f.assumed.is_empty()).map(line).collect()
}

fn assertion_lines(summary: &Summary) -> Vec<String> {
    let line = |a: &AssertionSummary| format!("{} {} (test {})", file_name(&a.place), a.condition, a.test);
    summary.functions.iter().flat_map(|f| &f.assertions).map(line).collect()
}

fn program_finding(finding: &ProgramFinding) -> String {
    let place = finding.place.as_ref().map(|place| format!("{} ", file_name(place))).unwrap_or_default();
    format!("{place}{}: crashes/{}", finding.what, finding.test.name)
}

/// Folders would eat the 80 columns; the other reports have the whole path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Breaks a line at blanks, the rest of it indented; at most [`LINES`] of them.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::from(" ");
    for word in text.split_whitespace() {
        let full = line.width() + 1 + word.width() > COLUMNS;
        if full && lines.len() + 1 < LINES && !line.trim().is_empty() {
            lines.push(std::mem::replace(&mut line, INDENT.to_owned()));
        }
        line += &format!(" {word}");
    }
    lines.push(line);
    lines.iter().map(|line| fitted(line, COLUMNS)).collect()
}

/// The text if it fits, else its beginning and an ellipsis. Control characters would break the layout.
fn fitted(text: &str, width: usize) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.width() <= width {
        return text;
    }
    let mut used = 1;
    let mut kept: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= width
        })
        .collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_a_name_are_the_most_telling() {
        assert_eq!(tail("containers.TreeMap.putIfAbsent"), "TreeMap.putIfAbsent");
        assert_eq!(tail("a.b.C.m"), "a.b.C.m");
        let long = "a.AVeryLongNameOfAClassIndeed";
        assert_eq!(tail(long), long);
        assert_eq!(tail("triangle"), "triangle");
    }

    #[test]
    fn every_row_has_at_most_80_columns() {
        let huge = GoalTally { total: usize::MAX, covered: 7, infeasible: usize::MAX, unknown: usize::MAX };
        for name in [
            "f",
            "a_name_that_is_much_longer_than_the_column_it_stands_in",
            "größenüberprüfung_日本語の関数名",
        ] {
            let line = numbers(name, huge, usize::MAX, Some(u64::MAX), Some(1e9));
            assert!(line.trim_end().width() <= COLUMNS, "{} in {line}", line.width());
        }
    }

    #[test]
    fn short_numbers_keep_their_leading_digits() {
        assert_eq!(short(999_999, 7), "999,999");
        assert_eq!(short(1_234_567, 7), "1M");
        assert_eq!(short(1_234_567, 6), "1M");
        assert_eq!(short(123_456_789, 10), "123M");
        assert_eq!(short(99_999_999, 10), "99,999,999");
        assert_eq!(short(u64::MAX, 5), "18E");
        assert_eq!(short(1_000, 4), "1k");
    }

    #[test]
    fn long_lines_break_at_blanks() {
        assert_eq!(wrapped("a b"), ["  a b"]);
        let lines = wrapped(&"word ".repeat(100));
        assert_eq!(lines.len(), LINES);
        assert!(
            lines[0].starts_with("  word") && lines[1].starts_with("      word") && lines[2].ends_with('…')
        );
        assert!(lines.iter().all(|l| l.width() <= COLUMNS));
        assert_eq!(wrapped(&"x".repeat(200))[0].width(), COLUMNS);
    }

    #[test]
    fn cut_text_ends_in_an_ellipsis() {
        assert_eq!(fitted("abcdef", 6), "abcdef");
        assert_eq!(fitted("abcdefg", 6), "abcde…");
        assert_eq!(fitted("日本語", 5), "日本…");
        assert_eq!(fitted("a\nb", 5), "a b");
    }
}
