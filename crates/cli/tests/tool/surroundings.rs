//! What stands around functions: stubs for what nobody defines, for what asks the machine, and for memory.

use crate::support::{Desk, Ended, PATIENCE, expect_all_covered, make, not_covered, run};

fn generate(desk: &Desk, arguments: &[&str]) -> Ended {
    run(&mut desk.branchwise([&["gen"], arguments].concat()), PATIENCE)
}

/// What a unit needs and nobody defines is a stub in its own tests and in those of the units that call it.
#[test]
fn units_share_their_stubs() {
    let desk = Desk::new();
    desk.write(
        "a.c",
        "int helper(int x);\nint both(int c);\nint only_a(void);\nint main(void) { return 0; }\n\
         int in_a(int x) { if (both(x) > 7) return helper(x); return only_a() == 3 ? 1 : 0; }\n",
    );
    desk.write(
        "b.c",
        "struct cfg { int level; };\nint both(int channel);\nint load(struct cfg *out);\nint plain(int *n);\n\
         extern struct cfg shared;\nextern long counted;\n\
         int helper(int x)\n{\n  struct cfg c;\n  int n;\n  if (load(&c) < 0) return -1;\n\
         if (plain(&n) && n == 42) return 9;\n  if (shared.level == 5 || counted == 99) return 8;\n\
         return both(x) == 12 && c.level > 9 ? 4 : 2;\n}\n",
    );
    generate(&desk, &["a.c", "b.c", "--out", "out"]).expect(0);
    let summary = desk.summary("out");
    assert_eq!(summary.stubs, ["both", "counted", "load", "only_a", "plain", "shared"]);
    assert!(summary.undefined.is_empty());
    expect_all_covered(&desk, "out", 18);
}

/// Each unit has its own line that gives the function another symbol.
#[test]
fn units_share_what_they_ask_the_machine() {
    let desk = Desk::new();
    desk.write(
        "a.c",
        "#include <time.h>\nint later(long than);\n\
         int both(void) { return time(NULL) > 100 && later(200) ? 1 : 0; }\n",
    );
    desk.write("b.c", "#include <time.h>\nint later(long than) { return time(NULL) > than ? 1 : 0; }\n");
    generate(&desk, &["a.c", "b.c", "--out", "out"]).expect(0);
    assert_eq!(desk.summary("out").stubs, ["time"]);
    expect_all_covered(&desk, "out", 6);
    generate(&desk, &["a.c", "b.c", "--real", "time", "--out", "real"]).expect(0);
    assert!(desk.summary("real").stubs.is_empty());
    let reasons: Vec<_> = desk.summary("real").functions.iter().flat_map(not_covered).cloned().collect();
    assert!(reasons.iter().any(|goal| goal.reason.as_deref() == Some("environment")), "{reasons:?}");
    generate(&desk, &["a.c", "--real", "later", "--out", "no"]).expect(2).complains(&["real anyway", "time"]);
}

/// The objects of the input come from `malloc` as well, because the function frees them: they do not count.
#[test]
fn allocations_fail_where_that_is_asked_for() {
    let desk = Desk::new();
    desk.write(
        "list.c",
        "#include <stdlib.h>\nvoid *pool(int n);\nstruct list { int *items; int n; };\n\
         int two(int n)\n{\n  int *a, *b;\n  a = malloc(4);\n  if (!a) return -2;\n  b = calloc(n & 7, 4);\n\
         if (!b) { free(a); return -3; }\n  free(a);\n  free(b);\n  return 0;\n}\n\
         int grow(struct list *l)\n{\n  int *more;\n  if (!l || l->n < 0 || l->n > 20) return -1;\n\
         more = realloc(l->items, (l->n + 1) * sizeof *more);\n  if (!more) return -2;\n  more[l->n++] = 7;\n\
         l->items = more;\n  return 0;\n}\n\
         int pooled(void)\n{\n  char *p = pool(3), *q;\n  if (!p) return -1;\n  q = malloc(4);\n\
         free(p);\n  if (!q) return 2;\n  free(q);\n  return 1;\n}\n",
    );
    generate(&desk, &["list.c", "--fail-alloc", "--out", "out"]).expect(0);
    assert_eq!(desk.summary("out").stubs, ["malloc", "pool"]);
    expect_all_covered(&desk, "out", 16);
    let tests = std::fs::read_to_string(desk.path("out/test_list.c")).expect("the tests");
    assert!(tests.contains("    alloc_fails_at = 2;\n"), "{tests}");
    let gcc = make(&desk.path("out"), &["CC=gcc", "CFLAGS=-O2 -Wall -Wextra -Werror"]).expect(0);
    assert!(gcc.stdout.lines().any(|line| line.ends_with(" passed, 0 failed")), "{}", gcc.stdout);
}
