//! Shapes of inputs: objects, pointers, lengths, unions.

use crate::testing::{add, field, float, int, list_node, pointer, rule, space, union};
use crate::{Input, LeafKind, Pointer, Rng, Space, Var};
use model::{FloatKind, TypeKind, Types};

fn var(object: u32, cell: u32) -> Var {
    Var { object, cell }
}

fn pointee(input: &Input, at: Var) -> u32 {
    match Pointer::decode(input.cell(at)) {
        Pointer::Element { object, .. } => object,
        other => panic!("{other:?}"),
    }
}

/// `f(struct node *a, struct node *b)`.
fn two_lists() -> Space {
    let mut types = Types::default();
    let node = list_node(&mut types);
    let list = pointer(&mut types, node);
    space(types, &[list, list], &[])
}

#[test]
fn a_new_object_brings_its_cells() {
    let space = two_lists();
    let mut input = Input::zero(&space);
    assert_eq!(input.vars(&space).collect::<Vec<_>>(), [var(0, 0), var(1, 0)]);
    assert!(input.point_to_new(&space, var(1, 0), 2));
    assert_eq!(input.vars(&space).count(), 2 + 4);
    assert!(!input.point_to_new(&space, var(1, 0), 1), "it is not null any more");
    assert!(!input.point_to_new(&space, var(0, 0), space.limits.elements + 1));
    assert!(!input.point_to_new(&space, var(2, 0), 1), "an int is no pointer");
}

#[test]
fn objects_that_nothing_points_to_are_dropped_and_the_rest_renumbered() {
    let space = two_lists();
    let mut input = Input::zero(&space);
    input.point_to_new(&space, var(0, 0), 1);
    input.point_to_new(&space, var(1, 0), 1);
    input.point_to_new(&space, var(3, 1), 1);
    *input.cell_mut(var(4, 0)) = 77;
    input.set_null(&space, var(0, 0));
    assert_eq!(input.objects.len(), 4);
    let first = pointee(&input, var(1, 0));
    let second = pointee(&input, var(first, 1));
    assert_eq!((first, second, input.cell(var(second, 0))), (2, 3, 77));
}

#[test]
fn equal_graphs_are_equal_values_whatever_their_history() {
    let space = two_lists();
    let mut straight = Input::zero(&space);
    straight.point_to_new(&space, var(0, 0), 1);
    straight.point_to_new(&space, var(1, 0), 1);
    straight.point_to_new(&space, var(2, 1), 1);
    let mut detour = Input::zero(&space);
    detour.point_to_new(&space, var(1, 0), 1);
    detour.point_to_new(&space, var(2, 1), 1);
    detour.point_to_new(&space, var(0, 0), 1);
    let list = pointee(&detour, var(0, 0));
    detour.point_to_new(&space, var(list, 1), 1);
    let other = pointee(&detour, var(1, 0));
    detour.set_null(&space, var(other, 1));
    let (mut a, mut b) = (straight, detour);
    a.resize(&space, 2, 1);
    b.resize(&space, 2, 1);
    assert_eq!(a, b);
}

#[test]
fn resizing_keeps_the_first_elements_and_zeroes_new_ones() {
    let space = two_lists();
    let mut input = Input::zero(&space);
    input.point_to_new(&space, var(0, 0), 2);
    *input.cell_mut(var(2, 2)) = 5;
    assert!(input.resize(&space, 2, 4));
    assert_eq!((input.objects[2].len, &input.objects[2].cells[..]), (4, &[0, 0, 5, 0, 0, 0, 0, 0][..]));
    input.point_to_new(&space, var(2, 7), 1);
    assert_eq!(input.objects.len(), 4);
    assert!(input.resize(&space, 2, 2));
    assert_eq!(input.objects.len(), 3, "the list behind the dropped element is gone");
    assert_eq!(input.objects[2].cells, [0, 0, 5, 0]);
}

#[test]
fn resizing_is_refused_for_roots_nothing_and_too_much() {
    let space = two_lists();
    let mut input = Input::zero(&space);
    input.point_to_new(&space, var(0, 0), 1);
    let before = input.clone();
    assert!(!input.resize(&space, 0, 2));
    assert!(!input.resize(&space, 2, 0));
    assert!(!input.resize(&space, 2, space.limits.elements + 1));
    assert_eq!(input, before);
}

#[test]
fn instantiation_of_a_recursive_type_ends_at_the_limit() {
    let space = two_lists();
    assert_eq!(Input::instantiated(&space).objects.len(), 2 + space.limits.objects);
}

#[test]
fn random_graphs_are_sound_and_within_limits() {
    let space = two_lists();
    let mut rng = Rng::with_seed(1);
    for _ in 0..200 {
        let input = Input::random(&space, &mut rng);
        assert!(input.objects.len() <= 2 + space.limits.objects);
        for at in
            input.vars(&space).filter(|&v| matches!(input.leaf(&space, v).kind, LeafKind::Pointer { .. }))
        {
            if let Pointer::Element { object, element } = Pointer::decode(input.cell(at)) {
                assert!(element < input.objects[object as usize].len);
            }
        }
    }
}

#[test]
fn only_the_selected_member_of_a_union_counts_also_when_nested() {
    let mut types = Types::default();
    let (number, real) = (int(&mut types, 32, true), float(&mut types, FloatKind::F32));
    let members = vec![field("i", number, 0, None), field("f", real, 0, None)];
    let inner = add(&mut types, TypeKind::Union { fields: Some(members) }, 4);
    let members = vec![field("plain", number, 0, None), field("u", inner, 0, None)];
    let outer = add(&mut types, TypeKind::Union { fields: Some(members) }, 4);
    let space = space(types, &[outer], &[]);
    let paths: Vec<&str> = space.table(space.roots[0].table).leaves.iter().map(|l| l.path.as_str()).collect();
    assert_eq!(paths, ["", ".plain", ".u", ".u.i", ".u.f"]);
    let mut input = Input::zero(&space);
    let active = |input: &Input| input.vars(&space).map(|v| v.cell).collect::<Vec<_>>();
    assert_eq!(active(&input), [0, 1]);
    *input.cell_mut(var(0, 0)) = 1;
    assert_eq!(active(&input), [0, 2, 3]);
    *input.cell_mut(var(0, 2)) = 1;
    assert_eq!(active(&input), [0, 2, 4]);
}

#[test]
fn an_initial_value_outside_the_range_gives_way() {
    let mut types = Types::default();
    let number = int(&mut types, 32, true);
    let mut space = space(types, &[number, number], &[rule("a", Some(6), Some(9), &[6])]);
    for root in &mut space.roots {
        root.initial = Some(vec![3]);
    }
    let zero = Input::zero(&space);
    assert_eq!((zero.cell(var(0, 0)), zero.cell(var(1, 0))), (7, 3));
    assert!(space.has_leaf("a") && !space.has_leaf("a.x") && !space.has_leaf("c"));
}

#[test]
fn pointers_lead_to_what_is_there_but_not_to_arguments() {
    let space = two_lists();
    let mut input = Input::zero(&space);
    input.point_to_new(&space, var(0, 0), 2);
    assert!(input.point_to(&space, var(1, 0), 2, 1), "an alias of the second element");
    assert_eq!(Pointer::decode(input.cell(var(1, 0))), Pointer::Element { object: 2, element: 1 });
    assert!(input.point_to(&space, var(2, 1), 2, 0), "a cycle");
    assert!(input.point_to(&space, var(2, 3), 2, 2), "one past the end");
    assert!(!input.point_to(&space, var(2, 3), 2, 3), "further");
    assert!(!input.point_to(&space, var(2, 1), 0, 0), "an argument lives only during the call");
    assert!(!input.point_to(&space, var(2, 0), 2, 0), "an int is no pointer");
    input.set_null(&space, var(0, 0));
    assert_eq!(input.objects.len(), 3, "the other pointer keeps the object");
}

#[test]
fn longer_objects_keep_what_they_had() {
    let space = two_lists();
    let mut input = Input::zero(&space);
    input.point_to_new(&space, var(0, 0), 1);
    *input.cell_mut(var(2, 0)) = 5;
    assert!(input.lengthen(&space, 2, 3));
    assert_eq!((input.objects[2].len, input.objects[2].cells.as_slice()), (3, &[5, 0, 0, 0, 0, 0][..]));
    assert!(input.lengthen(&space, 2, 2), "long enough already");
    assert_eq!(input.objects[2].len, 3);
    assert!(!input.lengthen(&space, 2, space.limits.elements + 1));
    assert!(!input.lengthen(&space, 0, 2), "a parameter is one");
}

#[test]
fn pointers_move_along_when_elements_come_in_front() {
    let space = two_lists();
    let mut input = Input::zero(&space);
    input.point_to_new(&space, var(0, 0), 1);
    input.point_to_new(&space, var(1, 0), 1);
    input.shift_pointers(&space, 2, 3);
    assert_eq!(Pointer::decode(input.cell(var(0, 0))), Pointer::Element { object: 2, element: 3 });
    assert_eq!(Pointer::decode(input.cell(var(1, 0))), Pointer::Element { object: 3, element: 0 });
}

#[test]
fn every_other_choice_is_a_variant() {
    let mut types = Types::default();
    let int = int(&mut types, 32, true);
    let list = pointer(&mut types, int);
    let word = union(&mut types, &[int, list]);
    let space = space(types, &[word], &[]);
    let variants = Input::zero(&space).variants(&space, 10);
    assert_eq!(variants.len(), 1);
    assert_eq!(variants[0].cell(var(0, 0)), 1, "the other member");
    assert_eq!(pointee(&variants[0], var(0, 2)), 1, "and something behind its pointer");
    assert!(Input::zero(&space).variants(&space, 0).is_empty());
}
