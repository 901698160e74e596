//! Objects that tests of Java bring: stand-ins with answers, builders, collections of what their types say.

mod support;

use report::Summary;
use std::path::Path;
use std::process::Command;
use support::{Desk, PATIENCE, function, run};

fn text(desk: &Desk, name: &str) -> String {
    std::fs::read_to_string(desk.path(name)).expect("a file of the suite")
}

/// Compiles sources into a folder.
fn compile(desk: &Desk, folder: &str, sources: &[(&str, &str)]) {
    let classes = desk.path(folder);
    std::fs::create_dir_all(&classes).expect("a folder");
    let mut command = Command::new("javac");
    command.args(["-g", "--release", "17", "-J-XX:TieredStopAtLevel=1", "-d"]).arg(&classes);
    command.args(sources.iter().map(|(name, text)| desk.write(name, text)));
    run(&mut command, PATIENCE).expect(0);
}

/// Generates, and lets JaCoCo confirm.
fn confirmed(desk: &Desk, path: &Path, arguments: &[&str]) -> Summary {
    desk.generate(path, "out", arguments).expect(0);
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("JaCoCo confirms every claim"), "{}", verdict.stdout);
    desk.summary("out")
}

#[test]
fn what_objects_answer_and_hold_opens_every_branch() {
    let desk = Desk::new();
    // Some from `features`: a builder, a singleton, variable numbers of arguments, enums, an interface without implementors.
    let names = ["Request", "Singleton", "Varargs", "EnumSwitch", "Dispatcher", "Listener"];
    let files: Vec<String> = names.iter().map(|name| format!("../java/features/{name}.java")).collect();
    let files = files.iter().map(String::as_str);
    let own = ["Answers", "Bounds", "Meal"].map(|name| format!("../java/objects/{name}.java"));
    let all: Vec<&str> = files.chain(own.iter().map(String::as_str)).collect();
    let folder = desk.copy("sources/x", &all);
    let summary = confirmed(&desk, folder.parent().expect("a folder"), &["--quiet", "--budget", "3000x"]);
    for function in &summary.functions {
        // Of what all tests share only the first has the beginning, and the order is random.
        let shared = usize::from(function.name == "features.Singleton.isWorn");
        let covered = function.tally.covered + shared;
        assert_eq!(covered, function.tally.total, "{}: {:#?}", function.name, function.goals);
    }
    // Types say what is put into collections, and what is answered.
    let tests = text(&desk, "out/src/test/java/objects/BoundsTest.java");
    for line in tests.lines().filter(|line| line.contains("list.add(")) {
        assert!(!line.contains("new "), "{line}");
    }
    let tests = text(&desk, "out/src/test/java/objects/AnswersTest.java");
    assert!(tests.contains("Arrays.<Object>asList(\"ready\""), "{tests}");
}

/// Nothing tells how near a text is whose pieces are not there yet; what the pieces are compared with does.
#[test]
fn texts_are_put_together_as_code_takes_them_apart() {
    let desk = Desk::new();
    let names = ["Header", "Spelled"].map(|name| format!("../java/objects/{name}.java"));
    let folder = desk.copy("sources/x", &names.each_ref().map(String::as_str));
    let summary = confirmed(&desk, folder.parent().expect("a folder"), &["--quiet", "--budget", "3000x"]);
    for name in ["Header.kind", "Header.isFromAddress", "Spelled.last"] {
        let function = function(&summary, &format!("objects.{name}"));
        assert_eq!(function.tally.covered, function.tally.total, "{}: {:#?}", function.name, function.goals);
    }
}

#[test]
fn a_jar_for_several_versions_gives_the_classes_that_the_machine_loads() {
    let desk = Desk::new();
    let gate = |body: &str| format!("package p; public class Gate {{ static int open(int n) {{ {body} }} }}");
    let [base, newer, newest] = [
        gate("return n > 1 ? 1 : 0;"),
        gate("return n > 1 ? 1 : n < -5 ? 2 : 0;"),
        gate("return n > 1 ? 1 : n < -5 ? 2 : n == -3 ? 3 : 0;"),
    ];
    let alone = "package p; class Alone { static boolean is(int n) { return n == 7; } }";
    compile(&desk, "jar", &[("base/p/Gate.java", &base)]);
    compile(
        &desk,
        "jar/META-INF/versions/11",
        &[("newer/p/Gate.java", &newer), ("newer/p/Alone.java", alone)],
    );
    compile(&desk, "jar/META-INF/versions/99", &[("newest/p/Gate.java", &newest)]);
    for (name, manifest, goals, alone) in
        [("several", "Multi-Release: true\n", 4, Some(2)), ("plain", "Built-By: nobody\n", 2, None)]
    {
        let manifest = desk.write(&format!("{name}.mf"), manifest);
        let jar = desk.path(format!("{name}.jar"));
        let mut command = Command::new("jar");
        command.arg("cfm").arg(&jar).arg(manifest).arg("-C").arg(desk.path("jar")).arg(".");
        run(&mut command, PATIENCE).expect(0);
        let summary = confirmed(&desk, &jar, &["--quiet", "--budget", "300x"]);
        let open = function(&summary, "p.Gate.open").tally;
        assert_eq!((open.total, open.covered), (goals, goals), "{name}");
        let of_alone = summary.functions.iter().find(|function| function.name == "p.Alone.is");
        assert_eq!(of_alone.map(|function| function.tally.covered), alone, "{name}");
        for version in ["versions/11 has 2 class files", "versions/99 has 1 class files"] {
            let is_told = summary.problems.iter().any(|problem| problem.contains(version));
            assert!(is_told, "{name}, {version}: {:?}", summary.problems);
        }
    }
}
