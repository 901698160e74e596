//! The scene of a test: what is declared and assigned before the call, and the arguments.

mod assign;
mod extras;
mod made;
mod stream;

pub(crate) use stream::declaration as stream_declaration;

use crate::Unit;
use crate::complete::is_completed;
use crate::ctype::{declare, declare_pointer, spell, without_const};
use crate::init::{Init, Reader};
use crate::literal::{Exactness, scalar};
use crate::names::{Names, words};
use input::{Input, Leaf, LeafKind, Place, Pointer, Space, Var, Walk};
use model::{Function, Global, Handle, Program, TypeId, TypeKind, Types};
use std::collections::{BTreeMap, BTreeSet};
use target::Observation;

/// What all tests of a unit have in common.
pub(crate) struct Stage<'a> {
    pub(crate) program: &'a Program,
    pub(crate) unit: &'a Unit,
    /// Main files of the other units.
    pub(crate) other_files: Vec<u32>,
    /// Names taken at file scope.
    pub(crate) names: Names,
}

impl Stage<'_> {
    /// Whether the test file can name a global: not if it is private to another unit.
    pub(crate) fn reaches(&self, global: &Global) -> bool {
        !(global.is_static && self.other_files.contains(&global.file))
    }
}

/// One input as C text.
pub(crate) struct Scene<'a> {
    stage: &'a Stage<'a>,
    space: &'a Space,
    input: &'a Input,
    /// What was seen after the run, if it returned.
    observation: Option<&'a Observation>,
    /// Names still free in the test's block.
    pub(crate) names: Names,
    /// The function may free what it is given: pointees come from `malloc`.
    allocates: bool,
    objects: Vec<Actor>,
    /// Objects that pointers to another type lead to.
    disguised: BTreeSet<u32>,
    /// Where what is written to streams goes, by object.
    texts: BTreeMap<u32, String>,
    /// Declarations of local variables, each without indentation and semicolon included.
    pub(crate) declarations: Vec<String>,
    /// Assignments to globals, and the pointers that close a cycle.
    pub(crate) assignments: Vec<String>,
    /// Arguments of the call.
    pub(crate) arguments: Vec<String>,
}

/// How an object appears in the test.
#[derive(Clone, Default)]
struct Actor {
    /// The variable that holds it; `None` for scalars written into the call, and for what is out of reach.
    name: Option<String>,
    /// Its declaration stands, or it is a global.
    exists: bool,
    /// Number of declarations up to its own; 0 for globals.
    order: usize,
}

/// The objects that stand behind pointers to incomplete structures and are of a complete type.
pub(crate) fn disguised(space: &Space, input: &Input) -> BTreeSet<u32> {
    let pointers = input.vars(space).filter(|&var| match input.leaf(space, var).kind {
        LeafKind::Pointer { to: Some(to), untyped: true } => space.is_opaque(to),
        _ => false,
    });
    pointers
        .filter_map(|var| match Pointer::decode(input.cell(var)) {
            Pointer::Element { object, .. } => Some(object),
            Pointer::Null | Pointer::Initial => None,
        })
        .filter(|&object| !space.is_opaque(input.objects[object as usize].table))
        .collect()
}

/// Those of them whose type is another one than the pointers say.
fn foreign(types: &Types, space: &Space, input: &Input) -> BTreeSet<u32> {
    let mut objects = disguised(space, input);
    objects.retain(|&object| !is_completed(types, space, input.objects[object as usize].table));
    objects
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        stage: &'a Stage<'a>,
        function: &Function,
        space: &'a Space,
        input: &'a Input,
        observation: Option<&'a Observation>,
    ) -> Scene<'a> {
        let mut scene = Scene {
            stage,
            space,
            input,
            observation,
            names: stage.names.clone(),
            allocates: function.externals.iter().any(|name| name == "free" || name == "realloc"),
            objects: vec![Actor::default(); input.objects.len()],
            disguised: foreign(&stage.program.types, space, input),
            texts: BTreeMap::new(),
            declarations: Vec::new(),
            assignments: Vec::new(),
            arguments: Vec::new(),
        };
        scene.name_globals();
        (0..space.roots.len()).for_each(|root| scene.prepare_root(root as u32));
        scene.add_extras(function);
        scene.close_cycles();
        (0..space.roots.len()).for_each(|root| scene.assign_global(root as u32));
        scene
    }

    fn types(&self) -> &'a Types {
        &self.stage.program.types
    }

    fn global(&self, object: u32) -> Option<&'a Global> {
        match self.space.roots.get(object as usize)?.place {
            Place::Global(id) => Some(self.stage.program.global(id)),
            Place::Param { .. } | Place::Rest { .. } | Place::Function(_) => None,
        }
    }

    fn name_globals(&mut self) {
        for object in 0..self.space.roots.len() as u32 {
            if let Some(global) = self.global(object).filter(|g| self.stage.reaches(g)) {
                self.objects[object as usize] =
                    Actor { name: Some(global.name.clone()), exists: true, order: 0 };
            }
            if let Place::Function(id) = self.space.roots[object as usize].place {
                let name = self.stage.program.function(id).name.clone();
                self.objects[object as usize] = Actor { name: Some(name), exists: true, order: 0 };
            }
        }
    }

    /// Declares what a root points to and, for a structure passed by value, the root itself.
    fn prepare_root(&mut self, object: u32) {
        let root = &self.space.roots[object as usize];
        if root.observed_only
            || (self.global(object).is_some() && self.objects[object as usize].name.is_none())
        {
            return;
        }
        if let Place::Rest { .. } = root.place {
            // They stand behind all others.
            self.declare_pointees(object, "extra", root.ty);
        } else if let Place::Param { .. } = root.place {
            let is_record = matches!(
                self.types().resolved(root.ty).kind,
                TypeKind::Struct { .. } | TypeKind::Union { .. } | TypeKind::Array { .. }
            );
            if is_record {
                self.objects[object as usize].name = Some(self.names.take(&root.name));
            }
            self.declare_pointees(object, &root.name.clone(), root.ty);
            if is_record {
                self.declare_object(object, without_const(self.types(), root.ty), "0");
            }
            let argument = self.argument(object);
            self.arguments.push(argument);
        } else {
            self.declare_pointees(object, &root.name.clone(), root.ty);
        }
    }

    fn argument(&self, object: u32) -> String {
        if let Some(name) = &self.objects[object as usize].name {
            return name.clone();
        }
        let var = Var { object, cell: 0 };
        let leaf = self.input.leaf(self.space, var);
        match leaf.kind {
            LeafKind::Pointer { .. } => {
                self.address(self.input.cell(var)).unwrap_or_else(|| "NULL".to_owned())
            }
            _ => scalar(self.types(), leaf, self.input.cell(var), Exactness::Argument),
        }
    }

    /// Declares the heap objects an object points to, those they point to first.
    fn declare_pointees(&mut self, owner: u32, owner_name: &str, owner_type: TypeId) {
        for (var, leaf) in self.pointers(owner) {
            let Pointer::Element { object: to, .. } = Pointer::decode(self.input.cell(var)) else { continue };
            let Some(pointee) = self.pointee_type(leaf, to) else { continue };
            let named = self.objects.get(to as usize).is_none_or(|o| o.name.is_some());
            if named || (to as usize) < self.space.roots.len() {
                continue;
            }
            let name = self.pointee_name(owner, owner_name, var, leaf);
            let name = self.names.take(&name);
            self.objects[to as usize].name = Some(name.clone());
            let ty = match self.handle(to) {
                // The library's name is that of an incomplete type.
                Some(_) => self.types().resolve(pointee),
                None => without_const(self.types(), pointee),
            };
            if self.recipe(to).is_none() {
                self.declare_pointees(to, &name, ty);
            }
            let like = match (self.global(owner), spell(self.types(), owner_type, "*")) {
                (None, Some(owner_type)) => format!("*(*({owner_type})0){}", leaf.path),
                _ => format!("*{owner_name}{}", leaf.path),
            };
            self.declare_object(to, ty, &like);
        }
    }

    /// The type of what a pointer leads to; a `void *` does not say.
    fn pointee_type(&self, leaf: &Leaf, object: u32) -> Option<TypeId> {
        let table = self.input.objects.get(object as usize)?.table;
        match (&leaf.kind, &self.types().resolved(leaf.ty).kind) {
            (LeafKind::Pointer { untyped: true, .. }, _) if !self.space.is_opaque(table) => {
                let table = self.space.family(table);
                self.space.untyped.iter().find(|(candidate, _)| *candidate == table).map(|&(_, ty)| ty)
            }
            (_, TypeKind::Pointer { to }) => Some(*to),
            _ => None,
        }
    }

    /// A parameter's own name for what it points to, else the way there: `list_next`.
    fn pointee_name(&self, owner: u32, owner_name: &str, var: Var, leaf: &Leaf) -> String {
        let object = &self.input.objects[owner as usize];
        let leaves = self.space.table(object.table).leaves.len() as u32;
        let mut name = owner_name.to_owned();
        if object.len > 1 {
            name += &format!("_{}", var.cell / leaves);
        }
        match (words(&leaf.path), self.space.roots.get(owner as usize)) {
            (_, Some(root)) if matches!(root.place, Place::Rest { .. }) => {
                format!("{name}_{}", leaf.path.split(['[', ']']).nth(1).unwrap_or_default())
            }
            (path, _) if !path.is_empty() => format!("{name}_{path}"),
            (_, Some(root)) if matches!(root.place, Place::Param { .. }) => name,
            _ => format!("{name}_target"),
        }
    }

    /// The pointer cells of an object that count.
    fn pointers(&self, object: u32) -> Vec<(Var, &'a Leaf)> {
        let cells = self.input.objects[object as usize].cells.len() as u32;
        (0..cells)
            .map(|cell| Var { object, cell })
            .map(|var| (var, self.input.leaf(self.space, var)))
            .filter(|(_, leaf)| matches!(leaf.kind, LeafKind::Pointer { .. }))
            .filter(|(var, _)| self.input.is_active(self.space, *var))
            .collect()
    }

    fn declare_object(&mut self, object: u32, ty: TypeId, like: &str) {
        let Some(name) = self.objects[object as usize].name.clone() else { return };
        let len = self.input.objects[object as usize].len;
        if self.is_stream(object) {
            self.declare_stream(object, &name);
            self.objects[object as usize].exists = true;
            self.objects[object as usize].order = self.declarations.len();
            return;
        }
        if let Some(recipe) = self.recipe(object) {
            self.declare_made(object, &name, recipe);
            self.objects[object as usize].exists = true;
            self.objects[object as usize].order = self.declarations.len();
            return;
        }
        if self.is_opaque(object) {
            // Nobody looks into it; whoever frees it must be able to.
            let bytes = len * self.space.table(self.input.objects[object as usize].table).stride;
            self.declarations.push(match self.is_allocated(object) {
                true => format!("void *{name} = NEW(long long[{}], {{0}});", bytes / 8),
                false => format!("long long {name}[{}] = {{0}};", bytes / 8),
            });
            self.objects[object as usize].exists = true;
            self.objects[object as usize].order = self.declarations.len();
            return;
        }
        if self.has_tail(object) {
            self.declare_with_tail(object, ty, &name, like);
            return;
        }
        let extent = if len == 1 { String::new() } else { format!("[{len}]") };
        let init = self.init(object, ty);
        let declaration = if self.is_allocated(object) {
            let head = declare_pointer(self.types(), ty, &name, like);
            let spelled = declare(self.types(), ty, &extent, like).replace(" [", "[");
            let text = init.render(4, 4 + head.chars().count() + spelled.chars().count() + 11);
            // A string is no list: as a value of its own it needs the braces.
            let text = if text.starts_with('{') { text } else { format!("{{{text}}}") };
            format!("{head} = NEW({spelled}, {text});")
        } else {
            let head = declare(self.types(), ty, &format!("{name}{extent}"), like);
            format!("{head} = {};", init.render(4, 4 + head.chars().count() + 4))
        };
        self.declarations.push(declaration);
        self.objects[object as usize].exists = true;
        self.objects[object as usize].order = self.declarations.len();
    }

    /// A structure that ends in an array of as many elements as its initialiser has, which compilers accept of static
    /// variables; or in allocated memory, where it is filled in member by member.
    fn declare_with_tail(&mut self, object: u32, ty: TypeId, name: &str, like: &str) {
        if !self.is_allocated(object) {
            let head = format!("static {}", declare(self.types(), ty, name, like));
            let text = self.init(object, ty).render(4, 4 + head.chars().count() + 4);
            self.declarations.push(format!("{head} = {text};"));
            self.objects[object as usize].exists = true;
            self.objects[object as usize].order = self.declarations.len();
            return;
        }
        let head = declare_pointer(self.types(), ty, name, like);
        let bytes = self.space.table(self.input.objects[object as usize].table).stride;
        self.declarations.push(format!("{head} = __builtin_calloc(1, {bytes});"));
        self.objects[object as usize].exists = true;
        self.objects[object as usize].order = self.declarations.len();
        let cells = self.input.objects[object as usize].cells.len() as u32;
        for var in (0..cells).map(|cell| Var { object, cell }) {
            let (leaf, cell) = (self.input.leaf(self.space, var), self.input.cell(var));
            let is_number = !matches!(leaf.kind, LeafKind::Pointer { .. } | LeafKind::Selector { .. });
            if is_number
                && cell != 0
                && self.input.is_active(self.space, var)
                && let Some(place) = self.lvalue(var)
            {
                let value = scalar(self.types(), leaf, cell, Exactness::Converted);
                self.declarations.push(format!("{place} = {value};"));
            }
        }
    }

    /// Whether an object ends in an array that has elements but no length in its type. Its pointers are set once it is
    /// there.
    fn has_tail(&self, object: u32) -> bool {
        let table = self.space.table(self.input.objects[object as usize].table);
        table.tail.is_some_and(|tail| tail.elements > 0)
    }

    /// Whether the variable of an object is a pointer to allocated memory.
    pub(crate) fn is_allocated(&self, object: u32) -> bool {
        let is_ordinary = self.handle(object).is_none() && self.recipe(object).is_none();
        self.allocates && object as usize >= self.space.roots.len() && is_ordinary
    }

    /// The local variable that holds an object or points to it.
    pub(crate) fn local(&self, object: u32) -> Option<&str> {
        let Actor { name: Some(name), exists: true, order } = &self.objects[object as usize] else {
            return None;
        };
        (*order > 0).then_some(name)
    }

    /// Whether only the address of an object matters.
    fn is_opaque(&self, object: u32) -> bool {
        self.space.is_opaque(self.input.objects[object as usize].table)
    }

    /// The value of an object; pointers to what does not exist yet are null in it.
    fn init(&self, object: u32, ty: TypeId) -> Init {
        let Self { space, input, .. } = self;
        let is_static = self.has_tail(object);
        let object = &input.objects[object as usize];
        let leaves = &space.table(object.table).leaves;
        let address = |cell| self.address(cell).filter(|_| !is_static);
        let element = |index: usize| {
            let cells = &object.cells[index * leaves.len()..(index + 1) * leaves.len()];
            Reader { types: self.types(), walk: Walk::new(leaves), cells, address: &address }.read(ty)
        };
        if object.len == 1 {
            element(0)
        } else {
            Init::array((0..object.len as usize).map(element).collect())
        }
    }

    /// The address in a pointer cell, if it can be named by now.
    fn address(&self, cell: u128) -> Option<String> {
        match Pointer::decode(cell) {
            Pointer::Null | Pointer::Initial => None,
            Pointer::Element { object, element } => {
                self.objects.get(object as usize).filter(|o| o.exists)?;
                self.element_address(object, element)
            }
        }
    }

    /// The address of an element of an object that has a name.
    pub(crate) fn element_address(&self, object: u32, element: u32) -> Option<String> {
        let name = self.objects.get(object as usize)?.name.as_ref()?;
        if self.space.roots.get(object as usize).is_some_and(|root| matches!(root.place, Place::Function(_)))
        {
            return Some(name.clone());
        }
        match self.handle(object) {
            Some(Handle::Stream) => return Some(name.clone()),
            Some(Handle::Directory) => return Some(format!("(DIR *)&{name}")),
            None if self.recipe(object).is_some() => return Some(name.clone()),
            None => {}
        }
        if self.is_opaque(object) {
            return Some(format!("(void *){name}"));
        }
        let len = self.input.objects[object as usize].len;
        let is_pointer = len > 1 || self.is_allocated(object);
        let address = match element {
            0 if is_pointer => name.clone(),
            0 => format!("&{name}"),
            _ if !is_pointer => format!("&{name} + {element}"),
            _ if element < len => format!("&{name}[{element}]"),
            _ => format!("{name} + {element}"),
        };
        Some(match self.disguised.contains(&object) {
            true if address.contains(' ') => format!("(void *)({address})"),
            true => format!("(void *){address}"),
            false => address,
        })
    }

    /// The C expression for a cell, if the test can name it.
    pub(crate) fn lvalue(&self, var: Var) -> Option<String> {
        let Actor { name: Some(name), exists: true, .. } = self.objects.get(var.object as usize)? else {
            return None;
        };
        if self.is_stream(var.object) || self.recipe(var.object).is_some() {
            return None;
        }
        let object = &self.input.objects[var.object as usize];
        let table = self.space.table(object.table);
        let path = &self.input.leaf(self.space, var).path;
        Some(match object.len {
            1 if !self.is_allocated(var.object) => format!("{name}{path}"),
            1 => match path.strip_prefix('.') {
                Some(member) => format!("{name}->{member}"),
                None if path.is_empty() => format!("*{name}"),
                None => format!("(*{name}){path}"),
            },
            _ => format!("{name}[{}]{path}", var.cell as usize / table.leaves.len()),
        })
    }

    /// Pointers that had to wait until their object was declared.
    fn close_cycles(&mut self) {
        let mut closing = Vec::new();
        for object in 0..self.objects.len() as u32 {
            if self.global(object).is_some() || !self.objects[object as usize].exists {
                continue;
            }
            for (var, _) in self.pointers(object) {
                let Pointer::Element { object: to, .. } = Pointer::decode(self.input.cell(var)) else {
                    continue;
                };
                if (self.has_tail(object) || self.order(to) >= self.order(object))
                    && let (Some(place), Some(address)) =
                        (self.lvalue(var), self.address(self.input.cell(var)))
                {
                    closing.push(format!("{place} = {address};"));
                }
            }
        }
        self.assignments.extend(closing);
    }

    fn order(&self, object: u32) -> usize {
        self.objects.get(object as usize).map_or(0, |o| o.order)
    }
}
