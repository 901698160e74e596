//! Inputs and the elementary moves on them.

use crate::leaf::{Leaf, LeafKind, Space, TableId, mask};
use fastrand::Rng;
use model::FloatKind;
use serde::{Deserialize, Serialize};

/// One input: the roots of its [`Space`] in order, then heap objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Input {
    /// Objects; index `i < space.roots.len()` is root `i`.
    pub objects: Vec<Object>,
}

/// A run of equal elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Object {
    /// Leaves of an element.
    pub table: TableId,
    /// Number of elements.
    pub len: u32,
    /// Raw bits of every leaf of every element, element by element. Pointer cells hold a [`Pointer`] code.
    pub cells: Vec<u128>,
}

/// The meaning of a pointer cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointer {
    /// The null pointer.
    Null,
    /// An element of an object of the same input.
    Element {
        /// Index of the object.
        object: u32,
        /// Which element; `len` is one past the end.
        element: u32,
    },
}

impl Pointer {
    /// As a cell.
    #[must_use]
    pub fn encode(self) -> u128 {
        match self {
            Pointer::Null => 0,
            Pointer::Element { object, element } => (u128::from(element) << 32) | u128::from(object + 1),
        }
    }

    /// From a cell.
    #[must_use]
    pub fn decode(cell: u128) -> Pointer {
        match cell as u32 {
            0 => Pointer::Null,
            n => Pointer::Element { object: n - 1, element: (cell >> 32) as u32 },
        }
    }
}

/// Name of one cell of an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var {
    /// Index of the object.
    pub object: u32,
    /// Index of the cell in the object.
    pub cell: u32,
}

impl Input {
    /// All numbers zero (or the allowed value nearest to it), all enums their first value, all pointers null.
    #[must_use]
    pub fn zero(space: &Space) -> Input {
        let objects = space.roots.iter().map(|root| Object::zero(space, root.table, 1)).collect();
        Input { objects }
    }

    /// Like [`Input::zero`], but every pointer leads to one element of its own, as far as the limits allow.
    #[must_use]
    pub fn instantiated(space: &Space) -> Input {
        let mut input = Input::zero(space);
        let mut object = 0;
        while object < input.objects.len() {
            for cell in 0..input.objects[object].cells.len() {
                let var = Var { object: object as u32, cell: cell as u32 };
                if !input.is_observed_only(space, var) {
                    input.point_to_new(space, var, 1);
                }
            }
            object += 1;
        }
        input
    }

    /// Numbers uniform over their ranges, small ones preferred half of the time; pointers null, or to a few
    /// random elements.
    #[must_use]
    pub fn random(space: &Space, rng: &mut Rng) -> Input {
        let mut input = Input::zero(space);
        let mut object = 0;
        while object < input.objects.len() {
            for cell in 0..input.objects[object].cells.len() {
                let var = Var { object: object as u32, cell: cell as u32 };
                if input.is_observed_only(space, var) {
                    continue;
                }
                let leaf = input.leaf(space, var);
                if let LeafKind::Pointer { .. } = leaf.kind {
                    if rng.u8(..) >= 64 {
                        let len = if rng.bool() { 1 } else { rng.u32(1..=8) };
                        input.point_to_new(space, var, len);
                    }
                } else {
                    *input.cell_mut(var) = leaf.random(rng);
                }
            }
            object += 1;
        }
        input
    }

    /// The description of a cell.
    #[must_use]
    pub fn leaf<'s>(&self, space: &'s Space, var: Var) -> &'s Leaf {
        let leaves = &space.table(self.objects[var.object as usize].table).leaves;
        &leaves[var.cell as usize % leaves.len()]
    }

    /// The value of a cell.
    #[must_use]
    pub fn cell(&self, var: Var) -> u128 {
        self.objects[var.object as usize].cells[var.cell as usize]
    }

    /// The value of a cell, to be changed. For pointers use [`Input::point_to_new`] and [`Input::set_null`].
    pub fn cell_mut(&mut self, var: Var) -> &mut u128 {
        &mut self.objects[var.object as usize].cells[var.cell as usize]
    }

    /// Whether the search must leave this cell alone.
    #[must_use]
    pub fn is_observed_only(&self, space: &Space, var: Var) -> bool {
        space.roots.get(var.object as usize).is_some_and(|root| root.observed_only)
    }

    /// Whether the cell counts: its union member, if it is in one, is the selected one.
    #[must_use]
    pub fn is_active(&self, space: &Space, var: Var) -> bool {
        let object = &self.objects[var.object as usize];
        let leaves = &space.table(object.table).leaves;
        let first = var.cell as usize / leaves.len() * leaves.len();
        let mut leaf = &leaves[var.cell as usize - first];
        while let Some(guard) = leaf.guard {
            if object.cells[first + guard.selector as usize] != u128::from(guard.member) {
                return false;
            }
            leaf = &leaves[guard.selector as usize];
        }
        true
    }

    /// The cells a search may change, in order of objects.
    pub fn vars<'a>(&'a self, space: &'a Space) -> impl Iterator<Item = Var> + 'a {
        self.objects.iter().enumerate().flat_map(move |(object, o)| {
            (0..o.cells.len() as u32)
                .map(move |cell| Var { object: object as u32, cell })
                .filter(move |&var| !self.is_observed_only(space, var) && self.is_active(space, var))
        })
    }

    /// Makes a null pointer cell point to a fresh object of `len` zero elements. Returns whether it could.
    pub fn point_to_new(&mut self, space: &Space, var: Var, len: u32) -> bool {
        let LeafKind::Pointer { to: Some(table) } = self.leaf(space, var).kind else { return false };
        let heap = self.objects.len() - space.roots.len();
        if self.cell(var) != 0 || heap >= space.limits.objects || len > space.limits.elements {
            return false;
        }
        let object = self.objects.len() as u32;
        self.objects.push(Object::zero(space, table, len));
        *self.cell_mut(var) = Pointer::Element { object, element: 0 }.encode();
        true
    }

    /// Makes a pointer cell null and drops the objects that nothing points to any more.
    pub fn set_null(&mut self, space: &Space, var: Var) {
        *self.cell_mut(var) = 0;
        self.drop_unreachable(space);
    }

    /// Changes the number of elements of a heap object; new ones are zero. Returns whether it could.
    pub fn resize(&mut self, space: &Space, object: u32, len: u32) -> bool {
        if (object as usize) < space.roots.len() || len == 0 || len > space.limits.elements {
            return false;
        }
        let Object { table, .. } = self.objects[object as usize];
        let element = Object::zero(space, table, 1).cells;
        let object = &mut self.objects[object as usize];
        object.cells.truncate(len as usize * element.len());
        while object.len < len {
            object.cells.extend_from_slice(&element);
            object.len += 1;
        }
        object.len = len;
        self.drop_unreachable(space);
        true
    }

    /// Removes heap objects without an incoming pointer and renumbers the rest in order of discovery, so that
    /// equal graphs are equal values.
    fn drop_unreachable(&mut self, space: &Space) {
        let roots = space.roots.len();
        let mut order: Vec<u32> = (0..roots as u32).collect();
        let mut renamed = vec![u32::MAX; self.objects.len()];
        (0..roots).for_each(|i| renamed[i] = i as u32);
        let mut next = 0;
        while next < order.len() {
            let object = order[next] as usize;
            for cell in 0..self.objects[object].cells.len() {
                let var = Var { object: object as u32, cell: cell as u32 };
                let LeafKind::Pointer { .. } = self.leaf(space, var).kind else { continue };
                if let Pointer::Element { object: to, .. } = Pointer::decode(self.cell(var))
                    && renamed[to as usize] == u32::MAX
                {
                    renamed[to as usize] = order.len() as u32;
                    order.push(to);
                }
            }
            next += 1;
        }
        let mut objects: Vec<Object> = order.iter().map(|&o| self.objects[o as usize].clone()).collect();
        for object in &mut objects {
            let leaves = &space.table(object.table).leaves;
            for (i, cell) in object.cells.iter_mut().enumerate() {
                if let LeafKind::Pointer { .. } = leaves[i % leaves.len()].kind
                    && let Pointer::Element { object, element } = Pointer::decode(*cell)
                {
                    *cell = Pointer::Element { object: renamed[object as usize], element }.encode();
                }
            }
        }
        self.objects = objects;
    }
}

impl Object {
    fn zero(space: &Space, table: TableId, len: u32) -> Object {
        let element: Vec<u128> = space.table(table).leaves.iter().map(Leaf::zero).collect();
        Object { table, len, cells: element.repeat(len as usize) }
    }
}

impl Leaf {
    /// The first value the search tries.
    #[must_use]
    pub fn zero(&self) -> u128 {
        match &self.kind {
            LeafKind::Enum { values, .. } => values.first().map_or(0, |&v| self.clamp(v)),
            LeafKind::Int { .. } => self.clamp(0),
            _ => 0,
        }
    }

    /// An integer cell as a number.
    #[must_use]
    pub fn int_value(&self, cell: u128) -> i128 {
        if self.is_signed() && self.width < 128 && cell >> (self.width - 1) & 1 == 1 {
            (cell | !mask(self.width)) as i128
        } else {
            cell as i128
        }
    }

    /// Whether integer arithmetic on this leaf is signed.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        matches!(self.kind, LeafKind::Int { signed: true } | LeafKind::Enum { signed: true, .. })
    }

    /// Least and greatest value of this leaf, user's bounds included. Unsigned 128-bit values above
    /// `i128::MAX` are outside: they are reached by random choice only.
    #[must_use]
    pub fn int_bounds(&self) -> (i128, i128) {
        let (least, greatest) = match &self.kind {
            LeafKind::Bool => (0, 1),
            LeafKind::Selector { members } => (0, i128::from(*members) - 1),
            _ if self.is_signed() => (-1 << (self.width - 1), ((1u128 << (self.width - 1)) - 1) as i128),
            _ => (0, mask(self.width.min(127)) as i128),
        };
        match self.range.bounds {
            None => (least, greatest),
            Some((min, max)) => (
                min.map_or(least, |m| m.clamp(least, greatest)),
                max.map_or(greatest, |m| m.clamp(least, greatest)),
            ),
        }
    }

    /// The allowed cell nearest to a number.
    #[must_use]
    pub fn clamp(&self, value: i128) -> u128 {
        let (least, greatest) = self.int_bounds();
        let mut value = value.clamp(least, greatest.max(least));
        let cell = |v: i128| v as u128 & mask(self.width);
        // An excluded value gives way to the next one up, or down at the upper end.
        let step = if value == greatest { -1 } else { 1 };
        while self.range.exclude.contains(&cell(value)) && (least..=greatest).contains(&(value + step)) {
            value += step;
        }
        cell(value)
    }

    /// A number moved by `delta`, kept inside the range.
    #[must_use]
    pub fn int_step(&self, cell: u128, delta: i128) -> u128 {
        self.clamp(self.int_value(cell).saturating_add(delta))
    }

    /// A random value. Half of the integers are small, because most code compares with small numbers.
    #[must_use]
    pub fn random(&self, rng: &mut Rng) -> u128 {
        match &self.kind {
            LeafKind::Pointer { .. } => 0,
            LeafKind::Bool | LeafKind::Selector { .. } => {
                let (least, greatest) = self.int_bounds();
                self.clamp(rng.i128(least..=greatest))
            }
            LeafKind::Enum { values, .. } if !values.is_empty() && rng.u8(..) >= 16 => {
                self.clamp(values[rng.usize(..values.len())])
            }
            LeafKind::Int { .. } | LeafKind::Enum { .. } => {
                let (least, greatest) = self.int_bounds();
                match rng.u8(..) {
                    0..128 => self.clamp(rng.i128(-16.max(least).min(greatest)..=greatest.min(128).max(least))),
                    128..144 if self.width == 128 && !self.is_signed() => rng.u128(..),
                    _ => self.clamp(rng.i128(least..=greatest)),
                }
            }
            LeafKind::Float(kind) => self.random_float(*kind, rng),
        }
    }

    fn random_float(&self, kind: FloatKind, rng: &mut Rng) -> u128 {
        let bounds = self.range.bounds.map(|(min, max)| {
            (min.map_or(f64::MIN, |m| m as f64), max.map_or(f64::MAX, |m| m as f64))
        });
        let value = match rng.u8(..) {
            0..96 => f64::from(rng.i32(-128..=128)),
            96..160 => (rng.f64() - 0.5) * 2000.0,
            160..224 => (rng.f64() - 0.5) * 2f64.powi(rng.i32(-60..=60)),
            // Any bit pattern: infinities, NaN and denormals too.
            _ if bounds.is_none() => return self.any_float(kind, rng),
            _ => 0.0,
        };
        self.float_cell(kind, bounds.map_or(value, |(min, max)| value.clamp(min, max)))
    }

    fn any_float(&self, kind: FloatKind, rng: &mut Rng) -> u128 {
        match kind {
            FloatKind::F32 => u128::from(rng.u32(..)),
            FloatKind::F64 => u128::from(rng.u64(..)),
            // Random x87 patterns are mostly no numbers at all; every double is one.
            FloatKind::F80 => self.float_cell(kind, f64::from_bits(rng.u64(..))),
        }
    }
}
