//! A target inside the sandbox: everything the worker itself needs is still allowed.
//!
//! One test only: it enters the sandbox in a child, and a forked child of a busy process is fragile.

mod common;

use c_worker::sandbox::{self, Enforced, SandboxPolicy};
use c_worker::{CTarget, Image, Isolation, Limits};
use common::{Build, compile, set_ints};
use input::{Input, Space, SpaceLimits};
use model::{FunctionId, Program};
use std::path::Path;
use std::sync::Arc;
use target::{Outcome, Seen, Target};

const CONFINED: &str = r#"
    #include <fcntl.h>
    #include <signal.h>
    #include <sys/socket.h>
    #include <unistd.h>
    #include "abi.h"
    static int big[50000];
    static int plain(int n) { char *p = malloc(1 << 20); p[n] = 1; big[n * 100]++; return n + big[n * 100]; }
    static int spins(int n) { volatile int i = n; while (i) ; return 0; }
    static int waits(int n) { if (fork() == 0) for (;;) pause(); if (n) for (;;) pause(); return 5; }
    static int escapes(int n) {
        int seen = 0;
        if (open("/branchwise_escaped", O_CREAT | O_WRONLY, 0600) < 0) seen |= 1;
        if (socket(AF_INET, SOCK_STREAM, 0) < 0) seen |= 2;
        if (kill(getppid(), 0) < 0) seen |= 4;
        if (open("inside", O_CREAT | O_WRONLY, 0600) >= 0) seen |= 8;
        return seen;
    }
    INT1(plain) INT1(spins) INT1(waits) INT1(escapes)
"#;

/// Selects a function and runs it once.
fn run(target: &mut CTarget, program: &Program, function: u32, argument: i32) -> (Outcome, Vec<Seen>) {
    let id = FunctionId(function);
    let space = Space::new(program, program.function(id), SpaceLimits::default(), &[]).unwrap();
    target.select(id, &space);
    let mut input = Input::zero(&space);
    set_ints(&mut input, &[argument]);
    (target.run(&input), target.observe().result)
}

/// The number of the first check that fails.
fn check_inside(library: &Path, scratch: &Path, program: &Arc<Program>) -> i32 {
    std::env::set_current_dir(scratch).unwrap();
    let report = sandbox::enter(&SandboxPolicy::new(scratch));
    let image = Image::load(library, program.clone()).unwrap();
    let limits = Limits { run_millis: 300, ..Limits::default() };
    let mut target = CTarget::new(image, Isolation::InProcess, limits).unwrap();
    let returned = |value: u128| (Outcome::Returned, vec![Seen::Bits(value)]);
    let checks = [
        report.system_calls == Enforced::Fully && report.files != Enforced::No,
        run(&mut target, program, 0, 7) == returned(8),
        run(&mut target, program, 0, 7) == returned(8),
        run(&mut target, program, 1, 1).0 == Outcome::TimedOut,
        run(&mut target, program, 2, 0) == returned(5),
        run(&mut target, program, 2, 1).0 == Outcome::TimedOut,
        run(&mut target, program, 3, 0) == returned(15),
        !target.suspect(),
    ];
    checks.iter().position(|&ok| !ok).map_or(0, |i| i as i32 + 1)
}

#[test]
fn a_confined_worker_works() {
    let dir = tempfile::tempdir().unwrap();
    let library = compile(dir.path(), CONFINED);
    let build = Build::new()
        .ints(&["plain", "spins", "waits", "escapes"])
        .calls("waits", &["fork", "pause"])
        .calls("escapes", &["kill", "open", "socket"]);
    let program = Arc::new(build.program);
    // SAFETY: the child leaves by `_exit`; this process has no other test running.
    let status = unsafe {
        let child = libc::fork();
        if child == 0 {
            let checked = std::panic::catch_unwind(|| check_inside(&library, dir.path(), &program));
            libc::_exit(checked.unwrap_or(99));
        }
        let mut status = 0;
        libc::waitpid(child, &mut status, 0);
        status
    };
    assert!(libc::WIFEXITED(status), "{status:x}");
    assert_eq!(libc::WEXITSTATUS(status), 0, "first failing check");
}
