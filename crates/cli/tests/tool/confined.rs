//! Somebody else's command in the sandbox of workers, as plain programs are run.

use crate::support::{Desk, Ended, run};
use std::process::Command;
use std::time::Duration;

/// A shell in the sandbox, in the folder `work` of the desk, which is its scratch folder.
fn shell(desk: &Desk, seconds: u32, script: &str) -> Ended {
    std::fs::create_dir_all(desk.path("work")).expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_branchwise-worker"));
    command.args(["--confined", &seconds.to_string()]).arg(desk.path("work")).arg("--");
    command.args(["sh", "-c", script]).current_dir(desk.path("work"));
    run(&mut command, Duration::from_secs(60))
}

#[test]
fn files_are_made_in_the_scratch_folder_only() {
    let desk = Desk::new();
    desk.write("victim", "here");
    let ended = shell(
        &desk,
        10,
        "echo a >inside && echo inside; (echo gone >../victim) 2>/dev/null || echo kept; \
         rm -f ../victim 2>/dev/null; (echo b >/tmp/branchwise-confined) 2>/dev/null; cat ../victim",
    );
    assert_eq!(ended.expect(0).stdout, "inside\nkept\nhere");
    assert_eq!(std::fs::read_to_string(desk.path("work/inside")).ok().as_deref(), Some("a\n"));
    assert_eq!(std::fs::read_to_string(desk.path("victim")).ok().as_deref(), Some("here"));
    assert!(!std::path::Path::new("/tmp/branchwise-confined").exists(), "the /tmp of the others");
}

#[test]
fn attributes_stay_as_they_are_and_nobody_fails() {
    let desk = Desk::new();
    let victim = desk.write("victim", "here");
    let mode = || std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&victim).unwrap().permissions());
    let before = mode();
    assert_eq!(shell(&desk, 10, "chmod 0 ../victim && echo fine").expect(0).stdout, "fine\n");
    assert_eq!(mode(), before);
}

#[test]
fn nothing_is_left_behind() {
    let desk = Desk::new();
    let copy = desk.path("work/own-sleep");
    shell(&desk, 10, "cp /bin/sleep own-sleep; ./own-sleep 300 & setsid ./own-sleep 300 & sleep 0.2")
        .expect(0);
    assert!(copy.exists());
    desk.expect_no_processes();
}

#[test]
fn the_time_is_limited() {
    let desk = Desk::new();
    let ended = shell(&desk, 1, "cp /bin/sleep own-sleep; ./own-sleep 300").expect(124);
    assert!(ended.took < Duration::from_secs(20));
    desk.expect_no_processes();
}

#[test]
fn whoever_started_it_may_be_a_thread_that_ends() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("work")).expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_branchwise-worker"));
    command.args(["--confined", "20"]).arg(desk.path("work")).args(["--", "sh", "-c", "sleep 0.3; exit 7"]);
    let mut child = std::thread::scope(|scope| {
        let started = scope.spawn(|| command.spawn().expect("a process"));
        started.join().expect("no panic")
    });
    assert_eq!(child.wait().expect("a child").code(), Some(7));
}

#[test]
fn it_ends_with_the_process_that_started_it() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("work")).expect("a folder");
    let (worker, work) = (env!("CARGO_BIN_EXE_branchwise-worker"), desk.path("work"));
    let inside = "cp /bin/sleep own-sleep; echo >begun; ./own-sleep 300";
    let script = format!(
        "'{worker}' --confined 60 '{}' -- sh -c '{inside}' & while [ ! -e begun ]; do sleep 0.05; done; kill -9 $$",
        work.display()
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(&work);
    assert_eq!(run(&mut shell, Duration::from_secs(30)).code, None);
    desk.expect_no_processes();
}
