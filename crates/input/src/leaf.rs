//! The space of inputs of one function: its roots and the leaves of every type that can occur.

use crate::flatten::{flatten, flatten_with, tail_of};
use model::{FloatKind, Function, FunctionId, Global, GlobalId, Program, Recipe, TypeId, TypeKind, Types};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All inputs one function can be given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Space {
    /// Parameters in order, then globals.
    pub roots: Vec<Root>,
    /// Bounds on the size of one input.
    pub limits: SpaceLimits,
    /// What a `void *` may lead to, the likeliest first, each with its type as declared.
    pub untyped: Vec<(TableId, TypeId)>,
    tables: Vec<LeafTable>,
    by_type: BTreeMap<TypeId, TableId>,
}

/// Bytes of something that nobody can look into; enough for it to have an address of its own.
const OPAQUE: u32 = 64;

/// Elements that the array at the end of a structure may have: few exactly, more in steps.
const TAILS: [u32; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/// Alignment from which on code relies on it.
const ALIGNED: u64 = 16;

/// Functions of one type that a pointer may lead to.
const MOST_FUNCTIONS: usize = 8;

/// Index of a [`LeafTable`] in its [`Space`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TableId(pub u32);

/// Where the search may not go further.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpaceLimits {
    /// Heap objects in one input.
    pub objects: usize,
    /// Elements of one heap object.
    pub elements: u32,
    /// Leaves of one type. Of a type with more the ends of its arrays are left as they are: zero, or a global's own
    /// values.
    pub leaves: usize,
    /// How objects come about.
    pub ways: Ways,
    /// Random whole numbers are uniform over their ranges; otherwise half of them are small.
    pub uniform: bool,
}

impl Default for SpaceLimits {
    fn default() -> Self {
        SpaceLimits { objects: 64, elements: 1024, leaves: 512, ways: Ways::default(), uniform: false }
    }
}

/// The ways to find the shape of an input. All of them are meant to be used; experiments leave some out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ways {
    /// Conditions on pointers are solved, after CUTE and AUSTIN.
    pub solver: bool,
    /// The search puts objects in, makes them longer and redirects pointers, after CAVM.
    pub growth: bool,
    /// What a run lacked is there in the next.
    pub demand: bool,
}

impl Default for Ways {
    fn default() -> Self {
        Ways { solver: true, growth: true, demand: true }
    }
}

/// A parameter or a global.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Root {
    /// Name in the source.
    pub name: String,
    /// Where the back end puts it.
    pub place: Place,
    /// Its type as declared.
    pub ty: TypeId,
    /// Its leaves.
    pub table: TableId,
    /// A global's cells as the program initialises them, where the back end knows them.
    pub initial: Option<Vec<u128>>,
    /// Only looked at after the run (a global that is written but never read, or `const`).
    pub observed_only: bool,
}

/// Where a root lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Place {
    /// In the block of arguments at this byte offset.
    Param {
        /// Which parameter.
        index: u32,
        /// Byte offset in the block of arguments.
        offset: u32,
    },
    /// In the block of arguments too: what stands behind `...` or in a `va_list`, see [`model::Rest`].
    Rest {
        /// Byte offset in the block of arguments.
        offset: u32,
    },
    /// A global variable.
    Global(GlobalId),
    /// A function, for pointers to functions to lead to. It has no leaves.
    Function(FunctionId),
}

/// The leaves of one type in the order of its members. Of a large array only the first elements have leaves: who
/// reads a type beside its table follows the paths, see [`crate::Walk`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LeafTable {
    /// The type, typedefs resolved.
    pub ty: TypeId,
    /// Distance of two elements in bytes.
    pub stride: u32,
    /// The leaves of one element.
    pub leaves: Vec<Leaf>,
    /// Leaves left out because of [`SpaceLimits::leaves`].
    pub truncated: u64,
    /// Members no value can be made for: path and type name.
    pub unsupported: Vec<(String, String)>,
    /// An object has one element, for that is all the C library makes: a stream, an open directory.
    pub is_handle: bool,
    /// Set if the type ends in an array without a length: its objects have tables by how long that is.
    pub tail: Option<Tail>,
}

/// The array without a length at the end of a structure. Of two tables of a type the one with more elements has the
/// leaves of the other, and then more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tail {
    /// Elements that it has.
    pub elements: u32,
    /// The table without any.
    pub none: TableId,
    /// The table with the next number of elements that there is.
    pub longer: Option<TableId>,
}

/// A scalar place inside a type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Leaf {
    /// Byte offset from the start of the element.
    pub offset: u32,
    /// Bit inside that byte where a bit-field starts; 0 otherwise.
    pub bit: u8,
    /// Width in bits.
    pub width: u16,
    /// What it is.
    pub kind: LeafKind,
    /// Set when the leaf is part of a union member: it counts only while that member is selected.
    pub guard: Option<Guard>,
    /// C text from the element to the leaf: ``, `.x`, `[3].name`.
    pub path: String,
    /// Type as declared.
    pub ty: TypeId,
    /// Values the search may use.
    pub range: Range,
    /// Only looked at after the run.
    pub observed_only: bool,
}

/// "Only while the selector leaf number `selector` of the same element has the value `member`."
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Guard {
    /// Index of the selector leaf in the same table.
    pub selector: u32,
    /// The union member this leaf belongs to.
    pub member: u32,
}

/// Kinds of leaves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum LeafKind {
    /// `_Bool`.
    Bool,
    /// Integer of `width` bits.
    Int {
        /// Two's complement?
        signed: bool,
    },
    /// Floating point.
    Float(FloatKind),
    /// Enumeration with its declared values in order.
    Enum {
        /// Two's complement?
        signed: bool,
        /// Declared values.
        values: Vec<i128>,
    },
    /// Pointer to elements of a type; `None` if nothing can be made for it (incomplete types).
    Pointer {
        /// Pointee; of a `void *` the likeliest.
        to: Option<TableId>,
        /// May lead to anything, see [`Space::untyped`]: a `void *`, or a pointer to an incomplete structure that
        /// code converts to one that it knows.
        untyped: bool,
    },
    /// Not in memory: which member of a union is in use.
    Selector {
        /// How many members there are.
        members: u32,
    },
}

/// Allowed values: an interval and single exceptions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Range {
    /// Least and greatest allowed value, where the user set them.
    pub bounds: Option<(Option<i128>, Option<i128>)>,
    /// Forbidden values, as cells.
    pub exclude: Vec<u128>,
}

/// A range the user set for one root of one function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RangeRule {
    /// Root and path of the leaves it concerns: `a`, `p.x`, `table[3]`.
    pub target: String,
    /// Least value.
    pub min: Option<i128>,
    /// Greatest value.
    pub max: Option<i128>,
    /// Values never used.
    pub exclude: Vec<i128>,
}

/// Why a function has no input space yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpaceError {
    /// Parameter or global, with the path to the member.
    pub place: String,
    /// The type that no value can be made of.
    pub type_name: String,
}

impl Space {
    /// The input space of `function`.
    ///
    /// # Errors
    /// When a parameter passed by value has a type no value can be made of.
    pub fn new(
        program: &Program,
        function: &Function,
        limits: SpaceLimits,
        rules: &[RangeRule],
    ) -> Result<Space, SpaceError> {
        let mut space = Space::empty(limits);
        space.add_untyped(program, function);
        for (index, param) in function.params.iter().enumerate() {
            if let Some(rest) = function.rest.filter(|rest| rest.list == Some(index as u32)) {
                space.add_root(program, &param.name, Place::Rest { offset: rest.offset }, rest.ty, false);
                continue;
            }
            let place = Place::Param { index: index as u32, offset: param.offset };
            let made = program.recipe(function, index as u32).map(|recipe| recipe.ty);
            let table = space.add_root(program, &param.name, place, made.unwrap_or(param.ty), false);
            if let Some((path, type_name)) = space.table(table).unsupported.first() {
                return Err(SpaceError {
                    place: format!("{}{path}", param.name),
                    type_name: type_name.clone(),
                });
            }
        }
        if let Some(rest) = function.rest.filter(|rest| rest.list.is_none()) {
            space.add_root(program, "...", Place::Rest { offset: rest.offset }, rest.ty, false);
        }
        let mut globals: Vec<GlobalId> = function.reads.iter().chain(&function.writes).copied().collect();
        globals.sort_unstable();
        globals.dedup();
        for id in globals {
            let Global { name, ty, .. } = program.global(id);
            let observed_only = !function.reads.contains(&id) || program.types.is_const(*ty);
            space.add_root(program, name, Place::Global(id), *ty, observed_only);
        }
        space.apply_rules(rules);
        space.add_functions(program, function);
        Ok(space)
    }

    fn empty(limits: SpaceLimits) -> Space {
        let (roots, untyped, tables) = (Vec::new(), Vec::new(), Vec::new());
        Space { roots, limits, untyped, tables, by_type: BTreeMap::new() }
    }

    /// What a `void *` of this function may lead to: whatever it and those it calls have pointers to.
    fn add_untyped(&mut self, program: &Program, function: &Function) {
        for &ty in &function.pointees {
            let table = self.add_table(&program.types, ty);
            let LeafTable { leaves, stride, unsupported, .. } = self.table(table);
            if !leaves.is_empty() && *stride > 0 && unsupported.is_empty() {
                self.untyped.push((table, ty));
            }
        }
        // Pointers inside of these were entered before the list was known.
        let first = self.untyped.first().map(|&(table, _)| table);
        let is_disguise = self.hides_structures(&program.types);
        let opaque: Vec<bool> = (0..self.tables.len() as u32).map(|id| self.is_opaque(TableId(id))).collect();
        for leaf in self.tables.iter_mut().flat_map(|table| &mut table.leaves) {
            match &mut leaf.kind {
                LeafKind::Pointer { to: Some(to), untyped } if opaque[to.0 as usize] => {
                    *untyped = is_disguise
                }
                LeafKind::Pointer { to, untyped: true } => *to = first,
                _ => {}
            }
        }
    }

    /// Whether a pointer to an incomplete structure may lead to another one in disguise: this function or those it
    /// calls have pointers to complete ones.
    fn hides_structures(&self, types: &Types) -> bool {
        self.untyped.iter().any(|&(_, ty)| matches!(types.resolved(ty).kind, TypeKind::Struct { .. }))
    }

    /// The functions that pointers to functions may lead to: those of the same type that a test can name.
    fn add_functions(&mut self, program: &Program, function: &Function) {
        for table in (0..self.tables.len() as u32).map(TableId) {
            let ty = self.table(table).ty;
            if !matches!(program.types.get(ty).kind, TypeKind::Function { .. }) {
                continue;
            }
            let is_stub = |f: &Function| {
                let mut stubs = program.stubs.iter().filter(|stub| stub.is_callback && stub.name == f.name);
                stubs.any(|stub| stub.file == function.span.file)
            };
            // A stub can return whatever is needed; calling itself leads nowhere new.
            let mut callable: Vec<(bool, bool, FunctionId)> = (0..)
                .map(FunctionId)
                .zip(&program.functions)
                .map(|(id, f)| (!is_stub(f), f.symbol == function.symbol, id))
                .filter(|&(is_real, _, id)| !is_real || program.function(id).span.file == function.span.file)
                .filter(|&(.., id)| program.function(id).name != "main")
                .filter(|&(.., id)| program.function(id).has_type(&program.types, ty))
                .collect();
            callable.sort_unstable();
            for (.., id) in callable.into_iter().take(MOST_FUNCTIONS) {
                let name = program.function(id).name.clone();
                let place = Place::Function(id);
                self.roots.push(Root { name, place, ty, table, initial: None, observed_only: true });
            }
        }
    }

    /// The leaves of one kind of element.
    #[must_use]
    pub fn table(&self, id: TableId) -> &LeafTable {
        &self.tables[id.0 as usize]
    }

    /// Whether there is a pointer that may lead to objects of any type.
    #[must_use]
    pub fn has_untyped(&self) -> bool {
        let is_untyped = |leaf: &Leaf| matches!(leaf.kind, LeafKind::Pointer { untyped: true, .. });
        self.tables.iter().any(|table| table.leaves.iter().any(is_untyped))
    }

    /// The one table that stands for all those of a type that differ in the length of the array at their end.
    #[must_use]
    pub fn family(&self, id: TableId) -> TableId {
        self.table(id).tail.map_or(id, |tail| tail.none)
    }

    /// The tables of the same type in order, the one without elements at its end first.
    pub fn lengths(&self, id: TableId) -> impl Iterator<Item = TableId> + '_ {
        std::iter::successors(Some(self.family(id)), |&id| self.table(id).tail?.longer)
    }

    /// The least table of the same type with room for so many bytes, if it ends in an array without a length.
    #[must_use]
    pub fn with_room(&self, id: TableId, bytes: u64) -> Option<TableId> {
        self.table(id).tail?;
        self.lengths(id).find(|&id| u64::from(self.table(id).stride) >= bytes)
    }

    /// Whether a table is that of an incomplete type: there can be objects of it, but only their addresses matter.
    #[must_use]
    pub fn is_opaque(&self, id: TableId) -> bool {
        let LeafTable { leaves, unsupported, stride, .. } = self.table(id);
        leaves.is_empty() && !unsupported.is_empty() && *stride == OPAQUE
    }

    /// The leaves of all kinds of elements.
    pub fn tables(&self) -> impl Iterator<Item = &LeafTable> {
        self.tables.iter()
    }

    /// Whether a table is that of a function: nothing can be made of it, but functions can be pointed to.
    #[must_use]
    pub fn is_function(&self, id: TableId) -> bool {
        let LeafTable { leaves, unsupported, stride, .. } = self.table(id);
        leaves.is_empty() && unsupported.is_empty() && *stride == 1
    }

    /// The leaves of a type by its resolved id, for values that are no inputs, such as results.
    #[must_use]
    pub fn leaves_of(types: &Types, ty: TypeId) -> LeafTable {
        let mut space = Space::empty(SpaceLimits::default());
        let id = space.add_table(types, ty);
        space.tables.swap_remove(id.0 as usize)
    }

    fn add_root(
        &mut self,
        program: &Program,
        name: &str,
        place: Place,
        ty: TypeId,
        observed_only: bool,
    ) -> TableId {
        let table = self.add_table(&program.types, ty);
        self.roots.push(Root { name: name.to_owned(), place, ty, table, initial: None, observed_only });
        table
    }

    /// Enters the leaves of `ty` and of everything it points to.
    fn add_table(&mut self, types: &Types, ty: TypeId) -> TableId {
        let ty = types.resolve(ty);
        if let Some(&id) = self.by_type.get(&ty) {
            return id;
        }
        // Entered before its pointees, so that recursive types end.
        let id = TableId(self.tables.len() as u32);
        self.by_type.insert(ty, id);
        self.tables.push(LeafTable::empty(ty, types.size(ty)));
        let (mut table, pointees) = flatten(types, self.limits.leaves, ty);
        if let Some(handle) = types.handle(ty) {
            table.is_handle = true;
            for leaf in &mut table.leaves {
                leaf.observed_only = handle.is_observed(leaf.path.trim_start_matches('.'));
            }
        }
        if types.is_recipe(ty) {
            table.is_handle = true;
            for leaf in &mut table.leaves {
                leaf.observed_only = leaf.path.trim_start_matches('.') == Recipe::IS_MADE;
            }
        }
        self.tables[id.0 as usize] = table;
        self.resolve_pointees(types, id, pointees);
        self.add_tails(types, id);
        id
    }

    /// Enters the tables of a type that ends in an array without a length, one for every length.
    fn add_tails(&mut self, types: &Types, none: TableId) {
        let ty = self.table(none).ty;
        if tail_of(types, ty).is_none() {
            return;
        }
        self.tables[none.0 as usize].tail = Some(Tail { elements: 0, none, longer: None });
        let mut last = none;
        let most = self.limits.elements;
        for elements in TAILS.into_iter().take_while(|&elements| elements <= most) {
            let (table, pointees) = flatten_with(types, self.limits.leaves, ty, elements.into());
            let align = types.resolved(ty).align;
            if table.truncated > 0 {
                break;
            }
            if align >= ALIGNED && !u64::from(table.stride).is_multiple_of(align) {
                continue;
            }
            let id = TableId(self.tables.len() as u32);
            self.tables.push(LeafTable { tail: Some(Tail { elements, none, longer: None }), ..table });
            self.resolve_pointees(types, id, pointees);
            if let Some(tail) = &mut self.tables[last.0 as usize].tail {
                tail.longer = Some(id);
            }
            last = id;
        }
    }

    /// Enters what the pointers among the leaves of a table lead to.
    fn resolve_pointees(&mut self, types: &Types, id: TableId, pointees: Vec<(usize, TypeId)>) {
        for (leaf, pointee) in pointees {
            let kind = match types.resolved(pointee).kind {
                TypeKind::Void => {
                    LeafKind::Pointer { to: self.untyped.first().map(|&(table, _)| table), untyped: true }
                }
                TypeKind::Function { .. } => {
                    LeafKind::Pointer { to: Some(self.function_table(types, pointee)), untyped: false }
                }
                TypeKind::Struct { fields: None } | TypeKind::Union { fields: None }
                    if types.resolved(pointee).name.is_some() && !is_private(types, pointee) =>
                {
                    let to = self.add_table(types, pointee);
                    self.tables[to.0 as usize].stride = OPAQUE;
                    LeafKind::Pointer { to: Some(to), untyped: self.hides_structures(types) }
                }
                // What belongs to the C library, such as FILE, only the library can make.
                TypeKind::Struct { .. } if is_private(types, pointee) => {
                    LeafKind::Pointer { to: None, untyped: false }
                }
                _ => {
                    let to = self.add_table(types, pointee);
                    let makeable = self.table(to).unsupported.is_empty() && self.table(to).stride > 0;
                    LeafKind::Pointer { to: makeable.then_some(to), untyped: false }
                }
            };
            self.tables[id.0 as usize].leaves[leaf].kind = kind;
        }
    }

    /// The table of a function type, without leaves; equal types share one.
    fn function_table(&mut self, types: &Types, ty: TypeId) -> TableId {
        let ty = types.resolve(ty);
        if let Some(i) = self.tables.iter().position(|table| types.are_same(table.ty, ty)) {
            return TableId(i as u32);
        }
        self.tables.push(LeafTable::empty(ty, 1));
        TableId(self.tables.len() as u32 - 1)
    }

    /// Whether the target of a rule is an input.
    #[must_use]
    pub fn has_leaf(&self, target: &str) -> bool {
        let (name, path) = root_and_path(target);
        self.roots
            .iter()
            .filter(|root| root.name == name && !root.observed_only)
            .any(|root| self.table(root.table).leaves.iter().any(|leaf| leaf.path == path))
    }

    fn apply_rules(&mut self, rules: &[RangeRule]) {
        for rule in rules {
            let (name, path) = root_and_path(&rule.target);
            for root in self.roots.iter_mut().filter(|r| r.name == name) {
                // A table of its own: the rule concerns this root, not everything of the same type.
                let mut table = self.tables[root.table.0 as usize].clone();
                for leaf in table.leaves.iter_mut().filter(|leaf| leaf.path == path) {
                    leaf.restrict(rule);
                }
                root.table = TableId(self.tables.len() as u32);
                self.tables.push(table);
            }
        }
    }
}

/// Whether a name is one that C reserves for its library.
fn is_private(types: &Types, ty: TypeId) -> bool {
    types.resolved(ty).name.as_deref().is_some_and(|tag| tag.starts_with('_'))
}

/// `p.x` as `p` and `.x`.
fn root_and_path(target: &str) -> (&str, &str) {
    target.split_at(target.find(['.', '[']).unwrap_or(target.len()))
}

impl Leaf {
    fn restrict(&mut self, rule: &RangeRule) {
        if rule.min.is_some() || rule.max.is_some() {
            self.range.bounds = Some((rule.min, rule.max));
        }
        let excluded: Vec<u128> = rule.exclude.iter().map(|&value| self.cell_of(value)).collect();
        self.range.exclude.extend(excluded);
    }

    /// The cell that bytes hold where this leaf begins at an offset; zero where there are none.
    pub(crate) fn read(&self, bytes: &[u8], offset: u64) -> u128 {
        let bit = |i: u64| {
            let at = offset * 8 + u64::from(self.bit) + i;
            bytes.get((at / 8) as usize).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
        };
        (0..u64::from(self.width)).filter(|&i| bit(i)).fold(0, |cell, i| cell | 1 << i)
    }

    /// Puts a cell there.
    pub(crate) fn write(&self, bytes: &mut [u8], offset: u64, cell: u128) {
        for i in 0..u64::from(self.width) {
            let at = offset * 8 + u64::from(self.bit) + i;
            if let Some(byte) = bytes.get_mut((at / 8) as usize) {
                *byte = *byte & !(1 << (at % 8)) | ((cell >> i & 1) as u8) << (at % 8);
            }
        }
    }

    /// A whole number as a cell of this leaf, wrapped to its width.
    fn cell_of(&self, value: i128) -> u128 {
        match self.kind {
            LeafKind::Float(kind) => self.float_cell(kind, value as f64),
            _ => value as u128 & mask(self.width),
        }
    }
}

/// The bits of a cell of `width` bits.
#[must_use]
pub(crate) fn mask(width: u16) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl LeafTable {
    pub(crate) fn empty(ty: TypeId, size: u64) -> LeafTable {
        let (leaves, unsupported) = (Vec::new(), Vec::new());
        LeafTable { ty, stride: size as u32, leaves, truncated: 0, unsupported, is_handle: false, tail: None }
    }
}
