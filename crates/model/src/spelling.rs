//! Types back to their spelling in C.

use crate::types::{FloatKind, Type, TypeId, TypeKind, Types};

/// The declaration of `name` with type `ty`: `int (*name)[3]`; an empty name gives the type alone. `None` if the type
/// contains a structure without a name.
#[must_use]
pub fn spell(types: &Types, ty: TypeId, name: &str) -> Option<String> {
    // The declarator is built from the name outwards.
    match &types.get(ty).kind {
        TypeKind::Pointer { to } => spell_pointer(types, *to, name),
        TypeKind::Array { of, len } => {
            let len = len.map_or(String::new(), |n| n.to_string());
            spell(types, *of, &format!("{name}[{len}]"))
        }
        TypeKind::Function { ret, params, variadic } => {
            spell(types, *ret, &format!("{name}({})", parameters(types, params, *variadic)?))
        }
        TypeKind::Const { to } => qualify(types, "const", *to, name),
        // The double underscores make the keyword known in every C standard.
        TypeKind::Qualified { keyword, to } if keyword == "restrict" => {
            qualify(types, "__restrict", *to, name)
        }
        TypeKind::Qualified { keyword, to } => qualify(types, keyword, *to, name),
        _ => Some(base(&base_name(types, ty)?, name)),
    }
}

/// The declaration of a pointer to `to`.
#[must_use]
pub fn spell_pointer(types: &Types, to: TypeId, name: &str) -> Option<String> {
    let binds_later = matches!(types.get(to).kind, TypeKind::Array { .. } | TypeKind::Function { .. });
    spell(types, to, &if binds_later { format!("(*{name})") } else { format!("*{name}") })
}

/// A qualifier stands right of the `*` of a pointer and left of everything else.
fn qualify(types: &Types, keyword: &str, to: TypeId, name: &str) -> Option<String> {
    if let TypeKind::Pointer { .. } = types.get(to).kind {
        let inner = if name.is_empty() { keyword.to_owned() } else { format!("{keyword} {name}") };
        return spell(types, to, &inner);
    }
    Some(format!("{keyword} {}", spell(types, to, name)?))
}

fn parameters(types: &Types, params: &[TypeId], variadic: bool) -> Option<String> {
    let mut list = params.iter().map(|&p| spell(types, p, "")).collect::<Option<Vec<_>>>()?;
    if variadic {
        list.push("...".to_owned());
    }
    Some(if list.is_empty() { "void".to_owned() } else { list.join(", ") })
}

fn base(ty: &str, name: &str) -> String {
    if name.is_empty() { ty.to_owned() } else { format!("{ty} {name}") }
}

/// The name of a type that is no derived type; `None` if it has none.
fn base_name(types: &Types, id: TypeId) -> Option<String> {
    let Type { kind, name, .. } = types.get(id);
    let tagged =
        |keyword: &str| name.as_ref().map(|tag| format!("{keyword} {tag}")).or_else(|| typedef_of(types, id));
    match kind {
        TypeKind::Struct { .. } => tagged("struct"),
        TypeKind::Union { .. } => tagged("union"),
        // An enumeration without a name is compatible with its integer type.
        TypeKind::Enum { bits, signed, .. } => tagged("enum").or_else(|| Some(int_name(*bits, *signed))),
        TypeKind::Bool => Some("_Bool".to_owned()),
        TypeKind::Void => Some("void".to_owned()),
        TypeKind::Float(float) => Some(float_name(*float).to_owned()),
        TypeKind::Int { bits, signed, .. } => Some(name.clone().unwrap_or_else(|| int_name(*bits, *signed))),
        _ => name.clone(),
    }
}

/// A typedef that names an anonymous type directly.
fn typedef_of(types: &Types, anonymous: TypeId) -> Option<String> {
    types.iter().find_map(|(_, ty)| match ty.kind {
        TypeKind::Typedef { to } if to == anonymous => ty.name.clone(),
        _ => None,
    })
}

fn int_name(bits: u16, signed: bool) -> String {
    let name = match bits {
        8 => "char",
        16 => "short",
        32 => "int",
        64 => "long",
        _ => "__int128",
    };
    match (bits, signed) {
        (8, true) => "signed char".to_owned(),
        (_, true) => name.to_owned(),
        (_, false) => format!("unsigned {name}"),
    }
}

fn float_name(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::F32 => "float",
        FloatKind::F64 => "double",
        FloatKind::F80 => "long double",
    }
}
