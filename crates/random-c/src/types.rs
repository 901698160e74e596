//! The types of values.

use fastrand::Rng;

/// A type that arithmetic knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    /// An integer type of every C program.
    Named(&'static str, u32, bool),
    /// `_BitInt(bits)`, signed or not.
    Bit(u32, bool),
    Float,
    Double,
}

use Scalar::{Bit, Named};

const NAMED: [Scalar; 16] = [
    Named("_Bool", 1, false),
    Named("char", 8, true),
    Named("signed char", 8, true),
    Named("unsigned char", 8, false),
    Named("short", 16, true),
    Named("unsigned short", 16, false),
    Named("int", 32, true),
    Named("unsigned", 32, false),
    Named("long", 64, true),
    Named("unsigned long", 64, false),
    Named("long long", 64, true),
    Named("unsigned long long", 64, false),
    Named("__int128", 128, true),
    Named("unsigned __int128", 128, false),
    Named("enum colour", 32, true),
    INT,
];

pub(crate) const INT: Scalar = Named("int", 32, true);
pub(crate) const UNSIGNED: Scalar = Named("unsigned", 32, false);
pub(crate) const LONG: Scalar = Named("long", 64, true);
pub(crate) const WORD: Scalar = Named("unsigned long", 64, false);

const BITS: [u32; 15] = [2, 3, 7, 8, 13, 17, 24, 31, 33, 47, 63, 65, 100, 127, 128];

impl Scalar {
    /// A type that a parameter can have.
    pub(crate) fn named(rng: &mut Rng) -> Scalar {
        match rng.u8(..8) {
            0 => Scalar::Float,
            1 => Scalar::Double,
            _ => NAMED[rng.usize(..NAMED.len())],
        }
    }

    pub(crate) fn integer(rng: &mut Rng) -> Scalar {
        match rng.u8(..4) {
            0 => Bit(BITS[rng.usize(..BITS.len())], rng.bool()),
            _ => NAMED[rng.usize(..NAMED.len())],
        }
    }

    pub(crate) fn any(rng: &mut Rng) -> Scalar {
        if rng.u8(..4) == 0 { Scalar::named(rng) } else { Scalar::integer(rng) }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
    }

    /// Bits and sign of an integer.
    pub(crate) fn shape(self) -> (u32, bool) {
        match self {
            Named(_, bits, signed) | Bit(bits, signed) => (bits, signed),
            _ => (64, true),
        }
    }

    /// As C writes it.
    pub(crate) fn spelling(self) -> String {
        match self {
            Named(name, ..) => name.to_owned(),
            Bit(bits, signed) => format!("{}_BitInt({bits})", if signed { "" } else { "unsigned " }),
            Scalar::Float => "float".to_owned(),
            Scalar::Double => "double".to_owned(),
        }
    }
}

/// What an aggregate is called, and its members with their types.
pub(crate) struct Aggregate {
    pub(crate) name: &'static str,
    pub(crate) members: &'static [(&'static str, Scalar)],
}

const BYTE: Scalar = Named("unsigned char", 8, false);
const SHORT: Scalar = Named("short", 16, true);

/// The aggregates of the prelude. `struct bits` gets random widths; its members are used as integers.
pub(crate) const AGGREGATES: [Aggregate; 6] = [
    Aggregate { name: "pair", members: &[("x", Scalar::Float), ("y", Scalar::Float)] },
    Aggregate { name: "mixed", members: &[("d", Scalar::Double), ("i", INT)] },
    Aggregate {
        name: "small",
        members: &[
            ("c", Named("signed char", 8, true)),
            ("s", Named("unsigned short", 16, false)),
            ("i", INT),
        ],
    },
    Aggregate {
        name: "large",
        members: &[
            ("a[1]", LONG),
            ("f", Scalar::Float),
            ("b[2]", BYTE),
            ("b[4]", BYTE),
            ("w", Named("__int128", 128, true)),
        ],
    },
    Aggregate {
        name: "bits",
        members: &[("a", INT), ("b", UNSIGNED), ("c", WORD), ("d", INT), ("e", BYTE), ("f", BYTE)],
    },
    Aggregate {
        name: "cell",
        members: &[
            ("u", UNSIGNED),
            ("f", Scalar::Float),
            ("bytes[1]", BYTE),
            ("halves.low", SHORT),
            ("halves.high", SHORT),
        ],
    },
];

impl Aggregate {
    /// As C writes it.
    pub(crate) fn spelling(&self) -> String {
        format!("{} {}", if self.name == "cell" { "union" } else { "struct" }, self.name)
    }
}
