//! Where state is kept: fields, contents of objects from elsewhere, elements of arrays.

use crate::facts::FieldFacts;
use java_classfile::Type;
use java_classfile::instruction::ElementKind;
use java_wire::Slot;
use std::collections::HashMap;

/// A place that calls may define and use.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A field of an own class or of one from elsewhere.
    Field {
        /// The class that declares it.
        class: String,
        /// Its name.
        name: String,
        /// Of the class and not of its objects.
        is_static: bool,
    },
    /// Whatever objects of a class from elsewhere hold.
    Contents {
        /// The class.
        class: String,
    },
}

/// All places, by number.
#[derive(Clone, Debug, Default)]
pub struct Places {
    list: Vec<Place>,
    numbers: HashMap<Place, u32>,
}

impl Places {
    /// A place by its number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&Place> {
        self.list.get(number as usize)
    }

    /// All places, by number.
    #[must_use]
    pub fn all(&self) -> &[Place] {
        &self.list
    }

    /// The number of a place that some code names.
    #[must_use]
    pub fn find(&self, place: &Place) -> Option<u32> {
        self.numbers.get(place).copied()
    }

    /// The number of a field, if it can differ from one moment to another. A constant cannot, nor can what the compiler keeps for itself, whether
    /// assertions are on and the tables of switches: whoever initialises such a class would seem to influence everybody who looks at it.
    pub fn field(&mut self, class: &str, field: &FieldFacts) -> Option<u32> {
        let is_value = !matches!(Slot::of(&field.ty), None | Some(Slot::Array(_)));
        let is_fixed = field.access.is_static() && field.access.is_final();
        if is_fixed && (is_value || field.access.is_synthetic() || field.access.is_enum()) {
            return None;
        }
        let (class, name) = (class.to_owned(), field.name.clone());
        Some(self.number(Place::Field { class, name, is_static: field.access.is_static() }))
    }

    /// The number of the contents of a class.
    pub fn contents(&mut self, class: &str) -> u32 {
        self.number(Place::Contents { class: class.to_owned() })
    }

    fn number(&mut self, place: Place) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(place.clone()).or_insert_with(|| {
            list.push(place);
            list.len() as u32 - 1
        })
    }
}

/// Arrays that stores and loads tell apart: by the instruction. All arrays of references are one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArrayKind(u32);

impl ArrayKind {
    /// How many there are.
    pub const COUNT: u32 = 8;

    /// By instruction.
    #[must_use]
    pub fn of_kind(kind: ElementKind) -> ArrayKind {
        ArrayKind(match kind {
            ElementKind::Int => 0,
            ElementKind::Long => 1,
            ElementKind::Float => 2,
            ElementKind::Double => 3,
            ElementKind::Ref => 4,
            ElementKind::Byte => 5,
            ElementKind::Char => 6,
            ElementKind::Short => 7,
        })
    }

    /// By the type of elements.
    #[must_use]
    pub fn of_type(element: &Type) -> ArrayKind {
        ArrayKind::of_kind(match element {
            Type::Int => ElementKind::Int,
            Type::Long => ElementKind::Long,
            Type::Float => ElementKind::Float,
            Type::Double => ElementKind::Double,
            Type::Boolean | Type::Byte => ElementKind::Byte,
            Type::Char => ElementKind::Char,
            Type::Short => ElementKind::Short,
            Type::Object(_) | Type::Array(_) => ElementKind::Ref,
        })
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}
