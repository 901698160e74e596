//! Inputs arrive as the model says, results and distances come back.

mod common;

use common::{Build, bits, element, set_ints, var};
use input::{Input, Pointer};
use model::{Field, FloatKind, TypeKind};
use target::{Access, CrashKind, HeapError, NOT_EVALUATED, Outcome, Seen, Target};

#[test]
fn arguments_and_results_of_every_width() {
    let mut build = Build::new();
    let kinds = [(8, 1), (16, 2), (64, 8), (128, 16)];
    let ints = kinds
        .map(|(width, size)| build.ty(TypeKind::Int { bits: width, signed: true, character: false }, size));
    let float = build.ty(TypeKind::Float(FloatKind::F32), 4);
    let double = build.ty(TypeKind::Float(FloatKind::F64), 8);
    let long_double = build.ty(TypeKind::Float(FloatKind::F80), 16);
    for (name, ty) in
        ["c", "s", "l", "w", "f", "d", "x"].iter().zip(ints.into_iter().chain([float, double, long_double]))
    {
        build.function(name, &[ty], ty);
    }
    let mut target = build.load(
        r#"
        #include "abi.h"
        #define SAME(name, type, change) TRAMPOLINE(name) { type v = ARG(type, 0); RETURN(type) = change; }
        SAME(c, signed char, v - 1) SAME(s, short, v - 1) SAME(l, long, v - 1) SAME(w, __int128, v - 1)
        SAME(f, float, v / 2) SAME(d, double, v / 2) SAME(x, long double, v / 2)
        "#,
    );
    let mut check = |name: &str, given: u128, expected: u128| {
        let mut input = target.choose(name);
        input.objects[0].cells[0] = given;
        assert_eq!(target.run(&input), Outcome::Returned);
        assert_eq!(target.observe().result, [Seen::Bits(expected)], "{name}");
        assert_eq!(target.observe().objects, [[Seen::Bits(given)]], "{name}");
    };
    check("c", 0x80, 0x7f);
    check("s", 0, 0xffff);
    check("l", 1 << 63, (1 << 63) - 1);
    check("w", 0, u128::MAX);
    check("f", u128::from(3f32.to_bits()), u128::from(1.5f32.to_bits()));
    check("d", u128::from((-5e-324f64).to_bits()), u128::from((-0.0f64).to_bits()));
    check("x", 0x4000_8000_0000_0000_0000, 0x3fff_8000_0000_0000_0000);
}

#[test]
fn bit_fields_unions_and_structs_by_value() {
    let mut build = Build::new();
    let int = build.int;
    let long = build.ty(TypeKind::Int { bits: 64, signed: true, character: false }, 8);
    let field =
        |name: &str, ty, bit_offset, bit_size| Field { name: Some(name.into()), ty, bit_offset, bit_size };
    let either = build
        .ty(TypeKind::Union { fields: Some(vec![field("i", int, 0, None), field("l", long, 0, None)]) }, 8);
    let record = build.ty(
        TypeKind::Struct {
            fields: Some(vec![
                field("a", int, 0, Some(3)),
                field("b", int, 3, Some(13)),
                field("c", int, 16, Some(1)),
                field("u", either, 64, None),
            ]),
        },
        16,
    );
    build.function("twist", &[record], record);
    let mut target = build.load(
        r#"
        #include "abi.h"
        struct r { int a : 3; int b : 13; int c : 1; union { int i; long l; } u; };
        static struct r twist(struct r v) { v.b = v.b + v.a; v.u.l += 1; v.c = ~v.c; return v; }
        TRAMPOLINE(twist) { RETURN(struct r) = twist(ARG(struct r, 0)); }
        "#,
    );
    let mut input = target.choose("twist");
    // Leaves: a, b, c, selector, i, l.
    input.objects[0].cells = vec![0b111, 5, 0, 1, 99, 1 << 40];
    assert_eq!(target.run(&input), Outcome::Returned);
    let seen = target.observe();
    assert_eq!(
        bits(&seen.result[..5]),
        [0b111, 4, 1, 0, 1],
        "b is 5 + -1; the first union member is its low half"
    );
    assert_eq!(seen.result[5], Seen::Unstable);
    assert_eq!(bits(&seen.objects[0][..4]), [0b111, 5, 0, 1]);
    assert_eq!(seen.objects[0][4..], [Seen::Unstable, Seen::Bits(1 << 40)]);
    // With the other member selected, the cell of `l` must not be written over it.
    input.objects[0].cells[3] = 0;
    assert_eq!(target.run(&input), Outcome::Returned);
    assert_eq!(target.observe().result[4], Seen::Bits(100));
}

const LIST: &str = r#"
    #include "abi.h"
    int table[4] = { 1, 2, 3, 4 };
    int *cursor;
    static int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { TICK(); s += p[i]; p[i] = i; } cursor = p + n; return s; }
    TRAMPOLINE(sum) { RETURN(int) = sum(ARG(int *, 0), ARG(int, 8)); }
    TRAMPOLINE(middle) { int *p = ARG(int *, 0); RETURN(int *) = p ? p + 1 : &table[2]; }
    TRAMPOLINE(release) { int *p = ARG(int *, 0); p = realloc(p, 64); int v = p[1]; free(p); RETURN(int) = v; }
    TRAMPOLINE(before) { int *p = ARG(int *, 0); int v = p[-1] | p[-2]; p[-1] = p[0] = 9; RETURN(int) = v; }
    TRAMPOLINE(release_inside) { free(ARG(int *, 0) + 1); RETURN(int) = 0; }
"#;

fn list() -> common::Loaded {
    let mut build = Build::new();
    let int = build.int;
    let pointer = build.pointer(int);
    let four = build.array(int, 4);
    let (table, cursor) = (build.global("table", four), build.global("cursor", pointer));
    build.function("sum", &[pointer, int], int).writes = vec![cursor];
    let middle = build.function("middle", &[pointer], pointer);
    middle.reads = vec![table];
    build.function("release", &[pointer], int);
    build.function("release_inside", &[pointer], int);
    build.function("before", &[pointer], int);
    build.load(LIST)
}

#[test]
fn pointers_lead_to_objects_and_are_recognised() {
    let mut target = list();
    let mut input = target.choose("sum");
    assert!(input.point_to_new(target.space(), var(0, 0), 3));
    input.objects[3].cells = vec![10, 20, 30];
    input.objects[1].cells[0] = 3;
    assert_eq!(target.run(&input), Outcome::Returned);
    assert_eq!((target.result(), target.ticks()), (60, 3));
    let seen = target.observe().objects;
    assert_eq!(seen[0], [Seen::Element { object: 3, element: 0 }]);
    assert_eq!(bits(&seen[3]), [0, 1, 2]);
    assert_eq!(seen[2], [Seen::Element { object: 3, element: 3 }], "one past the end");

    let mut input = target.choose("middle");
    input.objects[1].cells = vec![5, 6, 7, 8];
    target.run(&input);
    let seen = target.observe();
    assert_eq!(seen.result, [Seen::Elsewhere], "inside a global, but at no element of it");
    assert_eq!(bits(&seen.objects[1]), [5, 6, 7, 8]);
    input.objects[0].cells[0] = element(1, 0);
    target.run(&input);
    assert_eq!(target.observe().objects[0], [Seen::Element { object: 1, element: 0 }]);
}

#[test]
fn reading_past_an_object_is_a_fault_at_once() {
    let mut target = list();
    for (len, size) in [(1, 4), (3, 12), (1024, 4096)] {
        let mut input = target.choose("sum");
        let mut larger = target.space().clone();
        larger.limits.elements = 2048;
        assert!(input.point_to_new(&larger, var(0, 0), len));
        input.objects[1].cells[0] = u128::from(len) + 1;
        let outcome = target.run(&input);
        let Outcome::Crashed(crash) = outcome else { panic!("{len}: {outcome}") };
        assert_eq!(crash.kind, CrashKind::Segmentation);
        assert_eq!(crash.access, Access::Beyond { object: 3, offset: size });
        assert_ne!(crash.site, 0);
    }
}

#[test]
fn slots_are_zero_around_their_object() {
    let mut target = list();
    target.choose("before");
    for len in [8, 1, 2, 256, 1, 3] {
        let mut input = Input::zero(target.space());
        assert!(input.point_to_new(target.space(), var(0, 0), len));
        input.objects[1].cells.fill(0x7777);
        assert_eq!(target.run(&input), Outcome::Returned);
        assert_eq!(target.result(), 0, "{len}");
    }
}

#[test]
fn objects_of_any_size_end_at_a_guard() {
    let mut build = Build::new();
    let int = build.int;
    for (i, len) in [3, 1000, 5000, 300_000].into_iter().enumerate() {
        let array = build.array(int, len);
        let pointer = build.pointer(array);
        build.function(&format!("touch{i}"), &[pointer, pointer, int], int);
    }
    let mut target = build.load(
        r#"
        #include "abi.h"
        #define TOUCH(name) TRAMPOLINE(name) { ARG(char *, 8)[1] = 1; RETURN(int) = ARG(char *, 0)[ARG(int, 16)]; }
        TOUCH(touch0) TOUCH(touch1) TOUCH(touch2) TOUCH(touch3)
        "#,
    );
    for (i, len) in [3u128, 1000, 5000, 300_000].into_iter().enumerate() {
        let mut input = target.choose(&format!("touch{i}"));
        for pointer in 0..2 {
            assert!(input.point_to_new(target.space(), var(pointer, 0), 7));
        }
        let size = 4 * 7 * len;
        input.objects[2].cells[0] = size - 1;
        assert_eq!(target.run(&input), Outcome::Returned, "{len}");
        input.objects[2].cells[0] = size;
        let Outcome::Crashed(crash) = target.run(&input) else { panic!("{len}: must fault") };
        assert_eq!(crash.access, Access::Beyond { object: 3, offset: size as u64 });
    }
}

#[test]
fn a_function_may_free_what_it_was_given() {
    let mut target = list();
    let mut input = target.choose("release");
    assert!(input.point_to_new(target.space(), var(0, 0), 2));
    input.objects[1].cells = vec![3, 4];
    assert_eq!(target.run(&input), Outcome::Returned);
    assert_eq!(target.result(), 4);
    let mut input = target.choose("release_inside");
    input.point_to_new(target.space(), var(0, 0), 2);
    let Outcome::Crashed(crash) = target.run(&input) else { panic!("not the start of a block") };
    assert_eq!(crash.kind, CrashKind::Heap(HeapError::BadFree));
}

#[test]
fn damaged_inputs_are_no_reason_to_panic() {
    let mut target = list();
    let zero = target.choose("sum");
    for change in 0..4 {
        let mut input = zero.clone();
        match change {
            0 => input.objects.truncate(1),
            1 => input.objects[0].cells.clear(),
            2 => input.objects[0].cells[0] = Pointer::Element { object: 900, element: 7 }.encode(),
            _ => input.objects[0].table = input::TableId(999),
        }
        assert_eq!(target.run(&input), Outcome::Returned, "no iteration, no access");
        target.observe();
    }
    assert_eq!(target.run(&Input { objects: Vec::new() }), Outcome::Returned);
}

const PROBES: &str = r#"
    #include "abi.h"
    #define INVERTED (1u << 31)
    static const unsigned long cases[] = { 3, 8, 5, 1, 1, 5, 10, 12, 6, 100, 100 };
    static int probes(int a, int b) {
        SIGNED(0, Equal, a, b);
        SIGNED(1 | INVERTED, SignedLess, a, b);
        SLOT(UnsignedLess, void (*)(unsigned, unsigned long, unsigned long))(2, (unsigned)a, (unsigned)b);
        SLOT(Truth, void (*)(unsigned, unsigned))(3, a != 0);
        SLOT(Switch, void (*)(const unsigned long *, unsigned long))(cases, (long)a);
        SLOT(SignedLessEqual128, void (*)(unsigned, __int128, __int128))(9, (__int128)a << 64, (__int128)b << 64);
        SLOT(Float, void (*)(unsigned, unsigned, double, double))(10, 4, a, b);
        SLOT(LongDouble, void (*)(unsigned, unsigned, long double, long double))(11, 4, a, b);
        SLOT(LongDouble, void (*)(unsigned, unsigned, long double, long double))(12, 2, a, b);
        SIGNED(1000000, Equal, a, b);
        return 0;
    }
    INT2(probes)
    static int loop(int n) { for (int i = 0; LT(0, i, n); i++) TICK(); return n; }
    INT1(loop)
"#;

#[test]
fn probes_report_both_distances() {
    let mut build = Build::new();
    let int = build.int;
    build.function("probes", &[int, int], int);
    let mut target = build.ints(&["loop"]).load(PROBES);
    target.run_ints("probes", &[3, 7]);
    assert_eq!(target.distances(0), [4, 0]);
    assert_eq!(target.distances(1), [4, 0], "3 < 7 holds, its negation is 4 away");
    assert_eq!(target.distances(2), [0, 4]);
    assert_eq!(target.distances(3), [0, 1]);
    assert_eq!(target.distances(5), [2, 0], "nearest of the labels 1 and 10 ... 12");
    assert_eq!(target.distances(6), [97, 0]);
    assert_eq!(target.distances(8), [0, 2], "default: 1 is 2 away");
    assert_eq!(target.distances(9), [0, (4 << 64) + 1]);
    assert_eq!(target.distances(10)[0], 0);
    assert!(target.distances(10)[1] > 0);
    assert_eq!((target.distances(11)[0], target.distances(12)[1]), (0, 0));
    assert_eq!(target.distances(7), [NOT_EVALUATED; 2]);
    assert_eq!(target.distances(5000), [NOT_EVALUATED; 2]);
    let order: Vec<u32> = target.touched().iter().map(|b| b.0).collect();
    assert_eq!(order, [0, 1, 2, 3, 5, 6, 8, 9, 10, 11, 12]);
    target.again(&[11, 12]);
    assert_eq!((target.distances(5), target.distances(8)), ([0, 1], [1, 0]), "inside 10 ... 12");
    target.again(&[15, 12]);
    assert_eq!(target.distances(5), [3, 0], "12 is the nearest end");
    target.again(&[10, 10]);
    assert_eq!((target.distances(5), target.distances(8)), ([0, 1], [1, 0]));
    assert_eq!(target.distances(12)[1], 0, "equal is not greater");
}

#[test]
fn distances_are_the_smallest_of_the_run_and_forgotten_after_it() {
    let mut target = Build::new().ints(&["loop"]).load(PROBES);
    target.run_ints("loop", &[5]);
    assert_eq!((target.distances(0), target.ticks()), ([0, 0], 5));
    target.again(&[-3]);
    assert_eq!((target.distances(0), target.ticks()), ([4, 0], 0));
    assert_eq!(target.touched().len(), 1);
    let mut input = target.choose("loop");
    assert_eq!(target.distances(0), [NOT_EVALUATED; 2]);
    set_ints(&mut input, &[2]);
    target.set_tick_limit(2);
    assert_eq!(target.run(&input), Outcome::Returned);
    target.set_tick_limit(1);
    assert_eq!(target.run(&input), Outcome::OutOfTicks);
    assert_eq!(target.ticks(), 1);
}
