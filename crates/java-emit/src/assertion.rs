//! What was seen, as assertions.

use crate::body::{Held, Writer};
use crate::{layout, literal, thrown};
use java_classfile::Type;
use java_wire::message::Seen;
use java_wire::{Primitive, Value};

/// Elements that have assertions of their own, where an array as a whole cannot be written down.
const ELEMENTS: usize = 4;

impl Writer<'_, '_> {
    /// Statements that expect of an expression of a type what was seen.
    pub(crate) fn expectation(&mut self, text: &str, ty: &Type, seen: &Seen) -> Vec<String> {
        let line = match seen {
            Seen::Void | Seen::Threw(_) => return Vec::new(),
            Seen::Null | Seen::Value(Value::Null) => self.assertion("assertNull", &[text.to_owned()]),
            Seen::Value(value) => self.value_expectation(text, ty, value),
            Seen::Enum(class, name) => self.enum_expectation(text, class, name),
            Seen::Array(descriptor, length, elements) => {
                return self.array_expectation(text, ty, descriptor, *length, elements);
            }
            Seen::Same(step) => match self.held.get(*step as usize) {
                Some(Held::Nothing) | None => self.assertion("assertNotNull", &[text.to_owned()]),
                Some(_) => {
                    let same = self.held_text(*step as usize);
                    self.assertion("assertSame", &[same, text.to_owned()])
                }
            },
            Seen::Object(_, Some(words)) if thrown::is_stable(words) => {
                let arguments = [literal::quoted(words), format!("{text}.toString()")];
                self.assertion("assertEquals", &arguments)
            }
            Seen::Object(..) => self.assertion("assertNotNull", &[text.to_owned()]),
        };
        layout::wrapped(&line, 8)
    }

    /// A call of an assertion, as a statement.
    pub(crate) fn assertion(&mut self, name: &str, arguments: &[String]) -> String {
        self.imports.statically(self.dialect.assertions, name);
        format!("{name}({});", arguments.join(", "))
    }

    fn value_expectation(&mut self, text: &str, ty: &Type, value: &Value) -> String {
        let inner = if let Value::Boxed(inner) = value { inner } else { value };
        let text = text.to_owned();
        let is_boolean = *ty == Type::Boolean || *ty == Type::Object(Primitive::Boolean.box_class().into());
        match inner {
            Value::Boolean(true) if is_boolean => self.assertion("assertTrue", &[text]),
            Value::Boolean(false) if is_boolean => self.assertion("assertFalse", &[text]),
            Value::Array(..) => {
                let expected = literal::assigned(inner, self.imports);
                self.assertion("assertArrayEquals", &[expected, text])
            }
            Value::Text(_) => {
                let expected = literal::assigned(inner, self.imports);
                self.assertion("assertEquals", &[expected, text])
            }
            // A box and a number fit two assertions equally well: so the box is expected as one.
            _ if ty.is_reference() => {
                let expected = literal::boxed(inner, self.imports);
                self.assertion("assertEquals", &[expected, text])
            }
            _ => {
                let expected = literal::assigned(inner, self.imports);
                let mut arguments = vec![expected, text];
                arguments.extend(self.delta(ty));
                self.assertion("assertEquals", &arguments)
            }
        }
    }

    /// The tolerance for numbers with fractions, where the framework wants one. Tests expect the very number.
    fn delta(&self, ty: &Type) -> Option<String> {
        match ty {
            Type::Float if self.dialect.wants_delta => Some("0.0f".to_owned()),
            Type::Double if self.dialect.wants_delta => Some("0.0".to_owned()),
            _ => None,
        }
    }

    fn enum_expectation(&mut self, text: &str, class: &str, name: &str) -> String {
        let class = self.facts.enum_of(class);
        if !self.facts.is_accessible(&class, self.package) {
            return self.assertion("assertNotNull", &[text.to_owned()]);
        }
        let constant = format!("{}.{name}", self.imports.name(&class));
        self.assertion("assertEquals", &[constant, text.to_owned()])
    }

    fn array_expectation(
        &mut self,
        text: &str,
        ty: &Type,
        descriptor: &str,
        length: u32,
        elements: &[Seen],
    ) -> Vec<String> {
        let parsed = descriptor.parse::<Type>().ok().filter(|ty| self.is_accessible(ty));
        let Some(Type::Array(element)) = parsed else {
            return layout::wrapped(&self.assertion("assertNotNull", &[text.to_owned()]), 8);
        };
        let made = Type::Array(element.clone());
        let is_cast = *ty != made;
        let array = if is_cast { self.cast(&made, text) } else { text.to_owned() };
        let is_all = elements.len() as u32 == length;
        if let Some(braces) = self.expected_elements(&element, elements).filter(|_| is_all) {
            self.mention(&element);
            let expected = format!("new {}[] {braces}", self.imports.ty(&element));
            let mut arguments = vec![expected, array];
            arguments.extend(self.delta(&element));
            return layout::wrapped(&self.assertion("assertArrayEquals", &arguments), 8);
        }
        let array = if is_cast { format!("({array})") } else { array };
        let arguments = [length.to_string(), format!("{array}.length")];
        let mut lines = layout::wrapped(&self.assertion("assertEquals", &arguments), 8);
        for (at, seen) in elements.iter().enumerate().take(ELEMENTS) {
            lines.extend(self.expectation(&format!("{array}[{at}]"), &element, seen));
        }
        lines
    }

    /// Whether the test can name a type.
    pub(crate) fn is_accessible(&self, ty: &Type) -> bool {
        match ty {
            Type::Object(class) => self.facts.is_accessible(class, self.package),
            Type::Array(element) => self.is_accessible(element),
            _ => true,
        }
    }

    /// The elements of an expected array in braces, if all of them are values.
    fn expected_elements(&mut self, ty: &Type, elements: &[Seen]) -> Option<String> {
        let mut texts = Vec::with_capacity(elements.len());
        for seen in elements {
            texts.push(match seen {
                Seen::Null | Seen::Value(Value::Null) => "null".to_owned(),
                Seen::Value(value) => literal::assigned(value, self.imports),
                Seen::Enum(class, name) => {
                    let class = self.facts.enum_of(class);
                    if !self.facts.is_accessible(&class, self.package) {
                        return None;
                    }
                    format!("{}.{name}", self.imports.name(&class))
                }
                Seen::Array(descriptor, length, inner) if inner.len() as u32 == *length => match ty {
                    Type::Array(element) if *descriptor == ty.to_string() => {
                        self.expected_elements(element, inner)?
                    }
                    _ => return None,
                },
                _ => return None,
            });
        }
        Some(format!("{{{}}}", texts.join(", ")))
    }
}
