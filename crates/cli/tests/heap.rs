//! The promise for graphs, strings and surroundings: what `fixtures.rs` asks of ordinary functions holds for those that
//! take pointers, nothing added to their sources.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::header::Header;
use support::{Desk, c_files, fixtures, make, on_all};

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
