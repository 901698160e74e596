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
use input::{Input, Leaf, LeafKind, LeafTable, Rng, Space, Var};
use std::ops::ControlFlow;

/// Characters worth a try in every text: one of each class that programs tell apart by tables.
const CLASSES: [u8; 5] = [b'a', b'A', b'0', b'1', b' '];
/// Digits of a number that is moved as a whole.
const MOST_DIGITS: usize = 18;
/// Characters of a text where there was none.
const NEW_TEXT: u32 = 15;
/// The farthest a number in digits leaps, as a power of two.
const FAR: u32 = 10;

/// Tries numbers in digits, then at most `most` edits of one place. Says whether one was strictly better; the first that
/// is ends the attempt.
pub(crate) fn edit_texts(
    point: &mut Point<'_>,
    dictionary: &Dictionary,
    most: usize,
) -> ControlFlow<(), bool> {
    if point.space.limits.ways.growth && put_in_texts(point)? {
        return ControlFlow::Continue(true);
    }
    let texts = texts_that_matter(point);
    for text in &texts {
        if !text.is_characters(&point.input, point.space) {
            continue;
        }
        // Who asks for a length often asks for a great one.
        let twice = Editor::new(*text, &point.input, point.space, dictionary).twice();
        if point.try_shapes(twice.map(Edit::change))? {
            return ControlFlow::Continue(true);
        }
        if move_numbers(point, text, dictionary, most)?
            || move_numbers_together(point, text, dictionary, most)?
        {
            return ControlFlow::Continue(true);
        }
    }
    let mut edits = Vec::new();
    for &text in &texts {
        edits.extend(Editor::new(text, &point.input, point.space, dictionary).edits());
    }
    if edits.len() > most {
        point.oracle.rng().shuffle(&mut edits);
        edits.truncate(most);
    }
    point.try_shapes(edits.into_iter().map(Edit::change))
}

/// Lets null pointers to characters lead to a text: an empty one may be worse than none, and a longer one better.
fn put_in_texts(point: &mut Point<'_>) -> ControlFlow<(), bool> {
    let is_text = |table: &LeafTable| {
        matches!(&table.leaves[..], [Leaf { width: 8, kind: LeafKind::Int { signed: true }, .. }])
    };
    let leads_to_text = |var: &Var| match point.leaf(*var).kind {
        LeafKind::Pointer { to: Some(to), .. } => {
            point.input.cell(*var) == 0 && is_text(point.space.table(to))
        }
        _ => false,
    };
    let empty: Vec<Var> = point.vars().into_iter().filter(leads_to_text).collect();
    point.try_shapes(empty.into_iter().map(|var| {
        move |input: &mut Input, space: &Space| {
            let object = input.objects.len();
            let is_new = input.point_to_new(space, var, NEW_TEXT + 1);
            if is_new {
                input.objects[object].cells[..NEW_TEXT as usize].fill(CLASSES[0].into());
            }
            is_new
        }
    }))
}

/// Several characters at once, where one alone makes no difference: the second of two digits that must be there.
/// At most `most` tries.
pub(crate) fn random_edits(
    point: &mut Point<'_>,
    dictionary: &Dictionary,
    most: usize,
) -> ControlFlow<(), bool> {
    let mut texts = texts_that_matter(point);
    texts.retain(|text| text.is_characters(&point.input, point.space));
    if texts.is_empty() {
        return ControlFlow::Continue(false);
    }
    let editors: Vec<Editor<'_>> =
        texts.iter().map(|&text| Editor::new(text, &point.input, point.space, dictionary)).collect();
    let rng = point.oracle.rng();
    let edits: Vec<Edit> = (0..most).map(|_| editors[rng.usize(..editors.len())].random(rng)).collect();
    point.try_shapes(edits.into_iter().map(Edit::change))
}

fn texts_that_matter(point: &Point<'_>) -> Vec<Text> {
    let vars = point.vars();
    let mut texts = texts(&point.input, point.space);
    texts.retain(|text| vars.iter().any(|&var| text.holds(var)));
    texts
}

/// One change to a text: other cells in the place of some.
#[derive(Clone, Debug)]
struct Edit {
    text: Text,
    at: usize,
    /// How many cells go.
    over: usize,
    new: Vec<u128>,
}

impl Edit {
    fn change(self) -> impl FnOnce(&mut Input, &Space) -> bool {
        |input, space| self.apply(input, space)
    }

    fn apply(self, input: &mut Input, space: &Space) -> bool {
        let mut cells = self.text.read(input).to_vec();
        replace(&mut cells, self.at, self.over, self.new);
        // What was a string, or may be meant as one, keeps an end.
        if self.text.is_characters(input, space) && cells.last() != Some(&0) {
            cells.push(0);
        }
        self.text.write(input, space, &cells)
    }
}

/// Puts cells in the place of others. Zeros at the end make room as long as one of them stays.
fn replace(cells: &mut Vec<u128>, at: usize, over: usize, new: impl IntoIterator<Item = u128>) {
    let before = cells.len();
    let end = before.min(at + over);
    cells.splice(at..end, new);
    while cells.len() > before && cells.ends_with(&[0, 0]) {
        cells.pop();
    }
}

/// Makes edits of one text.
struct Editor<'d> {
    text: Text,
    cells: Vec<u128>,
    /// Behind the end of a string nothing is looked at; in an array zero is a number like others.
    end: usize,
    /// Values worth a try: constants of the program, for characters also those of its words and one of each class.
    known: Vec<u128>,
    /// Words of the program; none for arrays of other numbers.
    words: &'d [Vec<u8>],
}

impl<'d> Editor<'d> {
    fn new(text: Text, input: &Input, space: &Space, dictionary: &'d Dictionary) -> Editor<'d> {
        let leaf = text.leaf(input, space);
        let cells = text.read(input).to_vec();
        let fits = |&&constant: &&i128| leaf.int_value(leaf.clamp(constant)) == constant;
        let mut known: Vec<u128> =
            dictionary.constants.iter().filter(fits).map(|&constant| leaf.clamp(constant)).collect();
        let (mut end, mut words) = (cells.len(), &[][..]);
        if text.is_characters(input, space) {
            end = cells.iter().position(|&cell| cell == 0).unwrap_or(end);
            words = &dictionary.tokens[..];
            known.extend(words.iter().flatten().chain(&CLASSES).map(|&byte| u128::from(byte)));
            known.retain(|&cell| cell != 0);
        }
        known.sort_unstable();
        known.dedup();
        Editor { text, cells, end, known, words }
    }

    fn edit(&self, at: usize, over: usize, new: impl IntoIterator<Item = u128>) -> Edit {
        Edit { text: self.text, at, over, new: new.into_iter().collect() }
    }

    /// The string twice, if it is not empty.
    fn twice(&self) -> Option<Edit> {
        (self.end > 0).then(|| self.edit(self.end, 0, self.cells[..self.end].to_vec()))
    }

    /// Words in the place of all, and all edits of one place: a cell less, two exchanged, a cell more, a word.
    fn edits(&self) -> Vec<Edit> {
        let cells = |word: &[u8]| word.iter().map(|&byte| u128::from(byte)).collect::<Vec<_>>();
        let whole = self.words.iter().map(|word| self.edit(0, self.cells.len(), cells(word)));
        let mut edits: Vec<Edit> = whole.collect();
        for at in 0..=self.end {
            if at < self.end {
                edits.push(self.edit(at, 1, []));
            }
            if let [a, b, ..] = self.cells[at..]
                && a != b
            {
                edits.push(self.edit(at, 2, [b, a]));
            }
            let neighbours = &self.cells[at.saturating_sub(1)..self.cells.len().min(at + 1)];
            let others = self.known.iter().filter(|cell| !neighbours.contains(cell));
            edits.extend(neighbours.iter().chain(others).map(|&cell| self.edit(at, 0, [cell])));
        }
        for word in self.words {
            for at in 0..=self.end {
                edits.extend([0, word.len()].map(|over| self.edit(at, over, cells(word))));
            }
        }
        edits
    }

    /// A few characters, put in or written over others, often at the end.
    fn random(&self, rng: &mut Rng) -> Edit {
        let at = if rng.u8(..3) == 0 { self.end } else { rng.usize(..=self.end) };
        let new = match rng.u8(..8) {
            0 if !self.words.is_empty() => {
                let word = &self.words[rng.usize(..self.words.len())];
                word.iter().map(|&byte| u128::from(byte)).chain([self.character(rng)]).collect()
            }
            1 if self.end > 1 => {
                let start = rng.usize(..self.end);
                self.cells[start..self.end.min(start + rng.usize(1..=4))].to_vec()
            }
            _ => (0..rng.usize(2..=4)).map(|_| self.character(rng)).collect::<Vec<_>>(),
        };
        self.edit(at, if rng.bool() { 0 } else { new.len() }, new)
    }

    /// A character worth a try; those that the program names are often no characters.
    fn character(&self, rng: &mut Rng) -> u128 {
        if rng.bool() || self.known.is_empty() {
            u128::from(CLASSES[rng.usize(..CLASSES.len())])
        } else {
            self.known[rng.usize(..self.known.len())]
        }
    }
}

/// Every number in digits is a variable: steps of doubling length as long as they help, then far away, then the
/// constants of the program.
fn move_numbers(
    point: &mut Point<'_>,
    text: &Text,
    dictionary: &Dictionary,
    most: usize,
) -> ControlFlow<(), bool> {
    let cells = text.read(&point.input).to_vec();
    for (start, end) in numbers(&cells) {
        let number = Number::new(&cells, start, end);
        if number.run(point, text, 1)? || number.run(point, text, -1)? {
            return ControlFlow::Continue(true);
        }
        let far = (1..=FAR).flat_map(|k| [number.value + (1 << k), number.value - (1 << k)]);
        let others = far.chain(dictionary.constants.iter().copied()).filter(|&value| value >= 0);
        for value in others.take(most) {
            if number.try_value(point, text, value)? {
                return ControlFlow::Continue(true);
            }
        }
    }
    ControlFlow::Continue(false)
}

/// Numbers in digits that count together, as the parts of an address do: all become one constant of the program, or one
/// gives or takes a unit and its neighbour becomes a constant.
fn move_numbers_together(
    point: &mut Point<'_>,
    text: &Text,
    dictionary: &Dictionary,
    most: usize,
) -> ControlFlow<(), bool> {
    let cells = text.read(&point.input).to_vec();
    let places = numbers(&cells);
    let values: Vec<i128> =
        places.iter().map(|&(start, end)| Number::new(&cells, start, end).value).collect();
    if values.len() < 2 {
        return ControlFlow::Continue(false);
    }
    let mut tries = Vec::new();
    for &constant in dictionary.constants.iter().filter(|&&constant| constant >= 0) {
        tries.push(vec![constant; values.len()]);
        for i in 1..values.len() {
            for step in [-1, 1] {
                let mut others = values.clone();
                (others[i - 1], others[i]) = ((values[i - 1] + step).max(0), constant);
                tries.push(others);
            }
        }
    }
    for others in tries.into_iter().take(most) {
        let mut changed = cells.clone();
        // From the last to the first, so that places stay what they are.
        for (&(start, end), &value) in places.iter().zip(&others).rev() {
            changed = Number::new(&changed, start, end).with(value);
        }
        if point.try_shape(|input, space| text.write(input, space, &changed))? {
            return ControlFlow::Continue(true);
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
            if !self.try_value(point, text, here + step)? {
                break;
            }
            (here, step) = (here + step, step * 2);
        }
        ControlFlow::Continue(here != self.value)
    }

    fn try_value(&self, point: &mut Point<'_>, text: &Text, value: i128) -> ControlFlow<(), bool> {
        let cells = self.with(value);
        point.try_shape(|input, space| text.write(input, space, &cells))
    }

    /// The text with another number.
    fn with(&self, value: i128) -> Vec<u128> {
        let mut cells = [self.before, self.after].concat();
        let digits = format!("{value:0width$}", width = self.width);
        replace(&mut cells, self.before.len(), 0, digits.bytes().map(u128::from));
        cells
    }
}

/// Changes a text near a place by chance: a number in digits becomes another, elsewhere a few characters are put in or
/// written over. Says whether anything changed.
pub(crate) fn disturb(
    text: Text,
    at: usize,
    input: &mut Input,
    space: &Space,
    rng: &mut Rng,
    dictionary: &Dictionary,
) -> bool {
    let cells = text.read(input).to_vec();
    match numbers(&cells).into_iter().find(|&(start, end)| (start..end).contains(&at)) {
        Some((start, end)) => {
            let most = 10i128.pow(1 + (end - start).min(MOST_DIGITS - 1) as u32);
            let other = Number::new(&cells, start, end).with(rng.i128(0..most));
            text.write(input, space, &other)
        }
        None => Editor::new(text, input, space, dictionary).random(rng).apply(input, space),
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
