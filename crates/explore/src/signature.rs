//! Which functions a call through a pointer may enter.

use model::{FloatKind, Function, Program, TypeId, TypeKind};

/// What matters about a type for calling conventions. Pointers are all alike, since callbacks take `void *` for
/// pointers to anything; so are integers of one size.
#[derive(PartialEq, Eq)]
enum Shape<'p> {
    Void,
    Integer(u16),
    Float(FloatKind),
    Pointer,
    Aggregate(TypeId),
    Named(&'p str),
}

/// Whether a pointer to a function of type `pointer` may lead to `function`. With `...` or without a prototype
/// the parameters known must fit.
pub(crate) fn may_enter(program: &Program, pointer: TypeId, function: &Function) -> bool {
    let TypeKind::Function { ret, params, variadic } = &program.types.resolved(pointer).kind else {
        return true;
    };
    let known = if *variadic { function.params.len().min(params.len()) } else { function.params.len() };
    known == params.len()
        && shape(program, *ret) == shape(program, function.ret)
        && params.iter().zip(&function.params).all(|(&a, b)| shape(program, a) == shape(program, b.ty))
}

fn shape(program: &Program, ty: TypeId) -> Shape<'_> {
    let id = program.types.resolve(ty);
    match &program.types.get(id).kind {
        TypeKind::Void => Shape::Void,
        TypeKind::Bool => Shape::Integer(8),
        TypeKind::Int { bits, .. } | TypeKind::Enum { bits, .. } => Shape::Integer(*bits),
        TypeKind::Float(kind) => Shape::Float(*kind),
        TypeKind::Pointer { .. } | TypeKind::Array { .. } | TypeKind::Function { .. } => Shape::Pointer,
        TypeKind::Unsupported(name) => Shape::Named(name),
        _ => Shape::Aggregate(id),
    }
}
