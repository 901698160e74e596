//! Types as class files write them: `I`, `[[D`, `Ljava/lang/String;`, `(IJ)V`.

use crate::error::Malformed;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The type of a field, a parameter or a result.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Type {
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
    /// A class or interface, by its internal name: `java/lang/String`.
    Object(String),
    /// An array of elements of a type.
    Array(Box<Type>),
}

impl Type {
    /// How many local variables or stack slots a value takes.
    #[must_use]
    pub fn slots(&self) -> u16 {
        if matches!(self, Type::Long | Type::Double) { 2 } else { 1 }
    }

    /// Whether values are references.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        matches!(self, Type::Object(_) | Type::Array(_))
    }

    /// Reads the type at the beginning of a text, and says what follows it.
    fn parse(text: &str) -> Option<(Type, &str)> {
        let elements = text.trim_start_matches('[');
        let dimensions = text.len() - elements.len();
        // The limit of the format; it also bounds how deep types are nested.
        if dimensions > 255 {
            return None;
        }
        let mut rest = elements.chars();
        let mut parsed = match rest.next()? {
            'Z' => Type::Boolean,
            'B' => Type::Byte,
            'C' => Type::Char,
            'S' => Type::Short,
            'I' => Type::Int,
            'J' => Type::Long,
            'F' => Type::Float,
            'D' => Type::Double,
            'L' => {
                let (name, after) = rest.as_str().split_once(';')?;
                rest = after.chars();
                Type::Object(class_name(name)?)
            }
            _ => return None,
        };
        for _ in 0..dimensions {
            parsed = Type::Array(Box::new(parsed));
        }
        Some((parsed, rest.as_str()))
    }
}

fn class_name(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(['.', '[']) { None } else { Some(name.to_owned()) }
}

impl FromStr for Type {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Type, Malformed> {
        match Type::parse(text) {
            Some((parsed, "")) => Ok(parsed),
            _ => Err(Malformed::Descriptor(text.to_owned())),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Boolean => f.write_str("Z"),
            Type::Byte => f.write_str("B"),
            Type::Char => f.write_str("C"),
            Type::Short => f.write_str("S"),
            Type::Int => f.write_str("I"),
            Type::Long => f.write_str("J"),
            Type::Float => f.write_str("F"),
            Type::Double => f.write_str("D"),
            Type::Object(name) => write!(f, "L{name};"),
            Type::Array(element) => write!(f, "[{element}"),
        }
    }
}

/// What a method takes and gives back.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct MethodDescriptor {
    /// Without the receiver.
    pub parameters: Vec<Type>,
    /// Nothing for `void`.
    pub result: Option<Type>,
}

impl MethodDescriptor {
    /// Local variables or stack slots of all parameters, without the receiver.
    #[must_use]
    pub fn parameter_slots(&self) -> u32 {
        self.parameters.iter().map(|parameter| u32::from(parameter.slots())).sum()
    }

    /// Stack slots of the result.
    #[must_use]
    pub fn result_slots(&self) -> u16 {
        self.result.as_ref().map_or(0, Type::slots)
    }

    fn parse(text: &str) -> Option<MethodDescriptor> {
        let (mut inner, result) = text.strip_prefix('(')?.split_once(')')?;
        let mut parameters = Vec::new();
        while !inner.is_empty() {
            let (parameter, rest) = Type::parse(inner)?;
            parameters.push(parameter);
            inner = rest;
        }
        let result = if result == "V" { None } else { Some(result.parse().ok()?) };
        let descriptor = MethodDescriptor { parameters, result };
        // The limit of the format; it also keeps a small file from asking for much memory.
        Some(descriptor).filter(|descriptor| descriptor.parameter_slots() <= 255)
    }
}

impl FromStr for MethodDescriptor {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<MethodDescriptor, Malformed> {
        MethodDescriptor::parse(text).ok_or_else(|| Malformed::Descriptor(text.to_owned()))
    }
}

impl fmt::Display for MethodDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        self.parameters.iter().try_for_each(|parameter| write!(f, "{parameter}"))?;
        f.write_str(")")?;
        match &self.result {
            Some(result) => write!(f, "{result}"),
            None => f.write_str("V"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_read_and_printed_back() {
        let text = "(I[[JLjava/lang/String;ZBCSFD)[Ljava/util/List;";
        let descriptor: MethodDescriptor = text.parse().unwrap();
        assert_eq!(descriptor.to_string(), text);
        assert_eq!(descriptor.parameters[1], Type::Array(Box::new(Type::Array(Box::new(Type::Long)))));
        assert_eq!(descriptor.parameter_slots(), 10);
        assert_eq!(descriptor.result_slots(), 1);
        assert_eq!("()V".parse::<MethodDescriptor>().unwrap().result, None);
    }

    #[test]
    fn odd_descriptors_are_refused() {
        for text in ["", "I", "(", "()", "()VV", "(V)V", "(L;)V", "(Ljava)V", "()Lx", "(I)V ", "([)V", "(é)V"]
        {
            assert!(text.parse::<MethodDescriptor>().is_err(), "{text}");
        }
        assert!(format!("({})V", "J".repeat(127)).parse::<MethodDescriptor>().is_ok());
        assert!(format!("({})V", "J".repeat(128)).parse::<MethodDescriptor>().is_err());
        let deep = "[".repeat(256) + "I";
        assert!(deep.parse::<Type>().is_err());
        assert!(deep[1..].parse::<Type>().is_ok());
    }
}
