//! Scalars as C literals.

use input::{Leaf, LeafKind};
use model::{FloatKind, TypeKind, Types};

/// How much of its type a literal must carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exactness {
    /// It is converted by an assignment or a comparison: the shortest form will do.
    Converted,
    /// It is an argument, perhaps of a function without a prototype: type and value must be right.
    Argument,
}

/// A number as C text: `'a'`, `-7`, `UINT_MAX`, `BLUE`, `0.1f`. Not for pointers and selectors, whose text
/// depends on the objects around them.
#[must_use]
pub fn scalar(types: &Types, leaf: &Leaf, cell: u128, exactness: Exactness) -> String {
    match &leaf.kind {
        LeafKind::Bool => (cell & 1).to_string(),
        LeafKind::Float(kind) => float(*kind, cell),
        LeafKind::Enum { .. } => {
            enumerator(types, leaf, cell).unwrap_or_else(|| integer(types, leaf, cell, exactness))
        }
        _ if is_plain_char(types, leaf) => {
            character(leaf.int_value(cell)).unwrap_or_else(|| leaf.int_value(cell).to_string())
        }
        _ => integer(types, leaf, cell, exactness),
    }
}

fn enumerator(types: &Types, leaf: &Leaf, cell: u128) -> Option<String> {
    let TypeKind::Enum { values, .. } = &types.resolved(leaf.ty).kind else { return None };
    let value = leaf.int_value(cell);
    values.iter().find(|v| v.value == value).map(|v| v.name.clone())
}

/// Whether values read best as characters: `char` by its own name, not `uint8_t`.
pub(crate) fn is_plain_char(types: &Types, leaf: &Leaf) -> bool {
    let mut ty = leaf.ty;
    while let TypeKind::Const { to } | TypeKind::Qualified { to, .. } = types.get(ty).kind {
        ty = to;
    }
    leaf.width == 8 && matches!(types.get(ty).kind, TypeKind::Int { character: true, .. })
}

fn character(value: i128) -> Option<String> {
    Some(format!("'{}'", escape(u8::try_from(value).ok()?, '\'')?))
}

/// A character inside quotes; `None` if it has no readable form.
pub(crate) fn escape(byte: u8, quote: char) -> Option<String> {
    Some(match byte {
        0 => "\\0".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' if byte as char == quote => format!("\\{quote}"),
        b' '..=b'~' => (byte as char).to_string(),
        _ => return None,
    })
}

fn integer(types: &Types, leaf: &Leaf, cell: u128, exactness: Exactness) -> String {
    let (bits, signed) = (type_bits(types, leaf), leaf.is_signed());
    let value = leaf.int_value(cell);
    if bits > 64 {
        return wide(value, cell, signed, exactness);
    }
    let is_argument = exactness == Exactness::Argument;
    match limit_name(value) {
        // INT_MAX has type int: where the type counts, only an int may be written so.
        Some((name, of)) if !is_argument || of == (bits, signed) => name.to_owned(),
        _ if is_argument => {
            let name = types.resolved(leaf.ty).name.as_deref().unwrap_or_default();
            decimal(value, suffix(bits, signed, name.contains("long long")))
        }
        _ => decimal(value, ""),
    }
}

fn type_bits(types: &Types, leaf: &Leaf) -> u16 {
    match types.resolved(leaf.ty).kind {
        TypeKind::Int { bits, .. } | TypeKind::Enum { bits, .. } => bits,
        _ => leaf.width,
    }
}

/// The suffix that gives a literal the type of an argument, after the promotion of small ones to int.
fn suffix(bits: u16, signed: bool, long_long: bool) -> &'static str {
    match (bits, signed, long_long) {
        (0..32, _, _) | (32, true, _) => "",
        (32, false, _) => "U",
        (_, true, false) => "L",
        (_, true, true) => "LL",
        (_, false, false) => "UL",
        (_, false, true) => "ULL",
    }
}

/// Names of <limits.h> for the ends of the ranges, and width and signedness of their types.
fn limit_name(value: i128) -> Option<(&'static str, (u16, bool))> {
    const I32_MIN: i128 = i32::MIN as i128;
    const I32_MAX: i128 = i32::MAX as i128;
    const U32_MAX: i128 = u32::MAX as i128;
    const I64_MIN: i128 = i64::MIN as i128;
    const I64_MAX: i128 = i64::MAX as i128;
    const U64_MAX: i128 = u64::MAX as i128;
    Some(match value {
        I32_MIN => ("INT_MIN", (32, true)),
        I32_MAX => ("INT_MAX", (32, true)),
        U32_MAX => ("UINT_MAX", (32, false)),
        I64_MIN => ("LONG_MIN", (64, true)),
        I64_MAX => ("LONG_MAX", (64, true)),
        U64_MAX => ("ULONG_MAX", (64, false)),
        _ => return None,
    })
}

/// A decimal literal whose type can hold the value.
fn decimal(value: i128, wanted: &str) -> String {
    let needed = match value {
        v if i32::try_from(v).is_ok() => "",
        v if u32::try_from(v).is_ok() => "U",
        v if i64::try_from(v).is_ok() => "L",
        _ => "UL",
    };
    format!("{value}{}", if wanted.is_empty() { needed } else { wanted })
}

/// C has no literals of 128 bits: they are converted, or put together from two halves.
fn wide(value: i128, cell: u128, signed: bool, exactness: Exactness) -> String {
    let (high, low) = ((cell >> 64) as u64, cell as u64);
    let fits = i32::try_from(value).is_ok() && (signed || value >= 0);
    match (signed, exactness) {
        (_, Exactness::Converted) if fits => value.to_string(),
        (true, _) if fits => format!("(__int128){value}"),
        (false, _) if fits => format!("(unsigned __int128){value}"),
        (true, _) => format!("(__int128)((unsigned __int128){high:#x}ULL << 64 | {low:#x}ULL)"),
        (false, _) => format!("((unsigned __int128){high:#x}ULL << 64 | {low:#x}ULL)"),
    }
}

fn float(kind: FloatKind, cell: u128) -> String {
    match kind {
        FloatKind::F32 => {
            let value = f32::from_bits(cell as u32);
            special(value.into(), "").unwrap_or_else(|| format!("{value:?}f"))
        }
        FloatKind::F64 => {
            let value = f64::from_bits(cell as u64);
            special(value, "").unwrap_or_else(|| format!("{value:?}"))
        }
        FloatKind::F80 => long_double(cell),
    }
}

/// Values that are no numbers.
fn special(value: f64, prefix: &str) -> Option<String> {
    match value {
        v if v.is_nan() => Some(format!("{prefix}NAN")),
        f64::INFINITY => Some(format!("{prefix}INFINITY")),
        f64::NEG_INFINITY => Some(format!("{prefix}-INFINITY")),
        _ => None,
    }
}

/// A `long double`: in decimal where a short decimal is its exact value, else in hexadecimal.
fn long_double(cell: u128) -> String {
    let exponent = (cell >> 64 & 0x7fff) as i32;
    let significand = cell as u64;
    let sign = if cell >> 79 & 1 == 1 { "-" } else { "" };
    if exponent == 0x7fff {
        let value = if significand << 1 == 0 { f64::INFINITY } else { f64::NAN };
        return special(value, if value.is_nan() { "" } else { sign }).unwrap_or_default();
    }
    if let Some(value) = exact_double(exponent, significand) {
        return format!("{sign}{value:?}L");
    }
    // The significand has 64 bits, the first of them before the point. Denormals have the exponent of the
    // smallest normal number.
    let power = exponent.max(1) - 16383 - 63;
    format!("{sign}{significand:#x}p{power}L{}", rough_value(sign, significand, power))
}

/// For the reader, who does not think in hexadecimal; nothing where a double cannot say it.
fn rough_value(sign: &str, significand: u64, power: i32) -> String {
    let value = significand as f64 * 2f64.powi(power);
    if value.is_normal() { format!(" /* {sign}{value:?} */") } else { String::new() }
}

/// The value as a double, if it is one and its shortest decimal form is exact: a long double with the same
/// text is then the same number.
fn exact_double(exponent: i32, significand: u64) -> Option<f64> {
    if significand == 0 {
        return Some(0.0);
    }
    let power = exponent.max(1) - 16383 - 63;
    let lowest = power + significand.trailing_zeros() as i32;
    // At most 53 bits, none below 2^-20: such a number has at most 20 decimals.
    let bits = 64 - significand.leading_zeros() - significand.trailing_zeros();
    if bits > 53 || lowest < -20 || power + 64 > 60 {
        return None;
    }
    let value = (significand >> significand.trailing_zeros()) as f64 * 2f64.powi(lowest);
    let exact = format!("{value:.20}");
    let short = format!("{value}");
    let is_exact = exact.trim_end_matches('0').trim_end_matches('.') == short;
    is_exact.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f80(exponent: u128, significand: u64) -> u128 {
        exponent << 64 | u128::from(significand)
    }

    #[test]
    fn floats_are_short_and_exact() {
        assert_eq!(float(FloatKind::F64, 0.1f64.to_bits().into()), "0.1");
        assert_eq!(float(FloatKind::F64, (-0.0f64).to_bits().into()), "-0.0");
        assert_eq!(float(FloatKind::F64, 5e-324f64.to_bits().into()), "5e-324");
        assert_eq!(float(FloatKind::F32, 0.1f32.to_bits().into()), "0.1f");
        assert_eq!(float(FloatKind::F32, f32::NEG_INFINITY.to_bits().into()), "-INFINITY");
        assert_eq!(float(FloatKind::F32, f32::NAN.to_bits().into()), "NAN");
    }

    #[test]
    fn long_doubles_are_decimal_where_that_is_exact() {
        assert_eq!(long_double(0), "0.0L");
        assert_eq!(long_double(1 << 79), "-0.0L");
        assert_eq!(long_double(f80(16383, 3 << 62)), "1.5L");
        assert_eq!(long_double(f80(16383 + 15, 36000 << 48)), "36000.0L");
        // 0.1L is 0xc.ccccccccccccccdp-7: no double.
        assert_eq!(long_double(f80(16379, 0xcccc_cccc_cccc_cccd)), "0xcccccccccccccccdp-67L /* 0.1 */");
        assert_eq!(long_double(f80(0x7fff, 1 << 63) | 1 << 79), "-INFINITY");
    }

    #[test]
    fn integers_have_a_literal_of_a_type_that_holds_them() {
        assert_eq!(decimal(5, ""), "5");
        assert_eq!(decimal(3_000_000_000, ""), "3000000000U");
        assert_eq!(decimal(-3_000_000_000, ""), "-3000000000L");
        assert_eq!(decimal(5, "ULL"), "5ULL");
        assert_eq!(decimal(i128::from(u64::MAX) - 1, ""), "18446744073709551614UL");
        let halves = "((unsigned __int128)0x1ULL << 64 | 0x0ULL)";
        assert_eq!(wide(1 << 64, 1 << 64, false, Exactness::Argument), halves);
        assert_eq!(wide(-6, -6i128 as u128, true, Exactness::Argument), "(__int128)-6");
    }
}
