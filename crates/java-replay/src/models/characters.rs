//! Kinds of characters. Only ASCII is known; that a character is of it is pinned.

use super::Guess;
use crate::frame::Call;
use crate::machine::Machine;
use crate::outcome::Check;
use crate::value::{Number, Value};
use expr::{Op, Term};

impl Machine<'_, '_> {
    pub(super) fn characters(&mut self, class: &str, name: &str, call: &Call) -> Option<Guess> {
        if call.has_receiver {
            return None;
        }
        if (class, name) == ("java/lang/Integer", "parseInt") && call.arguments.len() == 1 {
            return self.parsed(call).map(Guess::Number);
        }
        let &Value::Number(character) = call.arguments.first()? else { return None };
        if class != "java/lang/Character" || character.bits >= 128 {
            return None;
        }
        let ranges: &[(u8, u8)] = match name {
            "isDigit" => &[(b'0', b'9')],
            "isLetter" | "isAlphabetic" => &[(b'A', b'Z'), (b'a', b'z')],
            "isLetterOrDigit" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
            "isUpperCase" => &[(b'A', b'Z')],
            "isLowerCase" => &[(b'a', b'z')],
            "isWhitespace" => &[(9, 13), (28, 32)],
            "toLowerCase" => return Some(Guess::Number(self.lower_case(character))),
            "toUpperCase" => return Some(Guess::Number(self.upper_case(character))),
            _ => return None,
        };
        self.pin_ascii(character);
        Some(Guess::Number(self.within(character, ranges)))
    }

    fn pin_ascii(&mut self, character: Number) {
        let is_ascii = self.predicate(Op::Ult, character, Number::int(128));
        self.pin(is_ascii);
    }

    fn within(&mut self, character: Number, ranges: &[(u8, u8)]) -> Number {
        let mut any = self.terms.truth(false);
        let mut holds = false;
        for &(low, high) in ranges {
            holds |= (u64::from(low)..=u64::from(high)).contains(&character.bits);
            let inside = self.between(character, low, high);
            any = self.or(any, inside);
        }
        self.boolean(holds, any)
    }

    fn between(&mut self, character: Number, low: u8, high: u8) -> Term {
        let above = self.predicate(Op::Ule, Number::int(low.into()), character);
        let below = self.predicate(Op::Ule, character, Number::int(high.into()));
        self.and(above, below)
    }

    pub(super) fn lower_case(&mut self, character: Number) -> Number {
        self.shifted_case(character, b'A', 32)
    }

    pub(super) fn upper_case(&mut self, character: Number) -> Number {
        self.shifted_case(character, b'a', -32)
    }

    fn shifted_case(&mut self, character: Number, first: u8, by: i32) -> Number {
        self.pin_ascii(character);
        let inside = self.between(character, first, first + 25);
        let holds = (u64::from(first)..=u64::from(first) + 25).contains(&character.bits);
        let shifted = self.binary(Op::Add, character, Number::int(by));
        self.choose(inside, holds, shifted, character)
    }

    /// The digits of a decimal number that cannot be too large, and whether there is a minus before them.
    fn digits(&mut self, call: &Call) -> Option<(bool, Vec<Number>)> {
        let text = self.characters_of(*call.arguments.first()?)?;
        let sign = text.first().and_then(|sign| u8::try_from(sign.bits).ok());
        let sign = sign.filter(|sign| matches!(sign, b'-' | b'+'));
        if let (Some(sign), Some(&first)) = (sign, text.first()) {
            let is_it = self.predicate(Op::Eq, first, Number::int(sign.into()));
            self.pin(is_it);
        }
        let digits = &text[usize::from(sign.is_some())..];
        let is_short = (1..=9).contains(&digits.len());
        if is_short { Some((sign == Some(b'-'), digits.to_vec())) } else { None }
    }

    fn all_digits(&mut self, digits: &[Number]) -> Term {
        let mut all = self.terms.truth(true);
        for &digit in digits {
            let is_digit = self.between(digit, b'0', b'9');
            all = self.and(all, is_digit);
        }
        all
    }

    fn parsed(&mut self, call: &Call) -> Option<Number> {
        let (is_negative, digits) = self.digits(call)?;
        // It may not return, or know digits beyond ASCII.
        if !are_digits(&digits) {
            return None;
        }
        let all = self.all_digits(&digits);
        self.check(Check::Number, true, Some(all));
        let mut value = Number::int(0);
        for digit in digits {
            let product = self.binary(Op::Mul, value, Number::int(10));
            let digit = self.binary(Op::Sub, digit, Number::int(b'0'.into()));
            value = self.binary(Op::Add, product, digit);
        }
        Some(if is_negative { self.unary(Op::Neg, value.kind, value) } else { value })
    }

    pub(super) fn parse_threw(&mut self, call: &Call) {
        let Some((_, digits)) = self.digits(call) else { return };
        if are_digits(&digits) {
            return;
        }
        // Digits beyond ASCII count too: those would not throw, so nothing is said of them.
        let all = self.all_digits(&digits);
        self.check(Check::Number, false, Some(all));
    }
}

fn are_digits(text: &[Number]) -> bool {
    text.iter().all(|unit| (u64::from(b'0')..=u64::from(b'9')).contains(&unit.bits))
}
