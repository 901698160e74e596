//! Comparison with the trace: what it tells, what it must tell, and who is who.

use crate::heap::{Content, ObjectId};
use crate::machine::{Fallible, Halt, Machine};
use crate::outcome::{Approximation, told};
use crate::value::{Number, Reference, Value, numeric};
use java_classfile::Type;
use java_classfile::instruction::NumericKind;
use java_wire::event::{Code, Event};
use std::rc::Rc;

impl<'p> Machine<'p, '_> {
    /// The next event in words.
    pub(crate) fn seen(&self) -> String {
        self.trace.peek().map_or("nothing".to_owned(), |event| told(event.code, event.id, event.words))
    }

    /// The next event, which must be this one.
    pub(crate) fn expect(&mut self, code: Code, id: u32) -> Fallible<Event<'p>> {
        match self.trace.take_if(code, id) {
            Some(event) => Ok(event),
            None => Err(self.missing(&format!("{code:?} {id}"))),
        }
    }

    /// Why an event is not there.
    pub(crate) fn missing(&self, expected: &str) -> Halt {
        match self.trace.peek() {
            None if self.is_quiet() => Halt::Quiet(expected.to_owned()),
            None => Halt::OutOfTrace,
            Some(event) if event.code == Code::Handle => Halt::Thrown,
            Some(_) => Halt::Differs { expected: expected.to_owned(), seen: self.seen() },
        }
    }

    /// What the trace says must be what was computed.
    pub(crate) fn compare(&self, number: Number, bits: u64) -> Fallible<()> {
        if number.agrees(bits) {
            return Ok(());
        }
        Err(Halt::Differs { expected: format!("{:#x}", number.bits), seen: format!("{bits:#x}") })
    }

    /// The name of a class by its number.
    pub(crate) fn class_name(&self, number: u32) -> Option<Rc<str>> {
        let facts = self.run.classes.get(number.checked_sub(1)? as usize)?;
        Some(facts.name.as_str().into())
    }

    /// The object that the trace tells of.
    pub(crate) fn told(&mut self, hash: u32, class: u32) -> Reference {
        if (hash, class) == (0, 0) {
            return Reference::NULL;
        }
        let name = self.class_name(class);
        Reference::to(self.heap.identified((hash, class), name))
    }

    /// Whether a reference can be the object that the trace tells of.
    fn may_be(&self, reference: Reference, hash: u32, class: u32) -> bool {
        match reference.object {
            None => (hash, class) == (0, 0),
            Some(_) if (hash, class) == (0, 0) => false,
            Some(object) => {
                let object = self.heap.object(object);
                match object.identity {
                    Some(identity) => identity == (hash, class),
                    // Who was not told of yet may be anyone of its class.
                    None => object.class.is_none() || object.class == self.class_name(class),
                }
            }
        }
    }

    /// A reference is the object that the trace tells of.
    pub(crate) fn identify(&mut self, reference: Reference, hash: u32, class: u32) -> Fallible<Reference> {
        if !self.may_be(reference, hash, class) {
            let expected = reference.object.map(|object| format!("{:?}", self.heap.object(object)));
            let expected = expected.unwrap_or("null".to_owned());
            return Err(Halt::Differs { expected, seen: format!("object {hash:#x} of class {class}") });
        }
        if let Some(object) = reference.object {
            self.bind(object, hash, class);
        }
        Ok(reference)
    }

    fn bind(&mut self, object: ObjectId, hash: u32, class: u32) {
        if self.heap.object(object).identity.is_some() {
            return;
        }
        if let Some(other) = self.heap.known((hash, class)) {
            // What is in a box goes with the reference.
            if !self.are_boxes(object, other) {
                self.approximate(Approximation::Identity);
            }
            // What is known of one is known of the other.
            let known = self.heap.object(other).content.clone();
            if matches!(self.heap.object(object).content, Content::Plain) {
                self.heap.object_mut(object).content = known;
            }
        }
        let name = self.class_name(class);
        self.heap.bind(object, (hash, class));
        let bound = self.heap.object_mut(object);
        bound.class = bound.class.take().or(name);
    }

    fn are_boxes(&self, a: ObjectId, b: ObjectId) -> bool {
        [a, b].iter().all(|&id| matches!(self.heap.object(id).content, Content::Boxed(_)))
    }

    /// Whether two references are the same object, as far as is known.
    pub(crate) fn same(&self, a: Reference, b: Reference) -> bool {
        match (a.object, b.object) {
            (Some(a), Some(b)) => {
                let identity = |object| self.heap.object(object).identity;
                a == b || (identity(a).is_some() && identity(a) == identity(b))
            }
            (a, b) => a == b,
        }
    }

    /// What a place holds: what was believed, if the trace agrees. Otherwise others have written it.
    pub(crate) fn loaded(&mut self, believed: Option<Value>, ty: &Type, id: u32) -> Fallible<Value> {
        let Some(event) = self.result(ty, id) else {
            // Hooks that are not there tell nothing against what is believed.
            let silent =
                self.is_quiet() || (!self.trace.next_is(Code::Handle) && self.trace.peek().is_some());
            return match believed {
                Some(value) if silent => Ok(value),
                _ => Err(self.missing(&format!("what is loaded at {id}"))),
            };
        };
        if let Some(value) = believed {
            if let Some(value) = self.agreed(value, &event) {
                return Ok(value);
            }
            self.approximate(Approximation::Overwritten);
        }
        Ok(self.constant(ty, &event))
    }

    /// A value if the trace agrees with it.
    pub(crate) fn agreed(&mut self, value: Value, event: &Event<'_>) -> Option<Value> {
        match value {
            Value::Number(number) => number.agrees(bits(number.kind, event)).then_some(value),
            Value::Reference(reference) => {
                self.identify(reference, word(event, 0), word(event, 1)).ok().map(Value::Reference)
            }
            _ => None,
        }
    }

    /// The next event if it tells a value of a type.
    pub(crate) fn result(&mut self, ty: &Type, id: u32) -> Option<Event<'p>> {
        self.trace.take_if(code_of(ty), id)
    }

    /// What an event tells.
    pub(crate) fn constant(&mut self, ty: &Type, event: &Event<'_>) -> Value {
        match numeric(ty) {
            Some(kind) => Value::Number(Number::constant(kind, bits(kind, event))),
            None => Value::Reference(self.told(word(event, 0), word(event, 1))),
        }
    }
}

/// The code of an event that tells a value of a type.
pub(crate) fn code_of(ty: &Type) -> Code {
    match ty {
        Type::Object(_) | Type::Array(_) => Code::Reference,
        Type::Long | Type::Double => Code::Wide,
        _ => Code::Value,
    }
}

/// A word of an event, zero if it has fewer: a field of a strange class may be believed to be of another type.
fn word(event: &Event<'_>, at: usize) -> u32 {
    event.words.get(at).copied().unwrap_or(0)
}

/// The bits that an event with one word or two tells.
pub(crate) fn bits(kind: NumericKind, event: &Event<'_>) -> u64 {
    match kind {
        NumericKind::Int | NumericKind::Float => word(event, 0).into(),
        NumericKind::Long | NumericKind::Double => {
            u64::from(word(event, 0)) | u64::from(word(event, 1)) << 32
        }
    }
}
