//! The dynamic criteria on traces written by hand.

use crate::fixtures::*;
use sequence::{ArrayTypeId, Element, FieldId, InvokableId, ObjectId, Place, Trace};
use sequence::{can_still_matter, influences, is_out_of_order, is_redundant};

const A: Place = Place::Static(FieldId(0));
const B: Place = Place::Static(FieldId(1));

fn trace(defines: &[Place], uses: &[Place]) -> Trace {
    Trace {
        defines: defines.iter().copied().collect(),
        uses: uses.iter().copied().collect(),
        ..Trace::default()
    }
}

fn on_array(stores: &[(u32, u32)], loads: &[(u32, u32)]) -> Trace {
    let element =
        |(array, index): &(u32, u32)| Element { array: ObjectId(*array), of: ArrayTypeId(0), index: *index };
    Trace {
        stores: stores.iter().map(element).collect(),
        loads: loads.iter().map(element).collect(),
        ..Trace::default()
    }
}

#[test]
fn c57_the_four_rows_of_table_4_4() {
    let rows = [
        ([trace(&[A], &[]), trace(&[], &[A]), trace(&[], &[A])], true),
        ([trace(&[A], &[]), trace(&[A], &[]), trace(&[], &[A])], true),
        ([trace(&[A], &[]), trace(&[B], &[]), trace(&[], &[A, B])], false),
        ([trace(&[A], &[]), trace(&[A], &[A]), trace(&[], &[A])], false),
    ];
    for (row, (traces, redundant)) in rows.iter().enumerate() {
        assert_eq!(is_redundant(traces), *redundant, "row {}", row + 1);
    }
}

#[test]
fn c57_fields_of_other_objects_are_other_fields() {
    let of = |object| Place::Instance(ObjectId(object), FieldId(0));
    let traces = [trace(&[of(1)], &[]), trace(&[of(2)], &[]), trace(&[], &[of(1)])];
    assert!(influences(&traces, 0, 2));
    assert!(!influences(&traces, 1, 2));
    let same = [trace(&[of(1)], &[]), trace(&[of(1)], &[]), trace(&[], &[of(1)])];
    assert!(!influences(&same, 0, 2));
    assert!(influences(&same, 1, 2));
    // Nothing influences what came before it, or itself.
    assert!(!influences(&same, 2, 1) && !influences(&same, 1, 1) && !influences(&same, 0, 9));
}

#[test]
fn c57_elements_are_told_apart_by_array_and_index() {
    let stored = on_array(&[(1, 3)], &[]);
    let load = |element| [stored.clone(), on_array(&[], &[element])];
    assert!(influences(&load((1, 3)), 0, 1));
    assert!(!influences(&load((1, 4)), 0, 1));
    assert!(!influences(&load((2, 3)), 0, 1));
    let overwritten = [stored.clone(), on_array(&[(1, 3)], &[]), on_array(&[], &[(1, 3)])];
    assert!(!influences(&overwritten, 0, 2));
}

#[test]
fn c57_a_result_counts_if_it_was_handed_on_and_is_not_null() {
    let made = Trace { returned: Some(ObjectId(0)), ..Trace::default() };
    let takes = Trace { arguments: [0].into(), ..Trace::default() };
    assert!(influences(&[made.clone(), takes.clone()], 0, 1));
    assert!(!influences(&[Trace::default(), takes.clone()], 0, 1));
    // The second returned the same object, but its result went nowhere.
    assert!(is_redundant(&[made.clone(), made, takes]));
}

#[test]
fn c58_the_order_inside_an_invokable_is_ignored() {
    // m() { flag = false; if (a > 0) flag = true; }
    let (a, flag) = (A, B);
    let set_a = trace(&[a], &[]);
    let m = trace(&[flag], &[a]);
    let is_flag = trace(&[], &[flag]);
    assert!(!is_redundant(&[set_a, m, is_flag]));
}

#[test]
fn c59_what_was_overwritten_can_matter_no_more() {
    let fixture = three_setters();
    let sequence: Vec<InvokableId> =
        ["P", "setA", "setA", "calculate"].iter().map(|name| fixture.id(name)).collect();
    let of = |field| Place::Instance(ObjectId(0), FieldId(field));
    let created = Trace { returned: Some(ObjectId(0)), ..trace(&[of(0), of(1), of(2)], &[]) };
    let set_a = Trace { arguments: [0].into(), ..trace(&[of(0)], &[]) };
    let can = |traces: &[Trace]| can_still_matter(&fixture.universe, &sequence, traces);
    assert!(can(&[]));
    assert!(can(std::slice::from_ref(&created)));
    assert!(can(&[created.clone(), set_a.clone()]));
    assert!(!can(&[created.clone(), set_a.clone(), set_a.clone()]));
    // One that did nothing, because of the path it took, matters no more either.
    let idle = Trace { arguments: [0].into(), ..Trace::default() };
    assert!(!can(&[created, idle]));
}

#[test]
fn c61_the_count_falls_with_dynamic_reduction() {
    // Statically both may write the same array, so static reduction keeps every order; these runs write elsewhere.
    let mut make = Maker::default();
    let array = make.builder.array_type();
    let names = ["put0", "put1", "put2"];
    names.iter().for_each(|name| {
        make.add(name, function().stores(&[array]));
    });
    make.add("sum", function().loads(&[array]));
    let fixture = make.build();
    let filters = sequence::Filters { connected: false, ..CONNECTED };
    let filters = sequence::Filters { por: sequence::Por::Sound, ..filters };
    let run = |id: &InvokableId| match names.iter().position(|name| fixture.id(name) == *id) {
        Some(index) => on_array(&[(7, index as u32)], &[]),
        None => on_array(&[], &[(7, 0), (7, 1), (7, 2)]),
    };
    let all = fixture.candidates("sum", filters, 4);
    let all: Vec<_> = all.into_iter().filter(|sequence| sequence.len() == 4).collect();
    let executed = all.iter().map(|sequence| (sequence, sequence.iter().map(run).collect::<Vec<Trace>>()));
    let useful: Vec<_> = executed.filter(|(_, traces)| !is_redundant(traces)).collect();
    let in_order = |(sequence, traces): &&(&Vec<InvokableId>, Vec<Trace>)| {
        !(0..traces.len()).any(|at| is_out_of_order(&fixture.universe, sequence, traces, at))
    };
    let kept: Vec<_> = useful.iter().filter(in_order).map(|(sequence, _)| fixture.text(sequence)).collect();
    assert_eq!((all.len(), useful.len()), (27, 6));
    assert_eq!(kept, ["put0 put1 put2 sum"]);
}

#[test]
fn c61_runs_that_do_not_commute_keep_their_order() {
    let fixture = anti_dependence(2, 1);
    let sequence: Vec<InvokableId> = ["Q", "x", "y", "z"].iter().map(|name| fixture.id(name)).collect();
    let of = |field| Place::Instance(ObjectId(0), FieldId(field));
    let traces = |x: Trace, y: Trace| [Trace::default(), x, y];
    let out = |traces: &[Trace]| is_out_of_order(&fixture.universe, &sequence, traces, 1);
    assert!(!out(&traces(trace(&[of(1)], &[of(0)]), trace(&[of(0)], &[]))));
    assert!(!out(&traces(trace(&[of(0)], &[]), trace(&[of(0)], &[]))));
    assert!(!out(&traces(trace(&[of(0)], &[]), trace(&[], &[of(0)]))));
    assert!(out(&traces(trace(&[of(1)], &[]), trace(&[of(0)], &[]))));
    // It was run with the result of the one before it.
    let handed = Trace { arguments: [1].into(), ..Trace::default() };
    assert!(!out(&traces(trace(&[of(1)], &[]), handed)));
}
