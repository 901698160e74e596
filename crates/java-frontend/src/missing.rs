//! Classes that own classes need and nobody has, and names that no source can write.

use crate::hierarchy::Hierarchy;
use crate::names::{is_writable, java_name};
use crate::sources::ClassEntry;
use java_classfile::{ClassFile, Constant, MethodDescriptor, PoolIndex, Type};
use std::collections::{BTreeMap, BTreeSet};

/// A class that is named and not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// Internal name.
    pub name: String,
    /// The own classes that name it, by position.
    pub needed_by: Vec<usize>,
}

/// Classes that own classes name and that are neither theirs, nor in a dependency, nor in the platform. Nothing if the platform is not
/// known.
#[must_use]
pub fn missing(classes: &[ClassEntry], hierarchy: &Hierarchy) -> Vec<Missing> {
    if hierarchy.platform().shortcoming().is_some() {
        return Vec::new();
    }
    let mut needed: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, entry) in classes.iter().enumerate() {
        for name in named(&entry.class) {
            needed.entry(name).or_default().push(number);
        }
    }
    let is_missing = |name: &String| hierarchy.class(name).is_none();
    let all = needed.into_iter().filter(|(name, _)| is_missing(name));
    all.map(|(name, needed_by)| Missing { name, needed_by }).collect()
}

/// The classes that a class names: as constants, and in descriptors.
fn named(class: &ClassFile) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |ty: &Type| names.extend(element(ty));
    for index in (0..class.pool.count()).map(|index| PoolIndex(index as u16)) {
        match class.pool.get(index) {
            Constant::Class(_) => {
                let Ok(name) = class.pool.class_name(index) else { continue };
                match name.starts_with('[') {
                    true => name.parse().iter().for_each(&mut add),
                    false => add(&Type::Object(name.to_owned())),
                }
            }
            Constant::NameAndType { descriptor, .. } | Constant::MethodType(descriptor) => {
                let Ok(text) = class.pool.utf8(*descriptor) else { continue };
                text.parse::<Type>().iter().for_each(&mut add);
                text.parse::<MethodDescriptor>().iter().for_each(|of| types(of).for_each(&mut add));
            }
            _ => {}
        }
    }
    class.fields.iter().for_each(|field| add(&field.descriptor));
    class.methods.iter().for_each(|method| types(&method.descriptor).for_each(&mut add));
    names
}

fn types(descriptor: &MethodDescriptor) -> impl Iterator<Item = &Type> {
    descriptor.parameters.iter().chain(&descriptor.result)
}

/// The class that an object, or an element of an array, is of.
fn element(ty: &Type) -> Option<String> {
    match ty {
        Type::Object(name) => Some(name.clone()),
        Type::Array(of) => element(of),
        _ => None,
    }
}

/// Members and classes with names that no source can write, as obfuscators make them: they have no tests of their own.
#[must_use]
pub fn unwritable(classes: &[ClassEntry]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in classes {
        let class = &entry.class;
        let name = java_name(&entry.name);
        if class.access.is_synthetic() {
            continue;
        }
        if !has_name(&entry.name) {
            found.push(name);
            continue;
        }
        let methods = class.methods.iter().filter(|method| !method.access.is_synthetic());
        let methods = methods.map(|method| method.name.as_str()).filter(|name| !name.starts_with('<'));
        let fields = class.fields.iter().filter(|field| !field.access.is_synthetic());
        let names: BTreeSet<&str> = methods.chain(fields.map(|field| field.name.as_str())).collect();
        found.extend(
            names.into_iter().filter(|name| !is_writable(name)).map(|member| format!("{name}.{member}")),
        );
    }
    found
}

/// Whether the name of a class can be written. Classes that are declared in methods have numbers in theirs, and no tests either way.
fn has_name(internal: &str) -> bool {
    let (package, simple) = internal.rsplit_once('/').unwrap_or(("", internal));
    let mut nested = simple.split('$').filter(|part| !part.is_empty());
    package.split('/').filter(|part| !part.is_empty()).all(is_writable)
        && nested.next().is_none_or(is_writable)
        && nested.all(|part| {
            let name = part.trim_start_matches(|c: char| c.is_ascii_digit());
            is_writable(name) || name.is_empty()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_names_of_nested_classes_alone() {
        assert!(["p/A", "A$1", "A$1Local", "A$B", "$", "A$"].into_iter().all(has_name));
        assert!(["p/1", "if/A", "A$b-c", "p/for", "1"].into_iter().all(|name| !has_name(name)));
    }
}
