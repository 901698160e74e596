//! A test: calls in order, with values for what is no object.
//!
//! ```text
//! slots [boolean, int]     values [true, 81]
//! 0  new TemperatureMonitor()
//! 1  #0.setEnabled(slot 0)
//! 2  #0.updateTemperature(slot 1)
//! 3  #0.warning()                      the step under test
//! ```

use java_classfile::{MethodDescriptor, Type};
use serde::{Deserialize, Serialize};

/// The calls of a test without its numbers and texts.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Script {
    /// What values are needed.
    pub slots: Vec<Slot>,
    /// In order. The last one is what the test is for.
    pub steps: Vec<Step>,
    /// What is looked at afterwards, if the last step was reached: calls and loads that change nothing.
    pub observers: Vec<Step>,
}

/// One statement of a test.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// With what: the receiver first if there is one, then the parameters.
    pub arguments: Vec<Argument>,
}

/// What a step does. Classes have internal names: `java/util/Map$Entry`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Action {
    /// Calls a constructor.
    Construct {
        /// The class.
        class: String,
        /// Parameters of the constructor.
        descriptor: MethodDescriptor,
    },
    /// Calls a method.
    Invoke {
        /// The class that is named in the call.
        class: String,
        /// The method.
        name: String,
        /// Its parameters and result.
        descriptor: MethodDescriptor,
        /// Without a receiver.
        is_static: bool,
    },
    /// Reads a field.
    Load {
        /// The class that declares it.
        class: String,
        /// The field.
        name: String,
        /// Its type.
        ty: Type,
        /// Without an object.
        is_static: bool,
    },
    /// Writes a field; the value is the last argument.
    Store {
        /// The class that declares it.
        class: String,
        /// The field.
        name: String,
        /// Its type.
        ty: Type,
        /// Without an object.
        is_static: bool,
    },
    /// Makes an array of its arguments.
    Array {
        /// What its elements are.
        element: Type,
    },
    /// Makes an object of an interface or abstract class without implementors. Its arguments are those of the constructor, then answers: a
    /// call of a method without code is answered with the first answer of this method that was not given yet; after the last of them with
    /// zero, false or null.
    Stub {
        /// The interface or class.
        class: String,
        /// What the constructor takes; nothing of an interface.
        parameters: Vec<Type>,
        /// By answer: the method that gives it.
        answers: Vec<Answering>,
    },
    /// Makes a file of the test's own, and gives its name as a `java.io.File`: with the text of its only argument, or nothing by that name if
    /// that is null. A folder has a file for each of its arguments, and a folder for each null.
    File {
        /// It is a folder.
        is_folder: bool,
    },
    /// Looks at its only argument: what is in an array that the test has passed. Only observers do.
    Look {
        /// What the argument is.
        ty: Type,
    },
}

/// A method that gives an answer.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Answering {
    /// Its name.
    pub name: String,
    /// Its parameters and its result.
    pub descriptor: MethodDescriptor,
}

/// What is passed to a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Argument {
    /// `null`
    Null,
    /// The result of an earlier step, by number.
    Result(u32),
    /// The value of a slot, by number.
    Slot(u32),
}

/// The primitive types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Primitive {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `char`
    Char,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
}

/// What kind of value a slot has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Slot {
    /// A primitive.
    Primitive(Primitive),
    /// A primitive in its box, or null.
    Boxed(Primitive),
    /// A `String`, or null.
    Text,
    /// An array of primitives, or null.
    Array(Primitive),
}

/// The value of a slot. Floats are equal if their bits are.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Value {
    /// `boolean`
    Boolean(bool),
    /// `byte`
    Byte(i8),
    /// `char`
    Char(u16),
    /// `short`
    Short(i16),
    /// `int`
    Int(i32),
    /// `long`
    Long(i64),
    /// `float`, its bits
    Float(u32),
    /// `double`, its bits
    Double(u64),
    /// A primitive in its box.
    Boxed(Box<Value>),
    /// A `String`.
    Text(Vec<u16>),
    /// An array of primitives of one type.
    Array(Primitive, Vec<Value>),
    /// `null`
    Null,
}

impl Primitive {
    /// All of them, by number.
    pub const ALL: [Primitive; 8] = [
        Primitive::Boolean,
        Primitive::Byte,
        Primitive::Char,
        Primitive::Short,
        Primitive::Int,
        Primitive::Long,
        Primitive::Float,
        Primitive::Double,
    ];

    /// The primitive that a type is.
    #[must_use]
    pub fn of(ty: &Type) -> Option<Primitive> {
        Some(match ty {
            Type::Boolean => Primitive::Boolean,
            Type::Byte => Primitive::Byte,
            Type::Char => Primitive::Char,
            Type::Short => Primitive::Short,
            Type::Int => Primitive::Int,
            Type::Long => Primitive::Long,
            Type::Float => Primitive::Float,
            Type::Double => Primitive::Double,
            Type::Object(_) | Type::Array(_) => return None,
        })
    }

    /// As a type.
    #[must_use]
    pub fn ty(self) -> Type {
        match self {
            Primitive::Boolean => Type::Boolean,
            Primitive::Byte => Type::Byte,
            Primitive::Char => Type::Char,
            Primitive::Short => Type::Short,
            Primitive::Int => Type::Int,
            Primitive::Long => Type::Long,
            Primitive::Float => Type::Float,
            Primitive::Double => Type::Double,
        }
    }

    /// The class of its boxes.
    #[must_use]
    pub fn box_class(self) -> &'static str {
        match self {
            Primitive::Boolean => "java/lang/Boolean",
            Primitive::Byte => "java/lang/Byte",
            Primitive::Char => "java/lang/Character",
            Primitive::Short => "java/lang/Short",
            Primitive::Int => "java/lang/Integer",
            Primitive::Long => "java/lang/Long",
            Primitive::Float => "java/lang/Float",
            Primitive::Double => "java/lang/Double",
        }
    }

    /// Bits of a value.
    #[must_use]
    pub fn bits(self) -> u16 {
        match self {
            Primitive::Boolean => 1,
            Primitive::Byte => 8,
            Primitive::Char | Primitive::Short => 16,
            Primitive::Int | Primitive::Float => 32,
            Primitive::Long | Primitive::Double => 64,
        }
    }

    /// Zero, or false.
    #[must_use]
    pub fn zero(self) -> Value {
        self.value(0)
    }

    /// The value with these bits; those that it has no room for are dropped.
    #[must_use]
    pub fn value(self, bits: u64) -> Value {
        match self {
            Primitive::Boolean => Value::Boolean(bits & 1 == 1),
            Primitive::Byte => Value::Byte(bits as i8),
            Primitive::Char => Value::Char(bits as u16),
            Primitive::Short => Value::Short(bits as i16),
            Primitive::Int => Value::Int(bits as i32),
            Primitive::Long => Value::Long(bits as i64),
            Primitive::Float => Value::Float(bits as u32),
            Primitive::Double => Value::Double(bits),
        }
    }
}

impl Slot {
    /// Zero, false or null.
    #[must_use]
    pub fn zero(self) -> Value {
        match self {
            Slot::Primitive(primitive) => primitive.zero(),
            Slot::Boxed(_) | Slot::Array(_) | Slot::Text => Value::Null,
        }
    }

    /// The slot that values of a type come from, if the type is one of values and not of objects.
    #[must_use]
    pub fn of(ty: &Type) -> Option<Slot> {
        match ty {
            Type::Object(name) if name == "java/lang/String" => Some(Slot::Text),
            Type::Object(name) => Primitive::ALL.into_iter().find(|p| p.box_class() == name).map(Slot::Boxed),
            Type::Array(element) => Primitive::of(element).map(Slot::Array),
            other => Primitive::of(other).map(Slot::Primitive),
        }
    }
}

impl Value {
    /// The bits of a primitive, sign-extended as its type is.
    #[must_use]
    pub fn bits(&self) -> Option<u64> {
        Some(match *self {
            Value::Boolean(value) => u64::from(value),
            Value::Byte(value) => value as u64,
            Value::Char(value) => u64::from(value),
            Value::Short(value) => value as u64,
            Value::Int(value) => value as u64,
            Value::Long(value) => value as u64,
            Value::Float(bits) => u64::from(bits),
            Value::Double(bits) => bits,
            _ => return None,
        })
    }

    /// The type of a primitive.
    #[must_use]
    pub fn primitive(&self) -> Option<Primitive> {
        Some(match self {
            Value::Boolean(_) => Primitive::Boolean,
            Value::Byte(_) => Primitive::Byte,
            Value::Char(_) => Primitive::Char,
            Value::Short(_) => Primitive::Short,
            Value::Int(_) => Primitive::Int,
            Value::Long(_) => Primitive::Long,
            Value::Float(_) => Primitive::Float,
            Value::Double(_) => Primitive::Double,
            _ => return None,
        })
    }
}

/// What files are in Java.
const FILE: &str = "java/io/File";

impl Action {
    /// The type of the result; `None` for nothing.
    #[must_use]
    pub fn result(&self) -> Option<Type> {
        match self {
            Action::Construct { class, .. } | Action::Stub { class, .. } => Some(Type::Object(class.clone())),
            Action::Invoke { descriptor, .. } => descriptor.result.clone(),
            Action::Load { ty, .. } => Some(ty.clone()),
            Action::Store { .. } => None,
            Action::Array { element } => Some(Type::Array(Box::new(element.clone()))),
            Action::File { .. } => Some(Type::Object(FILE.to_owned())),
            Action::Look { ty } => Some(ty.clone()),
        }
    }

    /// The types of its arguments if there are so many, the receiver's first.
    #[must_use]
    pub fn takes(&self, count: usize) -> Vec<Type> {
        let receiver = |class: &String, is_static: bool| (!is_static).then(|| Type::Object(class.clone()));
        match self {
            Action::Construct { descriptor, .. } => descriptor.parameters.clone(),
            Action::Invoke { class, descriptor, is_static, .. } => {
                receiver(class, *is_static).into_iter().chain(descriptor.parameters.iter().cloned()).collect()
            }
            Action::Load { class, is_static, .. } => receiver(class, *is_static).into_iter().collect(),
            Action::Store { class, ty, is_static, .. } => {
                receiver(class, *is_static).into_iter().chain([ty.clone()]).collect()
            }
            Action::Array { element } => vec![element.clone(); count],
            Action::Stub { parameters, answers, .. } => {
                let results = answers.iter().filter_map(|answer| answer.descriptor.result.as_ref());
                parameters.iter().chain(results).cloned().collect()
            }
            Action::File { .. } => vec![Type::Object("java/lang/String".to_owned()); count],
            Action::Look { ty } => vec![ty.clone()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_the_bits_of_their_type() {
        assert_eq!(Primitive::Byte.value(0xfff), Value::Byte(-1));
        assert_eq!(Primitive::Char.value(0x1_0041), Value::Char(0x41));
        assert_eq!(Primitive::Boolean.value(2), Value::Boolean(false));
        assert_eq!(Value::Int(-1).bits(), Some(u64::MAX));
        for primitive in Primitive::ALL {
            let value = primitive.value(u64::MAX);
            assert_eq!(value.primitive(), Some(primitive));
            assert_eq!(primitive.value(value.bits().expect("a primitive")), value);
            assert_eq!(Primitive::of(&primitive.ty()), Some(primitive));
        }
    }

    #[test]
    fn values_are_not_objects() {
        let slot = |text: &str| Slot::of(&text.parse().expect("a type"));
        assert_eq!(slot("J"), Some(Slot::Primitive(Primitive::Long)));
        assert_eq!(slot("Ljava/lang/String;"), Some(Slot::Text));
        assert_eq!(slot("Ljava/lang/Character;"), Some(Slot::Boxed(Primitive::Char)));
        assert_eq!(slot("[D"), Some(Slot::Array(Primitive::Double)));
        assert_eq!((slot("[[D"), slot("Ljava/lang/Object;")), (None, None));
    }
}
