//! Whatever ends a run, the worker goes on.

mod common;

use common::Build;
use std::time::{Duration, Instant};
use target::{Access, Crash, CrashKind, Outcome, Target};

const HOSTILE: &str = r#"
    #include <setjmp.h>
    #include <signal.h>
    #include <stdint.h>
    #include <string.h>
    #include <stdlib.h>
    #include "abi.h"
    static int faults(int what) {
        volatile int zero = 0;
        switch (what) {
        case 1: return *(volatile int *)(intptr_t)(zero + 16);
        case 2: return *(volatile int *)0x123456789000;
        case 3: return *(volatile int *)0xdead000000000000;
        case 4: return 5 / zero;
        case 5: __asm__ volatile("ud2"); return 0;
        case 6: __asm__ volatile("int3"); return 0;
        case 7: return (int)strlen((char *)(intptr_t)zero);
        case 8: ((void (*)(void))(intptr_t)zero)(); return 0;
        case 9: *(volatile int *)(void *)faults = 1; return 0;
        case 10: return *(volatile int *)(intptr_t)(zero - 8);
        case 11: return *(volatile int *)(intptr_t)(zero + 6000);
        }
        return 77;
    }
    static void again(void) { exit(42); }
    static void again_at_once(void) { _exit(43); }
    static int marks;
    static void mark(void) { marks++; if (marks != 2) *(volatile int *)0 = 1; }
    static void first_mark(void) { marks++; }
    static int ends(int how) {
        switch (how) {
        case 1: exit(3);
        case 2: exit(256 + 9);
        case 3: abort();
        case 4: SLOT(AssertFail, void (*)(const char *, const char *, unsigned, const char *))("x", "f.c", 4, "f");
        case 5: atexit(again); exit(1);
        case 6: atexit(again); return 6;
        case 7: atexit(mark); atexit(first_mark); exit(0);
        case 8: SLOT(Undefined, void (*)(unsigned))(2);
        case 9: atexit(again); at_quick_exit(again); _exit(9);
        case 10: atexit(again); quick_exit(10);
        case 11: at_quick_exit(again_at_once); quick_exit(1);
        case 12: at_quick_exit(again_at_once); exit(12);
        case 13: atexit(again_at_once); atexit(first_mark); exit(1);
        }
        return 0;
    }
    static int dives(int n) { volatile char frame[256]; frame[0] = n; return n == 0 ? 0 : frame[0] + dives(n - 1); }
    static int widens(int n) { volatile char frame[(unsigned)n]; frame[0] = 1; return frame[0]; }
    static int loops(int n) { volatile int i = n; while (i) TICK(); return 1; }
    static int hangs(int n) { volatile int i = n; while (i) ; return 1; }
    static jmp_buf escape;
    static int deep(int n) { if (n == 0) longjmp(escape, 5); return deep(n - 1) + 1; }
    static int jumps(int n) { int r = setjmp(escape); return r ? r * 10 : deep(n); }
    static int stale(int n) { static jmp_buf never; if (n) longjmp(never, 1); return 0; }
    static int smashes(int n) { volatile char local[16]; memset((char *)local, 0x41, n); return local[0]; }
    #undef abort
    static int library(int n) { if (n) abort(); return 0; }
    INT1(library) INT1(faults) INT1(ends) INT1(dives) INT1(widens) INT1(loops) INT1(hangs) INT1(jumps) INT1(stale) INT1(smashes)
"#;

const NAMES: [&str; 10] =
    ["library", "faults", "ends", "dives", "widens", "loops", "hangs", "jumps", "stale", "smashes"];

fn load() -> common::Loaded {
    Build::new().ints(&NAMES).load(HOSTILE)
}

fn crash(outcome: Outcome) -> Crash {
    match outcome {
        Outcome::Crashed(crash) => crash,
        other => panic!("no crash: {other}"),
    }
}

#[test]
fn faults_are_recovered_and_told_apart() {
    let mut target = load();
    let expected = [
        (1, CrashKind::Segmentation, Access::Null),
        (2, CrashKind::Segmentation, Access::Wild),
        (3, CrashKind::Segmentation, Access::Wild),
        (4, CrashKind::Arithmetic, Access::None),
        (5, CrashKind::Illegal, Access::None),
        (6, CrashKind::Illegal, Access::None),
        (7, CrashKind::Segmentation, Access::Null),
        (8, CrashKind::Segmentation, Access::Null),
        (9, CrashKind::Segmentation, Access::Wild),
        (10, CrashKind::Segmentation, Access::Wild),
        (11, CrashKind::Segmentation, Access::Null),
    ];
    let mut sites = Vec::new();
    for (what, kind, access) in expected {
        let found = crash(target.run_ints("faults", &[what]));
        assert_eq!((found.kind, found.access), (kind, access), "fault {what}");
        assert_eq!(crash(target.again(&[what])), found, "the same every time");
        sites.push(found.site);
        assert_eq!(target.value("faults", &[0]), 77);
    }
    assert!(sites.iter().all(|&site| site != 0), "{sites:x?}");
    sites.sort_unstable();
    sites.dedup();
    assert_eq!(sites.len(), expected.len(), "each at its own place, also behind library calls");
    assert!(!target.suspect());
}

#[test]
fn exits_and_aborts_are_outcomes() {
    let mut target = load();
    let expected = [
        (1, Outcome::Exited(3)),
        (2, Outcome::Exited(9)),
        (3, Outcome::Aborted),
        (4, Outcome::Aborted),
        (5, Outcome::Exited(42)),
        (6, Outcome::Returned),
        (7, Outcome::Exited(0)),
        (9, Outcome::Exited(9)),
        (10, Outcome::Exited(10)),
        (11, Outcome::Exited(43)),
        (12, Outcome::Exited(12)),
        (13, Outcome::Exited(43)),
        (0, Outcome::Returned),
        (1, Outcome::Exited(3)),
    ];
    for (how, outcome) in expected {
        assert_eq!(target.run_ints("ends", &[how]), outcome, "{how}");
        assert_eq!(target.observe().result.is_empty(), outcome != Outcome::Returned);
    }
    let undefined = crash(target.run_ints("ends", &[8]));
    assert_eq!((undefined.kind, undefined.access), (CrashKind::Undefined(2), Access::None));
    assert_ne!(undefined.site, 0);
}

#[test]
fn a_stack_that_runs_out_is_recognised() {
    let mut target = load();
    assert_eq!(target.value("dives", &[1000]), 1000i32.wrapping_sub(1000) + sum_of_chars(1000));
    for (name, n) in [("dives", 100_000), ("widens", 2 << 20), ("widens", -1)] {
        assert_eq!(crash(target.run_ints(name, &[n])).kind, CrashKind::StackOverflow, "{name}({n})");
    }
    assert_eq!(target.value("widens", &[500_000]), 1);
}

/// What `dives` adds up: its argument as a `char`, all the way down.
fn sum_of_chars(n: i32) -> i32 {
    (1..=n).map(|i| i32::from(i as i8)).sum()
}

#[test]
fn endless_loops_end() {
    let mut target = load();
    target.set_tick_limit(100_000);
    assert_eq!(target.run_ints("loops", &[1]), Outcome::OutOfTicks);
    assert_eq!(target.ticks(), 100_000);
    let start = Instant::now();
    assert_eq!(target.run_ints("hangs", &[1]), Outcome::TimedOut);
    let time = start.elapsed();
    assert!(time > Duration::from_millis(600) && time < Duration::from_secs(20), "{time:?}");
    assert!(!target.suspect(), "it hung in its own code");
    assert_eq!(target.value("hangs", &[0]), 1);
}

#[test]
fn jumps_inside_the_target_are_its_own_affair() {
    let mut target = load();
    for n in [0, 3, 50] {
        assert_eq!(target.value("jumps", &[n]), 50);
    }
    assert_eq!(target.value("stale", &[0]), 0);
    crash(target.run_ints("stale", &[1]));
    assert_eq!(target.value("jumps", &[1]), 50);
}

#[test]
fn a_library_that_gave_up_makes_the_process_suspect() {
    let mut target = load();
    assert_eq!(target.value("library", &[0]), 0);
    assert!(!target.suspect());
    assert_eq!(crash(target.again(&[1])).kind, CrashKind::Signal(libc::SIGABRT));
    assert!(target.suspect());
}

#[test]
fn a_smashed_stack_does_not_reach_the_worker() {
    let mut target = load();
    for n in [64, 200, 512, 4096, 100_000] {
        crash(target.run_ints("smashes", &[n]));
        assert_eq!(target.value("smashes", &[8]), 0x41);
    }
}

#[test]
fn many_recovered_faults_leak_nothing() {
    let mut target = load();
    for warm_up in [1, 4, 5] {
        crash(target.run_ints("faults", &[warm_up]));
    }
    let (memory, files) = (resident(), descriptors());
    for i in 0..200_000 {
        crash(target.again(&[[1, 4, 5, 2][i % 4]]));
    }
    let grown = resident().saturating_sub(memory);
    assert!(grown < 256, "{grown} pages more");
    assert_eq!(descriptors(), files);
    assert!(!target.suspect());
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse().unwrap()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}
