//! Methods of `String`, on texts whose characters are known.

use super::Guess;
use crate::Arrays;
use crate::frame::Call;
use crate::heap::Content;
use crate::machine::Machine;
use crate::outcome::{Check, What};
use crate::value::{Number, Reference, Value};
use expr::{Op, Term};
use smallvec::SmallVec;
use std::rc::Rc;

type Text = Rc<[Number]>;

impl Machine<'_, '_> {
    /// The characters of a text. If its length hangs on the input, it is taken as it is.
    pub(crate) fn characters_of(&mut self, value: Value) -> Option<Text> {
        let Value::Reference(Reference { object: Some(object), .. }) = value else { return None };
        self.close(object);
        self.fold(object);
        self.heap.characters(object)
    }

    pub(super) fn text(&mut self, name: &str, call: &Call) -> Option<Guess> {
        if !call.has_receiver {
            return self.static_text(name, call);
        }
        if let Some(guess) = self.open_text(name, call) {
            return Some(guess);
        }
        if name == "charAt" && call.called.descriptor.parameters.len() == 1 {
            return self.character_at(call).map(Guess::Number);
        }
        if name == "hashCode" && self.open_of(*call.arguments.first()?).is_some() {
            return None;
        }
        let receiver = self.characters_of(*call.arguments.first()?)?;
        let &Value::Reference(itself) = call.arguments.first()? else { return None };
        let parameters = call.called.descriptor.parameters.len();
        match (name, parameters) {
            ("length", 0) => Some(Guess::Number(Number::int(receiver.len() as i32))),
            ("isEmpty", 0) => Some(Guess::Number(Number::int(receiver.is_empty().into()))),
            ("toString" | "intern", 0) if name == "toString" => Some(Guess::Same(itself)),
            ("hashCode", 0) => Some(Guess::Number(self.hash(&receiver))),
            ("toCharArray", 0) => Some(Guess::Characters(receiver)),
            ("toLowerCase" | "toUpperCase", _) => self.other_case(name == "toLowerCase", &receiver, itself),
            _ => self.text_with_argument(name, &receiver, call),
        }
    }

    fn static_text(&mut self, name: &str, call: &Call) -> Option<Guess> {
        if call.called.class != "java/lang/String" && call.called.class != "java/lang/Character" {
            return None;
        }
        match (name, call.called.descriptor.parameters.first()?) {
            ("valueOf" | "toString", java_classfile::Type::Char)
                if call.called.descriptor.result == Some(string()) =>
            {
                let &Value::Number(character) = call.arguments.first()? else { return None };
                Some(Guess::Text([character].into()))
            }
            ("valueOf", java_classfile::Type::Object(_)) => {
                let &Value::Reference(text) = call.arguments.first()? else { return None };
                let content = &self.heap.object(text.object?).content;
                matches!(content, Content::Text(_) | Content::Open(_)).then_some(Guess::Same(text))
            }
            _ => None,
        }
    }

    fn text_with_argument(&mut self, name: &str, text: &Text, call: &Call) -> Option<Guess> {
        let first = *call.arguments.get(1)?;
        let second = call.arguments.get(2).copied();
        let other = self.characters_of(first);
        Some(match (name, first, second, other) {
            ("equals" | "contentEquals", _, None, Some(other)) => Guess::Number(self.matches(text, &other)),
            ("equalsIgnoreCase", _, None, Some(other)) => Guess::Number(self.matches_any_case(text, &other)?),
            ("compareTo", _, None, Some(other)) => Guess::Number(self.order(text, &other)),
            ("startsWith", _, None, Some(other)) => Guess::Number(self.matches_at(text, 0, &other)),
            ("endsWith", _, None, Some(other)) => {
                let start = text.len() as i64 - other.len() as i64;
                Guess::Number(self.matches_at(text, start, &other))
            }
            ("contains", _, None, Some(other)) => Guess::Number(self.contains(text, &other)),
            ("concat", _, None, Some(other)) => {
                if other.is_empty() {
                    return self.itself(call);
                }
                Guess::Text(text.iter().chain(other.iter()).copied().collect())
            }
            ("indexOf", Value::Number(character), from, _) => {
                Guess::Number(self.index_of(text, character, from)?)
            }
            ("substring", Value::Number(start), end, _) => return self.substring(text, start, end, call),
            _ => return None,
        })
    }

    fn itself(&self, call: &Call) -> Option<Guess> {
        match call.arguments.first()? {
            Value::Reference(reference) => Some(Guess::Same(*reference)),
            _ => None,
        }
    }

    /// Characters are equal, one by one.
    fn matches(&mut self, a: &[Number], b: &[Number]) -> Number {
        if a.len() != b.len() {
            return Number::int(0);
        }
        let holds = a.iter().zip(b).all(|(a, b)| a.bits == b.bits);
        let term = self.all_equal(a, b);
        self.boolean(holds, term)
    }

    pub(super) fn all_equal(&mut self, a: &[Number], b: &[Number]) -> Term {
        let mut all = self.terms.truth(true);
        for (&a, &b) in a.iter().zip(b) {
            let equal = self.predicate(Op::Eq, a, b);
            all = self.and(all, equal);
        }
        all
    }

    fn matches_at(&mut self, text: &[Number], start: i64, part: &[Number]) -> Number {
        let slice = usize::try_from(start).ok().and_then(|start| text.get(start..start + part.len()));
        match slice {
            Some(slice) => self.matches(slice, part),
            None => Number::int(0),
        }
    }

    fn contains(&mut self, text: &[Number], part: &[Number]) -> Number {
        let mut any = self.terms.truth(false);
        let mut holds = false;
        for start in 0..(text.len() + 1).saturating_sub(part.len()) {
            let slice = &text[start..start + part.len()];
            holds |= slice.iter().zip(part).all(|(a, b)| a.bits == b.bits);
            let here = self.all_equal(slice, part);
            any = self.or(any, here);
        }
        self.boolean(holds, any)
    }

    /// Only ASCII has two cases here; that the characters are of it is pinned.
    fn matches_any_case(&mut self, a: &[Number], b: &[Number]) -> Option<Number> {
        if a.len() != b.len() {
            return Some(Number::int(0));
        }
        if a.iter().chain(b).any(|character| character.bits >= 128) {
            return None;
        }
        let lower = |machine: &mut Self, text: &[Number]| -> Vec<Number> {
            text.iter().map(|&character| machine.lower_case(character)).collect()
        };
        let (a, b) = (lower(self, a), lower(self, b));
        Some(self.matches(&a, &b))
    }

    /// A text of ASCII in one case, as all locales but few have it.
    fn other_case(&mut self, is_lower: bool, text: &Text, itself: Reference) -> Option<Guess> {
        if text.iter().any(|character| character.bits >= 128) {
            return None;
        }
        let changed: Text = text
            .iter()
            .map(|&character| if is_lower { self.lower_case(character) } else { self.upper_case(character) })
            .collect();
        // A text that is in this case is not copied.
        let same = self.all_equal(text, &changed);
        let is_same = text.iter().zip(&*changed).all(|(a, b)| a.bits == b.bits);
        let condition = if is_same { same } else { self.terms.not(same) };
        let other = self.terms.not(condition);
        self.decide_freely(condition, other);
        Some(if is_same { Guess::Same(itself) } else { Guess::Text(changed) })
    }

    /// The difference of the first characters that differ, else of the lengths.
    fn order(&mut self, a: &[Number], b: &[Number]) -> Number {
        let mut result = Number::int(a.len() as i32 - b.len() as i32);
        for (&a, &b) in a.iter().zip(b).rev() {
            let difference = self.binary(Op::Sub, a, b);
            let equal = self.predicate(Op::Eq, a, b);
            result = self.choose(equal, a.bits == b.bits, result, difference);
        }
        result
    }

    /// One of two numbers of a kind.
    pub(super) fn choose(&mut self, condition: Term, holds: bool, then: Number, otherwise: Number) -> Number {
        let chosen = if holds { then } else { otherwise };
        let (then, otherwise) = (self.term(then), self.term(otherwise));
        let term = self.terms.ite(condition, then, otherwise);
        chosen.with(self.open(term))
    }

    fn hash(&mut self, text: &[Number]) -> Number {
        let mut hash = Number::int(0);
        for &character in text {
            let product = self.binary(Op::Mul, hash, Number::int(31));
            hash = self.binary(Op::Add, product, character);
        }
        hash
    }

    fn index_of(&mut self, text: &[Number], character: Number, from: Option<Value>) -> Option<Number> {
        let from = match from {
            None => 0,
            Some(Value::Number(from)) if from.term.is_none() => usize::try_from(from.as_int()).unwrap_or(0),
            Some(_) => return None,
        };
        let mut result = Number::int(-1);
        for (at, &here) in text.iter().enumerate().skip(from).rev() {
            let equal = self.predicate(Op::Eq, here, character);
            result = self.choose(equal, here.bits == character.bits, Number::int(at as i32), result);
        }
        Some(result)
    }

    fn substring(&mut self, text: &Text, start: Number, end: Option<Value>, call: &Call) -> Option<Guess> {
        let end = match end {
            None => Number::int(text.len() as i32),
            Some(Value::Number(end)) => end,
            Some(_) => return None,
        };
        for bound in [start, end].into_iter().filter(|bound| bound.term.is_some()) {
            let is_it = self.predicate(Op::Eq, bound, Number::int(bound.as_int()));
            let is_other = self.terms.not(is_it);
            self.decide_freely(is_it, is_other);
        }
        let range = usize::try_from(start.as_int()).ok()?..usize::try_from(end.as_int()).ok()?;
        if range == (0..text.len()) {
            return self.itself(call);
        }
        text.get(range).map(|part| Guess::Text(part.into()))
    }

    /// The check that `charAt` makes: text and index, if the index is inside.
    pub(super) fn character_bounds(&mut self, call: &Call) -> Option<(Text, Number)> {
        let &Value::Number(index) = call.arguments.get(1)? else { return None };
        let (text, length) = match self.open_of(*call.arguments.first()?) {
            Some(open) => (open.cells.clone(), self.open_length(&open)),
            None => {
                let text = self.characters_of(*call.arguments.first()?)?;
                let length = Number::int(text.len() as i32);
                (text, length)
            }
        };
        let holds = (0..length.as_int()).contains(&index.as_int());
        let depends = index.term.is_some() || length.term.is_some();
        let wanted = depends.then(|| self.predicate(Op::Ult, index, length));
        self.check(Check::Bounds, holds, wanted);
        if holds { Some((text, index)) } else { None }
    }

    fn character_at(&mut self, call: &Call) -> Option<Number> {
        let (text, index) = self.character_bounds(call)?;
        let character = text[index.as_int() as usize];
        let Some(term) = index.term else { return Some(character) };
        if let Arrays::Reasoning { longest } = self.settings.arrays
            && text.len() as u64 <= u64::from(longest)
        {
            let rows: Vec<Term> = text.iter().map(|&character| self.term(character)).collect();
            let chosen = self.terms.lookup(term, rows.into());
            return Some(character.with(self.open(chosen)));
        }
        let &Value::Reference(Reference { object: Some(array), .. }) = call.arguments.first()? else {
            return None;
        };
        let is_it = self.predicate(Op::Eq, index, Number::int(index.as_int()));
        self.decide(What::Index { array, index: index.as_int() }, Some(is_it), SmallVec::new());
        Some(character)
    }

    pub(super) fn equal_texts(&mut self, a: Reference, b: Reference) -> Option<Number> {
        if let Some(equal) = self.open_equals(Value::Reference(a), Value::Reference(b), false) {
            return Some(equal);
        }
        let (a, b) = (self.characters_of(Value::Reference(a))?, self.characters_of(Value::Reference(b))?);
        Some(self.matches(&a, &b))
    }
}

fn string() -> java_classfile::Type {
    java_classfile::Type::Object("java/lang/String".into())
}
