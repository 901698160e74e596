//! Types with their layout and their spelling.

use serde::{Deserialize, Serialize};

/// Index of a type in [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TypeId(pub u32);

/// A type: what it is, how large it is, what the programmer calls it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Type {
    /// What the type is.
    pub kind: TypeKind,
    /// Size in bytes; 0 for `void`, functions and incomplete types.
    pub size: u64,
    /// Alignment in bytes, at least 1.
    pub align: u64,
    /// Base type name (`unsigned int`), tag (`point` of `struct point`) or typedef name; `None` if anonymous.
    pub name: Option<String>,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum TypeKind {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// Integers, the `char` kinds included.
    Int {
        /// Width in bits.
        bits: u16,
        /// Two's complement or unsigned.
        signed: bool,
        /// `char`, `signed char` or `unsigned char`: may be shown as a character.
        character: bool,
    },
    /// Floating point.
    Float(FloatKind),
    /// An enumeration with its declared values in order.
    Enum {
        /// Width of the representation in bits.
        bits: u16,
        /// Signedness of the representation.
        signed: bool,
        /// The enumerators in declaration order.
        values: Vec<EnumValue>,
    },
    /// Pointer to `to`; `void *` points to [`TypeKind::Void`].
    Pointer {
        /// The pointee.
        to: TypeId,
    },
    /// Array; `None` is a flexible or incomplete array. Dimensions nest, outermost first.
    Array {
        /// Element type.
        of: TypeId,
        /// Number of elements.
        len: Option<u64>,
    },
    /// Structure; `None` when only declared.
    Struct {
        /// Members in order, bit-fields included; `None` if incomplete.
        fields: Option<Vec<Field>>,
    },
    /// Union; `None` when only declared.
    Union {
        /// Members in order; `None` if incomplete.
        fields: Option<Vec<Field>>,
    },
    /// A function type (behind a function pointer).
    Function {
        /// Result.
        ret: TypeId,
        /// Parameters.
        params: Vec<TypeId>,
        /// `...` at the end.
        variadic: bool,
    },
    /// Another name for a type.
    Typedef {
        /// The named type.
        to: TypeId,
    },
    /// `const T`.
    Const {
        /// The qualified type.
        to: TypeId,
    },
    /// `volatile T`, `_Atomic T`, `T restrict`: qualifiers without meaning for a test.
    Qualified {
        /// The keyword as written in C.
        keyword: String,
        /// The qualified type.
        to: TypeId,
    },
    /// A type we cannot make values of (complex, vector, …) and its name.
    Unsupported(String),
}

/// Floating-point formats of x86-64 C.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FloatKind {
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `long double`, x87 extended: 80 significant bits in 16 bytes.
    F80,
}

/// One enumerator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EnumValue {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i128,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// `None` for anonymous struct/union members.
    pub name: Option<String>,
    /// Type of the member.
    pub ty: TypeId,
    /// Offset from the start of the aggregate in *bits*.
    pub bit_offset: u64,
    /// Width if this is a bit-field.
    pub bit_size: Option<u16>,
}

/// The arena that owns all types of a program.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Types {
    list: Vec<Type>,
}

impl Types {
    /// Adds a type.
    pub fn push(&mut self, ty: Type) -> TypeId {
        self.list.push(ty);
        TypeId(self.list.len() as u32 - 1)
    }

    /// Number of types.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no type.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The type as declared, typedefs and qualifiers kept.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    /// Replaces a type: recursive types are entered before their members are known.
    pub fn set(&mut self, id: TypeId, ty: Type) {
        self.list[id.0 as usize] = ty;
    }

    /// The id behind typedefs and qualifiers.
    #[must_use]
    pub fn resolve(&self, mut id: TypeId) -> TypeId {
        while let TypeKind::Typedef { to } | TypeKind::Const { to } | TypeKind::Qualified { to, .. } =
            self.get(id).kind
        {
            id = to;
        }
        id
    }

    /// The type behind typedefs and qualifiers.
    #[must_use]
    pub fn resolved(&self, id: TypeId) -> &Type {
        self.get(self.resolve(id))
    }

    /// Whether a value of this type may not be written to: `const` at the top or in an array's element.
    #[must_use]
    pub fn is_const(&self, id: TypeId) -> bool {
        match self.get(id).kind {
            TypeKind::Const { .. } => true,
            TypeKind::Typedef { to } | TypeKind::Qualified { to, .. } => self.is_const(to),
            TypeKind::Array { of, .. } => self.is_const(of),
            _ => false,
        }
    }

    /// Whether two types are the same but for the names of typedefs, and qualifiers that are not behind a pointer.
    #[must_use]
    pub fn are_same(&self, a: TypeId, b: TypeId) -> bool {
        let (a, b) = (self.resolve(a), self.resolve(b));
        let all = |a: &[TypeId], b: &[TypeId]| {
            a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.are_same(a, b))
        };
        if a == b {
            return true;
        }
        match (&self.get(a).kind, &self.get(b).kind) {
            (TypeKind::Pointer { to: a }, TypeKind::Pointer { to: b }) => {
                self.is_const(*a) == self.is_const(*b) && self.are_same(*a, *b)
            }
            (TypeKind::Array { of: a, len: m }, TypeKind::Array { of: b, len: n }) => {
                m == n && self.are_same(*a, *b)
            }
            (
                TypeKind::Function { ret: a, params: from, variadic: v },
                TypeKind::Function { ret: b, params: to, variadic: w },
            ) => v == w && self.are_same(*a, *b) && all(from, to),
            // One definition of a structure a unit: units agree by name.
            (TypeKind::Struct { .. }, TypeKind::Struct { .. })
            | (TypeKind::Union { .. }, TypeKind::Union { .. }) => {
                self.get(a).name.is_some() && self.get(a).name == self.get(b).name
            }
            (a_kind, b_kind) => a_kind == b_kind && self.get(a).size == self.get(b).size,
        }
    }

    /// Size in bytes of a value of this type.
    #[must_use]
    pub fn size(&self, id: TypeId) -> u64 {
        self.resolved(id).size
    }

    /// All types with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.list.iter().enumerate().map(|(i, t)| (TypeId(i as u32), t))
    }
}
