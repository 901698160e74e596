//! What a `void *` leads to, and which member of a union is meant, by what a run does with it.
//!
//! The type behind a `void *` may hang on a tag: an `int` on one path, text on another. Runs tell what they used its
//! object as, and it becomes the type that these accesses fit best. Its bytes stay, so the run takes the same way again,
//! and terms now speak of the members that it reads.

use expr::Variable;
use input::{Guard, Input, Leaf, LeafKind, LeafTable, Pointer, Space, TableId, Var};
use std::cmp::Reverse;
use target::{Use, UseKind};

/// Of what a `void *` may lead to, the type that fits these accesses best; `None` if none fits any.
pub(crate) fn by_uses(space: &Space, uses: &[Use]) -> Option<TableId> {
    let tables = space.untyped.iter().map(|&(table, _)| table);
    let (best, fit) =
        tables.map(|table| (table, Fit::of(space.table(table), uses))).min_by_key(|&(_, fit)| fit)?;
    (fit.fitting.0 > 0).then_some(best)
}

/// How well accesses fit a type; the least is the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Fit {
    /// Accesses to exactly one member.
    fitting: Reverse<usize>,
    /// A structure that would have to be several of them: there may be one that has it all.
    is_scattered: bool,
    stride: u32,
}

impl Fit {
    fn of(table: &LeafTable, uses: &[Use]) -> Fit {
        let stride = u64::from(table.stride).max(1);
        let is_record = table.leaves.first().is_some_and(|leaf| !leaf.path.is_empty());
        let fits = |used: &&Use| {
            table.leaves.iter().any(|leaf| is_used(leaf, Use { offset: used.offset % stride, ..**used }))
        };
        Fit {
            fitting: Reverse(uses.iter().filter(fits).count()),
            is_scattered: is_record && uses.iter().any(|used| used.offset >= stride),
            stride: table.stride,
        }
    }

    /// Whether it is worth a change. A smaller type of which nothing else is known is not.
    fn is_better_than(self, other: Fit) -> bool {
        (self.fitting, self.is_scattered) < (other.fitting, other.is_scattered)
    }
}

/// Whether an access is one to this member.
fn is_used(leaf: &Leaf, used: Use) -> bool {
    let is_kind = match leaf.kind {
        LeafKind::Bool | LeafKind::Int { .. } | LeafKind::Enum { .. } => used.kind == UseKind::Integer,
        LeafKind::Float(_) => used.kind == UseKind::Float,
        LeafKind::Pointer { .. } => used.kind == UseKind::Pointer,
        LeafKind::Selector { .. } => false,
    };
    is_kind && u64::from(leaf.offset) == used.offset && u32::from(leaf.width) == used.bytes * 8
}

/// Gives one object behind a `void *` the type that a run used it as; `place` finds the cell of a pointer. Returns whether
/// one has another type now. What lies behind it has other names then, so the next one waits for the next run.
pub(crate) fn retype_all(
    space: &Space,
    input: &mut Input,
    uses: &[Use],
    place: impl FnMut(&Input, Variable) -> Option<Var>,
) -> bool {
    by_variable(space, input, uses, place, retype)
}

/// The same for unions: one becomes the member that a run read it as; `place` finds the cell that says which it is.
pub(crate) fn choose_members(
    space: &Space,
    input: &mut Input,
    reads: &[Use],
    place: impl FnMut(&Input, Variable) -> Option<Var>,
) -> bool {
    by_variable(space, input, reads, place, choose_member)
}

/// Hands the uses of each variable to `change` until it changes something.
fn by_variable(
    space: &Space,
    input: &mut Input,
    uses: &[Use],
    mut place: impl FnMut(&Input, Variable) -> Option<Var>,
    change: impl Fn(&Space, &mut Input, Var, &[Use]) -> bool,
) -> bool {
    let mut variables: Vec<Variable> = uses.iter().map(|used| used.pointer).collect();
    variables.sort_unstable();
    variables.dedup();
    variables.into_iter().any(|variable| {
        let of_this: Vec<Use> = uses.iter().filter(|used| used.pointer == variable).copied().collect();
        place(input, variable).is_some_and(|var| change(space, input, var, &of_this))
    })
}

/// Gives the object that a pointer leads to the type that its uses ask for, if that is another one and no typed pointer
/// leads there. Returns whether it did.
fn retype(space: &Space, input: &mut Input, pointer: Var, uses: &[Use]) -> bool {
    let Pointer::Element { object, element: 0 } = Pointer::decode(input.cell(pointer)) else { return false };
    if (object as usize) < space.roots.len() || !input.is_untyped(space, object) {
        return false;
    }
    let present = input.objects[object as usize].table;
    let Some(better) = by_uses(space, uses).filter(|_| !space.is_opaque(present)) else { return false };
    if !Fit::of(space.table(better), uses).is_better_than(Fit::of(space.table(present), uses)) {
        return false;
    }
    let bytes = uses.iter().map(|used| used.offset + u64::from(used.bytes)).max().unwrap_or(0);
    let table = space.with_room(better, bytes).unwrap_or(better);
    let stride = u64::from(space.table(table).stride).max(1);
    let len = u32::try_from(bytes.div_ceil(stride)).unwrap_or(u32::MAX);
    input.retype(space, object, table, len.max(1))
}

/// The member with most of these places read as what they are; the present one if it is as good.
fn choose_member(space: &Space, input: &mut Input, selector: Var, reads: &[Use]) -> bool {
    let LeafKind::Selector { members } = input.leaf(space, selector).kind else { return false };
    let table = space.table(input.objects[selector.object as usize].table);
    let number = selector.cell % table.leaves.len().max(1) as u32;
    let start = u64::from(table.leaves[number as usize].offset);
    let fitting = |member: u32| {
        let guard = Some(Guard { selector: number, member });
        let leaves = || table.leaves.iter().filter(|leaf| leaf.guard == guard);
        let is_read =
            |read: &&Use| leaves().any(|leaf| is_used(leaf, Use { offset: start + read.offset, ..**read }));
        reads.iter().filter(is_read).count()
    };
    let present = input.cell(selector) as u32;
    let best = (0..members).max_by_key(|&member| (fitting(member), Reverse(member)));
    let Some(best) = best.filter(|&best| fitting(best) > fitting(present)) else { return false };
    *input.cell_mut(selector) = best.into();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use input::SpaceLimits;
    use model::{Field, FloatKind, Function, Param, Program, Type, TypeId, TypeKind, Types};

    /// `f(void *p)`, where code has pointers to `char`, `double`, `struct value { int tag; char *data; }` and two of these in
    /// one.
    fn untyped_space() -> Space {
        let mut types = Types::default();
        let mut add = |kind, size| types.push(Type { kind, size, align: 8, name: None });
        let field = |name: &str, ty: TypeId, bytes: u64| Field {
            name: Some(name.to_owned()),
            ty,
            bit_offset: bytes * 8,
            bit_size: None,
        };
        let letter = add(TypeKind::Int { bits: 8, signed: true, character: true }, 1);
        let double = add(TypeKind::Float(FloatKind::F64), 8);
        let tag = add(TypeKind::Int { bits: 32, signed: true, character: false }, 4);
        let text = add(TypeKind::Pointer { to: letter }, 8);
        let fields = Some(vec![field("tag", tag, 0), field("data", text, 8)]);
        let value = add(TypeKind::Struct { fields }, 16);
        let fields = Some(vec![field("first", value, 0), field("second", value, 16)]);
        let pair = add(TypeKind::Struct { fields }, 32);
        let void = add(TypeKind::Void, 0);
        let any = add(TypeKind::Pointer { to: void }, 8);
        let params = vec![Param { name: "p".to_owned(), ty: any, offset: 0 }];
        let pointees = vec![pair, value, double, letter];
        let function = Function { params, pointees, ..model::testing::function("f") };
        let program = Program { types, ..Program::default() };
        Space::new(&program, &function, SpaceLimits::default(), &[]).expect("a pointer")
    }

    fn used(offset: u64, bytes: u32, kind: UseKind) -> Use {
        Use { pointer: Variable(0), offset, bytes, kind }
    }

    #[test]
    fn accesses_tell_the_type() {
        let space = untyped_space();
        let [(pair, _), (value, _), (double, _), (letter, _)] = space.untyped[..] else { panic!() };
        let (tag, data) = (used(0, 4, UseKind::Integer), used(8, 8, UseKind::Pointer));
        assert_eq!(by_uses(&space, &[used(0, 8, UseKind::Float)]), Some(double));
        assert_eq!(
            by_uses(&space, &[used(0, 1, UseKind::Integer), used(1, 1, UseKind::Integer)]),
            Some(letter)
        );
        assert_eq!(by_uses(&space, &[tag, data]), Some(value));
        assert_eq!(by_uses(&space, &[tag, used(16, 4, UseKind::Integer)]), Some(pair), "both in one");
        assert_eq!(by_uses(&space, &[used(2, 2, UseKind::Integer)]), None);
    }

    #[test]
    fn an_object_changes_only_for_a_better_type() {
        let space = untyped_space();
        let [(pair, _), _, (double, _), _] = space.untyped[..] else { panic!() };
        let pointer = Var { object: 0, cell: 0 };
        let mut input = Input::zero(&space);
        assert!(input.point_to_new_of(&space, pointer, pair, 1));
        assert!(!retype(&space, &mut input, pointer, &[used(0, 4, UseKind::Integer)]), "it has that too");
        assert!(retype(&space, &mut input, pointer, &[used(0, 8, UseKind::Float)]));
        assert_eq!((input.objects[1].table, input.objects[1].len), (double, 1));
        assert!(!retype(&space, &mut input, pointer, &[used(0, 8, UseKind::Float)]));
    }

    /// `f(struct { int tag; union { double radius; struct { char *text; int length; } label; } u; } s)`
    #[test]
    fn reads_tell_the_member() {
        let mut types = Types::default();
        let mut add = |kind, size| types.push(Type { kind, size, align: 8, name: None });
        let field = |name: &str, ty: TypeId, bytes: u64| Field {
            name: Some(name.to_owned()),
            ty,
            bit_offset: bytes * 8,
            bit_size: None,
        };
        let letter = add(TypeKind::Int { bits: 8, signed: true, character: true }, 1);
        let double = add(TypeKind::Float(FloatKind::F64), 8);
        let int = add(TypeKind::Int { bits: 32, signed: true, character: false }, 4);
        let text = add(TypeKind::Pointer { to: letter }, 8);
        let label = Some(vec![field("text", text, 0), field("length", int, 8)]);
        let label = add(TypeKind::Struct { fields: label }, 16);
        let members = Some(vec![field("radius", double, 0), field("label", label, 0)]);
        let union = add(TypeKind::Union { fields: members }, 16);
        let all = Some(vec![field("tag", int, 0), field("u", union, 8)]);
        let all = add(TypeKind::Struct { fields: all }, 24);
        let params = vec![Param { name: "s".to_owned(), ty: all, offset: 0 }];
        let function = Function { params, ..model::testing::function("f") };
        let program = Program { types, ..Program::default() };
        let space = Space::new(&program, &function, SpaceLimits::default(), &[]).expect("a structure");
        let mut input = Input::zero(&space);
        let is_selector = |var: &Var| matches!(input.leaf(&space, *var).kind, LeafKind::Selector { .. });
        let selector = input.vars(&space).find(is_selector).expect("a union");
        let mut choose = |reads: &[Use]| {
            let changed = choose_members(&space, &mut input, reads, |_, _| Some(selector));
            (changed, input.cell(selector))
        };
        assert_eq!(choose(&[used(0, 8, UseKind::Float)]), (false, 0));
        assert_eq!(choose(&[used(0, 8, UseKind::Pointer)]), (true, 1));
        assert_eq!(choose(&[used(8, 4, UseKind::Integer)]), (false, 1));
        assert_eq!(choose(&[used(0, 8, UseKind::Integer)]), (false, 1), "nothing fits better");
    }
}
