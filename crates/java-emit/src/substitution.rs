//! What type variables stand for in a class that is not generic itself: `interface Rule extends Predicate<String>` has a method `test(String)`,
//! and a compiler takes nothing else for an implementation of it. Implementations of generic classes are written without type arguments, and
//! then everything above them is erased, too.

use crate::facts::{Facts, MethodFacts};
use java_classfile::{Generic, MethodDescriptor, Type};
use std::collections::BTreeMap;

/// By class above: what its variables stand for.
pub(crate) struct Substitution {
    known: BTreeMap<String, BTreeMap<String, Type>>,
}

impl Substitution {
    pub(crate) fn of(facts: &Facts, class: &str) -> Substitution {
        let mut known: BTreeMap<String, BTreeMap<String, Type>> = BTreeMap::new();
        let mut next = vec![(class.to_owned(), BTreeMap::new())];
        while let Some((name, bound)) = next.pop() {
            let Some(class) = facts.class(&name).filter(|_| !known.contains_key(&name)) else { continue };
            // Of a raw type everything is erased.
            let above = match &class.signature {
                Some(signature) if signature.variables.len() == bound.len() => signature.above.clone(),
                _ => class.interfaces.iter().chain(&class.superclass).map(|name| plain(name)).collect(),
            };
            for above in above {
                let Generic::Class { name, arguments } = above else { continue };
                let signature = facts.class(&name).and_then(|class| class.signature.as_ref());
                let variables = signature.map_or(&[][..], |signature| &signature.variables);
                let given = variables.iter().zip(&arguments);
                let given =
                    given.filter_map(|((name, _), given)| Some((name.clone(), erased(given, &bound)?)));
                let given = given.collect();
                next.push((name, given));
            }
            known.insert(name, bound);
        }
        Substitution { known }
    }

    /// The types that an implementation of a method is written with.
    pub(crate) fn shown(&self, class: &str, method: &MethodFacts) -> MethodDescriptor {
        let mut shown = method.descriptor.clone();
        let bound = self.known.get(class).filter(|bound| !bound.is_empty());
        let (Some(bound), Some(signature)) = (bound, &method.signature) else { return shown };
        // Variables of its own hide those of the class, and are erased.
        let is_own = |generic: &Generic| match generic {
            Generic::Variable(name) => signature.variables.iter().any(|(own, _)| own == name),
            _ => false,
        };
        let better = |generic: &Generic, ty: &mut Type| {
            let is_variable = matches!(generic, Generic::Variable(_) | Generic::Array(_));
            if let Some(found) = erased(generic, bound).filter(|_| is_variable && !is_own(generic)) {
                *ty = found;
            }
        };
        if signature.parameters.len() == shown.parameters.len() {
            signature
                .parameters
                .iter()
                .zip(&mut shown.parameters)
                .for_each(|(generic, ty)| better(generic, ty));
        }
        if let (Some(generic), Some(ty)) = (&signature.result, &mut shown.result) {
            better(generic, ty);
        }
        shown
    }
}

fn plain(name: &str) -> Generic {
    Generic::Class { name: name.to_owned(), arguments: Vec::new() }
}

/// A type without its arguments; `None` of variables that stand for nothing known.
fn erased(generic: &Generic, bound: &BTreeMap<String, Type>) -> Option<Type> {
    Some(match generic {
        Generic::Plain(ty) => ty.clone(),
        Generic::Class { name, .. } => Type::Object(name.clone()),
        Generic::Variable(name) => bound.get(name)?.clone(),
        Generic::Array(element) => Type::Array(Box::new(erased(element, bound)?)),
        Generic::Any => return None,
    })
}
