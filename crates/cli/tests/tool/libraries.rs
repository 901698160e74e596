//! What libraries of others taught us (docs/CASE-STUDIES.md): every test here was a wrong claim, a suite that did not compile
//! or a way to lose symbolic execution, cut down to a few lines.

use crate::support::{Desk, Ended, PATIENCE, expect_all_covered, function, not_covered, run};
use report::State;
use std::process::Stdio;

fn generate(desk: &Desk, arguments: &[&str]) -> Ended {
    run(&mut desk.branchwise([&["gen"], arguments].concat()), PATIENCE)
}

/// zlib: a test of one file cannot name a static of another, whether it stands in the file or in a header of it. It is no
/// input then, and no constant either.
#[test]
fn statics_of_other_units_are_out_of_reach() {
    let desk = Desk::new();
    desk.write("asks.c", "int mode_is(int m);\nint asks(void) { if (mode_is(5)) return 1; return 0; }\n");
    desk.write("modes.h", "static int more;\n");
    desk.write(
        "modes.c",
        "#include \"modes.h\"\nstatic int mode;\nvoid set(int m) { mode = m; more = m; }\n\
         int mode_is(int m) { if (mode + more == m) return 1; return 0; }\n",
    );
    generate(&desk, &["asks.c", "modes.c", "--budget", "2000x", "--out", "out"]).expect(0);
    desk.check("out").expect(0);
    let summary = desk.summary("out");
    let open: Vec<State> = not_covered(function(&summary, "asks")).map(|goal| goal.state).collect();
    assert_eq!(open, [State::Unknown]);
    assert_eq!(not_covered(function(&summary, "mode_is")).count(), 0);
}

/// zlib: a unit need not declare the variables that its callees in other units read. What it cannot spell is out of
/// reach; what it uses, it has declared.
#[test]
fn variables_of_types_that_a_unit_does_not_know() {
    let desk = Desk::new();
    desk.write("own.h", "struct own { int level; const char *name; };\nextern struct own shared;\n");
    desk.write(
        "owner.c",
        "#include \"own.h\"\nstruct own shared;\nint level(void) { return shared.level; }\n",
    );
    desk.write("user.c", "int level(void);\nint user(void) { return level() == 7 ? 1 : 0; }\n");
    desk.write(
        "knower.c",
        "#include \"own.h\"\nint level(void);\nint knower(void) { return shared.name && level() == 7 ? 1 : 0; }\n",
    );
    generate(&desk, &["owner.c", "user.c", "knower.c", "--budget", "2000x", "--out", "out"]).expect(0);
    desk.check("out").expect(0);
    let summary = desk.summary("out");
    assert_eq!(not_covered(function(&summary, "knower")).count(), 0);
    let open: Vec<State> = not_covered(function(&summary, "user")).map(|goal| goal.state).collect();
    assert_eq!(open, [State::Unknown]);
}

/// jansson's example: a function that is defined nowhere takes a stream. A stub that wrote through it would overwrite what
/// only the library may, and `fclose` would crash.
#[test]
fn stubs_leave_streams_alone() {
    let desk = Desk::new();
    desk.write(
        "load.c",
        "#include <stdio.h>\nint parse(FILE *in, int *line);\n\
         int load(const char *name)\n{\n    int line = 0, result;\n    FILE *in = fopen(name, \"rb\");\n\n    if (in == NULL)\n        return -1;\n\
         result = parse(in, &line);\n    fclose(in);\n    return line > 3 ? result : 0;\n}\n",
    );
    generate(&desk, &["load.c", "--budget", "20000x", "--out", "out"]).expect(0);
    desk.check("out").expect(0);
    assert_eq!(not_covered(function(&desk.summary("out"), "load")).count(), 0);
}

/// zlib: 66 megabytes are more than the worker's heap has, and nothing to the C library. What comes of an allocation that failed
/// for that reason alone is no test.
#[test]
fn a_small_heap_is_no_reason_to_fail() {
    let desk = Desk::new();
    desk.write(
        "room.c",
        "#include <stdlib.h>\n\
         int room(unsigned n)\n{\n    char *p = malloc((size_t)n * 1024);\n    int kind;\n\n    if (p == NULL)\n        return -1;\n\
         kind = n > 3000000 ? 2 : n > 70000 ? 1 : 0;\n    free(p);\n    return kind;\n}\n",
    );
    generate(&desk, &["room.c", "--budget", "20000x", "--out", "out"]).expect(0);
    desk.check("out").expect(0);
    let summary = desk.summary("out");
    assert!(
        not_covered(function(&summary, "room")).all(|goal| goal.place.line == 9),
        "only a large block is out of reach"
    );
}

/// All paths of the first call are not all paths: the fourth call takes another one.
#[test]
fn a_static_of_a_function_is_no_constant() {
    let desk = Desk::new();
    desk.write(
        "calls.c",
        "int fourth(int x)\n{\n  static int calls;\n  static const int limit = 2;\n\
         if (x > 3 && calls++ > limit) return 1;\n  return 0;\n}\n\
         int constant(int x)\n{\n  static const int table[2] = {1, 2};\n  return table[x & 1] > 2 ? 1 : 0;\n}\n",
    );
    generate(&desk, &["calls.c", "--budget", "2000x", "--out", "out"]).expect(0);
    let summary = desk.summary("out");
    let open: Vec<State> = not_covered(function(&summary, "fourth")).map(|goal| goal.state).collect();
    assert_eq!(open, [State::Unknown]);
    let open: Vec<State> = not_covered(function(&summary, "constant")).map(|goal| goal.state).collect();
    assert_eq!(open, [State::Infeasible]);
}

/// Lua: what a header declares as hidden is found by the twins of the units that use it.
#[test]
fn hidden_variables_of_other_units_do_not_cost_symbolic_execution() {
    let desk = Desk::new();
    desk.write(
        "hidden.h",
        "#define HIDDEN __attribute__((visibility(\"hidden\"))) extern\n\
         HIDDEN const unsigned keys[2];\nHIDDEN unsigned mix(unsigned x);\n",
    );
    desk.write(
        "keys.c",
        "#include \"hidden.h\"\nconst unsigned keys[2] = {12345, 678910};\n\
         unsigned mix(unsigned x) { return x * 2654435761u ^ keys[1]; }\n",
    );
    desk.write(
        "door.c",
        "#include \"hidden.h\"\nint door(unsigned x) { return mix(x) == keys[0] ? 1 : 0; }\n",
    );
    generate(&desk, &["keys.c", "door.c", "--out", "out"]).expect(0);
    let summary = desk.summary("out");
    assert_eq!(function(&summary, "door").approximations, []);
    expect_all_covered(&desk, "out", 2);
}

/// zlib: the address behind a variable may be that of something else.
#[test]
fn what_stands_behind_a_variable_has_no_name() {
    let desk = Desk::new();
    let source = "#define PLACED __attribute__((section(\"placed\")))\n\
         int PLACED first = 1;\nint *seen;\n\
         int next(int x)\n{\n  static int PLACED second = 2;\n  first = 3;\n  seen = x ? &second : 0;\n  return second;\n}\n";
    desk.write("next.c", source);
    generate(&desk, &["next.c", "--out", "out"]).expect(0);
    desk.check("out").expect(0);
    let text = std::fs::read_to_string(desk.path("out/test_next.c")).expect("a test file");
    assert!(text.contains("CHECK_NOT_NULL(seen)"), "{text}");
    assert!(!text.contains("first + 1"), "{text}");
}

/// `branchwise engines | head -1` is no error of ours.
#[test]
fn a_reader_that_has_seen_enough() {
    let desk = Desk::new();
    let mut child = desk
        .branchwise(["engines"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("its end");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(141));
}

/// libyaml: what a walk ends at is a pointer of its own, and only `!=` says that the two belong together.
#[test]
fn a_pointer_that_ends_a_walk() {
    let desk = Desk::new();
    desk.write(
        "spaces.c",
        "struct buffer { const char *start; const char *pointer; const char *end; int column; };\n\
         int spaces(struct buffer *b, int limit)\n{\n  int n = 0;\n  while (b->pointer != b->end) {\n\
         if (*b->pointer == ' ')\n      n++;\n    b->pointer++;\n  }\n\
         if (n == 2)\n    return 1;\n  return n > limit ? 2 : 0;\n}\n",
    );
    generate(&desk, &["spaces.c", "--out", "out"]).expect(0);
    expect_all_covered(&desk, "out", 8);
}
