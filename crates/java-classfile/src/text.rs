//! Modified UTF-8: zero takes two bytes, characters beyond the basic plane are two surrogates of three bytes each, and
//! surrogates may stand alone.

use crate::error::Malformed;
use std::borrow::Cow;
use std::fmt;

/// A text of the constant pool: a sequence of UTF-16 units, as in Java.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct JavaText {
    text: String,
    /// The units, only if surrogates stand alone and a Rust string cannot hold them.
    units: Option<Vec<u16>>,
}

impl JavaText {
    /// The text. Surrogates that stand alone read as the replacement character.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The exact UTF-16 units.
    #[must_use]
    pub fn units(&self) -> Cow<'_, [u16]> {
        match &self.units {
            Some(units) => Cow::Borrowed(units),
            None => Cow::Owned(self.text.encode_utf16().collect()),
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<JavaText, Malformed> {
        if let Some(text) = plain(bytes) {
            return Ok(JavaText { text: text.to_owned(), units: None });
        }
        let units = units(bytes)?;
        Ok(match String::from_utf16(&units) {
            Ok(text) => JavaText { text, units: None },
            Err(_) => JavaText { text: String::from_utf16_lossy(&units), units: Some(units) },
        })
    }
}

impl fmt::Display for JavaText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Most texts are ASCII, where both encodings agree.
fn plain(bytes: &[u8]) -> Option<&str> {
    let agrees = bytes.iter().all(|byte| (1..0x80).contains(byte));
    if agrees { std::str::from_utf8(bytes).ok() } else { None }
}

fn units(mut bytes: &[u8]) -> Result<Vec<u16>, Malformed> {
    let mut units = Vec::new();
    while let [first, rest @ ..] = bytes {
        let (unit, rest) = match (*first, rest) {
            (1..0x80, rest) => (u16::from(*first), rest),
            (0xC0..0xE0, [second, rest @ ..]) => ((u16::from(first & 0x1F) << 6) | low(*second)?, rest),
            (0xE0..0xF0, [second, third, rest @ ..]) => {
                ((u16::from(first & 0x0F) << 12) | (low(*second)? << 6) | low(*third)?, rest)
            }
            _ => return Err(Malformed::Text),
        };
        units.push(unit);
        bytes = rest;
    }
    Ok(units)
}

/// The six bits of a byte that continues a character.
fn low(byte: u8) -> Result<u16, Malformed> {
    if byte & 0xC0 == 0x80 { Ok(u16::from(byte & 0x3F)) } else { Err(Malformed::Text) }
}

/// The bytes of a text in modified UTF-8.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let [high, low] = unit.to_be_bytes();
        match unit {
            1..0x80 => bytes.push(low),
            0 | 0x80..0x800 => bytes.extend([0xC0 | (unit >> 6) as u8, 0x80 | (low & 0x3F)]),
            _ => bytes.extend([0xE0 | (high >> 4), 0x80 | ((unit >> 6) as u8 & 0x3F), 0x80 | (low & 0x3F)]),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zero_and_surrogates_have_their_own_form() {
        assert_eq!(encode("a\0é€😀"), b"a\xC0\x80\xC3\xA9\xE2\x82\xAC\xED\xA0\xBD\xED\xB8\x80");
        let text = JavaText::decode(b"a\xC0\x80\xC3\xA9\xE2\x82\xAC\xED\xA0\xBD\xED\xB8\x80").unwrap();
        assert_eq!(text.as_str(), "a\0é€😀");
    }

    #[test]
    fn a_surrogate_may_stand_alone() {
        let text = JavaText::decode(b"x\xED\xA0\xBD").unwrap();
        assert_eq!(text.as_str(), "x\u{FFFD}");
        assert_eq!(&text.units()[..], [0x78, 0xD83D]);
    }

    #[test]
    fn plain_zeros_four_byte_forms_and_stumps_are_malformed() {
        for bytes in [&b"\0"[..], b"\xF0\x9F\x98\x80", b"\xC3", b"\xE2\x82", b"\x80", b"\xC3\xC3"] {
            assert_eq!(JavaText::decode(bytes), Err(Malformed::Text), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes_to_itself(text in any::<String>()) {
            let decoded = JavaText::decode(&encode(&text)).unwrap();
            prop_assert_eq!(decoded.as_str(), text.as_str());
            prop_assert_eq!(decoded.units().into_owned(), text.encode_utf16().collect::<Vec<_>>());
        }
    }
}
