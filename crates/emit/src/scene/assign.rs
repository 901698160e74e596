//! Values for globals.

use super::Scene;
use crate::ctype::{is_qualified, spell};
use crate::init::Init;
use crate::literal::{Exactness, scalar};
use input::{LeafKind, Var};
use model::{TypeId, TypeKind, Types};

impl Scene<'_> {
    /// Gives a global the value it has in the input, whole: what it holds otherwise is not known here.
    pub(super) fn assign_global(&mut self, object: u32) {
        let Some(root) = self.space.roots.get(object as usize).filter(|r| !r.observed_only) else { return };
        let Some(name) = self.objects[object as usize].name.clone() else { return };
        if self.global(object).is_none() {
            return;
        }
        let types = self.types();
        let init = self.init(object, root.ty);
        if init.is_scalar() {
            self.assignments.push(format!("{name} = {};", init.render(4, 0)));
        } else if is_qualified(types, root.ty, "volatile") || is_qualified(types, root.ty, "_Atomic") {
            self.assign_cells(object);
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

    fn assign_cells(&mut self, object: u32) {
        for cell in 0..self.input.objects[object as usize].cells.len() as u32 {
            let var = Var { object, cell };
            let leaf = self.input.leaf(self.space, var);
            let value = match leaf.kind {
                LeafKind::Selector { .. } => continue,
                LeafKind::Pointer { .. } => {
                    self.address(self.input.cell(var)).unwrap_or_else(|| "NULL".to_owned())
                }
                _ => scalar(self.types(), leaf, self.input.cell(var), Exactness::Converted),
            };
            if let Some(place) = self.lvalue(var).filter(|_| self.input.is_active(self.space, var)) {
                self.assignments.push(format!("{place} = {value};"));
            }
        }
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
