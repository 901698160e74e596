//! Objects that functions of the program make.
//!
//! ```c
//! struct counter *counter = counter_create(5);
//! counter_add(counter, 3);
//! …
//! counter_destroy(counter);
//! ```

use super::Scene;
use super::stream::literal;
use crate::literal::{Exactness, scalar};
use input::{Pointer, Var};
use model::{Function, FunctionId, Program, Recipe, RecipeArgument, RecipeCall, TypeKind};
use std::collections::HashSet;
use target::Seen;

impl<'a> Scene<'a> {
    /// How an object is made, if by calls.
    pub(super) fn recipe(&self, object: u32) -> Option<&'a Recipe> {
        let table = self.space.table(self.input.objects.get(object as usize)?.table);
        let is_its = |recipe: &&Recipe| match self.types().resolved(recipe.ty).kind {
            TypeKind::Pointer { to } => self.types().resolve(to) == table.ty,
            _ => false,
        };
        self.stage.program.recipes.iter().filter(|_| table.is_handle).find(is_its)
    }

    /// Declares the variable of an object, and makes the calls.
    pub(super) fn declare_made(&mut self, object: u32, name: &str, recipe: &'a Recipe) {
        let number =
            |member: &str| self.member(object, member).map_or(0, |var| self.input.cell(var) as usize);
        let chosen = |calls: &'a [RecipeCall], number: usize| calls.get(number).or(calls.first());
        let mut lines = Vec::new();
        if let Some(call) = chosen(&recipe.makers, number(Recipe::MAKER)) {
            let call = self.call(object, name, call, "");
            lines.push(format!("struct {} *{name} = {call};", recipe.tag));
        }
        let count = number(Recipe::COUNT).min(Recipe::MOST);
        for index in (0..count).filter(|_| self.is_made(object)) {
            let at = format!("{}[{index}].", Recipe::THEN);
            if let Some(call) = chosen(&recipe.steps, number(&format!("{at}{}", Recipe::STEP))) {
                lines.push(format!("{};", self.call(object, name, call, &at)));
            }
        }
        self.declarations.extend(lines);
    }

    /// What a test does with an object in the end that functions have made.
    pub(crate) fn give_back(&self, object: u32, function: &Function) -> Option<String> {
        let recipe = self.recipe(object)?;
        let name = self.local(object).filter(|_| self.is_made(object))?;
        let destroyer = recipe.destroyer.as_ref();
        // Who may have done it already.
        let destroyer = destroyer.filter(|destroyer| !reaches(self.stage.program, function, destroyer));
        Some(match destroyer {
            Some(destroyer) => format!("{destroyer}({name});"),
            None => format!("KEEP({name});"),
        })
    }

    /// Whether the first function gave an object; where nobody looked, one hopes so.
    fn is_made(&self, object: u32) -> bool {
        let seen = self.observation.and_then(|observation| observation.objects.get(object as usize));
        let cell = self.member(object, Recipe::IS_MADE).map(|var| var.cell as usize);
        match seen.zip(cell).and_then(|(seen, cell)| seen.get(cell)) {
            Some(Seen::Bits(bits)) => *bits != 0,
            _ => true,
        }
    }

    /// The cell of a member.
    fn member(&self, object: u32, path: &str) -> Option<Var> {
        let leaves = &self.space.table(self.input.objects[object as usize].table).leaves;
        let cell = leaves.iter().position(|leaf| leaf.path.strip_prefix('.') == Some(path))?;
        Some(Var { object, cell: cell as u32 })
    }

    /// A call with arguments from the members at a path.
    fn call(&self, object: u32, name: &str, call: &RecipeCall, at: &str) -> String {
        let argument = |argument: &RecipeArgument| match argument {
            RecipeArgument::Object => name.to_owned(),
            RecipeArgument::Member(member) => self.member(object, &format!("{at}{member}")).map_or_else(
                || "0".to_owned(),
                |var| {
                    let leaf = self.input.leaf(self.space, var);
                    scalar(self.types(), leaf, self.input.cell(var), Exactness::Converted)
                },
            ),
            RecipeArgument::Text(member) => {
                let var = self.member(object, &format!("{at}{member}"));
                self.text(var.map_or(Pointer::Null, |var| Pointer::decode(self.input.cell(var))))
            }
        };
        let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
        format!("{}({})", call.function, arguments.join(", "))
    }

    /// The text that a pointer leads to; an empty one if it leads nowhere.
    fn text(&self, pointer: Pointer) -> String {
        let Pointer::Element { object, element } = pointer else { return literal(&[]) };
        let cells = self.input.objects[object as usize].cells.iter().skip(element as usize);
        let bytes: Vec<u8> = cells.map(|&cell| cell as u8).take_while(|&byte| byte != 0).collect();
        literal(&bytes)
    }
}

/// Whether a function may call another one, by its name.
fn reaches(program: &Program, function: &Function, name: &str) -> bool {
    let mut seen: HashSet<FunctionId> = HashSet::new();
    let mut todo = vec![function];
    while let Some(function) = todo.pop() {
        let called = function.calls.iter().filter(|&&id| seen.insert(id)).map(|&id| program.function(id));
        todo.extend(called);
    }
    let is_called = |id: &FunctionId| program.function(*id).name == name;
    seen.iter().any(is_called) || function.externals.iter().any(|external| external == name)
}
