//! Influence between two invokables, and what universes there are.

use crate::fixtures::*;
use sequence::{Candidates, FieldId, Filters, Flows, Influence, Invokable, InvokableId, Kind, TypeId};
use sequence::{UniverseBuilder, UniverseError};

const NONE: Flows = Flows { return_argument: false, define_use: false, store_load: false };

#[test]
fn c12_the_three_ways_of_influence_and_their_negatives() {
    let mut make = Maker::default();
    let [class, other] = std::array::from_fn(|_| make.builder.reference_type());
    let [field, second] = [make.builder.field(), make.builder.field()];
    let [ints, longs] = [make.builder.array_type(), make.builder.array_type()];
    let produce = make.add("produce", function().returns(class));
    let define = make.add("define", function().defines(&[field]));
    let store = make.add("store", function().stores(&[ints]));
    let all = make.add("all", function().takes(class).uses(&[field]).loads(&[ints]));
    let none = make.add("none", function().takes(other).uses(&[second]).loads(&[longs]).defines(&[field]));
    let universe = make.build().universe;
    assert_eq!(universe.flows(produce, all), Flows { return_argument: true, ..NONE });
    assert_eq!(universe.flows(define, all), Flows { define_use: true, ..NONE });
    assert_eq!(universe.flows(store, all), Flows { store_load: true, ..NONE });
    for first in [produce, define, store] {
        assert_eq!(universe.flows(first, none), NONE);
        assert_eq!(universe.flows(all, first), NONE);
    }
    // Two that only define the same do not influence each other.
    assert_eq!(universe.flows(none, define), NONE);
}

#[test]
fn c13_static_fields_connect_without_objects() {
    let mut make = Maker::default();
    let [statics, instance] = [make.builder.static_field(), make.builder.field()];
    make.add("set", function().defines(&[statics]));
    make.add("touch", function().defines(&[instance]));
    make.add("get", function().uses(&[statics, instance]));
    let fixture = make.build();
    assert_eq!(fixture.texts("get", EXECUTABLE, 2), ["set get", "touch get"]);
    // Which object `touch` works on is not known, so it takes a reference to connect the two.
    assert_eq!(fixture.texts("get", CONNECTED, 2), ["set get"]);
}

#[test]
fn c14_a_subtype_serves_where_its_supertypes_do() {
    let mut make = Maker::default();
    let [object, shape, circle] = std::array::from_fn(|_| make.builder.reference_type());
    make.builder.supertype(circle, shape);
    make.builder.supertype(shape, object);
    make.add("Circle", constructor().returns(circle));
    make.add("Object", constructor().returns(object));
    make.add("area", method().on(shape));
    make.add("equals", method().on(object));
    let shapes = make.build();
    assert_eq!(shapes.texts("area", CONNECTED, 2), ["Circle area"]);
    assert_eq!(shapes.texts("equals", CONNECTED, 2), ["Circle equals", "Object equals"]);
    assert!(shapes.universe.is_assignable(circle, object) && !shapes.universe.is_assignable(object, circle));
}

#[test]
fn c06_only_listed_invokables_produce_a_type() {
    let mut make = Maker::default();
    let [comparable, integer, string] = std::array::from_fn(|_| make.builder.reference_type());
    make.builder.supertype(integer, comparable);
    make.builder.supertype(string, comparable);
    let value_of = make.add("valueOf", function().returns(integer));
    make.add("toString", method().on(integer).returns(string));
    make.add("max", function().takes(comparable));
    make.builder.only(comparable, &[value_of]);
    let listed = make.build();
    assert_eq!(listed.counts("max", CONNECTED, 4), [0, 1, 0, 0]);
    assert_eq!(listed.texts("max", CONNECTED, 2), ["valueOf max"]);
}

#[test]
fn c15_every_pair_is_looked_at_once() {
    let monitor = temperature_monitor();
    let pairs = (monitor.universe.len() * monitor.universe.len()) as u64;
    let mut candidates = Candidates::new(&monitor.universe, monitor.id("warning"), Filters::default(), 8);
    while candidates.step().is_some() {}
    // Nothing reads what `get` leaves, so no question is about influence on it.
    assert_eq!(candidates.influence().checks(), pairs - 5);
    assert_eq!(Influence::complete(&monitor.universe, monitor.id("warning")).checks(), pairs);
}

#[test]
fn c12_distances_count_the_steps_to_the_target() {
    let monitor = temperature_monitor();
    let influence = Influence::towards(&monitor.universe, monitor.id("warning"));
    let distance = |name: &str| influence.distance(monitor.id(name));
    assert_eq!([distance("TM"), distance("update")], [Some(1), Some(1)]);
    assert_eq!(distance("setEnabled"), Some(2));
    assert_eq!([distance("get"), distance("warning")], [None, None]);
}

#[test]
fn declarations_that_do_not_fit_together_are_told() {
    let build = |invokable: Invokable| {
        let mut builder = UniverseBuilder::new();
        builder.reference_type();
        builder.invokable(invokable);
        builder.build().err()
    };
    let class = TypeId(0);
    let unknown = TypeId(7);
    assert_eq!(build(function().takes(unknown)), Some(UniverseError::UnknownType(unknown)));
    assert_eq!(build(function().uses(&[FieldId(3)])), Some(UniverseError::UnknownField(FieldId(3))));
    let shape = |invokable| matches!(build(invokable), Some(UniverseError::Shape { id: InvokableId(0), .. }));
    assert!(shape(method()));
    assert!(shape(method().on(class).on(class)));
    assert!(shape(function().on(class)));
    assert!(shape(constructor()));
    assert!(shape(Invokable::new(Kind::StaticFieldStore).returns(class)));
    let mut mixed = Invokable::new(Kind::ArrayConstructor).takes(class).returns(class);
    mixed.kind = Kind::Constructor;
    assert!(shape(mixed));
    assert_eq!(build(method().on(class).takes(class).returns(class)), None);
    let mut builder = UniverseBuilder::new();
    builder.exclude(InvokableId(4));
    let message = builder.build().err().map(|error| error.to_string());
    assert_eq!(message.as_deref(), Some("invokable 4 was not declared"));
}
