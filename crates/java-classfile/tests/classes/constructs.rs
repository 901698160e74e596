//! Programs with every construct of the language get hooks everywhere and must do what they did, verified by the virtual machine.

use crate::support::{all_hooks, java, java_sources, javac, rewrite_folder};
use java_classfile::instruction::{Instruction, Kind};
use java_classfile::rewrite::{Place, Plan, Rewritten, Snippet, Why, rewrite};
use java_classfile::{ClassFile, Constructed, Initialization, Slot};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Folders for classes as they were compiled and with hooks.
struct Workshop {
    _root: tempfile::TempDir,
    plain: PathBuf,
    hooked: PathBuf,
}

impl Workshop {
    fn new() -> Workshop {
        let root = tempfile::tempdir().expect("writable");
        let [plain, hooked] = ["plain", "hooked"].map(|name| root.path().join(name));
        std::fs::create_dir(&plain).expect("writable");
        std::fs::create_dir(&hooked).expect("writable");
        Workshop { _root: root, plain, hooked }
    }

    fn compile(&self, names: &[&str], options: &[&str]) {
        javac(&sources(names), &self.plain, options);
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.hooked.join(name).with_extension("class"), bytes).expect("writable");
    }
}

fn sources(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| java_sources().join(name).with_extension("java")).collect()
}

/// The hooks and small programs that they are counted in.
static TOOLS: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let tools = tempfile::tempdir().expect("writable");
    let programs = ["Hooks", "RunAll", "Counted", "CountedMain", "Endless", "EndlessMain", "Refused"];
    javac(&sources(&programs), tools.path(), &[]);
    tools
});

/// Runs main methods, with the tools at hand.
fn run(folder: &Path, programs: &[&str]) -> String {
    java("remote", &[folder, TOOLS.path()], &[&["RunAll"], programs].concat())
}

fn class(folder: &Path, name: &str) -> (Vec<u8>, ClassFile) {
    let bytes = std::fs::read(folder.join(name).with_extension("class")).expect("readable");
    let class = ClassFile::read(&bytes).expect("well-formed");
    (bytes, class)
}

fn behaves_the_same(release: &str, programs: &[&str]) {
    let shop = Workshop::new();
    shop.compile(programs, &["--release", release, "-g"]);
    rewrite_folder(&shop.plain, &shop.hooked, |_, rewritten| assert_eq!(rewritten.untouched, []));
    let expected = run(&shop.plain, programs);
    assert!(expected.lines().count() > 30, "{expected}");
    assert_eq!(run(&shop.hooked, programs), expected, "Java {release}");
}

#[test]
fn programs_of_java_8_behave_the_same() {
    behaves_the_same("8", &["Constructs"]);
}

#[test]
fn programs_of_java_11_behave_the_same() {
    behaves_the_same("11", &["Constructs", "Newer"]);
}

#[test]
fn programs_of_java_17_behave_the_same() {
    behaves_the_same("17", &["Constructs", "Newer", "Newest"]);
}

#[test]
fn hooks_run_as_often_as_the_source_says() {
    let shop = Workshop::new();
    let (bytes, class) = class(TOOLS.path(), "Counted");
    shop.write("Counted", &rewrite(&bytes, &all_hooks(&class)).expect("rewritten").bytes);
    // A constructor that has called another one looks at itself before every instruction that is left.
    let expected = "\
== CountedMain
loop(5) = 10 {branch=6, entry=1, tick=5}
loop(0) = 0 {branch=1, entry=1}
choose(2) = 20 {entry=1, switch=1}
caught(in) = 7 {entry=1}
caught(out) = -1 {caught=1, entry=1}
calls(-9) = 12 {entry=1, result=2}
first(4) = 0 {branch=4, entry=1, tick=4}
same(null, x) = true {branch=2, entry=1}
make(true) = 1 {branch=1, entry=3, made=1, making=1, self=5}
";
    assert_eq!(run(&shop.hooked, &["CountedMain"]), expected);
}

/// Every place of one kind in one method.
fn counted_at(place: impl Fn(&Instruction, u32) -> Option<Place>) -> String {
    let shop = Workshop::new();
    let (bytes, class) = class(TOOLS.path(), "Counted");
    let mut plan = Plan::new();
    for (index, method) in class.methods.iter().enumerate() {
        for (pc, instruction) in &method.code.as_ref().expect("code").instructions {
            if let Some(place) = place(instruction, *pc) {
                plan.insert(index, place, Snippet::new().int(1).invoke_static("Hooks", "entry", "(I)V"));
            }
        }
    }
    shop.write("Counted", &rewrite(&bytes, &plan).expect("rewritten").bytes);
    let output = run(&shop.hooked, &["CountedMain"]);
    output.lines().skip(1).take(2).collect::<Vec<_>>().join("\n")
}

#[test]
fn code_after_a_conditional_jump_runs_only_when_it_does_not_jump() {
    let after = |instruction: &Instruction, pc| instruction.is_conditional().then_some(Place::After(pc));
    assert_eq!(counted_at(after), "loop(5) = 10 {entry=5}\nloop(0) = 0 {}");
}

#[test]
fn code_before_the_target_of_a_jump_runs_however_it_is_reached() {
    // The head of the loop: the first load after `i = 0`.
    let head = |instruction: &Instruction, pc| {
        (pc == 4 && matches!(instruction, Instruction::Load { .. })).then_some(Place::Before(pc))
    };
    assert_eq!(counted_at(head), "loop(5) = 10 {entry=6}\nloop(0) = 0 {entry=1}");
}

#[test]
fn code_pushes_values_of_every_kind() {
    let shop = Workshop::new();
    let (bytes, class) = class(TOOLS.path(), "Counted");
    let (method, _) = class.method("loop", "(I)I").expect("the method");
    let pushes = Snippet::new()
        .int(-7)
        .int(1_000_000)
        .long(1 << 40)
        .string("a\0é😀")
        .class("Hooks")
        .get_static("Hooks", "counts", "Ljava/util/Map;")
        .invoke_static("Hooks", "pushed", "(IIJLjava/lang/String;Ljava/lang/Class;Ljava/lang/Object;)V");
    // Variables of all three lengths of instructions.
    let keeps = Snippet::new().load(Kind::Int, 0).store(Kind::Int, 7).long(300).store(Kind::Long, 300);
    let keeps = keeps.load(Kind::Long, 300).pop2().load(Kind::Int, 7).null().swap().pop2();
    let mut plan = Plan::new();
    plan.insert(method, Place::Entry, pushes);
    plan.insert(method, Place::Entry, keeps);
    shop.write("Counted", &rewrite(&bytes, &plan).expect("rewritten").bytes);
    let output = run(&shop.hooked, &["CountedMain"]);
    assert_eq!(output.lines().nth(1), Some("loop(5) = 10 {pushed=1}"));
}

#[test]
fn the_verifier_refuses_what_is_said_to_be_uninitialized() {
    let shop = Workshop::new();
    let (bytes, class) = class(TOOLS.path(), "Counted");
    let (index, method) = class.method("<init>", "(Z)V").expect("the constructor");
    let flow = Initialization::of(&class, method).expect("sound").expect("code");
    let code = method.code.as_ref().expect("code");
    let call = code.instructions.iter().find(|(pc, _)| flow.constructed(*pc).is_some()).expect("a call").0;
    for (pc, _) in &code.instructions {
        assert_eq!(flow.this_is_uninitialized(*pc), *pc <= call, "at {pc}, with the call at {call}");
    }
    assert_eq!(flow.constructed(call), Some(Constructed { object: Slot::UninitializedThis, on_top: false }));
    let mut plan = Plan::new();
    let look = Snippet::new().load(Kind::Ref, 0).invoke_static("Hooks", "self", "(Ljava/lang/Object;)V");
    plan.insert(index, Place::Before(call), look);
    shop.write("Counted", &rewrite(&bytes, &plan).expect("rewritten").bytes);
    let output = run(&shop.hooked, &["Refused"]);
    assert_eq!(output.lines().nth(1), Some("java.lang.VerifyError"));
}

/// A tick before every jump back, caught by the handlers around it or not.
fn ticked(outside: bool) -> String {
    let shop = Workshop::new();
    let (bytes, class) = class(TOOLS.path(), "Endless");
    let mut plan = Plan::new();
    for (index, method) in class.methods.iter().enumerate() {
        for (pc, instruction) in &method.code.as_ref().expect("code").instructions {
            if instruction.targets().iter().any(|target| target <= pc) {
                let tick = Snippet::new().invoke_static("Hooks", "tick", "()V");
                if outside {
                    plan.insert_outside(index, Place::Before(*pc), tick);
                } else {
                    plan.insert(index, Place::Before(*pc), tick);
                }
            }
        }
    }
    let rewritten = rewrite(&bytes, &plan).expect("rewritten");
    assert_eq!(rewritten.untouched, []);
    shop.write("Endless", &rewritten.bytes);
    run(&shop.hooked, &["EndlessMain"])
}

#[test]
fn a_budget_outside_of_protected_ranges_ends_every_loop() {
    let loops = ["plain", "swallowed", "again", "inner", "last", "locked", "both"];
    let expected: String = loops.iter().map(|name| format!("{name} Hooks$Spent\n")).collect();
    assert_eq!(ticked(true), format!("== EndlessMain\n{expected}"));
}

#[test]
fn a_budget_inside_of_protected_ranges_is_swallowed() {
    assert!(ticked(false).contains("swallowed returned -1\n"));
}

/// Compiles a class `Big` with this body, puts hooks in, and compares what `main` prints.
fn big(methods: &str) -> Rewritten {
    let shop = Workshop::new();
    let source = shop.plain.join("Big.java");
    let main = "public static void main(String[] a) { for (int x = 0; x < 40; x += 7) System.out.println(f(x) + g(x)); }
        static int g(int x) { int s = 0; for (int i = 0; i < x; i++) s ^= i * x; return s; }";
    std::fs::write(&source, format!("public class Big {{ {methods} {main} }}")).expect("writable");
    javac(&[source], &shop.plain, &[]);
    let (bytes, class) = class(&shop.plain, "Big");
    let rewritten = rewrite(&bytes, &all_hooks(&class)).expect("rewritten");
    shop.write("Big", &rewritten.bytes);
    assert_eq!(run(&shop.hooked, &["Big"]), run(&shop.plain, &["Big"]));
    rewritten
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn has_long_jump(class: &[u8], name: &str) -> bool {
    let class = ClassFile::read(class).expect("well-formed");
    let method = class.methods.iter().find(|method| method.name == name).expect("the method");
    let code = method.code.as_ref().expect("code");
    let is_long = |(position, (pc, instruction)): (usize, &(u32, Instruction))| {
        matches!(instruction, Instruction::Goto { .. }) && code.end_of(position) - pc == 5
    };
    code.instructions.iter().enumerate().any(is_long)
}

#[test]
fn jumps_that_are_long_already_move_along() {
    let body = lines(3500, |i| format!("s = s * 31 + (i ^ {});\n", 1_000_000 + i % 9));
    let rewritten = big(&format!(
        "static int f(int x) {{ int s = x; for (int i = 0; i < 5; i++) {{ {body} }} return s; }}"
    ));
    assert_eq!(rewritten.untouched, []);
    assert!(has_long_jump(&rewritten.bytes, "f"));
}

#[test]
fn a_goto_that_no_longer_reaches_becomes_long() {
    let body = lines(2000, |i| format!("if (x == {i}) s += {i};\n"));
    let rewritten = big(&format!(
        "static int f(int x) {{ int s = 0; for (;;) {{ {body} if (++x > 50) return s; s ^= x; }} }}"
    ));
    assert_eq!(rewritten.untouched, []);
    assert!(has_long_jump(&rewritten.bytes, "f"));
}

#[test]
fn a_method_whose_conditional_jump_would_not_reach_is_left_alone_and_named() {
    let body = lines(2000, |i| format!("if (x == {i}) s += {i};\n"));
    let rewritten =
        big(&format!("static int f(int x) {{ int s = 0; while (x < 50) {{ {body} x++; }} return s; }}"));
    let [left] = rewritten.untouched[..] else { panic!("{:?}", rewritten.untouched) };
    assert!(matches!(left.why, Why::TooFar(_)), "{left:?}");
    assert_eq!(rewritten.moved.len(), 3, "the others got their hooks");
}

#[test]
fn a_method_that_would_be_too_long_is_left_alone_and_named() {
    let body = lines(4000, |i| format!("if (x == {i}) s += {i};\n"));
    let rewritten = big(&format!("static int f(int x) {{ int s = 0; {body} return s; }}"));
    let [left] = rewritten.untouched[..] else { panic!("{:?}", rewritten.untouched) };
    assert!(matches!(left.why, Why::TooLong(length) if length > 65_535), "{left:?}");
}
