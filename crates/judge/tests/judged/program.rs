//! The judge on the suite of a whole program: tests that return, one that exits in the middle of a condition.

use crate::claims::{branch, function, place, summary};
use emit::program::{ProgramBuild, ProgramKind, ProgramSuite, formats};
use judge::{JudgeError, Kind, Tools, Verdict, check};
use report::{FunctionSummary, ProgramSummary, ProgramTestSummary, State, Summary};
use std::path::Path;
use suite::{HarnessValue, ProgramEnd, ProgramTest, ValueKind};

const SOURCE: &str = "\
#include <err.h>
#include <stdio.h>

extern char **environ;

static int is_yes(int c)
{
    if (c == 'x')
        errx(4, \"not that\");
    return c == 'y';
}

int main(void)
{
    int c = getchar();
    if (c == EOF)
        return 1 + (environ[0] != 0);
    if (is_yes(c))
        puts(\"yes\");
    return 0;
}
";
const MAKEFILE: &str = "\
OUT ?= .
build: $(OUT)/program
$(OUT)/program: program.c
\t$(CC) $(CFLAGS) -o $@ program.c $(LDFLAGS) $(LDLIBS)
";
const SCRIPT: &str = include_str!("../../../emit/src/runtime/program/run.sh");

/// Name, standard input, status, output.
const TESTS: [(&str, &str, &str, &str); 3] =
    [("empty", "", "1", ""), ("exits", "x", "4", ""), ("yes", "y", "0", "yes\n")];

/// That `is_yes(c)` is false happens in no test; llvm-cov counts it, as `errx` never comes back.
fn right() -> Summary {
    let at = |text| place("program.c", SOURCE, text, 0);
    let main = [
        branch(0, at("c == EOF"), None, [&["empty"], &["exits", "yes"]]),
        branch(1, at("is_yes(c)"), None, [&["yes"], &[]]),
    ];
    let is_yes = branch(0, at("c == 'x'"), None, [&["exits"], &["yes"]]);
    let functions = vec![
        function("is_yes", &at("static"), is_yes.to_vec(), &[]),
        function("main", &at("int main"), main.concat(), &[]),
    ];
    program_summary(functions, &TESTS.map(|(name, ..)| name))
}

fn program_summary(functions: Vec<FunctionSummary>, tests: &[&str]) -> Summary {
    let test = |name: &&str| ProgramTestSummary {
        name: (*name).into(),
        arguments: vec![],
        stdin: None,
        files: vec![],
        values: vec![],
        end: String::new(),
        stdout: None,
        plain: None,
        covers: 0,
    };
    let program = ProgramSummary {
        tests: tests.iter().map(test).collect(),
        left_out: vec![],
        plain: vec![],
        findings: vec![],
        executions: 0,
        seconds: None,
        seed: 0,
        curve: vec![],
        unstable: vec![],
        approximations: vec![],
        exploration: None,
    };
    Summary { program: Some(program), ..summary(&["program"], functions) }
}

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().expect("in the folder")).expect("made");
    std::fs::write(path, text).expect("scratch is writable");
}

/// Writes the suite with these claims, changes it, and judges it.
fn judged(claims: &Summary, change: fn(&Path)) -> Result<Verdict, JudgeError> {
    let scratch = tempfile::Builder::new().prefix("it's a suite ").tempdir().expect("a scratch folder");
    let dir = scratch.path();
    write(dir, "program.c", SOURCE);
    write(dir, "Makefile", MAKEFILE);
    write(dir, "run.sh", SCRIPT);
    for (name, stdin, status, stdout) in TESTS {
        write(dir, &format!("tests/{name}/stdin"), stdin);
        write(dir, &format!("tests/{name}/expected_status"), &format!("{status}\n"));
        write(dir, &format!("tests/{name}/expected_stdout"), stdout);
    }
    write(dir, "summary.json", &claims.to_json());
    change(dir);
    check(dir, &Tools::default())
}

fn kinds(verdict: &Verdict) -> Vec<&Kind> {
    verdict.differences.iter().map(|d| &d.kind).collect()
}

#[test]
fn right_claims_agree() {
    let verdict = judged(&right(), |_| {}).expect("judged");
    assert!(verdict.agrees(), "{:?}", verdict.differences);
    assert_eq!((verdict.functions, verdict.goals, verdict.passed), (2, 6, 3));
    let notes: Vec<String> = verdict.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["program.c:18:9 main false: claimed unknown; llvm-cov counts 1"]);
}

#[test]
fn what_no_test_reaches_cannot_be_claimed() {
    let mut claims = right();
    claims.functions[0].goals[0].tests = vec!["yes".into()];
    let verdict = judged(&claims, |_| {}).expect("judged");
    assert_eq!(kinds(&verdict), [&Kind::Overclaimed { by: vec!["yes".into()] }]);
}

#[test]
fn what_a_returning_test_reaches_must_be_claimed() {
    let mut claims = right();
    let goal = &mut claims.functions[1].goals[0];
    goal.tests.clear();
    goal.state = State::Unknown;
    claims.functions[1].tally.covered -= 1;
    let verdict = judged(&claims, |_| {}).expect("judged");
    assert_eq!(kinds(&verdict), [&Kind::Underclaimed { state: "unknown".into(), count: 1 }]);
}

#[test]
fn a_failing_test_and_a_missing_one_are_told() {
    let verdict = judged(&right(), |dir| write(dir, "tests/yes/expected_stdout", "no\n")).expect("judged");
    let [Kind::FailedTests { output }] = kinds(&verdict)[..] else { panic!("{:?}", verdict.differences) };
    assert!(output.contains("FAIL yes: prints something else"), "{output}");
    let without = |dir: &Path| std::fs::remove_dir_all(dir.join("tests/empty")).expect("removed");
    let verdict = judged(&right(), without).expect("judged");
    assert!(kinds(&verdict).contains(&&Kind::TestCount { claimed: 3, ran: 2 }), "{:?}", verdict.differences);
    assert!(kinds(&verdict).contains(&&Kind::Overclaimed { by: vec!["empty".into()] }));
}

#[test]
fn a_suite_of_another_format_is_named() {
    let without = |dir: &Path| std::fs::remove_file(dir.join("run.sh")).expect("removed");
    assert!(matches!(judged(&right(), without), Err(JudgeError::NoScript { .. })));
}

/// Emits the suite of one C file as it is given to users, and judges it.
fn judged_as_emitted(
    source: &str,
    kind: ProgramKind,
    tests: Vec<ProgramTest>,
    functions: Vec<FunctionSummary>,
) -> Verdict {
    let scratch = tempfile::Builder::new().prefix("it's emitted ").tempdir().expect("a scratch folder");
    let dir = scratch.path();
    write(dir, "program.c", source);
    let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
    write(dir, "summary.json", &program_summary(functions, &names).to_json());
    let unit = emit::Unit {
        file: 0,
        path: dir.join("program.c").to_string_lossy().into_owned(),
        stem: "program".into(),
        flags: vec!["-O1".into()],
        directory: dir.to_string_lossy().into_owned(),
        source: None,
    };
    let build = ProgramBuild { units: vec![unit], kind, ..ProgramBuild::default() };
    let suite = ProgramSuite { tests, build, producer: String::new() };
    for file in formats()[0].emit(&suite).expect("every test fits") {
        write(dir, &file.path, std::str::from_utf8(&file.contents).expect("text"));
    }
    check(dir, &Tools::default()).expect("judged")
}

fn given(name: &str, kind: ValueKind, bytes: &[u8], status: i32) -> ProgramTest {
    ProgramTest {
        name: name.into(),
        values: vec![HarnessValue { name: "x".into(), kind, bytes: bytes.to_vec() }],
        end: ProgramEnd::Exited(status),
        ..ProgramTest::default()
    }
}

#[test]
fn an_emitted_harness_is_judged() {
    let source = "#include <klee/klee.h>\nint main(void)\n{\n    int x;\n    klee_make_symbolic(&x, sizeof x, \"x\");\n\
        if (x == 77)\n        return 3;\n    return x < 0;\n}\n";
    let at = |text| place("program.c", source, text, 0);
    let goals = branch(0, at("x == 77"), None, [&["hit"], &["miss"]]).to_vec();
    let tests = vec![
        given("hit", ValueKind::Signed, &77i32.to_le_bytes(), 3),
        given("miss", ValueKind::Signed, &(-1i32).to_le_bytes(), 1),
    ];
    let main = function("main", &at("int main"), goals, &[]);
    let verdict = judged_as_emitted(source, ProgramKind::Harness, tests, vec![main]);
    assert!(verdict.agrees() && verdict.notes.is_empty(), "{verdict:?}");
    assert_eq!((verdict.goals, verdict.passed), (2, 2));
}

#[test]
fn an_emitted_fuzz_target_is_judged() {
    let source = "#include <stddef.h>\nint LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)\n{\n\
        return size > 1 && data[0] == 'q' ? 1 : 0;\n}\n";
    let at = |text| place("program.c", source, text, 0);
    let goals = [
        branch(0, at("size > 1"), None, [&["long"], &["short"]]),
        branch(1, at("data[0] == 'q'"), None, [&["long"], &[]]),
    ]
    .concat();
    let tests =
        vec![given("long", ValueKind::Block, b"quite long", 0), given("short", ValueKind::Block, b"q", 0)];
    let target = function("LLVMFuzzerTestOneInput", &at("int LLVM"), goals, &[]);
    let verdict = judged_as_emitted(source, ProgramKind::Fuzzer, tests, vec![target]);
    assert!(verdict.agrees() && verdict.passed == 2, "{verdict:?}");
}
