//! Implementations of interfaces and abstract classes that nothing implements, as anonymous classes.
//!
//! ```java
//! Listener listener = new Listener() {
//!     private final Iterator<Boolean> booleans = Arrays.asList(true).iterator();
//!
//!     @Override
//!     public boolean accepts(int value) {
//!         return booleans.hasNext() ? booleans.next() : false;
//!     }
//! };
//! ```
//!
//! A call is answered with the first argument of the step that fits its result and answered no call before; methods with equal
//! results share their answers.

use crate::body::Writer;
use crate::facts::{Facts, MethodFacts};
use crate::literal;
use crate::names;
use crate::overloads::Given;
use java_classfile::Type;
use java_wire::{Argument, Primitive, Slot};
use std::collections::BTreeMap;

impl Writer<'_, '_> {
    /// The expression that makes a stub.
    pub(crate) fn stub(&mut self, class: &str, arguments: &[Argument]) -> String {
        let facts = self.facts;
        self.mention(&Type::Object(class.to_owned()));
        let is_interface = facts.class(class).is_some_and(|facts| facts.access.is_interface());
        let (lineage, is_complete) = facts.lineage(class);
        self.suppressed.serial |= !is_complete || lineage.iter().any(|name| name == "java/io/Serializable");
        let methods = abstract_methods(facts, class);
        let queues = self.queues(&methods, arguments);
        let mut members: Vec<String> = queues.values().map(|queue| self.queue_field(queue)).collect();
        if !members.is_empty() {
            members = vec![members.join("\n")];
        }
        for method in &methods {
            let queue = method.descriptor.result.as_ref().and_then(|ty| queues.get(ty));
            members.push(self.stub_method(method, is_interface, queue));
        }
        let made = format!("new {}({})", self.imports.name(class), self.super_arguments(class));
        if members.is_empty() {
            return format!("{made} {{\n}}");
        }
        format!("{made} {{\n{}\n}}", members.join("\n\n"))
    }

    /// Which answers there are for each type of result.
    fn queues(&mut self, methods: &[MethodFacts], arguments: &[Argument]) -> BTreeMap<Type, Queue> {
        let mut results: Vec<Type> = Vec::new();
        for result in methods.iter().filter_map(|method| method.descriptor.result.clone()) {
            if !results.contains(&result) {
                results.push(result);
            }
        }
        let mut queues: BTreeMap<Type, Queue> = BTreeMap::new();
        let mut names = names::Names::default();
        for argument in arguments {
            let fits = |ty: &&Type| self.fits(*argument, ty);
            let Some(ty) = results.iter().find(fits).cloned() else { continue };
            let answer = self.argument(*argument, &ty, true);
            let queue = queues.entry(ty.clone()).or_insert_with(|| Queue {
                name: names.unique(&plural(&ty)),
                ty,
                answers: Vec::new(),
            });
            queue.answers.push(answer);
        }
        queues
    }

    fn fits(&self, argument: Argument, ty: &Type) -> bool {
        match (self.given(argument), self.boxed_type(argument)) {
            (Given::Null, _) => ty.is_reference(),
            (Given::Of(given), None) => self.facts.is_subtype(&given, ty) == Some(true),
            (Given::Of(_), Some(boxed)) => self.facts.is_subtype(&boxed, ty) == Some(true),
        }
    }

    /// The class of a box that an argument is.
    fn boxed_type(&self, argument: Argument) -> Option<Type> {
        let Argument::Slot(slot) = argument else { return None };
        match self.value(slot) {
            java_wire::Value::Boxed(inner) => {
                inner.primitive().map(|primitive| Type::Object(primitive.box_class().to_owned()))
            }
            _ => None,
        }
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

    fn stub_method(&mut self, method: &MethodFacts, is_interface: bool, queue: Option<&Queue>) -> String {
        let visibility = match method.access {
            access if is_interface || access.is_public() => "public ",
            access if access.is_protected() => "protected ",
            _ => "",
        };
        let mut taken = names::Names::default();
        let mut parameters = Vec::new();
        for (at, ty) in method.descriptor.parameters.iter().enumerate() {
            let declared = method.parameters.get(at).cloned().flatten();
            let name = taken.unique(&declared.unwrap_or_else(|| names::variable(ty, None)));
            parameters.push(format!("{} {name}", self.imports.ty(ty)));
        }
        let result = method.descriptor.result.as_ref();
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

    /// Arguments for the simplest constructor of an abstract class: nothing, zero and null.
    fn super_arguments(&mut self, class: &str) -> String {
        let Some(facts) = self.facts.class(class) else { return String::new() };
        let constructors = facts.methods.iter().filter(|m| m.name == "<init>" && !m.access.is_private());
        let Some(simplest) = constructors.min_by_key(|m| m.descriptor.parameters.len()).cloned() else {
            return String::new();
        };
        let mut texts = Vec::new();
        for ty in &simplest.descriptor.parameters {
            let text = match Primitive::of(ty) {
                Some(primitive) => literal::exact(&primitive.zero(), self.imports),
                None => self.cast(ty, "null"),
            };
            texts.push(text);
        }
        texts.join(", ")
    }
}

/// Answers of one type.
struct Queue {
    name: String,
    ty: Type,
    answers: Vec<String>,
}

/// The methods that an implementation must have, by name and parameters.
fn abstract_methods(facts: &Facts, class: &str) -> Vec<MethodFacts> {
    let (lineage, _) = facts.lineage(class);
    let same = |a: &MethodFacts, b: &MethodFacts| {
        a.name == b.name && a.descriptor.parameters == b.descriptor.parameters
    };
    let of_object = |method: &MethodFacts| match method.name.as_str() {
        "equals" => method.descriptor.to_string() == "(Ljava/lang/Object;)Z",
        "hashCode" | "toString" => method.descriptor.parameters.is_empty(),
        _ => false,
    };
    let all: Vec<&MethodFacts> =
        lineage.iter().filter_map(|class| facts.class(class)).flat_map(|class| &class.methods).collect();
    let is_done =
        |method: &MethodFacts| all.iter().any(|other| !other.access.is_abstract() && same(other, method));
    let mut wanted: Vec<MethodFacts> = Vec::new();
    for method in all.iter().filter(|method| method.access.is_abstract()) {
        if !is_done(method) && !of_object(method) && !wanted.iter().any(|other| same(other, method)) {
            wanted.push((*method).clone());
        }
    }
    wanted
}

/// A name for several values of a type.
fn plural(ty: &Type) -> String {
    match Primitive::of(ty) {
        Some(primitive) => format!("{}s", literal::keyword(primitive)),
        None => format!("{}s", names::variable(ty, None)),
    }
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
