//! From a fault up to the function under test, whatever state the stack is in.

mod common;

use addr2line::Loader;
use c_worker::Isolation;
use common::{Build, Loaded, limits};
use std::path::PathBuf;
use target::{CrashKind, Outcome, Target};

const CALLERS: &str = r#"
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #include "abi.h"
    #define FUNCTION __attribute__((noinline)) static
    volatile int zero, sink;

    FUNCTION int h(int how) {
        switch (how) {
        case 1: return 5 / zero;
        case 2: return *(volatile int *)(intptr_t)zero;
        case 3: return (int)strlen((char *)(intptr_t)zero) + zero;
        case 4: ((void (*)(void))(intptr_t)zero)(); return zero;
        case 5: free(&sink); return zero;
        case 6: SLOT(Undefined, void (*)(unsigned))(2); return zero;
        case 7: for (;;) TICK();
        case 8: for (;;) zero = 0;
        }
        return 77;
    }
    FUNCTION int g(int how) { return h(how) + zero; }
    FUNCTION int f(int how) { return g(how) + zero; }

    FUNCTION int compare(const void *a, const void *b) { return h(*(const int *)a) + zero; }
    FUNCTION int sorts(int how) {
        int items[3] = { how, how, how };
        qsort(items, 3, sizeof *items, compare);
        return items[0];
    }

    FUNCTION int pong(int n);
    FUNCTION int ping(int n) { return pong(n + 1) + zero; }
    FUNCTION int pong(int n) { return ping(n + 1) + zero; }
    FUNCTION int dives(int bytes) {
        volatile char *room = __builtin_alloca(bytes);
        room[0] = 1;
        return ping(0) + room[0];
    }

    /* Faults with a frame pointer of its own choice. */
    FUNCTION int derails(int how) {
        static uintptr_t loop[2];
        uintptr_t here = (uintptr_t)__builtin_frame_address(0);
        uintptr_t wild[] = { 0, 0x4141414141414141, here + 3, here - 4096, here + (1 << 30), ~(uintptr_t)7,
                             (uintptr_t)loop, (uintptr_t)&here, (uintptr_t)derails };
        loop[0] = (uintptr_t)loop;
        here = (uintptr_t)&here; /* leads to itself */
        __asm__ volatile("movq %0, %%rbp\n\tmovq %%rbp, 0" : : "r"(wild[how]) : "memory");
        return 1;
    }
    INT1(f) INT1(sorts) INT1(dives) INT1(derails)
"#;

const NAMES: [&str; 4] = ["f", "sorts", "dives", "derails"];

fn load(isolation: Isolation) -> Loaded {
    let mut target = Build::new().ints(&NAMES).load_with(CALLERS, isolation, limits());
    target.set_tick_limit(100_000);
    target.trace_calls(true);
    target
}

/// The names of the functions in a part of the last run's stack.
fn names(library: PathBuf, sites: &[u64]) -> Vec<String> {
    let loader = Loader::new(library).expect("debug information");
    let name = |&site: &u64| {
        let frame = loader.find_frames(site).expect("frames").next().expect("a frame").expect("one");
        frame.function.expect("a function").raw_name().expect("a name").into_owned()
    };
    sites.iter().map(name).collect()
}

fn stack(target: &Loaded) -> Vec<String> {
    let calls = target.calls();
    assert_eq!((calls.left_out, calls.outer.len()), (0, 0));
    names(target.library(), &calls.inner)
}

#[test]
fn every_way_to_stop_shows_all_callers() {
    for isolation in [Isolation::InProcess, Isolation::Fork] {
        let mut target = load(isolation);
        for how in 1..=7 {
            let outcome = target.run_ints("f", &[how]);
            assert!(!outcome.is_testable(), "{how}: {outcome}");
            assert_eq!(stack(&target), ["h", "g", "f", "bw_call.f"], "{how}: {outcome}");
            if let Outcome::Crashed(crash) = outcome {
                assert_eq!(target.calls().inner[0], crash.site, "{how}");
            }
        }
    }
}

#[test]
fn a_run_that_the_clock_stops_shows_where_it_was() {
    let mut target = load(Isolation::InProcess);
    assert_eq!(target.run_ints("f", &[8]), Outcome::TimedOut);
    assert_eq!(stack(&target), ["h", "g", "f", "bw_call.f"]);
}

#[test]
fn the_library_in_between_is_passed() {
    let mut target = load(Isolation::InProcess);
    for how in 1..=6 {
        target.run_ints("sorts", &[how]);
        assert_eq!(stack(&target), ["h", "compare", "sorts", "bw_call.sorts"], "{how}");
    }
}

#[test]
fn runs_that_end_well_or_are_not_traced_have_no_stack() {
    let mut target = load(Isolation::InProcess);
    target.run_ints("f", &[1]);
    assert_eq!(target.value("f", &[0]), 77);
    assert!(target.calls().inner.is_empty());
    target.trace_calls(false);
    target.run_ints("f", &[1]);
    assert!(target.calls().inner.is_empty());
}

/// Frames of every size, so that the stack ends at every instruction of a call.
#[test]
fn an_overflow_keeps_both_ends_and_misses_no_call() {
    let mut target = load(Isolation::InProcess);
    for bytes in (16..=512).step_by(16) {
        let outcome = target.run_ints("dives", &[bytes]);
        assert!(matches!(outcome, Outcome::Crashed(c) if c.kind == CrashKind::StackOverflow), "{outcome}");
        let calls = target.calls();
        let inner = names(target.library(), &calls.inner);
        assert!(inner.windows(2).all(|pair| pair[0] != pair[1]), "{inner:?}");
        assert!(inner.iter().all(|name| name == "ping" || name == "pong"), "{inner:?}");
        let outer = names(target.library(), &calls.outer);
        assert_eq!(outer[outer.len() - 4..], ["pong", "ping", "dives", "bw_call.dives"]);
        // A mebibyte of frames of at most 64 bytes.
        assert!(calls.left_out > (1 << 20) / 64 - 100, "{}", calls.left_out);
    }
}

#[test]
fn a_wild_frame_pointer_leads_nowhere() {
    for isolation in [Isolation::InProcess, Isolation::Fork] {
        let mut target = load(isolation);
        for how in 0..9 {
            let outcome = target.run_ints("derails", &[how]);
            assert!(matches!(outcome, Outcome::Crashed(c) if c.kind == CrashKind::Segmentation), "{outcome}");
            let stack = stack(&target);
            assert_eq!(stack[0], "derails", "{how}: {stack:?}");
            assert!(stack.iter().all(|name| name == "derails" || name == "bw_call.derails"), "{stack:?}");
            assert!(stack.len() <= 2, "{how}: {stack:?}");
            assert_eq!(target.value("f", &[0]), 77);
        }
    }
}
