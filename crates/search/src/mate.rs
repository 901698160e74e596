//! Whole arithmetic crossover (Awedikian 2009, section 3.2.2.5), carried over from vectors of numbers to graphs of
//! objects.
//!
//! ```text
//! numbers    z = αx + (1 − α)y
//! the rest   from x with probability α, else from y
//! pointers   x.p ─► [3, 5]  y.p ─► [7, 9]     alike: the objects are mated in turn
//!            x.p ─► NULL    y.p ─► [7] ─► [9]  not alike: from one parent, with all that can be reached from it
//! ```

use input::{FloatKind, Input, Leaf, LeafKind, Pointer, Rng, Space, Var};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};

/// A child that takes after `first` by the share `alpha`, and after `second` for the rest.
pub(crate) fn offspring(space: &Space, first: &Input, second: &Input, alpha: f64, rng: &mut Rng) -> Input {
    let roots = 0..space.roots.len() as u32;
    let mut mating = Mating {
        space,
        second,
        alpha,
        rng,
        child: first.clone(),
        of_first: first.vars(space).collect(),
        of_second: second.vars(space).collect(),
        placed: roots.clone().map(|root| (root, root)).collect(),
        pairs: roots.map(|root| (root, root)).collect(),
    };
    while let Some((mine, other)) = mating.pairs.pop_front() {
        mating.mate_objects(mine, other);
    }
    let mut child = mating.child;
    child.drop_unreachable(space);
    let is_too_large = child.objects.len() - space.roots.len() > space.limits.objects;
    if is_too_large { first.clone() } else { child }
}

struct Mating<'a> {
    space: &'a Space,
    second: &'a Input,
    alpha: f64,
    rng: &'a mut Rng,
    /// Begins as the first parent; objects of the second come behind its own.
    child: Input,
    of_first: FxHashSet<Var>,
    of_second: FxHashSet<Var>,
    /// Where the child has an object of the second parent, so that what was shared is shared again.
    placed: BTreeMap<u32, u32>,
    /// Objects of the child and of the second parent still to be mated.
    pairs: VecDeque<(u32, u32)>,
}

impl Mating<'_> {
    fn mate_objects(&mut self, mine: u32, other: u32) {
        for cell in 0..self.second.objects[other as usize].cells.len() as u32 {
            let (var, from) = (Var { object: mine, cell }, Var { object: other, cell });
            // The selector of a union stands before its members: the child has its choice already.
            if !self.of_second.contains(&from) || !self.child.is_active(self.space, var) {
                continue;
            }
            if self.of_first.contains(&var) { self.mate_cells(var, from) } else { self.inherit(var, from) }
        }
    }

    fn mate_cells(&mut self, var: Var, from: Var) {
        let leaf = self.child.leaf(self.space, var);
        let (x, y) = (self.child.cell(var), self.second.cell(from));
        match leaf.kind {
            LeafKind::Int { .. } => *self.child.cell_mut(var) = int_between(leaf, x, y, self.alpha),
            LeafKind::Float(kind) => match float_between(leaf, kind, x, y, self.alpha) {
                Some(z) => *self.child.cell_mut(var) = z,
                None => self.choose(var, from),
            },
            LeafKind::Pointer { .. } => self.mate_pointers(var, from),
            LeafKind::Bool | LeafKind::Enum { .. } | LeafKind::Selector { .. } => self.choose(var, from),
        }
    }

    fn mate_pointers(&mut self, var: Var, from: Var) {
        if let Pointer::Element { object: mine, .. } = Pointer::decode(self.child.cell(var))
            && let Pointer::Element { object: other, .. } = Pointer::decode(self.second.cell(from))
            && self.are_alike(mine, other)
        {
            self.placed.insert(other, mine);
            self.pairs.push_back((mine, other));
        }
        // Of partners this chooses the element only.
        self.choose(var, from);
    }

    /// Whether two objects can be mated cell by cell, and neither has a partner.
    fn are_alike(&self, mine: u32, other: u32) -> bool {
        let (a, b) = (&self.child.objects[mine as usize], &self.second.objects[other as usize]);
        let is_free =
            !self.placed.contains_key(&other) && self.placed.values().all(|&partner| partner != mine);
        is_free && a.table == b.table && a.len == b.len
    }

    fn choose(&mut self, var: Var, from: Var) {
        if self.rng.f64() >= self.alpha {
            self.inherit(var, from);
        }
    }

    /// Takes a cell of the second parent, and with a pointer whatever can be reached from it.
    fn inherit(&mut self, var: Var, from: Var) {
        *self.child.cell_mut(var) = self.second.cell(from);
        let mut pointers = vec![var];
        while let Some(var) = pointers.pop() {
            let is_pointer = matches!(self.child.leaf(self.space, var).kind, LeafKind::Pointer { .. });
            if let Pointer::Element { object, element } = Pointer::decode(self.child.cell(var))
                && is_pointer
            {
                let copy = self.child.objects.len() as u32;
                let object = *self.placed.entry(object).or_insert_with(|| {
                    let object = self.second.objects[object as usize].clone();
                    pointers.extend((0..object.cells.len() as u32).map(|cell| Var { object: copy, cell }));
                    self.child.objects.push(object);
                    copy
                });
                *self.child.cell_mut(var) = Pointer::Element { object, element }.encode();
            }
        }
    }
}

/// αx + (1 − α)y as an integer of the domain between both: so many steps away from the nearer of them, for sums of
/// products do not fit into any number type.
fn int_between(leaf: &Leaf, x: u128, y: u128, alpha: f64) -> u128 {
    let (a, b) = (leaf.int_value(x), leaf.int_value(y));
    let (distance, is_above) = if leaf.is_signed() { (a.abs_diff(b), a > b) } else { (x.abs_diff(y), x > y) };
    let away = |share: f64| (share * distance as f64).round() as i128;
    let (from, steps) = if alpha < 0.5 { (y, away(alpha)) } else { (x, -away(1.0 - alpha)) };
    leaf.int_step(from, if is_above { steps } else { -steps })
}

/// αx + (1 − α)y; `None` if there is nothing between: one of them is no number.
fn float_between(leaf: &Leaf, kind: FloatKind, x: u128, y: u128, alpha: f64) -> Option<u128> {
    let (x, y) = (leaf.float_value(kind, x), leaf.float_value(kind, y));
    let z = alpha * x + (1.0 - alpha) * y;
    // Rounding may carry it out of the interval by an ulp.
    z.is_finite().then(|| leaf.clamp_float(kind, z.clamp(x.min(y), x.max(y))))
}
