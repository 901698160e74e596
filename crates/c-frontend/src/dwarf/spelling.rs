//! A type must be possible to write down: in C, only through a struct or union can it lead back to itself.

use model::{TypeId, TypeKind, Types};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    White,
    Grey,
    Black,
}

/// Whether some type from `first` on is made of itself without a struct or union between, as no
/// compiler writes it: a pointer to itself, a typedef of itself. Depth-first search for a grey node.
pub(super) fn is_circular(types: &Types, first: usize) -> bool {
    let mut colours = vec![Colour::White; types.len()];
    for start in first..types.len() {
        let mut stack = vec![TypeId(start as u32)];
        while let Some(&id) = stack.last() {
            let colour = &mut colours[id.0 as usize];
            if *colour != Colour::White {
                *colour = Colour::Black;
                stack.pop();
                continue;
            }
            *colour = Colour::Grey;
            for part in parts(&types.get(id).kind) {
                match colours[part.0 as usize] {
                    Colour::White => stack.push(part),
                    Colour::Grey => return true,
                    Colour::Black => {}
                }
            }
        }
    }
    false
}

/// The types spelled out inside this one; structs and unions are spelled by their tag.
fn parts(kind: &TypeKind) -> Vec<TypeId> {
    match kind {
        TypeKind::Pointer { to: part }
        | TypeKind::Array { of: part, .. }
        | TypeKind::Typedef { to: part }
        | TypeKind::Const { to: part }
        | TypeKind::Qualified { to: part, .. } => vec![*part],
        TypeKind::Function { ret, params, .. } => params.iter().chain([ret]).copied().collect(),
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float(_)
        | TypeKind::Enum { .. }
        | TypeKind::Struct { .. }
        | TypeKind::Union { .. }
        | TypeKind::Unsupported(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Field, Type};

    fn types(kinds: Vec<TypeKind>) -> Types {
        let mut types = Types::default();
        for kind in kinds {
            types.push(Type { kind, size: 8, align: 8, name: None });
        }
        types
    }

    fn to(id: u32) -> TypeKind {
        TypeKind::Pointer { to: TypeId(id) }
    }

    #[test]
    fn circles_need_a_struct() {
        let field = Field { name: None, ty: TypeId(1), bit_offset: 0, bit_size: None };
        let node = TypeKind::Struct { fields: Some(vec![field]) };
        assert!(!is_circular(&types(vec![node, to(0)]), 0));
        assert!(is_circular(&types(vec![to(0)]), 0));
        assert!(is_circular(&types(vec![to(1), to(2), to(1)]), 0));
    }

    #[test]
    fn shared_parts_are_no_circle() {
        let function = |ret, params: &[u32]| TypeKind::Function {
            ret: TypeId(ret),
            params: params.iter().map(|id| TypeId(*id)).collect(),
            variadic: false,
        };
        let shared = vec![function(1, &[2, 1, 3, 3]), to(2), TypeKind::Bool, to(1)];
        assert!(!is_circular(&types(shared), 0));
        assert!(is_circular(&types(vec![function(1, &[2]), TypeKind::Bool, to(0)]), 0));
    }
}
