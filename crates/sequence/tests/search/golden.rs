//! Sequences of the examples of the thesis, counted by hand and by an independent script.

use crate::fixtures::*;
use sequence::{Candidates, Filters, InvokableId, Kind};
use std::collections::BTreeSet;

#[test]
fn c16_breadth_first_counts() {
    let monitor = temperature_monitor();
    // (3^(n-1) + 1) / 2
    assert_eq!(monitor.counts("warning", Filters::INFLUENCE, 7), [1, 2, 5, 14, 41, 122, 365]);
    let second = monitor.texts("warning", Filters::INFLUENCE, 2);
    assert_eq!(second, ["TM warning", "update warning"]);
}

#[test]
fn c16_the_order_is_that_of_the_work_list() {
    let monitor = temperature_monitor();
    let third = monitor.texts("warning", Filters::INFLUENCE, 3);
    let by_hand = [
        "TM TM warning",
        "update TM warning",
        "TM update warning",
        "setEnabled update warning",
        "update update warning",
    ];
    assert_eq!(third, by_hand);
    let all = monitor.candidates("warning", Filters::INFLUENCE, 6);
    assert!(all.is_sorted_by_key(|found| found.len()));
}

#[test]
fn c16_without_the_filter_all_sequences_are_candidates() {
    let monitor = temperature_monitor();
    let filters = Filters { influence: false, ..Filters::INFLUENCE };
    assert_eq!(monitor.counts("warning", filters, 5), [1, 5, 25, 125, 625]);
}

#[test]
fn c17_executable_counts() {
    let monitor = temperature_monitor();
    assert_eq!(monitor.counts("warning", EXECUTABLE, 7), [0, 1, 2, 5, 14, 41, 122]);
}

#[test]
fn c17_a_receiver_may_take_a_chain_of_producers() {
    // A factory needs a registry, which needs nothing: the method is three invokables away from nothing.
    let mut make = Maker::default();
    let [registry, factory, product] = std::array::from_fn(|_| make.builder.reference_type());
    make.add("registry", function().returns(registry));
    make.add("factory", method().on(registry).returns(factory));
    make.add("make", method().on(factory).returns(product));
    make.add("work", method().on(product));
    let chain = make.build();
    assert_eq!(chain.counts("work", CONNECTED, 4), [0, 0, 0, 1]);
    // A demand that takes more places than there are is noticed at the first step: shorter lengths cost a try each.
    let mut candidates = Candidates::new(&chain.universe, chain.id("work"), CONNECTED, 3);
    assert!(candidates.step().is_none());
    assert_eq!(candidates.tried(), 3);
}

#[test]
fn c22_connected_counts() {
    let monitor = temperature_monitor();
    assert_eq!(monitor.counts("warning", CONNECTED, 7), [0, 1, 1, 2, 4, 8, 16]);
    let fourth = monitor.texts("warning", CONNECTED, 4);
    assert_eq!(fourth, ["TM setEnabled update warning", "TM update update warning"]);
    let long = Candidates::new(&monitor.universe, monitor.id("warning"), CONNECTED, 20);
    assert_eq!(long.count(), 1 << 18);
}

/// Whether the last `vend()` serves a drink with no coin in, as the code of the thesis does.
fn serves_for_nothing(coinbox: &Fixture, sequence: &[InvokableId]) -> bool {
    let (mut counted, mut inside, mut allowed, mut free) = (0, 0, false, false);
    for id in sequence {
        match coinbox.text(&[*id]).as_str() {
            "addQtr" => {
                counted += 1;
                inside += 1;
                allowed |= counted > 1;
            }
            "returnQtrs" => (counted, inside) = (0, 0),
            "vend" => {
                free = allowed && inside == 0;
                if allowed {
                    (counted, inside, allowed) = (0, 0, false);
                }
            }
            _ => {}
        }
    }
    free
}

#[test]
fn c22_the_defect_of_the_coinbox_is_among_27_sequences() {
    let coinbox = coinbox();
    assert_eq!(coinbox.counts("vend", CONNECTED, 6), [0, 1, 3, 9, 27, 81]);
    let all = coinbox.candidates("vend", CONNECTED, 5);
    let defects = all.iter().filter(|found| serves_for_nothing(&coinbox, found));
    let defects: Vec<String> = defects.map(|found| coinbox.text(found)).collect();
    assert_eq!(defects, ["Coinbox addQtr addQtr returnQtrs vend"]);
}

#[test]
fn c18_all_kinds_of_invokables_are_candidates() {
    // Each kind serves the method under test in the one way it can.
    let mut make = Maker::default();
    let [target, node, array] = std::array::from_fn(|_| make.builder.reference_type());
    let [field, statics] = [make.builder.field(), make.builder.static_field()];
    let elements = make.builder.array_type();
    let kind = sequence::Invokable::new;
    make.add("new T", kind(Kind::Constructor).returns(target).defines(&[field]));
    make.add("new T[]", kind(Kind::ArrayConstructor).takes(target).returns(array).stores(&[elements]));
    make.add("t.next", kind(Kind::InstanceFieldLoad).on(target).returns(node).uses(&[field]));
    make.add("t.next=", kind(Kind::InstanceFieldStore).on(target).takes(node).defines(&[field]));
    make.add("t.node()", kind(Kind::InstanceMethod).on(target).returns(node));
    make.add("T.first", kind(Kind::StaticFieldLoad).returns(node).uses(&[statics]));
    make.add("T.first=", kind(Kind::StaticFieldStore).takes(node).defines(&[statics]));
    make.add("T.of()", kind(Kind::StaticMethod).returns(node));
    let under_test = method().on(target).takes(node).takes(array).uses(&[field, statics]).loads(&[elements]);
    make.add("test", under_test);
    let kinds = make.build();
    // A target, a node and an array of targets take four places with the test, and a store needs one more.
    let used = |longest| -> BTreeSet<InvokableId> {
        kinds.candidates("test", CONNECTED, longest).into_iter().flatten().collect()
    };
    let without_stores = |id: &InvokableId| ![kinds.id("t.next="), kinds.id("T.first=")].contains(id);
    assert_eq!(used(4), kinds.universe.ids().filter(without_stores).collect());
    assert_eq!(used(5), kinds.universe.ids().collect());
    let five = kinds.texts("test", CONNECTED, 5);
    assert!(five.contains(&"new T T.of() T.first= new T[] test".to_owned()));
    assert_eq!(Kind::ALL.len(), 8);
}

#[test]
fn c19_arrays_of_arrays_are_made_from_arrays() {
    let mut make = Maker::default();
    let [row, table] = std::array::from_fn(|_| make.builder.reference_type());
    let rows = make.builder.array_type();
    let array = || sequence::Invokable::new(Kind::ArrayConstructor);
    make.add("int[3]", array().returns(row));
    make.add("int[2][]", array().takes(row).takes(row).returns(table).stores(&[rows]));
    make.add("sum", function().takes(table).loads(&[rows]));
    let arrays = make.build();
    // One row in both places; then a row for each, or two tables that have it in common.
    assert_eq!(arrays.texts("sum", CONNECTED, 3), ["int[3] int[2][] sum"]);
    let four = arrays.texts("sum", CONNECTED, 4);
    assert_eq!(four, ["int[3] int[3] int[2][] sum", "int[3] int[2][] int[2][] sum"]);
    // There is no place for a third row in one table.
    let five = arrays.texts("sum", CONNECTED, 5);
    assert!(!five.is_empty() && !five.contains(&"int[3] int[3] int[3] int[2][] sum".to_owned()));
}

#[test]
fn c02_what_is_excluded_appears_in_no_sequence() {
    let mut make = Maker::default();
    let class = make.builder.reference_type();
    let field = make.builder.field();
    make.add("C", constructor().returns(class).defines(&[field]));
    let set = make.add("set", method().on(class).defines(&[field]));
    let get = make.add("get", method().on(class).uses(&[field]).defines(&[field]));
    make.builder.exclude(set);
    make.builder.exclude(get);
    let excluded = make.build();
    let found = excluded.candidates("get", CONNECTED, 5);
    assert_eq!(found.iter().map(|found| excluded.text(found)).collect::<Vec<_>>(), ["C get"]);
}

#[test]
fn c07_without_nulls_every_slot_has_a_producer() {
    let mut make = Maker::default();
    let [class, other] = std::array::from_fn(|_| make.builder.reference_type());
    make.add("C", constructor().returns(class));
    make.add("D", constructor().returns(other));
    make.add("m", method().on(class).takes(other));
    let pair = make.build();
    assert_eq!(pair.counts("m", CONNECTED, 3), [0, 0, 2]);
    let nulls = Filters { nulls: true, ..CONNECTED };
    assert_eq!(pair.counts("m", nulls, 3), [0, 1, 2]);
}

#[test]
fn odd_questions_have_empty_answers() {
    let monitor = temperature_monitor();
    let unknown = Candidates::new(&monitor.universe, InvokableId(99), CONNECTED, 5);
    assert_eq!(unknown.count(), 0);
    let none = Candidates::new(&monitor.universe, monitor.id("warning"), CONNECTED, 0);
    assert_eq!(none.count(), 0);
}
