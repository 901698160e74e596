//! From a type to its leaves, within a limit.
//!
//! A type with more leaves than the limit is cut in its arrays: each keeps its first elements, at most as many as
//! every other array of the type, so that one large buffer neither hides the members behind it nor starves a second
//! buffer. It is cut far below the limit: a search that goes through thousands of bytes one by one has spent its
//! budget before it comes to the members behind them.

use crate::leaf::{Guard, Leaf, LeafKind, LeafTable, Range};
use model::{Field, FloatKind, Type, TypeId, TypeKind, Types};

/// Leaves in arrays that a type over the limit keeps, if that leaves every array an element.
const KEPT: u64 = 256;

/// The leaves of `ty`, at most `limit`, and for those that are pointers the type pointed to.
pub(crate) fn flatten(types: &Types, limit: usize, ty: TypeId) -> (LeafTable, Vec<(usize, TypeId)>) {
    flatten_with(types, limit, ty, 0)
}

/// The same with so many elements in the array without a length at its end, if it has one.
pub(crate) fn flatten_with(
    types: &Types,
    limit: usize,
    ty: TypeId,
    tail: u64,
) -> (LeafTable, Vec<(usize, TypeId)>) {
    let counting = Counting { types, tail };
    let elements = counting.fair_share(limit as u64, ty);
    let end = tail_of(types, ty).map_or(0, |(start, of)| start + tail * types.size(of));
    let mut flattening = Flattening {
        types,
        limit: limit as u64,
        elements,
        tail,
        reserved: counting.count(ty, 0),
        table: LeafTable::empty(ty, types.size(ty).max(end)),
        pointees: Vec::new(),
    };
    let start = Cursor { bit_offset: 0, bit_size: None, guard: None, in_array: false, path: String::new() };
    flattening.walk(ty, &start);
    let Flattening { mut table, pointees, .. } = flattening;
    table.truncated = counting.count(ty, u64::MAX) - table.leaves.len() as u64;
    (table, pointees)
}

/// Where the array without a length at the end of a structure begins, in bytes, and the type of its elements.
pub(crate) fn tail_of(types: &Types, ty: TypeId) -> Option<(u64, TypeId)> {
    let TypeKind::Struct { fields: Some(fields) } = &types.resolved(ty).kind else { return None };
    let last = fields.last()?;
    match types.resolved(last.ty).kind {
        TypeKind::Array { of, len: None } if types.size(of) > 0 => Some((last.bit_offset / 8, of)),
        _ => None,
    }
}

/// Counts leaves before there are any.
struct Counting<'a> {
    types: &'a Types,
    /// Elements of an array without a length.
    tail: u64,
}

impl Counting<'_> {
    /// How many elements every array of the type may keep.
    fn fair_share(&self, limit: u64, ty: TypeId) -> u64 {
        if self.count(ty, u64::MAX) <= limit {
            return u64::MAX;
        }
        let kept = limit.min(self.count(ty, 0).saturating_add(KEPT));
        let shares: Vec<u64> = (1..=KEPT).collect();
        shares.partition_point(|&elements| self.count(ty, elements) <= kept).max(1) as u64
    }

    /// Number of leaves if every array keeps at most so many elements.
    fn count(&self, ty: TypeId, elements: u64) -> u64 {
        let sum = |fields: &[Field]| {
            fields.iter().fold(0u64, |sum, field| sum.saturating_add(self.count(field.ty, elements)))
        };
        match &self.types.resolved(ty).kind {
            TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float(_)
            | TypeKind::Enum { .. }
            | TypeKind::Pointer { .. } => 1,
            TypeKind::Array { of, len } => {
                len.unwrap_or(self.tail).min(elements).saturating_mul(self.count(*of, elements))
            }
            TypeKind::Struct { fields: Some(fields) } => sum(fields),
            TypeKind::Union { fields: Some(fields) } => sum(fields).saturating_add(1),
            _ => 0,
        }
    }
}

struct Flattening<'a> {
    types: &'a Types,
    limit: u64,
    /// Elements an array may keep.
    elements: u64,
    /// Elements of an array without a length.
    tail: u64,
    /// Leaves outside arrays still to come.
    reserved: u64,
    table: LeafTable,
    pointees: Vec<(usize, TypeId)>,
}

/// Where the walk through a type stands.
#[derive(Clone)]
struct Cursor {
    bit_offset: u64,
    bit_size: Option<u16>,
    guard: Option<Guard>,
    in_array: bool,
    path: String,
}

impl Flattening<'_> {
    fn walk(&mut self, declared: TypeId, at: &Cursor) {
        let ty = self.types.resolved(declared);
        match &ty.kind {
            TypeKind::Bool => self.leaf(declared, LeafKind::Bool, 8, at),
            TypeKind::Int { bits, signed, .. } => {
                self.leaf(declared, LeafKind::Int { signed: *signed }, *bits, at);
            }
            TypeKind::Float(kind) => {
                let width = match kind {
                    FloatKind::F32 => 32,
                    FloatKind::F64 => 64,
                    FloatKind::F80 => 80,
                };
                self.leaf(declared, LeafKind::Float(*kind), width, at);
            }
            TypeKind::Enum { bits, signed, values } => {
                let values = values.iter().map(|v| v.value).collect();
                self.leaf(declared, LeafKind::Enum { signed: *signed, values }, *bits, at);
            }
            TypeKind::Pointer { to } => {
                let index = self.table.leaves.len();
                self.leaf(declared, LeafKind::Pointer { to: None, untyped: false }, 64, at);
                if self.table.leaves.len() > index {
                    self.pointees.push((index, *to));
                }
            }
            TypeKind::Array { of, len } => self.array(*of, len.unwrap_or(self.tail), at),
            // Inputs have another structure there, which is larger.
            TypeKind::Struct { .. } if !at.path.is_empty() && self.types.handle(declared).is_some() => {
                self.table.unsupported.push((at.path.clone(), unsupported_name(ty)));
            }
            TypeKind::Struct { fields: Some(fields) } => {
                for field in fields {
                    self.walk(field.ty, &at.at_field(field));
                }
            }
            TypeKind::Union { fields: Some(fields) } => self.union(declared, fields, at),
            TypeKind::Void
            | TypeKind::Struct { fields: None }
            | TypeKind::Union { fields: None }
            | TypeKind::Function { .. }
            | TypeKind::Unsupported(_)
            | TypeKind::Typedef { .. }
            | TypeKind::Const { .. }
            | TypeKind::Qualified { .. } => {
                self.table.unsupported.push((at.path.clone(), unsupported_name(ty)));
            }
        }
    }

    fn array(&mut self, of: TypeId, len: u64, at: &Cursor) {
        let stride = self.types.size(of).saturating_mul(8);
        // Without leaves one element tells all there is to tell.
        let counting = Counting { types: self.types, tail: self.tail };
        let elements = if counting.count(of, 1) == 0 { 1 } else { self.elements };
        for i in 0..len.min(elements) {
            let mut element = at.clone();
            element.bit_offset = at.bit_offset.saturating_add(i.saturating_mul(stride));
            element.in_array = true;
            element.path += &format!("[{i}]");
            self.walk(of, &element);
        }
    }

    /// A union is a selector followed by the leaves of each member, guarded by it. Members of members keep
    /// only the innermost guard: an outer selector that is off hides the inner selector as well.
    fn union(&mut self, declared: TypeId, fields: &[Field], at: &Cursor) {
        let selector = self.table.leaves.len() as u32;
        self.leaf(declared, LeafKind::Selector { members: fields.len() as u32 }, 32, at);
        for (member, field) in fields.iter().enumerate() {
            let mut inside = at.at_field(field);
            inside.guard = Some(Guard { selector, member: member as u32 });
            self.walk(field.ty, &inside);
        }
    }

    /// Enters a leaf if there is room. Where even one element of every array is too much, members outside arrays
    /// come first: inside arrays there is room only for what they leave over.
    fn leaf(&mut self, ty: TypeId, kind: LeafKind, width: u16, at: &Cursor) {
        if !at.in_array {
            self.reserved -= 1;
        }
        let others = if at.in_array { self.reserved } else { 0 };
        let is_full = self.table.leaves.len() as u64 + others >= self.limit;
        // No object of an input is so large that it could have something behind 4 GiB.
        let Some(offset) = u32::try_from(at.bit_offset / 8).ok().filter(|_| !is_full) else { return };
        self.table.leaves.push(Leaf {
            offset,
            bit: (at.bit_offset % 8) as u8,
            width: at.bit_size.unwrap_or(width),
            kind,
            guard: at.guard,
            path: at.path.clone(),
            ty,
            range: Range::default(),
            observed_only: false,
        });
    }
}

fn unsupported_name(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Void => "void".to_owned(),
        TypeKind::Function { .. } => "function".to_owned(),
        TypeKind::Unsupported(name) => name.clone(),
        _ => format!("incomplete type {}", ty.name.as_deref().unwrap_or("(anonymous)")),
    }
}

impl Cursor {
    fn at_field(&self, field: &Field) -> Cursor {
        let mut inside = self.clone();
        inside.bit_offset = self.bit_offset.saturating_add(field.bit_offset);
        inside.bit_size = field.bit_size;
        if let Some(name) = &field.name {
            inside.path += &format!(".{name}");
        }
        inside
    }
}
