//! Nothing of a run is left for the next.

mod common;

use common::Build;
use target::{CrashKind, HeapError, Outcome};

const STATICS: &str = r#"
    #include <errno.h>
    #include <fenv.h>
    #include <stdlib.h>
    #include "abi.h"
    static int count = 7;
    static int *volatile where = &count;
    static __thread int own = 3;
    SPACE
    static int statics(int n) { count += n; own += n; where = 0; return count * 100 + own; }
    static int far(int i) { int before = big[i]; big[i] = i + 1; big[i / 2] += 1; return before; }
    static int everywhere(int n) { int s = 0; for (int i = 0; i < n; i += 512) s += big[i]++; return s; }
    static int blocks(int n) {
        char *p = malloc(n), *q = malloc(n);
        int dirty = p[0] | q[n - 1];
        p[0] = q[n - 1] = 1;
        char *r = calloc(1, 3000);
        return dirty + ((long)p & 0xffffff) / 16 * 2 + r[17];
    }
    static int errors(int n) { int before = errno; errno = n; return before; }
    static int rounding(int n) {
        volatile double one = 1, three = 3; volatile long double x = 1;
        int seen = fegetround() | fetestexcept(FE_ALL_EXCEPT);
        volatile double third = one / three;
        fesetround(n);
        unsigned short control = 0x027f;
        __asm__ volatile("fldcw %0\n fld1\n fld1\n fld1" : : "m"(control));
        (void)third;
        return seen;
    }
    static int x87(int n) {
        volatile long double x = 1; long double sum = 0;
        for (int i = 0; i < 8; i++) sum += x / 8;
        unsigned short control, status;
        __asm__("fnstcw %0\n fnstsw %1" : "=m"(control), "=m"(status));
        if (n) { __asm__ volatile("fld1\n fld1\n fld1"); *(volatile int *)0 = 1; }
        return control * (sum == 1);
    }
    static int dice(int n) { int x = 0; for (int i = 0; i < n; i++) x = rand(); return x & 0xffff; }
    INT1(statics) INT1(far) INT1(everywhere) INT1(blocks) INT1(errors) INT1(rounding) INT1(x87) INT1(dice)
"#;

const NAMES: [&str; 8] = ["statics", "far", "everywhere", "blocks", "errors", "rounding", "x87", "dice"];

fn load(space: &str) -> common::Loaded {
    Build::new().ints(&NAMES).calls("dice", &["rand"]).load(&STATICS.replace("SPACE", space))
}

const SMALL: &str = "static int big[64];";
/// Initialised and zero parts, over 64 KiB each.
const LARGE: &str = "static int big[100000]; int data[50000] = { 5 };";

#[test]
fn variables_are_as_after_loading() {
    for space in [SMALL, LARGE] {
        let mut target = load(space);
        for n in [5, 9, -20, 5] {
            assert_eq!(target.value("statics", &[n]), (7 + n) * 100 + 3 + n, "{space}");
            assert_eq!(target.value("far", &[63]), 0, "{space}");
            target.again(&[63]);
            assert_eq!(target.result(), 0, "{space}");
        }
    }
}

#[test]
fn large_variables_stay_clean_while_pages_heat_up_and_cool_down() {
    let mut target = load(LARGE);
    assert_eq!(target.value("everywhere", &[100_000]), 0);
    for i in 0..10_000 {
        target.again(&[if i % 1000 == 0 { 100_000 } else { 3000 }]);
        assert_eq!(target.result(), 0, "run {i}");
    }
    target.choose("far");
    for i in (0..100_000).step_by(777) {
        target.again(&[i]);
        assert_eq!(target.result(), 0);
    }
}

#[test]
fn the_kernel_can_write_into_large_variables() {
    let source = r#"
        #include <unistd.h>
        #include <sys/utsname.h>
        #include "abi.h"
        int big[100000];
        struct utsname name __attribute__((aligned(4096)));
        static int ask(int n) { int before = name.sysname[0]; return uname(&name) * 1000 + before; }
        INT1(ask)
    "#;
    let mut target = Build::new().ints(&["ask"]).calls("ask", &["uname"]).load(source);
    assert_eq!(target.value("ask", &[0]), 0);
    target.again(&[0]);
    assert_eq!(target.result(), 0);
}

#[test]
fn the_heap_is_new_and_at_the_same_place() {
    let mut target = load(SMALL);
    let first = target.value("blocks", &[100]);
    for n in [100, 5000, 300_000, 2_000_000, 100] {
        target.again(&[n]);
        assert_eq!(target.result(), first, "{n}: same address, zero inside");
    }
}

#[test]
fn errno_rounding_and_registers_start_afresh() {
    let mut target = load(SMALL);
    for (name, argument) in [("errors", 5), ("rounding", 0x400), ("rounding", 0xc00)] {
        assert_eq!(target.value(name, &[argument]), 0);
        target.again(&[argument]);
        assert_eq!(target.result(), 0, "{name}");
    }
    for _ in 0..3 {
        assert_eq!(target.value("x87", &[0]), 0x37f);
        assert!(
            matches!(target.run_ints("x87", &[1]), Outcome::Crashed(c) if c.kind == CrashKind::Segmentation)
        );
    }
    assert_eq!(1.0f64 / 3.0 + 2.0f64 / 3.0, 1.0, "the worker itself rounds as always");
}

#[test]
fn random_numbers_repeat() {
    let mut target = load(SMALL);
    let first = target.value("dice", &[3]);
    target.again(&[20]);
    assert_ne!(target.result(), first);
    target.again(&[3]);
    assert_eq!(target.result(), first);
}

const HEAP: &str = r#"
    #include <errno.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <string.h>
    #include "abi.h"
    static int refuses(int megabytes) {
        char *p = malloc((size_t)megabytes << 20);
        if (!p) return errno == ENOMEM ? -1 : -2;
        p[((size_t)megabytes << 20) - 1] = 1;
        return 1;
    }
    static int overflows(int n) { return calloc(SIZE_MAX / 2, n) == NULL && errno == ENOMEM; }
    static int grows(int n) {
        char *p = NULL;
        for (int i = 1; i <= n; i++) { p = realloc(p, i); if (!p) return -1; p[i - 1] = (char)i; }
        for (int i = 1; i <= n; i++) if (p[i - 1] != (char)i) return i;
        return 0;
    }
    static int recycles(int n) {
        for (int i = 0; i < n; i++) { char *p = malloc(1000 + i % 9); if (!p) return -1; p[5] = 1; free(p); }
        char *q = calloc(1, 1000);
        return q[5];
    }
    static int aligned(int a) { char *p = aligned_alloc(a, 100); return p == NULL ? -1 : (int)((uintptr_t)p % a); }
    static int twice(int n) { char *p = malloc(8), *q = p; free(p); if (n) free(q); return 0; }
    static int foreign(int n) {
        char *line = NULL; size_t size = 0;
        FILE *f = fmemopen("hello\n", 6, "r");
        long got = getline(&line, &size, f);
        fclose(f);
        line = realloc(line, 1000);
        int last = line[4];
        free(line);
        char *copy = strdup("copied");
        return got * 1000 + last + (strcmp(copy, "copied") != 0);
    }
    static int static_block(int n) { static int block[4]; free(block); return 0; }
    INT1(refuses) INT1(overflows) INT1(grows) INT1(recycles) INT1(aligned) INT1(twice) INT1(foreign) INT1(static_block)
"#;

#[test]
fn allocation_behaves_like_the_library_with_less_memory() {
    let names = ["refuses", "overflows", "grows", "recycles", "aligned", "twice", "foreign", "static_block"];
    let mut target = Build::new().ints(&names).load(HEAP);
    assert_eq!(target.value("refuses", &[2]), 1);
    for megabytes in [9, 100_000] {
        let outcome = target.run_ints("refuses", &[megabytes]);
        assert_eq!(outcome, Outcome::Unsteady, "the limit is 8 MiB, here");
    }
    assert_eq!(target.value("overflows", &[3]), 1);
    assert_eq!(target.value("grows", &[3000]), 0);
    assert_eq!(target.value("recycles", &[100_000]), 0, "freed memory is used again, calloc clears it");
    for align in [1, 8, 64, 4096] {
        assert_eq!(target.value("aligned", &[align]), 0);
    }
    assert_eq!(target.value("aligned", &[24]), -1);
    assert_eq!(target.value("foreign", &[0]), 6000 + i32::from(b'o'));
    assert_eq!(target.value("twice", &[0]), 0);
    for (name, argument, error) in
        [("twice", 1, HeapError::DoubleFree), ("static_block", 0, HeapError::BadFree)]
    {
        let Outcome::Crashed(crash) = target.run_ints(name, &[argument]) else { panic!("{name} must stop") };
        assert_eq!(crash.kind, CrashKind::Heap(error), "{name}");
    }
    assert!(!target.suspect());
}
