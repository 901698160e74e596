//! The data-flow check of section 4.3.3.

use crate::fixtures::*;
use sequence::{Filters, connected};

#[test]
fn c22_a_slot_takes_one_result() {
    let integer = integer();
    assert_eq!(integer.texts("hashCode", EXECUTABLE, 3), ["Integer Integer hashCode"]);
    assert_eq!(integer.counts("hashCode", CONNECTED, 3), [0, 1, 0]);
    let off = Filters { connected: false, ..CONNECTED };
    assert_eq!(integer.counts("hashCode", off, 3), [0, 1, 1]);
}

#[test]
fn c22_two_slots_take_two_results_or_one_twice() {
    let mut make = Maker::default();
    let object = make.builder.reference_type();
    make.add("Object", constructor().returns(object));
    make.add("equals", method().on(object).takes(object));
    let equals = make.build();
    assert_eq!(equals.counts("equals", CONNECTED, 5)[..3], [0, 1, 1]);
    assert!(equals.texts("equals", CONNECTED, 3).contains(&"Object Object equals".to_owned()));
}

#[test]
fn c22_choosing_the_first_producer_that_joins_is_not_enough() {
    // `wide` could take `A`, which joins something; but then `narrow` takes `A` as well and `B` is left alone.
    let mut make = Maker::default();
    let [a, b, any, top] = std::array::from_fn(|_| make.builder.reference_type());
    make.builder.supertype(a, any);
    make.builder.supertype(b, any);
    make.add("A", constructor().returns(a));
    make.add("B", constructor().returns(b));
    make.add("wide", function().takes(any).returns(top));
    make.add("narrow", function().takes(a).returns(top));
    make.add("end", function().takes(top).takes(top));
    let fixture = make.build();
    let ids = |names: &[&str]| names.iter().map(|name| fixture.id(name)).collect::<Vec<_>>();
    assert!(connected(&fixture.universe, &ids(&["A", "B", "wide", "narrow", "end"])));
    assert!(!connected(&fixture.universe, &ids(&["A", "B", "narrow", "narrow", "end"])));
    assert!(!connected(&fixture.universe, &ids(&["A", "end"])));
}

#[test]
fn c23_what_class_initialisers_define_connects() {
    assert_eq!(registry(false).texts("count", EXECUTABLE, 2), ["add count"]);
    assert!(registry(false).texts("count", CONNECTED, 2).is_empty());
    assert_eq!(registry(true).texts("count", CONNECTED, 2), ["add count"]);
}
