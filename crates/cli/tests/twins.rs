//! Twins do what the functions do, and the terms they leave behind say what was computed.

#[path = "support/twins/mod.rs"]
mod twins;

use std::path::{Path, PathBuf};
use twins::{Builds, Tally};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/c");
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    all.sort();
    all
}

#[test]
fn twins_of_the_fixtures_do_what_the_functions_do() {
    let mut tally = Tally::default();
    for path in fixtures() {
        let done = Builds::of(&path).load().compare(60);
        tally.add(&done.unwrap_or_else(|e| panic!("{}: {e}", path.display())));
    }
    assert!(tally.decisions > 10_000, "{tally:?}");
}

#[test]
fn twins_of_random_functions_do_what_the_functions_do() {
    let (tally, complaints) = twins::random::check_all(10);
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    assert!(tally.decisions > 10_000 && tally.forced > 100 && tally.faults > 10, "{tally:?}");
}
