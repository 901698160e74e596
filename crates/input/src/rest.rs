//! Arguments behind `...`, or in a `va_list`.

use crate::leaf::{Place, Space};
use crate::value::{Input, Pointer, Var};
use model::rest::{NUMBERS, WORDS, Word};

/// Cells of one number: its value, and its place among the words.
const PER_NUMBER: u32 = 2;
/// Cells of one word: which member it is, and the members but for the first.
const PER_WORD: u32 = Word::ALL.len() as u32;
const FIRST_WORD: u32 = NUMBERS * PER_NUMBER;

/// The type of an argument behind `...`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtraKind {
    /// An `int`; the low half of its cell counts.
    Int,
    /// A `long`.
    Long,
    /// A `double`.
    Double,
    /// A pointer to anything.
    Pointer,
}

/// An argument behind `...`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extra {
    /// Its type.
    pub kind: ExtraKind,
    /// Its value; `None` for one that nobody reads but that has others behind it.
    pub var: Option<Var>,
}

/// That a run read an argument behind `...`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtraRead {
    /// The word of this number.
    Word(u32, ExtraKind),
    /// The floating-point number of this number.
    Number(u32),
    /// Something that no argument can be made for.
    Other,
}

/// What became of an input whose run read arguments behind `...`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// It has just these arguments.
    Same,
    /// It has them now.
    Changed,
    /// There is no way to pass them.
    Impossible,
}

impl Space {
    /// The root that holds the arguments behind `...`.
    #[must_use]
    pub fn rest(&self) -> Option<u32> {
        self.roots.iter().position(|root| matches!(root.place, Place::Rest { .. })).map(|root| root as u32)
    }
}

impl Input {
    /// Whether a cell only says how arguments behind `...` are written down.
    pub(crate) fn is_about_rest(&self, space: &Space, var: Var) -> bool {
        let is_rest = |root: &crate::Root| matches!(root.place, Place::Rest { .. });
        space.roots.get(var.object as usize).is_some_and(is_rest)
            && match var.cell.checked_sub(FIRST_WORD) {
                Some(cell) => cell % PER_WORD == 0,
                None => var.cell % PER_NUMBER == 1,
            }
    }

    /// The arguments behind `...` in order.
    #[must_use]
    pub fn extras(&self, space: &Space) -> Vec<Extra> {
        let Some(object) = space.rest() else { return Vec::new() };
        let mut all = Vec::new();
        let words: Vec<Word> = (0..WORDS).map(|word| self.word(object, word)).collect();
        let present = words.iter().rposition(|&word| word != Word::Absent).map_or(0, |last| last + 1);
        for index in 0..=WORDS {
            all.extend((0..NUMBERS).map(|number| number * PER_NUMBER).filter_map(|cell| {
                let is_here = self.cell(Var { object, cell: cell + 1 }) == u128::from(index + 1);
                is_here.then_some(Extra { kind: ExtraKind::Double, var: Some(Var { object, cell }) })
            }));
            if index as usize >= present {
                continue;
            }
            let word = words[index as usize];
            let kind = match word {
                Word::Absent | Word::Int => ExtraKind::Int,
                Word::Long => ExtraKind::Long,
                Word::Pointer => ExtraKind::Pointer,
            };
            let var = (word != Word::Absent).then(|| member(object, index, word));
            all.push(Extra { kind, var });
        }
        all
    }

    /// Gives an input the arguments behind `...` that its run read, in the order in which it did; their values stay.
    pub fn settle(&mut self, space: &Space, reads: &[ExtraRead]) -> Settled {
        let Some(object) = space.rest() else { return Settled::Same };
        let mut words = [Word::Absent; WORDS as usize];
        let mut places = [0; NUMBERS as usize];
        let mut before = 0;
        for &read in reads {
            match read {
                ExtraRead::Word(index, kind) if index < WORDS && kind != ExtraKind::Double => {
                    before = before.max(index + 1);
                    words[index as usize] = match kind {
                        ExtraKind::Pointer => Word::Pointer,
                        ExtraKind::Long => Word::Long,
                        ExtraKind::Int | ExtraKind::Double => Word::Int,
                    };
                }
                ExtraRead::Number(index) if index < NUMBERS => places[index as usize] = before + 1,
                _ => return Settled::Impossible,
            }
        }
        let old = self.clone();
        for (number, &place) in (0..).zip(&places) {
            let cell = number * PER_NUMBER;
            *self.cell_mut(Var { object, cell: cell + 1 }) = place.into();
            if place == 0 {
                *self.cell_mut(Var { object, cell }) = 0;
            }
        }
        for (index, &word) in (0..).zip(&words) {
            let was = old.word(object, index);
            let value = old.cell(member(object, index, was));
            let is_kept = was != Word::Absent && (was == Word::Pointer) == (word == Word::Pointer);
            for other in Word::ALL {
                *self.cell_mut(member(object, index, other)) = match other {
                    Word::Absent => word as u128,
                    _ if other == word && is_kept => value,
                    Word::Pointer => Pointer::Null.encode(),
                    Word::Int | Word::Long => 0,
                };
            }
        }
        self.drop_unreachable(space);
        if *self == old { Settled::Same } else { Settled::Changed }
    }

    fn word(&self, object: u32, index: u32) -> Word {
        let chosen = self.cell(member(object, index, Word::Absent));
        Word::ALL.get(chosen as usize).copied().unwrap_or(Word::Absent)
    }
}

/// The cell of a member of a word; in the place of the first stands which one it is.
fn member(object: u32, index: u32, word: Word) -> Var {
    Var { object, cell: FIRST_WORD + index * PER_WORD + word as u32 }
}
