//! Writes the cells of an input into memory.
//!
//! What to store where is worked out once for every type ([`Plan`]); a run then is a loop over stores.

use crate::arena::Arena;
use crate::cell::{Op, Store};
use crate::image::Image;
use input::{Guard, Input, LeafKind, LeafTable, Object, Place, Pointer, Space, TableId};
use model::Rest;

/// The cells of one type.
#[derive(Clone, Default, Debug)]
pub(crate) struct TablePlan {
    pub(crate) stride: usize,
    pub(crate) ops: Vec<Op>,
    /// Has a union inside.
    pub(crate) guarded: bool,
}

/// A parameter or a global.
#[derive(Clone, Copy, Debug)]
struct RootPlan {
    table: TableId,
    at: At,
    observed_only: bool,
}

#[derive(Clone, Copy, Debug)]
enum At {
    /// Offset in the block of arguments.
    Arguments(usize),
    Address(usize),
    /// The image does not export it.
    Nowhere,
}

/// How to lay out the inputs of one function.
#[derive(Clone, Default, Debug)]
pub(crate) struct Plan {
    tables: Vec<TablePlan>,
    roots: Vec<RootPlan>,
    arguments: usize,
    /// A root has a union inside: what can be observed depends on the input.
    guarded: bool,
    /// The root that holds what stands behind `...`.
    pub(crate) rest: Option<usize>,
    /// The most elements an object can have.
    pub(crate) most_elements: u32,
}

/// An object of the present input in memory.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) table: TableId,
    /// Where the target sees it; 0 if it is nowhere.
    pub(crate) start: usize,
    pub(crate) size: usize,
    /// Where it can be looked at after the run.
    pub(crate) view: usize,
    /// The run has freed it.
    pub(crate) freed: bool,
    pub(crate) kind: Kind,
    /// Which union members the input selects; empty if the type has no unions.
    pub(crate) cells: Vec<u128>,
}

/// A cell in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCell {
    /// Its index in the object.
    pub(crate) cell: usize,
    /// Where its first byte is.
    pub(crate) address: usize,
    /// Its first bit there.
    pub(crate) bit: u32,
    pub(crate) width: u32,
    pub(crate) kind: CellKind,
}

/// What a cell says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellKind {
    Number,
    Pointer {
        /// To objects of any type.
        is_untyped: bool,
    },
    /// Which of so many members of the union that begins there is meant. Only the bytes are in memory.
    Union {
        members: u32,
        bytes: u32,
    },
}

/// What kind of object it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Parameter,
    Global,
    /// Looked at, never written.
    Observed,
    Heap,
}

impl Plan {
    /// Bytes of an element of a type.
    pub(crate) fn stride(&self, table: TableId) -> usize {
        self.tables[table.0 as usize].stride
    }

    /// Whether the object with this number is a root, which is as long as it is.
    pub(crate) fn is_root(&self, object: usize) -> bool {
        object < self.roots.len()
    }

    /// Works out the stores for the inputs of `space`.
    pub(crate) fn new(image: &Image, space: &Space) -> Plan {
        let mut plan = Plan { most_elements: space.limits.elements, ..Plan::default() };
        for root in &space.roots {
            plan.add_table(space, root.table);
            let at = match root.place {
                Place::Param { offset, .. } => {
                    let end = offset as usize + space.table(root.table).stride as usize;
                    plan.arguments = plan.arguments.max(end);
                    At::Arguments(offset as usize)
                }
                Place::Rest { offset } => {
                    plan.rest = Some(plan.roots.len());
                    plan.arguments = plan.arguments.max((offset + Rest::BYTES) as usize);
                    At::Arguments(offset as usize)
                }
                Place::Global(global) => {
                    image.global(global).map_or(At::Nowhere, |p| At::Address(p as usize))
                }
                Place::Function(function) => {
                    image.function(function).map_or(At::Nowhere, |p| At::Address(p as usize))
                }
            };
            plan.roots.push(RootPlan { table: root.table, at, observed_only: root.observed_only });
        }
        space.untyped.iter().for_each(|&(table, _)| plan.add_table(space, table));
        plan.guarded = plan.roots.iter().any(|root| plan.tables[root.table.0 as usize].guarded);
        // Blocks are read by whole words.
        plan.arguments = plan.arguments.next_multiple_of(16);
        plan
    }

    fn add_table(&mut self, space: &Space, id: TableId) {
        let index = id.0 as usize;
        if self.tables.get(index).is_some_and(|t| !t.ops.is_empty()) {
            return;
        }
        if self.tables.len() <= index {
            self.tables.resize(index + 1, TablePlan::default());
        }
        let table = space.table(id);
        self.tables[index] = TablePlan::new(table);
        if space.is_opaque(id) {
            // Whoever looks into it is to be noticed: then it is not of that type.
            self.tables[index].stride = 0;
        }
        for leaf in &table.leaves {
            if let LeafKind::Pointer { to: Some(to), .. } = leaf.kind {
                self.add_table(space, to);
            }
        }
        if let Some(longer) = table.tail.and_then(|tail| tail.longer) {
            self.add_table(space, longer);
        }
    }

    /// Bytes of the block of arguments.
    pub(crate) fn arguments(&self) -> usize {
        self.arguments
    }

    /// The cells of a type of this space.
    #[inline]
    pub(crate) fn table(&self, id: TableId) -> Option<&TablePlan> {
        self.tables.get(id.0 as usize)
    }

    /// Gives every object of the input its address; what is not a global is zero. Returns the address of the
    /// block of arguments.
    #[inline]
    pub(crate) fn place(&self, input: &Input, arena: &mut Arena, placed: &mut Vec<Placed>) -> usize {
        arena.clear();
        // The first slot has no closed page before it.
        let in_front = std::mem::replace(&mut arena.in_front, false);
        let arguments = arena.place(self.arguments).unwrap_or(0);
        arena.in_front = in_front;
        // Most inputs are nothing but roots, which stay where they are.
        let roots_only = input.objects.len() == self.roots.len() && placed.len() == self.roots.len();
        if self.guarded || !roots_only {
            self.place_objects(input, arguments, arena, placed);
        }
        arguments
    }

    fn place_objects(&self, input: &Input, arguments: usize, arena: &mut Arena, placed: &mut Vec<Placed>) {
        for (i, object) in input.objects.iter().enumerate() {
            if placed.len() == i {
                placed.push(Placed::NOWHERE);
            }
            let place = &mut placed[i];
            let root = self.roots.get(i);
            place.table = root.map_or(object.table, |root| root.table);
            let table = self.tables.get(place.table.0 as usize);
            let stride = table.map_or(0, |t| t.stride);
            (place.kind, place.start, place.size) = match root {
                Some(root) => root.address(arguments, stride),
                None => (Kind::Heap, 0, stride.saturating_mul(object.len as usize)),
            };
            place.view = place.start;
            place.freed = false;
            if table.is_some_and(|t| t.guarded) {
                place.cells.clone_from(&object.cells);
            }
        }
        placed.truncate(input.objects.len());
        for place in placed.iter_mut().filter(|place| place.kind == Kind::Heap) {
            place.start = arena.place(place.size).unwrap_or(0);
            place.view = place.start;
        }
    }

    /// Visits every cell of an object that lies in memory and that terms can speak of: numbers but for those of the
    /// x87, pointers that an input can choose, and which members of unions are chosen.
    pub(crate) fn each_variable(&self, object: &Object, place: &Placed, mut visit: impl FnMut(PlacedCell)) {
        let Some(table) = self.tables.get(place.table.0 as usize) else { return };
        if place.start == 0 || place.kind == Kind::Observed || table.ops.is_empty() || table.stride == 0 {
            return;
        }
        let elements = object.cells.chunks_exact(table.ops.len());
        for (i, cells) in elements.enumerate().take(place.size / table.stride) {
            let element = place.start + i * table.stride;
            for (j, op) in table.ops.iter().enumerate() {
                if op.observed_only || op.guard.is_some() && !table.is_active(op, cells) {
                    continue;
                }
                let kind = match op.store {
                    Store::Pointer if !op.points_somewhere => continue,
                    Store::Pointer if Pointer::decode(cells[j]) == Pointer::Initial => continue,
                    Store::Pointer => CellKind::Pointer { is_untyped: op.is_untyped },
                    Store::Selector => table.union_at(j),
                    _ => CellKind::Number,
                };
                if let Some((bit, width)) = op.variable_bits() {
                    let address = element + op.offset as usize;
                    visit(PlacedCell { cell: i * table.ops.len() + j, address, bit, width, kind });
                }
            }
        }
    }

    /// Stores the cells of the input where [`Plan::place`] has put them.
    ///
    /// # Safety
    /// The objects of `placed` are this input's, and the image's globals are writable.
    #[inline]
    pub(crate) unsafe fn write(&self, input: &Input, placed: &[Placed]) {
        for (object, place) in input.objects.iter().zip(placed) {
            let Some(table) = self.tables.get(place.table.0 as usize) else { continue };
            if place.start == 0 || place.kind == Kind::Observed {
                continue;
            }
            // SAFETY: the object has `size` bytes at `start`.
            unsafe { table.write(object, place, placed, &self.tables) };
        }
    }
}

impl Placed {
    const NOWHERE: Placed = Placed {
        table: TableId(0),
        start: 0,
        size: 0,
        view: 0,
        freed: false,
        kind: Kind::Observed,
        cells: Vec::new(),
    };
}

impl RootPlan {
    fn address(&self, arguments: usize, size: usize) -> (Kind, usize, usize) {
        match self.at {
            At::Arguments(offset) if arguments != 0 => (Kind::Parameter, arguments + offset, size),
            At::Address(start) if self.observed_only => (Kind::Observed, start, size),
            At::Address(start) => (Kind::Global, start, size),
            At::Arguments(_) | At::Nowhere => (Kind::Observed, 0, 0),
        }
    }
}

impl TablePlan {
    /// The stores for the leaves of a type.
    pub(crate) fn new(table: &LeafTable) -> TablePlan {
        let ops = table.leaves.iter().map(Op::new).collect();
        let guarded = table.leaves.iter().any(|leaf| leaf.guard.is_some());
        TablePlan { stride: table.stride as usize, ops, guarded }
    }

    #[inline]
    unsafe fn write(&self, object: &Object, place: &Placed, placed: &[Placed], tables: &[TablePlan]) {
        if self.ops.is_empty() || self.stride == 0 {
            return;
        }
        let (mut element, end) = (place.start, place.start + place.size);
        let mut cells = object.cells.as_slice();
        while let Some((these, rest)) = cells.split_at_checked(self.ops.len())
            && element < end
        {
            // SAFETY: the element ends before `end`.
            unsafe { self.write_element(element as *mut u8, these, placed, tables) };
            element += self.stride;
            cells = rest;
        }
    }

    #[inline]
    unsafe fn write_element(
        &self,
        element: *mut u8,
        cells: &[u128],
        placed: &[Placed],
        tables: &[TablePlan],
    ) {
        for (op, &cell) in self.ops.iter().zip(cells) {
            if op.guard.is_some() && !self.is_active(op, cells) {
                continue;
            }
            let bits = match op.store {
                Store::Pointer => match Pointer::decode(cell) {
                    Pointer::Initial => continue,
                    pointer => u128::from(address_of(pointer, placed, tables)),
                },
                _ => cell,
            };
            // SAFETY: the leaf lies inside the element.
            unsafe { op.store(element, bits) };
        }
    }

    /// The union whose selector has this index.
    fn union_at(&self, selector: usize) -> CellKind {
        let inside = |op: &&Op| op.guard.is_some_and(|guard| guard.selector as usize == selector);
        let members = self.ops.iter().filter(inside);
        let start = self.ops[selector].offset;
        members.fold(CellKind::Union { members: 0, bytes: 0 }, |union, op| match (union, op.guard) {
            (CellKind::Union { members, bytes }, Some(guard)) => CellKind::Union {
                members: members.max(guard.member + 1),
                bytes: bytes.max(op.offset + op.bytes() - start),
            },
            _ => union,
        })
    }

    /// Whether a leaf belongs to the selected members of the unions around it.
    pub(crate) fn is_active(&self, op: &Op, cells: &[u128]) -> bool {
        let mut guard = op.guard;
        while let Some(Guard { selector, member }) = guard {
            if cells.get(selector as usize).is_none_or(|&selected| selected != u128::from(member)) {
                return false;
            }
            guard = self.ops[selector as usize].guard;
        }
        true
    }
}

#[inline]
fn address_of(pointer: Pointer, placed: &[Placed], tables: &[TablePlan]) -> u64 {
    let Pointer::Element { object, element } = pointer else { return 0 };
    let Some(place) = placed.get(object as usize) else { return 0 };
    let stride = tables.get(place.table.0 as usize).map_or(0, |t| t.stride);
    if place.start == 0 { 0 } else { (place.start + element as usize * stride) as u64 }
}
