//! Texts of the input whose length hangs on their characters: they end where a zero is.
//!
//! ```text
//! cells  c₀ c₁ c₂ c₃ = "ab\0\0"     length     c₀ = 0 ? 0 : c₁ = 0 ? 1 : c₂ = 0 ? 2 : c₃ = 0 ? 3 : 4
//!                                    is "xyz"   c₀ = x and c₁ = y and c₂ = z and c₃ = 0
//! ```
//!
//! So a solver finds longer and shorter texts as well as others of the same length. Where the cells are too few for what is asked, that is
//! told as a [`Lack`]. Methods that are not known here see a text of the length that it has, which may change all the same.

use super::Guess;
use crate::frame::Call;
use crate::heap::{Content, ObjectId, OpenText};
use crate::machine::Machine;
use crate::outcome::{Lack, What};
use crate::value::{Number, Reference, Value};
use expr::{Op, Term};
use java_classfile::instruction::{Const, NumericKind};
use java_classfile::{Instruction, Pc};
use smallvec::smallvec;
use std::rc::Rc;

/// Texts of which the end is asked for have so many cells: how many there are is the length that a solver can choose.
const ROOM: usize = 12;
/// Constants that a text is compared with in place of their hashes.
const CONSTANTS: usize = 64;

const END: Number = Number { kind: NumericKind::Int, bits: 0, term: None };

impl Machine<'_, '_> {
    /// The text that a reference leads to, if its length hangs on the input.
    pub(super) fn open_of(&self, value: Value) -> Option<Rc<OpenText>> {
        let Value::Reference(Reference { object: Some(object), .. }) = value else { return None };
        match &self.heap.object(object).content {
            Content::Open(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// A method of `String` on such a text, or with one.
    pub(super) fn open_text(&mut self, name: &str, call: &Call) -> Option<Guess> {
        let (receiver, argument) = (*call.arguments.first()?, call.arguments.get(1).copied());
        let has_one = call.called.descriptor.parameters.len() == 1;
        if let (true, Some(argument)) = (has_one, argument) {
            match name {
                "equals" | "contentEquals" => {
                    return self.open_equals(receiver, argument, false).map(Guess::Number);
                }
                "equalsIgnoreCase" => return self.open_equals(receiver, argument, true).map(Guess::Number),
                _ => {}
            }
        }
        let text = self.open_of(receiver)?;
        match (name, argument) {
            ("length", None) => Some(Guess::Number(self.open_length(&text))),
            ("isEmpty", None) => {
                let first = *text.cells.first()?;
                let is_end = self.predicate(Op::Eq, first, END);
                Some(Guess::Number(self.boolean(text.length == 0, is_end)))
            }
            ("toString", None) => match receiver {
                Value::Reference(itself) => Some(Guess::Same(itself)),
                _ => None,
            },
            ("hashCode", None) => {
                self.open_hash(receiver);
                None
            }
            ("startsWith", Some(prefix)) if has_one => {
                let prefix = self.closed(prefix)?;
                Some(Guess::Number(self.open_starts_with(&text, &prefix)))
            }
            ("indexOf", Some(Value::Number(character))) if has_one => {
                Some(Guess::Number(self.open_index_of(&text, character)))
            }
            ("contains", Some(part)) => {
                let part = self.closed(part)?;
                Some(Guess::Number(self.open_contains(&text, &part)))
            }
            _ => None,
        }
    }

    /// The characters of a text whose length does not hang on the input, and that has no zeros.
    fn closed(&mut self, value: Value) -> Option<Rc<[Number]>> {
        if self.open_of(value).is_some() {
            return None;
        }
        self.characters_of(value)
            .filter(|text| text.iter().all(|character| character.term.is_none() && character.bits != 0))
    }

    /// Where the first zero is.
    pub(super) fn open_length(&mut self, text: &OpenText) -> Number {
        self.want_end(text);
        let mut length = Number::int(text.cells.len() as i32);
        for (at, &cell) in text.cells.iter().enumerate().rev() {
            let is_end = self.predicate(Op::Eq, cell, END);
            length = self.choose(is_end, cell.bits == 0, Number::int(at as i32), length);
        }
        length
    }

    /// Whether one of two texts, whose length hangs on the input, is the other.
    pub(super) fn open_equals(&mut self, a: Value, b: Value, any_case: bool) -> Option<Number> {
        let (open, other) = match (self.open_of(a), self.open_of(b)) {
            (Some(open), None) => (open, self.closed(b)?),
            (None, Some(open)) => (open, self.closed(a)?),
            _ => return None,
        };
        let Some(cells) = open.cells.get(..other.len()) else {
            self.lack(&open, other.len() + 1);
            return Some(Number::int(0));
        };
        let (mut cells, mut other) = (cells.to_vec(), other.to_vec());
        if any_case {
            if cells.iter().chain(&other).any(|character| character.bits >= 128) {
                return None;
            }
            for character in cells.iter_mut().chain(&mut other) {
                *character = self.lower_case(*character);
            }
        }
        let mut term = self.all_equal(&cells, &other);
        let mut holds = cells.iter().zip(&other).all(|(a, b)| a.bits == b.bits);
        if let Some(&end) = open.cells.get(other.len()) {
            let is_end = self.predicate(Op::Eq, end, END);
            term = self.and(term, is_end);
            holds &= end.bits == 0;
        }
        Some(self.boolean(holds, term))
    }

    fn open_starts_with(&mut self, text: &OpenText, prefix: &[Number]) -> Number {
        let Some(cells) = text.cells.get(..prefix.len()) else {
            self.lack(text, prefix.len() + 1);
            return Number::int(0);
        };
        let holds = cells.iter().zip(prefix).all(|(a, b)| a.bits == b.bits);
        let term = self.all_equal(cells, prefix);
        self.boolean(holds, term)
    }

    /// The first place of a character that is before the end. A zero is nowhere: where it would be, the text ends.
    fn open_index_of(&mut self, text: &OpenText, character: Number) -> Number {
        self.want_end(text);
        let nowhere = Number::int(-1);
        let mut index = nowhere;
        for (at, &cell) in text.cells.iter().enumerate().rev() {
            let is_it = self.predicate(Op::Eq, cell, character);
            index = self.choose(is_it, cell.bits == character.bits, Number::int(at as i32), index);
            let is_end = self.predicate(Op::Eq, cell, END);
            index = self.choose(is_end, cell.bits == 0, nowhere, index);
        }
        index
    }

    fn open_contains(&mut self, text: &OpenText, part: &[Number]) -> Number {
        if text.cells.len() < part.len() {
            self.lack(text, part.len() + 1);
            return Number::int(0);
        }
        let mut term = self.terms.truth(false);
        for start in (0..=text.cells.len() - part.len()).rev() {
            // It is further behind, if the text goes on, or it is here.
            let cell = text.cells.get(start).copied().unwrap_or(END);
            let is_end = self.predicate(Op::Eq, cell, END);
            let goes_on = self.terms.not(is_end);
            let behind = self.and(goes_on, term);
            let here = self.all_equal(&text.cells[start..start + part.len()], part);
            term = self.or(here, behind);
        }
        let shown = &text.cells[..text.length];
        let is_here = |window: &[Number]| window.iter().zip(part).all(|(a, b)| a.bits == b.bits);
        let holds = part.is_empty() || shown.windows(part.len()).any(is_here);
        self.boolean(holds, term)
    }

    /// A switch over texts asks for the hash first. No solver finds a text with a given hash, but it is one of the constants that are
    /// meant, so whether the text is one of these is decided here.
    fn open_hash(&mut self, value: Value) {
        let Some(frame) = self.frames.last() else { return };
        let (code, pool) = (frame.method.code, &frame.method.file.pool);
        let mut constants: Vec<Value> = Vec::new();
        for (_, instruction) in &code.instructions {
            if let Instruction::Push(Const::String(index)) = instruction
                && let Ok(text) = pool.string(*index)
                && constants.len() < CONSTANTS
            {
                constants.push(Value::Reference(Reference::to(self.heap.text(&text.units()))));
            }
        }
        for constant in constants {
            let Some(Number { bits, term: Some(is_it), .. }) = self.open_equals(value, constant, false)
            else {
                continue;
            };
            let is_it = self.terms.extract(is_it, 0, 1);
            let is_not = self.terms.not(is_it);
            let (taken, other) = if bits == 1 { (is_it, is_not) } else { (is_not, is_it) };
            self.decide_freely(taken, other);
        }
    }

    /// A text without a zero may go on if there were more cells.
    fn want_end(&mut self, text: &OpenText) {
        if text.length == text.cells.len() || text.cells.len() < ROOM {
            self.lack(text, ROOM.max(text.cells.len() + 1));
        }
    }

    fn lack(&mut self, text: &OpenText, cells: usize) {
        let most = self.lack.filter(|lack| lack.slot == text.slot).map_or(0, |lack| lack.cells);
        if self.lack.is_none_or(|lack| lack.slot == text.slot) {
            self.lack = Some(Lack { slot: text.slot, cells: most.max(cells as u32) });
        }
    }

    /// From here on the text has the length that it has.
    pub(crate) fn close(&mut self, object: ObjectId) {
        let Content::Open(text) = &self.heap.object(object).content else { return };
        let text = text.clone();
        for (at, &cell) in text.cells.iter().enumerate().take(text.length + 1) {
            let is_end = self.predicate(Op::Eq, cell, END);
            let goes_on = self.terms.not(is_end);
            let (taken, other) = if at == text.length { (is_end, goes_on) } else { (goes_on, is_end) };
            self.decide_freely(taken, other);
        }
        self.heap.object_mut(object).content = Content::Text(text.cells[..text.length].into());
    }

    /// A decision that no branch of the program stands for.
    pub(crate) fn decide_freely(&mut self, taken: Term, other: Term) {
        if self.open(taken).is_some() {
            self.decide(What::Pin, Some(taken), smallvec![(Pc::MAX, other)]);
        }
    }
}
