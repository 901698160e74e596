//! Streams: made by `fmemopen`, looked at with `ftell`, closed at the end.
//!
//! ```c
//! FILE *file = fmemopen("a\nb", 3, "r");
//! char out_text[4096] = "";
//! FILE *out = fmemopen(out_text, sizeof out_text, "w");
//! ```

use super::Scene;
use crate::check::Check;
use crate::literal::escape;
use model::{Handle, stream};
use target::{Observation, Seen};

/// The declaration that tests with streams need: not every standard of C lets `<stdio.h>` have it.
pub(crate) fn declaration(tests: &str) -> &'static str {
    let uses_streams = tests.contains(" = fmemopen(");
    if uses_streams { "extern FILE *fmemopen(void *buffer, size_t size, const char *mode);\n\n" } else { "" }
}

/// What a test does with its streams after the call.
#[derive(Default)]
pub(crate) struct Afterwards {
    /// Before anything is looked at.
    pub(crate) flushes: Vec<String>,
    pub(crate) checks: Vec<Check>,
    /// At the very end.
    pub(crate) closes: Vec<String>,
}

impl Scene<'_> {
    /// What an object stands for that only the library can make.
    pub(super) fn handle(&self, object: u32) -> Option<Handle> {
        let table = self.space.table(self.input.objects.get(object as usize)?.table);
        self.types().handle(table.ty).filter(|_| table.is_handle)
    }

    /// Declares the stream of an object.
    pub(super) fn declare_stream(&mut self, object: u32, name: &str) {
        let cells = &self.input.objects[object as usize].cells;
        if self.number(object, stream::IS_WRITABLE, |cell| cells[cell]) == 0 {
            let length = self.number(object, stream::LENGTH, |cell| cells[cell]);
            let bytes = self.content(object, length, |cell| cells[cell]);
            let text = literal(&bytes);
            self.declarations.push(format!("FILE *{name} = fmemopen({text}, {}, \"r\");", bytes.len()));
            return;
        }
        let text = self.names.take(&format!("{name}_text"));
        self.declarations.push(format!("char {text}[{}] = \"\";", stream::ROOM));
        self.declarations.push(format!("FILE *{name} = fmemopen({text}, sizeof {text}, \"w\");"));
        self.texts.insert(object, text);
    }

    /// What is to be done with streams after a call that returned.
    pub(crate) fn afterwards(&self, observation: &Observation) -> Afterwards {
        let mut all = Afterwards::default();
        for object in 0..self.input.objects.len() as u32 {
            let Some(name) = &self.objects[object as usize].name else { continue };
            let Some(seen) = observation.objects.get(object as usize).filter(|_| self.is_stream(object))
            else {
                continue;
            };
            let bits = |cell: usize| match seen.get(cell) {
                Some(Seen::Bits(bits)) => *bits,
                _ => 0,
            };
            let position = self.number(object, stream::POSITION, bits);
            let is_closed = self.number(object, stream::IS_CLOSED, bits) != 0;
            let text = self.texts.get(&object);
            if !is_closed {
                if text.is_some() && position > 0 {
                    all.flushes.push(format!("fflush({name});"));
                }
                if position > 0 {
                    all.checks.push(equal(format!("ftell({name})"), position));
                }
                all.closes.push(format!("fclose({name});"));
            }
            let length = self.number(object, stream::LENGTH, bits);
            let written = self.content(object, length, bits);
            if let Some(text) = text.filter(|_| length > 0 && written.len() as u128 == length) {
                all.checks.push(equal(comparison(text, &written), 0));
            }
        }
        all
    }

    pub(super) fn is_stream(&self, object: u32) -> bool {
        self.handle(object) == Some(Handle::Stream)
    }

    /// The cells with these first letters of their paths.
    fn members<'s>(&'s self, object: u32, path: &'s str) -> impl Iterator<Item = usize> + 's {
        let leaves = &self.space.table(self.input.objects[object as usize].table).leaves;
        let is_it =
            move |leaf: &input::Leaf| leaf.path.strip_prefix('.').is_some_and(|at| at.starts_with(path));
        leaves.iter().enumerate().filter(move |(_, leaf)| is_it(leaf)).map(|(cell, _)| cell)
    }

    fn number(&self, object: u32, member: &str, cell: impl Fn(usize) -> u128) -> u128 {
        self.members(object, member).next().map_or(0, cell)
    }

    /// As many bytes of the content as there are, at most `length`.
    fn content(&self, object: u32, length: u128, cell: impl Fn(usize) -> u128) -> Vec<u8> {
        let cells = self.members(object, stream::CONTENT).take(length.min(u128::from(u32::MAX)) as usize);
        cells.map(|index| cell(index) as u8).collect()
    }
}

fn equal(actual: String, expected: u128) -> Check {
    Check::Int { actual, expected: expected.to_string(), wide: false }
}

/// An expression that is 0 if a text begins with these bytes and ends behind them.
fn comparison(text: &str, bytes: &[u8]) -> String {
    match bytes.contains(&0) {
        true => format!("__builtin_memcmp({text}, {}, {})", literal(bytes), bytes.len()),
        false => format!("__builtin_strcmp({text}, {})", literal(bytes)),
    }
}

/// Bytes as a string literal.
pub(super) fn literal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (i, &byte) in bytes.iter().enumerate() {
        // Digits behind a zero would belong to it.
        let is_open = byte == 0 && bytes.get(i + 1).is_some_and(u8::is_ascii_digit);
        match escape(byte, '"').filter(|_| !is_open) {
            // Two question marks may start a trigraph.
            Some(inner) if inner == "?" && text.ends_with('?') => text += "\\?",
            Some(inner) => text += &inner,
            None => text += &format!("\\{byte:03o}"),
        }
    }
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_a_literal_whatever_follows_them() {
        assert_eq!(literal(b"a\n\"1\""), r#""a\n\"1\"""#);
        assert_eq!(literal(b"\x89BW\x001\0??"), r#""\211BW\0001\0?\?""#);
    }
}
