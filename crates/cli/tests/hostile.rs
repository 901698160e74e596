//! Programs that crash, hang, corrupt, fork, delete and flood: the driver survives, ordinary branches are covered,
//! faults are reported, the judge agrees, and nothing is left behind.

mod support;

use report::{State, Summary};
use std::path::Path;
use std::time::Duration;
use support::header::{Header, Places};
use support::{Desk, c_files, fixtures, function, on_all, run};

/// Files that network.c and deletes.c try to make.
const ESCAPED: [&str; 3] = ["/branchwise_escaped.txt", "/tmp/branchwise_moved.txt", "/tmp/branchwise_dir"];

#[test]
fn the_driver_survives_every_hostile_fixture() {
    let all = c_files(&fixtures().join("hostile"));
    assert!(all.len() >= 16, "the fixtures are not where they should be");
    on_all(&all, |path| survives(path));
}

fn survives(path: &Path) {
    let desk = Desk::new();
    desk.write("branchwise_victim.txt", "still here\n");
    let mut command = desk.branchwise(["gen".as_ref(), path.as_os_str()]);
    command.args(["--out", "out", "--budget", "2000x", "--jobs", "1"]);
    run(&mut command, Duration::from_secs(60)).expect(0);
    desk.expect_no_processes();
    assert!(desk.litter().is_empty(), "{:?}", desk.litter());
    for file in ESCAPED {
        assert!(!Path::new(file).exists(), "{file} was made");
    }
    let victim = std::fs::read_to_string(desk.path("branchwise_victim.txt"));
    assert_eq!(victim.ok().as_deref(), Some("still here\n"));

    let summary = desk.summary("out");
    let header = Header::read(path);
    header.expect(&summary);
    fatal_outcomes_are_explained(&header, &summary);
    desk.check("out").expect(0);
}

/// An outcome that kills or hangs its process is covered by a death test or put down to a finding.
fn fatal_outcomes_are_explained(header: &Header, summary: &Summary) {
    let mut unexplained = Places::new();
    for function in &summary.functions {
        let open =
            |g: &&report::GoalSummary| g.state == State::Unknown && g.reason.as_deref() != Some("finding");
        for goal in function.goals.iter().filter(open) {
            let seen = goal.visible();
            *unexplained.entry((function.name.clone(), seen.line, seen.column, goal.outcome)).or_default() +=
                1;
        }
    }
    for (place, count) in &header.fatal {
        let others = header.infeasible.get(place).copied().unwrap_or(0);
        let found = unexplained.get(place).copied().unwrap_or(0);
        assert!(found <= others, "{place:?}: {found} of {count} without a finding");
    }
}

/// Fixture, function, what is found there, and in which line if it is one.
const FAULTS: [(&str, &str, &str, Option<u32>); 14] = [
    ("div_zero.c", "quotient_kind", "arithmetic fault", Some(6)),
    ("div_zero.c", "remainder_kind", "arithmetic fault", Some(17)),
    ("div_zero.c", "average", "arithmetic fault", Some(24)),
    ("div_zero.c", "late_division", "arithmetic fault", Some(34)),
    ("endless_loop.c", "walk", "did not end", None),
    ("endless_loop.c", "spin_on", "did not end", None),
    ("endless_loop.c", "halve_to_zero", "did not end", None),
    ("stack_overflow.c", "descend", "stack overflow", None),
    ("stack_overflow.c", "fill_stack", "stack overflow", None),
    ("wild_write.c", "poke", "segmentation fault", Some(17)),
    ("wild_write.c", "peek", "segmentation fault", Some(31)),
    ("wild_write.c", "store", "segmentation fault", Some(39)),
    ("sleeps.c", "nap", "did not end in time", None),
    ("sleeps.c", "wait_for", "did not end in time", None),
];

#[test]
fn faults_are_found_named_and_placed() {
    let mut names: Vec<&str> = FAULTS.iter().map(|fault| fault.0).collect();
    names.dedup();
    on_all(&names, |name| {
        let desk = Desk::new();
        let path = fixtures().join("hostile").join(name);
        desk.generate(&path, "out", &["--budget", "2000x", "--jobs", "1"]).expect(0);
        let summary = desk.summary("out");
        for (_, at, what, line) in FAULTS.iter().filter(|fault| fault.0 == *name) {
            let findings = &function(&summary, at).findings;
            let place = line.map(|line| format!("{name}:{line}"));
            let here = |found: &Option<String>| match (&place, found) {
                (Some(place), Some(found)) => found.ends_with(place.as_str()),
                (place, _) => place.is_none(),
            };
            let is_it = |f: &&report::FindingSummary| f.what.contains(what) && here(&f.place);
            assert!(findings.iter().any(|f| is_it(&f)), "{at}: no {what} at {place:?} in {findings:#?}");
        }
        let reproducers = c_files(&desk.path("out/crashes"));
        assert_eq!(reproducers.len(), summary.totals.findings, "{reproducers:?}");
    });
}
