//! Values as people write them.

use crate::imports::Imports;
use java_wire::{Primitive, Value};
use std::fmt::Write as _;

/// A value as an expression of exactly its type.
pub(crate) fn exact(value: &Value, imports: &mut Imports<'_>) -> String {
    match value {
        Value::Byte(number) => format!("(byte) {number}"),
        Value::Short(number) => format!("(short) {number}"),
        Value::Boxed(inner) => boxed(inner, imports),
        other => assigned(other, imports),
    }
}

/// A value where its type is known from what it is assigned to, so that small numbers need no cast.
pub(crate) fn assigned(value: &Value, imports: &mut Imports<'_>) -> String {
    match value {
        Value::Boolean(is) => is.to_string(),
        Value::Byte(number) => number.to_string(),
        Value::Char(unit) => format!("'{}'", escaped(*unit, '\'')),
        Value::Short(number) => number.to_string(),
        Value::Int(number) => int(*number, imports),
        Value::Long(number) => long(*number, imports),
        Value::Float(bits) => float(f32::from_bits(*bits), imports),
        Value::Double(bits) => double(f64::from_bits(*bits), imports),
        // What is in the box decides its class, so the inner cast stays.
        Value::Boxed(inner) => exact(inner, imports),
        Value::Text(units) => text(units),
        Value::Array(primitive, elements) => {
            format!("new {}[] {}", keyword(*primitive), elements_of(elements, imports))
        }
        Value::Null => "null".to_owned(),
    }
}

/// The elements of an array, in braces.
pub(crate) fn elements_of(elements: &[Value], imports: &mut Imports<'_>) -> String {
    let all: Vec<String> = elements.iter().map(|element| assigned(element, imports)).collect();
    format!("{{{}}}", all.join(", "))
}

/// A value in its box, said explicitly.
pub(crate) fn boxed(value: &Value, imports: &mut Imports<'_>) -> String {
    let Some(primitive) = value.primitive() else { return exact(value, imports) };
    let class = imports.name(primitive.box_class());
    match value {
        Value::Boolean(true) => format!("{class}.TRUE"),
        Value::Boolean(false) => format!("{class}.FALSE"),
        other => format!("{class}.valueOf({})", exact(other, imports)),
    }
}

/// The word for a primitive type.
pub(crate) fn keyword(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Boolean => "boolean",
        Primitive::Byte => "byte",
        Primitive::Char => "char",
        Primitive::Short => "short",
        Primitive::Int => "int",
        Primitive::Long => "long",
        Primitive::Float => "float",
        Primitive::Double => "double",
    }
}

/// A text in quotes.
pub(crate) fn quoted(words: &str) -> String {
    text(&words.encode_utf16().collect::<Vec<_>>())
}

fn text(units: &[u16]) -> String {
    let inner: String = units.iter().map(|unit| escaped(*unit, '"')).collect();
    format!("\"{inner}\"")
}

/// A UTF-16 unit between quotes. Compilers read `\u000a` before anything else, as the end of the line: what ends lines or literals must not
/// be written so.
fn escaped(unit: u16, quote: char) -> String {
    match char::from_u32(u32::from(unit)) {
        Some('\n') => "\\n".to_owned(),
        Some('\r') => "\\r".to_owned(),
        Some('\t') => "\\t".to_owned(),
        Some('\\') => "\\\\".to_owned(),
        Some(c) if c == quote => format!("\\{c}"),
        Some(c) if c == ' ' || c.is_ascii_graphic() => c.to_string(),
        _ => {
            let mut out = String::new();
            let _ = write!(out, "\\u{unit:04x}");
            out
        }
    }
}

fn int(number: i32, imports: &mut Imports<'_>) -> String {
    match number {
        i32::MIN => format!("{}.MIN_VALUE", imports.name("java/lang/Integer")),
        i32::MAX => format!("{}.MAX_VALUE", imports.name("java/lang/Integer")),
        other => other.to_string(),
    }
}

fn long(number: i64, imports: &mut Imports<'_>) -> String {
    match number {
        i64::MIN => format!("{}.MIN_VALUE", imports.name("java/lang/Long")),
        i64::MAX => format!("{}.MAX_VALUE", imports.name("java/lang/Long")),
        other => format!("{other}L"),
    }
}

fn float(number: f32, imports: &mut Imports<'_>) -> String {
    let least = f32::from_bits(1);
    match special(f64::from(number), f64::from(f32::MAX), f64::from(least)) {
        Some(name) => constant("java/lang/Float", name, imports),
        None => format!("{number:?}f"),
    }
}

fn double(number: f64, imports: &mut Imports<'_>) -> String {
    match special(number, f64::MAX, f64::from_bits(1)) {
        Some(name) => constant("java/lang/Double", name, imports),
        None => format!("{number:?}"),
    }
}

/// The name of a number that has one, after its sign.
fn special(number: f64, largest: f64, least: f64) -> Option<&'static str> {
    Some(match number {
        n if n.is_nan() => "NaN",
        f64::INFINITY => "POSITIVE_INFINITY",
        f64::NEG_INFINITY => "NEGATIVE_INFINITY",
        n if n == largest => "MAX_VALUE",
        n if n == -largest => "-MAX_VALUE",
        n if n == least => "MIN_VALUE",
        n if n == -least => "-MIN_VALUE",
        _ => return None,
    })
}

fn constant(class: &str, name: &str, imports: &mut Imports<'_>) -> String {
    let class = imports.name(class);
    match name.strip_prefix('-') {
        Some(name) => format!("-{class}.{name}"),
        None => format!("{class}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;

    fn shown(value: &Value) -> (String, String) {
        let facts = Facts::default();
        let mut imports = Imports::new(&facts, "p", "PTest");
        (exact(value, &mut imports), assigned(value, &mut imports))
    }

    #[test]
    fn numbers_are_as_people_write_them() {
        let cases = [
            (Value::Int(-1), "-1"),
            (Value::Int(i32::MIN), "Integer.MIN_VALUE"),
            (Value::Long(7), "7L"),
            (Value::Long(i64::MAX), "Long.MAX_VALUE"),
            (Value::Byte(-128), "(byte) -128"),
            (Value::Short(-3), "(short) -3"),
            (Value::Float(1.5f32.to_bits()), "1.5f"),
            (Value::Float(f32::MAX.to_bits()), "Float.MAX_VALUE"),
            (Value::Double(f64::NAN.to_bits()), "Double.NaN"),
            (Value::Double(1), "Double.MIN_VALUE"),
            (Value::Double((1 << 63) + 1), "-Double.MIN_VALUE"),
            (Value::Double((-0.0f64).to_bits()), "-0.0"),
            (Value::Double(100.0f64.to_bits()), "100.0"),
            (Value::Double(1e300f64.to_bits()), "1e300"),
            (Value::Double(f64::NEG_INFINITY.to_bits()), "Double.NEGATIVE_INFINITY"),
        ];
        for (value, expected) in cases {
            assert_eq!(shown(&value).0, expected);
        }
        assert_eq!(shown(&Value::Byte(5)).1, "5");
    }

    #[test]
    fn characters_never_end_their_line_or_literal() {
        let chars = [('a', "'a'"), ('\0', r"'\u0000'"), ('\n', r"'\n'"), ('\'', r"'\''"), ('\\', r"'\\'")];
        for (c, expected) in chars {
            assert_eq!(shown(&Value::Char(c as u16)).0, expected);
        }
        let text = Value::Text("a\"b'\u{e4}\r".encode_utf16().chain([0xd800]).collect());
        assert_eq!(shown(&text).0, r#""a\"b'\u00e4\r\ud800""#);
    }

    #[test]
    fn boxes_and_arrays() {
        let boxed = |value| Value::Boxed(Box::new(value));
        assert_eq!(shown(&boxed(Value::Byte(5))), ("Byte.valueOf((byte) 5)".into(), "(byte) 5".into()));
        assert_eq!(shown(&boxed(Value::Boolean(true))), ("Boolean.TRUE".into(), "true".into()));
        let array = Value::Array(Primitive::Byte, vec![Value::Byte(1), Value::Byte(-2)]);
        assert_eq!(shown(&array).0, "new byte[] {1, -2}");
        assert_eq!(shown(&Value::Array(Primitive::Int, vec![])).0, "new int[] {}");
        assert_eq!(shown(&Value::Null).0, "null");
    }
}
