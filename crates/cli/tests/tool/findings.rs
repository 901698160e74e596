//! Findings about memory: each kind and place once, with a reproducer that shows the same under a sanitizer, and none where
//! an input only lacks what every caller would give.

use crate::support::{Desk, PATIENCE, fixtures, function, make, run};
use report::{FindingSummary, Summary};
use std::process::Command;

/// `function line what` of all findings.
fn told(summary: &Summary) -> Vec<String> {
    let line = |finding: &FindingSummary| {
        finding.place.as_ref().and_then(|p| p.rsplit(':').next().map(str::to_owned)).unwrap_or_default()
    };
    let all = summary.functions.iter().flat_map(|f| f.findings.iter().map(move |finding| (f, finding)));
    all.map(|(f, finding)| format!("{} {} {}", f.name, line(finding), finding.what)).collect()
}

#[test]
fn each_error_of_the_fixture_is_told_once_and_confirmed_by_a_sanitizer() {
    let desk = Desk::new();
    desk.generate(&fixtures().with_file_name("heap").join("findings.c"), "out", &["--jobs", "1"]).expect(0);
    let summary = desk.summary("out");
    let all = told(&summary);
    let expected = [
        ("run_job 42 use after free", "heap-use-after-free"),
        ("submit_job 19 double free", "attempting double-free"),
        ("add_job 24 memory leak", "LeakSanitizer: detected memory leaks"),
    ];
    for (finding, sanitizer) in expected {
        let number = all.iter().position(|other| other == finding).unwrap_or_else(|| panic!("{all:?}")) + 1;
        let out = desk.path("out");
        make(&out, &["CC=gcc", &format!("crash-{number}")]).expect(0);
        let shown = run(&mut Command::new(out.join(format!("crashes/crash-{number}"))), PATIENCE);
        assert!(shown.stderr.contains(sanitizer), "{finding}: {}", shown.stderr);
    }
    let nulls = &function(&summary, "next_priority").findings;
    assert_eq!(nulls.len(), 1, "{all:?}");
    let question = nulls[0].question.as_deref();
    assert_eq!(question, Some("Is there a precondition that job->next is not null?"));
    let marked = nulls[0].objects.iter().flat_map(|object| &object.fields).filter(|field| field.at_fault);
    assert_eq!(marked.map(|field| field.name.as_str()).collect::<Vec<_>>(), [".next"]);
}

/// Reading a text to its end is no error, reading beyond it is; and a helper's fault is the helper's.
#[test]
fn only_what_is_wrong_with_a_proper_input_is_told() {
    const SOURCE: &str = "\
static int length(const char *s) { int n = 0; while (s[n]) n++; return n; }
int is_long(const char *s) { return s && length(s) > 3; }
int twice(const char *s) { return 2 * length(s); }
int escapes(const char *s)
{
    int n = 0;
    if (!s) return 0;
    while (*s) { if (*s == '\\\\') s++, n++; s++; }
    return n;
}
int last(const char *s, unsigned n) { return s && n && n < 4 && s[n] == 'x'; }
";
    let desk = Desk::new();
    let source = desk.write("texts.c", SOURCE);
    desk.generate(&source, "out", &["--jobs", "1"]).expect(0);
    let summary = desk.summary("out");
    let all = told(&summary);
    let of = |name: &str| all.iter().filter(|finding| finding.starts_with(name)).count();
    assert_eq!((of("is_long"), of("twice"), of("length")), (0, 0, 1), "null, once: {all:?}");
    assert_eq!(function(&summary, "length").findings[0].also, ["twice"]);
    assert_eq!(of("escapes"), 1, "a text that ends with a backslash: {all:?}");
    assert_eq!(of("last"), 1, "the character behind the last: {all:?}");
}
