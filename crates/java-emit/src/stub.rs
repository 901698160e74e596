//! Implementations of interfaces and abstract classes that nothing implements, as anonymous classes.
//!
//! ```java
//! Listener listener = new Listener() {
//!     private final Iterator<Boolean> acceptsAnswers = Arrays.asList(true).iterator();
//!
//!     @Override
//!     public boolean accepts(int value) {
//!         return acceptsAnswers.hasNext() ? acceptsAnswers.next() : false;
//!     }
//! };
//! ```
//!
//! A call is answered with the first answer of the method that was not given yet. Answers at the end that are what is given after them anyway
//! are left out.

use crate::body::Writer;
use crate::facts::{Facts, MethodFacts};
use crate::names;
use crate::substitution::Substitution;
use java_classfile::{MethodDescriptor, Type};
use java_wire::{Answering, Argument, Primitive, Slot};

impl Writer<'_, '_> {
    /// The expression that makes a stub. The arguments of its constructor come first, then a value for each of its answers.
    pub(crate) fn stub(
        &mut self,
        class: &str,
        parameters: &[Type],
        answers: &[Answering],
        arguments: &[Argument],
    ) -> String {
        let facts = self.facts;
        self.mention(&Type::Object(class.to_owned()));
        let is_interface = facts.class(class).is_some_and(|facts| facts.access.is_interface());
        let (lineage, is_complete) = facts.lineage(class);
        self.suppressed.serial |= !is_complete || lineage.iter().any(|name| name == "java/io/Serializable");
        let methods = abstract_methods(facts, class);
        let (taken, rest) = arguments.split_at(parameters.len().min(arguments.len()));
        let queues = self.queues(&methods, answers, rest);
        let mut members: Vec<String> = queues.iter().flatten().map(|queue| self.queue_field(queue)).collect();
        if !members.is_empty() {
            members = vec![members.join("\n")];
        }
        for (method, queue) in methods.iter().zip(&queues) {
            members.push(self.stub_method(method, is_interface, queue.as_ref()));
        }
        let descriptor = MethodDescriptor { parameters: parameters.to_vec(), result: None };
        let made = self.construction(class, &descriptor, taken);
        if members.is_empty() {
            return format!("{made} {{\n}}");
        }
        format!("{made} {{\n{}\n}}", members.join("\n\n"))
    }

    /// By method: its answers, if there are any.
    fn queues(
        &mut self,
        methods: &[(MethodFacts, MethodDescriptor)],
        answers: &[Answering],
        arguments: &[Argument],
    ) -> Vec<Option<Queue>> {
        let mut names = names::Names::default();
        let mut queue = |(method, shown): &(MethodFacts, MethodDescriptor)| {
            let is_its = |of: &Answering| of.name == method.name && of.descriptor == method.descriptor;
            let all = arguments.iter().zip(answers).filter(|(_, of)| is_its(of));
            let all: Vec<Argument> = all.map(|(argument, _)| *argument).collect();
            let ty = shown.result.clone()?;
            let last = all.iter().rposition(|argument| !self.is_zero(*argument))?;
            let answers = all[..=last].iter().map(|argument| self.answer(*argument, &ty)).collect();
            Some(Queue { name: names.unique(&format!("{}Answers", method.name)), ty, answers })
        };
        methods.iter().map(&mut queue).collect()
    }

    /// Whether an answer is zero, false or null.
    fn is_zero(&self, argument: Argument) -> bool {
        match argument {
            Argument::Null => true,
            Argument::Result(_) => false,
            Argument::Slot(slot) => {
                let value = self.value(slot);
                value == java_wire::Value::Null || value.primitive().is_some_and(|of| of.zero() == value)
            }
        }
    }

    /// An answer for methods with a type of result. Whatever takes just any object needs to know of null alone that it is one.
    fn answer(&mut self, argument: Argument, ty: &Type) -> String {
        let is_anything = matches!(ty, Type::Object(name) if name == "java/lang/Object");
        self.argument(argument, ty, !is_anything || self.is_zero(argument))
    }

    fn queue_field(&mut self, queue: &Queue) -> String {
        let boxed = Primitive::of(&queue.ty).map(|primitive| Type::Object(primitive.box_class().to_owned()));
        let element = self.imports.ty(boxed.as_ref().unwrap_or(&queue.ty));
        let iterator = self.imports.name("java/util/Iterator");
        let arrays = self.imports.name("java/util/Arrays");
        let answers = queue.answers.join(", ");
        // Of numbers and texts a compiler finds out the type itself.
        let is_obvious = Slot::of(&queue.ty).is_some_and(|slot| !matches!(slot, Slot::Array(_)));
        let hint = if is_obvious { String::new() } else { format!("<{element}>") };
        let name = &queue.name;
        format!(
            "    private final {iterator}<{element}> {name} = {arrays}.{hint}asList({answers}).iterator();"
        )
    }

    fn stub_method(
        &mut self,
        (method, shown): &(MethodFacts, MethodDescriptor),
        is_interface: bool,
        queue: Option<&Queue>,
    ) -> String {
        let visibility = match method.access {
            access if is_interface || access.is_public() => "public ",
            access if access.is_protected() => "protected ",
            _ => "",
        };
        let mut taken = names::Names::default();
        queue.iter().for_each(|queue| taken.reserve(&queue.name));
        let mut parameters = Vec::new();
        for (at, ty) in shown.parameters.iter().enumerate() {
            let declared = method.parameters.get(at).cloned().flatten();
            let name = taken.unique(&declared.unwrap_or_else(|| names::variable(ty, None)));
            parameters.push(format!("{} {name}", self.imports.ty(ty)));
        }
        let result = shown.result.as_ref();
        let declared = result.map_or_else(|| "void".to_owned(), |ty| self.imports.ty(ty));
        let body = match (result, queue) {
            (None, _) => String::new(),
            (Some(ty), None) => format!("        return {};\n", zero(ty)),
            (Some(ty), Some(Queue { name, .. })) => {
                format!("        return {name}.hasNext() ? {name}.next() : {};\n", zero(ty))
            }
        };
        let over = self.imports.name("java/lang/Override");
        format!(
            "    @{over}\n    {visibility}{declared} {}({}) {{\n{body}    }}",
            method.name,
            parameters.join(", ")
        )
    }
}

/// Answers of one method.
struct Queue {
    name: String,
    ty: Type,
    answers: Vec<String>,
}

/// The methods that an implementation must have, by name and parameters, each with the types that it must be written with.
fn abstract_methods(facts: &Facts, class: &str) -> Vec<(MethodFacts, MethodDescriptor)> {
    let (lineage, _) = facts.lineage(class);
    let same = |a: &MethodFacts, b: &MethodFacts| {
        a.name == b.name && a.descriptor.parameters == b.descriptor.parameters
    };
    let of_object = |method: &MethodFacts| match method.name.as_str() {
        "equals" => method.descriptor.to_string() == "(Ljava/lang/Object;)Z",
        "hashCode" | "toString" => method.descriptor.parameters.is_empty(),
        _ => false,
    };
    let known = Substitution::of(facts, class);
    let with_types = |name: &'_ String| {
        let methods = facts.class(name).map_or(&[][..], |class| &class.methods);
        methods.iter().map(|method| (method, known.shown(name, method))).collect::<Vec<_>>()
    };
    let all: Vec<(&MethodFacts, MethodDescriptor)> = lineage.iter().flat_map(with_types).collect();
    let is_done = |method: &MethodFacts| {
        all.iter().any(|(other, _)| !other.access.is_abstract() && same(other, method))
    };
    let mut wanted: Vec<(MethodFacts, MethodDescriptor)> = Vec::new();
    for (method, shown) in all.iter().filter(|(method, _)| method.access.is_abstract()) {
        if !is_done(method) && !of_object(method) && !wanted.iter().any(|(other, _)| same(other, method)) {
            wanted.push(((*method).clone(), shown.clone()));
        }
    }
    wanted
}

fn zero(ty: &Type) -> &'static str {
    match ty {
        Type::Boolean => "false",
        Type::Char => "'\\u0000'",
        Type::Object(_) | Type::Array(_) => "null",
        Type::Long => "0L",
        Type::Float => "0.0f",
        Type::Double => "0.0",
        Type::Byte => "(byte) 0",
        Type::Short => "(short) 0",
        Type::Int => "0",
    }
}
