//! Copies of sources in which the conditions of bitwise operators are counted.
//!
//! llvm-cov counts nothing about `(a > 3) & (b < 2)`. In a copy that says `((a > 3) ? 1 : 0)` for each condition it does, and nothing else is
//! changed: the value is the same, and so is everything that is evaluated. The copy takes the place of the source by clang's
//! `-ivfsoverlay`.

use crate::JudgeError;
use crate::claims::Claims;
use report::{Place, State};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const OPEN: &str = "((";
const CLOSE: &str = ") ? 1 : 0)";

/// What is inserted where.
#[derive(Default)]
pub(crate) struct Copies {
    files: BTreeMap<String, Insertions>,
    /// Where they are.
    paths: BTreeMap<String, PathBuf>,
}

/// Lines and columns of what is put in front of conditions and behind them.
#[derive(Default)]
struct Insertions {
    opens: BTreeSet<(u32, u32)>,
    closes: BTreeSet<(u32, u32)>,
}

impl Copies {
    /// For all conditions of bitwise operators that are evaluated.
    pub(crate) fn of(claims: &Claims) -> Copies {
        let mut copies = Copies::default();
        let decisions = claims.summary.functions.iter().flat_map(|f| &f.decisions).filter(|d| d.bitwise);
        let conditions = decisions.flat_map(|d| &d.conditions).filter(|c| c.state != State::Constant);
        for place in conditions.filter_map(|condition| condition.place.as_ref()) {
            let Some(path) = claims.path(&place.file) else { continue };
            copies.paths.insert(place.file.clone(), path);
            let insertions = copies.files.entry(place.file.clone()).or_default();
            insertions.opens.insert((place.line, place.column));
            insertions.closes.insert((place.end_line, place.end_column));
        }
        copies
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes the copies and a list of what they take the place of; its path.
    pub(crate) fn write(&self, folder: &Path) -> Result<PathBuf, JudgeError> {
        let mut roots = Vec::new();
        for (number, (name, insertions)) in self.files.iter().enumerate() {
            let path = &self.paths[name];
            let copy = folder.join(format!("copy{number}.c"));
            std::fs::write(&copy, insertions.apply(&std::fs::read(path)?))?;
            roots.push(serde_json::json!({ "type": "file", "name": path, "external-contents": copy }));
        }
        let list = folder.join("copies.json");
        let listed = serde_json::json!({ "version": 0, "use-external-names": false, "roots": roots });
        std::fs::write(&list, listed.to_string())?;
        Ok(list)
    }

    /// Where a condition stands in the copy: line, column, end line, end column. One that is counted by the copy has its inner parentheses.
    pub(crate) fn span(&self, place: &Place, is_counted: bool) -> [u32; 4] {
        let none = Insertions::default();
        let insertions = self.files.get(&place.file).unwrap_or(&none);
        let inner = u32::from(is_counted);
        let start = insertions.column(place.line, place.column, true) + inner;
        let end = insertions.column(place.end_line, place.end_column, false) + inner;
        [place.line, start, place.end_line, end]
    }
}

impl Insertions {
    /// A column in the copy: in front of what is inserted there, or behind what closes there if something starts there.
    fn column(&self, line: u32, column: u32, is_start: bool) -> u32 {
        let last = if is_start { column } else { column - 1 };
        let opens = self.opens.range((line, 0)..(line, column)).count() * OPEN.len();
        let closes = self.closes.range((line, 0)..=(line, last)).count() * CLOSE.len();
        column + (opens + closes) as u32
    }

    fn apply(&self, text: &[u8]) -> Vec<u8> {
        let mut new = Vec::new();
        let (mut line, mut column) = (1, 1);
        for &byte in text {
            if self.closes.contains(&(line, column)) {
                new.extend(CLOSE.as_bytes());
            }
            if self.opens.contains(&(line, column)) {
                new.extend(OPEN.as_bytes());
            }
            new.push(byte);
            (line, column) = if byte == b'\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_found_again_in_the_copy() {
        let text = "if (p && ((a > 1) & b))\n";
        let place =
            |column, end_column| Place { file: "x.c".to_owned(), line: 1, column, end_line: 1, end_column };
        let insertions = Insertions {
            opens: BTreeSet::from([(1, 12), (1, 21)]),
            closes: BTreeSet::from([(1, 17), (1, 22)]),
        };
        let new = String::from_utf8(insertions.apply(text.as_bytes())).expect("text");
        assert_eq!(new, "if (p && ((((a > 1) ? 1 : 0)) & ((b) ? 1 : 0)))\n");
        let files = BTreeMap::from([("x.c".to_owned(), insertions)]);
        let copies = Copies { files, paths: BTreeMap::new() };
        let seen = |span: [u32; 4]| new[span[1] as usize - 1..span[3] as usize - 1].to_owned();
        assert_eq!(seen(copies.span(&place(5, 6), false)), "p");
        assert_eq!(seen(copies.span(&place(12, 17), true)), "(a > 1)");
        assert_eq!(seen(copies.span(&place(21, 22), true)), "(b)");
        assert_eq!(seen(copies.span(&place(10, 23), false)), "((((a > 1) ? 1 : 0)) & ((b) ? 1 : 0))");
    }
}
