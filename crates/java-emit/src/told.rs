//! A test in few words, for reports.

use crate::imports::Imports;
use crate::reproducer::statements_of;
use crate::{Facts, JavaTest, literal};
use java_wire::Value;
use java_wire::message::{End, Seen};

/// What a test does and what comes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Its calls, a statement each, as in a reproducer; none of a test that cannot be written.
    pub statements: Vec<String>,
    /// How it ends, in words: `returned`, `threw shop.Cart.Full`.
    pub end: String,
    /// What the last of them gives, as an expression; nothing of an object that has none, and of tests that throw.
    pub result: Option<String>,
}

/// Tells a test as it stands in a class with a name like `shop.CartTest`.
#[must_use]
pub fn told(facts: &Facts, class: &str, test: &JavaTest) -> Told {
    let (package, name) = class.rsplit_once('.').unwrap_or(("", class));
    let statements = statements_of(facts, package, name, (&test.script, &test.values)).unwrap_or_default();
    let last = test.results.get(test.script.steps.len().saturating_sub(1));
    let result = last.filter(|_| test.end == End::Returned).and_then(|seen| {
        let mut imports = Imports::new(facts, &package.replace('.', "/"), name);
        result(seen, &mut imports)
    });
    let end = match &test.end {
        End::Threw { thrown, .. } => format!("threw {}", in_full(facts, &thrown.class)),
        _ => "returned".to_owned(),
    };
    Told { statements, end, result }
}

/// A class with its package and the classes around it.
fn in_full(facts: &Facts, class: &str) -> String {
    match facts.outer(class) {
        Some((outer, simple)) => format!("{}.{simple}", in_full(facts, &outer)),
        None => class.replace('/', "."),
    }
}

/// An expression for what a step gave.
fn result(seen: &Seen, imports: &mut Imports<'_>) -> Option<String> {
    match seen {
        Seen::Null | Seen::Value(Value::Null) => Some("null".to_owned()),
        Seen::Value(value) => Some(literal::assigned(value, imports)),
        Seen::Enum(class, name) => Some(format!("{}.{name}", imports.name(class))),
        Seen::Void | Seen::Array(..) | Seen::Same(_) | Seen::Object(..) | Seen::Threw(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::message::Thrown;
    use java_wire::{Action, Argument, Primitive, Script, Slot, Step};

    fn test(end: End, result: Seen) -> JavaTest {
        let call = Action::Invoke {
            class: "a/Lamp".into(),
            name: "turn".into(),
            descriptor: "(J)La/Lamp$State;".parse().expect("a descriptor"),
            is_static: true,
        };
        let steps = vec![Step { action: call, arguments: vec![Argument::Slot(0)] }];
        JavaTest {
            name: None,
            script: Script { slots: vec![Slot::Primitive(Primitive::Long)], steps, observers: Vec::new() },
            values: vec![Value::Long(7)],
            end,
            results: vec![result],
            observed: Vec::new(),
            comment: Vec::new(),
        }
    }

    #[test]
    fn calls_ends_and_results_are_those_of_the_source() {
        let facts = Facts::default();
        let on = test(End::Returned, Seen::Enum("a/Lamp$State".into(), "ON".into()));
        let told_on = told(&facts, "a.LampTest", &on);
        assert_eq!(told_on.statements, ["Lamp.turn(7L);"]);
        assert_eq!((told_on.end.as_str(), told_on.result.as_deref()), ("returned", Some("Lamp.State.ON")));
        let thrown = Thrown { class: "a/Lamp$Broken".into(), message: None, stack: Vec::new() };
        let broken = told(&facts, "a.LampTest", &test(End::Threw { step: 0, thrown }, Seen::Void));
        assert_eq!((broken.end.as_str(), broken.result), ("threw a.Lamp.Broken", None));
        let object = told(&facts, "a.LampTest", &test(End::Returned, Seen::Object("a/Lamp".into(), None)));
        assert_eq!(object.result, None);
    }
}
