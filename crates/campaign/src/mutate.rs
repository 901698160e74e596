//! Blind changes to inputs that reached something: what a genetic search does with text.
//!
//! Programs read text, and most of what they do with it shows after a change that is easy to make and hard to derive:
//! a character doubled, a piece of another input put in. Such a run costs a fraction of a traced one. What terms say
//! about an input is used nevertheless: cells that none of its decisions speaks of are seldom changed.

use expr::mask;
use input::{Input, LeafKind, Rng, Space};

/// Changes made to one input before it is run; mostly fewer.
const MOST_CHANGES: usize = 8;
/// Of ten changes, so many keep to the cells that matter.
const FOCUS: u32 = 8;

/// What can be changed in inputs of one shape.
pub(crate) struct Mutator {
    texts: Vec<Text>,
    numbers: Vec<Number>,
    /// Bytes that the program compares with.
    constants: Vec<u8>,
}

/// Bytes in a row.
struct Text {
    object: usize,
    size: usize,
    /// The number of its first cell when the cells of all objects are counted.
    first: usize,
    /// The object that says how many of them count.
    length: Option<usize>,
}

struct Number {
    object: usize,
    cell: usize,
    width: u32,
}

/// An input, and what is known about it.
pub(crate) struct Parent<'p> {
    pub(crate) input: &'p Input,
    /// Sorted numbers of the cells that its decisions hang on; empty if unknown.
    pub(crate) matters: &'p [u32],
}

impl Mutator {
    /// `None` if there is nothing to change.
    pub(crate) fn new(space: &Space, shape: &Input, constants: &[i128]) -> Option<Mutator> {
        let bytes = constants.iter().filter_map(|&constant| u8::try_from(constant).ok());
        let constants = bytes.filter(|&byte| byte != 0).collect();
        let mut mutator = Mutator { texts: Vec::new(), numbers: Vec::new(), constants };
        let mut first = 0;
        for (object, value) in shape.objects.iter().enumerate() {
            let leaves = &space.table(value.table).leaves;
            let size = value.cells.len();
            let is_byte = |leaf: &input::Leaf| leaf.width == 8 && matches!(leaf.kind, LeafKind::Int { .. });
            let before = mutator.texts.last_mut().filter(|text| text.object + 1 == object);
            if size > 1 && leaves.iter().all(is_byte) {
                mutator.texts.push(Text { object, size, first, length: None });
            } else if let (Some(text), [leaf]) = (before, &leaves[..])
                && leaf.range.bounds.is_some_and(|(_, most)| most == Some(text.size as i128))
            {
                text.length = Some(object);
            } else if !leaves.is_empty() {
                let leaf = |cell: usize| &leaves[cell % leaves.len()];
                let is_number =
                    |&cell: &usize| matches!(leaf(cell).kind, LeafKind::Int { .. } | LeafKind::Float(_));
                let numbers = (0..size).filter(is_number);
                let number = |cell| Number { object, cell, width: u32::from(leaf(cell).width) };
                mutator.numbers.extend(numbers.map(number));
            }
            first += size;
        }
        (!mutator.texts.is_empty() || !mutator.numbers.is_empty()).then_some(mutator)
    }

    /// A changed copy; `other` gives pieces.
    pub(crate) fn child(&self, parent: &Parent<'_>, other: &Input, rng: &mut Rng) -> Input {
        let mut input = parent.input.clone();
        let mut changes = 1;
        while changes < MOST_CHANGES && rng.bool() {
            changes += 1;
        }
        // A text is changed more often than a number: it has more places.
        let kinds = self.texts.len() * 4 + self.numbers.len().min(4);
        for _ in 0..changes {
            match self.texts.get(rng.usize(0..kinds) / 4) {
                Some(text) => self.change_text(text, parent, &mut input, other, rng),
                None => self.change_number(&mut input, other, rng),
            }
        }
        input
    }

    fn change_number(&self, input: &mut Input, other: &Input, rng: &mut Rng) {
        let Number { object, cell, width } = self.numbers[rng.usize(0..self.numbers.len())];
        let value = &mut input.objects[object].cells[cell];
        let changed = match rng.usize(0..6) {
            0 => value.wrapping_add(1),
            1 => value.wrapping_sub(1),
            2 => *value ^ 1 << rng.u32(0..width),
            3 => other.objects[object].cells[cell],
            4 => rng.u128(..),
            _ => u128::from(rng.u8(..)),
        };
        *value = changed & mask(width);
    }

    fn change_text(&self, text: &Text, parent: &Parent<'_>, input: &mut Input, other: &Input, rng: &mut Rng) {
        let length = text.length(input);
        let at = text.place(parent, length, rng);
        let cells = &mut input.objects[text.object].cells;
        let rest = text.size - at;
        match rng.usize(0..10) {
            0..=2 => cells[at] = self.byte(rng).into(),
            3 => cells[at] ^= 1 << rng.u32(0..8),
            4 => {
                cells[at..].rotate_right(1);
                cells[at] = self.byte(rng).into();
            }
            5 => {
                cells[at..].rotate_left(1);
                cells[text.size - 1] = 0;
            }
            6 => {
                // A piece of the text once more.
                let from = rng.usize(0..length.max(1));
                let count = (1 + rng.usize(0..8)).min(rest).min(text.size - from);
                let piece = cells[from..from + count].to_vec();
                cells[at..at + count].copy_from_slice(&piece);
            }
            7 => {
                let from = rng.usize(0..text.size);
                let count = (1 + rng.usize(0..8)).min(rest).min(text.size - from);
                let piece = &other.objects[text.object].cells[from..from + count];
                cells[at..at + count].copy_from_slice(piece);
            }
            8 => cells.copy_from_slice(&other.objects[text.object].cells),
            _ => cells[at..].fill(0),
        }
        text.set_length(input, at, rng);
    }

    /// A byte that programs know, or any.
    fn byte(&self, rng: &mut Rng) -> u8 {
        match rng.usize(0..8) {
            0 => rng.u8(..),
            1..=3 if !self.constants.is_empty() => self.constants[rng.usize(0..self.constants.len())],
            _ => rng.u8(b' '..=b'~'),
        }
    }
}

impl Text {
    /// The bytes that count: as many as their number says, or up to the last that is not zero.
    fn length(&self, input: &Input) -> usize {
        let cells = &input.objects[self.object].cells;
        match self.length {
            Some(number) => input.objects[number].cells.first().map_or(0, |&n| (n as usize).min(self.size)),
            None => cells.iter().rposition(|&cell| cell != 0).map_or(0, |last| last + 1),
        }
    }

    /// Where to change something: where it matters, or up to one behind the end.
    fn place(&self, parent: &Parent<'_>, length: usize, rng: &mut Rng) -> usize {
        let cells = self.first as u32..(self.first + self.size) as u32;
        let from = parent.matters.partition_point(|&cell| cell < cells.start);
        let to = parent.matters.partition_point(|&cell| cell < cells.end);
        if from < to && rng.u32(0..10) < FOCUS {
            return parent.matters[rng.usize(from..to)] as usize - self.first;
        }
        rng.usize(0..(length + 1).min(self.size))
    }

    /// Lets at least the changed byte count, and sometimes more or fewer.
    fn set_length(&self, input: &mut Input, at: usize, rng: &mut Rng) {
        let Some(number) = self.length else { return };
        let length = &mut input.objects[number].cells[0];
        *length = match rng.usize(0..16) {
            0 => rng.usize(0..=self.size) as u128,
            _ => (*length).max(at as u128 + 1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use input::{RangeRule, SpaceLimits};
    use model::{Function, Param, Program, Type, TypeKind, Types};
    use std::collections::HashSet;

    /// A text of so many bytes, and a number that says how many of them count.
    fn text_space(bytes: u64) -> Space {
        let mut types = Types::default();
        let mut add = |kind, size| types.push(Type { kind, size, align: 1, name: None });
        let letter = add(TypeKind::Int { bits: 8, signed: false, character: true }, 1);
        let text = add(TypeKind::Array { of: letter, len: Some(bytes) }, bytes);
        let number = add(TypeKind::Int { bits: 32, signed: false, character: false }, 4);
        let param = |name: &str, ty, offset| Param { name: name.to_owned(), ty, offset };
        let params = vec![param("text", text, 0), param("length", number, 64)];
        let function = Function { params, ..model::testing::function("f") };
        let program = Program { types, ..Program::default() };
        let most = Some(i128::from(bytes));
        let rule = RangeRule { target: "length".to_owned(), min: Some(0), max: most, exclude: Vec::new() };
        Space::new(&program, &function, SpaceLimits::default(), &[rule]).expect("numbers")
    }

    #[test]
    fn children_differ_where_it_matters_and_stay_in_their_ranges() {
        let space = text_space(12);
        let parent = Input::zero(&space);
        let mutator = Mutator::new(&space, &parent, &[i128::from(b'!')]).expect("there is a text");
        assert_eq!(mutator.texts.len(), 1);
        assert_eq!(mutator.texts[0].length, Some(1), "the number behind the text is its length");
        let mut rng = Rng::with_seed(1);
        let mut places = HashSet::new();
        for _ in 0..2000 {
            let matters = [3, 4];
            let child = mutator.child(&Parent { input: &parent, matters: &matters }, &parent, &mut rng);
            let cells = &child.objects[0].cells;
            assert!(cells.iter().all(|&cell| cell < 256) && child.objects[1].cells[0] <= 12);
            let last = cells.iter().rposition(|&cell| cell != 0);
            places.extend(last);
        }
        assert!(places.contains(&3) && places.contains(&4), "{places:?}");
    }

    #[test]
    fn equal_chance_gives_equal_children() {
        let space = text_space(6);
        let parent = Input::zero(&space);
        let mutator = Mutator::new(&space, &parent, &[]).expect("there is a text");
        let children = |seed| {
            let mut rng = Rng::with_seed(seed);
            let parent = Parent { input: &parent, matters: &[] };
            (0..50).map(|_| mutator.child(&parent, parent.input, &mut rng)).collect::<Vec<_>>()
        };
        assert_eq!(children(7), children(7));
        assert_ne!(children(7), children(8));
    }
}
