//! What a strict run sees of the heap, and an ordinary one does not.

mod common;

use c_worker::Isolation;
use common::{Build, Loaded, element, limits, set_ints, var};
use model::Check;
use target::{CrashKind, HeapError, Outcome, Target};

const SOURCE: &str = r#"
    #include <stdlib.h>
    #include "abi.h"
    static void *kept;
    static int misuses(int what) {
        int *block = malloc(4 * sizeof *block);
        block[1] = 5;
        switch (what) {
        case 0: free(block); return 0;
        case 1: free(block); return block[1];
        case 2: free(block); free(block); return 2;
        case 3: free(block + 1); return 3;
        case 4: free(&what); return 4;
        case 5: block[4] = 1; free(block); return 5;
        case 6: return 6;
        case 7: kept = block; return 7;
        case 8: { void **outer = malloc(16); outer[1] = block + 2; kept = outer; return 8; }
        case 9: { void **outer = malloc(16); outer[1] = block; outer[0] = outer; return 9; }
        case 10: block = realloc(block, 9000); free(block); return 10;
        }
        return 77;
    }
    static int frees(int *p, int what) {
        free(p);
        if (what == 1) return *p;
        if (what == 2) free(p);
        return 3;
    }
    INT1(misuses)
    TRAMPOLINE(frees) { RETURN(int) = frees(ARG(int *, 0), ARG(int, 8)); }
"#;

fn load(isolation: Isolation) -> Loaded {
    let mut build = Build::new().ints(&["misuses"]).calls("misuses", &["free", "malloc"]);
    let (int, pointer) = (build.int, build.pointer(build.int));
    build.function("frees", &[pointer, int], int);
    build.load_with(SOURCE, isolation, limits())
}

fn kind(outcome: Outcome) -> Option<CrashKind> {
    match outcome {
        Outcome::Crashed(crash) => Some(crash.kind),
        _ => None,
    }
}

/// The kind of fault of an ordinary run, of a strict one, and the number of leaks.
fn misuse(target: &mut Loaded, what: i32) -> (Option<CrashKind>, Option<CrashKind>, usize) {
    let mut input = target.choose("misuses");
    set_ints(&mut input, &[what]);
    let plain = kind(target.run(&input));
    let strict = kind(target.run_strictly(&input));
    (plain, strict, target.leaks(&input).len())
}

#[test]
fn misuse_of_blocks_is_told_by_its_kind() {
    let heap = |error| Some(CrashKind::Heap(error));
    for isolation in [Isolation::InProcess, Isolation::Fork] {
        let mut target = load(isolation);
        assert_eq!(misuse(&mut target, 0), (None, None, 0));
        assert_eq!(misuse(&mut target, 1), (None, heap(HeapError::UseAfterFree), 0));
        assert_eq!(misuse(&mut target, 2), (heap(HeapError::DoubleFree), heap(HeapError::DoubleFree), 0));
        assert_eq!(misuse(&mut target, 3), (heap(HeapError::BadFree), heap(HeapError::BadFree), 0));
        assert_eq!(misuse(&mut target, 4), (heap(HeapError::BadFree), heap(HeapError::BadFree), 0));
        assert_eq!(misuse(&mut target, 5), (None, Some(CrashKind::Check(Check::Bounds)), 0));
        assert_eq!(misuse(&mut target, 10), (None, None, 0), "moved, and freed once");
    }
}

/// A block is lost when nothing leads to it but blocks that are lost themselves.
#[test]
fn leaks_are_what_nothing_leads_to() {
    for isolation in [Isolation::InProcess, Isolation::Fork] {
        let mut target = load(isolation);
        assert_eq!(misuse(&mut target, 6), (None, None, 1));
        assert_eq!(misuse(&mut target, 7), (None, None, 0), "a variable leads to it");
        assert_eq!(misuse(&mut target, 8), (None, None, 0), "a block leads into it");
        assert_eq!(misuse(&mut target, 9), (None, None, 2), "a lost block leads to it");
        let mut input = target.choose("misuses");
        set_ints(&mut input, &[9]);
        target.run_strictly(&input);
        let calls = target.leaks(&input);
        assert!(calls.iter().all(|calls| !calls.inner.is_empty()), "where they were allocated: {calls:?}");
    }
}

#[test]
fn objects_of_the_input_can_be_freed_once_and_not_used_again() {
    for isolation in [Isolation::InProcess, Isolation::Fork] {
        let mut target = load(isolation);
        let mut input = target.choose("frees");
        input.point_to_new(target.space(), var(0, 0), 2);
        assert_eq!(input.objects[0].cells[0], element(2, 0));
        for (what, plain, strict) in [
            (0, None, None),
            (1, None, Some(HeapError::UseAfterFree)),
            (2, Some(HeapError::DoubleFree), Some(HeapError::DoubleFree)),
        ] {
            input.objects[1].cells[0] = what;
            assert_eq!(kind(target.run(&input)), plain.map(CrashKind::Heap), "{what}");
            assert_eq!(target.observe().freed, [2], "{what}");
            assert_eq!(kind(target.run_strictly(&input)), strict.map(CrashKind::Heap), "{what}");
            assert_eq!(kind(target.run(&input)), plain.map(CrashKind::Heap), "{what}, and open again");
        }
    }
}
