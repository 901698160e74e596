//! The source of a function with a pair of badges behind every condition.

use super::highlight::{Class, classes};
use super::page::escape;
use super::{explanation, look};
use crate::RunReport;
use crate::place::file_path;
use crate::summary::{FunctionSummary, GoalSummary, Place, State};
use std::collections::BTreeMap;

/// Longest quotation of a condition.
const QUOTED: usize = 60;

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
        let tip = format!("{quote} is {}\n{}", goal.outcome, explanation(goal));
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
    fn range(&self, place: &Place) -> std::ops::Range<usize> {
        let start = self.offset(place.line, place.column);
        let end = self.offset(place.end_line, place.end_column);
        if start < end {
            return start..end;
        }
        let rest = &self.text[start..];
        start..start + rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
    }
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
            let range = source.range(goal.visible());
            if range.start >= base && range.end <= base + len {
                marks.add(index, goal, range.start - base..range.end - base);
            }
        }
        marks
    }

    fn add(&mut self, index: usize, goal: &GoalSummary, range: std::ops::Range<usize>) {
        let rank = |state: Option<State>| match state {
            None => 0,
            Some(State::Covered) => 1,
            Some(State::Infeasible) => 2,
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
    range: std::ops::Range<usize>,
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
