//! The operations.

/// What a term does. The numbers are part of the contract with instrumented code and never change meaning.
///
/// `w` is the width of the result; operands have the same width unless said otherwise. Comparisons and predicates
/// have `w = 1`. Division by zero and shifts by `w` or more are as in SMT-LIB: `UDiv` gives all ones, `URem` the
/// dividend, `SDiv` 1 or −1, `SRem` the dividend; `Shl` and `LShr` give 0, `AShr` the sign everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Op {
    /// A number of up to 64 bits: `a` its low, `b` its high half.
    Const = 0,
    /// A number of more than 64 bits: `a` its index among the wide numbers.
    Wide = 1,
    /// An input: `a` its index.
    Var = 2,
    /// Every bit inverted.
    Not = 3,
    /// Two's complement.
    Neg = 4,
    /// Sum.
    Add = 5,
    /// Difference.
    Sub = 6,
    /// Product.
    Mul = 7,
    /// Unsigned quotient.
    UDiv = 8,
    /// Signed quotient, rounded to zero.
    SDiv = 9,
    /// Unsigned remainder.
    URem = 10,
    /// Signed remainder with the sign of the dividend.
    SRem = 11,
    /// Bitwise and.
    And = 12,
    /// Bitwise or.
    Or = 13,
    /// Bitwise exclusive or.
    Xor = 14,
    /// Shift left.
    Shl = 15,
    /// Shift right, zeros come in.
    LShr = 16,
    /// Shift right, the sign comes in.
    AShr = 17,
    /// `a` above `b`; `w` is the sum of their widths.
    Concat = 18,
    /// Bits `extra .. extra + w` of the wider `a`.
    Extract = 19,
    /// The narrower `a`, zeros above.
    ZExt = 20,
    /// The narrower `a`, its sign above.
    SExt = 21,
    /// `b` if the bit `a` is set, else `c`.
    Ite = 22,
    /// `a == b`.
    Eq = 23,
    /// `a < b`, unsigned.
    Ult = 24,
    /// `a <= b`, unsigned.
    Ule = 25,
    /// `a < b`, signed.
    Slt = 26,
    /// `a <= b`, signed.
    Sle = 27,
    /// Row `a` of table `b` ([`crate::Table`]); the last row for all larger `a`.
    Lookup = 28,

    /// Sum, rounded to nearest even like all results below.
    FAdd = 40,
    /// Difference.
    FSub = 41,
    /// Product.
    FMul = 42,
    /// Quotient.
    FDiv = 43,
    /// C's `fmod`.
    FRem = 44,
    /// `a * b + c` with one rounding.
    FFma = 45,
    /// Square root.
    FSqrt = 46,
    /// Rounded down.
    FFloor = 47,
    /// Rounded up.
    FCeil = 48,
    /// Rounded to zero.
    FTrunc = 49,
    /// Rounded to nearest, halves away from zero.
    FRound = 50,
    /// Rounded to nearest, halves to even.
    FRint = 51,
    /// C's `fmin`: the other operand if one is not a number, the first one of two zeros.
    FMin = 52,
    /// C's `fmax`.
    FMax = 53,
    /// `a == b`; false if one is not a number, like `FLt` and `FLe`.
    FEq = 54,
    /// `a < b`.
    FLt = 55,
    /// `a <= b`.
    FLe = 56,
    /// `a` is not a number.
    FIsNan = 57,
    /// Between `float` and `double`; the operand has the other width.
    FConvert = 58,
    /// Signed integer of any width to floating point.
    FFromSigned = 59,
    /// Unsigned integer of any width to floating point.
    FFromUnsigned = 60,
    /// Floating point to signed integer, rounded to zero. Out of range: as x86-64 does, see [`crate::apply`].
    FToSigned = 61,
    /// Floating point to unsigned integer, rounded to zero. Out of range: as x86-64 does.
    FToUnsigned = 62,
}

impl Op {
    /// All operations.
    pub const ALL: &'static [Op] = &[
        Op::Const,
        Op::Wide,
        Op::Var,
        Op::Not,
        Op::Neg,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::UDiv,
        Op::SDiv,
        Op::URem,
        Op::SRem,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Shl,
        Op::LShr,
        Op::AShr,
        Op::Concat,
        Op::Extract,
        Op::ZExt,
        Op::SExt,
        Op::Ite,
        Op::Eq,
        Op::Ult,
        Op::Ule,
        Op::Slt,
        Op::Sle,
        Op::Lookup,
        Op::FAdd,
        Op::FSub,
        Op::FMul,
        Op::FDiv,
        Op::FRem,
        Op::FFma,
        Op::FSqrt,
        Op::FFloor,
        Op::FCeil,
        Op::FTrunc,
        Op::FRound,
        Op::FRint,
        Op::FMin,
        Op::FMax,
        Op::FEq,
        Op::FLt,
        Op::FLe,
        Op::FIsNan,
        Op::FConvert,
        Op::FFromSigned,
        Op::FFromUnsigned,
        Op::FToSigned,
        Op::FToUnsigned,
    ];

    /// The operation with this number.
    #[inline]
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Op> {
        CODES[code as usize]
    }

    /// How many of `a`, `b`, `c` are operands.
    #[inline]
    #[must_use]
    pub const fn arity(self) -> usize {
        ARITIES[self as usize] as usize
    }

    const fn count_operands(self) -> u8 {
        match self {
            Op::Const | Op::Wide | Op::Var => 0,
            Op::Not
            | Op::Neg
            | Op::Extract
            | Op::ZExt
            | Op::SExt
            | Op::Lookup
            | Op::FSqrt
            | Op::FFloor
            | Op::FCeil
            | Op::FTrunc
            | Op::FRound
            | Op::FRint
            | Op::FIsNan
            | Op::FConvert
            | Op::FFromSigned
            | Op::FFromUnsigned
            | Op::FToSigned
            | Op::FToUnsigned => 1,
            Op::Ite | Op::FFma => 3,
            _ => 2,
        }
    }

    /// Whether the result is a truth value whatever the width of the operands.
    #[must_use]
    pub const fn is_predicate(self) -> bool {
        matches!(
            self,
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::FEq | Op::FLt | Op::FLe | Op::FIsNan
        )
    }

    /// Whether two operands and the result are numbers of one width.
    #[inline]
    pub(crate) const fn is_alike(self) -> bool {
        self as u8 >= Op::Add as u8 && self as u8 <= Op::AShr as u8
    }

    /// Whether operands may be exchanged. Those of floating-point sums and products may not, for the sake of the bits of
    /// results that are not numbers.
    #[must_use]
    pub const fn is_commutative(self) -> bool {
        matches!(self, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq | Op::FEq)
    }

    /// Whether it computes with floating-point numbers.
    #[must_use]
    pub const fn is_float(self) -> bool {
        self as u8 >= Op::FAdd as u8
    }
}

const CODES: [Option<Op>; 256] = {
    let mut codes = [None; 256];
    let mut i = 0;
    while i < Op::ALL.len() {
        codes[Op::ALL[i] as usize] = Some(Op::ALL[i]);
        i += 1;
    }
    codes
};

/// By number; a table is faster than a decision tree where every operation is looked at.
const ARITIES: [u8; 64] = {
    let mut arities = [0; 64];
    let mut i = 0;
    while i < Op::ALL.len() {
        arities[Op::ALL[i] as usize] = Op::ALL[i].count_operands();
        i += 1;
    }
    arities
};
