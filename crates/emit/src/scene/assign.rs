//! Values for globals.

use super::Scene;
use crate::ctype::{is_qualified, spell};
use crate::init::Init;
use crate::literal::{Exactness, scalar};
use input::{LeafKind, Pointer, Var};
use model::{TypeId, TypeKind, Types};
use std::iter::successors;

/// So many assignments read better than a whole new value.
const FEW: usize = 3;

impl Scene<'_> {
    /// Gives a global the value it has in the input. Where the program's own initial value is known, only what
    /// differs from it is assigned, piece by piece if that is short.
    pub(super) fn assign_global(&mut self, object: u32) {
        let Some(root) = self.space.roots.get(object as usize).filter(|r| !r.observed_only) else { return };
        let Some(name) = self.objects[object as usize].name.clone() else { return };
        if self.global(object).is_none() {
            return;
        }
        let differing = self.differing(object);
        if differing.is_empty() {
            return;
        }
        let types = self.types();
        let init = self.init(object, root.ty);
        let holds_unnamed = self.input.objects[object as usize]
            .cells
            .iter()
            .enumerate()
            .any(|(cell, &value)| self.is_unnamed_pointer(Var { object, cell: cell as u32 }, value));
        // A whole new value would set to zero what is no input.
        let table = self.space.table(root.table);
        let is_partial = table.truncated > 0 || !table.unsupported.is_empty();
        let is_short = root.initial.is_some() && differing.len() <= FEW;
        if is_short && !init.is_scalar() || holds_unnamed || is_partial {
            self.assign_cells(&differing);
        } else if init.is_scalar() {
            self.assignments.push(format!("{name} = {};", init.render(4, 0)));
        } else if is_qualified(types, root.ty, "volatile") || is_qualified(types, root.ty, "_Atomic") {
            self.assign_cells(&differing);
        } else {
            self.assignments.push(self.assign_aggregate(&name, root.ty, &init));
        }
    }

    fn assign_aggregate(&self, name: &str, ty: TypeId, init: &Init) -> String {
        let types = self.types();
        let is_array = matches!(types.resolved(ty).kind, TypeKind::Array { .. });
        match spell(types, ty, "").filter(|_| !is_array && !has_const_member(types, ty)) {
            Some(spelled) => {
                let head = format!("{name} = ({spelled})");
                format!("{head}{};", init.render(4, 4 + head.chars().count()))
            }
            None => format!("SET({name}, {});", init.render(4, 4 + name.chars().count() + 8)),
        }
    }

    fn assign_cells(&mut self, vars: &[Var]) {
        for &var in vars {
            let leaf = self.input.leaf(self.space, var);
            let value = match leaf.kind {
                LeafKind::Selector { .. } => continue,
                LeafKind::Pointer { .. } => {
                    self.address(self.input.cell(var)).unwrap_or_else(|| "NULL".to_owned())
                }
                _ => scalar(self.types(), leaf, self.input.cell(var), Exactness::Converted),
            };
            if let Some(place) = self.lvalue(var) {
                self.assignments.push(format!("{place} = {value};"));
            }
        }
    }

    /// The cells that count and differ from what the program itself puts there.
    fn differing(&self, object: u32) -> Vec<Var> {
        let initial = self.space.roots[object as usize].initial.as_deref();
        let cells = &self.input.objects[object as usize].cells;
        let leaves = &self.space.table(self.input.objects[object as usize].table).leaves;
        let differs = |cell: usize| initial.is_none_or(|initial| initial.get(cell) != Some(&cells[cell]));
        (0..cells.len())
            .map(|cell| Var { object, cell: cell as u32 })
            .filter(|&var| self.input.is_active(self.space, var))
            .filter(|&var| {
                // Members of a union that was switched to another member are new, whatever their bits.
                let guard_of = |cell: u32| leaves[cell as usize].guard;
                let mut guards = successors(guard_of(var.cell), |guard| guard_of(guard.selector));
                differs(var.cell as usize) || guards.any(|guard| differs(guard.selector as usize))
            })
            .collect()
    }

    /// A pointer the program set up itself, to something a test cannot name.
    fn is_unnamed_pointer(&self, var: Var, value: u128) -> bool {
        matches!(self.input.leaf(self.space, var).kind, LeafKind::Pointer { .. })
            && Pointer::decode(value) == Pointer::Initial
    }
}

/// Whether assignment is forbidden because of a member.
fn has_const_member(types: &Types, ty: TypeId) -> bool {
    match &types.resolved(ty).kind {
        TypeKind::Struct { fields: Some(fields) } | TypeKind::Union { fields: Some(fields) } => {
            fields.iter().any(|f| types.is_const(f.ty) || has_const_member(types, f.ty))
        }
        TypeKind::Array { of, .. } => has_const_member(types, *of),
        _ => false,
    }
}
