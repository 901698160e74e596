//! Why tests cannot call a method, for those who are told so.

use crate::calls::symbol;
use crate::statements::{Offers, is_of_enum};
use std::fmt;

/// Why there is no statement for a method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Uncallable {
    /// It is private.
    Private,
    /// Its package may call it, and the user wants public members only.
    Restricted,
    /// It initialises its class: machines call it, once.
    Initializer,
    /// The compiler made it: a bridge, the body of a lambda.
    MadeByCompiler,
    /// Its class has no name that tests could write: anonymous, local, private.
    NamelessClass,
    /// It has no code of its own, or constructs what cannot be made without a subclass.
    Abstract,
    /// Constants of an enum are made by nobody else.
    OfEnum,
    /// No class declares it.
    Missing,
}

impl fmt::Display for Uncallable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Uncallable::Private => "it is private",
            Uncallable::Restricted => "it is not public, and `package_access` is off",
            Uncallable::Initializer => "it initialises its class, which happens once",
            Uncallable::MadeByCompiler => "the compiler made it",
            Uncallable::NamelessClass => "its class is anonymous, local or private",
            Uncallable::Abstract => "it or its class is abstract",
            Uncallable::OfEnum => "the constants of an enum are all there are",
            Uncallable::Missing => "no class declares it",
        })
    }
}

impl Offers<'_> {
    /// Why a method is no statement of tests.
    pub(crate) fn why_not(&self, target: &str) -> Uncallable {
        let class = target.split('.').next().unwrap_or(target);
        let entry = self.knowledge.classes.iter().find(|entry| entry.name == class);
        let (Some(entry), Some(facts)) = (entry, self.knowledge.hierarchy.own(class)) else {
            return Uncallable::Missing;
        };
        let is_it = |m: &&java_classfile::Method| symbol(class, &m.name, &m.descriptor.to_string()) == target;
        let Some(method) = entry.class.methods.iter().find(is_it) else { return Uncallable::Missing };
        match method.access {
            _ if method.name == "<clinit>" => Uncallable::Initializer,
            access if access.is_synthetic() || access.is_bridge() => Uncallable::MadeByCompiler,
            _ if !self.can_name(facts) => Uncallable::NamelessClass,
            _ if is_of_enum(entry, method) => Uncallable::OfEnum,
            access if access.is_private() => Uncallable::Private,
            access if !self.is_visible(target, access) => Uncallable::Restricted,
            _ => Uncallable::Abstract,
        }
    }
}
