//! Texts as quiet code sees them: an array of bytes, and how characters are written in it.
//!
//! Models know a text by its characters; the bytecode of `String` and of what builds texts knows `value` and `coder`. Each is made from the other
//! when it is asked for. The classes of Java 8 keep characters instead: there nothing is made, and such code is given up.

use super::unknown;
use crate::heap::{Array, Content, ObjectId};
use crate::machine::{Fallible, Machine};
use crate::value::{Number, Reference, Value};
use expr::Op;
use std::rc::Rc;

const STRING: &str = "java/lang/String";
/// Coders of `String`.
const LATIN: i32 = 0;
const UTF16: i32 = 1;

impl Machine<'_, '_> {
    /// What quiet code is to find in an object that models know by its content.
    pub(crate) fn unfold(&mut self, object: ObjectId) -> Fallible<()> {
        match &self.heap.object(object).content {
            Content::Text(_) | Content::Open(_) => self.unfold_text(object),
            Content::Boxed(number) => {
                let number = *number;
                let Some(class) = self.heap.object(object).class.clone() else { return Ok(()) };
                let field = self.field(&class, "value");
                self.heap.set_field(object, field, Value::Number(number));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn unfold_text(&mut self, object: ObjectId) -> Fallible<()> {
        let value = self.field(STRING, "value");
        if self.heap.object(object).fields.contains_key(&value) {
            return Ok(());
        }
        let has_coder = self
            .program
            .quiet_class(STRING)
            .is_some_and(|class| class.file.fields.iter().any(|field| field.name == "coder"));
        if !has_coder {
            return Err(unknown("texts of this Java"));
        }
        self.close(object);
        let text = self.heap.characters(object).ok_or_else(|| unknown("a text"))?;
        let is_latin = text.iter().all(|unit| unit.as_int() < 256);
        let mut bytes = Vec::with_capacity(text.len());
        for &unit in &*text {
            if is_latin {
                if unit.term.is_some() {
                    let is_one = self.predicate(Op::Ult, unit, Number::int(256));
                    self.pin(is_one);
                }
                bytes.push(self.cut(unit, 8, true));
            } else {
                let upper = self.binary(Op::LShr, unit, Number::int(8));
                bytes.extend([self.cut(unit, 8, true), self.cut(upper, 8, true)]);
            }
        }
        let length = Number::int(bytes.len() as i32);
        let elements = (0..).zip(bytes.into_iter().map(Value::Number)).collect();
        let array = self.heap.add(Some("[B".into()), Content::Array(Array { length, elements, rest: None }));
        let coder = Value::Number(Number::int(if is_latin { LATIN } else { UTF16 }));
        let zero = Value::Number(Number::int(0));
        let fields = [
            ("value", Value::Reference(Reference::to(array))),
            ("coder", coder),
            ("hash", zero),
            ("hashIsZero", zero),
        ];
        for (name, value) in fields {
            let field = self.field(STRING, name);
            self.heap.set_field(object, field, value);
        }
        Ok(())
    }

    /// A text that quiet code has made becomes known by its characters.
    pub(crate) fn fold(&mut self, object: ObjectId) {
        let is_one = self.heap.object(object).class.as_deref() == Some(STRING)
            && matches!(self.heap.object(object).content, Content::Fresh);
        if is_one && let Some(text) = self.text_in_fields(object) {
            self.heap.object_mut(object).content = Content::Text(text);
        }
    }

    fn text_in_fields(&mut self, object: ObjectId) -> Option<Rc<[Number]>> {
        let (value, coder) = (self.field(STRING, "value"), self.field(STRING, "coder"));
        let fields = &self.heap.object(object).fields;
        let (Value::Reference(value), Value::Number(coder)) = (*fields.get(&value)?, *fields.get(&coder)?)
        else {
            return None;
        };
        let array = value.object?;
        if self.heap.object(array).stale {
            return None;
        }
        let array = self.heap.array(array)?;
        let byte = |index| match array.element(index) {
            Some(Value::Number(byte)) => Some(byte),
            _ => None,
        };
        let bytes: Vec<Number> = (0..array.length.as_int()).map(byte).collect::<Option<_>>()?;
        let bytes: Vec<Number> = bytes.into_iter().map(|byte| self.cut(byte, 8, false)).collect();
        if coder.as_int() == LATIN {
            return Some(bytes.into());
        }
        let pair = |machine: &mut Self, pair: &[Number]| {
            let upper = machine.binary(Op::Shl, pair[1], Number::int(8));
            machine.binary(Op::Or, upper, pair[0])
        };
        Some(bytes.chunks_exact(2).map(|bytes| pair(self, bytes)).collect())
    }
}
