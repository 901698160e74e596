//! The input of a finding as a graph: objects, their fields, and where pointers lead.

use crate::values;
use input::{Input, Leaf, LeafKind, Place, Pointer, Space, Var};
use model::Types;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use suite::Culprit;

/// Objects that are shown of one input, and fields of one object.
const MOST_OBJECTS: usize = 24;
const MOST_FIELDS: usize = 12;

/// An object of an input.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ObjectSummary {
    /// What it is called: `arguments`, `globals`, or the pointer that leads to it, `list->next`.
    pub name: String,
    /// Steps from the arguments or globals.
    pub depth: usize,
    /// Its fields, long arrays not to their end.
    pub fields: Vec<FieldSummary>,
    /// The fault is behind its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_fault: bool,
}

/// A field of an object, or an element.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FieldSummary {
    /// `.next`, `[3]`, or the name of a parameter; empty for the whole object.
    pub name: String,
    /// Its value; empty for a pointer to an object.
    pub value: String,
    /// Index of the object that it leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// The null pointer that is followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_fault: bool,
}

/// The objects of an input, those nearest to the arguments first; empty if it has no pointers.
pub(crate) fn objects(
    types: &Types,
    space: &Space,
    input: &Input,
    culprit: Option<Culprit>,
) -> Vec<ObjectSummary> {
    let is_pointer = |var: Var| matches!(input.leaf(space, var).kind, LeafKind::Pointer { .. });
    if !input.vars(space).any(is_pointer) {
        return Vec::new();
    }
    let mut drawing = Drawing { types, space, input, culprit, order: Vec::new(), waiting: VecDeque::new() };
    let mut all = drawing.roots();
    while let Some(reached) = drawing.waiting.pop_front() {
        let object = drawing.object(&reached);
        all.push(object);
    }
    all
}

/// The null pointer that is followed, as one would write it: `list->next`.
pub(crate) fn null_pointer(objects: &[ObjectSummary]) -> Option<String> {
    objects.iter().find_map(|object| {
        let field = object.fields.iter().find(|field| field.at_fault)?;
        Some(if object.depth == 0 { field.name.clone() } else { member(&object.name, &field.name) })
    })
}

/// A field of what a pointer leads to, as one would write it.
fn member(pointer: &str, path: &str) -> String {
    match path.strip_prefix('.') {
        Some(name) => format!("{pointer}->{name}"),
        None if path.is_empty() => format!("*{pointer}"),
        None => format!("{pointer}{path}"),
    }
}

/// An object that a pointer leads to.
struct Reached {
    object: u32,
    name: String,
    depth: usize,
}

struct Drawing<'a> {
    types: &'a Types,
    space: &'a Space,
    input: &'a Input,
    culprit: Option<Culprit>,
    /// The objects behind pointers in the order in which they are told.
    order: Vec<u32>,
    waiting: VecDeque<Reached>,
}

impl Drawing<'_> {
    /// One object for all arguments, and one for all globals that have pointers.
    fn roots(&mut self) -> Vec<ObjectSummary> {
        let mut all = Vec::new();
        for (name, is_global) in [("arguments", false), ("globals", true)] {
            let mut fields = Vec::new();
            for (object, root) in self.space.roots.iter().enumerate() {
                let wanted = match root.place {
                    Place::Param { .. } => !is_global,
                    Place::Global(_) => is_global && !root.observed_only,
                    // Arguments behind `...` are told in the call.
                    Place::Rest { .. } | Place::Function(_) => false,
                };
                if wanted {
                    fields.extend(self.fields(object as u32, &root.name, 0));
                }
            }
            if !fields.is_empty() && (!is_global || fields.iter().any(|field| field.to.is_some())) {
                all.push(ObjectSummary { name: name.to_owned(), depth: 0, fields, at_fault: false });
            }
        }
        // Numbers of objects behind pointers are those of the list.
        let before = all.len();
        all.iter_mut()
            .flat_map(|object| &mut object.fields)
            .for_each(|field| field.to = field.to.map(|to| to + before));
        self.order.splice(0..0, std::iter::repeat_n(u32::MAX, before));
        all
    }

    fn object(&mut self, reached: &Reached) -> ObjectSummary {
        let fields = match self.text(reached.object) {
            Some(value) => vec![FieldSummary { value, ..FieldSummary::default() }],
            None => self.fields(reached.object, &reached.name, reached.depth),
        };
        let at_fault = match self.culprit {
            Some(Culprit::End { object } | Culprit::Length { object, .. }) => object == reached.object,
            _ => false,
        };
        ObjectSummary { name: reached.name.clone(), depth: reached.depth, fields, at_fault }
    }

    /// Characters in one line.
    fn text(&self, object: u32) -> Option<String> {
        let object = &self.input.objects[object as usize];
        let [Leaf { width: 8, kind: LeafKind::Int { .. }, .. }] = &self.space.table(object.table).leaves[..]
        else {
            return None;
        };
        let bytes: Vec<u8> = object.cells.iter().map(|&cell| cell as u8).collect();
        Some(match bytes.split_last() {
            Some((0, text)) => format!("\"{}\"", text.escape_ascii()),
            _ => format!("{{{}}} without an end", bytes.escape_ascii()),
        })
    }

    /// The fields of an object that is called `name`, and the objects that they lead to for later.
    fn fields(&mut self, object: u32, name: &str, depth: usize) -> Vec<FieldSummary> {
        let (space, input) = (self.space, self.input);
        let cells = input.objects[object as usize].cells.len() as u32;
        let is_root = (object as usize) < space.roots.len();
        let mut fields = Vec::new();
        for cell in 0..cells {
            let var = Var { object, cell };
            let leaf = input.leaf(space, var);
            if matches!(leaf.kind, LeafKind::Selector { .. }) || !input.is_active(space, var) {
                continue;
            }
            if fields.len() == MOST_FIELDS {
                let value = format!("{} more", cells - cell);
                fields.push(FieldSummary { name: "…".to_owned(), value, ..FieldSummary::default() });
                break;
            }
            let path = if is_root { format!("{name}{}", leaf.path) } else { self.field_path(object, cell) };
            let mut field = FieldSummary { name: path, ..FieldSummary::default() };
            field.at_fault = self.culprit == Some(Culprit::Null { object, cell });
            let text = if is_root { field.name.clone() } else { member(name, &field.name) };
            (field.value, field.to) = self.value(leaf, input.cell(var), text, depth);
            fields.push(field);
        }
        fields
    }

    /// `.next`, `[2].next`: from the start of an object to a cell.
    fn field_path(&self, object: u32, cell: u32) -> String {
        let object = &self.input.objects[object as usize];
        let leaves = &self.space.table(object.table).leaves;
        let path = &leaves[cell as usize % leaves.len()].path;
        if object.len > 1 { format!("[{}]{path}", cell as usize / leaves.len()) } else { path.clone() }
    }

    /// The value of a cell, or the number of the object that it leads to.
    fn value(&mut self, leaf: &Leaf, cell: u128, text: String, depth: usize) -> (String, Option<usize>) {
        if !matches!(leaf.kind, LeafKind::Pointer { .. }) {
            return (values::number(&self.types.resolved(leaf.ty).kind, leaf, cell), None);
        }
        let (object, element) = match Pointer::decode(cell) {
            Pointer::Null => return ("NULL".to_owned(), None),
            Pointer::Initial => return ("as it is".to_owned(), None),
            Pointer::Element { object, element } => (object, element),
        };
        if let Some(root) = self.space.roots.get(object as usize) {
            return (format!("&{}", root.name), None);
        }
        let known = self.order.iter().position(|&known| known == object);
        if known.is_none() && self.order.len() >= MOST_OBJECTS {
            return ("…".to_owned(), None);
        }
        let number = known.unwrap_or_else(|| {
            self.order.push(object);
            self.waiting.push_back(Reached { object, name: text, depth: depth + 1 });
            self.order.len() - 1
        });
        (if element == 0 { String::new() } else { format!("+ {element}") }, Some(number))
    }
}
