//! C declarations: types back to their spelling.

pub(crate) use model::spell;
use model::{TypeId, TypeKind, Types, spell_pointer};

/// The declaration of `name` with type `ty`: `int (*name)[3]`. An empty name gives the type alone.
///
/// Where the type has no spelling of its own, because it contains an anonymous structure without a typedef,
/// the result is `__typeof__(like) name`.
#[must_use]
pub fn declare(types: &Types, ty: TypeId, name: &str, like: &str) -> String {
    spell(types, ty, name).unwrap_or_else(|| match name {
        "" => format!("__typeof__({like})"),
        name => format!("__typeof__({like}) {name}"),
    })
}

/// Like [`declare`], for a pointer to `to`.
pub(crate) fn declare_pointer(types: &Types, to: TypeId, name: &str, like: &str) -> String {
    spell_pointer(types, to, name).unwrap_or_else(|| format!("__typeof__({like}) *{name}"))
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
    use model::Type;

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
