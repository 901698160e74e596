//! The statements of a test: what is prepared, the call it is for, what is expected.

use crate::facts::Facts;
use crate::imports::Imports;
use crate::names::{self, Names};
use crate::own_files::OwnFiles;
use crate::test_class::Dialect;
use crate::{JavaTest, layout, literal, thrown};
use java_classfile::Type;
use java_wire::message::{End, Seen, Thrown};
use java_wire::{Action, Argument, Step, Value};
use std::collections::BTreeMap;

/// Where testers write what they expect.
const PLACE: &str = "// Your assertions go here.";

/// What a method must declare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Throws {
    #[default]
    Nothing,
    Exception,
    Throwable,
}

/// Warnings that a class must suppress.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Suppressed {
    pub(crate) raw: bool,
    pub(crate) deprecation: bool,
    pub(crate) serial: bool,
}

/// How the result of a step is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Held {
    /// Nobody wants it.
    Nothing,
    /// In a variable.
    Variable(String),
    /// It is written where it is used.
    Inline,
}

/// A test as it is being written.
pub(crate) struct Writer<'w, 'f> {
    pub(crate) test: &'w JavaTest,
    pub(crate) facts: &'f Facts,
    pub(crate) package: &'w str,
    pub(crate) dialect: &'w Dialect,
    /// Whether it says what is expected, see [`crate::JavaJob::asserts`].
    pub(crate) asserts: bool,
    pub(crate) imports: &'w mut Imports<'f>,
    pub(crate) suppressed: &'w mut Suppressed,
    pub(crate) own_files: &'w mut OwnFiles,
    pub(crate) throws: Throws,
    pub(crate) held: Vec<Held>,
    /// The variables of arrays that are looked into, by their slots.
    pub(crate) slots: BTreeMap<u32, String>,
    /// What the compiler knows of each step's result.
    pub(crate) types: Vec<Option<Type>>,
    pub(crate) names: Names,
}

impl<'w> Writer<'w, '_> {
    /// The groups of statements.
    pub(crate) fn groups(&mut self) -> Vec<Vec<String>> {
        let script = &self.test.script;
        let last = match &self.test.end {
            End::Threw { step, .. } => *step as usize,
            _ => script.steps.len() - 1,
        };
        self.plan(last);
        let mut arrange = Vec::new();
        for (at, step) in script.steps[..last].iter().enumerate() {
            arrange.extend(self.arrays(step, &script.steps[..at]));
            arrange.extend(self.statement(at, step));
        }
        let step = &script.steps[last];
        arrange.extend(self.arrays(step, &script.steps[..last]));
        let (act, mut expected) = match &self.test.end {
            End::Threw { thrown, .. } => self.throwing(step, thrown),
            _ => self.returning(last, step),
        };
        expected.extend(self.observations(last));
        if !self.asserts && self.test.end == End::Returned {
            expected.push(PLACE.to_owned());
        }
        vec![arrange, act, expected]
    }

    /// Decides which results get variables and what these are called.
    fn plan(&mut self, last: usize) {
        let script = &self.test.script;
        for (at, step) in script.steps[..=last].iter().enumerate() {
            let users: Vec<&Step> = self.users(at, last);
            let result = step.action.result();
            self.types.push(result.as_ref().map(|ty| self.nameable(ty)));
            // That a static field is looked at initialises its class, whoever wants what it holds.
            let is_wanted = !users.is_empty()
                || self.is_compared(at, last)
                || matches!(step.action, Action::Load { is_static: true, .. });
            let held = match &result {
                _ if at == last => Held::Nothing,
                Some(_) if !users.is_empty() && self.is_inline(&step.action, &users) => Held::Inline,
                Some(ty) if is_wanted => {
                    let it = Argument::Result(at as u32);
                    let parameter = users.iter().find_map(|user| self.parameter_name(user, it));
                    Held::Variable(self.names.unique(&names::variable(ty, parameter.as_deref())))
                }
                _ => Held::Nothing,
            };
            self.held.push(held);
        }
        self.plan_arrays(last);
    }

    /// Values that are looked at afterwards need variables, too.
    fn plan_arrays(&mut self, last: usize) {
        let steps = &self.test.script.steps[..=last];
        for (observer, _) in self.kept_observers(last) {
            let (Action::Look { ty }, Some(&it @ Argument::Slot(slot))) =
                (&observer.action, observer.arguments.first())
            else {
                continue;
            };
            let users = steps.iter().filter(|step| step.arguments.contains(&it));
            let parameter = users.clone().find_map(|user| self.parameter_name(user, it));
            let name = self.names.unique(&names::variable(ty, parameter.as_deref()));
            self.slots.insert(slot, name);
        }
    }

    /// Declares the arrays of a step that are looked at afterwards, if no step before it had them.
    fn arrays(&mut self, step: &Step, before: &[Step]) -> Vec<String> {
        let mut lines = Vec::new();
        for argument in &step.arguments {
            let &Argument::Slot(slot) = argument else { continue };
            let Some(name) = self.slots.get(&slot).cloned() else { continue };
            let is_known = before.iter().any(|step| step.arguments.contains(argument));
            if let Value::Array(primitive, elements) = self.value(slot)
                && !is_known
            {
                let ty = self.imports.ty(&Type::Array(Box::new(primitive.ty())));
                let elements = literal::elements_of(&elements, self.imports);
                lines.extend(layout::wrapped(&format!("{ty} {name} = {elements};"), 8));
            }
        }
        lines
    }

    fn users(&self, at: usize, last: usize) -> Vec<&'w Step> {
        let script = &self.test.script;
        let observers = self.kept_observers(last).into_iter().map(|(observer, _)| observer);
        let uses = |step: &&Step| step.arguments.contains(&Argument::Result(at as u32));
        script.steps[at + 1..=last].iter().chain(observers).filter(uses).collect()
    }

    /// Whether something that is expected is the result of this step.
    fn is_compared(&self, at: usize, last: usize) -> bool {
        let has_result = self.asserts && self.test.end == End::Returned;
        let result = self.test.results.get(last).filter(|_| has_result);
        let seen = result.into_iter().chain(self.kept_observers(last).into_iter().map(|(_, seen)| seen));
        seen.into_iter().any(|seen| mentions(seen, at as u32))
    }

    /// Constants of enums are written where they are used; arrays too if that is inside of another array or the end of a call with a
    /// variable number of arguments.
    fn is_inline(&self, action: &Action, users: &[&Step]) -> bool {
        match action {
            Action::Load { class, name, ty, is_static: true } => match self.facts.field(class, name) {
                Some(access) => access.is_enum(),
                None => *ty == Type::Object(class.clone()) && !name.contains(char::is_lowercase),
            },
            Action::Array { .. } => match users {
                [user] => match &user.action {
                    Action::Array { .. } => true,
                    Action::Invoke { class, name, descriptor, .. } => {
                        let method = self.facts.method(class, name, descriptor);
                        method.is_some_and(|method| method.access.is_varargs())
                    }
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    fn parameter_name(&self, user: &Step, it: Argument) -> Option<String> {
        let (class, name, descriptor, receiver) = match &user.action {
            Action::Construct { class, descriptor } => (class, "<init>", descriptor, 0),
            Action::Invoke { class, name, descriptor, is_static } => {
                (class, name.as_str(), descriptor, usize::from(!is_static))
            }
            _ => return None,
        };
        let position = user.arguments.iter().position(|a| *a == it)?;
        let method = self.facts.method(class, name, descriptor)?;
        method.parameters.get(position.checked_sub(receiver)?)?.clone()
    }

    /// A step before the last one.
    fn statement(&mut self, at: usize, step: &Step) -> Vec<String> {
        match self.held[at].clone() {
            Held::Inline => Vec::new(),
            Held::Nothing if !Self::is_statement(&step.action) => Vec::new(),
            Held::Nothing => {
                self.note(step);
                layout::wrapped(&format!("{};", self.expression(step)), 8)
            }
            Held::Variable(name) => {
                self.note(step);
                self.declaration(at, &name, step)
            }
        }
    }

    fn declaration(&mut self, at: usize, name: &str, step: &Step) -> Vec<String> {
        let ty = self.types[at].clone().unwrap_or_else(object);
        self.mention(&ty);
        let ty = self.imports.ty(&ty);
        let value = match &step.action {
            Action::Array { element } => self.braces(element, &step.arguments),
            _ => self.expression(step),
        };
        let text = format!("{ty} {name} = {value};");
        if text.contains('\n') {
            text.lines().map(str::to_owned).collect()
        } else {
            layout::wrapped(&text, 8)
        }
    }

    /// The last step and what is expected of its result.
    fn returning(&mut self, last: usize, step: &Step) -> (Vec<String>, Vec<String>) {
        self.note(step);
        let is_new = matches!(step.action, Action::Construct { .. });
        let seen = self.test.results.get(last).cloned().unwrap_or(Seen::Void);
        let ty = self.types[last].clone();
        let has_users = !self.users(last, last).is_empty() || self.is_compared(last, last);
        let wanted = match (&ty, is_new) {
            (Some(ty), true) => names::variable(ty, None),
            _ => "result".to_owned(),
        };
        let name = self.names.clone().unique(&wanted);
        // That a constructor makes an object is no news.
        let is_known = matches!(seen, Seen::Void) || (is_new && matches!(seen, Seen::Object(_, None)));
        let expected = match &ty {
            Some(ty) if !is_known && self.asserts => self.expectation(&name, ty, &seen),
            _ => Vec::new(),
        };
        // What nobody compares yet is there to be compared.
        let must_be_held =
            has_users || !expected.is_empty() || !self.asserts || !Self::is_statement(&step.action);
        if ty.is_some() && must_be_held {
            self.names.reserve(&name);
            self.held[last] = Held::Variable(name.clone());
            return (self.declaration(last, &name, step), expected);
        }
        (layout::wrapped(&format!("{};", self.expression(step)), 8), expected)
    }

    /// The last step inside of the assertion that it throws.
    fn throwing(&mut self, step: &Step, thrown: &Thrown) -> (Vec<String>, Vec<String>) {
        let class = thrown::nameable(self.facts, &thrown.class, self.package);
        let class = self.imports.name(&class);
        let call = self.expression(step);
        let body = if Self::is_statement(&step.action) {
            call
        } else {
            let ty = step.action.result().unwrap_or_else(object);
            format!("{{ {} unused = {call}; }}", self.imports.ty(&ty))
        };
        let assertion = self.assertion("assertThrows", &[format!("{class}.class"), format!("() -> {body}")]);
        let mut act = Vec::new();
        if thrown.class == "java/lang/AssertionError" {
            act.push("// Assertions of the code itself must be on: java -ea.".to_owned());
        }
        let Some(message) = thrown::stable_message(thrown).filter(|_| self.asserts) else {
            act.extend(layout::wrapped(&assertion, 8));
            return (act, Vec::new());
        };
        let name = self.names.unique("thrown");
        act.extend(layout::wrapped(&format!("{class} {name} = {assertion}"), 8));
        let arguments = [crate::literal::quoted(message), format!("{name}.getMessage()")];
        let expected = self.assertion("assertEquals", &arguments);
        (act, layout::wrapped(&expected, 8))
    }

    fn observations(&mut self, last: usize) -> Vec<String> {
        let kept: Vec<(Step, Seen)> =
            self.kept_observers(last).into_iter().map(|(step, seen)| (step.clone(), seen.clone())).collect();
        let mut lines = Vec::new();
        for (step, seen) in kept {
            let Some(ty) = step.action.result() else { continue };
            let text = self.expression(&step);
            if let Seen::Threw(class) = &seen {
                let class = thrown::nameable(self.facts, class, self.package);
                let class = format!("{}.class", self.imports.name(&class));
                let assertion = self.assertion("assertThrows", &[class, format!("() -> {text}")]);
                lines.extend(layout::wrapped(&assertion, 8));
                continue;
            }
            self.note(&step);
            lines.extend(self.expectation(&text, &ty, &seen));
        }
        lines
    }

    /// Observers that saw something of objects that are there.
    fn kept_observers(&self, last: usize) -> Vec<(&'w Step, &'w Seen)> {
        if !self.asserts {
            return Vec::new();
        }
        let has_returned = self.test.end == End::Returned;
        let is_there = |argument: &Argument| match argument {
            Argument::Result(of) => {
                let of = *of as usize;
                let is_null = matches!(self.test.results.get(of), Some(Seen::Null | Seen::Void));
                (of < last || (of == last && has_returned)) && !is_null
            }
            _ => true,
        };
        // Only calls can be written as what throws.
        let can_be_told = |(step, seen): &(&Step, &Seen)| match seen {
            Seen::Void => false,
            Seen::Threw(_) => Self::is_statement(&step.action),
            _ => true,
        };
        let all = self.test.script.observers.iter().zip(&self.test.observed);
        all.filter(|(step, _)| step.arguments.iter().all(is_there)).filter(can_be_told).collect()
    }

    /// A type that a variable can be declared with.
    fn nameable(&self, ty: &Type) -> Type {
        match ty {
            ty if self.is_accessible(ty) => ty.clone(),
            _ => object(),
        }
    }

    /// Notes that a type is named, for the warnings that come of it.
    pub(crate) fn mention(&mut self, ty: &Type) {
        let mut ty = ty;
        while let Type::Array(element) = ty {
            ty = element;
        }
        let Type::Object(class) = ty else { return };
        match self.facts.class(class) {
            Some(facts) => {
                self.suppressed.raw |= facts.generic;
                self.suppressed.deprecation |= facts.deprecated;
            }
            None => self.suppressed.raw |= !is_never_generic(class),
        }
    }

    pub(crate) fn value(&self, slot: u32) -> Value {
        self.test.values.get(slot as usize).cloned().unwrap_or(Value::Null)
    }
}

fn object() -> Type {
    Type::Object("java/lang/Object".to_owned())
}

fn mentions(seen: &Seen, step: u32) -> bool {
    match seen {
        Seen::Same(of) => *of == step,
        Seen::Array(_, _, elements) => elements.iter().any(|element| mentions(element, step)),
        _ => false,
    }
}

/// Classes of the library without type parameters.
fn is_never_generic(class: &str) -> bool {
    let ty = Type::Object(class.to_owned());
    let is_value = java_wire::Slot::of(&ty).is_some();
    let plain = ["Object", "Number", "CharSequence", "StringBuilder", "Throwable", "Exception", "Error"];
    let simple_name = class.strip_prefix("java/lang/").unwrap_or_default();
    is_value || plain.contains(&simple_name) || simple_name.ends_with("Exception")
}
