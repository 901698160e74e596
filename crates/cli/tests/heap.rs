//! The promise for graphs, strings and surroundings: what `fixtures.rs` asks of ordinary functions holds for those that
//! take pointers, nothing added to their sources.

mod support;

use std::path::{Path, PathBuf};
use support::header::Header;
use support::{Desk, c_files, fixtures, make, on_all};

/// Fixtures that need what is not there yet, and what that is. What they do cover must still be confirmed.
const NOT_YET: [(&str, &str); 2] = [
    ("demangle.c", "a name of several parts, each behind its length, that fills the output in the middle"),
    ("file_reader.c", "a line of a stream that begins with a word, whatever the seed"),
];

fn graphs() -> PathBuf {
    fixtures().with_file_name("heap")
}

#[test]
fn every_feasible_branch_is_covered_and_confirmed() {
    let all = c_files(&graphs());
    assert!(all.len() >= 40, "the fixtures are not where they should be");
    on_all(&all, |path| covered_and_confirmed(path));
}

fn covered_and_confirmed(path: &Path) {
    let desk = Desk::new();
    desk.generate(path, "out", &["--jobs", "1"]).expect(0);
    if !NOT_YET.iter().any(|(name, _)| path.ends_with(name)) {
        Header::read(path).expect(&desk.summary("out"));
    }
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("llvm-cov confirms every claim"), "{}", verdict.stdout);
    assert!(desk.litter().is_empty(), "{:?}", desk.litter());
}

/// What the tests build and what the functions do with it is in order for the sanitizers, and for gcc's warnings. Sums
/// may overflow: that is the functions' own business, and `--find-errors` looks for it.
#[test]
fn suites_are_clean() {
    let some = [
        "callback.c",
        "dlist.c",
        "externs.c",
        "file_reader.c",
        "flexible.c",
        "graph.c",
        "hash_table.c",
        "ring.c",
        "scandir.c",
        "tagged.c",
    ];
    on_all(&some, |name| {
        let desk = Desk::new();
        desk.generate(&graphs().join(name), "out", &["--jobs", "1"]).expect(0);
        let sanitized = "CFLAGS=-Wall -Wextra -Werror -g -fsanitize=address,undefined \
                         -fno-sanitize=signed-integer-overflow -fno-sanitize-recover=all";
        // Objects for functions that may free them are allocated, and not all are freed.
        make(&desk.path("out"), &["CC=gcc", sanitized, "ASAN_OPTIONS=detect_leaks=0"]).expect(0);
    });
}
