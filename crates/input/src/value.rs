//! Inputs and the elementary moves on them.

use crate::leaf::{Leaf, LeafKind, Place, Root, Space, TableId};
use fastrand::Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// What the program itself put into this global.
    Initial,
}

const INITIAL: u32 = u32::MAX;

impl Pointer {
    /// As a cell.
    #[must_use]
    pub fn encode(self) -> u128 {
        match self {
            Pointer::Null => 0,
            Pointer::Initial => u128::from(INITIAL),
            Pointer::Element { object, element } => (u128::from(element) << 32) | u128::from(object + 1),
        }
    }

    /// From a cell.
    #[must_use]
    pub fn decode(cell: u128) -> Pointer {
        match cell as u32 {
            0 => Pointer::Null,
            INITIAL => Pointer::Initial,
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
    /// All numbers zero (or the allowed value nearest to it), all enums their first value, all pointers null;
    /// globals as the program initialises them, as far as the user allows those values.
    #[must_use]
    pub fn zero(space: &Space) -> Input {
        let object = |root: &Root| match &root.initial {
            Some(cells) => Object { table: root.table, len: 1, cells: admitted(space, root, cells) },
            None => Object::zero(space, root.table, 1),
        };
        Input { objects: space.roots.iter().map(object).collect() }
    }

    /// Like [`Input::zero`], but every pointer leads to one element of its own, as far as the limits allow.
    #[must_use]
    pub fn instantiated(space: &Space) -> Input {
        let mut input = Input::zero(space);
        let mut object = 0;
        while object < input.objects.len() {
            input.instantiate_in(space, object as u32);
            object += 1;
        }
        input
    }

    /// Lets every null pointer lead to one element of its own, but not the pointers in those. Returns whether there was
    /// one.
    pub fn instantiate(&mut self, space: &Space) -> bool {
        let objects = self.objects.len() as u32;
        (0..objects).filter(|&object| self.instantiate_in(space, object)).count() > 0
    }

    /// Whether an object is a text, a `char` array of its own, and nothing in it ends it.
    #[must_use]
    pub fn is_unended_text(&self, space: &Space, object: u32) -> bool {
        let is_own = object as usize >= space.roots.len();
        let Some(Object { table, cells, .. }) = self.objects.get(object as usize).filter(|_| is_own) else {
            return false;
        };
        let is_text = matches!(
            &space.table(*table).leaves[..],
            [Leaf { width: 8, kind: LeafKind::Int { signed: true }, .. }]
        );
        is_text && !cells.contains(&0)
    }

    fn instantiate_in(&mut self, space: &Space, object: u32) -> bool {
        let mut is_new = false;
        if space.rest() == Some(object) {
            // What is read there is supplied when it is.
            return false;
        }
        for cell in 0..self.objects[object as usize].cells.len() as u32 {
            let var = Var { object, cell };
            if self.cell(var) == 0 && !self.is_observed_only(space, var) {
                is_new |= self.point_to_new(space, var, 1);
            }
        }
        is_new
    }

    /// The input with one choice made otherwise that is no value: another member of a union, another function, another
    /// type behind a `void *`; at most so many.
    #[must_use]
    pub fn variants(&self, space: &Space, most: usize) -> Vec<Input> {
        let mut all = Vec::new();
        for var in self.vars(space) {
            match self.leaf(space, var).kind {
                LeafKind::Selector { members } => {
                    all.extend((0..members).map(u128::from).filter(|&m| m != self.cell(var)).map(|member| {
                        let mut input = self.clone();
                        *input.cell_mut(var) = member;
                        input.instantiate_in(space, var.object);
                        input
                    }));
                }
                LeafKind::Pointer { to: Some(to), .. } if space.is_function(to) => {
                    let roots =
                        (0..space.roots.len() as u32).filter(|&r| space.roots[r as usize].table == to);
                    all.extend(roots.filter_map(|root| {
                        let mut input = self.clone();
                        input.point_to(space, var, root, 0).then_some(input)
                    }));
                }
                LeafKind::Pointer { to: Some(to), untyped: true } if !space.is_opaque(to) => {
                    all.extend(space.untyped.iter().filter_map(|&(table, _)| {
                        let mut input = self.clone();
                        input.set_null(space, var);
                        input.point_to_new_of(space, var, table, 1).then_some(input)
                    }));
                }
                _ => {}
            }
        }
        all.retain(|input| input != self);
        all.truncate(most);
        all
    }

    /// Whether only `void *` lead to a heap object, so that its type is a guess.
    #[must_use]
    pub fn is_untyped(&self, space: &Space, object: u32) -> bool {
        let mut pointers = (0..)
            .zip(&self.objects)
            .flat_map(|(from, o)| (0..o.cells.len() as u32).map(move |cell| Var { object: from, cell }));
        object as usize >= space.roots.len()
            && !pointers.any(|var| {
                let leads_there = matches!(Pointer::decode(self.cell(var)), Pointer::Element { object: to, .. } if to == object);
                leads_there && matches!(self.leaf(space, var).kind, LeafKind::Pointer { untyped: false, .. })
            })
    }

    /// Lets every pointer of parameters and globals that is null lead to one element of its own. Returns whether there
    /// was one.
    pub fn instantiate_roots(&mut self, space: &Space) -> bool {
        let roots = space.roots.len() as u32;
        (0..roots).filter(|&root| self.instantiate_in(space, root)).count() > 0
    }

    /// Numbers uniform over their ranges, small ones preferred half of the time unless the space is
    /// [uniform](crate::SpaceLimits::uniform); pointers null, or to a few random elements.
    #[must_use]
    pub fn random(space: &Space, rng: &mut Rng) -> Input {
        let mut input = Input::zero(space);
        let mut object = 0;
        while object < input.objects.len() {
            for cell in 0..input.objects[object].cells.len() {
                let var = Var { object: object as u32, cell: cell as u32 };
                if input.is_observed_only(space, var) || input.is_about_rest(space, var) {
                    continue;
                }
                let leaf = input.leaf(space, var);
                if let LeafKind::Pointer { .. } = leaf.kind {
                    if space.limits.ways.growth && rng.u8(..) >= 64 {
                        let len = if rng.bool() { 1 } else { rng.u32(1..=8) };
                        input.point_to_new(space, var, len);
                    }
                } else {
                    let is_uniform = space.limits.uniform && matches!(leaf.kind, LeafKind::Int { .. });
                    *input.cell_mut(var) = if is_uniform { leaf.uniform(rng) } else { leaf.random(rng) };
                }
            }
            object += 1;
        }
        input
    }

    /// Number of cells.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.objects.iter().map(|object| object.cells.len() as u64).sum()
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
            || self.leaf(space, var).observed_only
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

    /// All cells, one object after the other.
    pub fn places(&self) -> impl Iterator<Item = Var> + '_ {
        (0..)
            .zip(&self.objects)
            .flat_map(|(object, o)| (0..o.cells.len() as u32).map(move |cell| Var { object, cell }))
    }

    /// The cells a search may change, in order of objects.
    pub fn vars<'a>(&'a self, space: &'a Space) -> impl Iterator<Item = Var> + 'a {
        self.objects.iter().enumerate().flat_map(move |(object, o)| {
            (0..o.cells.len() as u32)
                .map(move |cell| Var { object: object as u32, cell })
                .filter(move |&var| !self.is_observed_only(space, var) && !self.is_about_rest(space, var))
                .filter(move |&var| self.is_active(space, var))
        })
    }

    /// Makes a pointer cell that names no object of the input point to a fresh object of `len` zero elements, or to a
    /// function. Returns whether it could.
    pub fn point_to_new(&mut self, space: &Space, var: Var, len: u32) -> bool {
        let LeafKind::Pointer { to: Some(table), .. } = self.leaf(space, var).kind else { return false };
        self.point_to_new_of(space, var, table, len)
    }

    /// The same with elements of a certain type.
    pub fn point_to_new_of(&mut self, space: &Space, var: Var, table: TableId, len: u32) -> bool {
        if space.is_function(table) {
            let function =
                (0..space.roots.len() as u32).find(|&root| space.roots[root as usize].table == table);
            return function.is_some_and(|function| self.point_to(space, var, function, 0));
        }
        let len = if space.table(table).is_handle { 1 } else { len };
        let heap = self.objects.len() - space.roots.len();
        let is_single = space.table(table).tail.is_some();
        let names_object = matches!(Pointer::decode(self.cell(var)), Pointer::Element { .. });
        if names_object || heap >= space.limits.objects || len > space.limits.elements || is_single && len > 1
        {
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

    /// Whether a pointer may lead to elements of an object: it has the type pointed to and is no argument, which
    /// lives only during the call.
    #[must_use]
    pub fn fits(&self, space: &Space, leaf: &Leaf, object: u32) -> bool {
        let LeafKind::Pointer { to: Some(to), untyped } = leaf.kind else { return false };
        let root = space.roots.get(object as usize);
        let is_argument =
            root.is_some_and(|root| matches!(root.place, Place::Param { .. } | Place::Rest { .. }));
        let table = root.map_or(self.objects[object as usize].table, |root| root.table);
        // What hides behind an incomplete type is nobody's variable.
        let may_be_any = untyped && !space.is_function(table) && (root.is_none() || !space.is_opaque(to));
        let is_same = space.table(table).ty == space.table(to).ty || may_be_any;
        !is_argument && is_same
    }

    /// Makes a pointer cell lead to an element, or one past the last, of an object that is there already. Returns
    /// whether it could.
    pub fn point_to(&mut self, space: &Space, var: Var, object: u32, element: u32) -> bool {
        let Object { len, table, .. } = self.objects[object as usize];
        let is_inside = element <= len && !(element > 0 && space.table(table).is_handle);
        if !is_inside || !self.fits(space, self.leaf(space, var), object) {
            return false;
        }
        *self.cell_mut(var) = Pointer::Element { object, element }.encode();
        self.drop_unreachable(space);
        true
    }

    /// Gives a heap object at least `len` elements; those added are zero. Returns whether it could.
    pub fn lengthen(&mut self, space: &Space, object: u32, len: u32) -> bool {
        let Object { table, len: present, .. } = self.objects[object as usize];
        // C has no arrays of structures that end in an array without a length.
        let is_single = space.table(table).tail.is_some();
        if (object as usize) < space.roots.len() || len > space.limits.elements || is_single && len > 1 {
            return false;
        }
        if space.table(table).is_handle {
            return false;
        }
        let element = Object::zero(space, table, 1).cells;
        let object = &mut self.objects[object as usize];
        object.len = present.max(len);
        object.cells.resize_with(element.len() * object.len as usize, || 0);
        for cells in object.cells.chunks_exact_mut(element.len().max(1)).skip(present as usize) {
            cells.copy_from_slice(&element);
        }
        true
    }

    /// Changes the number of elements of a heap object; new ones are zero. Returns whether it could.
    pub fn resize(&mut self, space: &Space, object: u32, len: u32) -> bool {
        if (object as usize) < space.roots.len() || len == 0 || len > space.limits.elements {
            return false;
        }
        let Object { table, len: present, .. } = self.objects[object as usize];
        if len >= present {
            return self.lengthen(space, object, len);
        }
        let leaves = space.table(table).leaves.len();
        let object = &mut self.objects[object as usize];
        object.cells.truncate(len as usize * leaves);
        object.len = len;
        self.drop_unreachable(space);
        true
    }

    /// Gives the array at the end of a heap object as many elements as another table of the same type has; those added
    /// are zero. Returns whether it could.
    pub fn set_tail(&mut self, space: &Space, object: u32, table: TableId) -> bool {
        let present = self.objects[object as usize].table;
        let is_same = space.table(present).tail.is_some() && space.family(present) == space.family(table);
        if (object as usize) < space.roots.len() || !is_same || present == table {
            return false;
        }
        let zeros = Object::zero(space, table, 1).cells;
        let object = &mut self.objects[object as usize];
        object.table = table;
        object.cells.truncate(zeros.len());
        object.cells.extend_from_slice(&zeros[object.cells.len()..]);
        self.drop_unreachable(space);
        true
    }

    /// Makes a heap object one of another type, of so many elements. Its bytes stay; a pointer in it only where the other
    /// type has one too. Returns whether it could.
    pub fn retype(&mut self, space: &Space, object: u32, table: TableId, len: u32) -> bool {
        let is_single = space.table(table).tail.is_some();
        if (object as usize) < space.roots.len() || len > space.limits.elements || is_single && len > 1 {
            return false;
        }
        let before = &self.objects[object as usize];
        let mut after = Object::zero(space, table, len);
        let bytes = before.bytes(space);
        let pointers: BTreeMap<u64, u128> = before
            .places(space)
            .filter(|(_, leaf, _)| matches!(leaf.kind, LeafKind::Pointer { .. }))
            .map(|(offset, _, cell)| (offset, before.cells[cell]))
            .collect();
        let new: Vec<(usize, u128)> = after
            .places(space)
            .filter_map(|(offset, leaf, cell)| match leaf.kind {
                LeafKind::Selector { .. } => None,
                LeafKind::Pointer { .. } => pointers.get(&offset).map(|&pointer| (cell, pointer)),
                _ => Some((cell, leaf.read(&bytes, offset))),
            })
            .collect();
        new.into_iter().for_each(|(cell, value)| after.cells[cell] = value);
        self.objects[object as usize] = after;
        self.drop_unreachable(space);
        true
    }

    /// Lets all pointers into an object lead so many elements further.
    pub fn shift_pointers(&mut self, space: &Space, object: u32, by: u32) {
        for pointing in &mut self.objects {
            let leaves = &space.table(pointing.table).leaves;
            for (cell, leaf) in pointing.cells.iter_mut().zip(leaves.iter().cycle()) {
                if let LeafKind::Pointer { .. } = leaf.kind
                    && let Pointer::Element { object: to, element } = Pointer::decode(*cell)
                    && to == object
                {
                    *cell = Pointer::Element { object, element: element + by }.encode();
                }
            }
        }
    }

    /// Removes heap objects without an incoming pointer and renumbers the rest in order of discovery, so that
    /// equal graphs are equal values.
    pub fn drop_unreachable(&mut self, space: &Space) {
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

/// The initial cells of a root; the zero of its leaf for a value that is not allowed.
fn admitted(space: &Space, root: &Root, cells: &[u128]) -> Vec<u128> {
    let leaves = space.table(root.table).leaves.iter().cycle();
    let admit = |(&cell, leaf): (&u128, &Leaf)| if leaf.allows(cell) { cell } else { leaf.zero() };
    cells.iter().zip(leaves).map(admit).collect()
}

impl Object {
    /// The cells with where they are: bytes from the start of the object, leaf, and index.
    fn places<'s>(&self, space: &'s Space) -> impl Iterator<Item = (u64, &'s Leaf, usize)> + use<'s> {
        let table = space.table(self.table);
        let elements = (0..u64::from(self.len)).flat_map(move |i| {
            table.leaves.iter().map(move |leaf| (i * u64::from(table.stride) + u64::from(leaf.offset), leaf))
        });
        elements.zip(0..).map(|((offset, leaf), cell)| (offset, leaf, cell))
    }

    /// Its bytes; pointers in it are zero, and so are members of unions that are not the first.
    fn bytes(&self, space: &Space) -> Vec<u8> {
        let mut bytes = vec![0; self.len as usize * space.table(self.table).stride as usize];
        for (offset, leaf, cell) in self.places(space) {
            let is_first = leaf.guard.is_none_or(|guard| guard.member == 0);
            if is_first && !matches!(leaf.kind, LeafKind::Pointer { .. } | LeafKind::Selector { .. }) {
                leaf.write(&mut bytes, offset, self.cells[cell]);
            }
        }
        bytes
    }

    /// So many elements, all zero.
    #[must_use]
    pub fn zero(space: &Space, table: TableId, len: u32) -> Object {
        let element: Vec<u128> = space.table(table).leaves.iter().map(Leaf::zero).collect();
        Object { table, len, cells: element.repeat(len as usize) }
    }
}
