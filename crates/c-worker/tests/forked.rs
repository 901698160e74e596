//! Runs in children tell the same story, and survive what no process survives.

mod common;

use c_worker::Isolation;
use common::{Build, limits, story, var};
use input::Rng;
use target::{Access, CrashKind, Outcome, Target};

const MIXED: &str = r#"
    #include "abi.h"
    int total = 4;
    int *last;
    static int mixed(int *p, int n, int mode) {
        volatile int zero = 0;
        TICK();
        if (LT(0, n, 0)) exit(n & 7);
        if (EQ(1, mode, 3)) abort();
        for (int i = 0; LT(2, i, n); i++) { TICK(); total += p[i]; p[i] = total; last = p + i; }
        if (EQ(3, total, 100)) return 10 / zero;
        int *q = malloc(16); *q = total;
        return *q;
    }
    TRAMPOLINE(mixed) { RETURN(int) = mixed(ARG(int *, 0), ARG(int, 8), ARG(int, 16)); }
"#;

fn mixed() -> Build {
    let mut build = Build::new();
    let int = build.int;
    let pointer = build.pointer(int);
    let (total, last) = (build.global("total", int), build.global("last", pointer));
    let function = build.function("mixed", &[pointer, int, int], int);
    function.reads = vec![total];
    function.writes = vec![total, last];
    build
}

#[test]
fn both_isolations_tell_the_same_story() {
    let stories = [Isolation::InProcess, Isolation::Fork].map(|isolation| {
        let mut target = mixed().load_with(MIXED, isolation, limits());
        target.set_tick_limit(5);
        target.choose("mixed");
        let mut rng = Rng::with_seed(5);
        let mut told = Vec::new();
        for _ in 0..300 {
            let mut input = input::Input::zero(target.space());
            if rng.bool() {
                input.point_to_new(target.space(), var(0, 0), rng.u32(1..5));
                input.objects[5..].iter_mut().for_each(|o| o.cells.fill_with(|| u128::from(rng.u32(0..60))));
            }
            input.objects[1].cells[0] = u128::from(rng.i32(-1..7) as u32);
            input.objects[2].cells[0] = u128::from(rng.u32(0..5));
            input.objects[3].cells[0] = u128::from(rng.u32(96..101));
            told.push(story(&mut target, &input));
        }
        told
    });
    let [here, forked] = stories;
    for (a, b) in here.iter().zip(&forked) {
        assert_eq!(a, b);
    }
    let kinds = |pick: fn(&Outcome) -> bool| here.iter().filter(|(outcome, ..)| pick(outcome)).count();
    assert!(kinds(|o| *o == Outcome::Returned) > 20);
    assert!(kinds(|o| *o == Outcome::Aborted) > 5);
    assert!(kinds(|o| *o == Outcome::Exited(7)) > 5);
    assert!(kinds(|o| *o == Outcome::OutOfTicks) > 0);
    assert!(kinds(|o| matches!(o, Outcome::Crashed(c) if c.kind == CrashKind::Arithmetic)) > 0);
    assert!(kinds(|o| matches!(o, Outcome::Crashed(c) if matches!(c.access, Access::Beyond { .. }))) > 0);
}

const DEADLY: &str = r#"
    #include <err.h>
    #include <signal.h>
    #include <stdlib.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #include "abi.h"
    static int deadly(int what) {
        switch (what) {
        case 1: for (int fd = 0; fd < 1024; fd++) close(fd); return 11;
        case 2: raise(SIGKILL); return 0;
        case 3: raise(SIGTERM); return 0;
        case 4: raise(SIGSTOP); return 0;
        case 5: sleep(1000); return 0;
        case 6: syscall(SYS_exit_group, 5); return 0;
        case 7: { int s = 0; pid_t p = fork(); if (p == 0) syscall(SYS_exit_group, 7); waitpid(p, &s, 0); return WEXITSTATUS(s); }
        case 8: if (fork() == 0) for (;;) pause(); return 8;
        case 9: for (int n = 1; n < 32; n++) signal(n, SIG_IGN); for (;;) pause();
        case 10: signal(SIGSEGV, SIG_DFL); *(volatile int *)0 = 1;
        case 11: return kill(getppid(), SIGKILL) == -1 ? 11 : 0;
        }
        return 1;
    }
    INT1(deadly)
"#;

#[test]
fn what_no_process_survives() {
    let mut target = Build::new()
        .ints(&["deadly"])
        .calls("deadly", &["close", "fork", "kill", "raise", "signal", "sleep", "syscall"])
        .load(DEADLY);
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    assert_eq!(target.value("deadly", &[0]), 1);
    assert!(target.is_forking(), "chosen by itself");
    let killed = |signal| CrashKind::Signal(signal);
    assert_eq!(target.value("deadly", &[1]), 11);
    for (what, kind) in
        [(2, killed(libc::SIGKILL)), (3, killed(libc::SIGTERM)), (10, CrashKind::Segmentation)]
    {
        assert!(matches!(target.again(&[what]), Outcome::Crashed(c) if c.kind == kind), "{what}");
    }
    for what in [4, 5, 9] {
        assert_eq!(target.again(&[what]), Outcome::TimedOut, "{what}");
    }
    assert_eq!(target.again(&[6]), Outcome::Exited(5));
    assert_eq!(target.value("deadly", &[7]), 7);
    assert_eq!(target.value("deadly", &[8]), 8);
    assert_eq!(target.value("deadly", &[11]), 11, "a child signals nobody else");
    assert_eq!(std::fs::read_dir("/proc/self/fd").unwrap().count(), files);
    assert!(!target.suspect());
}

const SPLITS: &str = r#"
    #include <sys/wait.h>
    #include <unistd.h>
    #include "abi.h"
    int counter;
    static int splits(int n) {
        for (int i = 0; i < n; i++) {
            pid_t child = fork();
            if (child == 0) { TICK(); counter = EQ(60 + i, i, n); return 77; }
            waitpid(child, NULL, 0);
        }
        for (int i = 0; i < 60; i++) { TICK(); counter += LT(i, i, 5); }
        return counter;
    }
    INT1(splits)
"#;

#[test]
fn processes_that_a_run_starts_do_not_tell_its_story() {
    let mut build = Build::new().ints(&["splits"]).calls("splits", &["fork"]);
    let int = build.int;
    build.global("counter", int);
    build.program.functions[0].writes = vec![model::GlobalId(0)];
    let mut target = build.load(SPLITS);
    let input = target.choose("splits");
    let alone = story(&mut target, &input);
    assert_eq!((alone.0, alone.1.len(), alone.2), (Outcome::Returned, 60, 60));
    assert_eq!(common::bits(&alone.3.result), [5]);
    for n in 1..4 {
        let mut input = input.clone();
        common::set_ints(&mut input, &[n]);
        let mut split = story(&mut target, &input);
        split.3.objects[0] = alone.3.objects[0].clone();
        assert_eq!(split, alone, "{n} forks");
    }
}
