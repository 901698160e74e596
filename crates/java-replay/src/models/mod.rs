//! Methods of the library that are known: their results as terms, compared with what the trace says.
//!
//! What is not listed here is opaque: its result is a constant, and counted if it got something that depends on the input.

mod boxes;
mod characters;
mod compared;
mod concat;
mod numbers;
mod open;
mod switches;
mod text;

use crate::frame::{Call, Linked};
use crate::heap::{Content, ObjectId};
use crate::machine::Machine;
use crate::outcome::Approximation;
use crate::value::{Number, Reference, Value, numeric};
use java_classfile::Type;
use java_wire::Answering;
use java_wire::event::Event;
use std::rc::Rc;

/// Elements that are copied one by one.
const COPIED: i32 = 1 << 16;

/// What a result is believed to be.
pub(crate) enum Guess {
    Number(Number),
    /// A box with a number in it.
    Boxed(Number),
    /// A text with these characters.
    Text(Rc<[Number]>),
    /// An array of `char` with these elements.
    Characters(Rc<[Number]>),
    /// One of the arguments.
    Same(Reference),
}

impl Machine<'_, '_> {
    /// The result of a call without hooks.
    pub(crate) fn modelled(&mut self, call: &Call, ty: &Type, event: &Event<'_>) -> Value {
        if let Some(lambda) = self.lambda(call, ty, event) {
            return lambda;
        }
        let guess = self.guess(call);
        self.agreed_guess(guess, call, ty, event)
    }

    /// What a model says, if the trace does not speak against it; else what that says.
    pub(crate) fn agreed_guess(
        &mut self,
        guess: Option<Guess>,
        call: &Call,
        ty: &Type,
        event: &Event<'_>,
    ) -> Value {
        match guess {
            Some(guess) => match self.accepted(guess, ty, event) {
                Some(value) => return value,
                None => self.approximate(Approximation::Model(name_of(call))),
            },
            None => self.opaque_result(call),
        }
        self.constant(ty, event)
    }

    fn opaque_result(&mut self, call: &Call) {
        self.expose(&call.arguments);
        // What is in a text or a box never changes, but here nobody knows what that is.
        if let ("<init>", Some(&Value::Reference(Reference { object: Some(made), .. }))) =
            (call.called.name.as_str(), call.arguments.first())
            && self.settings.library
        {
            self.heap.set_stale(made);
        }
        if call.arguments.iter().any(|&argument| self.depends(argument)) {
            self.approximate(Approximation::Call(name_of(call)));
        }
    }

    /// Whether a value, or what is in the object it leads to, depends on the input.
    pub(crate) fn depends(&self, value: Value) -> bool {
        let has_term = |number: &Number| number.term.is_some();
        match value {
            Value::Number(number) => has_term(&number),
            Value::Reference(Reference { boxed: Some(number), .. }) => has_term(&number),
            Value::Reference(Reference { object: Some(object), .. }) => {
                match &self.heap.object(object).content {
                    Content::Text(text) => text.iter().any(has_term),
                    Content::Open(_) => true,
                    Content::Boxed(number) => has_term(number),
                    Content::Array(array) => {
                        array.elements.values().any(|v| matches!(v, Value::Number(n) if n.term.is_some()))
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    pub(crate) fn guess(&mut self, call: &Call) -> Option<Guess> {
        match &call.dynamic {
            Some(Linked::Text(recipe)) => return self.concat(recipe, call),
            Some(Linked::Switch(labels)) => return self.type_switch(labels, call),
            Some(Linked::Lambda { .. } | Linked::Other) => return None,
            None => {}
        }
        if let Some(Some(answered)) = call.answered {
            return passed_on(answered, call.called.descriptor.result.as_ref()?);
        }
        if let Some(answer) = self.stub(call) {
            return Some(answer);
        }
        let (class, name) = (call.called.class.as_str(), call.called.name.as_str());
        match class {
            "java/lang/Math" | "java/lang/StrictMath" => self.math(name, call),
            "java/util/Objects" => self.objects(name, call),
            _ => self
                .text(name, call)
                .or_else(|| self.boxes(class, name, call))
                .or_else(|| self.characters(class, name, call)),
        }
    }

    /// What is believed, if the trace does not speak against it.
    fn accepted(&mut self, guess: Guess, ty: &Type, event: &Event<'_>) -> Option<Value> {
        match guess {
            Guess::Number(number) => {
                if numeric(ty) != Some(number.kind) {
                    return None;
                }
                self.agreed(Value::Number(number), event)
            }
            Guess::Same(reference) => self.agreed(Value::Reference(reference), event),
            Guess::Boxed(number) => {
                let object = self.result_object(event)?;
                self.learn(object, Content::Boxed(number.with(None)));
                let boxed = number.term.map(|_| number);
                Some(Value::Reference(Reference { boxed, ..Reference::to(object) }))
            }
            Guess::Text(text) => {
                let object = self.result_object(event)?;
                self.learn(object, Content::Text(text));
                Some(Value::Reference(Reference::to(object)))
            }
            Guess::Characters(text) => {
                let object = self.result_object(event)?;
                let elements = (0..).zip(text.iter().map(|&number| Value::Number(number))).collect();
                let length = Number::int(text.len() as i32);
                self.learn(object, Content::Array(crate::heap::Array { length, elements, rest: None }));
                Some(Value::Reference(Reference::to(object)))
            }
        }
    }

    fn result_object(&mut self, event: &Event<'_>) -> Option<ObjectId> {
        match self.constant(&Type::Object(String::new()), event) {
            Value::Reference(reference) => reference.object,
            _ => None,
        }
    }

    /// What an object holds, unless that is known.
    fn learn(&mut self, object: ObjectId, content: Content) {
        let object = self.heap.object_mut(object);
        if matches!(object.content, Content::Plain) {
            object.content = content;
        }
    }

    /// What a lambda expression makes, with what it captures.
    fn lambda(&mut self, call: &Call, ty: &Type, event: &Event<'_>) -> Option<Value> {
        let content = call.lambda()?;
        let value = self.constant(ty, event);
        if let Value::Reference(Reference { object: Some(object), .. }) = value {
            self.learn(object, content);
        }
        Some(value)
    }

    /// The answer of a class without implementors, as `Stub.java` gives it: the first of the method that was not given yet, then zero,
    /// false or null.
    fn stub(&mut self, call: &Call) -> Option<Guess> {
        let Value::Reference(Reference { object: Some(object), .. }) = *call.arguments.first()? else {
            return None;
        };
        let wanted = call.called.descriptor.result.as_ref()?;
        let Content::Stub { answers, given, .. } = &self.heap.object(object).content else { return None };
        if !call.has_receiver || !self.is_answered(call) {
            return None;
        }
        let called = &call.called;
        let is_its = |of: &Answering| of.name == called.name && of.descriptor == called.descriptor;
        let fits = |&at: &usize| !given[at] && is_its(&answers[at].0);
        let answer = match (0..answers.len()).find(fits) {
            Some(at) => {
                let answer = answers[at].1;
                let mut all = given.to_vec();
                all[at] = true;
                if let Content::Stub { given, .. } = &mut self.heap.object_mut(object).content {
                    *given = all.into();
                }
                answer
            }
            None => Value::zero(wanted),
        };
        match answer {
            Value::Number(number) => Some(Guess::Number(number)),
            Value::Reference(reference) => Some(Guess::Same(reference)),
            _ => None,
        }
    }

    /// What a method without a result has done.
    pub(crate) fn model_void(&mut self, call: &Call) {
        match (call.called.class.as_str(), call.called.name.as_str()) {
            _ if call.answered.is_some() => {}
            ("java/lang/System", "arraycopy") => self.copy_array(call),
            ("java/lang/String", "getChars") if call.arguments.len() == 5 => self.copy_characters(call),
            _ => self.opaque_result(call),
        }
    }

    /// Elements keep their terms when they are copied. Where to and how many is taken as a number.
    pub(crate) fn copy_array(&mut self, call: &Call) {
        let [
            Value::Reference(from),
            Value::Number(start),
            Value::Reference(to),
            Value::Number(at),
            Value::Number(count),
        ] = call.arguments[..]
        else {
            return;
        };
        self.pin_numbers([start, at, count]);
        let (Some(from), Some(to)) = (from.object, to.object) else { return };
        let Some(source) = self.heap.array(from) else {
            self.unseen_writes = true;
            self.expose(&[Value::Reference(Reference::to(to))]);
            return;
        };
        // Of very many elements only those are copied that were seen; the trace corrects the others.
        let places: Vec<i32> = match count.as_int() {
            few @ ..=COPIED => (0..few).collect(),
            _ => source.elements.keys().map(|at| at.wrapping_sub(start.as_int())).collect(),
        };
        let inside = places.into_iter().filter(|nth| (0..count.as_int()).contains(nth));
        let copied: Vec<_> =
            inside.filter_map(|nth| Some((nth, source.element(start.as_int().checked_add(nth)?)?))).collect();
        self.unseen_writes |= copied.len() as i32 != count.as_int();
        // What is not known to be in the one array is not known of the other any more.
        if self.heap.object(from).stale || copied.len() as i32 != count.as_int() {
            self.expose(&[Value::Reference(Reference::to(to))]);
        }
        for (nth, value) in copied {
            self.heap.set_element(to, at.as_int().wrapping_add(nth), value);
            self.lend(to, value);
        }
    }

    /// `getChars` puts characters of a text into an array. Which of them and where to is taken as numbers.
    fn copy_characters(&mut self, call: &Call) {
        let [
            text,
            Value::Number(start),
            Value::Number(end),
            Value::Reference(Reference { object: Some(to), .. }),
            Value::Number(at),
        ] = call.arguments[..]
        else {
            return self.opaque_result(call);
        };
        self.pin_numbers([start, end, at]);
        let range = start.as_int().try_into().ok().zip(end.as_int().try_into().ok());
        let text = self.characters_of(text);
        let copied = text
            .as_ref()
            .zip(range)
            .and_then(|(text, (start, end))| text.get::<std::ops::Range<usize>>(start..end));
        let Some(copied) = copied else {
            self.unseen_writes = true;
            return self.opaque_result(call);
        };
        for (nth, &character) in (0..).zip(copied) {
            self.heap.set_element(to, at.as_int().wrapping_add(nth), Value::Number(character));
        }
    }

    fn pin_numbers(&mut self, numbers: [Number; 3]) {
        for number in numbers.into_iter().filter(|number| number.term.is_some()) {
            let is_it = self.predicate(expr::Op::Eq, number, Number::int(number.as_int()));
            let is_other = self.terms.not(is_it);
            self.decide_freely(is_it, is_other);
        }
    }

    /// What the exception of a library method says about the input.
    pub(crate) fn model_threw(&mut self, call: &Call) {
        match (call.called.class.as_str(), call.called.name.as_str()) {
            ("java/util/Objects", "requireNonNull") => {
                if let Some(&Value::Reference(first)) = call.arguments.first() {
                    self.check_not_null(first);
                }
            }
            (_, "charAt") => {
                let _ = self.character_bounds(call);
                self.expose(&call.arguments);
            }
            ("java/lang/Integer", "parseInt") if call.arguments.len() == 1 => self.parse_threw(call),
            _ => self.opaque_result(call),
        }
    }

    fn objects(&mut self, name: &str, call: &Call) -> Option<Guess> {
        let &Value::Reference(first) = call.arguments.first()? else { return None };
        match name {
            // Of null it does not return, and that is not for a model to say.
            "requireNonNull" if first.object.is_some() => {
                self.check_not_null(first);
                Some(Guess::Same(first))
            }
            "equals" => {
                let &Value::Reference(second) = call.arguments.get(1)? else { return None };
                // Boxes of different values may be the same object.
                let equal = self.equal_texts(first, second).or_else(|| self.equal_boxes(first, second));
                let same = self.same(first, second).then(|| Number::int(1));
                equal.or(same).map(Guess::Number)
            }
            _ => None,
        }
    }
}

/// What the method behind a lambda gave back, as whoever called the lambda gets it: put into a box or taken out of it.
fn passed_on(value: Value, ty: &Type) -> Option<Guess> {
    match (value, numeric(ty)) {
        (Value::Number(number), Some(_)) => Some(Guess::Number(number)),
        (Value::Number(number), None) => Some(Guess::Boxed(number)),
        (Value::Reference(reference), Some(_)) => reference.boxed.map(Guess::Number),
        (Value::Reference(reference), None) => Some(Guess::Same(reference)),
        _ => None,
    }
}

/// A method as people write it.
fn name_of(call: &Call) -> String {
    format!("{}.{}", call.called.class, call.called.name)
}
