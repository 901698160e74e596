//! A run that is killed or interrupted loses nothing: the same command goes on and ends as if nothing had been.

use crate::support::{Desk, PATIENCE, expect_same_trees, finish, make, start};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

/// Some seconds for each of the functions below.
const BUDGET: &str = "3000000x";

/// Both functions eat their whole budget, so that there is a middle to be killed in: no search inverts a hash of
/// 64 bits, and no compiler proves that it cannot be done.
const HARD: &str = "\
unsigned long hash(unsigned long x)
{
    x = (x ^ x >> 31) * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9;
    return x ^ x >> 32;
}

int first_lock(unsigned long key)
{
    return key > 7 && hash(key) == 0x0123456789ABCDEF ? 1 : 0;
}

int second_lock(unsigned long key)
{
    return key < 99 || hash(hash(key)) == 0xFEDCBA9876543210 ? 1 : 0;
}
";

/// Easy functions first, so that their results are in the journal when the hard ones are begun.
fn source(desk: &Desk) -> PathBuf {
    desk.write("source/z_hard.c", HARD);
    desk.copy("source", &["gcd.c", "globals.c", "triangle.c"])
}

fn signal(child: &Child, number: i32) {
    // SAFETY: a system call without memory; the child is not yet waited for, so the number is still its own.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, number) }, 0);
}

/// Waits until the journal has so many bytes.
fn wait_for_journal(out: &Path, child: &mut Child, size: u64) {
    let journal = out.join(".branchwise-journal");
    let begun = Instant::now();
    while std::fs::metadata(&journal).map_or(0, |m| m.len()) < size {
        assert!(child.try_wait().expect("a child").is_none(), "done before it could be killed");
        assert!(begun.elapsed() < PATIENCE, "no journal");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a worker is at work: between two of them there is none for a moment.
fn wait_for_worker(desk: &Desk) {
    let begun = Instant::now();
    while desk.processes().is_empty() {
        assert!(begun.elapsed() < PATIENCE, "there are workers");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn killed_and_started_again_it_ends_as_if_never_killed() {
    let desk = Desk::new();
    let source = source(&desk);
    let arguments = ["--budget", BUDGET, "--jobs", "2"];
    let whole = desk.generate(&source, "whole", &arguments).expect(0);

    let mut command = desk.branchwise(["gen".as_ref(), source.as_os_str()]);
    let out = desk.path("out");
    let mut running = start(command.arg("--out").arg(&out).args(arguments));
    // The result of a finished function takes more than a thousand bytes.
    wait_for_journal(&out, &mut running.0, 4000);
    wait_for_worker(&desk);
    signal(&running.0, libc::SIGKILL);
    assert_eq!(finish(running, PATIENCE).code, None);
    desk.expect_no_processes();
    assert!(out.join(".branchwise-journal").is_file());
    assert!(!out.join("summary.json").exists(), "killed too late");

    let resumed = desk.generate(&source, "out", &arguments).expect(0);
    expect_same_trees(&desk.path("whole"), &out);
    let lines = |text: &str| text.lines().count();
    assert!(lines(&resumed.stderr) < lines(&whole.stderr), "finished functions are not done again");
}

/// A journal cut anywhere is what a power cut leaves; it must never make a difference, only cost time.
#[test]
fn a_damaged_journal_does_no_harm() {
    let desk = Desk::new();
    let source = desk.copy("source", &["gcd.c", "triangle.c"]);
    let arguments = ["--budget", "2000x"];
    desk.generate(&source, "whole", &arguments).expect(0);
    for (i, journal) in
        [b"".as_slice(), b"\xff\xff\xff\xff\xff\xff\xff\xff", &[0; 100]].into_iter().enumerate()
    {
        let out = format!("out{i}");
        std::fs::create_dir(desk.path(&out)).expect("a folder");
        std::fs::write(desk.path(format!("{out}/.branchwise-journal")), journal).expect("a journal");
        desk.generate(&source, &out, &arguments).expect(0);
        expect_same_trees(&desk.path("whole"), &desk.path(&out));
    }
}

#[test]
fn ctrl_c_writes_what_was_found() {
    let desk = Desk::new();
    let source = source(&desk);
    let out = desk.path("out");
    let mut command = desk.branchwise(["gen".as_ref(), source.as_os_str()]);
    let mut running = start(command.arg("--out").arg(&out).args(["--budget", "10m", "--jobs", "2"]));
    wait_for_journal(&out, &mut running.0, 4000);
    signal(&running.0, libc::SIGINT);
    let ended = finish(running, Duration::from_secs(20)).expect(130).complains(&["interrupted"]);
    assert!(ended.took < Duration::from_secs(10), "{:?}", ended.took);
    desk.expect_no_processes();
    assert!(desk.litter().is_empty(), "{:?}", desk.litter());
    let summary = desk.summary("out");
    assert!(summary.totals.tests > 0 && summary.totals.goals.covered > 0);
    make(&out, &[]).expect(0);
    desk.check("out").expect(0);
    assert!(out.join(".branchwise-journal").is_file(), "the same command goes on");
}
