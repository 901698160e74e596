//! What one operation means.

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
/// A floating-point number that does not fit the integer it is converted to gives what x86-64 gives: the lowest
/// number of the 32- or 64-bit instruction that clang chooses, cut to the width.
#[inline]
#[must_use]
pub fn apply(op: Op, width: u32, extra: u32, [a, b, c]: [u128; 3], [wa, wb, _]: [u32; 3]) -> u128 {
    let signed = |value| sign_extend(value, wa);
    let result = match op {
        Op::Const | Op::Wide | Op::Var | Op::Lookup => 0,
        Op::Not => !a,
        Op::Neg => a.wrapping_neg(),
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => {
            if signed(a) < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::SDiv => signed(a).wrapping_div(signed(b)) as u128,
        Op::SRem if b == 0 => a,
        Op::SRem => signed(a).wrapping_rem(signed(b)) as u128,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => {
            if b < u128::from(width) {
                a << b
            } else {
                0
            }
        }
        Op::LShr => {
            if b < u128::from(width) {
                a >> b
            } else {
                0
            }
        }
        Op::AShr => (signed(a) >> b.min(u128::from(width - 1))) as u128,
        Op::Concat => a << wb | b,
        Op::Extract => a >> extra,
        Op::ZExt => a,
        Op::SExt => signed(a) as u128,
        Op::Ite => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Op::Eq => u128::from(a == b),
        Op::Ult => u128::from(a < b),
        Op::Ule => u128::from(a <= b),
        Op::Slt => u128::from(signed(a) < signed(b)),
        Op::Sle => u128::from(signed(a) <= signed(b)),
        _ => float(op, width, [a, b, c], wa),
    };
    result & mask(width)
}

fn float(op: Op, width: u32, [a, b, c]: [u128; 3], operand_width: u32) -> u128 {
    match op {
        Op::FConvert if width == 64 => f64::from(f32::from_bits(a as u32)).to_bits().into(),
        Op::FConvert => (f64::from_bits(a as u64) as f32).to_bits().into(),
        Op::FFromSigned if width == 64 => (sign_extend(a, operand_width) as f64).to_bits().into(),
        Op::FFromSigned => (sign_extend(a, operand_width) as f32).to_bits().into(),
        Op::FFromUnsigned if width == 64 => (a as f64).to_bits().into(),
        Op::FFromUnsigned => (a as f32).to_bits().into(),
        // Every float is a double: truncation sees the same number.
        Op::FToSigned | Op::FToUnsigned => {
            let number = match operand_width {
                32 => f64::from(f32::from_bits(a as u32)),
                _ => f64::from_bits(a as u64),
            };
            if op == Op::FToSigned { to_signed(number, width) } else { to_unsigned(number, width) }
        }
        _ if operand_width == 32 => {
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            single(op, a, b, c)
        }
        _ => {
            let [a, b, c] = [a, b, c].map(|bits| f64::from_bits(bits as u64));
            double(op, a, b, c)
        }
    }
}

macro_rules! arithmetic {
    ($name:ident, $float:ty) => {
        fn $name(op: Op, a: $float, b: $float, c: $float) -> u128 {
            let number = match op {
                Op::FAdd => a + b,
                Op::FSub => a - b,
                Op::FMul => a * b,
                Op::FDiv => a / b,
                Op::FRem => a % b,
                Op::FFma => a.mul_add(b, c),
                Op::FSqrt => a.sqrt(),
                Op::FFloor => a.floor(),
                Op::FCeil => a.ceil(),
                Op::FTrunc => a.trunc(),
                Op::FRound => a.round(),
                Op::FRint => a.round_ties_even(),
                Op::FMin => a.min(b),
                Op::FMax => a.max(b),
                Op::FEq => return u128::from(a == b),
                Op::FLt => return u128::from(a < b),
                Op::FLe => return u128::from(a <= b),
                Op::FIsNan => return u128::from(a.is_nan()),
                _ => return 0,
            };
            number.to_bits().into()
        }
    };
}

arithmetic!(single, f32);
arithmetic!(double, f64);

/// `cvttsd2si` with a 64-bit result.
fn convert_64(number: f64) -> i64 {
    // 2^63 itself does not fit, −2^63 does; not a number compares false.
    if number >= -9_223_372_036_854_775_808.0 && number < 9_223_372_036_854_775_808.0 {
        number as i64
    } else {
        i64::MIN
    }
}

/// `cvttsd2si` with a 32-bit result.
fn convert_32(number: f64) -> i32 {
    let whole = number.trunc();
    if (-2_147_483_648.0..=2_147_483_647.0).contains(&whole) { whole as i32 } else { i32::MIN }
}

fn to_signed(number: f64, width: u32) -> u128 {
    match width {
        ..=32 => convert_32(number) as u128,
        33..=64 => convert_64(number) as u128,
        _ => (number as i128) as u128,
    }
}

fn to_unsigned(number: f64, width: u32) -> u128 {
    match width {
        ..=31 => convert_32(number) as u128,
        32..=63 => convert_64(number) as u128,
        64 => {
            // Clang's sequence for want of an instruction.
            let low = convert_64(number);
            let high = convert_64(number - 9_223_372_036_854_775_808.0);
            (low | (high & (low >> 63))) as u64 as u128
        }
        _ => number as u128,
    }
}
