//! Pointers that lead to where others lead already, or elsewhere in their object: shapes that growing one object
//! after the other never makes.
//!
//! ```text
//! a ─► [x]   b ─► [y]      b := a        a ─► [x] ◄─ b
//! node.next ─► NULL        to itself     node.next ─► node
//! p ─► s[0]                one further   p ─► s[1], up to one past the end
//! ```

use crate::point::Point;
use input::{Input, LeafKind, Pointer, Space, Var};
use std::ops::ControlFlow;

/// Tries at most `most` other targets of pointers. Says whether one was strictly better; the first that is ends the
/// attempt.
pub(crate) fn redirect_pointers(point: &mut Point<'_>, most: usize) -> ControlFlow<(), bool> {
    let mut changes = redirections(point);
    if changes.len() > most {
        point.oracle.rng().shuffle(&mut changes);
        changes.truncate(most);
    }
    point.try_shapes(
        changes.into_iter().map(|change| move |input: &mut Input, space: &Space| change.apply(input, space)),
    )
}

/// A change of what pointers lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Redirection {
    /// To an element of an object that is there.
    To { var: Var, object: u32, element: u32 },
    /// Two pointers to nothing lead to one new element.
    Both { first: Var, second: Var },
}

impl Redirection {
    fn apply(self, input: &mut Input, space: &Space) -> bool {
        match self {
            Redirection::To { var, object, element } => input.point_to(space, var, object, element),
            Redirection::Both { first, second } => {
                input.point_to_new(space, first, 1)
                    && input.point_to(space, second, input.objects.len() as u32 - 1, 0)
            }
        }
    }
}

fn redirections(point: &Point<'_>) -> Vec<Redirection> {
    let Point { input, space, .. } = point;
    let is_pointer = |var: &Var| matches!(point.leaf(*var).kind, LeafKind::Pointer { to: Some(_), .. });
    let pointers: Vec<Var> = point.vars().into_iter().filter(is_pointer).collect();
    let mut changes = Vec::new();
    for (i, &var) in pointers.iter().enumerate() {
        let now = Pointer::decode(input.cell(var));
        if let Pointer::Element { object, element } = now {
            let len = input.objects[object as usize].len;
            let mut others = vec![element.saturating_sub(1), element.saturating_add(1).min(len), len];
            others.dedup();
            others.retain(|&other| other != element);
            changes.extend(others.into_iter().map(|element| Redirection::To { var, object, element }));
        }
        for object in 0..input.objects.len() as u32 {
            let is_there = matches!(now, Pointer::Element { object: present, .. } if present == object);
            if !is_there && input.fits(space, point.leaf(var), object) {
                changes.push(Redirection::To { var, object, element: 0 });
            }
        }
        if now == Pointer::Null {
            let kind = &point.leaf(var).kind;
            let alike = |other: &&Var| input.cell(**other) == 0 && point.leaf(**other).kind == *kind;
            let others = pointers[i + 1..].iter().filter(alike);
            changes.extend(others.map(|&second| Redirection::Both { first: var, second }));
        }
    }
    changes
}
