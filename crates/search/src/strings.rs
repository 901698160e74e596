//! Moves on texts and arrays that no change of single cells leads to: a character more or less, two in the wrong
//! order, a word of the program, another number in digits.
//!
//! ```text
//! "1.0.0.0"   insert '2' before the dot   "12.0.0.0"
//! " = 1"      put in the token "port"     "port = 1"
//! "v199"      the number in digits + 1    "v200"
//! ```

use crate::dictionary::Dictionary;
use crate::point::Point;
use crate::text::{Text, texts};
use input::{Input, Space};
use std::ops::ControlFlow;

/// Characters worth a try in every text: one of each class that programs tell apart by tables.
const CLASSES: [u8; 5] = [b'a', b'A', b'0', b'1', b' '];
/// Digits of a number that is moved as a whole.
const MOST_DIGITS: usize = 18;

/// Tries numbers in digits, then at most `most` other edits. Says whether one was strictly better; the first that is
/// ends the attempt.
pub(crate) fn edit_texts(
    point: &mut Point<'_>,
    dictionary: &Dictionary,
    most: usize,
) -> ControlFlow<(), bool> {
    let texts = texts_that_matter(point);
    for text in &texts {
        if text.is_characters(&point.input, point.space) && move_numbers(point, text)? {
            return ControlFlow::Continue(true);
        }
    }
    let mut edits: Vec<(usize, Edit<'_>)> = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let own = edits_of(text, &point.input, point.space, dictionary);
        edits.extend(own.into_iter().map(|edit| (i, edit)));
    }
    if edits.len() > most {
        point.oracle.rng().shuffle(&mut edits);
        edits.truncate(most);
    }
    for (i, edit) in edits {
        if point.try_shape(|input, space| edit.apply(&texts[i], input, space))? {
            return ControlFlow::Continue(true);
        }
    }
    ControlFlow::Continue(false)
}

fn texts_that_matter(point: &Point<'_>) -> Vec<Text> {
    let vars = point.vars();
    let mut texts = texts(&point.input, point.space);
    texts.retain(|text| vars.iter().any(|&var| text.holds(var)));
    texts
}

/// One change to a text.
#[derive(Clone, Copy, Debug)]
enum Edit<'d> {
    /// The text becomes this token.
    Become(&'d [u8]),
    /// A token from a place on, over what is there.
    Overwrite(usize, &'d [u8]),
    /// A token at a place, in front of what is there.
    InsertToken(usize, &'d [u8]),
    /// One cell more.
    Insert(usize, u128),
    /// One cell less.
    Remove(usize),
    /// Two neighbours change places.
    Exchange(usize),
}

impl Edit<'_> {
    fn apply(self, text: &Text, input: &mut Input, space: &Space) -> bool {
        let mut cells = text.read(input).to_vec();
        match self {
            Edit::Become(token) => return text.become_token(input, space, token),
            Edit::Overwrite(at, token) => return text.overwrite(input, space, at, token),
            Edit::InsertToken(at, token) => insert(&mut cells, at, token.iter().map(|&b| u128::from(b))),
            Edit::Insert(at, cell) => insert(&mut cells, at, [cell]),
            Edit::Remove(at) => {
                cells.remove(at);
                cells.push(0);
            }
            Edit::Exchange(at) => cells.swap(at, at + 1),
        }
        text.write(input, space, &cells)
    }
}

/// Puts cells in at a place. Zeros at the end make room as long as one of them stays.
fn insert(cells: &mut Vec<u128>, at: usize, new: impl IntoIterator<Item = u128>) {
    let before = cells.len();
    cells.splice(at..at, new);
    while cells.len() > before && cells.ends_with(&[0, 0]) {
        cells.pop();
    }
}

/// The edits of one text: small ones first, place after place, then words.
fn edits_of<'d>(text: &Text, input: &Input, space: &Space, dictionary: &'d Dictionary) -> Vec<Edit<'d>> {
    let cells = text.read(input);
    let is_characters = text.is_characters(input, space);
    // Behind the end of a string nothing is looked at; in an array zero is a number like others.
    let end = if is_characters { length(cells) } else { cells.len() };
    let mut edits = Vec::new();
    for at in 0..=end {
        if at < end {
            edits.push(Edit::Remove(at));
        }
        if at + 1 < cells.len() && cells[at] != cells[at + 1] {
            edits.push(Edit::Exchange(at));
        }
        edits.extend(insertable(text, input, space, dictionary, at).map(|cell| Edit::Insert(at, cell)));
    }
    if is_characters {
        edits.extend(dictionary.tokens.iter().map(|token| Edit::Become(token)));
        for token in &dictionary.tokens {
            edits.extend((0..=end).map(|at| Edit::InsertToken(at, token)));
            edits.extend((0..end).map(|at| Edit::Overwrite(at, token)));
        }
    }
    edits
}

/// Characters of a text before its end.
fn length(cells: &[u128]) -> usize {
    cells.iter().position(|&cell| cell == 0).unwrap_or(cells.len())
}

/// What may be put in at a place: copies of the neighbours, constants of the program, for characters also those of its
/// tokens and one of each class.
fn insertable(
    text: &Text,
    input: &Input,
    space: &Space,
    dictionary: &Dictionary,
    at: usize,
) -> impl Iterator<Item = u128> {
    let (cells, leaf) = (text.read(input), text.leaf(input, space));
    let mut values: Vec<u128> = cells[at.saturating_sub(1)..cells.len().min(at + 1)].to_vec();
    let fits = |&&constant: &&i128| leaf.int_value(leaf.clamp(constant)) == constant;
    let mut known: Vec<u128> =
        dictionary.constants.iter().filter(fits).map(|&constant| leaf.clamp(constant)).collect();
    if text.is_characters(input, space) {
        let of_tokens = dictionary.tokens.iter().flatten().chain(&CLASSES);
        known.extend(of_tokens.map(|&byte| u128::from(byte)));
        known.retain(|&cell| cell != 0);
    }
    known.sort_unstable();
    known.dedup();
    known.retain(|cell| !values.contains(cell));
    values.extend(known);
    values.dedup();
    values.into_iter()
}

/// Every number in digits is a variable: steps of doubling length, as long as they help.
fn move_numbers(point: &mut Point<'_>, text: &Text) -> ControlFlow<(), bool> {
    let cells = text.read(&point.input).to_vec();
    for (start, end) in numbers(&cells) {
        for direction in [1, -1] {
            let number = Number::new(&cells, start, end);
            if number.run(point, text, direction)? {
                return ControlFlow::Continue(true);
            }
        }
    }
    ControlFlow::Continue(false)
}

/// A number in digits, and what stands around it.
struct Number<'c> {
    before: &'c [u128],
    after: &'c [u128],
    value: i128,
    /// Digits that it must have at least.
    width: usize,
}

impl<'c> Number<'c> {
    fn new(cells: &'c [u128], start: usize, end: usize) -> Number<'c> {
        let digits = &cells[start..end];
        let value = digits.iter().fold(0, |value, &digit| value * 10 + digit as i128 - i128::from(b'0'));
        // Zeros in front tell of a field of fixed width.
        let width = if digits[0] == u128::from(b'0') { digits.len() } else { 1 };
        Number { before: &cells[..start], after: &cells[end..], value, width }
    }

    /// A pattern run in one direction. Says whether it helped.
    fn run(&self, point: &mut Point<'_>, text: &Text, direction: i128) -> ControlFlow<(), bool> {
        let (mut here, mut step) = (self.value, direction);
        while here + step >= 0 {
            let cells = self.with(here + step);
            if !point.try_shape(|input, space| text.write(input, space, &cells))? {
                break;
            }
            (here, step) = (here + step, step * 2);
        }
        ControlFlow::Continue(here != self.value)
    }

    /// The text with another number.
    fn with(&self, value: i128) -> Vec<u128> {
        let mut cells = [self.before, self.after].concat();
        let digits = format!("{value:0width$}", width = self.width);
        insert(&mut cells, self.before.len(), digits.bytes().map(u128::from));
        cells
    }
}

/// Where the runs of digits begin and end.
fn numbers(cells: &[u128]) -> Vec<(usize, usize)> {
    let is_digit = |cell: u128| (u128::from(b'0')..=u128::from(b'9')).contains(&cell);
    let mut numbers = Vec::new();
    let mut start = 0;
    while start < cells.len() {
        let size = cells[start..].iter().take_while(|&&cell| is_digit(cell)).count();
        if (1..=MOST_DIGITS).contains(&size) {
            numbers.push((start, start + size));
        }
        start += size + 1;
    }
    numbers
}
