//! What whoever writes tests must know of the classes in them.

use java_backend::JavaProgram;
use java_emit::Facts;
use std::collections::BTreeSet;

/// Facts about the own classes, and about all others that are named, with everything above them. Without the latter every call would need casts,
/// and nobody could write a class that implements an interface of the platform.
pub(crate) fn facts(program: &JavaProgram, named: &BTreeSet<String>) -> Facts {
    let mut facts = Facts::of(program.classes.own.iter().map(|entry| &entry.class));
    let all: BTreeSet<String> =
        named.iter().flat_map(|name| program.hierarchy.supertypes(name).to_vec()).collect();
    for class in all.iter().filter_map(|name| program.hierarchy.class_file(name)) {
        facts.add(&class);
    }
    facts
}
