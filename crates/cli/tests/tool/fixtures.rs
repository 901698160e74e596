//! The promise: with nothing but defaults every feasible branch of every ordinary fixture is covered, llvm-cov
//! confirms it, and the suites are C that gcc accepts without a warning.

use crate::support::header::Header;
use crate::support::{Desk, c_files, fixture, fixtures, make, on_all};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const STRICT: [&str; 2] = ["CC=gcc", "CFLAGS=-Wall -Wextra -Werror"];

#[test]
fn every_feasible_branch_is_covered_and_confirmed() {
    let all = c_files(&fixtures());
    assert!(all.len() >= 25, "the fixtures are not where they should be");
    on_all(&all, |path| covered_and_confirmed(path));
}

fn covered_and_confirmed(path: &Path) {
    let desk = Desk::new();
    desk.generate(path, "out", &["--jobs", "1"]).expect(0);
    Header::read(path).expect(&desk.summary("out"));
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("llvm-cov confirms every claim"), "{}", verdict.stdout);
    passes_with(&desk, &STRICT);
    assert!(desk.litter().is_empty(), "{:?}", desk.litter());
}

/// `make` must build the suite, run all of its tests, and leave none failing.
fn passes_with(desk: &Desk, arguments: &[&str]) {
    let made = make(&desk.path("out"), arguments).expect(0);
    let tests = desk.summary("out").totals.tests;
    let passed: usize = made
        .stdout
        .lines()
        .chain(made.stderr.lines())
        .filter_map(|line| line.strip_suffix(" passed, 0 failed")?.parse::<usize>().ok())
        .sum();
    assert_eq!(passed, tests, "{}\n{}", made.stdout, made.stderr);
}

#[test]
fn cmocka_suites_pass_too() {
    let some = [
        "asserts.c",
        "externs.c",
        "floats.c",
        "globals.c",
        "pointers.c",
        "rectangle.c",
        "triangle.c",
        "unions.c",
    ];
    on_all(&some, |name| {
        let desk = Desk::new();
        desk.generate(&fixture(name), "out", &["--emit", "cmocka", "--jobs", "1"]).expect(0);
        Header::read(&fixture(name)).expect(&desk.summary("out"));
        let text = std::fs::read_to_string(desk.path(format!("out/test_{name}"))).expect("the tests");
        assert!(text.contains("(void **state)"), "not CMocka");
        make(&desk.path("out"), &STRICT).expect(0);
    });
}

/// A forced run that goes another way than computed is a wrong term, or a run that does not repeat itself.
#[test]
fn no_run_diverges_from_what_was_computed_for_it() {
    let traced = AtomicU64::new(0);
    on_all(&c_files(&fixtures()), |path| {
        let desk = Desk::new();
        desk.generate(path, "out", &["--engine", "dfs", "--budget", "2000x", "--jobs", "1"]).expect(0);
        for function in desk.summary("out").functions {
            let Some(exploration) = function.exploration else { continue };
            assert_eq!(exploration.divergences, 0, "{} in {}", function.name, path.display());
            traced.fetch_add(exploration.traced, Ordering::Relaxed);
        }
    });
    assert!(traced.into_inner() > 500, "hardly anything was run");
}
