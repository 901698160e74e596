//! A Java run that is killed or interrupted loses nothing: the same command goes on and ends as if nothing had been.

mod support;

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};
use support::{Desk, PATIENCE, expect_same_trees, finish, start};

/// Easy classes first, so that they are in the journal when the hard one is begun: nobody inverts its hash.
fn source(desk: &Desk) -> PathBuf {
    let easy = |name: &str| {
        format!(
            "public class {name} {{ private int n; public boolean f(int x) {{ n += x; return n > 3; }} }}"
        )
    };
    for name in ["Able", "Baker"] {
        desk.write(&format!("source/{name}.java"), &easy(name));
    }
    let hard = "public class Zulu {
    public static boolean f(double key) {
        double x = Math.sin(key) * 43758.5453;
        for (int i = 0; i < 40; i++) { x = Math.sin(x + i) * 43758.5453; }
        return x == 0.123456789;
    }
}
";
    desk.write("source/Zulu.java", hard);
    desk.path("source")
}

fn signal(child: &Child, number: i32) {
    // SAFETY: a system call without memory; the child is not yet waited for, so the number is still its own.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, number) }, 0);
}

/// Waits until the journal tells that a part is done: that takes more than its head.
fn wait_for_journal(out: &Path, child: &mut Child, size: u64) {
    let journal = out.join(".branchwise-journal");
    let begun = Instant::now();
    while std::fs::metadata(&journal).map_or(0, |m| m.len()) < size {
        assert!(child.try_wait().expect("a child").is_none(), "done before it could be killed");
        assert!(begun.elapsed() < PATIENCE, "no journal");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const JOBS: [&str; 2] = ["--jobs", "1"];

#[test]
fn killed_and_started_again_it_ends_as_if_never_killed() {
    let desk = Desk::new();
    let source = source(&desk);
    let arguments = [&["--budget", "30000x", "--engine", "random"], &JOBS[..]].concat();
    desk.generate(&source, "out", &arguments).expect(0);
    std::fs::rename(desk.path("out"), desk.path("whole")).expect("a folder");

    let mut command = desk.branchwise(["gen".as_ref(), source.as_os_str()]);
    let out = desk.path("out");
    let mut running = start(command.arg("--out").arg(&out).args(&arguments));
    wait_for_journal(&out, &mut running.0, 700);
    signal(&running.0, libc::SIGKILL);
    assert_eq!(finish(running, PATIENCE).code, None);
    desk.expect_no_processes();
    assert!(!out.join("summary.json").exists(), "killed too late");

    let resumed = desk.generate(&source, "out", &arguments).expect(0);
    assert!(resumed.stderr.contains("going on where an earlier run was stopped"), "{}", resumed.stderr);
    expect_same_trees(&desk.path("whole"), &out);
}

#[test]
fn ctrl_c_writes_what_was_found_and_other_settings_begin_anew() {
    let desk = Desk::new();
    let source = source(&desk);
    let out = desk.path("out");
    let mut command = desk.branchwise(["gen".as_ref(), source.as_os_str()]);
    let mut running = start(command.arg("--out").arg(&out).args(["--budget", "5m"]).args(JOBS));
    wait_for_journal(&out, &mut running.0, 700);
    signal(&running.0, libc::SIGINT);
    finish(running, Duration::from_secs(120))
        .expect(130)
        .complains(&["interrupted", "the same command goes on"]);
    desk.expect_no_processes();
    assert!(desk.summary("out").totals.goals.covered > 0);
    assert!(out.join(".branchwise-journal").is_file());
    let other = desk.generate(&source, "out", &["--budget", "100x", "--seed", "3"]).expect(0);
    assert!(!other.stderr.contains("going on"), "{}", other.stderr);
    assert!(!out.join(".branchwise-journal").exists(), "nothing is left to go on with");
}
