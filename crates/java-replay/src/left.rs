//! What a run leaves: the results of its steps and the objects behind them, for whoever compares states.
//!
//! The mirror heap does not know everything. What it does not know is told as such, and an array that code without hooks may have
//! written makes the whole state unknown: nobody told what is in it now.

use crate::heap::{Array, Content, Object, ObjectId};
use crate::machine::Machine;
use crate::value::{Number, Reference, Value};
use expr::{Op, Term};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Elements of an array that are told; of longer ones nothing is.
const MOST_ELEMENTS: i32 = 1 << 10;
/// Classes above one another; class files of others may name each other in a circle.
const MOST_CLASSES: usize = 64;

/// What the steps of a run gave, and all that it leads to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Left {
    /// What each step gave; null if it gave nothing.
    pub results: Vec<Held>,
    /// The objects that can be reached from there.
    pub objects: Vec<Remains>,
    /// Truth terms that hold of this run and make its objects what they are: which references of the input are null, how long
    /// arrays are. No decision need have asked for them.
    pub shape: Vec<Term>,
}

/// An object or array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remains {
    /// Internal name of its class, or descriptor of an array.
    pub class: Rc<str>,
    /// Its fields, those of the classes above it behind its own; the length and the elements of an array; of a text whether it
    /// is the object of a constant, and the characters.
    pub holds: Vec<Held>,
}

/// What a field, an element or a result is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Held {
    /// The null reference.
    Null,
    /// An object, by its place among those that are left.
    Object(u32),
    /// A number in a box. Which boxes are the same object is not told: equal small numbers share one.
    Boxed(Rc<str>, Bits),
    /// A primitive value.
    Number(Bits),
    /// Nothing is known of it.
    Unknown,
}

/// A primitive value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    /// What it was in the run.
    pub bits: u64,
    /// What it is as a function of the input, if it depends on it.
    pub term: Option<Term>,
}

impl From<Number> for Bits {
    fn from(number: Number) -> Bits {
        Bits { bits: number.bits, term: number.term }
    }
}

impl Machine<'_, '_> {
    /// What is left when all steps have come to their end; `None` if nobody can tell.
    pub(crate) fn left(&mut self, results: &[Value]) -> Option<Left> {
        if self.unseen_writes {
            return None;
        }
        let mut walk = Walk { numbers: FxHashMap::default(), met: Vec::new(), left: Left::default() };
        walk.left.results = results.iter().map(|&result| self.held(result, &mut walk)).collect();
        while let Some(&id) = walk.met.get(walk.left.objects.len()) {
            let remains = self.remains(id, &mut walk);
            walk.left.objects.push(remains);
        }
        Some(walk.left)
    }

    fn held(&mut self, value: Value, walk: &mut Walk) -> Held {
        let reference = match value {
            Value::Number(number) => return Held::Number(number.into()),
            Value::Reference(reference) => reference,
            Value::Return(_) | Value::Upper | Value::Unset => return Held::Null,
        };
        if let Some(is_null) = self.is_null(reference) {
            let holds = if reference.object.is_none() { is_null } else { self.terms.not(is_null) };
            walk.left.shape.push(holds);
        }
        let Reference { object: Some(id), boxed, .. } = reference else { return Held::Null };
        let object = self.heap.object(id);
        let kept = match object.content {
            Content::Boxed(number) => Some(number),
            _ => None,
        };
        match (boxed.or(kept), &object.class) {
            (Some(number), Some(class)) => Held::Boxed(class.clone(), number.into()),
            (Some(_), None) => Held::Unknown,
            (None, _) => Held::Object(walk.number(id)),
        }
    }

    fn remains(&mut self, id: ObjectId, walk: &mut Walk) -> Remains {
        let object = self.heap.object(id);
        let Some(class) = object.class.clone() else { return Remains::unknown("") };
        let values = match &object.content {
            Content::Fresh => self.fields(object),
            // What has no fields need not have been made by code with hooks.
            Content::Plain if *class == *"java/lang/Object" => Some(Vec::new()),
            Content::Array(array) => elements(array),
            // Code may ask whether it is the very object of a constant.
            Content::Text(text) => {
                let is_constant = Number::int(self.heap.is_constant(id, text).into());
                Some(std::iter::once(is_constant).chain(text.iter().copied()).map(Value::Number).collect())
            }
            _ => None,
        };
        let length = match &object.content {
            Content::Array(array) => Some(array.length),
            _ => None,
        };
        let Some(values) = values else { return Remains::unknown(&class) };
        if let Some(term) = length.and_then(|length| length.term) {
            let same = length.map_or(0, |length| length.bits);
            let same = self.terms.constant(same.into(), 32);
            let holds = self.terms.binary(Op::Eq, term, same);
            walk.left.shape.push(holds);
        }
        let holds = values.into_iter().map(|value| self.held(value, walk)).collect();
        Remains { class, holds }
    }

    /// The fields of an object that code with hooks has made; `None` if a class above it has none: its fields are anyone's.
    fn fields(&self, object: &Object) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        let mut above = object.class.as_deref();
        for _ in 0..MOST_CLASSES {
            let Some(name) = above.filter(|name| *name != "java/lang/Object") else { return Some(values) };
            let file = &self.program.class(name)?.file;
            for field in file.fields.iter().filter(|field| !field.access.is_static()) {
                let number = self.field_number(name, &field.name);
                let known = number.and_then(|number| object.fields.get(&number).copied());
                values.push(known.unwrap_or_else(|| Value::zero(&field.descriptor)));
            }
            above = file.superclass.as_deref();
        }
        None
    }
}

/// The elements of an array, if all are known.
fn elements(array: &Array) -> Option<Vec<Value>> {
    let length = array.length.as_int();
    if length > MOST_ELEMENTS {
        return None;
    }
    let all: Option<Vec<Value>> = (0..length).map(|at| array.element(at)).collect();
    Some(std::iter::once(Value::Number(Number::int(length))).chain(all?).collect())
}

/// Numbers of objects in the order in which they are met.
struct Walk {
    numbers: FxHashMap<ObjectId, u32>,
    met: Vec<ObjectId>,
    left: Left,
}

impl Walk {
    fn number(&mut self, id: ObjectId) -> u32 {
        *self.numbers.entry(id).or_insert_with(|| {
            self.met.push(id);
            self.met.len() as u32 - 1
        })
    }
}

impl Remains {
    fn unknown(class: &str) -> Remains {
        Remains { class: class.into(), holds: vec![Held::Unknown] }
    }
}
