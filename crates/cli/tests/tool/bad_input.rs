//! Whatever the user names, the answer is a sentence and an exit code, never a panic.

use crate::support::{Desk, Ended, PATIENCE, fixture, function, not_covered, run};
use std::fmt::Write;
use std::time::Duration;

fn generate(desk: &Desk, arguments: &[&str]) -> Ended {
    run(&mut desk.branchwise([&["gen"], arguments].concat()), PATIENCE)
}

fn of_fixture(name: &str, arguments: &[&str]) -> Ended {
    let desk = Desk::new();
    let path = fixture(name);
    generate(&desk, &[&[path.to_str().expect("UTF-8")], arguments].concat())
}

#[test]
fn the_compiler_speaks_for_source_that_does_not_compile() {
    let ended = of_fixture("odd/does_not_compile.c", &[]).expect(2);
    ended.complains(&["does not compile", "does_not_compile.c:9:", "unknown type name 'missing_type'"]);
}

#[test]
fn a_missing_include_comes_with_a_hint() {
    let desk = Desk::new();
    desk.write("a.c", "#include \"elsewhere.h\"\nint f(int a) { return a > LIMIT; }\n");
    generate(&desk, &["a.c"]).expect(2).complains(&[
        "a.c:1:10:",
        "'elsewhere.h' file not found",
        "hint:",
        "-Iinclude",
    ]);
}

#[test]
fn the_linker_speaks_for_a_program_that_does_not_link() {
    let desk = Desk::new();
    desk.write("a.c", "int f(int a) { return a > 3; }\n");
    desk.write("again.c", "int f(int a) { return a; }\n");
    let compiled = std::process::Command::new("cc")
        .args(["-c", "-fPIC", "-o", "again.o", "again.c"])
        .current_dir(desk.path(""))
        .status();
    assert!(compiled.expect("a C compiler").success());
    for (flag, words) in [
        ("-lbranchwise_nowhere", "branchwise_nowhere"),
        ("missing.o", "missing.o"),
        ("again.o", "multiple definition of `f'"),
    ] {
        let ended = generate(&desk, &["a.c", "--", flag]).expect(2);
        let ended = ended.complains(&["the program does not link", words, "hint:", "after `--`"]);
        assert!(!ended.stderr.contains("does not compile"), "{}", ended.stderr);
    }
}

#[test]
fn paths_that_lead_nowhere() {
    let desk = Desk::new();
    generate(&desk, &["missing.c"]).expect(2).complains(&["missing.c: No such file"]);
    std::fs::create_dir(desk.path("hollow")).expect("a folder");
    generate(&desk, &["hollow"]).expect(2).complains(&["no C file"]);
    generate(&desk, &[]).expect(2).complains(&["PATH"]);
    generate(&desk, &["/dev/null"]).expect(2);
    desk.write("notes.txt", "Dear diary");
    generate(&desk, &["notes.txt"]).expect(2);
}

#[test]
fn files_without_functions() {
    of_fixture("odd/empty.c", &[]).expect(2).complains(&["no function", "hint:"]);
    of_fixture("odd/header_only.h", &[]).expect(2).complains(&["is a header", "hint:"]);
}

#[test]
fn bytes_that_are_no_text() {
    let desk = Desk::new();
    std::fs::write(desk.path("latin.c"), b"/* caf\xe9 */\nint f(int a) { return a > 3 ? 1 : 0; }\n")
        .expect("a file");
    generate(&desk, &["latin.c", "--out", "latin"]).expect(0);
    desk.check("latin").expect(0);
    std::fs::write(desk.path("binary.c"), [0, 1, 2, 0xff, 0xfe, 0]).expect("a file");
    generate(&desk, &["binary.c"]).expect(2).complains(&["binary.c:1:"]);
}

#[test]
fn an_unknown_function_is_answered_with_near_names() {
    of_fixture("gcd.c", &["-f", "gdc"]).expect(2).complains(&["no function `gdc`", "did you mean gcd"]);
}

#[test]
fn unknown_words_on_the_command_line() {
    of_fixture("gcd.c", &["--engine", "magic"])
        .expect(2)
        .complains(&["`magic`", "avm", "austin", "random", "hc", "ga", "tabu"]);
    of_fixture("gcd.c", &["--emit", "cobol"]).expect(2).complains(&["`cobol`", "cmocka"]);
    of_fixture("gcd.c", &["--budget", "soon"]).expect(2).complains(&["`soon` is no budget", "100000x"]);
    of_fixture("gcd.c", &["--criterion", "luck"]).expect(2).complains(&["luck"]);
    of_fixture("gcd.c", &["--seed", "-1"]).expect(2);
    of_fixture("gcd.c", &["--colour"]).expect(2).complains(&["--colour"]);
}

#[test]
fn budgets_at_the_edge() {
    let desk = Desk::new();
    for (i, budget) in ["0x", "1x", "0s", "1ms"].into_iter().enumerate() {
        let out = format!("out{i}");
        desk.generate(&fixture("gcd.c"), &out, &["--budget", budget, "--jobs", "0"]).expect(0);
        desk.check(&out).expect(0);
    }
}

#[test]
fn an_out_folder_that_cannot_be() {
    let desk = Desk::new();
    desk.write("file", "not a folder");
    desk.generate(&fixture("gcd.c"), "file/out", &[]).expect(2).complains(&["file/out"]);
    desk.generate(&fixture("gcd.c"), "file", &[]).expect(2).complains(&["file"]);
    assert_eq!(std::fs::read_to_string(desk.path("file")).ok().as_deref(), Some("not a folder"));
}

#[test]
fn a_missing_compiler_is_named() {
    let desk = Desk::new();
    let path = fixture("gcd.c");
    let mut command = desk.branchwise(["gen".as_ref(), path.as_os_str()]);
    let ended = run(command.env("BRANCHWISE_CLANG", "/nonexistent"), PATIENCE).expect(2);
    ended.complains(&["/nonexistent", "hint:", "branchwise doctor"]);
}

/// A function that is declared inside of another gets no stub: no text behind the file can name it.
#[test]
fn undefined_functions_are_named_and_the_rest_is_covered() {
    let desk = Desk::new();
    desk.generate(&fixture("odd/undefined_extern.c"), "out", &["--budget", "20000x"]).expect(0);
    let summary = desk.summary("out");
    assert_eq!(summary.undefined, ["read_sensor"]);
    assert_eq!(summary.stubs, ["sensor_offset"]);
    assert_eq!(not_covered(function(&summary, "channel_group")).count(), 0);
    let state = function(&summary, "sensor_state");
    assert!(state.findings.iter().any(|f| f.what.contains("read_sensor")), "{:?}", state.findings);
    // Both checks of the channel, but nothing behind the call: the two comparisons of the value are never reached.
    assert_eq!((state.tally.total, state.tally.covered), (8, 3));
    desk.check("out").expect(0);
}

#[test]
fn functions_without_branches_get_one_test_each() {
    let desk = Desk::new();
    desk.generate(&fixture("odd/no_branches.c"), "out", &[]).expect(0);
    let summary = desk.summary("out");
    let tests: Vec<(&str, usize)> =
        summary.functions.iter().map(|f| (f.name.as_str(), f.tests.len())).collect();
    let expected = [
        ("average_of", 1),
        ("swapped", 1),
        ("write_global", 1),
        ("fahrenheit", 1),
        ("low_byte", 1),
        ("nothing", 1),
    ];
    assert_eq!(tests, expected);
    desk.check("out").expect(0);
}

#[test]
fn spaces_and_letters_beyond_ascii() {
    let desk = Desk::new();
    desk.generate(&fixture("odd/naïve spaced name.c"), "out ü", &[]).expect(0);
    let summary = desk.summary("out ü");
    assert_eq!(summary.functions.iter().map(|f| not_covered(f).count()).sum::<usize>(), 0);
    assert_eq!(function(&summary, "naïve_fläche").tally.total, 8);
    desk.check("out ü").expect(0);
}

#[test]
fn names_of_300_letters() {
    let desk = Desk::new();
    desk.generate(&fixture("odd/long_names.c"), "out", &[]).expect(0);
    assert_eq!(desk.summary("out").totals.goals.unknown, 0);
    desk.check("out").expect(0);
}

/// 100 functions of 200 lines, each with its own constants.
fn long_file() -> String {
    let mut text = String::new();
    for i in 0..100 {
        writeln!(text, "int f{i}(int a, int b)\n{{\n    int r = 0;\n").expect("memory");
        for k in 0..11 {
            writeln!(text, "    if (a > {})\n        r ^= b;\n", i * 7 + k * 100).expect("memory");
            (0..15).for_each(|n| writeln!(text, "    r ^= b ^ {};", k * n).expect("memory"));
        }
        writeln!(text, "    return r;\n}}\n").expect("memory");
    }
    text
}

#[test]
fn twenty_thousand_lines() {
    let text = long_file();
    assert!(text.lines().count() >= 20_000, "{}", text.lines().count());
    let desk = Desk::new();
    desk.write("long.c", &text);
    let mut command = desk.branchwise(["gen", "long.c", "--out", "out", "--budget", "200x", "--quiet"]);
    run(&mut command, Duration::from_secs(120)).expect(0);
    let summary = desk.summary("out");
    assert_eq!((summary.functions.len(), summary.totals.goals.total), (100, 100 * 22));
}

/// A disk of 16 KiB, in a name space of its own so that the test may mount it; machines that do not allow that have
/// nothing to show here.
#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    if !std::process::Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|s| s.success()) {
        return;
    }
    let desk = Desk::new();
    desk.write("f.c", "int f(int a) { if (a == 4711) return 1; return 0; }\n");
    std::fs::create_dir(desk.path("disk")).expect("a folder");
    let script = "mount -t tmpfs -o size=16k none disk && \"$0\" gen f.c --out disk/out --quiet; \
                  code=$?; ls -A disk/out; exit $code";
    let mut command = std::process::Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_branchwise")]).current_dir(desk.path("."));
    let ended = run(&mut command, PATIENCE).expect(2);
    assert!(ended.stderr.contains("No space left on device"), "{}", ended.stderr);
    assert!(ended.stdout.contains(".branchwise-journal"), "what was found is kept: {}", ended.stdout);
}
