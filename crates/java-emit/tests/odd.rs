//! Classes whose names and overloads make it hard to say what is meant.

mod support;

use java_classfile::ClassFile;
use java_emit::{Facts, JavaJob, JavaTest};
use java_wire::Value;
use java_wire::message::Seen;
use std::path::Path;
use support::{Build, In, boxed, int, javac, run, suite, summary, text};

const OVERLOADS: &str = "odd/Overloads";
const DERIVED: &str = "odd/Overloads$Derived";

fn words(text: &str) -> Value {
    Value::Text(text.encode_utf16().collect())
}

fn call(class: &str, name: &str, descriptor: &str, arguments: &[In], seen: Seen) -> JavaTest {
    let mut test = Build::default();
    test.invoke_static(class, name, descriptor, arguments);
    test.returns(seen)
}

/// A call of the overloaded method, and which of them it is.
fn overload(parameters: &str, arguments: &[In], name: &str) -> JavaTest {
    let descriptor = format!("({parameters})Ljava/lang/String;");
    call(OVERLOADS, "f", &descriptor, arguments, Seen::Value(words(name)))
}

fn overloads() -> Vec<JavaTest> {
    let object = "Ljava/lang/Object;";
    let string = "Ljava/lang/String;";
    let both = "Ljava/lang/String;[Ljava/lang/Object;";
    let mut rest = Build::default();
    let array = rest.array(object, &[text("a"), In::Null]);
    rest.invoke_static(OVERLOADS, "f", &format!("({both}){string}"), &[In::Null, array]);
    let mut made = Build::default();
    let object_made = made.construct(OVERLOADS, "(Ljava/lang/StringBuilder;)V", &[In::Null]);
    made.invoke(OVERLOADS, "how", "()Ljava/lang/String;", &[object_made]);
    vec![
        overload(object, &[text("a")], "Object"),
        overload(object, &[In::Null], "Object"),
        overload(object, &[In::V(boxed(Value::Long(3)))], "Object"),
        overload(string, &[In::Null], "String"),
        overload("J", &[In::V(Value::Long(3))], "long"),
        rest.gives(words("rest2")),
        made.gives(words("builder")),
    ]
}

fn fields() -> Vec<JavaTest> {
    let mut hidden = Build::default();
    let derived = hidden.construct(DERIVED, "()V", &[]);
    hidden.store(OVERLOADS, "seen", "I", &[derived.clone(), int(5)]);
    let inner = hidden.construct(
        "odd/Overloads$Derived$Inner",
        "(Lodd/Overloads$Derived;IB)V",
        &[derived.clone(), int(1), In::V(Value::Byte(3))],
    );
    hidden.invoke("odd/Overloads$Derived$Inner", "sum", "()I", &[inner]);
    hidden.sees_field(OVERLOADS, "seen", "I", Some(&derived), Seen::Value(Value::Int(5)));
    hidden.sees_field(DERIVED, "seen", "I", Some(&derived), Seen::Value(Value::Int(2)));
    vec![hidden.gives(Value::Int(6))]
}

fn results() -> Vec<JavaTest> {
    let mut secret = Build::default();
    secret.invoke_static(OVERLOADS, "anything", "(Z)I", &[In::V(Value::Boolean(true))]);
    let mixed = vec![
        Seen::Value(words("a")),
        Seen::Value(boxed(Value::Char('c' as u16))),
        Seen::Object("java/lang/StringBuilder".into(), Some("b".into())),
        Seen::Null,
    ];
    let doubles = [0.5f64, -0.0].map(|number| Seen::Value(Value::Double(number.to_bits()))).to_vec();
    let secrets = Seen::Array("[Lodd/Overloads$Secret;".into(), 1, vec![Seen::Null]);
    let mut stubbed = Build::default();
    let order = stubbed.stub(
        "java/util/Comparator",
        "()V",
        &["compare(Ljava/lang/Object;Ljava/lang/Object;)I"],
        &[int(3)],
    );
    stubbed.invoke_static(OVERLOADS, "old", "(Ljava/util/Comparator;)I", &[order]);
    vec![
        secret.throws("odd/Overloads$Secret", Some("hidden"), OVERLOADS),
        call(OVERLOADS, "anything", "(Z)I", &[In::V(Value::Boolean(false))], Seen::Value(Value::Int(7))),
        call(
            OVERLOADS,
            "mixed",
            "()[Ljava/lang/Object;",
            &[],
            Seen::Array("[Ljava/lang/Object;".into(), 4, mixed),
        ),
        call(OVERLOADS, "raw", "()Ljava/lang/Object;", &[], Seen::Array("[D".into(), 2, doubles)),
        call(OVERLOADS, "secrets", "()[Ljava/lang/Object;", &[], secrets),
        stubbed.gives(Value::Int(3)),
        loaded(false).returns(Seen::Void),
        loaded(true).throws("java/lang/NullPointerException", None, OVERLOADS),
    ]
}

/// A field as what a test is for, of nothing or of an object.
fn loaded(of_nothing: bool) -> Build {
    let mut test = Build::default();
    let object = test.construct(OVERLOADS, "(Ljava/lang/String;)V", &[text("a")]);
    test.load(OVERLOADS, "seen", "I", &[if of_nothing { In::Null } else { object }]);
    test
}

/// Names that mean something else in this package than elsewhere.
fn names() -> Vec<JavaTest> {
    let mut named = Build::default();
    let test = named.construct("odd/Test", "()V", &[]);
    let map = named.construct("java/util/TreeMap", "()V", &[]);
    let own = named.construct("odd/TreeMap", "()V", &[]);
    let descriptor = "(Ljava/util/TreeMap;Lodd/TreeMap;)Ljava/lang/String;";
    named.invoke("odd/Test", "name", descriptor, &[test, map, own]);
    let box_of = "(I)Ljava/lang/Integer;";
    let mut variable = Build::default();
    let number = variable.invoke_static("odd/Integer", "box", box_of, &[int(i32::MAX)]);
    variable.invoke_static("odd/value", "of", "(Ljava/lang/Integer;)I", &[number]);
    vec![
        named.gives(words("someown")),
        call("odd/Integer", "twice", "(I)I", &[int(i32::MIN)], Seen::Value(Value::Int(0))),
        call("odd/Integer", "box", box_of, &[int(4)], Seen::Value(boxed(Value::Int(4)))),
        variable.gives(Value::Int(i32::MAX)),
    ]
}

#[test]
fn odd_classes_are_called_as_meant() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("odd-classes");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/odd");
    let sources: Vec<_> =
        std::fs::read_dir(sources).expect("sources").map(|entry| entry.expect("a file").path()).collect();
    javac(&sources, &folder, &folder);
    let mut facts = Facts::default();
    for entry in std::fs::read_dir(folder.join("odd")).expect("classes") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("a class");
        facts.add(&ClassFile::read(&bytes).expect("a class"));
    }
    facts.add(&comparator(&folder));
    let suites = [suite(OVERLOADS, [overloads(), fields(), results()].concat()), suite("odd/Test", names())];
    let class_path = vec![folder.display().to_string()];
    for emitter in java_emit::all() {
        let job = JavaJob {
            suites: &suites,
            facts: &facts,
            class_path: class_path.clone(),
            asserts: true,
            sources: None,
        };
        let emission = emitter.emit(&job);
        if emitter.name() == "junit" {
            let java = emission.files.iter().filter(|file| file.path.ends_with(".java"));
            insta::assert_snapshot!(java.map(|file| file.contents.as_str()).collect::<Vec<_>>().join("\n"));
        }
        let (is_ok, printed) = run(&emission);
        assert_eq!((is_ok, summary(&printed)), (true, "20 passed, 0 failed"), "{printed}");
    }
}

/// The class file of an interface of the library, which a JVM copies out of its modules.
fn comparator(folder: &Path) -> ClassFile {
    let mut java = std::process::Command::new("java");
    java.arg("-cp").arg(folder).args(["odd.Copy", "/java/util/Comparator.class"]);
    let output = java.output().expect("java is installed");
    ClassFile::read(&output.stdout).expect("a class")
}
