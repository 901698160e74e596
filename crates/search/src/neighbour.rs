//! Random changes of one variable, of whatever kind it is.
//!
//! Every change leaves the objects numbered in order of discovery, and so the names of all variables before the one
//! changed stay valid: who changes several begins with the last.

use crate::point::Point;
use input::{FloatKind, Input, Leaf, LeafKind, Pointer, Rng, Space, Var};

/// Most elements of a new object.
const MOST_ELEMENTS: u32 = 8;

/// Draws a variable anew from its whole domain; uniformly, as far as that makes sense: nearly all doubles are
/// astronomically large, and nearly all values of an enum have no name.
pub(crate) fn redraw(input: &mut Input, space: &Space, rng: &mut Rng, var: Var) {
    let leaf = input.leaf(space, var);
    match leaf.kind {
        LeafKind::Pointer { .. } => redirect(input, space, rng, var),
        LeafKind::Float(_) | LeafKind::Enum { .. } => *input.cell_mut(var) = leaf.random(rng),
        LeafKind::Int { .. } | LeafKind::Bool | LeafKind::Selector { .. } => {
            *input.cell_mut(var) = leaf.uniform(rng);
        }
    }
}

/// The input of a point with one of its variables, any, moved.
pub(crate) fn random_neighbour(point: &mut Point<'_>) -> (Var, Input) {
    let vars = point.vars();
    let rng = point.oracle.rng();
    let var = vars[rng.usize(..vars.len())];
    let mut input = point.input.clone();
    step(&mut input, point.space, rng, var);
    (var, input)
}

/// Moves a variable a little or a lot: the step of a number has a random order of magnitude, because nobody knows the
/// scale of a problem; what has no metric is drawn anew.
fn step(input: &mut Input, space: &Space, rng: &mut Rng, var: Var) {
    let leaf = input.leaf(space, var);
    let cell = input.cell(var);
    match leaf.kind {
        LeafKind::Int { .. } => *input.cell_mut(var) = leaf.int_step(cell, leap(rng, leaf.width)),
        LeafKind::Float(kind) => *input.cell_mut(var) = float_step(leaf, kind, cell, rng),
        _ => redraw(input, space, rng, var),
    }
}

/// A number of either sign with up to so many bits, every number of bits equally likely.
fn leap(rng: &mut Rng, bits: u16) -> i128 {
    let order = rng.u32(0..u32::from(bits).min(126));
    let size = rng.i128(1 << order..2 << order);
    if rng.bool() { size } else { -size }
}

/// Decimals for constants that people write, ulps for the rest.
fn float_step(leaf: &Leaf, kind: FloatKind, cell: u128, rng: &mut Rng) -> u128 {
    if rng.bool() {
        let decimals = rng.i32(0..=6);
        leaf.decimal_step(kind, cell, decimals, leap(rng, 24))
    } else {
        leaf.ulp_step(kind, cell, leap(rng, leaf.width))
    }
}

/// Lets a pointer lead elsewhere: nowhere, to new elements, to something that is there, or to more or less of the same.
fn redirect(input: &mut Input, space: &Space, rng: &mut Rng, var: Var) {
    // Then shapes are the business of others.
    if !space.limits.ways.growth {
        return;
    }
    match rng.u8(..4) {
        0 => *input.cell_mut(var) = Pointer::Null.encode(),
        1 => point_to_new(input, space, rng, var),
        2 => point_to_present(input, space, rng, var),
        _ => resize(input, space, rng, var),
    }
    input.drop_unreachable(space);
}

fn point_to_new(input: &mut Input, space: &Space, rng: &mut Rng, var: Var) {
    let LeafKind::Pointer { to: Some(likeliest), untyped } = input.leaf(space, var).kind else { return };
    let table = match space.untyped.len() {
        choices if untyped && choices > 0 && !space.is_opaque(likeliest) => {
            space.untyped[rng.usize(..choices)].0
        }
        _ => likeliest,
    };
    let len = if rng.bool() { 1 } else { rng.u32(1..=MOST_ELEMENTS) };
    *input.cell_mut(var) = Pointer::Null.encode();
    // Of some types there are no arrays.
    let _ = input.point_to_new_of(space, var, table, len) || input.point_to_new_of(space, var, table, 1);
}

fn point_to_present(input: &mut Input, space: &Space, rng: &mut Rng, var: Var) {
    let leaf = input.leaf(space, var);
    let objects: Vec<u32> =
        (0..input.objects.len() as u32).filter(|&object| input.fits(space, leaf, object)).collect();
    if !objects.is_empty() {
        let object = objects[rng.usize(..objects.len())];
        let element = rng.u32(0..=input.objects[object as usize].len);
        let _ = input.point_to(space, var, object, if rng.bool() { 0 } else { element });
    }
}

/// Gives the pointer an object of its own with more or fewer elements, the same as far as they go. The object that it led
/// to stays as it is for others: so nothing is lost that was found before the pointer.
fn resize(input: &mut Input, space: &Space, rng: &mut Rng, var: Var) {
    let Pointer::Element { object, element } = Pointer::decode(input.cell(var)) else { return };
    let (heap, roots) = (input.objects.len() as u32, space.roots.len() as u32);
    if object < roots || (heap - roots) as usize >= space.limits.objects {
        return;
    }
    let copy = input.objects[object as usize].clone();
    let len = rng.u32(1..=2 * copy.len);
    input.objects.push(copy);
    *input.cell_mut(var) = Pointer::Element { object: heap, element: element.min(len) }.encode();
    let _ = input.resize(space, heap, len);
}
