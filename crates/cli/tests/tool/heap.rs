//! The promise for graphs, strings and surroundings: what `fixtures.rs` asks of ordinary functions holds for those that
//! take pointers, nothing added to their sources.

use crate::support::header::Header;
use crate::support::{Desk, PATIENCE, c_files, expect_all_covered, fixtures, function, make, on_all, run};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A test of this fixture prints by a null format. The C library minds as little as clang's checks do, by which tests are
/// chosen; the sanitizers' own `vsnprintf` follows it.
const NULL_FORMAT: &str = "variadic.c";

fn graphs() -> PathBuf {
    fixtures().with_file_name("heap")
}

#[test]
fn every_feasible_branch_is_covered_and_confirmed_by_clean_tests() {
    let all = c_files(&graphs());
    assert!(all.len() >= 40, "the fixtures are not where they should be");
    on_all(&all, |path| covered_and_confirmed(path));
}

fn covered_and_confirmed(path: &Path) {
    let desk = Desk::new();
    desk.generate(path, "out", &["--jobs", "1"]).expect(0);
    Header::read(path).expect(&desk.summary("out"));
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("llvm-cov confirms every claim"), "{}", verdict.stdout);
    assert!(desk.litter().is_empty(), "{:?}", desk.litter());
    if !path.ends_with(NULL_FORMAT) {
        std::fs::create_dir(desk.path("out/sanitized")).expect("a new folder");
        clean(&desk);
    }
}

/// What the tests build and what the functions do with it is in order for the sanitizers, and for gcc's warnings: no test
/// fails but those that say themselves that the function leaks, or does what C leaves undefined.
fn clean(desk: &Desk) {
    let sanitized = "CFLAGS=-Wall -Wextra -Werror -g -fsanitize=address,undefined -fno-sanitize-recover=all";
    let told = make(&desk.path("out"), &["CC=gcc", sanitized, "OUT=sanitized"]);
    let failed: BTreeSet<String> = told
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("FAIL ")?.split(' ').next().map(str::to_owned))
        .collect();
    assert_eq!(failed, announced(&desk.path("out")), "{}\n{}", told.stdout, told.stderr);
    assert!(told.stdout.contains(" passed, "), "{}", told.stderr);
}

/// The tests that say so.
fn announced(folder: &Path) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for file in c_files(folder) {
        let text = std::fs::read_to_string(&file).expect("a test file");
        for body in text.split("\nstatic void test_").skip(1) {
            let body = body.split("\n}\n").next().unwrap_or(body);
            let says_so =
                body.contains("/* leaks ") || body.contains("C does not say what is to be expected");
            if says_so {
                all.extend(body.split('(').next().map(str::to_owned));
            }
        }
    }
    all
}

/// Who is given an array and its length is not told to have read behind a shorter one. Who goes further than the length is, also
/// if no goal is behind it.
#[test]
fn lengths_are_recognised_by_their_use() {
    let desk = Desk::new();
    desk.generate(&graphs().join("lengths.c"), "out", &["--budget", "20000x"]).expect(0);
    let summary = desk.summary("out");
    let assumed = |name: &str| function(&summary, name).assumed.clone();
    assert_eq!(assumed("is_large"), ["elements(values) >= count"]);
    assert_eq!(assumed("has_checksum"), ["elements(packet->bytes) >= packet->size"]);
    assert_eq!(assumed("ends_below_zero"), ["elements(values) >= count"]);
    assert_eq!(assumed("starts_with_zero"), ["elements(values) * sizeof *(values) >= bytes"]);
    let beyond = |name: &str| -> Vec<String> {
        let findings = function(&summary, name).findings.iter();
        findings.filter(|finding| finding.what.contains("ends before")).map(|f| f.inputs.clone()).collect()
    };
    for name in ["is_large", "has_checksum", "ends_below_zero", "starts_with_zero"] {
        assert_eq!(beyond(name), [""; 0], "{name}");
    }
    assert_eq!(beyond("is_large_or_so"), ["values = {0, 0}, count = 2"]);
    assert_eq!(beyond("clear").len(), 1, "{:?}", beyond("clear"));
    assert!(assumed("is_positive").is_empty());
    assert_eq!(beyond("is_positive").len(), 1);
}

/// Two files of one program: the users of a handle get theirs where its callers get them, and give it back.
#[test]
fn handles_are_made_by_those_who_know_them() {
    let desk = Desk::new();
    let paths = ["users_of_handle.c", "handle.c"].map(|name| graphs().join(name));
    let arguments: Vec<&str> = paths.iter().filter_map(|path| path.to_str()).collect();
    let more = ["--budget", "20000x", "--jobs", "1", "--out", "out"];
    run(&mut desk.branchwise([&["gen"], &arguments[..], &more].concat()), PATIENCE).expect(0);
    expect_all_covered(&desk, "out", 64);
    std::fs::create_dir(desk.path("out/sanitized")).expect("a new folder");
    clean(&desk);
    let tests = std::fs::read_to_string(desk.path("out/test_users_of_handle.c")).expect("tests");
    for line in
        ["struct counter *counter = counter_create(7);", "counter_destroy(counter);", "counter_add(b, "]
    {
        assert!(tests.contains(line), "{line}\n{tests}");
    }
    assert!(!tests.contains("As another unit has it"), "{tests}");
}

/// Several ways to make one, texts as arguments, one handle for two parameters, and a function that closes what it is given.
/// The functions that make it are in an object file that nobody has the source of.
#[test]
fn handles_are_made_by_what_is_linked() {
    let desk = Desk::new();
    desk.write(
        "value.h",
        "struct value;\nstruct value *value_text(const char *text);\nstruct value *value_number(double number);\n\
         int value_append(struct value *value, const char *more);\nint value_is_text(const struct value *value);\n\
         unsigned value_length(const struct value *value);\nint value_equals(const struct value *value, const char *text);\n\
         void value_free(struct value *value);\n",
    );
    desk.write(
        "value.c",
        "#include \"value.h\"\n#include <stdlib.h>\n#include <string.h>\n\
         struct value { int is_text; double number; char text[32]; };\n\
         struct value *value_text(const char *text) {\n    struct value *v = calloc(1, sizeof *v);\n\
             if (v) { v->is_text = 1; strncpy(v->text, text, 31); }\n    return v;\n}\n\
         struct value *value_number(double n) {\n    struct value *v = calloc(1, sizeof *v);\n\
             if (v) v->number = n;\n    return v;\n}\n\
         int value_append(struct value *v, const char *more) {\n    if (!v->is_text) return 0;\n\
             strncat(v->text, more, 31 - strlen(v->text));\n    return 1;\n}\n\
         int value_is_text(const struct value *v) { return v->is_text; }\n\
         unsigned value_length(const struct value *v) { return strlen(v->text); }\n\
         int value_equals(const struct value *v, const char *text) { return strcmp(v->text, text) == 0; }\n\
         void value_free(struct value *v) { free(v); }\n",
    );
    desk.write(
        "user.c",
        "#include \"value.h\"\n\
         int kind(const struct value *v) {\n    if (!v) return 0;\n    if (!value_is_text(v)) return 1;\n\
             if (value_length(v) > 2) return 2;\n    return 3;\n}\n\
         int same(struct value *a, struct value *b) { return a && a == b; }\n\
         int last(struct value *v) {\n    int length;\n    if (!v || !value_append(v, \"\")) return -1;\n    length = value_length(v);\n\
             value_free(v);\n    if (length == 1) return 1;\n    return 0;\n}\n\
",
    );
    let compiled = std::process::Command::new("clang-19")
        .current_dir(desk.path(""))
        .args(["-c", "value.c", "-o", "value.o"])
        .status();
    assert!(compiled.expect("clang").success());
    let arguments = ["gen", "user.c", "--budget", "20000x", "--jobs", "1", "--out", "out", "--", "value.o"];
    run(&mut desk.branchwise(arguments), PATIENCE).expect(0);
    expect_all_covered(&desk, "out", 16);
    std::fs::create_dir(desk.path("out/sanitized")).expect("a new folder");
    clean(&desk);
    let tests = std::fs::read_to_string(desk.path("out/test_user.c")).expect("tests");
    for line in ["= value_number(", "= value_text(\"", "value_free(v);", "int result = same(a, a);"] {
        assert!(tests.contains(line), "{line}\n{tests}");
    }
}
