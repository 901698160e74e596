//! Generic types as class files write them: `Ljava/util/Map<TK;+Ljava/util/List<*>;>;`, section 4.7.9.1 of the Java virtual machine
//! specification.

use crate::descriptor::Type;

/// Types are nested so deep; deeper ones are not from a program.
const DEEPEST: u32 = 32;

/// A type with what stands between its angle brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Generic {
    /// A primitive type.
    Plain(Type),
    /// A class, by its internal name, and its type arguments; those of classes around it are left out. A wildcard with a bound is its
    /// bound.
    Class {
        /// The class.
        name: String,
        /// The arguments; none of a raw type.
        arguments: Vec<Generic>,
    },
    /// A type variable.
    Variable(String),
    /// An array of elements.
    Array(Box<Generic>),
    /// A wildcard without a bound.
    Any,
}

/// A type variable with its bounds: at least one, unless it is bounded by nothing.
pub type TypeVariable = (String, Vec<Generic>);

/// What a class says of its type variables and of what is above it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassSignature {
    /// Its own variables.
    pub variables: Vec<TypeVariable>,
    /// Its superclass, then its interfaces.
    pub above: Vec<Generic>,
}

/// What a method says of its types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MethodSignature {
    /// Its own variables.
    pub variables: Vec<TypeVariable>,
    /// What it takes. Parameters that only the compiler knows of are left out.
    pub parameters: Vec<Generic>,
    /// What it gives; nothing for `void`.
    pub result: Option<Generic>,
}

impl ClassSignature {
    /// Reads the signature of a class; `None` if it is none.
    #[must_use]
    pub fn read(text: &str) -> Option<ClassSignature> {
        let (variables, mut rest) = variables(text)?;
        let mut above = Vec::new();
        while !rest.is_empty() {
            let (class, after) = generic(rest, 0)?;
            above.push(class);
            rest = after;
        }
        Some(ClassSignature { variables, above })
    }
}

impl MethodSignature {
    /// Reads the signature of a method; `None` if it is none.
    #[must_use]
    pub fn read(text: &str) -> Option<MethodSignature> {
        let (variables, rest) = variables(text)?;
        let mut rest = rest.strip_prefix('(')?;
        let mut parameters = Vec::new();
        while !rest.starts_with(')') {
            let (parameter, after) = generic(rest, 0)?;
            parameters.push(parameter);
            rest = after;
        }
        let rest = &rest[1..];
        let result = if rest.starts_with('V') { None } else { Some(generic(rest, 0)?.0) };
        Some(MethodSignature { variables, parameters, result })
    }
}

/// The type at the beginning of a text, and what follows it.
fn generic(text: &str, depth: u32) -> Option<(Generic, &str)> {
    if depth > DEEPEST {
        return None;
    }
    let rest = text.get(1..)?;
    match text.as_bytes()[0] {
        b'T' => {
            let (name, rest) = rest.split_once(';')?;
            Some((Generic::Variable(name.to_owned()), rest))
        }
        b'[' => {
            let (element, rest) = generic(rest, depth + 1)?;
            Some((Generic::Array(Box::new(element)), rest))
        }
        b'L' => class(rest, depth),
        _ => Some((Generic::Plain(text.get(..1)?.parse().ok()?), rest)),
    }
}

/// A class behind its `L`.
fn class(text: &str, depth: u32) -> Option<(Generic, &str)> {
    let mut name = String::new();
    let (mut rest, mut given) = (text, Vec::new());
    loop {
        let end = rest.find(['<', '.', ';'])?;
        name.push_str(&rest[..end]);
        let mark = rest.as_bytes()[end];
        rest = &rest[end + 1..];
        match mark {
            b';' => return Some((Generic::Class { name, arguments: given }, rest)),
            b'.' => {
                name.push('$');
                given.clear();
            }
            _ => (given, rest) = arguments(rest, depth)?,
        }
    }
}

/// Type arguments up to the bracket that closes them.
fn arguments(text: &str, depth: u32) -> Option<(Vec<Generic>, &str)> {
    let (mut rest, mut found) = (text, Vec::new());
    loop {
        let argument = match rest.as_bytes().first()? {
            b'>' => return Some((found, &rest[1..])),
            b'*' => (Generic::Any, &rest[1..]),
            b'+' | b'-' => generic(&rest[1..], depth + 1)?,
            _ => generic(rest, depth + 1)?,
        };
        found.push(argument.0);
        rest = argument.1;
    }
}

/// The type variables at the beginning of a signature, if there are any.
fn variables(text: &str) -> Option<(Vec<TypeVariable>, &str)> {
    let Some(mut rest) = text.strip_prefix('<') else { return Some((Vec::new(), text)) };
    let mut found = Vec::new();
    while !rest.starts_with('>') {
        let (name, mut after) = rest.split_once(':')?;
        let mut bounds = Vec::new();
        // The class may be missing where an interface is the first bound.
        after = after.strip_prefix(':').unwrap_or(after);
        loop {
            let (bound, behind) = generic(after, 0)?;
            bounds.push(bound);
            match behind.strip_prefix(':') {
                Some(next) => after = next,
                None => {
                    rest = behind;
                    break;
                }
            }
        }
        found.push((name.to_owned(), bounds));
    }
    Some((found, &rest[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, arguments: &[Generic]) -> Generic {
        Generic::Class { name: name.to_owned(), arguments: arguments.to_vec() }
    }

    #[test]
    fn methods_say_what_their_parameters_hold() {
        let text = "<T::Ljava/lang/Comparable<TT;>;:Ljava/io/Serializable;>\
                    (Ljava/util/Map<Ljava/lang/String;[I>;J+TT;Ljava/util/List<*>;)V";
        assert_eq!(MethodSignature::read(text), None, "a wildcard is no type");
        let read = MethodSignature::read(&text.replace("+TT;", "TT;")).expect("a signature");
        let variable = Generic::Variable("T".to_owned());
        let bounds = vec![
            class("java/lang/Comparable", std::slice::from_ref(&variable)),
            class("java/io/Serializable", &[]),
        ];
        assert_eq!(read.variables, [("T".to_owned(), bounds)]);
        let array = Generic::Array(Box::new(Generic::Plain(Type::Int)));
        let map = class("java/util/Map", &[class("java/lang/String", &[]), array]);
        let list = class("java/util/List", &[Generic::Any]);
        assert_eq!(read.parameters, [map, Generic::Plain(Type::Long), variable, list]);
        assert_eq!(read.result, None);
    }

    #[test]
    fn classes_say_what_is_above_them() {
        let text = "<K:Ljava/lang/Object;>La/Outer<TK;>.Inner<-Lb/C;>;Ljava/util/function/Supplier<TK;>;";
        let read = ClassSignature::read(text).expect("a signature");
        assert_eq!(read.variables, [("K".to_owned(), vec![class("java/lang/Object", &[])])]);
        let supplier = class("java/util/function/Supplier", &[Generic::Variable("K".to_owned())]);
        assert_eq!(read.above, [class("a/Outer$Inner", &[class("b/C", &[])]), supplier]);
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        for text in ["", "(", "(L", "()", "(LA<;)V", "<T>()V", "(TT)V", "(LA<é>;)V", "<T:", "(LA<*", "é"] {
            assert_eq!(MethodSignature::read(text), None, "{text}");
        }
        let deep = |depth: usize| format!("({}I)V", "[".repeat(depth));
        assert!(MethodSignature::read(&deep(30)).is_some());
        assert_eq!(MethodSignature::read(&deep(60_000)), None);
        assert_eq!(ClassSignature::read("LA<"), None);
    }
}
