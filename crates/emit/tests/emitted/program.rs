//! Suites of whole programs: built and run as their users would.

use emit::program::{ProgramBuild, ProgramKind, ProgramSuite, formats};
use emit::{EmittedFile, Unit};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use suite::{HarnessValue, ProgramEnd, ProgramTest, ValueKind};
use tempfile::TempDir;

/// Counts words of standard input or of a file; `-l` counts lines.
const WORD_COUNT: &str = r#"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int lines = argc > 1 && !strcmp(argv[1], "-l");
    FILE *in = argc > 1 + lines ? fopen(argv[1 + lines], "r") : stdin;
    int count = 0, inside = 0, c;
    if (!in) {
        fprintf(stderr, "%s: no such file\n", argv[0]);
        return 3;
    }
    while ((c = getc(in)) != EOF) {
        if (lines)
            count += c == '\n';
        else if (isspace(c))
            inside = 0;
        else if (!inside)
            inside = 1, count++;
    }
    printf("%d\n", count);
    return 0;
}
"#;

fn test(name: &str) -> ProgramTest {
    ProgramTest { name: name.to_owned(), stdout: Some(Vec::new()), ..ProgramTest::default() }
}

fn words(name: &str, stdin: &[u8], count: &str) -> ProgramTest {
    let stdout = Some(format!("{count}\n").into_bytes());
    ProgramTest { stdin: Some(stdin.to_vec()), stdout, ..test(name) }
}

fn word_count_tests() -> Vec<ProgramTest> {
    vec![
        words("test_001", b"one two\n three", "3"),
        ProgramTest { arguments: vec![b"-l".to_vec()], ..words("test_002", b"\n\n\xff\0", "2") },
        ProgramTest {
            arguments: vec![b"my file".to_vec()],
            files: vec![("my file".to_owned(), b"a b\0c".to_vec()), ("sub/other".to_owned(), Vec::new())],
            stdout: Some(b"2\n".to_vec()),
            ..test("test_003")
        },
        ProgramTest { arguments: vec![b"absent".to_vec()], end: ProgramEnd::Exited(3), ..test("test_004") },
    ]
}

/// A suite beside the source of its program, in a folder whose name has to be quoted.
struct Written {
    folder: TempDir,
}

impl Written {
    fn new(source: &str, kind: ProgramKind, tests: Vec<ProgramTest>) -> Written {
        let folder = tempfile::Builder::new().prefix("it's a $suite").tempdir().expect("temporary folder");
        let path = folder.path().join("the program.c");
        std::fs::write(&path, source).expect("written");
        let unit = Unit {
            file: 0,
            path: path.to_string_lossy().into_owned(),
            stem: "the_program".to_owned(),
            flags: vec!["-Wall".to_owned()],
            directory: folder.path().to_string_lossy().into_owned(),
            source: Some(source.to_owned()),
        };
        let build = ProgramBuild { units: vec![unit], kind, ..ProgramBuild::default() };
        let suite = ProgramSuite { tests, build, producer: "test".to_owned() };
        let written = Written { folder };
        written.write(&emit("program", &suite));
        written
    }

    fn suite(&self) -> PathBuf {
        self.folder.path().join("suite")
    }

    fn write(&self, files: &[EmittedFile]) {
        for file in files {
            let path = self.suite().join(&file.path);
            std::fs::create_dir_all(path.parent().expect("in the suite")).expect("made");
            std::fs::write(path, &file.contents).expect("written");
        }
    }

    fn make(&self, arguments: &[&str]) -> (bool, String) {
        run(Command::new("make").arg("-C").arg(self.suite()).arg("--no-print-directory").args(arguments))
    }

    /// Runs the script from another folder.
    fn script(&self, shell: &str, arguments: &[&str]) -> (bool, String) {
        run(Command::new(shell).arg(self.suite().join("run.sh")).args(arguments).current_dir("/"))
    }
}

fn run(command: &mut Command) -> (bool, String) {
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PROGRAM"] {
        command.env_remove(name);
    }
    let out = command.env("NOISE", "1").output().expect("started");
    (out.status.success(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
}

fn emit(format: &str, suite: &ProgramSuite) -> Vec<EmittedFile> {
    let emitter = formats().iter().find(|e| e.name() == format).expect("a format of that name");
    emitter.emit(suite).expect("fits")
}

#[test]
fn a_suite_passes_with_gcc_and_clang_and_from_any_folder() {
    let written = Written::new(WORD_COUNT, ProgramKind::Program, word_count_tests());
    for compiler in ["CC=gcc", "CC=clang-19"] {
        let (ok, output) = written.make(&["check", compiler]);
        assert!(ok && output.ends_with("4 passed, 0 failed\n"), "{output}");
    }
    for shell in ["dash", "bash"] {
        let (ok, output) = written.script(shell, &[]);
        let expected = "PASS test_001\nPASS test_002\nPASS test_003\nPASS test_004\n4 passed, 0 failed\n";
        assert_eq!((ok, output.as_str()), (true, expected), "{shell}");
    }
    assert_eq!(written.script("sh", &["tests/test_003"]).1, "PASS test_003\n1 passed, 0 failed\n");
}

#[test]
fn a_program_built_elsewhere_is_used() {
    let written = Written::new(WORD_COUNT, ProgramKind::Program, word_count_tests());
    let (ok, output) = written.make(&["check", "PROGRAM=/bin/false"]);
    assert!(!ok && output.contains("0 passed, 4 failed"), "{output}");
    assert!(!written.suite().join("program").exists());
    let (ok, output) = written.script("sh", &[]);
    assert!(!ok && output.contains("no program"), "{output}");
}

#[test]
fn what_differs_fails() {
    let mut tests = word_count_tests();
    tests[0].stdout = Some(b"3".to_vec());
    tests[1].end = ProgramEnd::Exited(1);
    tests[2].end = ProgramEnd::Aborted;
    let written = Written::new(WORD_COUNT, ProgramKind::Program, tests);
    let (ok, output) = written.make(&["check"]);
    assert!(!ok, "{output}");
    for line in [
        "FAIL test_001: prints something else than expected_stdout",
        "FAIL test_002: ended with 0 instead of 1",
        "FAIL test_003: ended with 0 instead of abort",
        "PASS test_004",
        "1 passed, 3 failed",
    ] {
        assert!(output.lines().any(|l| l == line), "{line}:\n{output}");
    }
    let (ok, output) = written.script("sh", &["tests/nobody"]);
    assert!(!ok && output.contains("FAIL nobody: no such test"), "{output}");
}

#[test]
fn output_that_is_not_the_same_every_time_is_not_compared() {
    let mut tests = word_count_tests();
    tests.truncate(2);
    tests[0].stdout = None;
    tests[1].stdout = Some(Vec::new());
    let written = Written::new(WORD_COUNT, ProgramKind::Program, tests);
    assert!(!written.suite().join("tests/test_001/expected_stdout").exists());
    let (_, output) = written.make(&["check"]);
    assert!(output.contains("PASS test_001\nFAIL test_002: prints something else"), "{output}");
}

/// Prints its name, its arguments and its environment byte by byte.
const ECHO: &str = r#"
#include <stdio.h>
extern char **environ;
int main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        for (char *c = argv[i]; *c; c++)
            printf("%02x", *c & 255);
        printf("\n");
    }
    for (char **e = environ; *e; e++)
        printf("%s\n", *e);
    return 0;
}
"#;

#[test]
fn every_byte_reaches_the_program_and_nothing_else_does() {
    let arguments = vec![
        (1..=255).collect::<Vec<u8>>(),
        Vec::new(),
        b"ends with a newline\n\n".to_vec(),
        b"%s %b \\c \\0 $HOME `ls` * ~".to_vec(),
        b"-n".to_vec(),
        vec![0xc3],
        Vec::new(),
    ];
    let hex = |a: &Vec<u8>| a.iter().map(|b| format!("{b:02x}")).collect::<String>() + "\n";
    let stdout = hex(&b"program".to_vec()) + &arguments.iter().map(hex).collect::<String>();
    let all = ProgramTest { arguments, stdout: Some(stdout.into_bytes()), ..test("all") };
    let none = ProgramTest { stdout: Some(hex(&b"program".to_vec()).into_bytes()), ..test("none") };
    let written = Written::new(ECHO, ProgramKind::Program, vec![all, none]);
    let (ok, output) = written.make(&["check"]);
    assert!(ok, "{output}");
    assert!(written.script("dash", &[]).0);
}

#[test]
fn ends_of_all_kinds_are_told_apart() {
    let source = r#"
        #include <stdlib.h>
        int main(int argc, char **argv)
        {
            switch (argv[1][0]) {
            case 'a': abort();
            case 'c': *(volatile int *)8 = 1; return 0;
            case 'h': for (;;);
            default: return 300;
            }
        }"#;
    let with = |letter: &str, end| ProgramTest {
        arguments: vec![letter.as_bytes().to_vec()],
        end,
        ..test(&format!("{letter}_end"))
    };
    let tests = vec![
        with("a", ProgramEnd::Aborted),
        with("c", ProgramEnd::Crashed),
        with("h", ProgramEnd::Hangs),
        with("x", ProgramEnd::Exited(300)),
    ];
    let written = Written::new(source, ProgramKind::Program, tests);
    let (ok, output) = written.make(&["check"]);
    assert!(ok && output.ends_with("PASS a_end\nPASS x_end\n2 passed, 0 failed\n"), "{output}");
    let findings = ["crashes/c_end", "crashes/h_end"];
    let mut command = Command::new("sh");
    command.arg("run.sh").args(findings).current_dir(written.suite()).env("TIME_LIMIT", "1");
    assert_eq!(run(&mut command).1, "PASS c_end\nPASS h_end\n2 passed, 0 failed\n");
    let (_, output) = written.make(&["crashes", "SANITIZE=-fsanitize=undefined", "--environment-overrides"]);
    assert!(output.contains("/crashes/c_end\n") && output.contains("ended with 139"), "{output}");
}

fn value(name: &str, kind: ValueKind, bytes: &[u8]) -> HarnessValue {
    HarnessValue { name: name.to_owned(), kind, bytes: bytes.to_vec() }
}

#[test]
fn a_harness_is_answered_in_order() {
    let source = r#"
        #include "branchwise.h"
        #include <crest.h>
        #include <klee/klee.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <stdlib.h>
        extern int __VERIFIER_nondet_int(void);
        extern _Bool __VERIFIER_nondet_bool(void);
        extern double __VERIFIER_nondet_double(void);
        extern char **environ;
        void __VERIFIER_assume(int c) { if (!c) exit(7); }
        int main(void)
        {
            struct { long a, b; char c[4]; } block;
            int i, line = 0;
            char text[20];
            unsigned short s;
            klee_make_symbolic(&block, sizeof block, "block");
            CREST_unsigned_short(s);
            branchwise_symbolic(&i, sizeof i, "i");
            fgets(text, sizeof text, stdin);
            printf("%ld %ld %c\n", block.a, block.b, block.c[0]);
            printf("%u %d %d\n", s, i, __VERIFIER_nondet_int());
            _Bool b = __VERIFIER_nondet_bool();
            double d = __VERIFIER_nondet_double();
            printf("%d %a %s\n", b, d, text);
            printf("%d %d\n", __VERIFIER_nondet_int(), environ[0] == 0);
            printf("%d\n", open("/dev/null", O_RDONLY));
            klee_assume(i == -2);
            __VERIFIER_assume(0);
        }"#;
    let mut block = [7i64.to_le_bytes(), (-8i64).to_le_bytes()].concat();
    block.extend(b"zyxw\0\0\0\0");
    let values = vec![
        value("block", ValueKind::Block, &block),
        value("unsigned short", ValueKind::Unsigned, &[0xff, 0xff]),
        value("i", ValueKind::Signed, &(-2i32).to_le_bytes()),
        value("int", ValueKind::Signed, &i32::MIN.to_le_bytes()),
        value("_Bool", ValueKind::Bool, &[1]),
        value("double", ValueKind::Float, &(-0.1f64).to_le_bytes()),
    ];
    let test = ProgramTest {
        stdin: Some(b"in".to_vec()),
        values,
        end: ProgramEnd::Exited(7),
        stdout: Some(b"7 -8 z\n65535 -2 -2147483648\n1 -0x1.999999999999ap-4 in\n0 1\n3\n".to_vec()),
        ..test("answers")
    };
    let written = Written::new(source, ProgramKind::Harness, vec![test]);
    for compiler in ["CC=gcc", "CC=clang-19"] {
        let (ok, output) = written.make(&["check", compiler, "CFLAGS=-g -Wall -Wextra"]);
        assert!(ok && !output.contains("warning"), "{output}");
    }
}

#[test]
fn a_fuzz_target_gets_its_bytes() {
    let source = r#"
        #include <stddef.h>
        #include <stdlib.h>
        int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
        {
            if (size == 3 && data[0] == 'a' && data[1] == 0 && data[2] == 255)
                exit(9);
            return -1;
        }"#;
    let fuzz = |name: &str, bytes: &[u8], status| ProgramTest {
        values: vec![value("data", ValueKind::Block, bytes)],
        end: ProgramEnd::Exited(status),
        ..test(name)
    };
    let tests = vec![fuzz("right", &[b'a', 0, 255], 9), fuzz("wrong", b"a", 0), fuzz("none", &[], 0)];
    let written = Written::new(source, ProgramKind::Fuzzer, tests);
    let (ok, output) = written.make(&["check", "CFLAGS=-fsanitize=address"]);
    assert!(ok && output.ends_with("3 passed, 0 failed\n"), "{output}");
}

fn numbers() -> ProgramSuite {
    let values = vec![
        value("int", ValueKind::Signed, &(-5i32).to_le_bytes()),
        value("a<b", ValueKind::Unsigned, &u64::MAX.to_le_bytes()),
        value("float", ValueKind::Float, &0.1f32.to_le_bytes()),
    ];
    let crash = ProgramTest { end: ProgramEnd::Crashed, ..test("crash_1") };
    let tests = vec![ProgramTest { values, ..test("test_001") }, crash, test("test_002")];
    let build = ProgramBuild { kind: ProgramKind::Harness, ..ProgramBuild::default() };
    ProgramSuite { tests, build, producer: "branchwise & co".to_owned() }
}

#[test]
fn a_test_comp_suite_is_a_zip_of_xml() {
    let mut suite = numbers();
    suite.build.units = vec![Unit {
        file: 0,
        path: "/src/a.c".to_owned(),
        stem: "a".to_owned(),
        flags: vec!["-m32".to_owned()],
        directory: String::new(),
        source: Some("abc".to_owned()),
    }];
    let files = emit("testcomp", &suite);
    assert_eq!(files, emit("testcomp", &suite), "the same bytes each time");
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&files[0].contents)).expect("a zip file");
    let names: Vec<String> = archive.file_names().map(|name| name.expect("readable").into_owned()).collect();
    assert_eq!(names, ["metadata.xml", "testcase-1.xml", "testcase-2.xml"]);
    let texts: Vec<String> = (0..3)
        .map(|i| {
            let mut text = String::new();
            archive.by_index(i).expect("an entry").read_to_string(&mut text).expect("text");
            text
        })
        .collect();
    let options = || roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let metadata = roxmltree::Document::parse_with_options(&texts[0], options()).expect("XML");
    let field = |name: &str| metadata.descendants().find(|n| n.has_tag_name(name)).and_then(|n| n.text());
    assert_eq!(field("producer"), Some("branchwise & co"));
    assert_eq!(field("architecture"), Some("32bit"));
    assert_eq!(field("programfile"), Some("/src/a.c"));
    let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(field("programhash"), Some(of_abc));
    let testcase = roxmltree::Document::parse_with_options(&texts[1], options()).expect("XML");
    let inputs: Vec<_> = testcase
        .descendants()
        .filter(|n| n.has_tag_name("input"))
        .map(|n| (n.attribute("type"), n.attribute("variable"), n.text().unwrap_or_default()))
        .collect();
    assert_eq!(
        inputs,
        [
            (Some("int"), None, "-5"),
            (None, Some("a<b"), "18446744073709551615"),
            (Some("float"), None, "0.1")
        ]
    );
}

#[test]
fn test_comp_has_no_words_for_arguments_and_blocks() {
    let emitter = formats().iter().find(|e| e.name() == "testcomp").expect("there");
    for change in [
        |t: &mut ProgramTest| t.arguments.push(Vec::new()),
        |t: &mut ProgramTest| t.stdin = Some(Vec::new()),
        |t: &mut ProgramTest| t.values.push(value("b", ValueKind::Block, &[1])),
    ] {
        let mut suite = numbers();
        change(&mut suite.tests[0]);
        assert_eq!(emitter.emit(&suite).expect_err("unfit").test, "test_001");
    }
}

#[derive(PartialEq, Debug)]
struct Klee {
    version: u32,
    arguments: Vec<String>,
    symbolic: [u32; 2],
    objects: Vec<(String, Vec<u8>)>,
}

/// Reads a test of KLEE by the description of its format.
fn read_ktest(mut bytes: &[u8]) -> Klee {
    fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = bytes.split_at(count);
        *bytes = rest;
        taken
    }
    fn number(bytes: &mut &[u8]) -> u32 {
        take(bytes, 4).iter().fold(0, |n, &b| n << 8 | u32::from(b))
    }
    fn block(bytes: &mut &[u8]) -> Vec<u8> {
        let count = number(bytes) as usize;
        take(bytes, count).to_vec()
    }
    fn text(bytes: &mut &[u8]) -> String {
        String::from_utf8(block(bytes)).expect("text")
    }
    let bytes = &mut bytes;
    assert_eq!(take(bytes, 5), b"KTEST");
    let version = number(bytes);
    let arguments = (0..number(bytes)).map(|_| text(bytes)).collect();
    let symbolic = [number(bytes), number(bytes)];
    let objects = (0..number(bytes)).map(|_| (text(bytes), block(bytes))).collect();
    assert!(bytes.is_empty(), "nothing follows");
    Klee { version, arguments, symbolic, objects }
}

#[test]
fn tests_of_klee_can_be_read() {
    let whole = ProgramTest {
        arguments: vec![b"-x".to_vec()],
        stdin: Some(vec![0, 255]),
        files: vec![("a.txt".to_owned(), b"abc".to_vec())],
        ..test("test_003")
    };
    let mut suite = numbers();
    suite.tests.push(whole);
    let files = emit("ktest", &suite);
    let names: Vec<&str> = files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(names, ["test_001.ktest", "crash_1.ktest", "test_002.ktest", "test_003.ktest"]);
    let objects = vec![
        ("int".to_owned(), vec![0xfb, 0xff, 0xff, 0xff]),
        ("a<b".to_owned(), vec![0xff; 8]),
        ("float".to_owned(), 0.1f32.to_le_bytes().to_vec()),
    ];
    let expected = Klee { version: 3, arguments: vec!["program".to_owned()], symbolic: [0, 0], objects };
    assert_eq!(read_ktest(&files[0].contents), expected);
    let words = "program --sym-arg 2 --sym-files 1 3 --sym-stdin 2";
    let objects = [("arg00", &b"-x\0"[..]), ("A-data", b"abc"), ("stdin", &[0, 255])];
    let objects = objects.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).to_vec();
    let arguments = words.split(' ').map(str::to_owned).collect();
    let expected = Klee { version: 3, arguments, symbolic: [0, 0], objects };
    assert_eq!(read_ktest(&files[3].contents), expected);
}

#[test]
fn a_suite_without_tests_passes() {
    let written = Written::new(WORD_COUNT, ProgramKind::Program, Vec::new());
    let (ok, output) = written.make(&["check"]);
    assert!(ok && output.ends_with("0 passed, 0 failed\n"), "{output}");
    assert!(!Path::new(&written.suite()).join("tests").exists());
}

/// The fixtures whose programs look around: what they see must be what they saw when the test was made.
#[test]
fn the_world_of_a_test_is_the_one_it_was_made_in() {
    type Run = (&'static [u8], i32);
    let cases: [(&str, &[Run]); 4] = [
        ("world_stdin_is_a_pipe.c", &[(b"x", 0), (b"", 0)]),
        ("world_environment.c", &[(b"s", 2), (b"", 0)]),
        ("world_files.c", &[(b"kk", 3), (b"ab", 0)]),
        ("world_locale.c", &[(b"q", 4), (b"\xff", 2), (b"", 3)]),
    ];
    for (file, runs) in cases {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/programs").join(file);
        let source = std::fs::read_to_string(path).expect("a fixture");
        let test = |(i, (stdin, status)): (usize, &Run)| ProgramTest {
            stdin: Some(stdin.to_vec()),
            end: ProgramEnd::Exited(*status),
            ..test(&format!("test_{i}"))
        };
        let tests = runs.iter().enumerate().map(test).collect();
        let written = Written::new(&source, ProgramKind::Program, tests);
        let (ok, output) = written.make(&["check"]);
        assert!(ok, "{file}: {output}");
    }
}
