//! References for the slots of an invokable.

use crate::fixtures::*;
use sequence::Reference::{Null, Result};
use sequence::{Assignments, Id, InvokableId, Product, Reference, TypeId};

fn products(fixture: &Fixture, made: &[(&str, bool)]) -> Vec<Product> {
    let product = |(position, (name, linked)): (usize, &(&str, bool))| {
        let producer = fixture.id(name);
        let class = fixture.universe.get(producer).and_then(|invokable| invokable.returns);
        class.map(|class| Product { position, producer, class, linked: *linked })
    };
    made.iter().enumerate().filter_map(product).collect()
}

fn assigned(fixture: &Fixture, name: &str, made: &[(&str, bool)], nulls: bool) -> Vec<Vec<Reference>> {
    Assignments::new(&fixture.universe, fixture.id(name), &products(fixture, made), nulls).collect()
}

fn equals() -> Fixture {
    let mut make = Maker::default();
    let [object, other] = std::array::from_fn(|_| make.builder.reference_type());
    make.add("Object", constructor().returns(object));
    make.add("Other", constructor().returns(other));
    make.add("equals", method().on(object).takes(object));
    make.add("both", function().takes(object).takes(object).takes(other));
    make.build()
}

#[test]
fn c54_equals_the_same_another_and_null() {
    let equals = equals();
    let one = [("Object", false)];
    assert_eq!(assigned(&equals, "equals", &one, true), [[Result(0), Result(0)], [Result(0), Null]]);
    let two = [("Object", false), ("Other", false), ("Object", false)];
    let all = assigned(&equals, "equals", &two, true);
    let by_hand = [
        [Result(0), Result(0)],
        [Result(0), Result(2)],
        [Result(2), Result(0)],
        [Result(2), Result(2)],
        [Result(0), Null],
        [Result(2), Null],
    ];
    assert_eq!(all, by_hand);
    assert_eq!(assigned(&equals, "equals", &two, false), by_hand[..4]);
}

#[test]
fn c54_results_that_need_a_link_come_first() {
    let equals = equals();
    let all = assigned(&equals, "equals", &[("Object", true), ("Object", false)], false);
    assert_eq!(
        all,
        [[Result(1), Result(1)], [Result(1), Result(0)], [Result(0), Result(1)], [Result(0), Result(0)]]
    );
}

#[test]
fn c54_the_first_invokable_has_nothing_but_null() {
    let equals = equals();
    assert_eq!(assigned(&equals, "both", &[], true), [[Null, Null, Null]]);
    assert!(assigned(&equals, "both", &[], false).is_empty());
    assert!(assigned(&equals, "equals", &[], true).is_empty());
    assert_eq!(assigned(&equals, "Object", &[], true), [[]]);
    let none = Assignments::new(&equals.universe, InvokableId::new(50), &[], true);
    assert_eq!(none.count(), 1);
}

#[test]
fn c54_nulls_grow_in_number() {
    let equals = equals();
    let all = assigned(&equals, "both", &[("Object", false), ("Other", false)], true);
    let nulls = |choice: &Vec<Reference>| choice.iter().filter(|reference| **reference == Null).count();
    assert_eq!(all.iter().map(nulls).collect::<Vec<_>>(), [0, 1, 1, 1, 2, 2, 2, 3]);
    let mut different = all.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 8);
    // Without a product for the last slot it is null in all of them.
    let all = assigned(&equals, "both", &[("Object", false)], true);
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|choice| choice[2] == Null));
}

#[test]
fn c55_one_reference_may_go_into_two_invokables() {
    let mut make = Maker::default();
    let [heap, integer] = std::array::from_fn(|_| make.builder.reference_type());
    let array = make.builder.array_type();
    make.add("HeapArray", constructor().returns(heap));
    make.add("valueOf", function().returns(integer));
    make.add("insert", method().on(heap).takes(integer).stores(&[array]).loads(&[array]));
    let fixture = make.build();
    let shared = fixture.texts("insert", CONNECTED, 4);
    assert!(shared.contains(&"HeapArray valueOf insert insert".to_owned()));
    let ready = [("HeapArray", true), ("valueOf", true), ("insert", false)];
    assert_eq!(assigned(&fixture, "insert", &ready, false), [[Result(0), Result(1)]]);
}

#[test]
fn c06_results_of_producers_that_are_not_listed_stay_out() {
    let mut make = Maker::default();
    let [comparable, integer] = std::array::from_fn(|_| make.builder.reference_type());
    make.builder.supertype(integer, comparable);
    let value_of = make.add("valueOf", function().returns(integer));
    make.add("parse", function().returns(integer));
    make.add("max", function().takes(comparable));
    make.builder.only(comparable, &[value_of]);
    let fixture = make.build();
    let all = assigned(&fixture, "max", &[("parse", false), ("valueOf", false)], false);
    assert_eq!(all, [[Result(1)]]);
}

#[test]
fn c54_the_class_of_a_result_may_fit_where_its_declared_type_does_not() {
    let mut make = Maker::default();
    let [object, integer] = std::array::from_fn(|_| make.builder.reference_type());
    make.builder.supertype(integer, object);
    make.add("get", function().returns(object));
    make.add("abs", function().takes(integer));
    let fixture = make.build();
    let product =
        |class: TypeId| [Product { position: 0, producer: fixture.id("get"), class, linked: false }];
    let count =
        |class| Assignments::new(&fixture.universe, fixture.id("abs"), &product(class), false).count();
    assert_eq!([count(object), count(integer)], [0, 1]);
}
