//! Same seed and a budget in executions: the same output folder, byte for byte, whatever the number of jobs.

use crate::support::{Desk, expect_same_trees, fixture, tree};
use std::path::Path;

const BUDGET: [&str; 2] = ["--budget", "10000x"];

fn four_times(desk: &Desk, source: &Path) {
    for (out, jobs) in [("one", "1"), ("one again", "1"), ("two", "2"), ("two again", "2")] {
        desk.generate(source, out, &["--budget", "10000x", "--seed", "7", "--jobs", jobs]).expect(0);
    }
    assert!(tree(&desk.path("one")).len() > 4, "tests, Makefile and reports");
    for other in ["one again", "two", "two again"] {
        expect_same_trees(&desk.path("one"), &desk.path(other));
    }
}

#[test]
fn a_file_of_many_functions() {
    let desk = Desk::new();
    four_times(&desk, &fixture("pointers.c"));
}

#[test]
fn a_folder() {
    let desk = Desk::new();
    let some = ["conditions.c", "floats.c", "globals.c", "main_program.c", "state_machine.c", "unions.c"];
    let folder = desk.copy("source", &some);
    four_times(&desk, &folder);
}

/// Two of these fixtures have functions that crash or hang: dead workers must not make a difference.
#[test]
fn crashes_and_hangs() {
    let desk = Desk::new();
    let folder = desk.path("source");
    for name in ["div_zero.c", "endless_loop.c"] {
        let text = std::fs::read_to_string(fixture("hostile").join(name)).expect("a fixture");
        desk.write(&format!("source/{name}"), &text);
    }
    four_times(&desk, &folder);
}

#[test]
fn another_seed_gives_another_valid_suite() {
    let desk = Desk::new();
    for (out, seed) in [("first", "1"), ("second", "2")] {
        let more = [BUDGET.as_slice(), &["--seed", seed]].concat();
        desk.generate(&fixture("floats.c"), out, &more).expect(0);
        desk.check(out).expect(0);
    }
    let [first, second] = ["first", "second"].map(|out| desk.summary(out));
    assert_eq!((first.settings.seed, second.settings.seed), (1, 2));
    let runs = |s: &report::Summary| s.functions.iter().map(|f| f.executions).collect::<Vec<_>>();
    assert_ne!(runs(&first), runs(&second), "the seed changes nothing");
}
