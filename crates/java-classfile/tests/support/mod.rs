//! A Java compiler, a virtual machine and hooks, for all tests.

#![allow(dead_code, reason = "every test uses a part")]

use java_classfile::instruction::Kind;
use java_classfile::rewrite::{Place, Plan, Rewritten, Snippet, rewrite};
use java_classfile::{ClassFile, FlowError, Initialization, Instruction, Pc, Slot, Type};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Jars that Debian ships.
pub(crate) const JARS: [&str; 3] = ["guava", "commons-lang3", "commons-io"];

pub(crate) fn jar(name: &str) -> PathBuf {
    Path::new("/usr/share/java").join(name).with_extension("jar")
}

pub(crate) fn java_sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = output(command);
    assert!(output.status.success(), "{command:?}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; scripts/setup installs a JDK"))
}

/// Options with which short runs of the virtual machine take the least time.
const QUICK: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// Compiles sources into a folder.
pub(crate) fn javac(sources: &[PathBuf], folder: &Path, options: &[&str]) {
    let mut command = Command::new("javac");
    command.args(QUICK.map(|option| format!("-J{option}")));
    command.args(["-encoding", "UTF-8", "-nowarn", "-Xlint:none", "-d"]).arg(folder);
    run(command.args(options).args(sources));
}

/// Runs a class. `verify` says what is verified: `remote` is everything but the platform, which starts faster than `all`.
pub(crate) fn java(verify: &str, folders: &[&Path], arguments: &[&str]) -> String {
    let classpath = folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(":");
    let mut command = Command::new("java");
    command.arg(format!("-Xverify:{verify}")).args(QUICK).args(["-ea", "-cp", &classpath]);
    run(command.args(arguments))
}

pub(crate) fn unpack(jar: &Path, folder: &Path) {
    run(Command::new("jar").arg("xf").arg(jar).current_dir(folder));
}

/// Class files below a folder, in order.
pub(crate) fn class_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "class") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Rewrites all classes of a folder into another one; calls back for each.
pub(crate) fn rewrite_folder(from: &Path, to: &Path, mut each: impl FnMut(&ClassFile, &Rewritten)) {
    for file in class_files(from) {
        let bytes = std::fs::read(&file).expect("readable");
        let class = ClassFile::read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let rewritten =
            rewrite(&bytes, &all_hooks(&class)).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let target = to.join(file.strip_prefix(from).expect("below"));
        std::fs::create_dir_all(target.parent().expect("a folder")).expect("writable");
        std::fs::write(target, &rewritten.bytes).expect("writable");
        each(&class, &rewritten);
    }
}

/// Hooks at every place there is.
pub(crate) fn all_hooks(class: &ClassFile) -> Plan {
    try_hooks(class).unwrap_or_else(|error| panic!("{}: {error}", class.name))
}

/// Hooks at every place there is, if the code makes sense.
pub(crate) fn try_hooks(class: &ClassFile) -> Result<Plan, FlowError> {
    let mut plan = Plan::new();
    for (index, method) in class.methods.iter().enumerate() {
        if let Some(flow) = Initialization::of(class, method)? {
            method_hooks(&mut plan, class, index, &flow);
        }
    }
    Ok(plan)
}

fn method_hooks(plan: &mut Plan, class: &ClassFile, index: usize, flow: &Initialization) {
    let method = &class.methods[index];
    let Some(code) = &method.code else { return };
    plan.insert(
        index,
        Place::Entry,
        Snippet::new().int(index as i32).invoke_static("Hooks", "entry", "(I)V"),
    );
    for (pc, instruction) in &code.instructions {
        if let Some(hook) = decision_hook(*pc, instruction, flow) {
            plan.insert(index, Place::Before(*pc), hook);
        }
        if matches!(instruction, Instruction::New(_)) {
            let making = Snippet::new().int(*pc as i32).invoke_static("Hooks", "making", "(I)V");
            plan.insert(index, Place::Before(*pc), making);
        }
        if instruction.targets().iter().any(|target| target <= pc) {
            let tick = Snippet::new().invoke_static("Hooks", "tick", "()V");
            plan.insert_outside(index, Place::Before(*pc), tick);
        }
        if let Some(hook) = result_hook(*pc, class, instruction) {
            plan.insert(index, Place::After(*pc), hook);
        }
        if flow.constructed(*pc).is_some_and(|constructed| constructed.on_top) {
            let made = Snippet::new().dup().int(*pc as i32);
            plan.insert(
                index,
                Place::After(*pc),
                made.invoke_static("Hooks", "made", "(Ljava/lang/Object;I)V"),
            );
        }
        if method.name == "<init>" && flow.is_reachable(*pc) && !flow.this_is_uninitialized(*pc) {
            let look = Snippet::new().load(Kind::Ref, 0);
            plan.insert(
                index,
                Place::Before(*pc),
                look.invoke_static("Hooks", "self", "(Ljava/lang/Object;)V"),
            );
        }
    }
    let mut handlers: Vec<Pc> = code.handlers.iter().map(|handler| handler.handler).collect();
    handlers.sort_unstable();
    handlers.dedup();
    for pc in handlers {
        let caught = Snippet::new().dup().int(pc as i32);
        plan.insert(
            index,
            Place::Handler(pc),
            caught.invoke_static("Hooks", "caught", "(Ljava/lang/Object;I)V"),
        );
    }
}

fn decision_hook(pc: Pc, instruction: &Instruction, flow: &Initialization) -> Option<Snippet> {
    let id = pc as i32;
    let usable = |depth| flow.operand(pc, depth) == Some(Slot::Value);
    let hook = Snippet::new();
    Some(match instruction {
        Instruction::If { .. } => hook.dup().int(id).invoke_static("Hooks", "branch", "(II)V"),
        Instruction::IfInts { .. } => hook.dup2().int(id).invoke_static("Hooks", "branch", "(III)V"),
        Instruction::IfNull { .. } if usable(0) => {
            hook.dup().int(id).invoke_static("Hooks", "branch", "(Ljava/lang/Object;I)V")
        }
        Instruction::IfRefs { .. } if usable(0) && usable(1) => {
            hook.dup2().int(id).invoke_static("Hooks", "branch", "(Ljava/lang/Object;Ljava/lang/Object;I)V")
        }
        Instruction::TableSwitch(_) | Instruction::LookupSwitch(_) => {
            hook.dup().int(id).invoke_static("Hooks", "choice", "(II)V")
        }
        _ => return None,
    })
}

fn result_hook(pc: Pc, class: &ClassFile, instruction: &Instruction) -> Option<Snippet> {
    let called = match instruction {
        Instruction::Invoke { method, .. } => method,
        Instruction::InvokeDynamic(site) => site,
        _ => return None,
    };
    let result = class.pool.method_descriptor(*called).expect("a descriptor").result?;
    let descriptor = match result {
        Type::Long => "(JI)V",
        Type::Float => "(FI)V",
        Type::Double => "(DI)V",
        Type::Object(_) | Type::Array(_) => "(Ljava/lang/Object;I)V",
        _ => "(II)V",
    };
    let copy = if result.slots() == 2 { Snippet::new().dup2() } else { Snippet::new().dup() };
    Some(copy.int(pc as i32).invoke_static("Hooks", "result", descriptor))
}

/// A class `Sub` of Java 1.1 with a method `public static int run(int)` of this code; handlers are start, end and handler.
pub(crate) fn assembled(code: &[u8], handlers: &[[u8; 3]]) -> Vec<u8> {
    let mut class = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 3, 0, 45, 0, 8];
    for text in ["Sub", "java/lang/Object", "run", "(I)I", "Code"] {
        class.extend([1, 0, text.len() as u8]);
        class.extend(text.bytes());
    }
    class.extend([7, 0, 1, 7, 0, 2]); // 6: class Sub, 7: class Object
    class.extend([0, 0x21, 0, 6, 0, 7, 0, 0, 0, 0, 0, 1]); // public, extends Object; no interfaces, no fields, one method
    class.extend([0, 9, 0, 3, 0, 4, 0, 1]); // public static run(I)I with one attribute
    let length = 12 + code.len() + 8 * handlers.len();
    class.extend([0, 5, 0, 0, 0, length as u8, 0, 1, 0, 3, 0, 0, 0, code.len() as u8]);
    class.extend(code);
    class.extend([0, handlers.len() as u8]);
    handlers.iter().for_each(|[start, end, handler]| class.extend([0, *start, 0, *end, 0, *handler, 0, 0]));
    class.extend([0, 0, 0, 0]); // no attributes of the code, none of the class
    class
}
