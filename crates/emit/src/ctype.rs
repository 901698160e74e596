//! C declarations: types back to their spelling.

use model::{FloatKind, Type, TypeId, TypeKind, Types};

/// The declaration of `name` with type `ty`: `int (*name)[3]`. An empty name gives the type alone.
///
/// Where the type has no spelling of its own, because it contains an anonymous structure without a typedef,
/// the result is `__typeof__(like) name`.
#[must_use]
pub fn declare(types: &Types, ty: TypeId, name: &str, like: &str) -> String {
    spell(types, ty, name).unwrap_or_else(|| base(&format!("__typeof__({like})"), name))
}

/// Builds the declarator from the name outwards.
pub(crate) fn spell(types: &Types, ty: TypeId, name: &str) -> Option<String> {
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

fn spell_pointer(types: &Types, to: TypeId, name: &str) -> Option<String> {
    let binds_later = matches!(types.get(to).kind, TypeKind::Array { .. } | TypeKind::Function { .. });
    spell(types, to, &if binds_later { format!("(*{name})") } else { format!("*{name}") })
}

/// Like [`declare`], for a pointer to `to`.
pub(crate) fn declare_pointer(types: &Types, to: TypeId, name: &str, like: &str) -> String {
    spell_pointer(types, to, name).unwrap_or_else(|| format!("__typeof__({like}) *{name}"))
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

/// The type below all `const` at the top: that of a variable a test can fill in.
pub(crate) fn without_const(types: &Types, mut ty: TypeId) -> TypeId {
    loop {
        ty = match types.get(ty).kind {
            TypeKind::Const { to } => to,
            TypeKind::Typedef { to } | TypeKind::Qualified { to, .. }
                if types.is_const(to) && !matches!(types.resolved(to).kind, TypeKind::Array { .. }) =>
            {
                to
            }
            _ => return ty,
        };
    }
}

/// Whether `keyword` qualifies the type at its top or, for arrays, its elements.
pub(crate) fn is_qualified(types: &Types, ty: TypeId, wanted: &str) -> bool {
    match &types.get(ty).kind {
        TypeKind::Qualified { keyword, to } => keyword == wanted || is_qualified(types, *to, wanted),
        TypeKind::Typedef { to } | TypeKind::Const { to } => is_qualified(types, *to, wanted),
        TypeKind::Array { of, .. } => is_qualified(types, *of, wanted),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Arena(Types);

    impl Arena {
        fn add(&mut self, kind: TypeKind, name: Option<&str>) -> TypeId {
            self.0.push(Type { kind, size: 4, align: 4, name: name.map(str::to_owned) })
        }
        fn int(&mut self) -> TypeId {
            self.add(TypeKind::Int { bits: 32, signed: true, character: false }, Some("int"))
        }
        fn pointer(&mut self, to: TypeId) -> TypeId {
            self.add(TypeKind::Pointer { to }, None)
        }
        fn array(&mut self, of: TypeId, len: u64) -> TypeId {
            self.add(TypeKind::Array { of, len: Some(len) }, None)
        }
        fn constant(&mut self, to: TypeId) -> TypeId {
            self.add(TypeKind::Const { to }, None)
        }
        fn text(&self, ty: TypeId, name: &str) -> String {
            declare(&self.0, ty, name, "like")
        }
    }

    #[test]
    fn declarators_bind_as_in_c() {
        let mut a = Arena(Types::default());
        let int = a.int();
        let row = a.array(int, 3);
        let table = a.array(row, 2);
        assert_eq!(a.text(table, "t"), "int t[2][3]");
        let to_row = a.pointer(row);
        assert_eq!(a.text(to_row, "p"), "int (*p)[3]");
        let to_int = a.pointer(int);
        let pointers = a.array(to_int, 4);
        assert_eq!(a.text(pointers, "p"), "int *p[4]");
        let function =
            a.add(TypeKind::Function { ret: to_int, params: vec![int, to_row], variadic: true }, None);
        let callback = a.pointer(function);
        assert_eq!(a.text(callback, "f"), "int *(*f)(int, int (*)[3], ...)");
        let callbacks = a.array(callback, 2);
        assert_eq!(a.text(callbacks, "f"), "int *(*f[2])(int, int (*)[3], ...)");
    }

    #[test]
    fn qualifiers_stand_where_they_belong() {
        let mut a = Arena(Types::default());
        let int = a.int();
        let const_int = a.constant(int);
        let to_const = a.pointer(const_int);
        assert_eq!(a.text(to_const, "p"), "const int *p");
        let const_pointer = a.constant(to_const);
        assert_eq!(a.text(const_pointer, "p"), "const int *const p");
        assert_eq!(a.text(const_pointer, ""), "const int *const");
        let volatile = a.add(TypeKind::Qualified { keyword: "volatile".into(), to: int }, None);
        assert_eq!(a.text(volatile, "v"), "volatile int v");
        assert_eq!(without_const(&a.0, const_int), int);
        assert_eq!(without_const(&a.0, const_pointer), to_const);
    }

    #[test]
    fn anonymous_types_go_by_typedef_or_typeof() {
        let mut a = Arena(Types::default());
        let named = a.add(TypeKind::Struct { fields: Some(vec![]) }, Some("point"));
        assert_eq!(a.text(named, "p"), "struct point p");
        let anonymous = a.add(TypeKind::Struct { fields: Some(vec![]) }, None);
        let to_anonymous = a.pointer(anonymous);
        assert_eq!(a.text(to_anonymous, "p"), "__typeof__(like) p");
        let alias = a.add(TypeKind::Typedef { to: anonymous }, Some("point_t"));
        assert_eq!(a.text(to_anonymous, "p"), "point_t *p");
        assert_eq!(a.text(alias, "p"), "point_t p");
        let const_alias = a.constant(alias);
        let const_name = a.add(TypeKind::Typedef { to: const_alias }, Some("cpoint_t"));
        assert_eq!(without_const(&a.0, const_name), alias);
    }
}
