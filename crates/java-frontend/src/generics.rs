//! What generic types say beyond their descriptors: what a list holds, what a supplier gives.

use crate::facts::{ClassFacts, MethodFacts};
use crate::hierarchy::Hierarchy;
use java_classfile::{ClassSignature, Generic, MethodDescriptor, MethodSignature, Type, TypeVariable};
use std::collections::{BTreeMap, BTreeSet};

const OBJECT: &str = "java/lang/Object";

/// Bounds that name each other are followed so far.
const DEEPEST: u32 = 4;

/// A bound with more type arguments than this, theirs included, is known by its type alone: those that name each other grow with every step.
const LARGEST: usize = 64;

/// A type with its type arguments, as far as they are known.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Typed {
    /// As in descriptors.
    pub(crate) ty: Type,
    /// Its arguments; none if there are none, or nothing is known of any.
    pub(crate) of: Vec<Typed>,
    /// What it must be besides: the further bounds of a type variable. Compilers do not believe it of what is known by the first alone.
    pub(crate) also: Vec<Type>,
}

impl Typed {
    /// A type of whose arguments nothing is known.
    pub(crate) fn plain(ty: Type) -> Typed {
        Typed { ty, of: Vec::new(), also: Vec::new() }
    }

    /// Whether it says no more than its type.
    pub(crate) fn is_plain(&self) -> bool {
        self.of.is_empty() && self.also.is_empty()
    }

    /// How many types it is made of.
    fn size(&self) -> usize {
        1 + self.of.iter().map(Typed::size).sum::<usize>()
    }

    fn anything() -> Typed {
        Typed::plain(Type::Object(OBJECT.to_owned()))
    }

    fn is_anything(&self) -> bool {
        matches!(&self.ty, Type::Object(name) if name == OBJECT)
    }

    /// Whether something that holds this may stand where that is wanted. A wildcard is known by its bound alone, so what is below or above
    /// will do. Whether the types themselves fit is not asked.
    pub(crate) fn may_hold(hierarchy: &Hierarchy, holds: &[Typed], wanted: &[Typed]) -> bool {
        let fits = |a: &Typed, b: &Typed| hierarchy.is_assignable(&a.ty, &b.ty);
        holds.len() != wanted.len() || holds.iter().zip(wanted).all(|(a, b)| fits(a, b) || fits(b, a))
    }

    /// Whether both hold the same, as far as they say anything.
    pub(crate) fn agree(holds: &[Typed], wanted: &[Typed]) -> bool {
        let same = |(a, b): (&Typed, &Typed)| a.is_anything() || b.is_anything() || a == b;
        holds.len() != wanted.len() || holds.iter().zip(wanted).all(same)
    }
}

/// What type variables stand for.
type Bindings = BTreeMap<String, Typed>;

/// A type as it is where these variables are known; of others nothing is.
fn typed(generic: &Generic, bindings: &Bindings) -> Typed {
    match generic {
        Generic::Plain(ty) => Typed::plain(ty.clone()),
        Generic::Any => Typed::anything(),
        Generic::Variable(name) => bindings.get(name).cloned().unwrap_or_else(Typed::anything),
        Generic::Array(element) => Typed::plain(Type::Array(Box::new(typed(element, bindings).ty))),
        Generic::Class { name, arguments } => {
            let of: Vec<Typed> = arguments.iter().map(|argument| typed(argument, bindings)).collect();
            let is_known = of.iter().any(|argument| !argument.is_anything());
            let of = if is_known { of } else { Vec::new() };
            Typed { of, ..Typed::plain(Type::Object(name.clone())) }
        }
    }
}

/// Variables as their bounds.
fn bound(variables: &[TypeVariable], bindings: &mut Bindings) {
    for _ in 0..DEEPEST {
        let before = bindings.clone();
        for (name, bounds) in variables {
            let bound = bounds.first().map_or_else(Typed::anything, |bound| typed(bound, &before));
            // `T extends Comparable<T>`: what it compares itself with goes without saying.
            let is_itself = |argument: &Typed| argument.ty == bound.ty;
            let is_endless = bound.of.iter().any(is_itself) || bound.size() > LARGEST;
            let of = if is_endless { Vec::new() } else { bound.of };
            let also = bounds.iter().skip(1).map(|bound| typed(bound, &before).ty).collect();
            bindings.insert(name.clone(), Typed { ty: bound.ty, of, also });
        }
        if *bindings == before {
            break;
        }
    }
}

/// Parameters of a method and its result, with what is known of their arguments; what the descriptor says of those of which no more is
/// known.
pub(crate) struct Generics {
    pub(crate) parameters: Vec<Typed>,
    pub(crate) result: Option<Typed>,
}

impl Generics {
    /// Of a method of a class, whose variables are as wide as they may be.
    pub(crate) fn of(class: &ClassFacts, method: &MethodFacts) -> Option<Generics> {
        let mut bindings = Bindings::new();
        if let Some(signature) = class.signature.as_deref().and_then(ClassSignature::read) {
            bound(&signature.variables, &mut bindings);
        }
        let mut generics = Generics::bound(method, bindings)?;
        // Obfuscators leave signatures of other classes: what the machine goes by is the descriptor.
        let descriptor: MethodDescriptor = method.descriptor.parse().ok()?;
        let told = descriptor.parameters.into_iter().chain(descriptor.result);
        let read = generics.parameters.iter_mut().chain(&mut generics.result);
        for (typed, ty) in read.zip(told).filter(|(typed, ty)| typed.ty != *ty) {
            *typed = Typed::plain(ty);
        }
        Some(generics)
    }

    fn bound(method: &MethodFacts, mut bindings: Bindings) -> Option<Generics> {
        let descriptor: MethodDescriptor = method.descriptor.parse().ok()?;
        let plain = || descriptor.parameters.iter().cloned().map(Typed::plain).collect();
        let signature = method.signature.as_deref().and_then(MethodSignature::read);
        // What only the compiler knows of, objects around inner ones, is no parameter of a signature.
        let signature = signature.filter(|read| read.parameters.len() == descriptor.parameters.len());
        let Some(signature) = signature else {
            return Some(Generics { parameters: plain(), result: descriptor.result.map(Typed::plain) });
        };
        bound(&signature.variables, &mut bindings);
        let fitting = |generic: &Generic| typed(generic, &bindings);
        Some(Generics {
            parameters: signature.parameters.iter().map(fitting).collect(),
            result: signature.result.as_ref().map(fitting),
        })
    }
}

/// The methods of a class with these type arguments, its own and those of everything above it, each with what it gives.
pub(crate) fn inherited(
    hierarchy: &Hierarchy,
    class: &ClassFacts,
    of: &[Typed],
) -> Vec<(MethodFacts, Option<Typed>)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = vec![(class.name.clone(), of.to_vec())];
    while let Some((name, of)) = next.pop() {
        let Some(facts) = hierarchy.class(&name).filter(|_| seen.insert(name)) else { continue };
        let signature = facts.signature.as_deref().and_then(ClassSignature::read);
        let mut bindings = Bindings::new();
        if let Some(signature) = &signature {
            bound(&signature.variables, &mut bindings);
            let given = signature.variables.iter().zip(of).filter(|(_, given)| !given.is_anything());
            bindings.extend(given.map(|((name, _), given)| (name.clone(), given)));
        }
        for method in &facts.methods {
            let result = Generics::bound(method, bindings.clone()).and_then(|generics| generics.result);
            found.push((method.clone(), result));
        }
        match &signature {
            Some(signature) => next.extend(signature.above.iter().rev().filter_map(|above| {
                let above = typed(above, &bindings);
                match above.ty {
                    Type::Object(name) => Some((name, above.of)),
                    _ => None,
                }
            })),
            None => {
                let above = facts.interfaces.iter().rev().chain(&facts.superclass);
                next.extend(above.map(|name| (name.clone(), Vec::new())));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_name_each_other_do_not_grow() {
        let variables = |arguments: usize| {
            let bound = |of: &str| format!("Lbox/Box<{}>;", format!("T{of};").repeat(arguments));
            let text = format!("<A:{}B:{}>Ljava/lang/Object;", bound("B"), bound("A"));
            ClassSignature::read(&text).expect("a signature").variables
        };
        let sizes = |arguments| {
            let mut bindings = Bindings::new();
            bound(&variables(arguments), &mut bindings);
            bindings.values().map(Typed::size).collect::<Vec<_>>()
        };
        assert_eq!(sizes(1000), [1, 1]);
        assert!(sizes(7).iter().all(|size| *size <= LARGEST));
    }
}
