//! What methods define and use, closed over what they call.

use crate::support::{Fixtures, compile, fixtures};

/// Defines and uses of a method.
fn summary(subject: &Fixtures, class: &str, method: &str) -> (Vec<String>, Vec<String>) {
    let function = subject
        .model
        .program
        .functions
        .iter()
        .position(|f| f.symbol.starts_with(&format!("{class}.{method}(")))
        .expect("there");
    let effects = subject.summaries.of(model::FunctionId(function as u32)).expect("summarised");
    (subject.names(&effects.defines), subject.names(&effects.uses))
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn c9_c10_table_4_3_is_reproduced() {
    let subject = fixtures();
    let class = "jtestcraft/TemperatureMonitor";
    let row = |method: &str| summary(subject, class, method);
    assert_eq!(row("setEnabled"), (strings(&["enabled"]), strings(&[])));
    assert_eq!(row("updateTemperature"), (strings(&["temperature"]), strings(&["enabled"])));
    assert_eq!(row("getTemperature"), (strings(&[]), strings(&["temperature"])));
    assert_eq!(row("warning"), (strings(&[]), strings(&["temperature"])));
    // `new` defines all fields, also the one that the code of the constructor does not touch.
    assert_eq!(row("<init>"), (strings(&["enabled"]), strings(&[])));
    let number = subject.classes.own.iter().position(|entry| entry.name == class).expect("there");
    assert_eq!(
        subject.names(&subject.summaries.made(number).expect("own").defines),
        ["enabled", "temperature"]
    );
}

#[test]
fn c10_inherited_fields_are_defined_too() {
    let subject = fixtures();
    let number =
        subject.classes.own.iter().position(|entry| entry.name == "jtestcraft/Circle").expect("there");
    assert_eq!(subject.names(&subject.summaries.made(number).expect("own").defines), ["radius", "visible"]);
}

#[test]
fn c11_overrides_of_what_is_called_count() {
    let subject = fixtures();
    let (_, uses) = summary(subject, "jtestcraft/Canvas", "draw");
    assert_eq!(uses, ["largest", "radius", "side", "space", "visible"]);
    let small = compile(&[(
        "p/Base.java",
        "package p; public abstract class Base { public abstract void act(); public void go() { act(); }
         static class Below extends Base { int state; public void act() { state = 1; } }
         static class Beside { int other; public void act() { other = 1; } } }",
    )]);
    assert_eq!(summary(&small, "p/Base", "go").0, ["state"]);
}

#[test]
fn c9_methods_that_call_each_other_do_the_same() {
    let subject = compile(&[(
        "p/Ring.java",
        "package p; public class Ring { int x, y, z; void a(int n) { x = 1; if (n > 0) b(n - 1); } void b(int n) { y = z; c(n); }
         void c(int n) { a(n); } void d() { Runnable r = () -> z = 3; r.run(); } }",
    )]);
    for method in ["a", "b", "c"] {
        assert_eq!(summary(&subject, "p/Ring", method), (strings(&["x", "y"]), strings(&["z"])));
    }
    assert_eq!(summary(&subject, "p/Ring", "d").0, ["z"]);
}

#[test]
fn c23_contents_of_a_collection_are_state_and_constants_are_not() {
    let subject = fixtures();
    let add = summary(subject, "jtestcraft/Reg", "add");
    assert!(add.0.contains(&"LIST".to_owned()) && add.0.contains(&"*java/util/List".to_owned()), "{add:?}");
    let count = summary(subject, "jtestcraft/Reg", "count");
    assert!(
        count.1.contains(&"LIST".to_owned()) && count.1.contains(&"*java/util/List".to_owned()),
        "{count:?}"
    );
    // Assertions are on or off for good.
    assert_eq!(summary(subject, "jtestcraft/Bmi", "weightCategory"), (strings(&[]), strings(&[])));
    // Builders of texts die with the call.
    let local = compile(&[(
        "p/Text.java",
        "package p; public class Text { int n; public String show() { return new StringBuilder().append(n).reverse().toString(); } }",
    )]);
    assert_eq!(summary(&local, "p/Text", "show"), (strings(&[]), strings(&["n"])));
}

#[test]
fn arrays_are_told_apart_by_their_elements() {
    let subject = compile(&[(
        "p/A.java",
        "package p; public class A { int[] i = new int[2]; void w() { i[0] = 1; } int r() { return i[1]; }
         void c(int[] from) { System.arraycopy(from, 0, i, 0, 2); } char k(char[] t) { return t[0]; } }",
    )]);
    let effects = |name: &str| {
        let at = subject
            .model
            .program
            .functions
            .iter()
            .position(|f| f.symbol.starts_with(&format!("p/A.{name}(")))
            .expect("there");
        let effects = subject.summaries.of(model::FunctionId(at as u32)).expect("summarised");
        (effects.stores.iter().collect::<Vec<_>>(), effects.loads.iter().collect::<Vec<_>>())
    };
    assert_eq!(effects("w"), (vec![0], vec![]));
    assert_eq!(effects("r"), (vec![], vec![0]));
    assert_eq!(effects("k"), (vec![], vec![6]));
    assert_eq!(effects("c").0.len(), 8);
}
