//! What is emitted compiles without a warning, passes, and fails when it should.

use crate::support::{Build, emitter, make, write_all};
use model::{FunctionId, GlobalId};
use std::path::{Path, PathBuf};
use suite::Finding;
use target::{Access, Crash, CrashKind, Outcome};

const STRICT: &str = "CFLAGS=-Wall -Wextra -Werror";

fn subject() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/subject.c")
}

/// Emits into a folder of its own and runs make there.
fn run(build: &Build, format: &str, arguments: &[&str]) -> (bool, String) {
    let directory = tempfile::tempdir().expect("temporary folder");
    write_all(directory.path(), &emitter(format).emit(&build.job(&subject())));
    make(directory.path(), arguments)
}

fn tests(build: &Build) -> usize {
    build.results.iter().map(|r| r.tests.len()).sum()
}

fn last_line(output: &str) -> &str {
    output.lines().rfind(|l| l.ends_with(" failed")).unwrap_or_default()
}

#[test]
fn plain_suite_passes_with_gcc_and_clang() {
    let build = crate::subject::build();
    for compiler in ["CC=gcc", "CC=clang-19"] {
        for flags in [STRICT, "CFLAGS=-Wall -Wextra -Werror -O2"] {
            let (ok, output) = run(&build, "c", &[compiler, flags]);
            assert!(ok, "{compiler} {flags}\n{output}");
            assert_eq!(last_line(&output), format!("{} passed, 0 failed", tests(&build)), "{output}");
        }
    }
}

#[test]
fn cmocka_suite_passes_with_gcc_and_clang() {
    let build = crate::subject::build();
    for compiler in ["CC=gcc", "CC=clang-19"] {
        let (ok, output) = run(&build, "cmocka", &[compiler, STRICT]);
        assert!(ok, "{compiler}\n{output}");
        assert_eq!(last_line(&output), format!("{} passed, 0 failed", tests(&build)), "{output}");
    }
}

#[test]
fn a_wrong_expectation_fails() {
    let mut build = crate::subject::build();
    crate::subject::add_wrong_expectation(&mut build);
    for format in ["c", "cmocka"] {
        let (ok, output) = run(&build, format, &[]);
        assert!(!ok, "{output}");
        assert!(output.contains("FAIL triangle_wrong\n"), "{output}");
        assert_eq!(last_line(&output), format!("{} passed, 1 failed", tests(&build) - 1));
        if format == "c" {
            assert!(output.contains("result: expected 1, got 2"), "{output}");
        }
    }
}

#[test]
fn unexpected_ends_fail_and_are_named() {
    let mut build = crate::subject::build();
    let find = |b: &Build, name: &str| {
        FunctionId(b.program.functions.iter().position(|f| f.name == name).expect("known") as u32)
    };
    let (stop, small) = (find(&build, "stop"), find(&build, "must_be_small"));
    build.test(stop, "other_status", Outcome::Exited(4), vec![], |d| d.set("status", "", 5));
    build.test(stop, "returns", Outcome::Returned, vec![], |d| d.set("status", "", 0));
    build.test(small, "aborts", Outcome::Aborted, vec![], |d| d.set("x", "", 1));
    build.test(small, "exits", Outcome::Exited(0), vec![], |d| d.set("x", "", 1));
    build.test(small, "lives", Outcome::Returned, vec![], |d| d.set("x", "", 11));
    let (ok, output) = run(&build, "c", &[]);
    assert!(!ok);
    for line in [
        "FAIL stop_other_status (exit status 5)\n",
        "FAIL stop_returns (exit status 0)\n",
        "FAIL must_be_small_aborts (returned)\n",
        "FAIL must_be_small_exits (returned)\n",
        "FAIL must_be_small_lives (signal 6)\n",
    ] {
        assert!(output.contains(line), "{line}{output}");
    }
    assert_eq!(last_line(&output), format!("{} passed, 5 failed", tests(&build) - 5));
}

#[test]
fn one_binary_lists_and_chooses() {
    let build = crate::subject::build();
    let directory = tempfile::tempdir().expect("temporary folder");
    write_all(directory.path(), &emitter("c").emit(&build.job(&subject())));
    assert!(make(directory.path(), &[]).0);
    let call = |arguments: &[&str]| {
        let output =
            std::process::Command::new(directory.path().join("test_subject")).args(arguments).output();
        let output = output.expect("test binary runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(call(&["--list"]).1.lines().count(), tests(&build));
    assert_eq!(call(&["stop_three"]), (Some(0), "ok stop_three\n1 passed, 0 failed\n".to_owned()));
    assert_eq!(call(&["no_such"]).0, Some(2));
    let (_, output) = call(&["--no-death"]);
    assert!(output.ends_with(&format!("\n{} passed, 0 failed\n", tests(&build) - 3)), "{output}");
    assert!(!output.contains("stop_three"));
}

#[test]
fn paths_and_flags_may_hold_anything() {
    let mut build = Build::new();
    let int = build.int();
    let f = build.function("größe", &[], int, &[], &[]);
    build.test(f, "runs", Outcome::Returned, vec![target::Seen::Bits(42)], |_| {});
    let directory = tempfile::tempdir().expect("temporary folder");
    let home = directory.path().join("it's a naïve $HOME #1 & co");
    let out = home.join("out put");
    std::fs::create_dir_all(home.join("in clude")).expect("folder");
    std::fs::create_dir_all(&out).expect("folder");
    let source = home.join("my \\prog $(x) größe.c");
    std::fs::write(home.join("in clude/the header.h"), "#define SMALL 2\n").expect("written");
    let text = "#include \"the header.h\"\nint größe(void) { return (int)sizeof(TEXT) + SMALL + HASH; }\n";
    std::fs::write(&source, text).expect("written");
    let mut job = build.job(&source);
    job.units[0].directory = home.to_str().expect("UTF-8").to_owned();
    // sizeof "a 'b' $c #d" is 12; 12 + 2 + 28 = 42.
    let flags = ["-Iin clude", "-DTEXT=\"a 'b' $c #d\"", "-DHASH=28", "-Wall", "-Werror", "-pedantic"];
    job.units[0].flags = flags.map(str::to_owned).to_vec();
    write_all(&out, &emitter("c").emit(&job));
    for compiler in ["CC=gcc", "CC=clang-19"] {
        let (ok, output) = make(&out, &[compiler, STRICT]);
        assert!(ok, "{output}");
        assert_eq!(last_line(&output), "1 passed, 0 failed");
    }
}

#[test]
fn units_call_each_other() {
    let mut build = Build::new();
    build.program.files.push(model::SourceFile { path: "b.c".into() });
    let int = build.int();
    let shared = build.global("shared", int);
    build.program.globals[0].is_static = false;
    build.program.globals[0].file = 1;
    let hidden = build.global("hidden", int);
    build.program.globals[1].file = 1;
    let a = build.function("in_a", &[("x", int)], int, &[shared, hidden], &[shared]);
    build.test(a, "both", Outcome::Returned, vec![target::Seen::Bits(23)], |d| {
        d.set("x", "", 3);
        d.set("shared", "", 20);
        d.changes(d.root("shared", ""), target::Seen::Bits(21));
    });
    let b = build.function("in_b", &[("x", int)], int, &[GlobalId(0), hidden], &[]);
    build.program.functions[1].span.file = 1;
    build.test(b, "hidden", Outcome::Returned, vec![target::Seen::Bits(9)], |d| {
        d.set("x", "", 4);
        d.set("hidden", "", 5);
    });
    build.program.undefined = vec!["nowhere".into(), "sqrt_of".into()];
    let directory = tempfile::tempdir().expect("temporary folder");
    let files = [
        (
            "a.c",
            "int in_b(int); int nowhere(void); double sqrt_of(double);\n\
                 int in_a(int x) { if (x > 99) return nowhere() + (int)sqrt_of(x); return in_b(x); }\n\
                 int main(void) { return 1; }\n",
        ),
        (
            "b.c",
            "int shared; static int hidden;\n\
                 int in_b(int x) { int unused; return x + shared++ + hidden; }\nint main(void) { return 2; }\n",
        ),
    ];
    let mut job = build.job(Path::new("unused"));
    let unit = job.units.pop().expect("one");
    for (file, (name, text)) in files.iter().enumerate() {
        let path = directory.path().join(name);
        std::fs::write(&path, text).expect("written");
        let path = path.to_str().expect("UTF-8").to_owned();
        let stem = name.replace(".c", "");
        job.units.push(emit::Unit { file: file as u32, path, stem, ..unit.clone() });
    }
    for format in ["c", "cmocka"] {
        let out = directory.path().join(format);
        write_all(&out, &emitter(format).emit(&job));
        for compiler in ["CC=gcc", "CC=clang-19"] {
            let (ok, output) = make(&out, &[compiler, STRICT]);
            assert!(ok, "{output}");
            assert_eq!(last_line(&output), "2 passed, 0 failed", "{output}");
        }
    }
}

/// Two units need the same function. The test of one is linked with the other, which brings a stub of its own.
#[test]
fn stubs_are_shared_between_units() {
    let mut build = Build::new();
    let int = build.int();
    let four = build.array(int, 4);
    let results = build.global("ask_results", four);
    build.program.globals[0].is_static = false;
    build.program.globals[0].file = 0;
    let a = build.function("in_a", &[("x", int)], int, &[results], &[]);
    build.test(a, "asked", Outcome::Returned, vec![target::Seen::Bits(47)], |d| {
        d.set("x", "", 5);
        d.set("ask_results", "[0]", 2);
        d.set("ask_results", "[1]", 40);
    });
    let stub = |file| model::Stub {
        name: "ask".into(),
        file,
        before: String::new(),
        text: "int ask_results[4];\nint ask(void)\n{\n    static unsigned calls;\n\n    \
               return ask_results[calls++];\n}\n"
            .into(),
        defines: vec!["ask".into(), "ask_results".into()],
        is_callback: false,
    };
    build.program.stubs = vec![stub(0), stub(1)];
    let directory = tempfile::tempdir().expect("temporary folder");
    let texts = [
        "int ask(void); int in_b(void); int in_a(int x) { return x + ask() + in_b(); }\n",
        "int ask(void); int in_b(void) { return ask(); }\n",
    ];
    let mut job = build.job(Path::new("unused"));
    let unit = job.units.pop().expect("one");
    for (file, (stem, text)) in ["a", "b"].into_iter().zip(texts).enumerate() {
        let path = directory.path().join(format!("{stem}.c"));
        std::fs::write(&path, text).expect("written");
        let path = path.to_str().expect("UTF-8").to_owned();
        job.units.push(emit::Unit { file: file as u32, path, stem: stem.into(), ..unit.clone() });
    }
    for format in ["c", "cmocka"] {
        let out = directory.path().join(format);
        write_all(&out, &emitter(format).emit(&job));
        for compiler in ["CC=gcc", "CC=clang-19"] {
            let (ok, output) = make(&out, &[compiler, STRICT]);
            assert!(ok, "{output}");
            assert_eq!(last_line(&output), "1 passed, 0 failed", "{output}");
        }
    }
}

#[test]
fn reproducers_fault() {
    let mut build = crate::subject::build();
    let int = build.int();
    let f = build.function("divide", &[("a", int), ("b", int)], int, &[], &[]);
    let result = build.results.last_mut().expect("just added");
    let input = input::Input::zero(result.space.as_ref().expect("supported"));
    let crash = Crash { kind: CrashKind::Arithmetic, site: 0, access: Access::None };
    result.findings.push(Finding {
        input,
        outcome: Outcome::Crashed(crash),
        place: Some("subject.c:241".into()),
        culprit: None,
        also: Vec::new(),
        calls: None,
        stack: vec!["divide (subject.c:241)".into()],
        reaches: vec![],
    });
    assert_eq!(result.function, f);
    let directory = tempfile::tempdir().expect("temporary folder");
    write_all(directory.path(), &emitter("c").emit(&build.job(&subject())));
    assert!(directory.path().join("crashes/divide_arithmetic_1.c").exists());
    for (compiler, sanitize) in [("CC=gcc", "SANITIZE="), ("CC=clang-19", "SANITIZE=-fsanitize=undefined")] {
        let (ok, output) = make(directory.path(), &["crash-1", compiler, sanitize, STRICT]);
        assert!(ok, "{output}");
        let output = std::process::Command::new(directory.path().join("crashes/crash-1")).output();
        let output = output.expect("reproducer runs");
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() || report.contains("division by zero"), "{report}");
    }
}

/// The inner member is zero in the input, but its bytes are those of the member the program starts with.
#[test]
fn a_union_switched_to_an_inner_union_is_all_new() {
    let mut build = Build::new();
    let int = build.int();
    let float = build.float(model::FloatKind::F32);
    let inner = build.union(None, 4, &[("i", int), ("f", float)]);
    let outer = build.union(Some("outer"), 4, &[("a", int), ("u", inner)]);
    let global = build.global("global", outer);
    let function = build.function("inner", &[], int, &[global], &[]);
    let space = build.results[0].space.as_mut().expect("supported");
    space.roots[0].initial = Some(vec![0, 7, 0, 0, 0]);
    build.test(function, "switched", Outcome::Returned, vec![target::Seen::Bits(0)], |draft| {
        draft.select("global", "", 1);
    });
    let directory = tempfile::tempdir().expect("temporary folder");
    let source = directory.path().join("subject.c");
    let text = "union outer { int a; union { int i; float f; } u; } global = {7};
                int inner(void) { return global.u.i; }";
    std::fs::write(&source, text).expect("written");
    write_all(directory.path(), &emitter("c").emit(&build.job(&source)));
    let (ok, output) = make(directory.path(), &[STRICT]);
    assert!(ok && last_line(&output) == "1 passed, 0 failed", "{output}");
}
