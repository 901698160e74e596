//! Initialisers: the cells of an object as C text.

use crate::literal::{Exactness, escape, is_plain_char, scalar};
use input::{Leaf, LeafKind, Walk};
use model::{Field, TypeId, TypeKind, Types};

/// Columns a line may have.
pub(crate) const WIDTH: usize = 100;

/// An initialiser as a tree, so that zeros can be left out and long lists broken.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Init {
    /// A scalar, and whether it is what a missing initialiser gives.
    Scalar { text: String, zero: bool },
    /// Elements from index 0.
    Array(Vec<Init>),
    /// The same for an array that is as long as its initialiser.
    Tail(Vec<Init>),
    /// Members by name; of a union the one in use.
    Record(Vec<(String, Init)>),
    /// No value can be given.
    Nothing,
}

impl Init {
    /// An array; characters among bytes that are none become numbers like their neighbours.
    pub(crate) fn array(mut elements: Vec<Init>) -> Init {
        let is_number = |e: &Init| matches!(e, Init::Scalar { text, .. } if !text.starts_with('\''));
        if elements.iter().any(is_number) {
            for element in &mut elements {
                if let Init::Scalar { text, .. } = element
                    && let Some(number) = character_code(text)
                {
                    *text = number.to_string();
                }
            }
        }
        Init::Array(elements)
    }

    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Init::Scalar { zero, .. } => *zero,
            Init::Array(elements) => elements.iter().all(Init::is_zero),
            Init::Tail(elements) => elements.is_empty(),
            Init::Record(members) => members.iter().all(|(_, m)| m.is_zero()),
            Init::Nothing => true,
        }
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Init::Scalar { .. })
    }

    /// The text for a line that already holds `column` characters and starts with `indent` spaces.
    pub(crate) fn render(&self, indent: usize, column: usize) -> String {
        let flat = self.flat();
        if column + flat.chars().count() < WIDTH {
            return flat;
        }
        match self {
            Init::Scalar { .. } | Init::Nothing => flat,
            Init::Tail(elements) => broken(
                &explicit(elements),
                indent,
                |(_, e)| e.is_scalar(),
                |(head, e), at| format!("{head}{}", e.render(at, at + head.len())),
            ),
            Init::Array(elements) => match string_literal(elements) {
                Some(text) => text,
                None => broken(trimmed(elements), indent, Init::is_scalar, |e, at| e.render(at, at)),
            },
            Init::Record(members) => {
                let shown: Vec<_> = members.iter().filter(|(_, m)| !m.is_zero()).collect();
                broken(
                    &shown,
                    indent,
                    |_| false,
                    |(name, m), at| {
                        let head = format!(".{name} = ");
                        format!("{head}{}", m.render(at, at + head.chars().count()))
                    },
                )
            }
        }
    }

    fn flat(&self) -> String {
        match self {
            Init::Scalar { text, .. } => text.clone(),
            Init::Record(members) if members.is_empty() => "{}".to_owned(),
            _ if self.is_zero() => "{0}".to_owned(),
            Init::Nothing => "{0}".to_owned(),
            Init::Tail(elements) => exact_literal(elements).unwrap_or_else(|| {
                let parts = explicit(elements).into_iter().map(|(head, e)| format!("{head}{}", e.flat()));
                format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
            }),
            Init::Array(elements) => string_literal(elements).unwrap_or_else(|| {
                let parts: Vec<String> = trimmed(elements).iter().map(Init::flat).collect();
                format!("{{{}}}", parts.join(", "))
            }),
            Init::Record(members) => {
                let shown = members.iter().filter(|(_, m)| !m.is_zero());
                let parts: Vec<String> = shown.map(|(name, m)| format!(".{name} = {}", m.flat())).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }
}

/// A list over several lines: as many small items as fit on each, large ones on lines of their own.
fn broken<T>(
    items: &[T],
    indent: usize,
    is_small: impl Fn(&T) -> bool,
    text: impl Fn(&T, usize) -> String,
) -> String {
    let inner = indent + 4;
    let mut lines: Vec<String> = Vec::new();
    let mut room = 0;
    for item in items {
        let piece = format!("{},", text(item, inner));
        let length = piece.chars().count() + 1;
        match lines.last_mut() {
            Some(line) if is_small(item) && length <= room => {
                line.push(' ');
                line.push_str(&piece);
                room -= length;
            }
            _ => {
                lines.push(format!("{}{piece}", " ".repeat(inner)));
                room = if is_small(item) { WIDTH.saturating_sub(inner + length) } else { 0 };
            }
        }
    }
    format!("{{\n{}\n{}}}", lines.join("\n"), " ".repeat(indent))
}

fn trimmed(elements: &[Init]) -> &[Init] {
    let len = elements.iter().rposition(|e| !e.is_zero()).map_or(0, |last| last + 1);
    &elements[..len]
}

/// The elements that must be written for an array to be as long as it is, each with what stands before it: zeros at the
/// end but for the last.
fn explicit(elements: &[Init]) -> Vec<(String, &Init)> {
    let shown = trimmed(elements).len();
    let mut all: Vec<_> = elements[..shown].iter().map(|element| (String::new(), element)).collect();
    if let Some(last) = elements.last().filter(|_| shown < elements.len()) {
        let index = elements.len() - 1;
        all.push((if index > shown { format!("[{index}] = ") } else { String::new() }, last));
    }
    all
}

/// A string that fills its array, the zero at its end included.
fn exact_literal(elements: &[Init]) -> Option<String> {
    let shown = trimmed(elements).len();
    string_literal(elements).filter(|_| shown > 0 && shown + 1 == elements.len())
}

/// The code of a character as [`escape`] writes it.
fn character_code(quoted: &str) -> Option<u8> {
    (0..=127).find(|&code| escape(code, '\'').is_some_and(|inner| quoted == format!("'{inner}'")))
}

/// Characters that end in at least one zero read best as a string.
fn string_literal(elements: &[Init]) -> Option<String> {
    let shown = trimmed(elements);
    if shown.len() == elements.len() {
        return None;
    }
    let mut text = String::new();
    for element in shown {
        let Init::Scalar { text: quoted, zero: false } = element else { return None };
        let inner = quoted.strip_prefix('\'')?.strip_suffix('\'')?;
        match inner {
            "\"" => text += "\\\"",
            "\\'" => text += "'",
            // Two question marks may start a trigraph.
            "?" if text.ends_with('?') => text += "\\?",
            _ => text += inner,
        }
    }
    Some(format!("\"{text}\""))
}

/// Reads the cells of one element.
pub(crate) struct Reader<'a> {
    pub(crate) types: &'a Types,
    pub(crate) walk: Walk<'a>,
    pub(crate) cells: &'a [u128],
    /// Text of a pointer cell; `None` for null and for what cannot be named yet.
    pub(crate) address: &'a dyn Fn(u128) -> Option<String>,
}

impl Reader<'_> {
    pub(crate) fn read(&mut self, ty: TypeId) -> Init {
        match &self.types.resolved(ty).kind {
            TypeKind::Array { of, len: Some(len) } => self.read_array(*of, *len),
            TypeKind::Array { of, len: None } => match self.read_array(*of, u64::MAX) {
                Init::Array(mut elements) => {
                    elements.pop_if(|last| *last == Init::Nothing);
                    Init::Tail(elements)
                }
                other => other,
            },
            TypeKind::Struct { fields: Some(fields) } => {
                let mut members = Vec::new();
                for field in fields {
                    let value = self.read_field(field);
                    add_member(&mut members, field, value);
                }
                Init::Record(members)
            }
            TypeKind::Union { fields: Some(fields) } => self.read_union(fields),
            TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float(_)
            | TypeKind::Enum { .. }
            | TypeKind::Pointer { .. } => self.read_scalar(),
            _ => Init::Nothing,
        }
    }

    /// The elements that have leaves; those behind them are zero.
    fn read_array(&mut self, of: TypeId, len: u64) -> Init {
        let mut elements = Vec::new();
        for i in 0..len {
            let outer = self.walk.enter(&format!("[{i}]"));
            let element = if self.walk.has_leaf() { self.read(of) } else { Init::Nothing };
            self.walk.leave(outer);
            elements.push(element);
            if elements.last() == Some(&Init::Nothing) {
                break;
            }
        }
        Init::array(elements)
    }

    fn read_field(&mut self, field: &Field) -> Init {
        let step = field.name.as_ref().map_or_else(String::new, |name| format!(".{name}"));
        let outer = self.walk.enter(&step);
        let value = self.read(field.ty);
        self.walk.leave(outer);
        value
    }

    fn read_union(&mut self, fields: &[Field]) -> Init {
        let selected = self.walk.take().map_or(0, |(index, _)| self.cells[index]);
        let mut members = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let value = self.read_field(field);
            if index as u128 == selected {
                add_member(&mut members, field, value);
            }
        }
        Init::Record(members)
    }

    fn read_scalar(&mut self) -> Init {
        let Some((index, leaf)) = self.walk.take() else { return Init::Nothing };
        let cell = self.cells[index];
        if let LeafKind::Pointer { .. } = leaf.kind {
            let text = (self.address)(cell);
            return Init::Scalar { zero: text.is_none(), text: text.unwrap_or_else(|| "NULL".to_owned()) };
        }
        let text = match byte(self.types, leaf, cell) {
            Some(text) => text,
            None => scalar(self.types, leaf, cell, Exactness::Converted),
        };
        Init::Scalar { text, zero: cell == 0 }
    }
}

/// A zero among characters is `'\0'`, like its neighbours.
fn byte(types: &Types, leaf: &Leaf, cell: u128) -> Option<String> {
    (is_plain_char(types, leaf) && cell < 128)
        .then(|| escape(cell as u8, '\'').map(|c| format!("'{c}'")))
        .flatten()
}

/// The members of an anonymous structure are named as if they were the outer one's; a nameless bit-field
/// cannot be named at all.
fn add_member(members: &mut Vec<(String, Init)>, field: &Field, value: Init) {
    match (&field.name, value) {
        (Some(name), value) => members.push((name.clone(), value)),
        (None, Init::Record(inner)) => members.extend(inner),
        (None, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: i32) -> Init {
        Init::Scalar { text: n.to_string(), zero: n == 0 }
    }

    fn chars(text: &str) -> Init {
        let one = |c: u8| Init::Scalar { text: format!("'{}'", escape(c, '\'').unwrap()), zero: c == 0 };
        Init::Array(text.bytes().map(one).collect())
    }

    #[test]
    fn zeros_are_left_out() {
        assert_eq!(Init::Array(vec![number(1), number(0), number(3), number(0)]).flat(), "{1, 0, 3}");
        assert_eq!(Init::Array(vec![number(0), number(0)]).flat(), "{0}");
        let record = Init::Record(vec![("x".into(), number(0)), ("y".into(), number(2))]);
        assert_eq!(record.flat(), "{.y = 2}");
        assert_eq!(number(0).flat(), "0");
    }

    #[test]
    fn an_array_without_a_length_is_as_long_as_its_initialiser() {
        let tail = |numbers: &[i32]| Init::Tail(numbers.iter().map(|&n| number(n)).collect());
        assert_eq!(tail(&[1, 0, 2]).flat(), "{1, 0, 2}");
        assert_eq!(tail(&[1, 0]).flat(), "{1, 0}");
        assert_eq!(tail(&[1, 0, 0, 0]).flat(), "{1, [3] = 0}");
        assert_eq!(tail(&[0]).flat(), "{0}", "no string of no length");
        let Init::Array(text) = chars("ab\0") else { unreachable!() };
        assert_eq!(Init::Tail(text).flat(), "\"ab\"");
        assert!(tail(&[]).is_zero() && !tail(&[0]).is_zero());
    }

    #[test]
    fn terminated_characters_are_a_string() {
        assert_eq!(chars("a\"'\n??\0").flat(), r#""a\"'\n?\?""#);
        assert_eq!(chars("ab").flat(), "{'a', 'b'}");
        // In "\01" the zero would swallow the digit behind it.
        assert_eq!(chars("a\x001\0").flat(), r"{'a', '\0', '1'}");
    }

    #[test]
    fn bytes_are_all_characters_or_all_numbers() {
        let Init::Array(mut bytes) = chars("a'\0\n") else { unreachable!() };
        bytes.push(number(200));
        assert_eq!(Init::array(bytes).flat(), "{97, 39, 0, 10, 200}");
    }

    #[test]
    fn long_lists_are_broken_inside_the_margin() {
        let text = Init::Array((1000..1100).map(number).collect()).render(4, 20);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        let numbers: Vec<i32> =
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
        assert_eq!(numbers, (1000..1100).collect::<Vec<_>>());
    }
}
