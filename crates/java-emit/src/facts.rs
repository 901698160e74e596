//! What is known of the classes that tests name, from their class files.
//!
//! Nothing has to be known: a class without facts is taken for one that needs every precaution, a cast, a `throws` clause or a
//! suppressed warning more than a reader would write.

use crate::test_class;
use java_classfile::{Access, ClassFile, ClassSignature, Method, MethodDescriptor, MethodSignature, Type};
use java_wire::Script;
use java_wire::message::End;
use std::collections::{BTreeMap, BTreeSet};

/// Facts about classes, by internal name.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    classes: BTreeMap<String, ClassFacts>,
    nested: BTreeMap<String, Nested>,
    /// Newest version of a class file.
    version: u16,
}

/// What a class file says that matters for source text.
#[derive(Clone, Debug)]
pub(crate) struct ClassFacts {
    pub(crate) access: Access,
    pub(crate) superclass: Option<String>,
    pub(crate) interfaces: Vec<String>,
    pub(crate) generic: bool,
    pub(crate) signature: Option<ClassSignature>,
    pub(crate) deprecated: bool,
    pub(crate) methods: Vec<MethodFacts>,
    fields: Vec<(String, Access)>,
}

/// A method or constructor.
#[derive(Clone, Debug)]
pub(crate) struct MethodFacts {
    pub(crate) name: String,
    pub(crate) descriptor: MethodDescriptor,
    pub(crate) signature: Option<MethodSignature>,
    pub(crate) access: Access,
    pub(crate) parameters: Vec<Option<String>>,
    pub(crate) exceptions: Vec<String>,
    pub(crate) deprecated: bool,
}

/// Where a nested class stands.
#[derive(Clone, Debug)]
struct Nested {
    outer: Option<String>,
    simple_name: Option<String>,
    access: Access,
}

impl Facts {
    /// Facts about these classes.
    #[must_use]
    pub fn of<'c>(classes: impl IntoIterator<Item = &'c ClassFile>) -> Facts {
        let mut facts = Facts::default();
        classes.into_iter().for_each(|class| facts.add(class));
        facts
    }

    /// Learns about one more class.
    pub fn add(&mut self, class: &ClassFile) {
        for inner in &class.attributes.inner_classes {
            let access = Access(inner.access);
            let nested =
                Nested { outer: inner.outer.clone(), simple_name: inner.simple_name.clone(), access };
            self.nested.insert(inner.name.clone(), nested);
        }
        let facts = ClassFacts {
            access: class.access,
            superclass: class.superclass.clone(),
            interfaces: class.interfaces.clone(),
            signature: class.attributes.signature.as_deref().and_then(ClassSignature::read),
            generic: class.attributes.signature.as_ref().is_some_and(|text| text.starts_with('<')),
            deprecated: is_deprecated(&class.attributes.annotations),
            methods: class.methods.iter().map(|method| method_facts(class, method)).collect(),
            fields: class.fields.iter().map(|field| (field.name.clone(), field.access)).collect(),
        };
        self.classes.insert(class.name.clone(), facts);
        self.version = self.version.max(class.major);
    }

    /// The Java that all of the classes run in, or 17, which the tests need.
    pub(crate) fn java(&self) -> u16 {
        // A class file of version 61 is one of Java 17.
        self.version.max(61) - 44
    }

    pub(crate) fn class(&self, name: &str) -> Option<&ClassFacts> {
        self.classes.get(name)
    }

    /// A method by name and parameters, also one that is inherited.
    pub(crate) fn method(
        &self,
        class: &str,
        name: &str,
        descriptor: &MethodDescriptor,
    ) -> Option<&MethodFacts> {
        let is_it = |method: &&MethodFacts| {
            method.name == name && method.descriptor.parameters == descriptor.parameters
        };
        self.lineage(class).0.iter().find_map(|class| self.class(class)?.methods.iter().find(is_it))
    }

    /// The class and all its known supertypes, itself first; and whether these are all.
    pub(crate) fn lineage(&self, class: &str) -> (Vec<String>, bool) {
        let mut all = vec![class.to_owned()];
        let mut complete = true;
        let mut next = 0;
        while let Some(name) = all.get(next).cloned() {
            next += 1;
            let Some(facts) = self.class(&name) else {
                complete &= name == "java/lang/Object";
                continue;
            };
            for supertype in facts.superclass.iter().chain(&facts.interfaces) {
                if !all.contains(supertype) {
                    all.push(supertype.clone());
                }
            }
        }
        (all, complete)
    }

    /// Whether values of one type fit where another is wanted, without a conversion of numbers; `None` if that is not known.
    pub(crate) fn is_subtype(&self, given: &Type, wanted: &Type) -> Option<bool> {
        match (given, wanted) {
            _ if given == wanted => Some(true),
            (Type::Object(_) | Type::Array(_), Type::Object(name)) if name == "java/lang/Object" => {
                Some(true)
            }
            (Type::Object(given), Type::Object(wanted)) => {
                let (lineage, complete) = self.lineage(given);
                if lineage.contains(wanted) {
                    return Some(true);
                }
                if given == "java/lang/String" && self.class(given).is_none() {
                    let all = ["java/lang/CharSequence", "java/lang/Comparable", "java/io/Serializable"];
                    return Some(all.contains(&wanted.as_str()));
                }
                complete.then_some(false)
            }
            (Type::Array(given), Type::Array(wanted)) => self.is_subtype(given, wanted),
            (Type::Array(_), Type::Object(name)) => {
                Some(matches!(name.as_str(), "java/lang/Cloneable" | "java/io/Serializable"))
            }
            _ => Some(false),
        }
    }

    /// The class around a nested one, and the name it has there.
    pub(crate) fn outer(&self, class: &str) -> Option<(String, String)> {
        if let Some(nested) = self.nested.get(class) {
            return Some((nested.outer.clone()?, nested.simple_name.clone()?));
        }
        if self.class(class).is_some() {
            return None;
        }
        // Without facts the usual spelling decides.
        let (outer, name) = class.rsplit_once('$')?;
        let usual = !outer.is_empty() && name.starts_with(|c: char| c.is_ascii_uppercase());
        usual.then(|| (outer.to_owned(), name.to_owned()))
    }

    /// Whether objects of a class belong to an object of the class around it.
    pub(crate) fn is_inner(&self, class: &str) -> bool {
        let inner = |nested: &Nested| {
            nested.outer.is_some() && !nested.access.is_static() && !nested.access.is_interface()
        };
        self.nested.get(class).is_some_and(inner)
    }

    /// Whether a class can be named in a package. Unknown classes can.
    pub(crate) fn is_accessible(&self, class: &str, package: &str) -> bool {
        let same_package = package_of(class) == package;
        if let Some(nested) = self.nested.get(class) {
            let Some(outer) = &nested.outer else { return false };
            let access = nested.access;
            let visible = access.is_public() || (same_package && !access.is_private());
            return visible && self.is_accessible(outer, package);
        }
        same_package || self.class(class).is_none_or(|facts| facts.access.is_public())
    }

    /// The enum that a constant's class belongs to: constants with bodies have classes of their own.
    pub(crate) fn enum_of(&self, class: &str) -> String {
        let superclass = self.class(class).and_then(|facts| facts.superclass.clone());
        match superclass {
            Some(name) if name != "java/lang/Enum" && name != "java/lang/Object" => name,
            _ => class.to_owned(),
        }
    }

    /// Whether a class declares a field, and which flags it has.
    pub(crate) fn field(&self, class: &str, name: &str) -> Option<Access> {
        self.class(class)?.fields.iter().find(|(field, _)| field == name).map(|(_, access)| *access)
    }

    /// Whether a package has a class of this name.
    pub(crate) fn has_class(&self, package: &str, simple_name: &str) -> bool {
        let name =
            if package.is_empty() { simple_name.to_owned() } else { format!("{package}/{simple_name}") };
        self.classes.contains_key(&name)
    }

    /// Whether an exception must be declared.
    pub(crate) fn is_checked(&self, class: &str) -> bool {
        let unchecked = |name: &String| name == "java/lang/RuntimeException" || name == "java/lang/Error";
        let (lineage, complete) = self.lineage(class);
        if lineage.iter().any(unchecked) {
            return false;
        }
        // Those that programs declare most, in case the library's classes are not among the facts.
        let known =
            ["java/lang/Illegal", "java/lang/NullPointer", "java/lang/IndexOutOf", "java/lang/Unsupported"];
        complete || !lineage.iter().any(|name| known.iter().any(|known| name.starts_with(known)))
    }
}

/// Classes that matter for the text of a test, by internal name: those that its steps name, take and give, and what is thrown at its end.
#[must_use]
pub fn named(script: &Script, end: Option<&End>) -> BTreeSet<String> {
    let mut named: BTreeSet<String> = test_class::classes(script).map(str::to_owned).collect();
    for step in script.steps.iter().chain(&script.observers) {
        let types = step.action.takes(step.arguments.len()).into_iter().chain(step.action.result());
        named.extend(types.filter_map(class_of));
    }
    if let Some(End::Threw { thrown, .. }) = end {
        named.insert(thrown.class.clone());
    }
    named
}

/// The class of a type, or of the elements of an array.
fn class_of(ty: Type) -> Option<String> {
    match ty {
        Type::Object(name) => Some(name),
        Type::Array(element) => class_of(*element),
        _ => None,
    }
}

/// The package of a class, with slashes.
pub(crate) fn package_of(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

fn is_deprecated(annotations: &[String]) -> bool {
    annotations.iter().any(|name| name.trim_matches(['L', ';']) == "java/lang/Deprecated")
}

fn method_facts(class: &ClassFile, method: &Method) -> MethodFacts {
    MethodFacts {
        name: method.name.clone(),
        descriptor: method.descriptor.clone(),
        signature: method.signature.as_deref().and_then(MethodSignature::read),
        access: method.access,
        parameters: parameter_names(class, method),
        exceptions: method.exceptions.clone(),
        deprecated: is_deprecated(&method.annotations),
    }
}

/// Names of parameters: as declared, or of the variables that hold them when the method begins.
fn parameter_names(class: &ClassFile, method: &Method) -> Vec<Option<String>> {
    let count = method.descriptor.parameters.len();
    if method.parameters.len() == count {
        return method.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    }
    let mut slot = u16::from(!method.access.is_static());
    let mut names = Vec::with_capacity(count);
    for ty in &method.descriptor.parameters {
        let variables = method.code.iter().flat_map(|code| &code.variables);
        let variable = variables.clone().find(|variable| variable.index == slot && variable.start == 0);
        names.push(variable.and_then(|variable| class.pool.utf8(variable.name).ok()).map(str::to_owned));
        slot += ty.slots();
    }
    names
}
