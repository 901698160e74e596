//! Functions for pointers to functions to lead to.
//!
//! A function that takes `int (*visit)(struct node *, void *)` is steered by what that returns. The program may have a
//! function of the type, or not; a stub whose results are inputs does for all that it could have. There is one for every
//! type of function that inputs of a unit's functions can point to, called after the parameter or member that does.

use super::declaration::{Param, Prototype};
use crate::dwarf::DebugFunction;
use model::{TypeId, TypeKind, Types, spell};
use std::collections::HashSet;

/// A type of function that inputs point to.
#[derive(Clone, Debug)]
pub(crate) struct Callback {
    /// Of the stub.
    pub(crate) name: String,
    pub(crate) prototype: Prototype,
    pub(crate) result: TypeId,
    pub(crate) params: Vec<TypeId>,
}

/// Types of functions that get stubs, in one unit.
const MOST: usize = 16;

/// The types of functions that the parameters of these functions lead to. `taken` are names in use.
pub(crate) fn of(types: &Types, functions: &[DebugFunction], taken: &HashSet<String>) -> Vec<Callback> {
    let mut search = Search { types, seen: HashSet::new(), found: Vec::new() };
    for (name, ty) in functions.iter().flat_map(|function| &function.params) {
        search.walk(*ty, name.as_deref().unwrap_or("callback"));
    }
    let mut callbacks: Vec<Callback> = Vec::new();
    for (ty, wanted) in search.found.into_iter().take(MOST) {
        let mut name = format!("{wanted}_stub");
        while taken.contains(&name) || callbacks.iter().any(|other| other.name == name) {
            name.push('_');
        }
        callbacks.extend(callback(types, ty, name));
    }
    callbacks
}

/// `None` if the type has no spelling.
fn callback(types: &Types, ty: TypeId, name: String) -> Option<Callback> {
    let TypeKind::Function { ret, params, variadic } = &types.resolved(ty).kind else { return None };
    let spelled = |&ty: &TypeId| Some(Param { name: None, spelling: spell(types, ty, "")? });
    let prototype = Prototype {
        result: spell(types, *ret, "")?,
        params: params.iter().map(spelled).collect::<Option<_>>()?,
        variadic: *variadic,
        has_prototype: true,
        returns: true,
    };
    Some(Callback { name, prototype, result: *ret, params: params.clone() })
}

struct Search<'a> {
    types: &'a Types,
    seen: HashSet<TypeId>,
    /// Types of functions, each with the name of what leads to it.
    found: Vec<(TypeId, String)>,
}

impl Search<'_> {
    fn walk(&mut self, ty: TypeId, name: &str) {
        let types = self.types;
        let ty = types.resolve(ty);
        if let TypeKind::Function { .. } = types.get(ty).kind {
            if !self.found.iter().any(|&(other, _)| types.are_same(other, ty)) {
                self.found.push((ty, name.to_owned()));
            }
            return;
        }
        if !self.seen.insert(ty) {
            return;
        }
        match &types.get(ty).kind {
            TypeKind::Pointer { to } => self.walk(*to, name),
            TypeKind::Array { of, .. } => self.walk(*of, name),
            // What belongs to the C library is made by the C library.
            TypeKind::Struct { .. }
                if types.get(ty).name.as_deref().is_some_and(|tag| tag.starts_with('_')) => {}
            TypeKind::Struct { fields: Some(fields) } | TypeKind::Union { fields: Some(fields) } => {
                for field in fields {
                    self.walk(field.ty, field.name.as_deref().unwrap_or(name));
                }
            }
            _ => {}
        }
    }
}
