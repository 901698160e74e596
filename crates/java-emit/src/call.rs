//! Steps as expressions.

use crate::body::{Held, Throws, Writer};
use crate::facts::package_of;
use java_classfile::{MethodDescriptor, Type};
use java_wire::{Action, Argument, Step};

impl Writer<'_, '_> {
    /// A step as an expression or an assignment. What it may throw is not noted.
    pub(crate) fn expression(&mut self, step: &Step) -> String {
        match &step.action {
            Action::Construct { class, descriptor } => self.construction(class, descriptor, &step.arguments),
            Action::Invoke { class, name, descriptor, is_static } => {
                let (receiver, rest) = self.receiver(class, *is_static, &step.arguments);
                let arguments = self.arguments(class, name, descriptor, rest);
                format!("{receiver}.{name}({arguments})")
            }
            Action::Load { class, name, is_static, .. } => {
                format!("{}.{name}", self.owner(class, name, *is_static, &step.arguments))
            }
            Action::Store { class, name, ty, is_static } => {
                let owner = self.owner(class, name, *is_static, &step.arguments);
                let value = step.arguments.last().copied().unwrap_or(Argument::Null);
                format!("{owner}.{name} = {}", self.element_or_array(value, ty))
            }
            Action::Array { element } => {
                self.mention(element);
                let braces = self.braces(element, &step.arguments);
                format!("new {}[] {braces}", self.imports.ty(element))
            }
            Action::Stub { class, parameters, answers } => {
                self.stub(class, parameters, answers, &step.arguments)
            }
            Action::File { is_folder } => self.own_file(*is_folder, &step.arguments),
            Action::Look { ty } => {
                let looked_at = step.arguments.first().copied().unwrap_or(Argument::Null);
                self.argument(looked_at, ty, false)
            }
        }
    }

    /// Whether the text of a step can stand alone.
    pub(crate) fn is_statement(action: &Action) -> bool {
        matches!(
            action,
            Action::Construct { .. } | Action::Invoke { .. } | Action::Store { .. } | Action::File { .. }
        )
    }

    /// What a step may throw, as far as the test must declare it; and whether a compiler warns of it.
    pub(crate) fn note(&mut self, step: &Step) {
        let (class, name, descriptor) = match &step.action {
            Action::Construct { class, descriptor } => (class, "<init>", descriptor),
            Action::Invoke { class, name, descriptor, .. } => (class, name.as_str(), descriptor),
            Action::File { .. } => {
                self.throws = self.throws.max(Throws::Exception);
                return;
            }
            _ => return,
        };
        let Some(method) = self.facts.method(class, name, descriptor) else {
            if !throws_nothing(class, name) {
                self.throws = self.throws.max(Throws::Exception);
            }
            return;
        };
        for exception in &method.exceptions {
            if exception == "java/lang/Throwable" {
                self.throws = Throws::Throwable;
            } else if self.facts.is_checked(exception) {
                self.throws = self.throws.max(Throws::Exception);
            }
        }
    }

    /// The text that stands for the result of an earlier step.
    pub(crate) fn held_text(&mut self, step: usize) -> String {
        match self.held[step].clone() {
            Held::Variable(name) => name,
            Held::Inline => {
                let step = self.test.script.steps[step].clone();
                self.expression(&step)
            }
            Held::Nothing => "null".to_owned(),
        }
    }

    pub(crate) fn construction(
        &mut self,
        class: &str,
        descriptor: &MethodDescriptor,
        arguments: &[Argument],
    ) -> String {
        self.mention(&Type::Object(class.to_owned()));
        let outer = if self.facts.is_inner(class) { self.facts.outer(class) } else { None };
        let Some(((outer, simple_name), (first, rest))) = outer.zip(arguments.split_first()) else {
            let arguments = self.arguments(class, "<init>", descriptor, arguments);
            return format!("new {}({arguments})", self.imports.name(class));
        };
        let receiver = self.qualified(*first, &outer);
        let arguments = self.arguments(class, "<init>", descriptor, rest);
        format!("{receiver}.new {simple_name}({arguments})")
    }

    /// What stands before the dot, and the arguments behind it.
    fn receiver<'a>(
        &mut self,
        class: &str,
        is_static: bool,
        arguments: &'a [Argument],
    ) -> (String, &'a [Argument]) {
        match arguments.split_first() {
            Some((first, rest)) if !is_static => (self.qualified(*first, class), rest),
            _ => (self.imports.name(class), arguments),
        }
    }

    fn owner(&mut self, class: &str, field: &str, is_static: bool, arguments: &[Argument]) -> String {
        let Some(first) = arguments.first().filter(|_| !is_static) else { return self.imports.name(class) };
        let given = match *first {
            Argument::Result(step) => self.types[step as usize].clone(),
            _ => None,
        };
        // A field of the same name in a subclass would hide the one that is meant.
        let hidden = matches!(&given, Some(Type::Object(name)) if name != class
            && self.facts.field(name, field).is_some());
        if hidden {
            let text = self.argument(*first, &Type::Object(class.to_owned()), true);
            return format!("({text})");
        }
        self.qualified(*first, class)
    }

    /// An object before a dot.
    fn qualified(&mut self, argument: Argument, class: &str) -> String {
        let ty = Type::Object(class.to_owned());
        let exact = !matches!(argument, Argument::Result(_));
        let text = self.argument(argument, &ty, exact);
        let is_primary = !text.starts_with('(') && !text.starts_with("new ");
        if is_primary { text } else { format!("({text})") }
    }

    /// A value that is assigned to a variable of a type.
    fn element_or_array(&mut self, argument: Argument, ty: &Type) -> String {
        match (argument, ty) {
            (Argument::Slot(slot), Type::Array(_)) if !self.slots.contains_key(&slot) => {
                let value = self.value(slot);
                crate::literal::assigned(&value, self.imports)
            }
            (Argument::Slot(slot), _) if self.slots.contains_key(&slot) => self.argument(argument, ty, false),
            (Argument::Slot(_), _) => self.element(argument, ty),
            _ => self.argument(argument, ty, false),
        }
    }
}

/// Whether a method of the library that is not among the facts surely declares no exception.
fn throws_nothing(class: &str, name: &str) -> bool {
    let simple_name = class.strip_prefix("java/lang/").unwrap_or_default();
    let safe =
        ["String", "StringBuilder", "Integer", "Long", "Boolean", "Character", "Byte", "Short", "Float"];
    let safe = safe.contains(&simple_name) || ["Double", "Math", "Object"].contains(&simple_name);
    let collection = package_of(class) == "java/util";
    (safe || collection) && !["wait", "clone", "finalize", "call"].contains(&name)
}
