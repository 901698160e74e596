//! Emitted suites: their text, and whether they compile without warnings and pass.

#[path = "support/suites.rs"]
mod suites;
mod support;

use java_emit::{Emission, JavaEmitter, JavaJob, JavaSuite, Reason};
use java_wire::message::{End, Seen};
use java_wire::{Primitive, Value};
use std::path::Path;
use support::{Build, In, classes, facts, int, run, suite, summary, text};

fn emitter(name: &str) -> &'static dyn JavaEmitter {
    *java_emit::all().iter().find(|emitter| emitter.name() == name).expect("an emitter")
}

fn emit(format: &str, suites: &[JavaSuite], class_path: &Path) -> Emission {
    let class_path = vec![class_path.display().to_string()];
    emitter(format).emit(&JavaJob { suites, facts: facts(), class_path, asserts: true, sources: None })
}

fn contents<'e>(emission: &'e Emission, path: &str) -> &'e str {
    &emission.files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}")).contents
}

/// All test classes as one text.
fn sources(emission: &Emission) -> String {
    let java = emission.files.iter().filter(|file| file.path.ends_with(".java"));
    java.map(|file| format!("// {}\n{}\n", file.path, file.contents)).collect()
}

#[test]
fn text_of_junit_5() {
    insta::assert_snapshot!(sources(&emit("junit", &suites::all(), Path::new("/classes"))));
}

#[test]
fn text_of_junit_4() {
    let shown = [suites::temperature(), suites::arrays(), suites::try_catch()];
    insta::assert_snapshot!(sources(&emit("junit4", &shown, Path::new("/classes"))));
}

#[test]
fn text_of_the_build_files() {
    let class_path = ["classes", "../it's/a&b.jar", "/home/me/classes", "/home/me/lib.jar"];
    let job = JavaJob {
        suites: &[suites::temperature()],
        facts: facts(),
        class_path: class_path.map(str::to_owned).to_vec(),
        asserts: true,
        sources: None,
    };
    let emission = emitter("junit").emit(&job);
    let names = ["pom.xml", "build.gradle", "settings.gradle", "run-tests.sh"];
    let all: Vec<String> =
        names.iter().map(|name| format!("== {name}\n{}", contents(&emission, name))).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn c70_suites_compile_without_warnings_and_pass() {
    for emitter in java_emit::all() {
        let suites = suites::all();
        let emission = emit(emitter.name(), &suites, classes());
        assert_eq!(emission.left_out, []);
        let (is_ok, printed) = run(&emission);
        let count = suites.iter().map(|suite| suite.tests.len()).sum::<usize>();
        assert_eq!(summary(&printed), format!("{count} passed, 0 failed"), "{printed}");
        assert!(is_ok);
    }
}

#[test]
fn c73_without_assertions_there_is_a_place_for_them() {
    let suites = [suites::temperature(), suites::try_catch()];
    let class_path = vec![classes().display().to_string()];
    let job = JavaJob { suites: &suites, facts: facts(), class_path, asserts: false, sources: None };
    for format in ["junit", "junit4"] {
        let emission = emitter(format).emit(&job);
        // Behind the last test of a file are the imports of the next.
        let lines: Vec<String> = sources(&emission).lines().map(str::to_owned).collect();
        let text: String =
            lines.iter().filter(|line| !line.starts_with("import")).map(|line| format!("{line}\n")).collect();
        let (mut places, mut thrown) = (0, 0);
        for body in text.split("@Test").skip(1) {
            let asserts = body.matches("assert").count() - body.matches("assertions go here").count();
            let throws = body.matches("assertThrows(").count();
            // An exception is expected, or else the test would fail.
            assert_eq!(asserts, throws, "{body}");
            assert_eq!(body.contains("        // Your assertions go here.\n"), throws == 0, "{body}");
            places += usize::from(throws == 0);
            thrown += throws;
        }
        assert!(places > 0 && thrown > 0 && places + thrown == emission.tests.len(), "{text}");
        let (is_ok, printed) = run(&emission);
        assert!(is_ok, "{printed}");
    }
}

#[test]
fn what_cannot_be_a_test_is_told() {
    let step = |end: End| {
        let mut test = Build::default();
        test.invoke_static("features/IntOps", "run", "(I)V", &[int(1)]);
        test.ends(end, Seen::Void)
    };
    let mut malformed = step(End::Returned);
    malformed.values.clear();
    let mut empty = step(End::Returned);
    empty.script.steps.clear();
    let mut large = Build::default();
    let array = Value::Array(Primitive::Int, vec![Value::Int(0); 100_000]);
    large.invoke_static("features/Varargs", "max", "([I)I", &[In::V(array)]);
    let mut chatty = step(End::Returned);
    chatty.results = vec![Seen::Object("a/B".into(), Some("x".repeat(70_000)))];
    let mut stub = Build::default();
    stub.stub("unknown/Interface", "()V", &[], &[]);
    let tests = vec![
        step(End::OutOfTicks { step: 0 }),
        step(End::Exited { step: 0, status: 1 }),
        step(End::Unusable { step: 0, why: "no such method".into() }),
        malformed,
        empty,
        large.returns(Seen::Void),
        chatty,
        stub.returns(Seen::Void),
    ];
    let emission = emit("junit", &[suite("features/IntOps", tests)], Path::new("/classes"));
    let reasons: Vec<Reason> = emission.left_out.iter().map(|left| left.reason).collect();
    use Reason::{Exits, Malformed, OutOfTicks, TooLarge, UnknownStub, Unusable};
    assert_eq!(reasons, [OutOfTicks, Exits, Unusable, Malformed, Malformed, TooLarge, TooLarge, UnknownStub]);
    assert!(!emission.files.iter().any(|file| file.path.ends_with(".java")));
    assert_eq!(run(&emission), (true, "0 passed, 0 failed\n".to_owned()));
}

#[test]
fn names_are_told_and_chosen() {
    let mut given = Build::default();
    given.invoke_static("features/Varargs", "of", "(I)I", &[int(5)]);
    let mut given = given.gives(Value::Int(1));
    given.name = Some("class".into());
    let mut texts = Build::default();
    texts.invoke("java/lang/String", "length", "()I", &[text("")]);
    let tests = vec![given.clone(), given, texts.gives(Value::Int(0))];
    let emission = emit("junit", &[suite("features/Varargs", tests)], Path::new("/classes"));
    let names: Vec<&str> = emission.tests.iter().map(|test| test.method.as_str()).collect();
    assert_eq!(names, ["test_class", "test_class2", "length_returns0"]);
    assert!(emission.tests.iter().all(|test| test.class == "features.VarargsTest"));
}
