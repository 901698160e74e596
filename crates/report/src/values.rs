//! Inputs and results as C-like text: `a = 3, p = {1, 2}, list = &{.value = 4, .next = NULL}`.
//!
//! A heap object is written where a pointer to it is met first; later pointers name that place. Long runs of
//! one value are written once with their number.

use input::{Input, Leaf, LeafKind, LeafTable, Object, Pointer, Space};
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
        let cells = seen(space.table(object.table), object);
        let mut cursor = Cursor { leaves: &space.table(object.table).leaves, cells: &cells, next: 0 };
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
    let mut cursor = Cursor { leaves: &table.leaves, cells, next: 0 };
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

/// The cells still to be written.
struct Cursor<'a> {
    leaves: &'a [Leaf],
    cells: &'a [Seen],
    next: usize,
}

impl<'a> Cursor<'a> {
    /// `None` behind the last cell: what the limits cut off.
    fn take(&mut self) -> Option<(&'a Leaf, Seen)> {
        let cell = *self.cells.get(self.next)?;
        let leaf = &self.leaves[self.next % self.leaves.len()];
        self.next += 1;
        Some((leaf, cell))
    }
}

struct Writer<'a> {
    types: &'a Types,
    heap: Option<(&'a Space, &'a Input)>,
    /// How to name an object that was already written.
    places: BTreeMap<u32, String>,
}

impl Writer<'_> {
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
            TypeKind::Array { of, len } => self.array(*of, len.unwrap_or(0), cursor, path),
            _ => match cursor.take() {
                Some((leaf, cell)) => self.scalar(resolved, leaf, cell, path),
                None => "…".to_owned(),
            },
        }
    }

    fn member(&mut self, name: Option<&str>, ty: TypeId, cursor: &mut Cursor, path: &str) -> String {
        match name {
            Some(name) => format!(".{name} = {}", self.value(ty, cursor, &format!("{path}.{name}"))),
            None => self.value(ty, cursor, path),
        }
    }

    fn array(&mut self, of: TypeId, len: u64, cursor: &mut Cursor, path: &str) -> String {
        let left = &cursor.cells[cursor.next.min(cursor.cells.len())..];
        if let Some(text) = self.string(of, left.get(..len as usize).unwrap_or(left)) {
            cursor.next += (len as usize).min(left.len());
            return text;
        }
        let mut parts = Vec::new();
        for i in 0..len {
            if cursor.next >= cursor.cells.len() {
                parts.push("…".to_owned());
                break;
            }
            parts.push(self.value(of, cursor, &format!("{path}[{i}]")));
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
            (Seen::Elsewhere, _) => "(a pointer)".to_owned(),
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
        let cells = seen(table, target);
        let mut cursor = Cursor { leaves: &table.leaves, cells: &cells, next: 0 };
        let aggregate =
            matches!(self.types.resolved(to).kind, TypeKind::Struct { .. } | TypeKind::Union { .. });
        if target.len == 1 && aggregate {
            return format!("&{}{offset}", self.value(to, &mut cursor, &format!("(*{path})")));
        }
        format!("{}{offset}", self.array(to, u64::from(target.len), &mut cursor, path))
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

fn number(kind: &TypeKind, leaf: &Leaf, bits: u128) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use input::{SpaceLimits, Var};
    use model::{EnumValue, Field, Function, Param, Program, Span};

    /// A program whose only function takes one parameter `p`.
    struct Taking {
        program: Program,
        function: Function,
    }

    fn push(program: &mut Program, kind: TypeKind, size: u64) -> TypeId {
        program.types.push(Type { kind, size, align: 1, name: None })
    }

    fn int(program: &mut Program, bits: u16, signed: bool, character: bool) -> TypeId {
        push(program, TypeKind::Int { bits, signed, character }, u64::from(bits) / 8)
    }

    fn field(name: &str, ty: TypeId, bit_offset: u64) -> Field {
        Field { name: Some(name.into()), ty, bit_offset, bit_size: None }
    }

    fn taking(make: impl FnOnce(&mut Program) -> TypeId) -> Taking {
        let mut program = Program::default();
        let ty = make(&mut program);
        let function = Function {
            name: "f".into(),
            symbol: "f".into(),
            span: Span::default(),
            is_static: false,
            variadic: false,
            params: vec![Param { name: "p".into(), ty, offset: 0 }],
            ret: ty,
            branches: vec![],
            cfg: model::Cfg::default(),
            reads: vec![],
            writes: vec![],
            calls: vec![],
            externals: vec![],
            uncallable: None,
            constants: Vec::new(),
        };
        Taking { program, function }
    }

    impl Taking {
        /// The text after `change` was made to the zero input.
        fn text(&self, change: impl FnOnce(&Space, &mut Input)) -> String {
            let space =
                Space::new(&self.program, &self.function, SpaceLimits::default(), &[]).expect("supported");
            let mut input = Input::zero(&space);
            change(&space, &mut input);
            input_text(&self.program.types, &space, &input)
        }

        fn with(&self, cell: u128) -> String {
            self.text(|_, input| *input.cell_mut(Var { object: 0, cell: 0 }) = cell)
        }
    }

    #[test]
    fn numbers_look_as_in_c() {
        let signed = taking(|p| int(p, 32, true, false));
        assert_eq!(signed.with(0xffff_ffff), "p = -1");
        assert_eq!(taking(|p| int(p, 32, false, false)).with(0xffff_ffff), "p = 4294967295");
        assert_eq!(taking(|p| int(p, 128, false, false)).with(u128::MAX), format!("p = {}", u128::MAX));
        let character = taking(|p| int(p, 8, true, true));
        assert_eq!(character.with(0x41), "p = 'A'");
        assert_eq!(character.with(0x27), "p = '\\''");
        assert_eq!(character.with(0xff), "p = -1");
        let float = taking(|p| push(p, TypeKind::Float(FloatKind::F64), 8));
        assert_eq!(float.with(u128::from(0.1f64.to_bits())), "p = 0.1");
        assert_eq!(float.with(u128::from((-0.0f64).to_bits())), "p = -0.0");
        assert_eq!(float.with(u128::from(f64::NEG_INFINITY.to_bits())), "p = -INFINITY");
        let single = taking(|p| push(p, TypeKind::Float(FloatKind::F32), 4));
        assert_eq!(single.with(u128::from(0.1f32.to_bits())), "p = 0.1f");
        let values = vec![EnumValue { name: "RED".into(), value: 4 }];
        let colour = taking(|p| push(p, TypeKind::Enum { bits: 32, signed: false, values }, 4));
        assert_eq!((colour.with(4), colour.with(5)), ("p = RED".into(), "p = 5".into()));
    }

    #[test]
    fn arrays_strings_and_runs() {
        let array = |of: fn(&mut Program) -> TypeId, len: u64| {
            taking(move |p| {
                let of = of(p);
                push(p, TypeKind::Array { of, len: Some(len) }, len * 4)
            })
        };
        let ints = array(|p| int(p, 32, true, false), 9);
        assert_eq!(ints.with(7), "p = {7, 0 (×8)}");
        let text = array(|p| int(p, 8, true, true), 4);
        assert_eq!(text.with(0), "p = \"\"");
        assert_eq!(text.with(u128::from(b'"')), "p = \"\\\"\"");
        let full = text.text(|_, input| input.objects[0].cells.fill(u128::from(b'x')));
        assert_eq!(full, "p = {'x', 'x', 'x', 'x'}");
    }

    #[test]
    fn a_cyclic_list_names_its_nodes() {
        let list = taking(|p| {
            let value = int(p, 32, true, false);
            let node = push(p, TypeKind::Struct { fields: None }, 16);
            let next = push(p, TypeKind::Pointer { to: node }, 8);
            let fields = Some(vec![field("value", value, 0), field("next", next, 64)]);
            p.types.set(node, Type { kind: TypeKind::Struct { fields }, size: 16, align: 8, name: None });
            next
        });
        assert_eq!(list.with(0), "p = NULL");
        let two = list.text(|space, input| {
            input.point_to_new(space, Var { object: 0, cell: 0 }, 1);
            input.point_to_new(space, Var { object: 1, cell: 1 }, 1);
            *input.cell_mut(Var { object: 2, cell: 0 }) = 5;
            *input.cell_mut(Var { object: 2, cell: 1 }) = Pointer::Element { object: 1, element: 0 }.encode();
        });
        assert_eq!(two, "p = &{.value = 0, .next = &{.value = 5, .next = p}}");
    }

    #[test]
    fn a_union_shows_its_chosen_member() {
        let either = taking(|p| {
            let number = int(p, 32, true, false);
            let real = push(p, TypeKind::Float(FloatKind::F32), 4);
            push(p, TypeKind::Union { fields: Some(vec![field("i", number, 0), field("f", real, 0)]) }, 4)
        });
        assert_eq!(either.with(0), "p = {.i = 0}");
        assert_eq!(either.with(1), "p = {.f = 0.0f}");
    }

    #[test]
    fn results_without_a_plain_text_have_none() {
        let one = taking(|p| int(p, 32, true, false));
        let text = |cells: &[Seen]| result_text(&one.program.types, one.function.ret, cells);
        assert_eq!(text(&[Seen::Bits(0xffff_fffe)]), Some("-2".into()));
        assert_eq!(text(&[]), None);
        assert_eq!(text(&[Seen::Unstable]), None);
        assert_eq!(text(&[Seen::Bits(1), Seen::Bits(2)]), None);
    }
}
