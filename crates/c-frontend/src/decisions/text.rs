//! Decisions that clang has no records of, read from the source text between their conditions.

use super::{Found, Place, Regions, is_inside};
use crate::covmap::{BranchRegion, FunctionMapping};
use model::{Position, Shape};

/// The decisions among conditions without a place in one.
pub(super) fn read(mapping: &FunctionMapping) -> Vec<Found> {
    let mut all = Vec::new();
    for (file, mapped) in mapping.files.iter().enumerate() {
        let regions = Regions(mapping);
        let is_free = |region: &BranchRegion| region.file as usize == file && region.place.is_none();
        let mut free: Vec<usize> = (0..regions.len()).filter(|&i| is_free(regions.region(i))).collect();
        if free.len() < 2 {
            continue;
        }
        let Ok(text) = std::fs::read(&mapped.path) else { continue };
        let source = Source::new(&text);
        let range = |index: usize| (regions.region(index).start, regions.region(index).end);
        free.sort_by_key(|&index| (range(index).0, std::cmp::Reverse(range(index).1)));
        let parent = |index: usize| {
            let around = free.iter().copied().filter(|&other| is_inside(range(index), range(other)));
            around.min_by_key(|&other| range(other).1)
        };
        let mut left = free.clone();
        while let Some(&first) = left.first() {
            let siblings: Vec<usize> = left.iter().copied().filter(|&i| parent(i) == parent(first)).collect();
            left.retain(|index| !siblings.contains(index));
            all.extend(groups(&source, &siblings, &regions, file as u32));
        }
    }
    all
}

/// The decisions among conditions that stand one after the other.
fn groups(source: &Source<'_>, conditions: &[usize], regions: &Regions<'_>, file: u32) -> Vec<Found> {
    let range = |index: usize| (regions.region(index).start, regions.region(index).end);
    let mut found = Vec::new();
    let mut group: Vec<usize> = Vec::new();
    let mut between: Vec<Vec<Token>> = Vec::new();
    let mut finish = |group: &mut Vec<usize>, between: &mut Vec<Vec<Token>>| {
        if let (Some(&first), 2..) = (group.first(), group.len()) {
            let (start, before) = source.before(range(first).0, between);
            let last = group.last().map_or(start, |&last| range(last).1);
            let end = source.behind(last, &before, between);
            let constants: Vec<Option<bool>> = group.iter().map(|&index| regions.value(index)).collect();
            let shape = parse(&before, between, &constants);
            if let Some(shape) = shape.filter(|shape| shape.conditions() == group.len()) {
                found.push(Found { conditions: group.clone(), shape, place: Place { file, start, end } });
            }
        }
        group.clear();
        between.clear();
    };
    for &condition in conditions {
        let joined = group.last().and_then(|&last| source.tokens(range(last).1, range(condition).0));
        match joined
            .filter(|tokens| tokens.iter().filter(|t| matches!(t, Token::And | Token::Or)).count() == 1)
        {
            Some(tokens) => between.push(tokens),
            None => finish(&mut group, &mut between),
        }
        group.push(condition);
    }
    finish(&mut group, &mut between);
    found
}

/// What may stand between conditions of a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    And,
    Or,
    Not,
    Open,
    Close,
}

pub(super) struct Source<'t> {
    text: &'t [u8],
    /// Where lines begin.
    lines: Vec<usize>,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t [u8]) -> Source<'t> {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        Source { text, lines: std::iter::once(0).chain(ends).collect() }
    }

    pub(super) fn offset(&self, at: Position) -> Option<usize> {
        let line = self.lines.get((at.line as usize).checked_sub(1)?)?;
        Some(line + (at.column as usize).checked_sub(1)?).filter(|&offset| offset <= self.text.len())
    }

    /// The tokens between two places; `None` if there is anything else than blanks, comments and line ends.
    fn tokens(&self, from: Position, to: Position) -> Option<Vec<Token>> {
        let mut text = self.text.get(self.offset(from)?..self.offset(to)?)?;
        let mut tokens = Vec::new();
        while let Some(&byte) = text.first() {
            let (token, length) = match text {
                [b'&', b'&', ..] => (Some(Token::And), 2),
                [b'|', b'|', ..] => (Some(Token::Or), 2),
                [b'/', b'*', rest @ ..] => (None, rest.windows(2).position(|w| w == b"*/")? + 4),
                [b'/', b'/', ..] => (None, text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())),
                [b'\\', b'\n', ..] => (None, 2),
                [b'!', ..] => (Some(Token::Not), 1),
                [b'(', ..] => (Some(Token::Open), 1),
                [b')', ..] => (Some(Token::Close), 1),
                _ if byte.is_ascii_whitespace() => (None, 1),
                _ => return None,
            };
            tokens.extend(token);
            text = &text[length..];
        }
        Some(tokens)
    }

    pub(super) fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|&start| start <= offset);
        Position { line: line as u32, column: (offset - self.lines[line - 1]) as u32 + 1 }
    }

    /// The tokens before the first condition that belong to the decision: as many `(` as are closed before its end, and what
    /// negates them. Also where they begin.
    fn before(&self, first: Position, between: &[Vec<Token>]) -> (Position, Vec<Token>) {
        let (mut depth, mut least) = (0i32, 0i32);
        for token in between.iter().flatten() {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::And | Token::Or | Token::Not => {}
            }
            least = least.min(depth);
        }
        let mut needed = -least;
        let mut tokens = Vec::new();
        let mut begin = first;
        let text = self.offset(first).and_then(|end| self.text.get(..end)).unwrap_or_default();
        for (offset, &byte) in text.iter().enumerate().rev() {
            match byte {
                b'(' if needed > 0 => {
                    needed -= 1;
                    tokens.push(Token::Open);
                }
                b'!' if !tokens.is_empty() => tokens.push(Token::Not),
                _ if byte.is_ascii_whitespace() => continue,
                _ => break,
            }
            begin = self.position(offset);
        }
        tokens.reverse();
        (begin, tokens)
    }

    /// The end of a decision behind its last condition: what is open is closed there.
    fn behind(&self, last: Position, before: &[Token], between: &[Vec<Token>]) -> Position {
        let all = || before.iter().chain(between.iter().flatten());
        let count = |token: Token| all().filter(|&&other| other == token).count();
        let mut open = count(Token::Open).saturating_sub(count(Token::Close));
        let Some(from) = self.offset(last) else { return last };
        let mut end = last;
        for (offset, &byte) in self.text.iter().enumerate().skip(from) {
            match byte {
                b')' if open > 0 => {
                    open -= 1;
                    end = self.position(offset + 1);
                }
                _ if open > 0 && byte.is_ascii_whitespace() => {}
                _ => break,
            }
        }
        end
    }
}

/// The shape of a decision; `None` if the tokens make none. Parentheses that stay open are closed behind it.
/// Conditions with a value are constant.
fn parse(before: &[Token], between: &[Vec<Token>], constants: &[Option<bool>]) -> Option<Shape> {
    let mut items: Vec<Option<Token>> = before.iter().copied().map(Some).collect();
    items.push(None);
    for tokens in between {
        items.extend(tokens.iter().copied().map(Some));
        items.push(None);
    }
    let opens = |token| items.iter().filter(|item| **item == Some(token)).count();
    let missing = opens(Token::Open).checked_sub(opens(Token::Close))?;
    items.extend(std::iter::repeat_n(Some(Token::Close), missing));
    let mut parser = Parser { items: &items, constants };
    let shape = parser.either()?;
    parser.items.is_empty().then_some(shape)
}

/// Of items that are tokens or conditions.
struct Parser<'i> {
    items: &'i [Option<Token>],
    /// Of the conditions that are still to come.
    constants: &'i [Option<bool>],
}

impl Parser<'_> {
    fn take(&mut self, token: Token) -> bool {
        let is_it = self.items.first() == Some(&Some(token));
        if is_it {
            self.items = &self.items[1..];
        }
        is_it
    }

    fn either(&mut self) -> Option<Shape> {
        let mut shape = self.both()?;
        while self.take(Token::Or) {
            shape = shape.then(false, &self.both()?);
        }
        Some(shape)
    }

    fn both(&mut self) -> Option<Shape> {
        let mut shape = self.one()?;
        while self.take(Token::And) {
            shape = shape.then(true, &self.one()?);
        }
        Some(shape)
    }

    fn one(&mut self) -> Option<Shape> {
        if self.take(Token::Not) {
            return Some(self.one()?.negated());
        }
        if self.take(Token::Open) {
            let shape = self.either()?;
            return self.take(Token::Close).then_some(shape);
        }
        let (first, rest) = self.items.split_first()?;
        self.items = rest;
        if first.is_some() {
            return None;
        }
        let (constant, rest) = self.constants.split_first()?;
        self.constants = rest;
        Some(constant.map_or_else(Shape::condition, Shape::constant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str, conditions: &[(u32, u32)]) -> Option<Shape> {
        let source = Source::new(text.as_bytes());
        let at = |column| Position { line: 1, column };
        let ends: Vec<_> = conditions.windows(2).map(|pair| (pair[0].1, pair[1].0)).collect();
        let between: Vec<_> =
            ends.iter().map(|&(from, to)| source.tokens(at(from), at(to))).collect::<Option<_>>()?;
        parse(&source.before(at(conditions[0].0), &between).1, &between, &vec![None; conditions.len()])
    }

    #[test]
    fn negated_groups_are_read() {
        let found = shape("if (!(a && b) || c) x;", &[(7, 8), (12, 13), (18, 19)]).expect("a shape");
        for values in 0..8u64 {
            let [a, b, c] = [0, 1, 2].map(|i| values >> i & 1 == 1);
            assert_eq!(found.evaluate(values).0, !(a && b) || c, "{values:03b}");
        }
    }

    #[test]
    fn what_is_no_decision_is_left_alone() {
        assert_eq!(shape("if (a == b, c) x;", &[(5, 6), (13, 14)]), None);
        assert!(shape("a /* and */ && (b)", &[(1, 2), (17, 18)]).is_some());
    }
}
