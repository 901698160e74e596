//! Arrays: bounds, then the index, then the element.

use crate::Arrays;
use crate::heap::{Array, Content, ObjectId};
use crate::machine::{Fallible, Flow, Halt, Machine};
use crate::outcome::{Approximation, Check, Place, What};
use crate::quiet::unknown;
use crate::value::{Number, Reference, Value};
use expr::{Op, Term};
use java_classfile::instruction::ElementKind;
use java_classfile::{PoolIndex, Type};
use java_wire::event::Code;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Arrays of arrays with up to so many arrays in them are known from the start.
const NESTED: i64 = 1 << 16;

/// An element that is accessed.
struct Element {
    array: ObjectId,
    index: Number,
    /// The solver chooses the index.
    reasoned: bool,
}

impl Machine<'_, '_> {
    /// The checks before an element is accessed. `None` if one of them throws.
    fn element(&mut self, reference: Reference, index: Number) -> Fallible<Result<Element, Flow>> {
        let pc = self.top()?.pc();
        let event = self.trace.take_if(Code::Access, pc);
        let reference = match event {
            Some(event) => {
                self.compare(index, event.words[3].into())?;
                self.identify(reference, event.words[0], event.words[1])?
            }
            None => reference,
        };
        if self.is_quiet() && reference.object.is_some_and(|array| self.heap.object(array).stale) {
            return Err(unknown("elements that others may have written"));
        }
        self.check_not_null(reference);
        let Some(array) = reference.object else {
            return Ok(Err(Flow::Throw(self.exception("java/lang/NullPointerException"))));
        };
        self.has_length(array, event.map(|event| event.words[2]))?;
        if !self.bounds(array, index)? {
            return Ok(Err(Flow::Throw(self.exception("java/lang/ArrayIndexOutOfBoundsException"))));
        }
        let reasoned = index.term.is_some() && self.can_reason(array);
        let length = self.length(array)?;
        if reasoned && length.term.is_some() {
            // The elements of a longer array are not known.
            let is_there = self.predicate(Op::Ult, index, length.with(None));
            self.pin(is_there);
        }
        if index.term.is_some() && !reasoned {
            self.pin_index(array, index);
        }
        Ok(Ok(Element { array, index, reasoned }))
    }

    /// An array whose length the trace tells becomes known as one.
    fn has_length(&mut self, array: ObjectId, length: Option<u32>) -> Fallible<()> {
        match (self.heap.array(array).map(|array| array.length), length) {
            (Some(known), Some(told)) => self.compare(known, told.into()),
            (None, Some(told)) => {
                let length = Number::int(told.cast_signed());
                let content = Array { length, elements: FxHashMap::default(), rest: None };
                self.heap.object_mut(array).content = Content::Array(content);
                Ok(())
            }
            (Some(_), None) => Ok(()),
            (None, None) => Err(self.missing("the length of an array")),
        }
    }

    fn length(&self, array: ObjectId) -> Fallible<Number> {
        self.heap.array(array).map(|array| array.length).ok_or(Halt::Broken("no array"))
    }

    fn bounds(&mut self, array: ObjectId, index: Number) -> Fallible<bool> {
        let length = self.length(array)?;
        let holds = (0..length.as_int()).contains(&index.as_int());
        // Lengths are not negative, so an index below zero is one that is too large without its sign.
        let depends = index.term.is_some() || length.term.is_some();
        let wanted = depends.then(|| self.predicate(Op::Ult, index, length));
        self.check(Check::Bounds, holds, wanted);
        Ok(holds)
    }

    fn pin_index(&mut self, array: ObjectId, index: Number) {
        let value = index.as_int();
        let is_it = self.predicate(Op::Eq, index, Number::int(value));
        self.decide(What::Index { array, index: value }, Some(is_it), SmallVec::new());
    }

    /// Whether all elements are numbers that are known, and not too many.
    fn can_reason(&mut self, id: ObjectId) -> bool {
        let Arrays::Reasoning { longest } = self.settings.arrays else { return false };
        let known = self.heap.array(id).is_some_and(|array| {
            let length = array.length.as_int();
            let is_number = |index| matches!(array.element(index), Some(Value::Number(_)));
            length as u32 <= longest && (0..length).all(is_number)
        });
        if !known {
            self.approximate(Approximation::Index);
        }
        known
    }

    fn elements(&self, id: ObjectId) -> Vec<Number> {
        let Some(array) = self.heap.array(id) else { return Vec::new() };
        let number = |index| match array.element(index) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        };
        (0..array.length.as_int()).filter_map(number).collect()
    }

    pub(super) fn array_load(&mut self, kind: ElementKind) -> Fallible<Flow> {
        let (pc, index, reference) = {
            let frame = self.top()?;
            (frame.pc(), frame.pop_int()?, frame.pop_reference()?)
        };
        let element = match self.element(reference, index)? {
            Ok(element) => element,
            Err(flow) => return Ok(flow),
        };
        let at = index.as_int();
        let believed = self.heap.array(element.array).and_then(|array| array.element(at));
        let value = self.loaded(believed, &element_type(kind), pc)?;
        self.set_element(element.array, at, value);
        self.element_access(false, &element, kind);
        let value = if element.reasoned { self.chosen(&element, value) } else { value };
        self.push(value)
    }

    /// An element by an index that the solver chooses.
    fn chosen(&mut self, element: &Element, value: Value) -> Value {
        let Value::Number(number) = value else { return value };
        let elements = self.elements(element.array);
        let rows: Vec<Term> = elements.into_iter().map(|number| self.term(number)).collect();
        if rows.is_empty() {
            return value;
        }
        let index = self.term(element.index);
        let term = self.terms.lookup(index, rows.into());
        Value::Number(number.with(self.open(term)))
    }

    pub(super) fn array_store(&mut self, kind: ElementKind) -> Fallible<Flow> {
        let (value, index, reference) = {
            let frame = self.top()?;
            (frame.pop()?, frame.pop_int()?, frame.pop_reference()?)
        };
        let element = match self.element(reference, index)? {
            Ok(element) => element,
            Err(flow) => return Ok(flow),
        };
        if kind == ElementKind::Ref && !self.fits(element.array, value) {
            return Ok(Flow::Throw(self.exception("java/lang/ArrayStoreException")));
        }
        let is_boolean = self.heap.object(element.array).class.as_deref() == Some("[Z");
        let ty = if is_boolean { Type::Boolean } else { element_type(kind) };
        let value = self.stored(value, &ty);
        if element.reasoned {
            self.store_chosen(&element, value);
        }
        self.set_element(element.array, index.as_int(), value);
        self.element_access(true, &element, kind);
        Ok(Flow::Next)
    }

    /// Other inputs with the same path access other elements if the solver chooses the index.
    fn element_access(&mut self, defines: bool, element: &Element, kind: ElementKind) {
        if element.reasoned {
            self.untold.insert(self.step);
        }
        self.kinds.insert(element.array, kind);
        self.access(defines, Place::Element(element.array, element.index.as_int()));
    }

    /// Each element is the new value if it is meant, else what it was.
    fn store_chosen(&mut self, element: &Element, value: Value) {
        let Value::Number(new) = value else { return };
        let (index, new_term) = (self.term(element.index), self.term(new));
        for (at, old) in (0..).zip(self.elements(element.array)) {
            let place = self.terms.constant(at, 32);
            let is_meant = self.terms.binary(Op::Eq, index, place);
            let old_term = self.term(old);
            let term = self.terms.ite(is_meant, new_term, old_term);
            let number = old.with(self.open(term));
            self.set_element(element.array, at as i32, Value::Number(number));
        }
    }

    fn fits(&mut self, array: ObjectId, value: Value) -> bool {
        let Value::Reference(Reference { object: Some(object), .. }) = value else { return true };
        let class = |id| self.heap.object(id).class.clone();
        let (Some(array), Some(class)) = (class(array), class(object)) else { return true };
        let Some(element) = array.strip_prefix('[') else { return true };
        let element = element.strip_prefix('L').map_or(element, |name| name.trim_end_matches(';'));
        let fits = self.is_subtype(&class, element).unwrap_or(!self.trace.next_is(Code::Handle));
        self.check(Check::Store, fits, None);
        fits
    }

    fn set_element(&mut self, array: ObjectId, index: i32, value: Value) {
        self.heap.set_element(array, index, value);
        self.lend(array, value);
    }

    pub(super) fn array_length(&mut self) -> Fallible<Flow> {
        let pc = self.top()?.pc();
        let reference = self.top()?.pop_reference()?;
        let event = self.trace.take_if(Code::Length, pc);
        self.not_null(reference, |machine, array| {
            machine.has_length(array, event.map(|event| event.words[1]))?;
            let length = machine.length(array)?;
            machine.push(Value::Number(length))
        })
    }

    pub(super) fn new_array(&mut self, element: &Type) -> Fallible<Flow> {
        self.new_array_of(&format!("[{element}"), Value::zero(element))
    }

    pub(super) fn new_reference_array(&mut self, class: PoolIndex) -> Fallible<Flow> {
        let name = self.pool_class(class)?;
        let element = if name.starts_with('[') { name } else { format!("L{name};") };
        self.new_array_of(&format!("[{element}"), Value::NULL)
    }

    fn pool_class(&mut self, class: PoolIndex) -> Fallible<String> {
        let pool = &self.top()?.method.file.pool;
        pool.class_name(class).map(str::to_owned).map_err(|_| Halt::Broken("no class"))
    }

    fn new_array_of(&mut self, class: &str, zero: Value) -> Fallible<Flow> {
        let (pc, length) = (self.top()?.pc(), self.top()?.pop_int()?);
        if !self.size(length) {
            return Ok(Flow::Throw(self.exception("java/lang/NegativeArraySizeException")));
        }
        let id = self.fresh_array(class, length, zero);
        self.told_of_array(id, pc)?;
        self.push(Value::Reference(Reference::to(id)))
    }

    fn fresh_array(&mut self, class: &str, length: Number, zero: Value) -> ObjectId {
        let array = Array { length, elements: FxHashMap::default(), rest: Some(zero) };
        self.heap.add(Some(class.into()), Content::Array(array))
    }

    fn told_of_array(&mut self, id: ObjectId, pc: u32) -> Fallible<()> {
        let told = self.trace.take_if(Code::Reference, pc).or_else(|| self.trace.take_if(Code::Made, pc));
        match told {
            Some(event) => self.identify(Reference::to(id), event.words[0], event.words[1]).map(|_| ()),
            // There was no room for it.
            None if self.trace.next_is(Code::Handle) => Err(Halt::Thrown),
            None => Ok(()),
        }
    }

    /// The check that a length is not negative.
    pub(crate) fn size(&mut self, length: Number) -> bool {
        let holds = length.as_int() >= 0;
        let wanted = length.term.map(|_| self.predicate(Op::Sle, Number::int(0), length));
        self.check(Check::Size, holds, wanted);
        holds
    }

    pub(super) fn new_multi_array(&mut self, class: PoolIndex, dimensions: u8) -> Fallible<Flow> {
        let (pc, name) = (self.top()?.pc(), self.pool_class(class)?);
        let mut lengths = Vec::new();
        for _ in 0..dimensions {
            lengths.push(self.top()?.pop_int()?);
        }
        lengths.reverse();
        for &length in &lengths {
            if !self.size(length) {
                return Ok(Flow::Throw(self.exception("java/lang/NegativeArraySizeException")));
            }
        }
        let count = lengths[..lengths.len().saturating_sub(1)].iter();
        let count = count.fold(1i64, |count, length| count.saturating_mul(length.as_int().into()));
        let id = if count <= NESTED {
            self.nested(&name, &lengths)?
        } else {
            self.unknown_arrays(&name, &lengths)
        };
        self.told_of_array(id, pc)?;
        self.push(Value::Reference(Reference::to(id)))
    }

    /// An array with more arrays than it is worth to know of before they are used.
    fn unknown_arrays(&mut self, class: &str, lengths: &[Number]) -> ObjectId {
        let length = lengths.first().copied().unwrap_or(Number::int(0));
        let array = Array { length, elements: FxHashMap::default(), rest: None };
        self.heap.add(Some(class.into()), Content::Array(array))
    }

    /// An array with its arrays. Each of them is an object of its own from the start.
    fn nested(&mut self, class: &str, lengths: &[Number]) -> Fallible<ObjectId> {
        let element = class.strip_prefix('[').ok_or(Halt::Broken("no array"))?;
        let zero = element.parse().map_or(Value::NULL, |ty: Type| Value::zero(&ty));
        let Some((&length, inner)) = lengths.split_first() else {
            return Err(Halt::Broken("no dimensions"));
        };
        let id = self.fresh_array(class, length, zero);
        if !inner.is_empty() {
            for index in 0..length.as_int() {
                let nested = self.nested(element, inner)?;
                self.set_element(id, index, Value::Reference(Reference::to(nested)));
            }
        }
        Ok(id)
    }
}

fn element_type(kind: ElementKind) -> Type {
    match kind {
        ElementKind::Int => Type::Int,
        ElementKind::Long => Type::Long,
        ElementKind::Float => Type::Float,
        ElementKind::Double => Type::Double,
        ElementKind::Ref => Type::Object("java/lang/Object".into()),
        ElementKind::Byte => Type::Byte,
        ElementKind::Char => Type::Char,
        ElementKind::Short => Type::Short,
    }
}
