//! Definitions of structures, for where they are only declared.

use crate::spelling::spell;
use crate::types::{Field, TypeId, TypeKind, Types};

/// The definition of a structure with a tag, to stand where nothing but its declaration is known:
///
/// ```c
/// struct counter {
///     int value;
///     struct counter *next;
/// };
/// ```
///
/// `None` where names would be needed that are perhaps not known there, or where a compiler would lay it out otherwise.
#[must_use]
pub fn define(types: &Types, ty: TypeId) -> Option<String> {
    let record = types.resolved(ty);
    let TypeKind::Struct { fields: Some(fields) } = &record.kind else { return None };
    let tag = record.name.as_deref()?;
    let writer = Writer { types, tag };
    let members = writer.members(fields, record.size, "    ")?;
    Some(format!("struct {tag} {{\n{members}}};\n"))
}

struct Writer<'a> {
    types: &'a Types,
    tag: &'a str,
}

impl Writer<'_> {
    fn members(&self, fields: &[Field], size: u64, indent: &str) -> Option<String> {
        let mut text = String::new();
        let mut end = 0;
        for field in fields {
            let name = field.name.as_deref().unwrap_or_default();
            let align = self.types.resolved(field.ty).align.max(1);
            match field.bit_size {
                Some(bits) => {
                    text += &format!("{indent}{} : {bits};\n", self.declare(field.ty, name, indent)?);
                    end = (field.bit_offset + u64::from(bits)).div_ceil(8);
                }
                None => {
                    let after_bits = field.bit_offset / 8 == end.next_multiple_of(align);
                    if !after_bits {
                        return None;
                    }
                    text += &format!("{indent}{};\n", self.declare(field.ty, name, indent)?);
                    end = field.bit_offset / 8 + self.types.size(field.ty);
                }
            }
        }
        let align = fields.iter().map(|field| self.types.resolved(field.ty).align).max().unwrap_or(1);
        (size == end.next_multiple_of(align.max(1))).then_some(text)
    }

    /// A declaration that needs no name but those of C and the tag itself.
    fn declare(&self, ty: TypeId, name: &str, indent: &str) -> Option<String> {
        let ty = self.types.resolve(ty);
        let resolved = self.types.get(ty);
        match &resolved.kind {
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float(_) => spell(self.types, ty, name),
            TypeKind::Enum { bits: 32, signed, .. } => {
                Some(format!("{} {name}", if *signed { "int" } else { "unsigned" }))
            }
            TypeKind::Pointer { to } => {
                let to = self.types.resolved(*to);
                let is_itself =
                    matches!(to.kind, TypeKind::Struct { .. }) && to.name.as_deref() == Some(self.tag);
                Some(if is_itself { format!("struct {} *{name}", self.tag) } else { format!("void *{name}") })
            }
            TypeKind::Array { of, len: Some(len) } => self.declare(*of, &format!("{name}[{len}]"), indent),
            TypeKind::Struct { fields: Some(fields) } if resolved.name.is_none() => {
                let members = self.members(fields, resolved.size, &format!("{indent}    "))?;
                Some(format!("struct {{\n{members}{indent}}} {name}"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;

    fn add(types: &mut Types, kind: TypeKind, size: u64, name: &str) -> TypeId {
        types.push(Type { kind, size, align: size.clamp(1, 8), name: Some(name.to_owned()) })
    }

    fn field(name: &str, ty: TypeId, bit_offset: u64, bit_size: Option<u16>) -> Field {
        Field { name: Some(name.to_owned()), ty, bit_offset, bit_size }
    }

    /// `struct counter` with these members behind an `int value`, `size` bytes in all.
    fn counter(more: impl Fn(&mut Types, TypeId) -> Vec<Field>, size: u64) -> (Types, TypeId) {
        let mut types = Types::default();
        let int = add(&mut types, TypeKind::Int { bits: 32, signed: true, character: false }, 4, "int");
        let record = add(&mut types, TypeKind::Struct { fields: None }, size, "counter");
        let mut fields = vec![field("value", int, 0, None)];
        fields.extend(more(&mut types, record));
        let name = Some("counter".to_owned());
        types.set(record, Type { kind: TypeKind::Struct { fields: Some(fields) }, size, align: 8, name });
        (types, record)
    }

    #[test]
    fn a_structure_is_written_with_what_everybody_knows() {
        let (types, record) = counter(
            |types, record| {
                let int = TypeId(0);
                let number = add(types, TypeKind::Typedef { to: int }, 0, "number_t");
                let numbers = add(types, TypeKind::Array { of: number, len: Some(2) }, 8, "");
                let itself = add(types, TypeKind::Pointer { to: record }, 8, "");
                let other = add(types, TypeKind::Struct { fields: None }, 0, "other");
                let stranger = add(types, TypeKind::Pointer { to: other }, 8, "");
                types.set(numbers, Type { align: 4, ..types.get(numbers).clone() });
                vec![
                    field("frozen", int, 32, Some(1)),
                    field("next", itself, 64, None),
                    field("pair", numbers, 128, None),
                    field("other", stranger, 192, None),
                ]
            },
            32,
        );
        let expected = "struct counter {\n    int value;\n    int frozen : 1;\n    struct counter *next;\n    \
                        int pair[2];\n    void *other;\n};\n";
        assert_eq!(define(&types, record).as_deref(), Some(expected));
    }

    #[test]
    fn what_is_laid_out_otherwise_or_needs_names_is_not_written() {
        let (types, packed) = counter(
            |types, record| {
                let next = add(types, TypeKind::Pointer { to: record }, 8, "");
                vec![field("next", next, 32, None)]
            },
            12,
        );
        assert_eq!(define(&types, packed), None);
        let (types, named) = counter(
            |types, _| {
                let fields = Some(vec![field("x", TypeId(0), 0, None)]);
                let inner = add(types, TypeKind::Struct { fields }, 4, "inner");
                vec![field("inner", inner, 32, None)]
            },
            8,
        );
        assert_eq!(define(&types, named), None);
    }
}
