//! Inputs and results as C-like text: `a = 3, p = {1, 2}, list = &{.value = 4, .next = NULL}`.
//!
//! A heap object is written where a pointer to it is met first; later pointers name that place. Long runs of
//! one value are written once with their number.

#[cfg(test)]
mod tests;

use input::{Extra, ExtraKind, Input, Leaf, LeafKind, LeafTable, Object, Place, Pointer, Space, Walk};
use model::{FloatKind, Type, TypeId, TypeKind, Types};
use std::collections::BTreeMap;
use target::Seen;

/// Equal neighbours from this number on are written once.
const RUN: usize = 6;

/// The roots the test sets, in order.
pub(crate) fn input_text(types: &Types, space: &Space, input: &Input) -> String {
    let names = space.roots.iter().enumerate().map(|(i, root)| (i as u32, format!("&{}", root.name)));
    let mut writer = Writer { types, heap: Some((space, input)), places: names.collect() };
    let mut parts = Vec::new();
    for (root, object) in space.roots.iter().zip(&input.objects).filter(|(root, _)| !root.observed_only) {
        if let Place::Rest { .. } = root.place {
            parts.extend(writer.extras(&root.name));
            continue;
        }
        let cells = seen(space.table(object.table), object);
        let mut cursor = Cursor::new(space.table(object.table), &cells);
        parts.push(format!("{} = {}", root.name, writer.value(root.ty, &mut cursor, &root.name)));
    }
    parts.join(", ")
}

/// An observed result; `None` for `void` and for what has no text of its own (unions, foreign pointers).
pub(crate) fn result_text(types: &Types, ty: TypeId, cells: &[Seen]) -> Option<String> {
    let table = Space::leaves_of(types, ty);
    let plain = |cell: &Seen| matches!(cell, Seen::Bits(_) | Seen::Null);
    let has_union = table.leaves.iter().any(|leaf| matches!(leaf.kind, LeafKind::Selector { .. }));
    if cells.is_empty() || has_union || cells.len() != table.leaves.len() || !cells.iter().all(plain) {
        return None;
    }
    let mut cursor = Cursor::new(&table, cells);
    Some(Writer { types, heap: None, places: BTreeMap::new() }.value(ty, &mut cursor, ""))
}

fn seen(table: &LeafTable, object: &Object) -> Vec<Seen> {
    let pointer = |cell| match Pointer::decode(cell) {
        Pointer::Null => Seen::Null,
        Pointer::Initial => Seen::Elsewhere,
        Pointer::Element { object, element } => Seen::Element { object, element },
    };
    let read = |(i, &cell): (usize, &u128)| match table.leaves[i % table.leaves.len()].kind {
        LeafKind::Pointer { .. } => pointer(cell),
        _ => Seen::Bits(cell),
    };
    object.cells.iter().enumerate().map(read).collect()
}

/// The cells of one element on their way to text.
struct Cursor<'a> {
    walk: Walk<'a>,
    cells: &'a [Seen],
}

impl<'a> Cursor<'a> {
    fn new(table: &'a LeafTable, cells: &'a [Seen]) -> Cursor<'a> {
        Cursor { walk: Walk::new(&table.leaves), cells }
    }

    /// `None` for what the limits cut off.
    fn take(&mut self) -> Option<(&'a Leaf, Seen)> {
        let (index, leaf) = self.walk.take()?;
        Some((leaf, *self.cells.get(index)?))
    }

    /// The cells of this place.
    fn rest(&self) -> &'a [Seen] {
        self.cells.get(self.walk.rest()).unwrap_or(&[])
    }
}

struct Writer<'a> {
    types: &'a Types,
    heap: Option<(&'a Space, &'a Input)>,
    /// How to name an object that was already written.
    places: BTreeMap<u32, String>,
}

impl Writer<'_> {
    /// The arguments behind `...`; `None` if there are none.
    fn extras(&mut self, name: &str) -> Option<String> {
        let (space, input) = self.heap?;
        let mut texts = Vec::new();
        for Extra { kind, var } in input.extras(space) {
            let Some(var) = var else {
                texts.push("0".to_owned());
                continue;
            };
            let (leaf, cell) = (input.leaf(space, var), input.cell(var));
            texts.push(match (kind, Pointer::decode(cell)) {
                (ExtraKind::Int, _) => (cell as i32).to_string(),
                (ExtraKind::Long, _) => (cell as i64).to_string(),
                (ExtraKind::Double, _) => float_text(FloatKind::F64, leaf.float_value(FloatKind::F64, cell)),
                (ExtraKind::Pointer, Pointer::Element { object, element }) => {
                    self.pointer(leaf.ty, object, element, &format!("{name}{}", leaf.path))
                }
                (ExtraKind::Pointer, Pointer::Null | Pointer::Initial) => "NULL".to_owned(),
            });
        }
        (!texts.is_empty()).then(|| format!("{name} = ({})", texts.join(", ")))
    }

    fn value(&mut self, ty: TypeId, cursor: &mut Cursor, path: &str) -> String {
        let resolved = self.types.resolved(ty);
        match &resolved.kind {
            TypeKind::Struct { fields: Some(fields) } => {
                let parts: Vec<String> = fields
                    .iter()
                    .map(|field| self.member(field.name.as_deref(), field.ty, cursor, path))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            TypeKind::Union { fields: Some(fields) } => {
                let Some((_, Seen::Bits(chosen))) = cursor.take() else { return "…".to_owned() };
                let mut text = String::new();
                for (i, field) in fields.iter().enumerate() {
                    let places = self.places.clone();
                    let member = self.member(field.name.as_deref(), field.ty, cursor, path);
                    if i as u128 == chosen {
                        text = member;
                    } else {
                        self.places = places;
                    }
                }
                format!("{{{text}}}")
            }
            TypeKind::Array { of, len } => self.array(*of, *len, cursor, path),
            _ => match cursor.take() {
                Some((leaf, cell)) => self.scalar(resolved, leaf, cell, path),
                None => "…".to_owned(),
            },
        }
    }

    fn member(&mut self, name: Option<&str>, ty: TypeId, cursor: &mut Cursor, path: &str) -> String {
        let Some(name) = name else { return self.value(ty, cursor, path) };
        let outer = cursor.walk.enter(&format!(".{name}"));
        let text = format!(".{name} = {}", self.value(ty, cursor, &format!("{path}.{name}")));
        cursor.walk.leave(outer);
        text
    }

    /// An array without a length has as many elements as there are leaves.
    fn array(&mut self, of: TypeId, len: Option<u64>, cursor: &mut Cursor, path: &str) -> String {
        if let Some(text) = self.string(of, cursor.rest()) {
            cursor.walk.skip();
            return text;
        }
        let mut parts = Vec::new();
        for i in 0..len.unwrap_or(u64::MAX) {
            let outer = cursor.walk.enter(&format!("[{i}]"));
            let element = cursor.walk.has_leaf().then(|| self.value(of, cursor, &format!("{path}[{i}]")));
            cursor.walk.leave(outer);
            let Some(element) = element else {
                parts.extend(len.map(|_| "…".to_owned()));
                break;
            };
            parts.push(element);
        }
        braced(&parts)
    }

    /// Characters that end in a zero, as a string.
    fn string(&self, of: TypeId, cells: &[Seen]) -> Option<String> {
        let TypeKind::Int { bits: 8, character: true, .. } = self.types.resolved(of).kind else {
            return None;
        };
        let bytes: Option<Vec<u8>> =
            cells.iter().map(|cell| if let Seen::Bits(b) = cell { Some(*b as u8) } else { None }).collect();
        let bytes = bytes?;
        let end = bytes.iter().position(|&b| b == 0)?;
        let rest_is_zero = bytes[end..].iter().all(|&b| b == 0);
        rest_is_zero.then(|| format!("\"{}\"", bytes[..end].escape_ascii()))
    }

    fn scalar(&mut self, ty: &Type, leaf: &Leaf, cell: Seen, path: &str) -> String {
        match (cell, &ty.kind) {
            (Seen::Null, _) => "NULL".to_owned(),
            (Seen::Elsewhere | Seen::Allocated, _) => "(a pointer)".to_owned(),
            (Seen::Unstable, _) => "(varies)".to_owned(),
            (Seen::Element { object, element }, TypeKind::Pointer { to }) => {
                self.pointer(*to, object, element, path)
            }
            (Seen::Element { object, element }, _) => format!("object {object} + {element}"),
            (Seen::Bits(bits), kind) => number(kind, leaf, bits),
        }
    }

    fn pointer(&mut self, to: TypeId, object: u32, element: u32, path: &str) -> String {
        let offset = if element == 0 { String::new() } else { format!(" + {element}") };
        if let Some(place) = self.places.get(&object) {
            return format!("{place}{offset}");
        }
        let Some((space, input)) = self.heap else { return "(a pointer)".to_owned() };
        let Some(target) = input.objects.get(object as usize) else { return "(a pointer)".to_owned() };
        self.places.insert(object, path.to_owned());
        let table = space.table(target.table);
        // A `void *` does not say what it leads to.
        let is_typed =
            matches!(self.types.resolved(to).kind, TypeKind::Struct { .. } | TypeKind::Union { .. })
                || self.types.resolve(to) == table.ty;
        let to = if is_typed || space.is_opaque(target.table) { to } else { table.ty };
        let cells = seen(table, target);
        let aggregate =
            matches!(self.types.resolved(to).kind, TypeKind::Struct { .. } | TypeKind::Union { .. });
        if target.len == 1 && aggregate {
            let mut cursor = Cursor::new(table, &cells);
            return format!("&{}{offset}", self.value(to, &mut cursor, &format!("(*{path})")));
        }
        let text = self.string(to, &cells).unwrap_or_else(|| self.elements(to, table, &cells, path));
        format!("{text}{offset}")
    }

    /// The elements of a heap object.
    fn elements(&mut self, of: TypeId, table: &LeafTable, cells: &[Seen], path: &str) -> String {
        let elements = cells.chunks(table.leaves.len().max(1)).enumerate();
        let text = |(i, cells)| self.value(of, &mut Cursor::new(table, cells), &format!("{path}[{i}]"));
        braced(&elements.map(text).collect::<Vec<_>>())
    }
}

fn braced(parts: &[String]) -> String {
    let runs: Vec<String> = parts
        .chunk_by(|a, b| a == b)
        .flat_map(|run| match run.len() {
            n if n >= RUN => vec![format!("{} (×{n})", run[0])],
            _ => run.to_vec(),
        })
        .collect();
    format!("{{{}}}", runs.join(", "))
}

/// A number as one would write it.
pub(crate) fn number(kind: &TypeKind, leaf: &Leaf, bits: u128) -> String {
    match kind {
        TypeKind::Bool => (bits != 0).to_string(),
        TypeKind::Float(float) => float_text(*float, leaf.float_value(*float, bits)),
        TypeKind::Enum { values, .. } => {
            let value = leaf.int_value(bits);
            values.iter().find(|v| v.value == value).map_or_else(|| value.to_string(), |v| v.name.clone())
        }
        TypeKind::Int { character: true, .. } if (0x20..0x7f).contains(&bits) => {
            format!("'{}'", (bits as u8).escape_ascii())
        }
        TypeKind::Int { signed: false, .. } => bits.to_string(),
        _ => leaf.int_value(bits).to_string(),
    }
}

fn float_text(kind: FloatKind, value: f64) -> String {
    if value.is_nan() {
        return "NAN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned();
    }
    match kind {
        FloatKind::F32 => format!("{:?}f", value as f32),
        FloatKind::F64 => format!("{value:?}"),
        FloatKind::F80 => format!("{value:?}L"),
    }
}
