//! Structures that a unit only declares, and tests of it have objects of.

use crate::scene::disguised;
use input::{Input, Space};
use model::{Types, define};
use std::collections::BTreeMap;

/// The definitions that objects of these inputs need, by tag: those of structures that pointers of the unit lead to
/// without knowing them.
pub(crate) fn definitions<'i>(
    types: &Types,
    space: &Space,
    inputs: impl IntoIterator<Item = &'i Input>,
) -> BTreeMap<String, String> {
    let is_declared = |tag: &str| {
        let mut incomplete = space.tables().filter(|table| table.leaves.is_empty());
        incomplete.any(|table| table.stride > 0 && types.get(table.ty).name.as_deref() == Some(tag))
    };
    let mut all = BTreeMap::new();
    for input in inputs {
        for object in disguised(space, input) {
            let ty = space.table(input.objects[object as usize].table).ty;
            let Some(tag) = types.get(ty).name.clone().filter(|tag| is_declared(tag)) else { continue };
            if let Some(definition) = define(types, ty) {
                all.insert(tag, definition);
            }
        }
    }
    all
}

/// The text for them.
pub(crate) fn text(definitions: BTreeMap<String, String>) -> String {
    let defined =
        definitions.into_values().map(|definition| format!("/* As another unit has it. */\n{definition}\n"));
    defined.collect()
}
