//! Switches over types, in machines that have them.

use crate::support::{Both, Stage, text};
use java_replay::Settings;
use java_testing::{Draft, fixtures_21, read_classes};
use java_wire::{Argument, Value};

const SHAPE: &str = "Lmodern/Shapes$Shape;";

fn stage(version: u32) -> Stage {
    Stage::of(read_classes(fixtures_21().path()), Some(version))
}

fn checked(stage: &mut Stage, test: &Draft) -> Both {
    let both = stage.both(test, &Settings::default());
    if let Err(why) = both.check() {
        panic!("{:?} {:?}: {why}", test.script.steps, test.values);
    }
    both
}

/// `describe` of a shape that is made of ints.
fn describe(make: impl FnOnce(&mut Draft) -> Argument) -> Draft {
    let mut test = Draft::new();
    let shape = make(&mut test);
    test.call_static(&format!("modern/Shapes.describe({SHAPE})Ljava/lang/String;"), &[shape]);
    test
}

fn circle(test: &mut Draft, radius: i32) -> Argument {
    let radius = test.int(radius);
    test.new_object("modern/Shapes$Circle", "(I)V", &[radius])
}

fn square(test: &mut Draft, side: i32) -> Argument {
    let sides = [test.int(side), test.int(side)];
    test.new_object("modern/Shapes$Box", "(II)V", &sides)
}

fn group(test: &mut Draft, first: Argument, second: Argument) -> Argument {
    test.new_object("modern/Shapes$Group", &format!("({SHAPE}{SHAPE})V"), &[first, second])
}

#[test]
fn conditions_behind_types_are_known_and_types_cost_nothing() {
    for version in [21, 25] {
        let mut stage = stage(version);
        let both = checked(&mut stage, &describe(|test| circle(test, 7)));
        assert_eq!(both.texts().last().map(String::as_str), Some("v0 != 31415"), "{:?}", both.texts());
        let both = checked(&mut stage, &describe(|test| square(test, 3)));
        assert_eq!(both.texts().last().map(String::as_str), Some("v0 == v1"), "{:?}", both.texts());
        checked(&mut stage, &describe(|_| Argument::Null));
        let nested = describe(|test| {
            let (a, b) = (circle(test, 1), square(test, 2));
            let inner = group(test, a, b);
            group(test, inner, a)
        });
        let both = checked(&mut stage, &nested);
        assert!(both.replayed.approximations.is_empty(), "{:?}", both.replayed.approximations);
    }
}

#[test]
fn labels_that_are_constants_are_conditions() {
    let mut stage = stage(21);
    let command = |word: Value| Draft::of_static("modern/Shapes.command(Ljava/lang/String;)I", &[word]);
    for word in ["start", "halt!", "godown", "other", "", "stars"] {
        checked(&mut stage, &command(text(word)));
    }
    checked(&mut stage, &command(Value::Null));
    // One letter is missing, so a solver can choose it.
    let both = checked(&mut stage, &command(text("stars")));
    let asks = both.texts().iter().any(|text| text.contains("v5"));
    assert!(asks && both.replayed.approximations.is_empty(), "{:?}", both.texts());
}
