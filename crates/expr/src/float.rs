//! Floating-point operations on bits, exactly as x86-64 computes them; the rules are at [`crate::apply`].
//!
//! Rust leaves open which bits a result has that is not a number, and its compiler may exchange operands. So such
//! results are made here; all others are fixed by IEEE 754.

use crate::op::Op;

/// A floating-point operation whose operands have the width `operand_width`.
pub(crate) fn apply(op: Op, width: u32, [a, b, c]: [u64; 3], operand_width: u32) -> u64 {
    match (op, operand_width) {
        (Op::FConvert, 32) if width == 64 => widen(a as u32),
        (Op::FConvert, _) => narrow(a).into(),
        (_, 32) => single::apply(op, a as u32, b as u32, c as u32).into(),
        _ => double::apply(op, a, b, c),
    }
}

macro_rules! arithmetic {
    ($name:ident, $float:ty, $bits:ty, $quiet:expr) => {
        mod $name {
            use crate::op::Op;

            const QUIET: $bits = $quiet;
            /// The result of an invalid operation.
            const INDEFINITE: $bits = (<$float>::INFINITY.to_bits() | QUIET) | 1 << (<$bits>::BITS - 1);

            pub(super) fn apply(op: Op, a: $bits, b: $bits, c: $bits) -> $bits {
                let [x, y, z] = [a, b, c].map(<$float>::from_bits);
                match op {
                    Op::FAdd => result(x + y, [x, y]),
                    Op::FSub => result(x - y, [x, y]),
                    Op::FMul => result(x * y, [x, y]),
                    Op::FDiv => result(x / y, [x, y]),
                    Op::FRem => result(x % y, [x, y]),
                    Op::FFma => result(x.mul_add(y, z), [y, x, z]),
                    Op::FSqrt => result(x.sqrt(), [x]),
                    Op::FFloor => result(x.floor(), [x]),
                    Op::FCeil => result(x.ceil(), [x]),
                    Op::FTrunc => result(x.trunc(), [x]),
                    Op::FRound => result(x.round(), [x]),
                    Op::FRint => result(x.round_ties_even(), [x]),
                    Op::FMin if x.is_nan() || y < x => b,
                    Op::FMax if x.is_nan() || y > x => b,
                    Op::FMin | Op::FMax => a,
                    Op::FEq => (x == y).into(),
                    Op::FLt => (x < y).into(),
                    Op::FLe => (x <= y).into(),
                    Op::FIsNan => x.is_nan().into(),
                    _ => 0,
                }
            }

            fn result<const N: usize>(number: $float, operands: [$float; N]) -> $bits {
                if !number.is_nan() {
                    return number.to_bits();
                }
                let culprit = operands.into_iter().find(|operand| operand.is_nan());
                culprit.map_or(INDEFINITE, |operand| operand.to_bits() | QUIET)
            }
        }
    };
}

arithmetic!(single, f32, u32, 1 << 22);
arithmetic!(double, f64, u64, 1 << 51);

/// `cvtss2sd`.
fn widen(bits: u32) -> u64 {
    let number = f32::from_bits(bits);
    if !number.is_nan() {
        return f64::from(number).to_bits();
    }
    let (sign, payload) = (u64::from(bits >> 31), u64::from(bits & 0x7f_ffff));
    sign << 63 | 0x7ff8 << 48 | payload << 29
}

/// `cvtsd2ss`.
fn narrow(bits: u64) -> u32 {
    let number = f64::from_bits(bits);
    if !number.is_nan() {
        return (number as f32).to_bits();
    }
    let (sign, payload) = ((bits >> 63) as u32, (bits >> 29 & 0x7f_ffff) as u32);
    sign << 31 | 0x7fc0 << 16 | payload
}

/// The nearest floating-point number of an integer.
pub(crate) fn from_integer(value: i128, width: u32) -> u128 {
    if width == 32 { (value as f32).to_bits().into() } else { (value as f64).to_bits().into() }
}

/// The nearest floating-point number of an integer without sign.
pub(crate) fn from_natural(value: u128, width: u32) -> u128 {
    if width == 32 { (value as f32).to_bits().into() } else { (value as f64).to_bits().into() }
}

/// Truncation to an integer.
pub(crate) fn to_integer(op: Op, width: u32, bits: u64, operand_width: u32) -> u128 {
    // Every float is a double: truncation sees the same number.
    let number = match operand_width {
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    if op == Op::FToSigned { to_signed(number, width) } else { to_unsigned(number, width) }
}

fn to_signed(number: f64, width: u32) -> u128 {
    match width {
        ..=32 => convert_32(number) as u128,
        33..=64 => convert_64(number) as u128,
        _ if number < 0.0 => convert_128(-number).wrapping_neg(),
        _ => convert_128(number),
    }
}

fn to_unsigned(number: f64, width: u32) -> u128 {
    match width {
        ..=31 => convert_32(number) as u128,
        32..=63 => convert_64(number) as u128,
        64 => {
            // Clang's sequence for want of an instruction.
            let low = convert_64(number);
            let high = convert_64(number - TWO_63);
            (low | (high & (low >> 63))) as u64 as u128
        }
        _ => convert_128(number),
    }
}

const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_64: f64 = 2.0 * TWO_63;

/// `cvttsd2si` with a 32-bit result.
fn convert_32(number: f64) -> i32 {
    let whole = number.trunc();
    if (-2_147_483_648.0..=2_147_483_647.0).contains(&whole) { whole as i32 } else { i32::MIN }
}

/// `cvttsd2si` with a 64-bit result.
fn convert_64(number: f64) -> i64 {
    if (-TWO_63..TWO_63).contains(&number) { number as i64 } else { i64::MIN }
}

/// libgcc's `__fixunsdfti`: two halves, each converted by GCC's sequence for 64 bits without sign.
fn convert_128(number: f64) -> u128 {
    let half = |number: f64| {
        if number >= TWO_63 {
            (convert_64(number - TWO_63) as u64) ^ 1 << 63
        } else {
            convert_64(number) as u64
        }
    };
    let high = half(number / TWO_64);
    let low = half(number - high as f64 * TWO_64);
    u128::from(high) << 64 | u128::from(low)
}
