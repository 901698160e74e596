//! The file `values`: what a harness is asked for, a line each, in the order of the calls.
//!
//! ```text
//! signed 4 -5 x
//! unsigned 1 200 unsigned char
//! float 8 0x3ff8000000000000 double (1.5)
//! block 12 x68656c6c6f2c20796f752100 name |hello, you!.|
//! ```
//!
//! Kind, size in bytes, value; the rest of the line is for people. A value is a number, or the bytes as they lie in
//! memory behind an `x`. `runtime/program/replay.c` reads it.

use std::fmt::Write as _;
use suite::{HarnessValue, ValueKind};

/// The text of the file.
pub(super) fn text(values: &[HarnessValue]) -> String {
    values.iter().map(line).collect()
}

fn line(value: &HarnessValue) -> String {
    let HarnessValue { name, kind, bytes } = value;
    let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let (word, comment) = match kind {
        ValueKind::Block => ("block", format!(" |{}|", printable(bytes))),
        ValueKind::Bool => ("bool", String::new()),
        ValueKind::Signed => ("signed", String::new()),
        ValueKind::Unsigned => ("unsigned", String::new()),
        ValueKind::Float => ("float", float(bytes).map(|f| format!(" ({f})")).unwrap_or_default()),
    };
    format!("{word} {} {} {name}{comment}\n", bytes.len(), number(value))
}

fn number(value: &HarnessValue) -> String {
    match (value.kind, unsigned(&value.bytes)) {
        (ValueKind::Block, _) | (_, None) => hexadecimal(&value.bytes),
        (ValueKind::Signed, Some(bits)) => sign_extended(bits, value.bytes.len()).to_string(),
        (ValueKind::Float, Some(bits)) => format!("{bits:#x}"),
        (ValueKind::Bool | ValueKind::Unsigned, Some(bits)) => bits.to_string(),
    }
}

/// Bytes as a number, if there are few enough.
pub(super) fn unsigned(bytes: &[u8]) -> Option<u64> {
    let mut word = [0; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(word))
}

/// A number of so many bytes with its sign.
pub(super) fn sign_extended(bits: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size.clamp(1, 8);
    (bits << unused).cast_signed() >> unused
}

/// `float` or `double`, if it has the size of one.
pub(super) fn float(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        4 => Some(f64::from(f32::from_le_bytes(bytes.try_into().ok()?))),
        8 => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::from("x");
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn printable(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| if (b' '..=b'~').contains(&b) { b as char } else { '.' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kind: ValueKind, bytes: &[u8]) -> HarnessValue {
        HarnessValue { name: "x\ny".into(), kind, bytes: bytes.to_vec() }
    }

    #[test]
    fn numbers_have_their_sign_and_blocks_their_bytes() {
        assert_eq!(line(&value(ValueKind::Signed, &[0xfb, 0xff])), "signed 2 -5 x?y\n");
        assert_eq!(line(&value(ValueKind::Unsigned, &[0xfb, 0xff])), "unsigned 2 65531 x?y\n");
        assert_eq!(line(&value(ValueKind::Signed, &[0; 0])), "signed 0 0 x?y\n");
        assert_eq!(line(&value(ValueKind::Signed, &[1; 9])), "signed 9 x010101010101010101 x?y\n");
        let float = line(&value(ValueKind::Float, &1.5f64.to_le_bytes()));
        assert_eq!(float, "float 8 0x3ff8000000000000 x?y (1.5)\n");
        assert_eq!(line(&value(ValueKind::Block, b"a\0")), "block 2 x6100 x?y |a.|\n");
    }
}
