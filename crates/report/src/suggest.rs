//! What a finding may say about callers: the precondition that would rule it out, where that is evident.

use input::{Input, Leaf, LeafKind, Place, Pointer, Space, Var};
use std::collections::HashSet;
use suite::{Culprit, Finding};
use target::{Access, Outcome};

/// An expression for `requires` without which the finding could not happen. `None` where more than one would do, or none.
pub(crate) fn precondition(space: &Space, finding: &Finding) -> Option<String> {
    let Outcome::Crashed(crash) = finding.outcome else { return None };
    if let Some(Culprit::Length { object, holder, cell, in_bytes }) = finding.culprit {
        return known_length(space, &finding.input, object, Var { object: holder, cell }, in_bytes);
    }
    match crash.access {
        Access::Null => null_pointer(space, &finding.input),
        Access::Beyond { .. } | Access::None | Access::Wild => None,
    }
}

/// The line for `branchwise.toml`.
pub(crate) fn line(function: &str, condition: &str) -> String {
    format!("function.{function}.requires = [{condition:?}]")
}

/// A pointer of an input that a parameter leads to.
struct Known {
    /// How the function would write it.
    expression: String,
    leads_to: Pointer,
}

/// The one pointer that is null.
fn null_pointer(space: &Space, input: &Input) -> Option<String> {
    let mut null = pointers(space, input).into_iter().filter(|known| known.leads_to == Pointer::Null);
    let only = null.next()?;
    null.next().is_none().then(|| format!("{} != NULL", only.expression))
}

/// That an object is as long as a number says; `None` if it is.
fn known_length(space: &Space, input: &Input, object: u32, number: Var, in_bytes: bool) -> Option<String> {
    let array = input.objects.get(object as usize)?;
    let unit = if in_bytes { space.table(array.table).stride } else { 1 };
    if input.cell(number) <= u128::from(array.len) * u128::from(unit) {
        return None;
    }
    let is_start = |known: &Known| known.leads_to == Pointer::Element { object, element: 0 };
    let pointer = pointers(space, input).into_iter().find(is_start)?.expression;
    let holder = reached(space, input).into_iter().find(|reached| reached.object == number.object)?;
    let number = holder.member(input.leaf(space, number));
    Some(match in_bytes {
        true => format!("elements({pointer}) * sizeof *({pointer}) >= {number}"),
        false => format!("elements({pointer}) >= {number}"),
    })
}

fn parameters(space: &Space) -> impl Iterator<Item = (u32, &str)> {
    let is_parameter = |(_, root): &(u32, &input::Root)| matches!(root.place, Place::Param { .. });
    (0..).zip(&space.roots).filter(is_parameter).map(|(number, root)| (number, root.name.as_str()))
}

/// An object that parameters lead to, or that is one.
struct Reached {
    object: u32,
    /// How the function would write it, or the pointer to it.
    expression: String,
    is_behind: bool,
}

impl Reached {
    /// How the function would write a member.
    fn member(&self, leaf: &Leaf) -> String {
        let expression = &self.expression;
        match (self.is_behind, leaf.path.strip_prefix('.')) {
            (false, _) => format!("{expression}{}", leaf.path),
            (true, Some(member)) => format!("{expression}->{member}"),
            (true, None) if leaf.path.is_empty() => format!("*{expression}"),
            (true, None) => format!("(*{expression}){}", leaf.path),
        }
    }
}

/// The pointers of an object that count, with where they lead.
fn pointers_of(space: &Space, input: &Input, reached: &Reached) -> Vec<Known> {
    let object = reached.object;
    let table = space.table(input.objects[object as usize].table);
    let leaves = (0..).zip(&table.leaves).map(|(cell, leaf)| (Var { object, cell }, leaf));
    let pointers = leaves
        .filter(|&(var, leaf)| matches!(leaf.kind, LeafKind::Pointer { .. }) && input.is_active(space, var));
    let known =
        |(var, leaf)| Known { expression: reached.member(leaf), leads_to: Pointer::decode(input.cell(var)) };
    pointers.map(known).collect()
}

/// The objects that parameters are or lead to, each entered once and at its start only.
fn reached(space: &Space, input: &Input) -> Vec<Reached> {
    let parameter =
        |(object, name): (u32, &str)| Reached { object, expression: name.to_owned(), is_behind: false };
    let mut queue: Vec<Reached> = parameters(space).map(parameter).collect();
    let mut seen: HashSet<u32> = queue.iter().map(|reached| reached.object).collect();
    let mut next = 0;
    while let Some(reached) = queue.get(next) {
        next += 1;
        for Known { expression, leads_to } in pointers_of(space, input, reached) {
            if let Pointer::Element { object, .. } = leads_to
                && object as usize >= space.roots.len()
                && seen.insert(object)
            {
                queue.push(Reached { object, expression, is_behind: true });
            }
        }
    }
    queue
}

/// The pointers that parameters are, hold or lead to.
fn pointers(space: &Space, input: &Input) -> Vec<Known> {
    reached(space, input).iter().flat_map(|reached| pointers_of(space, input, reached)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_written_as_toml_wants_them() {
        assert_eq!(line("f", "s[0] != '\"'"), r#"function.f.requires = ["s[0] != '\"'"]"#);
    }
}
