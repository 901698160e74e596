//! What a test is for, in words.

use crate::Unit;
use crate::init::WIDTH;
use model::{Branch, BranchKind, Function, Goal, Program, Span};
use suite::{decision_of, vector_letters};

/// `line 14 true: a == b; also line 17 false`. Empty where there are no goals.
pub(crate) fn purpose(program: &Program, function: &Function, unit: &Unit, goals: &[Goal]) -> String {
    let Some((first, others)) = goals.split_first() else { return String::new() };
    let mut text = goal_words(program, function, *first);
    if let Some(branch) = find_branch(program, function, *first).filter(|b| b.kind != BranchKind::Node)
        && let Some(condition) = unit.source.as_deref().and_then(|source| quote(source, unit.file, branch))
    {
        text += &format!(": {condition}");
    }
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|g| goal_words(program, function, *g)).collect();
        text += &format!("; also {}", others.join(", "));
    }
    text
}

/// `line 14 true`; with its function where the branch belongs to another one.
pub(crate) fn goal_words(program: &Program, function: &Function, goal: Goal) -> String {
    let Some(branch) = find_branch(program, function, goal) else {
        return format!("branch {} {}", goal.branch.0, goal.outcome);
    };
    if let Some((decision, letters)) = decision_of(function, goal).zip(vector_letters(function, goal)) {
        return format!("line {} vector {letters}", decision.span.start.line);
    }
    let start = place(branch).start;
    let on_line = |b: &&Branch| b.counted && place(b).start.line == start.line;
    let column = match function.branches.iter().filter(on_line).count() {
        0 | 1 => String::new(),
        _ => format!(" column {}", start.column),
    };
    let words = format!("line {}{column} {}", start.line, goal.outcome);
    let owner = program.functions.iter().find(|f| f.branch(goal.branch).is_some());
    match owner.filter(|_| function.branch(goal.branch).is_none()) {
        Some(owner) => format!("{words} in {}", owner.name),
        None => words,
    }
}

fn find_branch<'p>(program: &'p Program, function: &'p Function, goal: Goal) -> Option<&'p Branch> {
    function.branch(goal.branch).or_else(|| program.functions.iter().find_map(|f| f.branch(goal.branch)))
}

fn place(branch: &Branch) -> Span {
    branch.expansion.unwrap_or(branch.span)
}

/// The condition as it stands in the source, on one line and not too long.
fn quote(source: &str, file: u32, branch: &Branch) -> Option<String> {
    let span = place(branch);
    if span.file != file || matches!(branch.kind, BranchKind::NoDefault) {
        return None;
    }
    let lines: Vec<&str> = source.lines().collect();
    let (start, end) = (span.start, span.end);
    let mut text = String::new();
    for line in start.line..=end.line {
        let whole = lines.get((line as usize).checked_sub(1)?)?;
        let from = if line == start.line { (start.column as usize).checked_sub(1)? } else { 0 };
        let to = if line == end.line { (end.column as usize).checked_sub(1)? } else { whole.len() };
        text.push(' ');
        text += whole.get(from..to)?;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = harmless(&words.join(" "));
    (!text.is_empty()).then(|| shortened(&text, 60))
}

/// Text that may stand in a comment.
pub(crate) fn harmless(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace("??/", "? ?/").replace(['\n', '\r'], " ")
}

fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let cut: String = text.chars().take(limit - 1).collect();
    format!("{}…", cut.trim_end())
}

/// A comment, broken between words where it is too long for a line.
pub(crate) fn comment(text: &str, indent: usize) -> String {
    let pad = " ".repeat(indent);
    if indent + text.chars().count() + 6 <= WIDTH {
        return format!("{pad}/* {text} */\n");
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("one line to begin with");
        if !line.is_empty() && indent + line.chars().count() + word.chars().count() + 4 > WIDTH {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    format!("{pad}/*\n{pad} * {}\n{pad} */\n", lines.join(&format!("\n{pad} * ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{BlockId, BranchId, Position};

    fn branch(start: (u32, u32), end: (u32, u32)) -> Branch {
        let at = |(line, column)| Position { line, column };
        let span = Span { file: 0, start: at(start), end: at(end) };
        let (id, kind) = (BranchId(0), BranchKind::Condition);
        Branch { id, kind, span, expansion: None, block: BlockId(0), counted: true }
    }

    #[test]
    fn conditions_are_quoted_on_one_line() {
        let source = "if (a\n      && /* é */ b)\n";
        assert_eq!(quote(source, 0, &branch((1, 5), (2, 20))), Some("a && / * é * / b".to_owned()));
        assert_eq!(quote(source, 0, &branch((1, 5), (9, 1))), None);
        assert_eq!(quote(source, 0, &branch((2, 14), (2, 19))), None, "inside a character");
    }

    #[test]
    fn long_comments_are_broken() {
        let text = comment(&"word ".repeat(50), 4);
        assert!(text.lines().all(|l| l.len() <= WIDTH), "{text}");
        assert_eq!(text.matches("word").count(), 50);
    }
}
