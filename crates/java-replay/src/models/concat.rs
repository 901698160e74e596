//! Texts put together by `+`.

use super::Guess;
use crate::frame::Call;
use crate::machine::Machine;
use crate::outcome::Approximation;
use crate::value::{Number, Value};
use java_classfile::Type;
use java_classfile::instruction::NumericKind;

impl Machine<'_, '_> {
    /// A recipe has the character 1 for each argument, and all others stand for themselves.
    pub(super) fn concat(&mut self, recipe: &str, call: &Call) -> Option<Guess> {
        let mut text = Vec::new();
        let mut arguments = call.arguments.iter().zip(&call.called.descriptor.parameters);
        for unit in recipe.encode_utf16() {
            match unit {
                1 => {
                    let (&value, ty) = arguments.next()?;
                    text.extend(self.in_words(value, ty)?);
                }
                2 => return None,
                unit => text.push(Number::int(unit.into())),
            }
        }
        Some(Guess::Text(text.into()))
    }

    fn in_words(&mut self, value: Value, ty: &Type) -> Option<Vec<Number>> {
        let constant = |text: String| text.encode_utf16().map(|unit| Number::int(unit.into())).collect();
        match value {
            value if value.is_null() => Some(constant("null".into())),
            Value::Number(character) if *ty == Type::Char => Some(vec![character]),
            Value::Number(number) => {
                let text = match (number.kind, ty) {
                    (_, Type::Boolean) => (number.bits != 0).to_string(),
                    (NumericKind::Int, _) => number.as_int().to_string(),
                    (NumericKind::Long, _) => number.bits.cast_signed().to_string(),
                    (NumericKind::Float | NumericKind::Double, _) => return None,
                };
                if number.term.is_some() {
                    self.approximate(Approximation::Call("decimal digits".into()));
                    let same = self.predicate(expr::Op::Eq, number, number.with(None));
                    self.pin(same);
                }
                Some(constant(text))
            }
            value => self.characters_of(value).map(|text| text.to_vec()),
        }
    }
}
