//! Base types of C on x86-64 by their encoding.

use model::{FloatKind, Type, TypeKind};

/// `void`.
pub(super) fn void() -> Type {
    Type { kind: TypeKind::Void, size: 0, align: 1, name: Some("void".to_owned()) }
}

/// A base type from its name, encoding and size in bytes.
pub(super) fn base(name: String, encoding: gimli::DwAte, size: u64) -> Type {
    Type { kind: kind(&name, encoding, size), size, align: align(&name, encoding, size), name: Some(name) }
}

fn kind(name: &str, encoding: gimli::DwAte, size: u64) -> TypeKind {
    match encoding {
        gimli::DW_ATE_boolean if size == 1 => TypeKind::Bool,
        gimli::DW_ATE_signed => integer(name, size, true),
        gimli::DW_ATE_unsigned | gimli::DW_ATE_UTF => integer(name, size, false),
        gimli::DW_ATE_signed_char if size == 1 => character(true),
        gimli::DW_ATE_unsigned_char if size == 1 => character(false),
        gimli::DW_ATE_float => float(name, size),
        gimli::DW_ATE_complex_float => TypeKind::Unsupported(complex_name(name, size)),
        _ => TypeKind::Unsupported(name.to_owned()),
    }
}

/// `_BitInt(N)` is described without its N, so the values it can hold are not known.
fn integer(name: &str, size: u64, signed: bool) -> TypeKind {
    match size {
        1 | 2 | 4 | 8 | 16 if !name.contains("_BitInt") => {
            TypeKind::Int { bits: size as u16 * 8, signed, character: false }
        }
        _ => TypeKind::Unsupported(name.to_owned()),
    }
}

fn character(signed: bool) -> TypeKind {
    TypeKind::Int { bits: 8, signed, character: true }
}

/// The quadruple-precision types have the size of `long double`: only the name tells them apart.
fn float(name: &str, size: u64) -> TypeKind {
    match (name, size) {
        (_, 4) => TypeKind::Float(FloatKind::F32),
        (_, 8) => TypeKind::Float(FloatKind::F64),
        ("long double", 16) => TypeKind::Float(FloatKind::F80),
        _ => TypeKind::Unsupported(name.to_owned()),
    }
}

/// clang calls them all `complex`.
fn complex_name(name: &str, size: u64) -> String {
    match size {
        8 => "_Complex float".to_owned(),
        16 => "_Complex double".to_owned(),
        32 => "_Complex long double".to_owned(),
        _ => name.to_owned(),
    }
}

/// Complex numbers are aligned as their parts are, wide `_BitInt`s as words.
fn align(name: &str, encoding: gimli::DwAte, size: u64) -> u64 {
    let unit = match encoding {
        gimli::DW_ATE_complex_float | gimli::DW_ATE_lo_user => size / 2,
        _ if name.contains("_BitInt") => size.min(8),
        _ => size.min(16),
    };
    if unit.is_power_of_two() { unit } else { 1 }
}
