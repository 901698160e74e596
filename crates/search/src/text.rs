//! Texts and arrays of integers inside inputs, read and written as a whole.
//!
//! ```text
//! char *s          a heap object whose elements are one integer: it grows with what is written
//! struct { int n; char name[16]; }    sixteen leaves in a row: what does not fit is cut off
//! ```

use input::{Input, Leaf, LeafKind, Object, Space, Var};

/// Integers of one type in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    object: u32,
    first: u32,
    /// How many; `None` for a heap object of its own, which may become longer.
    fixed: Option<u32>,
}

/// All texts of an input that a search may change.
pub(crate) fn texts(input: &Input, space: &Space) -> Vec<Text> {
    let mut texts = Vec::new();
    for (number, object) in input.objects.iter().enumerate() {
        let leaves = &space.table(object.table).leaves;
        let (number, is_heap) = (number as u32, number >= space.roots.len());
        if is_heap && leaves.len() == 1 && matches!(leaves[0].kind, LeafKind::Int { .. }) {
            texts.push(Text { object: number, first: 0, fixed: None });
        } else {
            texts.extend(inner_texts(number, object, leaves));
        }
    }
    let may_change = |text: &Text| {
        let first = Var { object: text.object, cell: text.first };
        !input.is_observed_only(space, first) && input.is_active(space, first)
    };
    texts.retain(may_change);
    texts
}

/// The arrays of integers inside the elements of an object.
fn inner_texts(number: u32, object: &Object, leaves: &[Leaf]) -> Vec<Text> {
    let mut texts = Vec::new();
    let mut start = 0;
    while start < leaves.len() {
        let mut end = start + 1;
        while end < leaves.len() && is_next(&leaves[end - 1], &leaves[end]) {
            end += 1;
        }
        if end - start > 1 {
            texts.extend((0..object.len).map(|element| Text {
                object: number,
                first: element * leaves.len() as u32 + start as u32,
                fixed: Some((end - start) as u32),
            }));
        }
        start = end;
    }
    texts
}

/// Whether two leaves are neighbours in one array.
fn is_next(leaf: &Leaf, next: &Leaf) -> bool {
    let array = |leaf: &Leaf| leaf.path.rfind('[').map(|at| leaf.path[..at].to_owned());
    matches!(leaf.kind, LeafKind::Int { .. })
        && (leaf.ty, leaf.guard) == (next.ty, next.guard)
        && leaf.path.ends_with(']')
        && next.path.ends_with(']')
        && array(leaf) == array(next)
}

impl Text {
    /// A cell of the text.
    pub(crate) fn var(&self, at: u32) -> Var {
        Var { object: self.object, cell: self.first + at }
    }

    /// Whether a cell is part of the text.
    pub(crate) fn holds(&self, var: Var) -> bool {
        let is_inside = |len| (self.first..self.first + len).contains(&var.cell);
        var.object == self.object && self.fixed.is_none_or(is_inside)
    }

    /// The place of a cell in the text.
    pub(crate) fn place(&self, var: Var) -> usize {
        (var.cell - self.first) as usize
    }

    /// The description of its cells.
    pub(crate) fn leaf<'s>(&self, input: &Input, space: &'s Space) -> &'s Leaf {
        input.leaf(space, self.var(0))
    }

    /// Its cells.
    pub(crate) fn read<'i>(&self, input: &'i Input) -> &'i [u128] {
        let cells = &input.objects[self.object as usize].cells[self.first as usize..];
        self.fixed.map_or(cells, |len| &cells[..len as usize])
    }

    /// Puts other cells in the place of all; what is left of the present length becomes zero. Says whether it could and
    /// that changed anything.
    pub(crate) fn write(&self, input: &mut Input, space: &Space, cells: &[u128]) -> bool {
        let leaf = self.leaf(input, space);
        if !cells.iter().all(|&cell| leaf.allows(cell)) {
            return false;
        }
        let before = self.read(input).to_vec();
        let most = space.limits.elements.min(cells.len() as u32);
        if self.fixed.is_none() && most as usize > before.len() {
            input.lengthen(space, self.object, most);
        }
        let len = self.read(input).len();
        let places = &mut input.objects[self.object as usize].cells[self.first as usize..][..len];
        for (i, place) in places.iter_mut().enumerate() {
            *place = cells.get(i).copied().unwrap_or_else(|| leaf.zero());
        }
        *places != before[..]
    }

    /// Makes the text a token, with its end.
    pub(crate) fn become_token(&self, input: &mut Input, space: &Space, token: &[u8]) -> bool {
        let cells: Vec<u128> = token.iter().chain(&[0]).map(|&byte| u128::from(byte)).collect();
        self.write(input, space, &cells)
    }

    /// Whether its cells are characters.
    pub(crate) fn is_characters(&self, input: &Input, space: &Space) -> bool {
        self.leaf(input, space).width == 8
    }
}
