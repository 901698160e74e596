//! The values of conditions that the compiler folded.
//!
//! The coverage mapping says that a condition is constant, and not which. Only the compiler knows what `sizeof(x) > 4` is, so it is asked: in a
//! copy of the source the condition stands in assertions at compile time, and what clang complains about is its value.
//!
//! ```text
//!   if (sizeof(x) > 4 && y)     if (sizeof(struct { int x;
//!                                   _Static_assert(sizeof(x) > 4, "branchwise-0-is-false");
//!                                   _Static_assert(!(sizeof(x) > 4), "branchwise-0-is-true"); }) && y)
//! ```

use super::text::Source;
use crate::BuildError;
use crate::clang::{Clang, SourceUnit};
use crate::covmap::{BranchRegion, FunctionMapping};
use crate::unit::Mappings;
use model::Position;
use std::collections::BTreeMap;
use std::path::Path;

/// Where a condition is spelled: path, start, end.
type Spelled = (String, Position, Position);

/// Finds out the values of the folded conditions of a unit. What cannot be found out stays unknown.
pub(crate) fn ask(
    clang: &Clang,
    unit: &SourceUnit,
    mappings: &mut Mappings,
    work: &Path,
) -> Result<(), BuildError> {
    let mut texts: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut questions: BTreeMap<Spelled, usize> = BTreeMap::new();
    for mapping in mappings.values() {
        for folded in mapping.folded.iter().filter(|_| !mapping.decisions.is_empty() || has_more(mapping)) {
            if let Some((_, place)) = spelled(mapping, &folded.region, &mut texts) {
                let number = questions.len();
                questions.entry(place).or_insert(number);
            }
        }
    }
    if questions.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(work).map_err(|source| cannot(work, source))?;
    let mut roots = Vec::new();
    for (number, (path, text)) in texts.iter().enumerate() {
        let places: Vec<(Position, Position, usize)> = questions
            .iter()
            .filter(|((file, ..), _)| file == path)
            .map(|((_, start, end), &number)| (*start, *end, number))
            .collect();
        if places.is_empty() {
            continue;
        }
        let copy = work.join(format!("{number}.c"));
        std::fs::write(&copy, rewritten(text, &places)).map_err(|source| cannot(&copy, source))?;
        roots.push(serde_json::json!({ "type": "file", "name": path, "external-contents": copy }));
    }
    let overlay = work.join("overlay.json");
    let listed = serde_json::json!({ "version": 0, "use-external-names": false, "roots": roots });
    std::fs::write(&overlay, listed.to_string()).map_err(|source| cannot(&overlay, source))?;
    let complaints = clang.complaints(unit, &overlay)?;
    let said = |number: usize, value: bool| complaints.contains(&format!("branchwise-{number}-is-{value}\n"));
    for mapping in mappings.values_mut() {
        let places: Vec<Option<(u32, Spelled)>> =
            mapping.folded.iter().map(|folded| spelled(mapping, &folded.region, &mut texts)).collect();
        for (folded, place) in mapping.folded.iter_mut().zip(places) {
            let Some((file, place)) = place else { continue };
            let Some(&number) = questions.get(&place) else { continue };
            folded.value = match (said(number, true), said(number, false)) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            };
            if folded.value.is_some() {
                // Where the macro is used the operators stand around it.
                let (_, start, end) = place;
                folded.region = BranchRegion { file, start, end, ..folded.region };
            }
        }
    }
    Ok(())
}

fn cannot(path: &Path, source: std::io::Error) -> BuildError {
    BuildError::Io { path: path.display().to_string(), source }
}

/// Decisions without a record have several conditions all the same.
fn has_more(mapping: &FunctionMapping) -> bool {
    mapping.folded.len() + mapping.branches.len() > 1
}

/// Where a condition can be rewritten, with the number of the file: not in the text of a macro, unless it is all of that text; then where the macro is used.
fn spelled(
    mapping: &FunctionMapping,
    region: &BranchRegion,
    texts: &mut BTreeMap<String, Vec<u8>>,
) -> Option<(u32, Spelled)> {
    let (mut file, mut start, mut end) = (region.file, region.start, region.end);
    for _ in 0..=mapping.files.len() {
        let mapped = &mapping.files[file as usize];
        if !texts.contains_key(&mapped.path) {
            texts.insert(mapped.path.clone(), std::fs::read(&mapped.path).ok()?);
        }
        let text = &texts[&mapped.path];
        let Some((parent, from, to)) = mapped.expanded_at else {
            return Some((file, (mapped.path.clone(), start, end)));
        };
        if !is_whole_macro(text, start, end) {
            return None;
        }
        (file, start, end) = (parent, from, to);
    }
    None
}

/// Whether a range is all that a `#define NAME` stands for.
fn is_whole_macro(text: &[u8], start: Position, end: Position) -> bool {
    let source = Source::new(text);
    let (Some(from), Some(to)) = (source.offset(start), source.offset(end)) else { return false };
    let Some(line) = source.offset(Position { line: start.line, column: 1 }) else { return false };
    let (Some(before), Some(behind)) = (text.get(line..from), text.get(to..)) else { return false };
    let before = String::from_utf8_lossy(before);
    let mut words = before.trim().trim_start_matches('#').split_whitespace();
    let is_definition = before.trim_start().starts_with('#')
        && words.next() == Some("define")
        && words.next().is_some_and(|name| !name.contains('('))
        && words.next().is_none();
    let rest = behind.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let rest = String::from_utf8_lossy(rest);
    let is_end = rest.trim().is_empty() || ["//", "/*"].iter().any(|mark| rest.trim().starts_with(mark));
    is_definition && is_end
}

/// The text with questions in the place of conditions; of those inside of each other only the outer ones.
fn rewritten(text: &[u8], places: &[(Position, Position, usize)]) -> Vec<u8> {
    let source = Source::new(text);
    let mut ranges: Vec<(usize, usize, usize)> = places
        .iter()
        .filter_map(|&(start, end, number)| Some((source.offset(start)?, source.offset(end)?, number)))
        .filter(|&(from, to, _)| from < to && to <= text.len())
        .collect();
    ranges.sort_by_key(|&(from, to, _)| (from, std::cmp::Reverse(to)));
    let mut new = Vec::new();
    let mut done = 0;
    for (from, to, number) in ranges {
        if from < done {
            continue;
        }
        let condition = String::from_utf8_lossy(&text[from..to]);
        new.extend(&text[done..from]);
        let question = format!(
            "sizeof(struct {{ int x; _Static_assert({condition}\n, \"branchwise-{number}-is-false\");\n\
             _Static_assert(!({condition}\n), \"branchwise-{number}-is-true\"); }})"
        );
        new.extend(question.as_bytes());
        done = to;
    }
    new.extend(&text[done..]);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    #[test]
    fn a_macro_is_looked_through_if_it_is_nothing_else() {
        let text = b"#define DEBUG 0\n #  define ON (1) // always\n#define BOTH 1 && x\n#define F(x) 1\n";
        assert!(is_whole_macro(text, at(1, 15), at(1, 16)));
        assert!(is_whole_macro(text, at(2, 15), at(2, 18)));
        assert!(!is_whole_macro(text, at(3, 14), at(3, 15)));
        assert!(!is_whole_macro(text, at(4, 14), at(4, 15)));
    }

    #[test]
    fn conditions_become_questions() {
        let text = b"if (a && 1 && b) x;";
        let new = String::from_utf8(rewritten(text, &[(at(1, 10), at(1, 11), 7)])).expect("text");
        assert!(
            new.starts_with(
                "if (a && sizeof(struct { int x; _Static_assert(1\n, \"branchwise-7-is-false\");"
            )
        );
        assert!(new.ends_with("\"branchwise-7-is-true\"); }) && b) x;"), "{new}");
    }
}
