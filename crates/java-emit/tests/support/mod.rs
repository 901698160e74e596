//! Tests as data in few words, and the fixtures they are for.

// Each file of tests uses a part of it.
#![allow(dead_code)]

use java_classfile::ClassFile;
use java_emit::{Emission, Facts, JavaSuite, JavaTest};
use java_wire::message::{End, Seen, Thrown};
use java_wire::{Action, Argument, Script, Slot, Step, Value};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What is passed to a step.
#[derive(Clone, Debug)]
pub(crate) enum In {
    Null,
    R(u32),
    V(Value),
}

pub(crate) fn int(number: i32) -> In {
    In::V(Value::Int(number))
}

pub(crate) fn text(words: &str) -> In {
    In::V(Value::Text(words.encode_utf16().collect()))
}

pub(crate) fn boxed(value: Value) -> Value {
    Value::Boxed(Box::new(value))
}

/// A test that is being put together.
#[derive(Default)]
pub(crate) struct Build {
    script: Script,
    values: Vec<Value>,
    observed: Vec<Seen>,
    comment: Vec<String>,
}

impl Build {
    fn step(&mut self, action: Action, arguments: &[In]) -> Step {
        let mut all = Vec::new();
        for argument in arguments {
            all.push(match argument {
                In::Null => Argument::Null,
                In::R(step) => Argument::Result(*step),
                In::V(value) => {
                    self.script.slots.push(slot(value));
                    self.values.push(value.clone());
                    Argument::Slot(self.values.len() as u32 - 1)
                }
            });
        }
        Step { action, arguments: all }
    }

    fn add(&mut self, action: Action, arguments: &[In]) -> In {
        let step = self.step(action, arguments);
        self.script.steps.push(step);
        In::R(self.script.steps.len() as u32 - 1)
    }

    pub(crate) fn construct(&mut self, class: &str, descriptor: &str, arguments: &[In]) -> In {
        let descriptor = descriptor.parse().expect("a descriptor");
        self.add(Action::Construct { class: class.into(), descriptor }, arguments)
    }

    pub(crate) fn invoke(&mut self, class: &str, name: &str, descriptor: &str, arguments: &[In]) -> In {
        self.add(invocation(class, name, descriptor, false), arguments)
    }

    pub(crate) fn invoke_static(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        arguments: &[In],
    ) -> In {
        self.add(invocation(class, name, descriptor, true), arguments)
    }

    pub(crate) fn load_static(&mut self, class: &str, name: &str, ty: &str) -> In {
        self.load(class, name, ty, &[])
    }

    pub(crate) fn load(&mut self, class: &str, name: &str, ty: &str, object: &[In]) -> In {
        let ty = ty.parse().expect("a type");
        let is_static = object.is_empty();
        self.add(Action::Load { class: class.into(), name: name.into(), ty, is_static }, object)
    }

    pub(crate) fn store(&mut self, class: &str, name: &str, ty: &str, arguments: &[In]) -> In {
        let ty = ty.parse().expect("a type");
        let is_static = arguments.len() == 1;
        self.add(Action::Store { class: class.into(), name: name.into(), ty, is_static }, arguments)
    }

    pub(crate) fn array(&mut self, element: &str, arguments: &[In]) -> In {
        self.add(Action::Array { element: element.parse().expect("a type") }, arguments)
    }

    pub(crate) fn file(&mut self, text: In) -> In {
        self.add(Action::File { is_folder: false }, &[text])
    }

    /// A stub whose constructor takes `(I)V`, with answers of methods, `name()I`.
    pub(crate) fn stub(&mut self, class: &str, constructor: &str, answers: &[&str], arguments: &[In]) -> In {
        let method = |text: &str| text.parse::<java_classfile::MethodDescriptor>().expect("a descriptor");
        let answering = |named: &&str| {
            let (name, _) = named.split_once('(').expect("a descriptor");
            java_wire::Answering { name: name.into(), descriptor: method(&named[name.len()..]) }
        };
        let answers = answers.iter().map(answering).collect();
        let parameters = method(constructor).parameters;
        self.add(Action::Stub { class: class.into(), parameters, answers }, arguments)
    }

    /// An observer that calls a method of an object.
    pub(crate) fn sees(&mut self, class: &str, name: &str, descriptor: &str, object: &In, seen: Seen) {
        let step = self.step(invocation(class, name, descriptor, false), std::slice::from_ref(object));
        self.script.observers.push(step);
        self.observed.push(seen);
    }

    /// An observer that reads a field; of the class without an object.
    pub(crate) fn sees_field(&mut self, class: &str, name: &str, ty: &str, object: Option<&In>, seen: Seen) {
        let ty = ty.parse().expect("a type");
        let action = Action::Load { class: class.into(), name: name.into(), ty, is_static: object.is_none() };
        let step = self.step(action, object.map(std::slice::from_ref).unwrap_or_default());
        self.script.observers.push(step);
        self.observed.push(seen);
    }

    /// An observer that looks into an array.
    pub(crate) fn looks(&mut self, ty: &str, array: Argument, seen: &[Value]) {
        let action = Action::Look { ty: ty.parse().expect("a type") };
        self.script.observers.push(Step { action, arguments: vec![array] });
        let elements = seen.iter().cloned().map(Seen::Value).collect();
        self.observed.push(Seen::Array(ty.into(), seen.len() as u32, elements));
    }

    pub(crate) fn comment(&mut self, line: &str) {
        self.comment.push(line.into());
    }

    pub(crate) fn ends(self, end: End, last: Seen) -> JavaTest {
        let mut results = vec![Seen::Object("any/Object".into(), None); self.script.steps.len()];
        if end == End::Returned {
            *results.last_mut().expect("a step") = last;
        } else {
            results.pop();
        }
        let Build { script, values, observed, comment } = self;
        JavaTest { name: None, script, values, end, results, observed, comment }
    }

    pub(crate) fn returns(self, seen: Seen) -> JavaTest {
        self.ends(End::Returned, seen)
    }

    pub(crate) fn gives(self, value: Value) -> JavaTest {
        self.returns(Seen::Value(value))
    }

    /// The last step throws, inside of a method of the class.
    pub(crate) fn throws(self, class: &str, message: Option<&str>, innermost: &str) -> JavaTest {
        let stack = vec![(innermost.to_owned(), "m".to_owned(), 1)];
        let thrown = Thrown { class: class.into(), message: message.map(str::to_owned), stack };
        let step = self.script.steps.len() as u32 - 1;
        self.ends(End::Threw { step, thrown }, Seen::Void)
    }
}

fn invocation(class: &str, name: &str, descriptor: &str, is_static: bool) -> Action {
    let descriptor = descriptor.parse().expect("a descriptor");
    Action::Invoke { class: class.into(), name: name.into(), descriptor, is_static }
}

fn slot(value: &Value) -> Slot {
    match value {
        Value::Text(_) | Value::Null => Slot::Text,
        Value::Boxed(inner) => Slot::Boxed(inner.primitive().expect("a primitive")),
        Value::Array(primitive, _) => Slot::Array(*primitive),
        other => Slot::Primitive(other.primitive().expect("a primitive")),
    }
}

pub(crate) fn suite(class: &str, tests: Vec<JavaTest>) -> JavaSuite {
    let package = class.rsplit_once('/').map_or("", |(package, _)| package).replace('/', ".");
    JavaSuite { package, class_under_test: class.into(), tests }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/java")
}

/// Options with which a JVM starts quickly.
const QUICK: (&str, &str) = ("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");

pub(crate) fn javac(sources: &[PathBuf], class_path: &Path, folder: &Path) {
    let mut command = Command::new("javac");
    command
        .env(QUICK.0, QUICK.1)
        .args(["-g", "-encoding", "UTF-8", "-cp"])
        .arg(class_path)
        .arg("-d")
        .arg(folder)
        .args(sources);
    let output = command.output().expect("javac is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The folder with the classes of the fixtures, compiled once.
pub(crate) fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures");
        let mut sources = Vec::new();
        for package in ["jtestcraft", "features", "containers"] {
            for entry in std::fs::read_dir(fixtures().join(package)).expect("fixtures") {
                sources.push(entry.expect("a file").path());
            }
        }
        javac(&sources, &folder, &folder);
        folder
    })
}

pub(crate) fn facts() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    FACTS.get_or_init(|| {
        let mut facts = Facts::default();
        for package in ["jtestcraft", "features", "containers"] {
            for entry in std::fs::read_dir(classes().join(package)).expect("classes") {
                let bytes = std::fs::read(entry.expect("a file").path()).expect("a class");
                facts.add(&ClassFile::read(&bytes).expect("a class"));
            }
        }
        facts
    })
}

/// Writes a suite and runs its script, with all warnings of the compiler as errors.
pub(crate) fn run(emission: &Emission) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in &emission.files {
        let path = folder.path().join(&file.path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, &file.contents).expect("written");
        if file.executable {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
        }
    }
    let mut script = Command::new(folder.path().join("run-tests.sh"));
    // Debian's jars name others that do not exist, which is the business of the lint `path` and not ours.
    script.env("JDK_JAVAC_OPTIONS", "-Xlint:all,-path -Werror").env(QUICK.0, QUICK.1);
    let output = script.output().expect("the script runs");
    let printed = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&printed).into_owned())
}

pub(crate) fn summary(printed: &str) -> &str {
    printed.lines().rev().find(|line| line.contains("passed")).unwrap_or_default()
}
