//! What callers promise holds for every input, is found by search and solver, and is checked where functions call each
//! other.

use crate::support::{Desk, Ended, fixtures, function, make, not_covered, run};

fn queue(desk: &Desk, arguments: &[&str]) -> Ended {
    let folder = fixtures().with_file_name("contracts");
    let config = folder.join("branchwise.toml");
    let config = ["--jobs", "1", "--config", config.to_str().expect("UTF-8")];
    desk.generate(&folder.join("queue.c"), "out", &[&config, arguments].concat())
}

/// Runs a small source with settings.
fn small(desk: &Desk, source: &str, settings: &str, arguments: &[&str]) -> Ended {
    let source = desk.write("a.c", source);
    desk.write("branchwise.toml", settings);
    desk.generate(&source, "out", &[&["--jobs", "1"], arguments].concat())
}

#[test]
fn all_branches_are_covered_by_inputs_that_callers_may_pass() {
    let desk = Desk::new();
    queue(&desk, &[]).expect(0);
    let summary = desk.summary("out");
    for name in ["put", "put_all", "largest"] {
        let found = function(&summary, name);
        assert_eq!(not_covered(found).count(), 0, "{name}");
        assert!(found.findings.is_empty(), "{name}: {:?}", found.findings);
    }
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("llvm-cov confirms every claim"), "{}", verdict.stdout);
    let checked = "CFLAGS=-Wall -Wextra -Werror -g -fsanitize=address,undefined -DBRANCHWISE_PRECONDITIONS";
    make(&desk.path("out"), &[checked]).expect(0);
}

#[test]
fn a_call_that_breaks_a_promise_is_a_finding_of_its_own() {
    let desk = Desk::new();
    queue(&desk, &["--function", "put_twice"]).expect(0);
    let summary = desk.summary("out");
    let findings = &function(&summary, "put_twice").findings;
    let broken = findings.iter().find(|f| f.what.starts_with("broken precondition of put: pre_put(queue)"));
    let broken = broken.unwrap_or_else(|| panic!("{findings:?}"));
    assert!(broken.place.as_ref().is_some_and(|place| place.ends_with("queue.c:82")), "{broken:?}");
    assert!(findings.iter().all(|f| !f.what.contains("segmentation")), "{findings:?}");
}

#[test]
fn searches_and_explorations_find_inputs_that_are_accepted() {
    let source = "int f(int a, int b, const int *p) { return a + *p > 3; }\n";
    let settings = "function.f.requires = [\"a > 5000\", \"b == a * 2\", \"p && *p == 3 * b\"]\n";
    for engine in ["avm", "generational", "hybrid"] {
        let desk = Desk::new();
        small(&desk, source, settings, &["--engine", engine]).expect(0);
        let summary = desk.summary("out");
        assert!(!function(&summary, "f").tests.is_empty(), "{engine}");
    }
}

#[test]
fn what_nobody_can_satisfy_is_told() {
    let desk = Desk::new();
    let source = "int f(int a, int b) { if (a > b) return 1; return 0; }\n";
    let ended = small(&desk, source, "function.f.requires = [\"a < b\", \"b < a\"]\n", &[]).expect(0);
    assert!(ended.stdout.contains("no input was found for which the precondition"), "{}", ended.stdout);
    assert!(function(&desk.summary("out"), "f").tests.is_empty());
    desk.check("out").expect(0);
}

#[test]
fn a_precondition_that_does_not_fit_is_told_with_its_line() {
    let source = "int f(int a, int *p) { return p[0] > a; }\nint g(int a) { return a > 1; }\n";
    let cases = [
        (
            "[function.f]\nrequires = [\n  \"a > 0\",\n  \"lenght > a\",\n]\n",
            "branchwise.toml:4: `lenght > a`",
        ),
        ("[function.f]\nrequires = [\"a >\"]\n", "branchwise.toml:2: `a >`"),
        ("[function.g.q]\nnonnull = true\n", "branchwise.toml:"),
        ("[function.f]\nrequires = \"a > 0\"\n", "[function.f.requires]"),
        ("[function.f]\nrequires = [\"is_fine(a)\"]\n", "is_fine"),
        ("precondition_file = \"nowhere.c\"\n", "nowhere.c"),
    ];
    for (settings, words) in cases {
        let desk = Desk::new();
        small(&desk, source, settings, &[]).expect(2).complains(&[words]);
    }
}

#[test]
fn a_function_that_takes_other_parameters_is_no_precondition() {
    for (other, words) in [
        ("int pre_f(int a, char *p) { return a > *p; }\n", "`pre_f` does not take the parameters of `f`"),
        ("int pre_f(int a, int *p, int more) { return a > *p + more; }\n", "`pre_f` takes more parameters"),
        (
            "static int calls;\nint pre_f(int a) { return calls++ < a; }\n",
            "the precondition of `f` changes `calls`",
        ),
    ] {
        let desk = Desk::new();
        let source = format!("{other}int f(int a, int *p) {{ return p[0] > a; }}\n");
        small(&desk, &source, "", &[]).expect(2).complains(&["a.c:", words, "hint:"]);
        small(&desk, &source, "preconditions = false\n", &[]).expect(0);
    }
    // One that returns nothing is not meant.
    let desk = Desk::new();
    small(&desk, "void pre_f(void) {}\nint f(int a) { return a > 3; }\n", "", &[]).expect(0);
    assert_eq!(function(&desk.summary("out"), "f").tests.len(), 1);
}

#[test]
fn functions_of_another_file_say_what_is_allowed() {
    let desk = Desk::new();
    desk.write("allowed.h", "static int pre_f(int a) { return a % 1000 == 7; }\n");
    let source = "int f(int a) { if (a > 100000) return 1; return 0; }\n";
    small(&desk, source, "precondition_file = \"allowed.h\"\n", &[]).expect(0);
    assert_eq!(not_covered(function(&desk.summary("out"), "f")).count(), 0);
    let checked = ["CFLAGS=-Wall -Werror -DBRANCHWISE_PRECONDITIONS"];
    make(&desk.path("out"), &checked).expect(0);
}

#[test]
fn the_scope_decides_whose_branches_are_reached() {
    let source = "int g(int a) { if (a == 4711) return 1; return 0; }\n\
                  int f(int a, int b) { if (b > 10) return g(a + b); return -1; }\n";
    let covered = |scope: &str| {
        let desk = Desk::new();
        let path = desk.write("a.c", source);
        desk.generate(&path, "out", &["--function", "f", "--scope", scope, "--jobs", "1"]).expect(0);
        desk.check("out").expect(0);
        let summary = desk.summary("out");
        (summary.functions.len(), summary.totals.goals.covered, summary.totals.goals.total)
    };
    assert_eq!(covered("function"), (1, 2, 2));
    assert_eq!(covered("file"), (2, 4, 4));
}

#[test]
fn what_is_reached_in_another_file_counts_if_wanted() {
    for (scope, expected) in [("file", (1, 2, 2)), ("reachable", (2, 4, 4))] {
        let desk = Desk::new();
        let here =
            desk.write("here.c", "int g(int);\nint f(int a) { if (a > 10) return g(a); return -1; }\n");
        desk.write("there.c", "int g(int a) { if (a == 4711) return 1; return 0; }\n");
        let there = desk.path("there.c");
        let arguments = [there.to_str().expect("UTF-8"), "--function", "f", "--scope", scope, "--jobs", "1"];
        desk.generate(&here, "out", &arguments).expect(0);
        run(&mut desk.branchwise(["check", "out"]), crate::support::PATIENCE).expect(0);
        let summary = desk.summary("out");
        let goals = &summary.totals.goals;
        assert_eq!((summary.functions.len(), goals.covered, goals.total), expected, "{scope}");
    }
}

#[test]
fn a_finding_comes_with_the_line_that_rules_it_out() {
    let source = "int first(const int *list) { return list[0] > 3; }\n\
                  int sum(const int *values, int length)\n\
                  {\n    int all = 0;\n    for (int i = 0; i < length; i++)\n        all += values[i];\n    return length == 3 && all == 7;\n}\n";
    let desk = Desk::new();
    small(&desk, source, "[function.sum.values]\nnonnull = true\n", &[]).expect(0);
    let summary = desk.summary("out");
    let lines = |name: &str| -> Vec<String> {
        function(&summary, name).findings.iter().filter_map(|f| f.precondition.clone()).collect()
    };
    assert_eq!(lines("first"), ["list != NULL"]);
    assert_eq!(lines("sum"), [""; 0]);
    assert_eq!(function(&summary, "sum").assumed, ["elements(values) >= length"]);
}

#[test]
fn assertions_that_fail_are_told_apart() {
    let desk = Desk::new();
    let source = "#include <assert.h>\nint f(int a)\n{\n    assert(a > 0);\n    return a > 5 ? 1 : 0;\n}\n";
    let ended = small(&desk, source, "", &[]).expect(0);
    let summary = desk.summary("out");
    let [broken] = &function(&summary, "f").assertions[..] else { panic!("{}", ended.stdout) };
    assert_eq!(broken.condition, "a > 0");
    assert!(broken.place.ends_with("a.c:4"), "{}", broken.place);
    assert!(ended.stdout.contains("assertions that fail:"), "{}", ended.stdout);
    // Whoever promises not to break it is not asked to.
    small(&desk, source, "function.f.requires = [\"a > 0\"]\n", &[]).expect(0);
    assert!(function(&desk.summary("out"), "f").assertions.is_empty());
}
