//! What stands behind `...`, or in a `va_list`, as a value of a type.
//!
//! By the calling convention of x86-64 whole numbers and pointers behind `...` are one sequence, and floating-point
//! numbers another. So both are arrays: *words* and *numbers*. Which type a word has, and where among the words a number
//! stands, matters only to whoever writes the call down.

use crate::{Field, FloatKind, Type, TypeId, TypeKind, Types};
use serde::{Deserialize, Serialize};

/// Words that are inputs.
pub const WORDS: u32 = 8;
/// Words behind these that are zero. Who reads them reads too far, but nothing that was left over.
pub const ZEROS: u32 = 16;
/// Floating-point numbers: as many as are passed in registers.
pub const NUMBERS: u32 = 8;
/// Bytes from one number to the next; behind it stands its place.
const NUMBER_BYTES: u32 = 16;

/// The arguments behind `...` of a function, or those in the `va_list` that it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rest {
    /// Their type, see [`add_type`].
    pub ty: TypeId,
    /// Where the back end expects them in the block of arguments, in bytes.
    pub offset: u32,
    /// The parameter that is the `va_list`; `None` for `...`.
    pub list: Option<u32>,
}

impl Rest {
    /// Bytes in the block of arguments, with the zeros behind them.
    pub const BYTES: u32 = NUMBERS * NUMBER_BYTES + (WORDS + ZEROS) * 8;

    /// Where a number stands.
    #[must_use]
    pub const fn number(index: u32) -> u32 {
        index * NUMBER_BYTES
    }

    /// Where a word stands.
    #[must_use]
    pub const fn word(index: u32) -> u32 {
        NUMBERS * NUMBER_BYTES + index * 8
    }
}

/// What a word is: the members of its union in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// Not there: zero for whoever reads it.
    Absent,
    /// An `int`, of which the low half counts.
    Int,
    /// A `long`.
    Long,
    /// A `void *`.
    Pointer,
}

impl Word {
    /// All of them.
    pub const ALL: [Word; 4] = [Word::Absent, Word::Int, Word::Long, Word::Pointer];
}

/// Adds the type of what stands behind `...`: numbers, each with one more than the words before it, 0 if it is absent;
/// then words.
pub fn add_type(types: &mut Types) -> TypeId {
    let mut add = |kind, size, name: &str| {
        types.push(Type {
            kind,
            size,
            align: size.clamp(1, 8),
            name: (!name.is_empty()).then(|| name.to_owned()),
        })
    };
    let field = |name: &str, ty, bytes: u64| Field {
        name: Some(name.to_owned()),
        ty,
        bit_offset: bytes * 8,
        bit_size: None,
    };
    let record = |fields| TypeKind::Struct { fields: Some(fields) };
    let long = add(TypeKind::Int { bits: 64, signed: true, character: false }, 8, "long");
    let byte = add(TypeKind::Int { bits: 8, signed: false, character: false }, 1, "unsigned char");
    let double = add(TypeKind::Float(FloatKind::F64), 8, "double");
    let void = add(TypeKind::Void, 0, "");
    let pointer = add(TypeKind::Pointer { to: void }, 8, "");
    let nothing = add(record(Vec::new()), 0, "");
    let members = vec![
        field("absent", nothing, 0),
        field("number", long, 0),
        field("long_number", long, 0),
        field("pointer", pointer, 0),
    ];
    let word = add(TypeKind::Union { fields: Some(members) }, 8, "");
    let number = record(vec![field("value", double, 0), field("place", byte, 8)]);
    let number = add(number, NUMBER_BYTES.into(), "");
    let numbers_bytes = u64::from(NUMBERS * NUMBER_BYTES);
    let numbers = add(TypeKind::Array { of: number, len: Some(NUMBERS.into()) }, numbers_bytes, "");
    let words = add(TypeKind::Array { of: word, len: Some(WORDS.into()) }, u64::from(WORDS) * 8, "");
    let all = vec![field("numbers", numbers, 0), field("words", words, numbers_bytes)];
    add(record(all), numbers_bytes + u64::from(WORDS) * 8, "")
}
