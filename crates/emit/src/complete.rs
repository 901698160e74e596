//! Structures that a unit only declares, and tests of it have objects of.

use crate::scene::disguised;
use input::{Input, Space, TableId};
use model::{Types, define};
use std::collections::BTreeMap;

/// The definitions that objects of these inputs need, by tag: those of structures that pointers of the unit lead to
/// without knowing them.
pub(crate) fn definitions<'i>(
    types: &Types,
    space: &Space,
    inputs: impl IntoIterator<Item = &'i Input>,
) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for input in inputs {
        for object in disguised(space, input) {
            let table = input.objects[object as usize].table;
            if let (Some(tag), true) =
                (&types.get(space.table(table).ty).name, is_completed(types, space, table))
            {
                all.extend(define(types, space.table(table).ty).map(|definition| (tag.clone(), definition)));
            }
        }
    }
    all
}

/// Whether objects are of a structure that the unit only declares.
pub(crate) fn is_completed(types: &Types, space: &Space, table: TableId) -> bool {
    let tag = &types.get(space.table(table).ty).name;
    let mut incomplete = space.tables().filter(|table| table.leaves.is_empty() && table.stride > 0);
    tag.is_some() && incomplete.any(|other| types.get(other.ty).name == *tag)
}

/// The text for them.
pub(crate) fn text(definitions: BTreeMap<String, String>) -> String {
    let defined =
        definitions.into_values().map(|definition| format!("/* As another unit has it. */\n{definition}\n"));
    defined.collect()
}
