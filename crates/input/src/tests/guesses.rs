//! Inputs whose types are found out by running: arrays without a length, objects behind `void *`, arguments behind `...`.

use crate::testing::{add, field, int, pointer, space};
use crate::{
    ExtraKind, ExtraRead, Input, LeafTable, Object, Place, Pointer, Settled, Space, SpaceLimits, TableId, Var,
};
use model::{Function, Param, Program, Rest, TypeKind, Types, rest, testing};

fn var(object: u32, cell: u32) -> Var {
    Var { object, cell }
}

/// `f(struct { int count; short tail[]; } *p)`.
fn with_tail() -> Space {
    let mut types = Types::default();
    let (count, short) = (int(&mut types, 32, true), int(&mut types, 16, true));
    let tail = add(&mut types, TypeKind::Array { of: short, len: None }, 0);
    let fields = Some(vec![field("count", count, 0, None), field("tail", tail, 32, None)]);
    let record = add(&mut types, TypeKind::Struct { fields }, 4);
    let param = pointer(&mut types, record);
    space(types, &[param], &[])
}

#[test]
fn longer_tails_have_the_leaves_of_shorter_ones() {
    let space = with_tail();
    let mut input = Input::zero(&space);
    assert!(input.point_to_new(&space, var(0, 0), 1));
    let tables: Vec<&LeafTable> = space.lengths(input.objects[1].table).map(|id| space.table(id)).collect();
    assert_eq!(tables.iter().map(|t| t.stride).take(4).collect::<Vec<_>>(), [4, 6, 8, 10]);
    for pair in tables.windows(2) {
        assert_eq!(pair[0].leaves, pair[1].leaves[..pair[0].leaves.len()]);
    }
    assert_eq!(tables[2].leaves.last().map(|leaf| leaf.path.as_str()), Some(".tail[1]"));
    assert_eq!(tables.last().and_then(|t| t.tail).map(|t| t.elements), Some(256));
}

#[test]
fn a_tail_grows_and_shrinks_and_keeps_its_values() {
    let space = with_tail();
    let mut input = Input::zero(&space);
    assert!(input.point_to_new(&space, var(0, 0), 1));
    assert!(!input.lengthen(&space, 1, 2), "there are no arrays of such structures");
    let longer = |bytes| space.with_room(space.family(input.objects[1].table), bytes).expect("room");
    let (three, two) = (longer(9), longer(8));
    assert!(input.set_tail(&space, 1, three));
    *input.cell_mut(var(1, 0)) = 7;
    *input.cell_mut(var(1, 2)) = 8;
    assert!(input.set_tail(&space, 1, two));
    assert_eq!(input.objects[1].cells, [7, 0, 8]);
    assert!(!input.set_tail(&space, 0, two), "a parameter is what it is");
}

/// `f(void *p)`, where code has pointers to `short` and to `struct { int a; short *b; }`.
fn untyped() -> Space {
    let mut types = Types::default();
    let (short, number) = (int(&mut types, 16, true), int(&mut types, 32, true));
    let shorts = pointer(&mut types, short);
    let fields = Some(vec![field("a", number, 0, None), field("b", shorts, 64, None)]);
    let record = add(&mut types, TypeKind::Struct { fields }, 16);
    let void = add(&mut types, TypeKind::Void, 0);
    let any = pointer(&mut types, void);
    let params = vec![Param { name: "p".to_owned(), ty: any, offset: 0 }];
    let function = Function { params, pointees: vec![short, record], ..testing::function("f") };
    let program = Program { types, ..Program::default() };
    Space::new(&program, &function, SpaceLimits::default(), &[]).expect("values for all")
}

#[test]
fn another_type_keeps_the_bytes() {
    let space = untyped();
    let [(short, _), (record, _)] = space.untyped[..] else { panic!("{:?}", space.untyped) };
    let mut input = Input::zero(&space);
    assert!(input.point_to_new_of(&space, var(0, 0), short, 3));
    input.objects[1].cells = vec![0x1234, 0x5678, 9];
    assert!(input.retype(&space, 1, record, 1));
    assert_eq!(input.objects[1].cells, [0x5678_1234, 0]);
    assert!(input.retype(&space, 1, short, 1));
    assert_eq!(input.objects[1].cells, [0x1234]);
}

#[test]
fn a_pointer_stays_where_the_other_type_has_one() {
    let space = untyped();
    let [(short, _), (record, _)] = space.untyped[..] else { panic!("{:?}", space.untyped) };
    let mut input = Input::zero(&space);
    assert!(input.point_to_new_of(&space, var(0, 0), record, 1));
    assert!(input.point_to_new(&space, var(1, 1), 1));
    let two = |input: &Input, table: TableId, len| {
        let mut other = input.clone();
        assert!(other.retype(&space, 1, table, len));
        other
    };
    let longer = two(&input, record, 2);
    assert_eq!(Pointer::decode(longer.cell(var(1, 1))), Pointer::Element { object: 2, element: 0 });
    assert_eq!(two(&input, short, 8).objects.len(), 2, "nothing leads to the last one any more");
}

/// `f(int count, ...)`.
fn variadic() -> Space {
    let mut types = Types::default();
    let count = int(&mut types, 32, true);
    let ty = rest::add_type(&mut types);
    let params = vec![Param { name: "count".to_owned(), ty: count, offset: 0 }];
    let rest = Some(Rest { ty, offset: 16, list: None });
    let function = Function { params, rest, pointees: vec![count], ..testing::function("f") };
    let program = Program { types, ..Program::default() };
    Space::new(&program, &function, SpaceLimits::default(), &[]).expect("values for all")
}

#[test]
fn arguments_are_those_that_were_read_in_that_order() {
    let space = variadic();
    assert!(matches!(space.roots[1].place, Place::Rest { offset: 16 }));
    let mut input = Input::zero(&space);
    assert_eq!(input.extras(&space), []);
    let reads = [
        ExtraRead::Word(0, ExtraKind::Int),
        ExtraRead::Number(0),
        ExtraRead::Word(1, ExtraKind::Pointer),
        ExtraRead::Number(1),
    ];
    assert_eq!(input.settle(&space, &reads), Settled::Changed);
    assert_eq!(input.settle(&space, &reads), Settled::Same);
    let kinds: Vec<ExtraKind> = input.extras(&space).iter().map(|extra| extra.kind).collect();
    assert_eq!(kinds, [ExtraKind::Int, ExtraKind::Double, ExtraKind::Pointer, ExtraKind::Double]);
    let value = input.extras(&space)[0].var.expect("it was read");
    *input.cell_mut(value) = 5;
    assert_eq!(input.settle(&space, &[ExtraRead::Word(0, ExtraKind::Long)]), Settled::Changed);
    let [only] = input.extras(&space)[..] else { panic!("{:?}", input.extras(&space)) };
    assert_eq!((only.kind, only.var.map(|var| input.cell(var))), (ExtraKind::Long, Some(5)));
}

#[test]
fn a_pointer_behind_the_dots_leads_to_an_object() {
    let space = variadic();
    let mut input = Input::zero(&space);
    let reads = [ExtraRead::Word(0, ExtraKind::Pointer)];
    assert_eq!(input.settle(&space, &reads), Settled::Changed);
    let pointer = input.extras(&space)[0].var.expect("it was read");
    assert!(input.point_to_new(&space, pointer, 2));
    assert_eq!(input.settle(&space, &reads), Settled::Same);
    let before: Vec<Object> = input.objects.clone();
    assert_eq!(input.settle(&space, &[ExtraRead::Word(0, ExtraKind::Int)]), Settled::Changed);
    assert_eq!(input.objects.len() + 1, before.len(), "a number leads nowhere");
}

#[test]
fn what_cannot_be_passed_is_told() {
    let space = variadic();
    let many = ExtraRead::Word(rest::WORDS, ExtraKind::Int);
    for read in [many, ExtraRead::Number(rest::NUMBERS), ExtraRead::Other] {
        let mut input = Input::zero(&space);
        assert_eq!(input.settle(&space, &[read]), Settled::Impossible);
        assert_eq!(input, Input::zero(&space));
    }
}
