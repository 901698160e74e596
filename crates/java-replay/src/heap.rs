//! The heap as far as the run has shown it, after Den Hollander's *Heap Simulation*: it only mirrors the concrete one.
//!
//! A place that nobody has written or read yet is not there. The first load makes it what the trace says.

use crate::frame::Handle;
use crate::value::{Number, Value};
use java_wire::Answering;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An object of a run. Numbers are given in the order in which objects are met.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjectId(pub u32);

/// Identity of an object in a trace: hash and number of the class.
pub(crate) type Identity = (u32, u32);

/// An object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    /// Internal name of its class, or descriptor of an array.
    pub(crate) class: Option<Rc<str>>,
    pub(crate) identity: Option<Identity>,
    /// Fields, by the number of the name.
    pub(crate) fields: FxHashMap<u32, Value>,
    pub(crate) content: Content,
    /// Code that nobody sees may have written to it: only what the trace tells of it is believed.
    pub(crate) stale: bool,
    /// The mark after which it was copied into the journal.
    copied: u32,
}

/// What an object is beside its fields.
#[derive(Clone, Debug, Default)]
pub(crate) enum Content {
    /// Nothing that is known.
    #[default]
    Plain,
    /// It was made by code with hooks: fields that are not there are zero.
    Fresh,
    Array(Array),
    /// A `String` whose characters are known.
    Text(Rc<[Number]>),
    /// One whose length hangs on them.
    Open(Rc<OpenText>),
    /// A box.
    Boxed(Number),
    /// What a lambda expression has made: the method behind it and what it has captured.
    Lambda {
        method: Rc<str>,
        handle: Option<Rc<Handle>>,
        interface: Option<Rc<str>>,
        captured: Rc<[Value]>,
    },
    /// An object that stands for a class.
    Mirror(Rc<str>),
    /// Answers that methods without code of a class without implementors give in turn, each with the method that gives it.
    Stub {
        class: Rc<str>,
        answers: Rc<[(Answering, Value)]>,
        given: Rc<[bool]>,
    },
}

/// A text that ends where a zero is, or else with its last cell.
#[derive(Clone, Debug)]
pub(crate) struct OpenText {
    /// All cells, those from the end on among them.
    pub(crate) cells: Rc<[Number]>,
    /// Characters that it has.
    pub(crate) length: usize,
    /// The slot that it came from.
    pub(crate) slot: u32,
}

/// An array.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) length: Number,
    pub(crate) elements: FxHashMap<i32, Value>,
    /// What elements are that are not there: zero if the array was made by code with hooks.
    pub(crate) rest: Option<Value>,
}

impl Array {
    pub(crate) fn element(&self, index: i32) -> Option<Value> {
        self.elements.get(&index).copied().or(self.rest)
    }

    /// Whether an index is within its bounds.
    pub(crate) fn has(&self, index: i32) -> bool {
        (0..self.length.as_int()).contains(&index)
    }

    /// An element, if there is one.
    pub(crate) fn within(&self, index: i32) -> Option<Value> {
        self.element(index).filter(|_| self.has(index))
    }
}

/// All objects.
#[derive(Default)]
pub(crate) struct Heap {
    objects: Vec<Object>,
    by_identity: FxHashMap<Identity, ObjectId>,
    pub(crate) statics: FxHashMap<u32, Value>,
    /// Constants of type `String` are one object each.
    texts: FxHashMap<Rc<[u16]>, ObjectId>,
    /// What has changed since the oldest mark, for who goes back to it.
    journal: Vec<Undo>,
    /// Marks that are set, and how many ever were.
    open: u32,
    marks: u32,
}

/// A place of the heap as it was.
enum Undo {
    Object(ObjectId, Box<Object>),
    Field(ObjectId, u32, Option<Value>),
    Element(ObjectId, i32, Option<Value>),
    Stale(ObjectId),
    Static(u32, Option<Value>),
    Identity(Identity, Option<ObjectId>),
    Text(Rc<[u16]>),
}

/// A state of the heap to go back to.
pub(crate) struct Mark {
    objects: usize,
    journal: usize,
}

impl Heap {
    pub(crate) fn add(&mut self, class: Option<Rc<str>>, content: Content) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        self.objects.push(Object { class, content, copied: self.marks, ..Object::default() });
        id
    }

    /// Sets a mark. What is not gone back to is to be kept.
    pub(crate) fn mark(&mut self) -> Mark {
        self.open += 1;
        self.marks += 1;
        Mark { objects: self.objects.len(), journal: self.journal.len() }
    }

    /// What has happened since the newest mark stays.
    pub(crate) fn keep(&mut self) {
        self.open -= 1;
        if self.open == 0 {
            self.journal.clear();
        }
    }

    /// Goes back to the newest mark.
    pub(crate) fn go_back(&mut self, mark: &Mark) {
        for undo in self.journal.drain(mark.journal..).rev() {
            match undo {
                Undo::Object(id, object) => self.objects[id.0 as usize] = *object,
                Undo::Field(id, field, value) => {
                    put(&mut self.objects[id.0 as usize].fields, field, value);
                }
                Undo::Element(id, index, value) => {
                    if let Content::Array(array) = &mut self.objects[id.0 as usize].content {
                        put(&mut array.elements, index, value);
                    }
                }
                Undo::Stale(id) => self.objects[id.0 as usize].stale = false,
                Undo::Static(field, value) => drop(put(&mut self.statics, field, value)),
                Undo::Identity(identity, id) => drop(put(&mut self.by_identity, identity, id)),
                Undo::Text(units) => drop(self.texts.remove(&units)),
            }
        }
        self.objects.truncate(mark.objects);
        self.open -= 1;
    }

    fn remember(&mut self, undo: impl FnOnce(&Heap) -> Undo) {
        if self.open > 0 {
            let undo = undo(self);
            self.journal.push(undo);
        }
    }

    pub(crate) fn set_static(&mut self, field: u32, value: Value) {
        self.remember(|heap| Undo::Static(field, heap.statics.get(&field).copied()));
        self.statics.insert(field, value);
    }

    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// Whether what is written to an object is to be remembered: a copy a mark is enough, and what is newer than the mark needs none.
    fn is_remembered(&self, id: ObjectId) -> bool {
        self.open > 0 && self.object(id).copied < self.marks
    }

    /// Writes one field. Nothing else of the object is copied for who goes back: it may be large.
    pub(crate) fn set_field(&mut self, id: ObjectId, field: u32, value: Value) {
        let old = self.object(id).fields.get(&field).copied();
        if old == Some(value) {
            return;
        }
        if self.is_remembered(id) {
            self.journal.push(Undo::Field(id, field, old));
        }
        self.objects[id.0 as usize].fields.insert(field, value);
    }

    /// Writes one element of an array, as [`Heap::set_field`] does. What is no array stays as it is.
    pub(crate) fn set_element(&mut self, id: ObjectId, index: i32, value: Value) {
        let Some(array) = self.array(id) else { return };
        let old = array.elements.get(&index).copied();
        if old.or(array.rest) == Some(value) {
            return;
        }
        if self.is_remembered(id) {
            self.journal.push(Undo::Element(id, index, old));
        }
        if let Content::Array(array) = &mut self.objects[id.0 as usize].content {
            array.elements.insert(index, value);
        }
    }

    /// From now on nobody sees who writes to an object.
    pub(crate) fn set_stale(&mut self, id: ObjectId) {
        if self.object(id).stale {
            return;
        }
        if self.is_remembered(id) {
            self.journal.push(Undo::Stale(id));
        }
        self.objects[id.0 as usize].stale = true;
    }

    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        if self.is_remembered(id) {
            let old = Box::new(self.object(id).clone());
            self.journal.push(Undo::Object(id, old));
            self.objects[id.0 as usize].copied = self.marks;
        }
        &mut self.objects[id.0 as usize]
    }

    /// The object with an identity, a new one if it was not met.
    pub(crate) fn identified(&mut self, identity: Identity, class: Option<Rc<str>>) -> ObjectId {
        if let Some(&id) = self.by_identity.get(&identity) {
            return id;
        }
        let id = self.add(class, Content::Plain);
        self.bind(id, identity);
        id
    }

    /// The object with an identity, if it was met.
    pub(crate) fn known(&self, identity: Identity) -> Option<ObjectId> {
        self.by_identity.get(&identity).copied()
    }

    /// From now on an identity is that of an object.
    pub(crate) fn bind(&mut self, id: ObjectId, identity: Identity) {
        self.remember(|heap| Undo::Identity(identity, heap.known(identity)));
        self.by_identity.insert(identity, id);
        self.object_mut(id).identity = Some(identity);
    }

    /// The object of a constant.
    pub(crate) fn text(&mut self, units: &[u16]) -> ObjectId {
        if let Some(&id) = self.texts.get(units) {
            return id;
        }
        let numbers = units.iter().map(|&unit| Number::int(unit.into())).collect();
        let id = self.add(Some("java/lang/String".into()), Content::Text(numbers));
        let units: Rc<[u16]> = units.into();
        self.remember(|_| Undo::Text(units.clone()));
        self.texts.insert(units, id);
        id
    }

    pub(crate) fn array(&self, id: ObjectId) -> Option<&Array> {
        match &self.object(id).content {
            Content::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Whether an object is that of the constant with its characters.
    pub(crate) fn is_constant(&self, id: ObjectId, text: &[Number]) -> bool {
        let units: Option<Vec<u16>> =
            text.iter().map(|unit| u16::try_from(unit.bits).ok().filter(|_| unit.term.is_none())).collect();
        units.is_some_and(|units| self.texts.get(units.as_slice()) == Some(&id))
    }

    pub(crate) fn characters(&self, id: ObjectId) -> Option<Rc<[Number]>> {
        match &self.object(id).content {
            Content::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

/// Puts a value back, or that there is none.
fn put<K: std::hash::Hash + Eq, V>(map: &mut FxHashMap<K, V>, key: K, value: Option<V>) -> Option<V> {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long_array(heap: &mut Heap) -> ObjectId {
        let elements = (0..30_000).map(|at| (at, Value::Number(Number::int(at)))).collect();
        heap.add(None, Content::Array(Array { length: Number::int(30_000), elements, rest: None }))
    }

    /// A list with 30,000 elements, of which each call looks at one, is not copied 30,000 times.
    #[test]
    fn only_what_is_written_is_remembered() {
        let mut heap = Heap::default();
        let (array, object) = (long_array(&mut heap), heap.add(None, Content::Fresh));
        let mark = heap.mark();
        // What is read is written back.
        heap.set_element(array, 7, Value::Number(Number::int(7)));
        assert!(heap.journal.is_empty());
        heap.set_element(array, 7, Value::NULL);
        heap.set_field(object, 3, Value::NULL);
        heap.set_field(object, 3, Value::NULL);
        let places = heap.journal.iter().map(|undo| match undo {
            Undo::Element(id, index, _) => (*id, i64::from(*index)),
            Undo::Field(id, field, _) => (*id, i64::from(*field)),
            _ => panic!("a whole object"),
        });
        assert_eq!(places.collect::<Vec<_>>(), [(array, 7), (object, 3)]);
        heap.go_back(&mark);
        assert_eq!(heap.array(array).and_then(|array| array.element(7)), Some(Value::Number(Number::int(7))));
        assert!(heap.object(object).fields.is_empty());
    }

    #[test]
    fn slots_and_whole_objects_are_put_back_in_turn() {
        let mut heap = Heap::default();
        let object = heap.add(None, Content::Fresh);
        let (one, two) = (Value::Number(Number::int(1)), Value::Number(Number::int(2)));
        heap.set_field(object, 0, one);
        let outer = heap.mark();
        heap.set_field(object, 0, two);
        heap.set_stale(object);
        heap.set_field(object, 1, two);
        let inner = heap.mark();
        heap.set_field(object, 0, Value::NULL);
        heap.object_mut(object).content = Content::Plain;
        heap.set_field(object, 1, one);
        heap.go_back(&inner);
        let at = heap.object(object);
        assert_eq!((at.fields[&0], at.fields[&1], at.stale), (two, two, true));
        assert!(matches!(at.content, Content::Fresh));
        heap.go_back(&outer);
        let at = heap.object(object);
        assert_eq!((at.fields[&0], at.fields.len(), at.stale), (one, 1, false));
    }
}
