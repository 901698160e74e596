//! Classes for Java 21 in the runtimes that a user chooses with `JAVA_HOME`.

mod support;

use report::State;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use support::{Desk, Ended, PATIENCE, function, run};

/// The compiler of Eclipse, as Debian has it. It reads newer classes than it can make.
const COMPILER: &str = "/usr/share/java/eclipse-jdt-core.jar";

/// A JDK: a runtime, and a compiler that takes classes for it and only knows some options of javac.
fn jdk(desk: &Desk, version: u32) -> PathBuf {
    assert!(Path::new(COMPILER).exists(), "there is no {COMPILER}: scripts/setup installs it");
    let (home, runtime) = (desk.path(format!("jdk{version}")), java_testing::runtime(version));
    fs::create_dir_all(home.join("bin")).expect("a folder");
    symlink(runtime.join("bin/java"), home.join("bin/java")).expect("a link");
    fs::copy(runtime.join("release"), home.join("release")).expect("a file");
    let script = format!(
        "#!/bin/bash\nwords=()\nfor word; do\n    case $word in\n        -J* | -implicit:*) ;;\n        *) words+=(\"$word\") ;;\n    \
         esac\ndone\nexec {} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp {COMPILER} \
         org.eclipse.jdt.internal.compiler.batch.Main -17 -proc:none \"${{words[@]}}\"\n",
        runtime.join("bin/java").display()
    );
    let compiler = desk.write(&format!("jdk{version}/bin/javac"), &script);
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("a script");
    home
}

fn generate(desk: &Desk, home: Option<&Path>, path: &Path) -> Ended {
    let mut command = desk.branchwise(["gen".as_ref(), path.as_os_str()]);
    command.arg("--out").arg(desk.path("out")).args(["--budget", "1500x"]).env_remove("JAVA_HOME");
    run(command.envs(home.map(|home| ("JAVA_HOME", home))), PATIENCE)
}

#[test]
fn all_branches_of_switches_over_types_are_found() {
    let desk = Desk::new();
    let (home, classes) = (jdk(&desk, 21), java_testing::fixtures_21());
    generate(&desk, Some(&home), classes.path()).expect(0);
    let summary = desk.summary("out");
    for name in ["weigh", "command", "side"] {
        let tally = &function(&summary, &format!("modern.Shapes.{name}")).tally;
        assert_eq!((tally.covered, tally.unknown), (tally.total, 0), "{name}");
    }
    // Compilers add a default to a switch that has all types already. Nothing leads there but a type that was added later.
    let describe = function(&summary, "modern.Shapes.describe");
    let open: Vec<u32> = describe
        .goals
        .iter()
        .filter(|goal| goal.state != State::Covered)
        .map(|goal| goal.place.line)
        .collect();
    assert_eq!(open, [25]);
    assert!(summary.problems.is_empty(), "{:?}", summary.problems);

    let mut tests = std::process::Command::new("sh");
    let told = run(tests.arg(desk.path("out/run-tests.sh")).env("JAVA_HOME", &home), PATIENCE).expect(0);
    assert!(told.stdout.ends_with(" passed, 0 failed\n") && !told.stdout.ends_with("\n0 passed, 0 failed\n"));
    let pom = fs::read_to_string(desk.path("out/pom.xml")).expect("a file");
    assert!(pom.contains("<maven.compiler.release>21<"), "{pom}");
}

#[test]
fn classes_that_are_too_new_are_named_with_a_hint() {
    let desk = Desk::new();
    let classes = java_testing::fixtures_21();
    let told = generate(&desk, None, classes.path()).expect(2);
    told.complains(&["modern.Shapes (", "is for Java 21, and the virtual machine", "hint: JAVA_HOME"]);
    // Here there is a virtual machine for them, but no compiler for the tests.
    let told = generate(&desk, Some(&java_testing::runtime(21)), classes.path()).expect(2);
    told.complains(&["is for Java 21, and the compiler of tests", "has Java 17", "hint: JAVA_HOME"]);
    let told = generate(&desk, Some(Path::new("/nowhere")), classes.path()).expect(2);
    told.complains(&["JAVA_HOME is /nowhere, which has no bin/java"]);
}

#[test]
fn older_classes_run_in_a_newer_runtime_and_who_watches_nothing_says_so() {
    let desk = Desk::new();
    let home = java_testing::runtime(25);
    let source = desk.write("Sign.java", "class Sign { static int of(int n) { return n > 41 ? 1 : 0; } }");
    let told = generate(&desk, Some(&home), &source).expect(0);
    assert!(told.stderr.contains("has no security manager"), "{}", told.stderr);
    let summary = desk.summary("out");
    assert_eq!(function(&summary, "Sign.of").tally.covered, 2);
    assert!(
        summary.problems.iter().any(|words| words.contains("security manager")),
        "{:?}",
        summary.problems
    );
    let doctor = run(desk.branchwise(["doctor"]).env("JAVA_HOME", &home), PATIENCE).expect(0);
    for words in ["classes run in Java 25, from JAVA_HOME", "no     tests that ask for network"] {
        assert!(doctor.stdout.contains(words), "{}", doctor.stdout);
    }
}
