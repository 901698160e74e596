//! Small programs for the tests of this crate: types by hand, one function.

use crate::{RangeRule, Space, SpaceLimits};
use model::{EnumValue, Field, FloatKind, Function, Param, Program, Type, TypeId, TypeKind, Types, testing};

pub(crate) fn add(types: &mut Types, kind: TypeKind, size: u64) -> TypeId {
    types.push(Type { kind, size, align: size.clamp(1, 16), name: None })
}

pub(crate) fn int(types: &mut Types, bits: u16, signed: bool) -> TypeId {
    add(types, TypeKind::Int { bits, signed, character: false }, u64::from(bits / 8))
}

pub(crate) fn float(types: &mut Types, kind: FloatKind) -> TypeId {
    add(types, TypeKind::Float(kind), if kind == FloatKind::F32 { 4 } else { 16 })
}

pub(crate) fn pointer(types: &mut Types, to: TypeId) -> TypeId {
    add(types, TypeKind::Pointer { to }, 8)
}

pub(crate) fn array(types: &mut Types, of: TypeId, len: u64) -> TypeId {
    let size = types.size(of).saturating_mul(len);
    add(types, TypeKind::Array { of, len: Some(len) }, size)
}

/// A structure with members `m0`, `m1`, … one behind the other without padding.
pub(crate) fn structure(types: &mut Types, members: &[TypeId]) -> TypeId {
    let mut size = 0;
    let mut fields = Vec::new();
    for (i, &ty) in members.iter().enumerate() {
        fields.push(field(&format!("m{i}"), ty, size * 8, None));
        size += types.size(ty);
    }
    add(types, TypeKind::Struct { fields: Some(fields) }, size)
}

/// A union with members `m0`, `m1`, …
pub(crate) fn union(types: &mut Types, members: &[TypeId]) -> TypeId {
    let member = |(i, &ty): (usize, &TypeId)| field(&format!("m{i}"), ty, 0, None);
    let fields = members.iter().enumerate().map(member).collect();
    let size = members.iter().map(|&ty| types.size(ty)).max().unwrap_or(0);
    add(types, TypeKind::Union { fields: Some(fields) }, size)
}

pub(crate) fn enumeration(types: &mut Types, values: &[i128]) -> TypeId {
    let values = values.iter().map(|&value| EnumValue { name: format!("E{value}"), value }).collect();
    add(types, TypeKind::Enum { bits: 32, signed: true, values }, 4)
}

pub(crate) fn field(name: &str, ty: TypeId, bit_offset: u64, bit_size: Option<u16>) -> Field {
    Field { name: Some(name.to_owned()), ty, bit_offset, bit_size }
}

/// A singly linked list: `struct node { int key; struct node *next; }`.
pub(crate) fn list_node(types: &mut Types) -> TypeId {
    let node = add(types, TypeKind::Struct { fields: None }, 16);
    let (key, next) = (int(types, 32, true), pointer(types, node));
    let fields = Some(vec![field("key", key, 0, None), field("next", next, 64, None)]);
    types
        .set(node, Type { kind: TypeKind::Struct { fields }, size: 16, align: 8, name: Some("node".into()) });
    node
}

/// The space of a function whose parameters `a`, `b`, … have these types.
pub(crate) fn space(types: Types, params: &[TypeId], rules: &[RangeRule]) -> Space {
    let named = |(i, &ty): (usize, &TypeId)| Param {
        name: char::from(b'a' + i as u8).to_string(),
        ty,
        offset: 16 * i as u32,
    };
    let params = params.iter().enumerate().map(named).collect();
    let function = Function { params, ..testing::function("f") };
    let program = Program { types, ..Program::default() };
    Space::new(&program, &function, SpaceLimits::default(), rules).expect("values can be made of every type")
}

pub(crate) fn rule(target: &str, min: Option<i128>, max: Option<i128>, exclude: &[i128]) -> RangeRule {
    RangeRule { target: target.to_owned(), min, max, exclude: exclude.to_vec() }
}
