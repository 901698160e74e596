//! What one operation means.

use crate::float;
use crate::op::Op;

/// The lowest `width` bits.
#[inline]
#[must_use]
pub fn mask(width: u32) -> u128 {
    debug_assert!((1..=128).contains(&width));
    u128::MAX >> (128 - width)
}

/// The number whose two's complement in `width` bits is `value`.
#[inline]
#[must_use]
pub fn sign_extend(value: u128, width: u32) -> i128 {
    let unused = 128 - width;
    ((value << unused) as i128) >> unused
}

/// Applies an operation to numbers. `widths` are those of the operands, `extra` as in [`crate::Node`]. Leaves and
/// lookups have no operands to apply to and give 0.
///
/// Floating-point operations give the bits that x86-64 gives:
///
/// * A result that is not a number is the first operand that is none, made quiet; of `FFma` the second operand goes
///   before the first, as in glibc on processors with the instruction. Without such an operand (∞ − ∞, 0 · ∞, √−1) it
///   is the quiet one with the sign set.
/// * Conversions between `float` and `double` keep sign and highest payload bits, and make quiet.
/// * `FMin(a, b)` is `b` if `a` is not a number, else `b < a ? b : a`, bits unchanged: clang's code for `fmin`.
/// * A number that does not fit the integer it is converted to gives what the instruction or libgcc gives, cut to the
///   width: mostly the lowest number of the 32- or 64-bit instruction that clang chooses.
#[inline]
#[must_use]
pub fn apply(op: Op, width: u32, extra: u32, [a, b, c]: [u128; 3], [wa, wb, _]: [u32; 3]) -> u128 {
    let signed = |value| sign_extend(value, wa);
    let choose = |condition, then, otherwise| if condition { then } else { otherwise };
    let result = match op {
        Op::Const | Op::Wide | Op::Var | Op::Lookup => 0,
        Op::Not => !a,
        Op::Neg => a.wrapping_neg(),
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => choose(signed(a) < 0, 1, u128::MAX),
        Op::SDiv => signed(a).wrapping_div(signed(b)) as u128,
        Op::SRem if b == 0 => a,
        Op::SRem => signed(a).wrapping_rem(signed(b)) as u128,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl if b < u128::from(width) => a << b,
        Op::LShr if b < u128::from(width) => a >> b,
        Op::Shl | Op::LShr => 0,
        Op::AShr => (signed(a) >> b.min(u128::from(width - 1))) as u128,
        Op::Concat => a << wb | b,
        Op::Extract => a >> extra,
        Op::ZExt => a,
        Op::SExt => signed(a) as u128,
        Op::Ite => choose(a != 0, b, c),
        Op::Eq => u128::from(a == b),
        Op::Ult => u128::from(a < b),
        Op::Ule => u128::from(a <= b),
        Op::Slt => u128::from(signed(a) < signed(b)),
        Op::Sle => u128::from(signed(a) <= signed(b)),
        Op::FToSigned | Op::FToUnsigned => float::to_integer(op, width, a as u64, wa),
        Op::FFromSigned => float::from_integer(signed(a), width),
        Op::FFromUnsigned => float::from_natural(a, width),
        _ => float::apply(op, width, [a as u64, b as u64, c as u64], wa).into(),
    };
    result & mask(width)
}

/// [`apply`] where no width is above 64.
#[inline(always)]
#[must_use]
pub fn apply_narrow(op: Op, width: u32, extra: u32, [a, b, c]: [u64; 3], [wa, wb]: [u32; 2]) -> u64 {
    let signed = |value: u64| ((value << (64 - wa)) as i64) >> (64 - wa);
    let choose = |condition, then, otherwise| if condition { then } else { otherwise };
    let result = match op {
        Op::Const | Op::Wide | Op::Var | Op::Lookup => 0,
        Op::Not => !a,
        Op::Neg => a.wrapping_neg(),
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => choose(signed(a) < 0, 1, u64::MAX),
        Op::SDiv => signed(a).wrapping_div(signed(b)) as u64,
        Op::SRem if b == 0 => a,
        Op::SRem => signed(a).wrapping_rem(signed(b)) as u64,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl if b < u64::from(width) => a << b,
        Op::LShr if b < u64::from(width) => a >> b,
        Op::Shl | Op::LShr => 0,
        Op::AShr => (signed(a) >> b.min(u64::from(width - 1))) as u64,
        Op::Concat => a << wb | b,
        Op::Extract => a >> extra,
        Op::ZExt => a,
        Op::SExt => signed(a) as u64,
        Op::Ite => choose(a != 0, b, c),
        Op::Eq => u64::from(a == b),
        Op::Ult => u64::from(a < b),
        Op::Ule => u64::from(a <= b),
        Op::Slt => u64::from(signed(a) < signed(b)),
        Op::Sle => u64::from(signed(a) <= signed(b)),
        Op::FToSigned | Op::FToUnsigned => float::to_integer(op, width, a, wa) as u64,
        Op::FFromSigned => float::from_integer(signed(a).into(), width) as u64,
        Op::FFromUnsigned => float::from_natural(a.into(), width) as u64,
        _ => float::apply(op, width, [a, b, c], wa),
    };
    result & (u64::MAX >> (64 - width))
}
