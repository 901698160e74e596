//! Which functions a call may enter, over all files of a program.

use c_frontend::{Built, Clang, SourceUnit, build};
use std::collections::BTreeSet;

fn build_files(files: &[(&str, &str)]) -> Built {
    let work = tempfile::tempdir().unwrap();
    let unit = |&(name, text): &(&str, &str)| {
        let path = work.path().join(name);
        std::fs::write(&path, text).unwrap();
        SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() }
    };
    let units: Vec<SourceUnit> = files.iter().map(unit).collect();
    build(&units, &Clang::default(), work.path()).unwrap()
}

/// `(caller, callee)` by name.
fn calls(built: &Built) -> BTreeSet<(String, String)> {
    let name = |id| built.program.function(id).name.clone();
    built.program.call_sites.iter().map(|site| (name(site.caller), name(site.callee))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    expected.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
}

#[test]
fn calls_across_files_and_through_pointers() {
    // `add` is in a table, `negate` is passed on; `twice` fits nowhere, and nobody takes the address of `lonely`.
    let table = "int add(int a, int b) { return a + b; }\nint lonely(int a, int b) { return a - b; }\n\
                 int (*const table[1])(int, int) = {add};\n";
    let user = "extern int (*const table[1])(int, int);\nstatic int negate(int a) { return -a; }\n\
                static double twice(double a) { return 2 * a; }\ndouble (*spare)(double) = twice;\n\
                static int apply(int (*f)(int), int a) { return f(a); }\n\
                int use(int a) { return apply(negate, a) + table[0](a, a); }\n";
    let built = build_files(&[("table.c", table), ("user.c", user)]);
    assert_eq!(calls(&built), pairs(&[("apply", "negate"), ("use", "apply"), ("use", "add")]));
}

#[test]
fn a_call_stands_in_its_block() {
    let built = build_files(&[(
        "a.c",
        "int f(int a) { return a; }\nint g(int a) { if (a > 3) return f(a); return 0; }\n",
    )]);
    let [site] = built.program.call_sites[..] else { panic!("one call") };
    let caller = built.program.function(site.caller);
    let leads_there = |edge: &&model::Edge| edge.to == site.block;
    let edges: Vec<_> = caller.cfg.successors.iter().flatten().filter(leads_there).collect();
    assert!(edges.iter().all(|e| e.taken_by.iter().all(|g| g.outcome)) && !edges.is_empty(), "{edges:?}");
}
