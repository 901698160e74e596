//! The source of a function with a pair of badges behind every condition.

use super::highlight::{Class, classes};
use super::page::escape;
use super::{explanation, look};
use crate::RunReport;
use crate::place::file_path;
use crate::summary::{FunctionSummary, GoalSummary, Place, State};
use std::collections::BTreeMap;
use std::ops::Range;

/// Longest quotation of a condition.
const QUOTED: usize = 60;
/// Longest list of macro arguments that is shown as belonging to the macro, in characters.
const LONGEST_USE: usize = 2000;

/// Source texts by path.
pub(super) struct Sources(BTreeMap<String, Source>);

struct Source {
    text: String,
    /// Byte offset of every line.
    lines: Vec<usize>,
}

impl Sources {
    pub(super) fn new(run: &RunReport) -> Sources {
        let entry = |(file, text): &(u32, String)| (file_path(run.program, *file), Source::new(text));
        Sources(run.sources.iter().map(entry).collect())
    }

    /// The text at a place, on one line and not too long; empty if there is no source.
    pub(super) fn quote(&self, place: &Place) -> String {
        let Some(source) = self.0.get(&place.file) else { return String::new() };
        let text = &source.text[source.range(place)];
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match flat.char_indices().nth(QUOTED) {
            Some((cut, _)) => format!("{}…", &flat[..cut]),
            None => flat,
        }
    }

    /// The annotated lines of a function; `None` if its source is not at hand.
    pub(super) fn annotated(&self, function: &FunctionSummary, id: usize) -> Option<String> {
        let source = self.0.get(&function.file)?;
        let first = function.line.max(1) as usize;
        let last = (function.end_line as usize).min(source.lines.len());
        if first > last {
            return None;
        }
        let end = source.lines.get(last).copied().unwrap_or(source.text.len());
        let text = source.text[source.lines[first - 1]..end].trim_end();
        let marks = Marks::new(function, source, source.lines[first - 1], text.len());
        Some(write_lines(text, first, &marks, &|goal| self.badge(function, id, goal)))
    }

    fn badge(&self, function: &FunctionSummary, id: usize, index: usize) -> String {
        let goal = &function.goals[index];
        let (class, sign, _) = look(goal.state);
        let quote = self.quote(&goal.place);
        // Class files know lines, and no columns.
        let what = if quote.is_empty() { format!("line {}", goal.place.line) } else { quote };
        let tip = format!("{what} is {}\n{}", goal.outcome, explanation(goal));
        let letter = if goal.outcome { 'T' } else { 'F' };
        format!(
            "<a class=\"b {class}\" href=\"#g{id}-{index}\" data-tip=\"{0}\" aria-label=\"{0}\">{letter}<i>{sign}</i></a>",
            escape(&tip).replace('\n', "&#10;")
        )
    }
}

impl Source {
    fn new(text: &str) -> Source {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1).filter(|&at| at < text.len());
        Source { text: text.to_owned(), lines: std::iter::once(0).chain(breaks).collect() }
    }

    /// Byte offset of a position; positions outside the text are moved to its nearest character.
    fn offset(&self, line: u32, column: u32) -> usize {
        let line = line.max(1) as usize;
        let Some(&start) = self.lines.get(line - 1) else { return self.text.len() };
        let end = self.lines.get(line).map_or(self.text.len(), |next| next - 1);
        let mut at = (start + column.max(1) as usize - 1).min(end);
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The bytes of a place. An empty one, as LLVM gives for conditions in system macros, stands for the
    /// word that follows.
    fn range(&self, place: &Place) -> Range<usize> {
        let start = self.offset(place.line, place.column);
        let end = self.offset(place.end_line, place.end_column);
        if start < end { start..end } else { start..start + word(&self.text[start..]) }
    }

    /// Where a goal is shown. The use of a macro includes its arguments, which LLVM leaves out.
    fn shown(&self, goal: &GoalSummary) -> Range<usize> {
        let range = self.range(goal.visible());
        let hidden = goal.expansion.is_some() || goal.place.column == goal.place.end_column;
        let arguments = if hidden { parentheses(&self.text[range.end..]) } else { 0 };
        range.start..range.end + arguments
    }
}

/// Length of the identifier at the start of a text.
fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Length of the balanced parentheses at the start of a text; 0 if there are none.
fn parentheses(text: &str) -> usize {
    // A macro's arguments are short; without a bound each use would read the rest of the file.
    let text = text.char_indices().nth(LONGEST_USE).map_or(text, |(end, _)| &text[..end]);
    let classes = classes(text);
    let mut depth = 0u32;
    for (at, c) in text.char_indices().filter(|(at, _)| classes[*at] == Class::Plain) {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return at + 1,
            ')' if depth > 1 => depth -= 1,
            c if depth == 0 && !c.is_whitespace() => return 0,
            _ => {}
        }
    }
    0
}

/// What to draw where, in offsets from the start of the function's text.
struct Marks {
    /// Worst state of the conditions each byte belongs to.
    states: Vec<Option<State>>,
    /// Goals whose badges stand before a byte.
    badges: BTreeMap<usize, Vec<usize>>,
    /// For each goal its branch, to keep pairs together.
    branches: Vec<usize>,
}

impl Marks {
    fn new(function: &FunctionSummary, source: &Source, base: usize, len: usize) -> Marks {
        let mut marks = Marks {
            states: vec![None; len],
            badges: BTreeMap::new(),
            branches: function.goals.iter().map(|g| g.branch).collect(),
        };
        for (index, goal) in
            function.goals.iter().enumerate().filter(|(_, g)| g.visible().file == function.file)
        {
            let range = source.shown(goal);
            if range.start >= base && range.end <= base + len {
                marks.add(index, goal, range.start - base..range.end - base);
            }
        }
        marks
    }

    fn add(&mut self, index: usize, goal: &GoalSummary, range: Range<usize>) {
        let rank = |state: Option<State>| match state {
            None => 0,
            Some(State::Covered) => 1,
            Some(State::Infeasible | State::Constant) => 2,
            Some(State::Unknown) => 3,
        };
        self.badges.entry(range.end).or_default().push(index);
        for state in &mut self.states[range] {
            if rank(Some(goal.state)) > rank(*state) {
                *state = Some(goal.state);
            }
        }
    }

    /// The badges before a byte, those of one branch side by side.
    fn at(&self, offset: usize, badge: &dyn Fn(usize) -> String) -> String {
        let Some(goals) = self.badges.get(&offset) else { return String::new() };
        let pair = |pair: &[usize]| {
            format!("<span class=\"pair\">{}</span>", pair.iter().map(|&g| badge(g)).collect::<String>())
        };
        goals.chunk_by(|a, b| self.branches[*a] == self.branches[*b]).map(pair).collect()
    }
}

fn write_lines(text: &str, first: usize, marks: &Marks, badge: &dyn Fn(usize) -> String) -> String {
    let classes = classes(text);
    let mut html = String::new();
    let mut offset = 0;
    for (i, line) in text.split('\n').enumerate() {
        let body = write_line(text, offset..offset + line.len(), &classes, marks, badge);
        html += &format!("<span class=\"line\"><span class=\"no\">{}</span>{body}\n</span>", first + i);
        offset += line.len() + 1;
    }
    html
}

fn write_line(
    text: &str,
    range: Range<usize>,
    classes: &[Class],
    marks: &Marks,
    badge: &dyn Fn(usize) -> String,
) -> String {
    let mut html = marks.at(range.start, badge);
    let mut start = range.start;
    for at in range.start + 1..=range.end {
        let ends = at == range.end
            || marks.badges.contains_key(&at)
            || classes[at] != classes[start]
            || marks.states[at] != marks.states[start];
        if ends {
            html += &run(&text[start..at], classes[start], marks.states[start]);
            html += &marks.at(at, badge);
            start = at;
        }
    }
    html
}

fn run(text: &str, class: Class, state: Option<State>) -> String {
    let mark = state.map(|s| format!("q {}", look(s).0)).unwrap_or_default();
    match format!("{} {mark}", class.css()).trim() {
        "" => escape(text),
        names => format!("<span class=\"{names}\">{}</span>", escape(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macro_use_ends_with_its_arguments() {
        assert_eq!(parentheses("(a, (b), ')') + 1"), 13);
        assert_eq!(parentheses(" (\n)x"), 4);
        assert_eq!(parentheses("+ (1)"), 0);
        assert_eq!(parentheses("(never closed"), 0);
        assert_eq!(parentheses(""), 0);
    }

    #[test]
    fn positions_outside_the_text_are_moved_into_it() {
        let source = Source::new("aé\nxyz\n");
        assert_eq!((source.offset(1, 1), source.offset(1, 2), source.offset(1, 3)), (0, 1, 1));
        assert_eq!((source.offset(1, 99), source.offset(2, 2), source.offset(9, 1)), (3, 5, 8));
        assert_eq!(source.offset(0, 0), 0);
    }
}
