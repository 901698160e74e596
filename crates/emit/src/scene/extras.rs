//! Arguments behind `...`.

use super::Scene;
use crate::literal::{Exactness, scalar};
use crate::variadic;
use input::{Extra, ExtraKind};
use model::Function;

impl Scene<'_> {
    /// Adds what stands behind `...`, or in the `va_list` that the call makes of it.
    pub(super) fn add_extras(&mut self, function: &Function) {
        // What makes a `va_list` needs a parameter before `...`.
        if variadic::takes_list(function) && self.arguments.is_empty() {
            self.arguments.push("0".to_owned());
        }
        let extras = self.input.extras(self.space);
        let texts: Vec<String> = extras.into_iter().map(|extra| self.extra(extra)).collect();
        self.arguments.extend(texts);
    }

    fn extra(&self, Extra { kind, var }: Extra) -> String {
        let Some(var) = var else { return "0".to_owned() };
        let (leaf, cell) = (self.input.leaf(self.space, var), self.input.cell(var));
        match kind {
            ExtraKind::Int if cell as i32 == i32::MIN => "INT_MIN".to_owned(),
            ExtraKind::Int => (cell as i32).to_string(),
            ExtraKind::Long if cell as i64 == i64::MIN => "LONG_MIN".to_owned(),
            ExtraKind::Long => format!("{}L", cell as i64),
            ExtraKind::Double => scalar(self.types(), leaf, cell, Exactness::Argument),
            ExtraKind::Pointer => self.address(cell).unwrap_or_else(|| "NULL".to_owned()),
        }
    }
}
