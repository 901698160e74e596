//! What a finding may say about callers: the precondition that would rule it out, where that is evident.

use input::{Input, LeafKind, Place, Pointer, Space, Var};
use std::collections::HashSet;
use suite::Finding;
use target::{Access, Outcome};

/// An expression for `requires` without which the finding could not happen. `None` where more than one would do, or none.
pub(crate) fn precondition(space: &Space, finding: &Finding) -> Option<String> {
    let Outcome::Crashed(crash) = finding.outcome else { return None };
    match crash.access {
        Access::Null => null_pointer(space, &finding.input),
        Access::Beyond { object, .. } => length(space, &finding.input, object),
        Access::None | Access::Wild => None,
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

/// The one number among the parameters that is larger than the object is long.
fn length(space: &Space, input: &Input, object: u32) -> Option<String> {
    let is_start = |known: &Known| known.leads_to == Pointer::Element { object, element: 0 };
    let mut there = pointers(space, input).into_iter().filter(is_start);
    let pointer = there.next().filter(|_| there.next().is_none())?;
    let elements = input.objects.get(object as usize)?.len;
    let is_larger = |&(object, _): &(u32, &str)| {
        let var = Var { object, cell: 0 };
        let leaf = input.leaf(space, var);
        let LeafKind::Int { signed } = leaf.kind else { return false };
        let sign = 1 << (leaf.width - 1);
        let is_negative = signed && input.cell(var) & sign != 0;
        leaf.path.is_empty() && !is_negative && input.cell(var) > elements.into()
    };
    let mut numbers =
        parameters(space).filter(|&(object, _)| !input.objects[object as usize].cells.is_empty());
    let numbers: Vec<_> = numbers.by_ref().filter(is_larger).collect();
    match numbers[..] {
        [(_, number)] => Some(format!("elements({}) >= {number}", pointer.expression)),
        _ => None,
    }
}

fn parameters(space: &Space) -> impl Iterator<Item = (u32, &str)> {
    let is_parameter = |(_, root): &(u32, &input::Root)| matches!(root.place, Place::Param { .. });
    (0..).zip(&space.roots).filter(is_parameter).map(|(number, root)| (number, root.name.as_str()))
}

/// The pointers that parameters are, hold or lead to, each object entered once and at its start only.
fn pointers(space: &Space, input: &Input) -> Vec<Known> {
    let mut found = Vec::new();
    let mut queue: Vec<(u32, String, bool)> =
        parameters(space).map(|(object, name)| (object, name.to_owned(), false)).collect();
    let mut seen: HashSet<u32> = queue.iter().map(|(object, ..)| *object).collect();
    let mut next = 0;
    while let Some((object, expression, is_behind)) = queue.get(next).cloned() {
        next += 1;
        let table = space.table(input.objects[object as usize].table);
        for (cell, leaf) in (0..).zip(&table.leaves) {
            let var = Var { object, cell };
            if !matches!(leaf.kind, LeafKind::Pointer { .. }) || !input.is_active(space, var) {
                continue;
            }
            let expression = match (is_behind, leaf.path.strip_prefix('.')) {
                (false, _) => format!("{expression}{}", leaf.path),
                (true, Some(member)) => format!("{expression}->{member}"),
                (true, None) => format!("(*{expression}){}", leaf.path),
            };
            let leads_to = Pointer::decode(input.cell(var));
            if let Pointer::Element { object, .. } = leads_to
                && object as usize >= space.roots.len()
                && seen.insert(object)
            {
                queue.push((object, expression.clone(), true));
            }
            found.push(Known { expression, leads_to });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_written_as_toml_wants_them() {
        assert_eq!(line("f", "s[0] != '\"'"), r#"function.f.requires = ["s[0] != '\"'"]"#);
    }
}
