//! Arguments of calls: casts only where a compiler would take the call for another, variable numbers of arguments as they are meant.

use crate::body::{Held, Writer};
use crate::literal;
use crate::overloads::{Given, may_apply, rivals, widens};
use java_classfile::{MethodDescriptor, Type};
use java_wire::{Action, Argument, Slot, Value};

impl Writer<'_, '_> {
    /// The arguments of a call, the receiver left out, with commas between them.
    pub(crate) fn arguments(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &MethodDescriptor,
        arguments: &[Argument],
    ) -> String {
        let parameters = &descriptor.parameters;
        let skipped = parameters.len().saturating_sub(arguments.len());
        let rivals: Vec<Vec<Type>> =
            rivals(self.facts, class, name, descriptor).into_iter().map(<[Type]>::to_vec).collect();
        let method = self.facts.method(class, name, descriptor);
        let is_varargs = method.is_some_and(|method| method.access.is_varargs());
        self.suppressed.deprecation |= method.is_some_and(|method| method.deprecated);
        let given: Vec<Given> = arguments.iter().map(|argument| self.given(*argument)).collect();
        let needs_casts = if self.facts.class(class).is_some() {
            let behind = |rival: &Vec<Type>| rival.get(skipped..).map(<[Type]>::to_vec).unwrap_or_default();
            rivals.iter().any(|rival| may_apply(self.facts, &behind(rival), &given))
        } else {
            let plain = |(given, wanted): (&Given, &Type)| *given == Given::Of(wanted.clone());
            !given.iter().zip(&parameters[skipped..]).all(plain)
        };
        let mut texts = Vec::new();
        for (at, (argument, ty)) in arguments.iter().zip(&parameters[skipped..]).enumerate() {
            let is_rest = is_varargs && at + 1 == arguments.len();
            let spread = if is_rest && rivals.is_empty() { self.spread(*argument, ty) } else { None };
            match spread {
                Some(spread) => texts.extend(spread),
                None => texts.push(self.argument(*argument, ty, needs_casts || is_rest)),
            }
        }
        texts.join(", ")
    }

    /// One argument for a parameter of a type; with its exact type if the compiler needs to know it.
    pub(crate) fn argument(&mut self, argument: Argument, ty: &Type, exact: bool) -> String {
        match argument {
            Argument::Null => self.null(ty, exact),
            Argument::Slot(slot) => match (self.value(slot), self.slots.get(&slot).cloned()) {
                (Value::Null, _) => self.null(ty, exact),
                (Value::Array(primitive, _), Some(name)) => {
                    let given = Type::Array(Box::new(primitive.ty()));
                    if self.needs_cast(&given, ty, exact) { self.cast(ty, &name) } else { name }
                }
                (value, _) => self.literal(&value, ty, exact),
            },
            Argument::Result(step) => {
                let text = self.held_text(step as usize);
                let given = self.types[step as usize].clone();
                match given {
                    Some(given) if self.needs_cast(&given, ty, exact) => self.cast(ty, &text),
                    _ => text,
                }
            }
        }
    }

    /// An element between the braces of an array: its type is known there.
    pub(crate) fn element(&mut self, argument: Argument, ty: &Type) -> String {
        match argument {
            Argument::Slot(slot) => {
                let value = self.value(slot);
                match (&value, ty) {
                    (Value::Array(primitive, elements), Type::Array(element))
                        if **element == primitive.ty() =>
                    {
                        literal::elements_of(elements, self.imports)
                    }
                    _ => literal::assigned(&value, self.imports),
                }
            }
            Argument::Result(step) if self.held[step as usize] == Held::Inline => {
                let inner = self.test.script.steps[step as usize].clone();
                match (&inner.action, ty) {
                    (Action::Array { element }, Type::Array(wanted)) if **wanted == *element => {
                        self.braces(element, &inner.arguments)
                    }
                    _ => self.argument(argument, ty, false),
                }
            }
            other => self.argument(other, ty, false),
        }
    }

    /// The elements of an array, in braces.
    pub(crate) fn braces(&mut self, element: &Type, arguments: &[Argument]) -> String {
        let all: Vec<String> = arguments.iter().map(|argument| self.element(*argument, element)).collect();
        format!("{{{}}}", all.join(", "))
    }

    /// The elements of the last array of a call, to be passed one by one. Not if one of them could be taken for the array itself.
    fn spread(&mut self, argument: Argument, ty: &Type) -> Option<Vec<String>> {
        let Type::Array(element) = ty else { return None };
        match argument {
            Argument::Slot(slot) if !self.slots.contains_key(&slot) => {
                let Value::Array(_, elements) = self.value(slot) else { return None };
                Some(elements.iter().map(|element| literal::exact(element, self.imports)).collect())
            }
            Argument::Result(step) if self.held[step as usize] == Held::Inline => {
                let inner = self.test.script.steps[step as usize].clone();
                let Action::Array { element: made } = &inner.action else { return None };
                let is_odd = |given: &Given| match given {
                    Given::Null => true,
                    Given::Of(ty) => matches!(ty, Type::Array(_)),
                };
                let given: Vec<Given> = inner.arguments.iter().map(|a| self.given(*a)).collect();
                // Elements of a narrower array would go into one of the parameter's type.
                if *made != **element || (given.len() == 1 && is_odd(&given[0])) {
                    return None;
                }
                Some(inner.arguments.iter().map(|a| self.argument(*a, element, false)).collect())
            }
            _ => None,
        }
    }

    /// What a compiler sees of an argument that is written without casts.
    pub(crate) fn given(&self, argument: Argument) -> Given {
        match argument {
            Argument::Null => Given::Null,
            Argument::Result(step) => {
                self.types.get(step as usize).cloned().flatten().map_or(Given::Null, Given::Of)
            }
            Argument::Slot(slot) => match self.value(slot) {
                Value::Null => Given::Null,
                Value::Text(_) => Given::Of(Type::Object("java/lang/String".into())),
                Value::Array(primitive, _) => Given::Of(Type::Array(Box::new(primitive.ty()))),
                Value::Boxed(inner) => inner.primitive().map_or(Given::Null, |p| Given::Of(p.ty())),
                value => value.primitive().map_or(Given::Null, |p| Given::Of(p.ty())),
            },
        }
    }

    fn null(&mut self, ty: &Type, exact: bool) -> String {
        if exact { self.cast(ty, "null") } else { "null".to_owned() }
    }

    fn literal(&mut self, value: &Value, ty: &Type, exact: bool) -> String {
        let inner = if let Value::Boxed(inner) = value { inner } else { value };
        let Some(primitive) = inner.primitive() else {
            let text = literal::exact(value, self.imports);
            let is_plain = match value {
                Value::Array(primitive, _) => *ty == Type::Array(Box::new(primitive.ty())),
                _ => Slot::of(ty) == Some(Slot::Text),
            };
            return if exact && !is_plain { self.cast(ty, &text) } else { text };
        };
        if !ty.is_reference() || !exact {
            return literal::exact(inner, self.imports);
        }
        let text = literal::boxed(inner, self.imports);
        if Slot::of(ty) == Some(Slot::Boxed(primitive)) { text } else { self.cast(ty, &text) }
    }

    pub(crate) fn needs_cast(&self, given: &Type, wanted: &Type, exact: bool) -> bool {
        if given == wanted {
            return false;
        }
        match (given.is_reference(), wanted.is_reference()) {
            (false, false) => exact || !widens(given, wanted),
            (false, true) => exact,
            (true, false) => true,
            (true, true) => exact || self.facts.is_subtype(given, wanted) != Some(true),
        }
    }

    pub(crate) fn cast(&mut self, ty: &Type, text: &str) -> String {
        self.mention(ty);
        format!("({}) {text}", self.imports.ty(ty))
    }
}
