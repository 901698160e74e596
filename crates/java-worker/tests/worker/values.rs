//! What goes in and what is seen.

use crate::support::*;
use java_testing::stub;
use java_wire::message::{End, Manner, Seen};
use java_wire::{Action, Argument, Primitive, Slot, Value};

const LONG_TEXT: &str = "text with \u{e9}, \u{1f600} and \0";

#[test]
fn temperature_warns_above_80() {
    let mut stage = stage();
    for (enabled, degrees, expected) in [(true, 81, true), (true, 80, false), (false, 81, false)] {
        let mut test = Draft::new();
        let (enabled, degrees) = (test.primitive(Value::Boolean(enabled)), test.int(degrees));
        let monitor = test.new_object("jtestcraft/TemperatureMonitor", "()V", &[]);
        test.call("jtestcraft/TemperatureMonitor.setEnabled(Z)V", &[monitor, enabled]);
        test.call("jtestcraft/TemperatureMonitor.updateTemperature(I)V", &[monitor, degrees]);
        test.call("jtestcraft/TemperatureMonitor.warning()Z", &[monitor]);
        test.observe("jtestcraft/TemperatureMonitor.getTemperature()I", &[monitor]);
        let ran = stage.run(&test, MANNER);
        assert_eq!(ran.reply.end, End::Returned);
        let monitor = Seen::Object("jtestcraft/TemperatureMonitor".into(), None);
        let warning = Seen::Value(Value::Boolean(expected));
        assert_eq!(ran.reply.results, [monitor, Seen::Void, Seen::Void, warning]);
        let kept =
            if test.values[0] == Value::Boolean(true) { test.values[1].clone() } else { Value::Int(0) };
        assert_eq!(ran.reply.observed, [Seen::Value(kept)]);
    }
}

#[test]
fn every_kind_of_value_comes_back() {
    let mut stage = stage();
    let name = |ty: &str| format!("probe/Echo.of({ty}){ty}");
    for primitive in Primitive::ALL {
        for bits in [0, 1, u64::MAX, 0x7fc0_0001_7fc0_0001, 0x8000_0000_8000_8080] {
            let value = primitive.value(bits);
            let mut test = Draft::new();
            let slot = test.primitive(value.clone());
            test.call_static(&name(&primitive.ty().to_string()), &[slot]);
            assert_eq!(stage.result(&test), Seen::Value(value.clone()));

            let boxed = Value::Boxed(Box::new(value.clone()));
            let mut test = Draft::new();
            let slot = test.slot(Slot::Boxed(primitive), boxed.clone());
            test.call_static(&name("Ljava/lang/Object;"), &[slot]);
            assert_eq!(stage.result(&test), Seen::Value(boxed));

            let elements = vec![value.clone(), primitive.zero(), value];
            let mut test = Draft::new();
            let slot = test.slot(Slot::Array(primitive), Value::Array(primitive, elements.clone()));
            test.call_static(&name("Ljava/lang/Object;"), &[slot]);
            let seen = elements.into_iter().map(Seen::Value).collect();
            assert_eq!(stage.result(&test), Seen::Array(format!("[{}", primitive.ty()), 3, seen));
        }
        for slot in [Slot::Boxed(primitive), Slot::Array(primitive), Slot::Text] {
            let mut test = Draft::new();
            let slot = test.slot(slot, Value::Null);
            test.call_static(&name("Ljava/lang/Object;"), &[slot]);
            assert_eq!(stage.result(&test), Seen::Null);
        }
    }
    // A lone half of a pair is a text too.
    for units in [vec![], vec![0xd800], LONG_TEXT.encode_utf16().collect()] {
        let mut test = Draft::new();
        let slot = test.slot(Slot::Text, Value::Text(units.clone()));
        test.call_static(&name("Ljava/lang/Object;"), &[slot]);
        assert_eq!(stage.result(&test), Seen::Value(Value::Text(units)));
    }
    let bytes = vec![Value::Byte(7); 100];
    let mut test = Draft::new();
    let slot = test.slot(Slot::Array(Primitive::Byte), Value::Array(Primitive::Byte, bytes));
    test.call_static(&name("Ljava/lang/Object;"), &[slot]);
    assert_eq!(stage.result(&test), Seen::Array("[B".into(), 100, vec![Seen::Value(Value::Byte(7)); 64]));
}

#[test]
fn objects_are_seen_as_far_as_they_show_themselves() {
    let mut stage = stage();
    let object = |class: &str, text: Option<&str>| Seen::Object(class.into(), text.map(str::to_owned));
    assert_eq!(
        stage.result(&ints("probe/Echo.point(I)Ljava/lang/Object;", &[5])),
        object("probe/Echo$Point", Some("Point 5"))
    );
    assert_eq!(
        stage.result(&ints("probe/Echo.list(I)Ljava/util/List;", &[5])),
        object("java/util/ArrayList", Some("[5, 6]"))
    );
    let one = Seen::Array("[I".into(), 1, vec![Seen::Value(Value::Int(3))]);
    let nested = vec![one, Seen::Null, Seen::Array("[I".into(), 0, vec![])];
    assert_eq!(stage.result(&ints("probe/Echo.nested(I)[[I", &[3])), Seen::Array("[[I".into(), 3, nested));
    let wrap = |inner| Seen::Array("[Ljava/lang/Object;".into(), 1, vec![inner]);
    let inner = object("[Ljava/lang/Object;", None);
    assert_eq!(stage.result(&ints("probe/Echo.self()[Ljava/lang/Object;", &[])), wrap(wrap(wrap(inner))));

    let mut test = Draft::new();
    let load = Action::Load {
        class: "probe/Echo$Color".into(),
        name: "GREEN".into(),
        ty: ty("Lprobe/Echo$Color;"),
        is_static: true,
    };
    let green = test.step(load, &[]);
    let echo = test.new_object("probe/Echo", "()V", &[]);
    let array = Action::Array { element: ty("Ljava/lang/Object;") };
    let array = test.step(array, &[green, echo, Argument::Null]);
    test.call_static("probe/Echo.of(Ljava/lang/Object;)Ljava/lang/Object;", &[array]);
    let ran = stage.run(&test, MANNER);
    let green = Seen::Enum("probe/Echo$Color".into(), "GREEN".into());
    let elements = vec![green.clone(), Seen::Same(1), Seen::Null];
    let array = Seen::Array("[Ljava/lang/Object;".into(), 3, elements);
    assert_eq!(ran.reply.results, [green, object("probe/Echo", None), array, Seen::Same(2)]);
}

#[test]
fn stubs_answer_in_turn() {
    let mut stage = stage();
    let mut test = Draft::new();
    let (one, word, two) = (test.int(1), test.text("a"), test.int(2));
    let answers = stub("probe/Echo$Oracle", "()V", &["number()I", "number()I", "word()Ljava/lang/String;"]);
    let oracle = test.step(answers, &[one, two, word]);
    test.call_static("probe/Echo.ask(Lprobe/Echo$Oracle;)Ljava/lang/String;", &[oracle]);
    assert_eq!(stage.result(&test), Seen::Value(Value::Text("1a2null".encode_utf16().collect())));
}

#[test]
fn stubs_of_abstract_classes_answer_too() {
    let mut stage = stage();
    let mut test = Draft::new();
    let (long, name, text) = (test.primitive(Value::Long(7)), test.text("name"), test.text("x"));
    let made = [test.int(3), test.text("ignored"), test.primitive(Value::Double(0))];
    let action =
        stub("probe/Abstract", "(ILjava/lang/String;D)V", &["name()Ljava/lang/String;", "count(DI)J"]);
    let made = test.step(action, &[&made[..], &[name, long]].concat());
    test.call("probe/Abstract.tell(Ljava/lang/String;)Ljava/lang/String;", &[made, text]);
    let ran = stage.run(&test, Manner { full: true, ..MANNER });
    assert_eq!(ran.reply.end, End::Returned);
    // Made with three, then: its name, a count, no second name, no second count, and what the class itself says.
    let told = "3:name7null0false x";
    assert_eq!(ran.reply.results[1], Seen::Value(Value::Text(told.encode_utf16().collect())));

    let mut reads = Draft::new();
    let (first, end) = (reads.int(65), reads.int(-1));
    let stream = reads.step(stub("java/io/InputStream", "()V", &["read()I"; 3]), &[first, end, end]);
    reads.call("java/io/InputStream.readAllBytes()[B", &[stream]);
    let bytes = Seen::Array("[B".into(), 1, vec![Seen::Value(Value::Byte(65))]);
    assert_eq!(stage.result(&reads), bytes);

    let mut of_final = Draft::new();
    of_final.step(stub("java/lang/String", "()V", &[]), &[]);
    let end = stage.host.learn(&of_final.script).expect("a machine").1;
    assert!(matches!(end, End::Unusable { step: 0, .. }), "{end:?}");
}

#[test]
fn private_members_fields_and_statics() {
    let mut stage = stage();
    let mut test = Draft::new();
    let (four, five) = (test.int(4), test.int(5));
    let echo = test.new_object("probe/Echo", "()V", &[]);
    test.call("probe/Echo.remember(I)I", &[echo, four]);
    let field = |store: bool, name: &str, is_static: bool| {
        let (class, name, ty) = ("probe/Echo".to_owned(), name.to_owned(), ty("I"));
        if store {
            Action::Store { class, name, ty, is_static }
        } else {
            Action::Load { class, name, ty, is_static }
        }
    };
    test.step(field(true, "last", false), &[echo, five]);
    test.step(field(false, "last", false), &[echo]);
    test.step(field(true, "count", true), &[four]);
    test.call_static("probe/Echo.next()I", &[]);
    test.step(field(false, "count", true), &[]);
    let ran = stage.run(&test, MANNER);
    let int = |value| Seen::Value(Value::Int(value));
    assert_eq!(ran.reply.results[1..], [int(0), Seen::Void, int(5), Seen::Void, int(5), int(5)]);
}

#[test]
fn statics_are_reset_in_fresh_classes_alone() {
    let mut stage = stage();
    for test in [ints("probe/Echo.next()I", &[]), ints("probe/Stays.calls()I", &[])] {
        for full in [false, true] {
            for (fresh, expected) in [(true, 1), (false, 2), (false, 3), (true, 1), (true, 1), (false, 2)] {
                let ran = stage.run(&test, Manner { fresh, full, ..MANNER });
                assert_eq!(ran.reply.results, [Seen::Value(Value::Int(expected))], "{fresh} {full}");
            }
        }
    }
}

#[test]
fn what_is_thrown_is_told_with_its_step() {
    let mut stage = stage();
    let mut test = Draft::new();
    let why = test.text("because \u{e9}");
    test.call_static("probe/Echo.next()I", &[]);
    test.call_static("probe/Echo.refuse(Ljava/lang/String;)V", &[why]);
    test.call_static("probe/Echo.next()I", &[]);
    let ran = stage.run(&test, MANNER);
    let End::Threw { step: 1, thrown } = &ran.reply.end else { panic!("{:?}", ran.reply.end) };
    assert_eq!(thrown.class, "java/lang/IllegalStateException");
    assert_eq!(thrown.message.as_deref(), Some("because \u{e9}"));
    assert_eq!(thrown.stack.len(), 1);
    assert_eq!((thrown.stack[0].0.as_str(), thrown.stack[0].1.as_str()), ("probe/Echo", "refuse"));
    assert!(thrown.stack[0].2 > 0);
    assert_eq!(ran.reply.results, [Seen::Value(Value::Int(1))]);
    assert_eq!(ran.reply.observed, []);

    let mut test = Draft::new();
    test.call("probe/Echo.remember(I)I", &[Argument::Null, Argument::Null]);
    assert_eq!(stage.thrown(&test).0, "java/lang/NullPointerException");
}

/// Class and message of what a method of `features/Implicit` throws.
fn implicit(stage: &mut Stage, method: &str, values: &[(Slot, Value)]) -> (String, Option<String>) {
    let mut test = Draft::new();
    let given: Vec<Argument> = values.iter().map(|(slot, value)| test.slot(*slot, value.clone())).collect();
    let object = test.new_object("features/Implicit", "()V", &[]);
    test.call(&format!("features/Implicit.{method}"), &[vec![object], given].concat());
    let (class, message) = stage.thrown(&test);
    (class.strip_prefix("java/lang/").expect("a class of the language").to_owned(), message)
}

#[test]
fn what_the_machine_throws_is_told() {
    let mut stage = stage();
    let int = |value| (Slot::Primitive(Primitive::Int), Value::Int(value));
    let array = (Slot::Array(Primitive::Int), Value::Array(Primitive::Int, vec![]));
    let text = |text: &str| (Slot::Text, Value::Text(text.encode_utf16().collect()));
    let five = (Slot::Primitive(Primitive::Long), Value::Long(5));
    let boxed = (Slot::Boxed(Primitive::Int), Value::Boxed(Box::new(Value::Int(1))));
    let null = |slot| (slot, Value::Null);
    let named = |class: &str, message: &str| (class.to_owned(), Some(message.to_owned()));
    // Machines may explain a null in words, so those are not compared.
    assert_eq!(implicit(&mut stage, "nullField()I", &[]).0, "NullPointerException");
    let unbox = implicit(&mut stage, "unbox(Ljava/lang/Integer;)I", &[null(Slot::Boxed(Primitive::Int))]);
    assert_eq!(unbox.0, "NullPointerException");
    assert_eq!(
        implicit(&mut stage, "bounds([II)I", &[array, int(2)]),
        named("ArrayIndexOutOfBoundsException", "Index 2 out of bounds for length 0")
    );
    assert_eq!(
        implicit(&mut stage, "negativeSize(I)I", &[int(1)]),
        named("NegativeArraySizeException", "-1")
    );
    assert_eq!(
        implicit(&mut stage, "byZero(IJ)I", &[int(1), five]),
        named("ArithmeticException", "/ by zero")
    );
    assert_eq!(implicit(&mut stage, "cast(Ljava/lang/Object;)I", &[boxed]).0, "ClassCastException");
    let index = implicit(&mut stage, "charAt(Ljava/lang/String;I)C", &[text("ab"), int(2)]);
    assert_eq!(index.0, "StringIndexOutOfBoundsException");

    let mut test = Draft::new();
    let capacity = test.int(-4);
    test.new_object("features/Contracts", "(I)V", &[capacity]);
    assert_eq!(stage.thrown(&test), ("java/lang/AssertionError".into(), Some("capacity -4".into())));
}

#[test]
fn arrays_are_looked_into_when_all_steps_are_through() {
    let mut stage = stage();
    let mut test = Draft::new();
    let ints = |numbers: [i32; 3]| numbers.map(Value::Int).to_vec();
    let numbers = test.slot(Slot::Array(Primitive::Int), Value::Array(Primitive::Int, ints([3, 1, 2])));
    let (b, a) = (test.text("b"), test.text("a"));
    let words = test.step(Action::Array { element: ty("Ljava/lang/String;") }, &[b, a]);
    let rows = test.step(Action::Array { element: ty("[Ljava/lang/String;") }, &[words]);
    test.call_static("java/util/Arrays.sort([I)V", &[numbers]);
    test.call_static("java/util/Arrays.sort([Ljava/lang/Object;)V", &[words]);
    for (array, name) in [(numbers, "[I"), (words, "[Ljava/lang/String;"), (rows, "[[Ljava/lang/String;")] {
        let action = Action::Look { ty: ty(name) };
        test.script.observers.push(java_wire::Step { action, arguments: vec![array] });
    }
    let reply = stage.run(&test, MANNER).reply;
    let sorted = ints([1, 2, 3]).into_iter().map(Seen::Value).collect();
    let text = |text: &str| Seen::Value(Value::Text(text.encode_utf16().collect()));
    let words = Seen::Array("[Ljava/lang/String;".into(), 2, vec![text("a"), text("b")]);
    // What is in the outer array is told, though a step has made it.
    let rows = Seen::Array("[[Ljava/lang/String;".into(), 1, vec![words.clone()]);
    assert_eq!(reply.observed, [Seen::Array("[I".into(), 3, sorted), words, rows]);
}

#[test]
fn output_is_kept_if_results_are_wanted() {
    let mut stage = stage();
    let mut test = Draft::new();
    let text = test.text("hello \u{e9}");
    test.call_static("probe/Echo.print(Ljava/lang/String;)I", &[text]);
    assert_eq!(stage.run(&test, MANNER).reply.output, "hello \u{e9}!");
    let reply = stage.run(&test, Manner { observe: false, ..MANNER }).reply;
    assert_eq!((reply.output.as_str(), reply.results, reply.end), ("", vec![], End::Returned));
}

#[test]
fn what_cannot_be_used_is_said_when_it_is_learnt() {
    let mut stage = stage();
    let mut unusable = |named: &str, is_static: bool| {
        let mut test = Draft::new();
        test.call_static("probe/Echo.next()I", &[]);
        test.step(invoke(named, is_static), &[]);
        match stage.host.learn(&test.script).expect("a machine").1 {
            End::Unusable { step: 1, why } => why,
            other => panic!("{other:?}"),
        }
    };
    assert!(unusable("probe/None.next()I", true).contains("probe.None"));
    assert!(unusable("probe/Echo.nothing()I", true).contains("probe/Echo.nothing()I"));
    assert!(unusable("probe/Echo.next()J", true).contains("probe/Echo.next()J"));
    assert!(unusable("probe/Echo.next()I", false).contains("is static"));
    assert!(unusable("hostile/Dependent.take(Lhostile/Missing;)I", true).contains("hostile.Missing"));
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let mut stage = stage();
    let test = ints("probe/Echo.of(I)I", &[1]);
    let (id, _) = stage.host.learn(&test.script).expect("a machine");
    match stage.host.run(id, &[Value::Null], MANNER).expect("a machine") {
        java_worker::Answer::Ran(ran) => assert!(matches!(ran.reply.end, End::Unusable { .. })),
        other => panic!("{other:?}"),
    }
}

#[test]
fn equal_texts_are_one_object_as_constants_are() {
    let mut test = Draft::new();
    let texts = [test.text("same"), test.text("same")];
    test.call_static("features/Strings.equality(Ljava/lang/String;Ljava/lang/String;)I", &texts);
    assert_eq!(stage().result(&test), Seen::Value(Value::Int(3)));
}

#[test]
fn inner_objects_need_one_around_them() {
    let mut stage = stage();
    let mut alone = Draft::new();
    alone.new_object("features/Nested$Counter", "(Lfeatures/Nested;)V", &[Argument::Null]);
    let end = stage.run(&alone, MANNER).reply.end;
    assert!(matches!(&end, End::Unusable { step: 0, why } if why.contains("no object around it")), "{end:?}");
    let mut test = Draft::new();
    let outer = test.new_object("features/Nested", "()V", &[]);
    test.new_object("features/Nested$Counter", "(Lfeatures/Nested;)V", &[outer]);
    assert_eq!(stage.run(&test, MANNER).reply.end, End::Returned);
}
