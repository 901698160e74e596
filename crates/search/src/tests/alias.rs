//! Goals that only pointers to something that is there already reach.

use crate::Avm;
use crate::testing::{Bench, Subject, Values, at};
use goal::Fitness;
use input::{Input, Pointer, Var};
use model::TypeKind;

/// Evaluations from zero; `None` if the goal was not reached in 20 000.
fn evaluations(subject: &Subject, objective: impl Fn(&Values<'_>) -> Fitness) -> Option<usize> {
    let mut bench = Bench::new(subject, 1, 20_000, objective);
    bench.run(&Avm::ITERATED_PATTERN).then_some(bench.evaluations)
}

fn target(values: &Values<'_>, object: u32, cell: u32) -> Option<(u32, u32)> {
    match Pointer::decode(values.input.cell(Var { object, cell })) {
        Pointer::Element { object, element } => Some((object, element)),
        Pointer::Null | Pointer::Initial => None,
    }
}

fn two_pointers() -> Subject {
    let mut subject = Subject::new();
    let number = subject.int(32, true);
    subject.params = vec![subject.pointer(number); 2];
    subject
}

#[test]
fn two_parameters_lead_to_the_same_object() {
    // Null pointers are equal too: the goal lies behind the question whether there is something.
    let same = |v: &Values<'_>| match (target(v, 0, 0), target(v, 1, 0)) {
        (Some(a), Some(b)) => at(0, u128::from(a != b)),
        (Some(_), None) | (None, Some(_)) => at(1, 0),
        (None, None) => at(2, 0),
    };
    assert!(evaluations(&two_pointers(), same).is_some_and(|n| n < 500));
}

#[test]
fn both_at_once() {
    // One of the two alone is worse than none.
    let same = |v: &Values<'_>| match (target(v, 0, 0), target(v, 1, 0)) {
        (a, b) if a == b => at(0, u128::from(a.is_none())),
        _ => at(5, 0),
    };
    assert!(evaluations(&two_pointers(), same).is_some_and(|n| n < 500));
}

#[test]
fn the_end_of_an_array() {
    // `for (; a != b; a++)` over three elements and more.
    let range = |v: &Values<'_>| match (target(v, 0, 0), target(v, 1, 0)) {
        (Some((a, from)), Some((b, to))) if a == b => at(0, 3u32.abs_diff(to.saturating_sub(from)).into()),
        (Some(_), Some(_)) => at(1, 0),
        (Some(_), None) | (None, Some(_)) => at(2, 0),
        (None, None) => at(3, 0),
    };
    let mut bench = Bench::new(&two_pointers(), 1, 20_000, range);
    let mut start = Input::zero(&bench.space);
    start.point_to_new(&bench.space, Var { object: 0, cell: 0 }, 4);
    assert!(bench.run_from(&Avm::ITERATED_PATTERN, start) && bench.evaluations < 500);
}

#[test]
fn a_node_that_follows_itself() {
    let mut subject = Subject::new();
    let node = subject.add(TypeKind::Struct { fields: None }, 16);
    let next = subject.pointer(node);
    let field = |name: &str, ty, bit_offset| model::Field {
        name: Some(name.to_owned()),
        ty,
        bit_offset,
        bit_size: None,
    };
    let key = subject.int(32, true);
    let fields = Some(vec![field("key", key, 0), field("next", next, 64)]);
    let complete = model::Type { kind: TypeKind::Struct { fields }, size: 16, align: 8, name: None };
    subject.types.set(node, complete);
    subject.params = vec![next];
    let cycle = |v: &Values<'_>| match target(v, 0, 0) {
        None => at(2, 0),
        Some((node, _)) => match target(v, node, 1) {
            Some((next, _)) => at(0, u128::from(next != node)),
            None => at(1, 0),
        },
    };
    assert!(evaluations(&subject, cycle).is_some_and(|n| n < 500));
}
