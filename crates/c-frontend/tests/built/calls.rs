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

#[test]
fn words_of_a_function_are_those_of_its_callees_and_tables_too() {
    let text = "#include <string.h>\n\
                struct entry { const char *name; int value; };\n\
                static const struct entry table[] = {{\"push\", 1}, {\"pop\", 2}};\n\
                static char scratch[] = \"not constant\";\n\
                static int inner(const char *s) { return strcmp(s, \"inner\") == 0; }\n\
                int outer(const char *s) { return inner(s) || strcmp(s, table[s[0] & 1].name) == 0; }\n\
                int other(const char *s)\n\
                { return s == scratch || strcmp(s, \"\") || strcmp(s, \"a text that is far too long for a word of a program\"); }\n";
    let built = build_files(&[("a.c", text)]);
    let words = |name: &str| {
        let function = built.program.functions.iter().find(|f| f.name == name).unwrap();
        function.strings.iter().map(|word| String::from_utf8(word.clone()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(words("inner"), ["inner"]);
    assert_eq!(words("outer"), ["inner", "pop", "push"]);
    assert!(words("other").is_empty(), "{:?}", words("other"));
}
