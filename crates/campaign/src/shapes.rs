//! Names for the cells of all inputs of a function, whatever their shape.
//!
//! The *shape* of an input is its objects, where its pointers lead and which union members are chosen. A path is made of
//! variables, and they must mean the same in every run. So a cell of a parameter or a global has its own variable, and a
//! cell of another object the one that belongs to it *as seen from the first pointer that leads there*: `list->next->key`
//! is the same variable in a list of two and in one of five (logical addresses: C. Sen, D. Marinov, G. Agha, "CUTE",
//! 2005).
//!
//! The value of a pointer is the address at which its object stood in the run. A solver that is asked for another one
//! answers with a number, which is read with respect to that run: null, an element of an object that was there (now an
//! alias), or else something new. So numbers decide about shapes, and equal numbers are equal pointers: the equivalence
//! graph of pointers that CUTE and AUSTIN keep is what the solver's equalities say.

use crate::concolic::{Shared, has_one_shape, has_plain_shapes};
use crate::retype::{by_uses, choose_members, retype_all};
use expr::{Op, Term, Terms, Variable};
use input::{Input, Leaf, LeafKind, LeafTable, Object, Pointer, Space, TableId, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use target::{Decision, Missing, NO_LENGTH, Path, Use};

/// How far before the start or behind the end of an object an address still means that object, made longer.
const FURTHER: u64 = 4096;

/// In the place of a cell: the length of the object.
const LENGTH: u32 = u32::MAX;

/// All shapes seen so far, and the variables of their cells.
pub(crate) struct Shapes<'s, 'a> {
    session: &'s Shared<'s, 'a>,
    space: &'a Space,
    /// Cells of parameters and globals: variables from 0 on. The next one tells the shape itself.
    roots: u32,
    /// Cells of other objects: the variable of the pointer, the type it leads to, and the cell there.
    behind: HashMap<(u32, TableId, u32), u32>,
    /// The variables that are pointers.
    pointers: HashSet<u32>,
    /// The number of variables.
    count: u32,
    known: Vec<Shape>,
    numbers: HashMap<Input, u32>,
    /// Some run wrote to an object of its input.
    pub(crate) has_written: bool,
    /// The precondition speaks of the lengths of objects.
    asks_for_lengths: bool,
}

/// A shape.
#[derive(Clone)]
struct Shape {
    /// An input of this shape, all numbers zero.
    input: Input,
    /// The variable of every cell, one object after the other, and then that of every object's length.
    names: Rc<[u32]>,
    /// For every object the first pointer that leads to it.
    owners: Vec<Option<u32>>,
    /// Where its objects stand.
    addresses: Vec<u64>,
}

impl<'s, 'a> Shapes<'s, 'a> {
    pub(crate) fn new(session: &'s Shared<'s, 'a>, space: &'a Space) -> Shapes<'s, 'a> {
        let roots = Input::zero(space).size() as u32;
        let mut shapes = Shapes {
            session,
            space,
            roots,
            behind: HashMap::new(),
            pointers: HashSet::new(),
            count: roots + 1,
            known: Vec::new(),
            numbers: HashMap::new(),
            has_written: false,
            asks_for_lengths: session.borrow().asks_for_lengths(),
        };
        // Shape 0 is that of an assignment that says nothing.
        shapes.shape(&Input::zero(space));
        shapes
    }

    /// Whether a complete exploration has seen the paths of all inputs. It has not tried all aliases, but who only reads
    /// cannot tell an alias from an equal copy.
    pub(crate) fn are_all_seen(&self) -> bool {
        has_one_shape(self.space) || !self.has_written && has_plain_shapes(self.space)
    }

    /// The variables of an input's cells, one object after the other.
    pub(crate) fn names(&mut self, input: &Input) -> Rc<[u32]> {
        let shape = self.shape(input);
        Rc::clone(&self.known[shape as usize].names)
    }

    /// The values of all variables for an input; those it does not have are 0.
    pub(crate) fn assignment(&mut self, input: &Input) -> Vec<u128> {
        let number = self.shape(input);
        let shape = &self.known[number as usize];
        let mut values = vec![0; self.count as usize];
        values[self.roots as usize] = number.into();
        for (var, &name) in input.places().zip(&*shape.names) {
            values[name as usize] = match input.leaf(self.space, var).kind {
                LeafKind::Pointer { .. } => shape.address(self.space, input.cell(var)).into(),
                _ => input.cell(var),
            };
        }
        for (object, &name) in input.objects.iter().zip(shape.lengths()) {
            if name != NO_LENGTH {
                values[name as usize] = object.len.into();
            }
        }
        values
    }

    /// The input that an assignment stands for.
    ///
    /// Its objects are found as a run would find them, from the roots on, and what is in them goes by the names that the
    /// run would use: where two pointers are made equal, the one that leads there first says what both will see.
    pub(crate) fn input(&mut self, assignment: &[u128]) -> Input {
        let number = assignment.get(self.roots as usize).map_or(0, |&number| number as usize);
        let base = self.known[number.min(self.known.len() - 1)].clone();
        let mut graph = Graph::new(self.space, &base);
        let mut object = 0;
        while let Some(&Found { before, owner, .. }) = graph.found.get(object) {
            let old = before.map_or(&[][..], |object| base.names_of(object));
            let table = graph.input.objects[object].table;
            if let Some(length) = owner.map(|pointer| self.length(pointer, table))
                && base.lengths().contains(&length)
            {
                let wanted = assignment.get(length as usize).copied().unwrap_or(0);
                graph.resize(object as u32, wanted);
            }
            for cell in 0..graph.input.objects[object].cells.len() as u32 {
                let old = old.get(cell as usize).copied();
                let name = match (owner, old) {
                    (None, old) => old.unwrap_or(self.roots),
                    (Some(pointer), None) => self.name(pointer, table, cell),
                    (Some(pointer), Some(old)) => {
                        let name = self.name(pointer, table, cell);
                        if base.has(name) { name } else { old }
                    }
                };
                let value = assignment.get(name as usize).copied().unwrap_or(0);
                let var = Var { object: object as u32, cell };
                graph.set(var, value, name);
            }
            object += 1;
        }
        graph.input
    }

    /// Lets a pointer that was followed in vain lead to a new object, large enough. Returns whether it could.
    pub(crate) fn supply(&mut self, input: &mut Input, missing: Missing, uses: &[Use]) -> bool {
        let Some(var) = self.place(input, missing.pointer) else { return false };
        let LeafKind::Pointer { to: Some(to), untyped } = input.leaf(self.space, var).kind else {
            return false;
        };
        let uses: Vec<Use> = uses.iter().filter(|used| used.pointer == missing.pointer).copied().collect();
        let by_uses = || by_uses(self.space, &uses).filter(|_| !self.space.is_opaque(to));
        let guess = || by_uses().or_else(|| by_use(self.space, missing.bytes)).unwrap_or(to);
        let to = if untyped { guess() } else { to };
        let to = self.space.with_room(to, missing.bytes).unwrap_or(to);
        let stride = u64::from(self.space.table(to).stride).max(1);
        let len = u32::try_from(missing.bytes.div_ceil(stride)).unwrap_or(u32::MAX);
        input.cell(var) == 0 && input.point_to_new_of(self.space, var, to, len.max(1))
    }

    /// Gives objects behind `void *` the types that a run used them as. Returns whether one has another type now.
    pub(crate) fn retype(&mut self, input: &mut Input, uses: &[Use]) -> bool {
        retype_all(self.space, input, uses, |input, pointer| self.place(input, pointer))
    }

    /// Lets unions be what a run read them as. Returns whether one is something else now.
    pub(crate) fn choose_members(&mut self, input: &mut Input, reads: &[Use]) -> bool {
        choose_members(self.space, input, reads, |input, selector| self.place(input, selector))
    }

    /// The cell of an input that a variable stands for.
    fn place(&mut self, input: &Input, variable: Variable) -> Option<Var> {
        let names = self.names(input);
        let cell = names.iter().position(|&name| name == variable.0)?;
        input.places().nth(cell)
    }

    /// Where a run asked for the order or the distance of two pointers into different objects, lets the second lead to
    /// the end of the first one's object. Returns whether there was such a pair.
    pub(crate) fn relate(&mut self, input: &mut Input, terms: &Terms, path: &Path) -> bool {
        let pointers = self.pointers(input);
        path.decisions.iter().filter(|decision| is_order(terms, decision.taken.condition)).any(|decision| {
            let Some([(_, Some(object)), (var, Some(other))]) = pair(terms, &pointers, decision) else {
                return false;
            };
            let end = input.objects[object as usize].len;
            object != other && input.point_to(self.space, var, object, end)
        })
    }

    /// Where a run went on to the end of an object, and behind it, because a pointer there never was the same as another
    /// one, lets the other lead to that end: `while (p != end)`. Returns whether there was such a pointer.
    pub(crate) fn bound(&mut self, input: &mut Input, terms: &Terms, path: &Path, walked: u32) -> bool {
        let pointers = self.pointers(input);
        path.decisions.iter().rev().filter(|decision| is_equality(terms, decision.taken.condition)).any(
            |decision| {
                let Some([one, two]) = pair(terms, &pointers, decision) else { return false };
                let end = input.objects[walked as usize].len;
                let other = match (one.1 == Some(walked), two.1 == Some(walked)) {
                    (true, false) => two.0,
                    (false, true) => one.0,
                    _ => return false,
                };
                input.point_to(self.space, other, walked, end)
            },
        )
    }

    /// The pointers of an input by the names of their variables, and the objects they lead to.
    fn pointers(&mut self, input: &Input) -> BTreeMap<u32, (Var, Option<u32>)> {
        let names = self.names(input);
        input
            .places()
            .zip(&*names)
            .filter(|&(var, _)| matches!(input.leaf(self.space, var).kind, LeafKind::Pointer { .. }))
            .filter_map(|(var, &name)| match Pointer::decode(input.cell(var)) {
                Pointer::Element { object, .. } => Some((name, (var, Some(object)))),
                Pointer::Null => Some((name, (var, None))),
                Pointer::Initial => None,
            })
            .collect()
    }

    /// The value of the same member in the element before, or in the object whose pointer leads to this one.
    pub(crate) fn beside(&self, assignment: &[u128], variable: Variable) -> Option<u128> {
        let number = *assignment.get(self.roots as usize)? as usize;
        let Shape { input, names, owners, .. } = self.known.get(number)?;
        let place =
            |name: u32| input.places().zip(&**names).find(|&(_, &other)| other == name).map(|(var, _)| var);
        let var = place(variable.0)?;
        if matches!(input.leaf(self.space, var).kind, LeafKind::Pointer { .. }) {
            return None;
        }
        let leaves = self.space.table(input.objects[var.object as usize].table).leaves.len() as u32;
        let beside = match var.cell.checked_sub(leaves) {
            Some(cell) => Var { cell, ..var },
            None => {
                let owner = place(owners[var.object as usize]?)?;
                let same_type =
                    input.objects[owner.object as usize].table == input.objects[var.object as usize].table;
                same_type.then_some(Var { object: owner.object, cell: var.cell })?
            }
        };
        let name = input.places().zip(&**names).find(|&(other, _)| other == beside).map(|(_, &name)| name)?;
        assignment.get(name as usize).copied()
    }

    /// Whether a variable is a pointer of the input.
    pub(crate) fn is_pointer(&self, variable: Variable) -> bool {
        self.pointers.contains(&variable.0)
    }

    /// The number of an input's shape.
    fn shape(&mut self, input: &Input) -> u32 {
        let mut hollow = input.clone();
        for object in &mut hollow.objects {
            let leaves = &self.space.table(object.table).leaves;
            for (cell, leaf) in object.cells.iter_mut().zip(leaves.iter().cycle()) {
                if !matches!(leaf.kind, LeafKind::Pointer { .. } | LeafKind::Selector { .. }) {
                    *cell = 0;
                }
            }
        }
        if let Some(&number) = self.numbers.get(&hollow) {
            return number;
        }
        let (mut names, owners) = self.new_names(&hollow);
        for (object, owner) in hollow.objects.iter().zip(&owners) {
            names.push(owner.map_or(NO_LENGTH, |pointer| self.length(pointer, object.table)));
        }
        let addresses = self.session.borrow_mut().addresses(&hollow);
        let number = self.known.len() as u32;
        self.known.push(Shape { input: hollow.clone(), names: names.into(), owners, addresses });
        self.numbers.insert(hollow, number);
        number
    }

    fn new_names(&mut self, input: &Input) -> (Vec<u32>, Vec<Option<u32>>) {
        let roots = self.space.roots.len();
        let mut owner: Vec<Option<u32>> = vec![None; input.objects.len()];
        let mut names: Vec<Vec<u32>> = vec![Vec::new(); input.objects.len()];
        let mut queue: Vec<usize> = (0..roots).collect();
        let (mut next, mut name_of_root) = (0, 0);
        while let Some(&object) = queue.get(next) {
            next += 1;
            for cell in 0..input.objects[object].cells.len() as u32 {
                let name = match owner[object] {
                    Some(pointer) => self.name(pointer, input.objects[object].table, cell),
                    None => name_of_root,
                };
                name_of_root += u32::from(object < roots);
                names[object].push(name);
                let var = Var { object: object as u32, cell };
                let is_pointer = matches!(input.leaf(self.space, var).kind, LeafKind::Pointer { .. });
                if is_pointer {
                    self.pointers.insert(name);
                }
                if is_pointer
                    && let Pointer::Element { object: to, .. } = Pointer::decode(input.cell(var))
                    && to as usize >= roots
                    && owner[to as usize].is_none()
                {
                    owner[to as usize] = Some(name);
                    queue.push(to as usize);
                }
            }
        }
        (names.concat(), owner)
    }

    /// The variable of the length of what a pointer leads to, if somebody may ask for it.
    fn length(&mut self, pointer: u32, table: TableId) -> u32 {
        if self.asks_for_lengths { self.name(pointer, table, LENGTH) } else { NO_LENGTH }
    }

    /// The variable of a cell behind a pointer.
    fn name(&mut self, pointer: u32, table: TableId, cell: u32) -> u32 {
        *self.behind.entry((pointer, self.space.family(table), cell)).or_insert_with(|| {
            self.count += 1;
            self.count - 1
        })
    }
}

impl Shape {
    /// The variables of an object's cells.
    fn names_of(&self, object: u32) -> &[u32] {
        let objects = &self.input.objects;
        let before: usize = objects[..object as usize].iter().map(|object| object.cells.len()).sum();
        &self.names[before..before + objects[object as usize].cells.len()]
    }

    /// The variables of the lengths of its objects.
    fn lengths(&self) -> &[u32] {
        &self.names[self.names.len() - self.input.objects.len()..]
    }

    /// Whether it has a cell of this name.
    fn has(&self, name: u32) -> bool {
        self.names.contains(&name)
    }

    /// Where a pointer cell leads.
    fn address(&self, space: &Space, cell: u128) -> u64 {
        match Pointer::decode(cell) {
            Pointer::Element { object, element } => {
                let Some(&start) = self.addresses.get(object as usize) else { return 0 };
                start + u64::from(element) * self.stride(space, object)
            }
            Pointer::Null | Pointer::Initial => 0,
        }
    }

    fn stride(&self, space: &Space, object: u32) -> u64 {
        space.table(self.input.objects[object as usize].table).stride.into()
    }

    /// The object with the element at an address, one that a pointer cell may lead to. A little before its start or behind its
    /// end counts too.
    fn element(&self, space: &Space, leaf: &Leaf, address: u64) -> Option<(u32, i64)> {
        let object = (0..self.input.objects.len() as u32)
            .filter(|&object| self.addresses[object as usize] != 0)
            .filter(|&object| self.input.fits(space, leaf, object))
            .find(|&object| {
                let start = self.addresses[object as usize];
                let Object { table, len, .. } = self.input.objects[object as usize];
                let is_alone = space.is_function(table) || space.table(table).is_handle;
                let further = if is_alone { 0 } else { FURTHER };
                let end = start + u64::from(len) * self.stride(space, object);
                (start - further..end + further).contains(&address)
            })?;
        let offset = address.wrapping_sub(self.addresses[object as usize]) as i64;
        let stride = self.stride(space, object) as i64;
        // Solvers know nothing of alignment: what is meant is that element or the one before, but for the first, where a
        // pointer was to differ from one that leads there.
        let is_meant = stride > 0 && (offset % stride == 0 || offset.abs() > stride);
        is_meant.then(|| (object, offset / stride))
    }
}

/// An input in the making.
struct Graph<'g> {
    space: &'g Space,
    base: &'g Shape,
    input: Input,
    /// Its objects so far.
    found: Vec<Found>,
}

/// An object of it.
struct Found {
    /// The number of the object in the base that it is.
    before: Option<u32>,
    /// If it was not there, the address that stands for it.
    address: u64,
    /// The first pointer that leads to it; `None` for roots.
    owner: Option<u32>,
    /// Elements put in front of what it was.
    in_front: u32,
}

impl<'g> Graph<'g> {
    fn new(space: &'g Space, base: &'g Shape) -> Graph<'g> {
        let roots = 0..space.roots.len() as u32;
        let input = Input { objects: base.input.objects[..roots.len()].to_vec() };
        let found =
            roots.map(|root| Found { before: Some(root), address: 0, owner: None, in_front: 0 }).collect();
        Graph { space, base, input, found }
    }

    /// Makes an object that is about to be filled in as long as it is to be, and as what leads there asks for.
    fn resize(&mut self, object: u32, wanted: u128) {
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX).min(self.space.limits.elements);
        let leads_there = |cell: &u128| match Pointer::decode(*cell) {
            Pointer::Element { object: to, element } if to == object => Some(element),
            _ => None,
        };
        let filled = self.input.objects[..object as usize].iter();
        let pointers = filled.flat_map(|filled| {
            let leaves = self.space.table(filled.table).leaves.iter().cycle();
            filled.cells.iter().zip(leaves).filter(|(_, leaf)| matches!(leaf.kind, LeafKind::Pointer { .. }))
        });
        let needed = pointers.filter_map(|(cell, _)| leads_there(cell)).max().unwrap_or(0);
        let wanted = wanted.max(needed);
        let leaves = self.space.table(self.input.objects[object as usize].table).leaves.len();
        let present = &mut self.input.objects[object as usize];
        if wanted > present.len {
            self.input.lengthen(self.space, object, wanted);
        } else if wanted > 0 {
            present.cells.truncate(wanted as usize * leaves);
            present.len = wanted;
        }
    }

    /// Gives a cell its value. `name` is its variable.
    fn set(&mut self, var: Var, value: u128, name: u32) {
        let leaf = self.input.leaf(self.space, var);
        match leaf.kind {
            LeafKind::Selector { members } => {
                if value < u128::from(members) {
                    *self.input.cell_mut(var) = value;
                }
            }
            LeafKind::Pointer { .. } if value == 0 => {
                let is_initial = Pointer::decode(self.input.cell(var)) == Pointer::Initial;
                *self.input.cell_mut(var) =
                    if is_initial { Pointer::Initial } else { Pointer::Null }.encode();
            }
            LeafKind::Pointer { to, .. } => {
                let there = to.and_then(|to| self.lead(leaf, to, value as u64, name));
                *self.input.cell_mut(var) = there.unwrap_or(Pointer::Null).encode();
            }
            _ => *self.input.cell_mut(var) = value,
        }
    }

    /// What an address means: an element of an object that was there or was found already, or else a new object.
    fn lead(&mut self, leaf: &Leaf, to: TableId, address: u64, name: u32) -> Option<Pointer> {
        let there = self.base.element(self.space, leaf, address);
        let same = |found: &Found| match there {
            Some((object, _)) => found.before == Some(object),
            None => found.before.is_none() && found.address == address,
        };
        let known = (0..).zip(&self.found).find(|(_, found)| same(found)).map(|(object, _)| object);
        let known = known.filter(|&object| self.input.fits(self.space, leaf, object));
        let object = match known {
            Some(object) => object,
            None => {
                let before = there.map(|(object, _)| object);
                self.add(to, Found { before, address, owner: Some(name), in_front: 0 })?
            }
        };
        let element = there.map_or(0, |(_, element)| element);
        let element = self.make_room_in_front(object, element)?;
        let is_there = element <= self.input.objects[object as usize].len
            || self.input.lengthen(self.space, object, element + 1);
        is_there.then_some(Pointer::Element { object, element })
    }

    /// Lengthens an object at its front if an element before its first is meant. Returns the number that the element has
    /// then; `None` if there cannot be so many.
    fn make_room_in_front(&mut self, object: u32, element: i64) -> Option<u32> {
        let Some(found) = self.found.get_mut(object as usize) else { return u32::try_from(element).ok() };
        let missing = u32::try_from(-(element + i64::from(found.in_front))).unwrap_or(0);
        let Object { table, len, .. } = self.input.objects[object as usize];
        let is_root = (object as usize) < self.space.roots.len();
        if missing > 0 && (is_root || len + missing > self.space.limits.elements) {
            return None;
        }
        found.in_front += missing;
        let number = u32::try_from(element + i64::from(found.in_front)).ok()?;
        if missing > 0 {
            let longer = &mut self.input.objects[object as usize];
            longer.cells.splice(0..0, Object::zero(self.space, table, missing).cells);
            longer.len += missing;
            self.input.shift_pointers(self.space, object, missing);
        }
        Some(number)
    }

    fn add(&mut self, to: TableId, found: Found) -> Option<u32> {
        let number = self.input.objects.len() as u32;
        if self.space.is_function(to) {
            return (0..self.space.roots.len() as u32).find(|&r| self.space.roots[r as usize].table == to);
        }
        let before = found.before.map(|object| self.base.input.objects[object as usize].clone());
        // What its owner led to before is what a run will expect to be there.
        let expected = self.base.owners.iter().position(|&owner| owner == found.owner);
        let expected = expected.map(|object| &self.base.input.objects[object]);
        let is_same = |object: &&Object| self.space.family(object.table) == self.space.family(to);
        let table = expected.filter(is_same).map_or(to, |object| object.table);
        let expected = expected.map_or(1, |object| object.len);
        let object = before.unwrap_or_else(|| Object::zero(self.space, table, 1));
        if number as usize >= self.space.roots.len() + self.space.limits.objects {
            return None;
        }
        self.input.objects.push(object);
        self.input.lengthen(self.space, number, expected);
        self.found.push(found);
        Some(number)
    }
}

/// Whether a condition asks which of two numbers as wide as addresses is less.
fn is_order(terms: &Terms, condition: Term) -> bool {
    let node = terms.node(condition);
    let Some(first) = node.operands().next() else { return false };
    match node.op {
        Op::Not => is_order(terms, first),
        Op::Ult | Op::Ule | Op::Slt | Op::Sle => terms.width(first) == 64,
        _ => false,
    }
}

/// Whether a condition asks whether two numbers as wide as addresses are the same.
fn is_equality(terms: &Terms, condition: Term) -> bool {
    let node = terms.node(condition);
    let Some(first) = node.operands().next() else { return false };
    match node.op {
        Op::Not => is_equality(terms, first),
        Op::Eq => terms.width(first) == 64,
        _ => false,
    }
}

/// The two pointers that a condition speaks of, if it does of two, and where they lead.
fn pair(
    terms: &Terms,
    pointers: &BTreeMap<u32, (Var, Option<u32>)>,
    decision: &Decision,
) -> Option<[(Var, Option<u32>); 2]> {
    let variables: BTreeSet<u32> =
        terms.variables_of(decision.taken.condition).into_iter().map(|variable| variable.0).collect();
    let mut found = variables.into_iter().filter_map(|name| pointers.get(&name).copied());
    match (found.next(), found.next(), found.next()) {
        (Some(one), Some(two), None) => Some([one, two]),
        _ => None,
    }
}

/// Of what a `void *` may lead to, the least that ends where it was read, or else has room for that.
pub(crate) fn by_use(space: &Space, bytes: u64) -> Option<TableId> {
    let ends_there = |table: &LeafTable| {
        table.leaves.iter().any(|leaf| u64::from(leaf.offset) + u64::from(leaf.width / 8) == bytes)
    };
    let fitting = space
        .untyped
        .iter()
        .map(|&(table, _)| table)
        .filter(|&table| u64::from(space.table(table).stride) >= bytes);
    fitting.min_by_key(|&table| (!ends_there(space.table(table)), space.table(table).stride))
}

/// Of what a pointer to an incomplete structure may lead to, the nearest at hand that is a structure and has room.
pub(crate) fn by_cast(space: &Space, bytes: u64) -> Option<TableId> {
    let is_record = |table: &LeafTable| table.leaves.first().is_some_and(|leaf| leaf.path.starts_with('.'));
    let has_room = |table: &LeafTable| u64::from(table.stride) >= bytes;
    let mut tables = space.untyped.iter().map(|&(table, _)| table);
    tables.find(|&table| is_record(space.table(table)) && has_room(space.table(table)))
}
