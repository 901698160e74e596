//! `--find-errors`: an error of every kind behind a condition that chance does not meet, found with the option and not
//! without it, and nothing found where there is nothing.

use crate::support::{Desk, Ended, PATIENCE, fixture, make, on_all, run};
use report::Summary;
use std::path::Path;
use std::process::Command;

/// One function for every kind; the comment is what is found there.
const ERRORS: &str = "\
#include <stdlib.h>
struct item { int key, value; };
static struct item items[3] = { { 3, 1 }, { 5, 2 }, { 9, 3 } };
static const int squares[8] = { 0, 1, 4, 9, 16, 25, 36, 49 };
static int counts[8];

unsigned divide(unsigned x) { return 100 / (x - 770077); } // division by zero
int least(int x) { return x / (x < -2147483647 ? -1 : 2); } // signed overflow
int shift(unsigned n) { return 1 << (n - 123456 > 9 ? 3 : n - 123425); } // shift out of range
int next(int x) { return x + 1; } // signed overflow
int negate(int x) { return -x; } // signed overflow
int square(unsigned i) { return i > 8 ? -1 : squares[i]; } // index out of bounds
void count(unsigned i) { if (i <= 8) counts[i] = 1; } // index out of bounds
int length(int n) { char a[n / 1000 - 777]; a[0] = 1; return a[0]; } // array of no or negative length
int never(unsigned x) { if (x * 7 == 1006341) __builtin_unreachable(); return 1; } // code declared unreachable was reached

static struct item *find(int key)
{
    for (int i = 0; i < 3; i++)
        if (items[i].key == key)
            return &items[i];
    return 0;
}

int lookup(unsigned key) { return find(key == 411522 ? 4 : 5)->value; } // null pointer followed

int heap(unsigned i)
{
    int *block = calloc(10, sizeof *block);
    if (!block)
        return 0;
    int result = i - 400000 <= 10 ? block[i - 400000] : 0; // index out of bounds
    free(block);
    return result;
}

int heap_store(unsigned i)
{
    char *block = malloc(300);
    if (!block)
        return 0;
    if (i <= 300)
        block[i] = 7; // index out of bounds
    free(block);
    return 1;
}
";

/// The same without errors.
const CORRECT: &str = "\
#include <limits.h>
#include <stdlib.h>
#include <string.h>
static const int squares[8] = { 0, 1, 4, 9, 16, 25, 36, 49 };

int divide(int x) { return x == 77 || x < 0 ? 0 : 100 / (x - 77); }
int shift(unsigned n) { return n < 31 ? 1 << n : 0; }
int next(int x) { return x < INT_MAX ? x + 1 : x; }
int square(unsigned i) { return i > 7 ? -1 : squares[i]; }
const int *end(unsigned i) { return i > 8 ? 0 : &squares[i]; }
unsigned hash(const char *s, unsigned n) { return s && n ? *s * 31u * n : 0; }

int heap(unsigned i)
{
    int *block = calloc(10, sizeof *block);
    int result = 0;
    if (block && i < 10)
        result = block[i];
    int *larger = realloc(block, 80);
    if (larger)
        block = larger;
    if (larger && i < 20)
        block[i] = 4;
    char *copy = strdup(\"abc\");
    if (copy)
        result += copy[i & 3];
    free(copy);
    free(block);
    return result;
}
";

/// `line what` of all findings.
fn findings(summary: &Summary) -> Vec<String> {
    let of_functions = summary.functions.iter().flat_map(|f| &f.findings).map(|f| (&f.place, &f.what));
    let of_program = summary.program.iter().flat_map(|p| &p.findings).map(|f| (&f.place, &f.what));
    let line = |place: &Option<String>| {
        place.as_ref().and_then(|p| p.rsplit(':').next().map(str::to_owned)).unwrap_or_default()
    };
    let all = of_functions.chain(of_program);
    let mut all: Vec<String> = all.map(|(place, what)| format!("{} {what}", line(place))).collect();
    all.sort_unstable();
    all
}

/// The same as the comments of a source say it.
fn announced(source: &str) -> Vec<String> {
    let lines = source.lines().enumerate();
    let mut all: Vec<String> =
        lines.filter_map(|(i, line)| Some(format!("{} {}", i + 1, line.split_once(" // ")?.1))).collect();
    all.sort_unstable();
    all
}

#[test]
fn every_kind_is_found() {
    let desk = Desk::new();
    let source = desk.write("errors.c", ERRORS);
    desk.generate(&source, "out", &["--find-errors"]).expect(0);
    assert_eq!(findings(&desk.summary("out")), announced(ERRORS));
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("llvm-cov confirms every claim"), "{}", verdict.stdout);
}

#[test]
fn without_the_option_findings_are_faults_and_what_tests_cannot_avoid() {
    let desk = Desk::new();
    let source = desk.write("errors.c", ERRORS);
    desk.generate(&source, "out", &[]).expect(0);
    let found = findings(&desk.summary("out"));
    let all = announced(ERRORS);
    // The true side of that condition is nothing else.
    assert!(found.iter().any(|f| f.contains("declared unreachable")), "{found:?}");
    let are_known = found.iter().all(|f| f.contains("fault") || all.contains(f));
    assert!(are_known && found.len() < all.len(), "{found:?}");
}

#[test]
fn a_correct_program_has_none() {
    let desk = Desk::new();
    let source = desk.write("correct.c", CORRECT);
    desk.generate(&source, "out", &["--find-errors"]).expect(0);
    assert_eq!(findings(&desk.summary("out")), Vec::<String>::new());
}

/// Fixtures were not written for this: what is found in them, clang's own runtime must find as well.
#[test]
fn sanitizers_confirm_what_is_found_in_fixtures() {
    let some =
        ["arrays2d.c", "bool_flags.c", "conditions.c", "gotos.c", "recursion.c", "triangle.c", "vla.c"];
    on_all(&some, |name| {
        let desk = Desk::new();
        desk.generate(&fixture(name), "out", &["--find-errors", "--budget", "20000x", "--jobs", "1"])
            .expect(0);
        let count = desk.summary("out").functions.iter().map(|f| f.findings.len()).sum();
        for number in 1..=count {
            let out = desk.path("out");
            make(&out, &["CC=clang-19", &format!("crash-{number}")]).expect(0);
            let shown = run(&mut Command::new(out.join(format!("crashes/crash-{number}"))), PATIENCE);
            let is_shown = ["runtime error", "AddressSanitizer"].iter().any(|w| shown.stderr.contains(w));
            assert!(is_shown, "{name} crash-{number}: {}", shown.stderr);
        }
        assert_eq!(count == 0, name == &"triangle.c", "{count} findings in {name}");
        let verdict = desk.check("out").expect(0);
        assert!(verdict.stdout.contains("llvm-cov confirms every claim"), "{}", verdict.stdout);
    });
}

const PROGRAM: &str = "\
#include <stdio.h>
#include <stdlib.h>

static int ratio(int a, int b)
{
    return a / (b - 'x'); // division by zero
}

int main(void)
{
    char line[8];
    int days[12] = { 0 };
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (line[0] == 'd')
        return ratio(line[1], line[2]) > 3;
    if (line[0] == 'm' && line[1] >= '0' && line[1] <= '0' + 12)
        days[line[1] - '0']++; // index out of bounds
    char *copy = malloc(4);
    if (copy && line[0] == 'h' && line[1] >= 0 && line[1] <= 4)
        copy[(int)line[1]] = 1; // index out of bounds
    free(copy);
    return days[0];
}
";

fn explore(desk: &Desk, program: &Path, out: &str, arguments: &[&str]) -> Ended {
    let mut command = desk.branchwise(["run".as_ref(), program.as_os_str()]);
    command.args(["--budget", "30000x", "--sym-stdin", "4", "--out"]).arg(desk.path(out)).args(arguments);
    run(&mut command, PATIENCE)
}

#[test]
fn whole_programs_are_searched_for_errors() {
    let desk = Desk::new();
    let source = desk.write("days.c", PROGRAM);
    let told = explore(&desk, &source, "out", &["--find-errors"]).expect(0);
    assert_eq!(findings(&desk.summary("out")), announced(PROGRAM), "{}", told.stdout);
    explore(&desk, &source, "plain", &[]).expect(0);
    assert!(!findings(&desk.summary("plain")).iter().any(|f| f.contains("bounds")));
    let goals = |out: &str| desk.summary(out).functions.iter().map(|f| f.goals.len()).sum::<usize>();
    assert_eq!(goals("out"), goals("plain"));
}

#[test]
fn programs_that_carry_bitcode_are_compiled_again() {
    let desk = Desk::new();
    desk.write("days.c", PROGRAM);
    run(desk.branchwise(["cc", "days.c", "-o"]).arg(desk.path("days")), PATIENCE).expect(0);
    explore(&desk, &desk.path("days"), "out", &["--find-errors"]).expect(0);
    assert_eq!(findings(&desk.summary("out")), announced(PROGRAM));
    std::fs::remove_file(desk.path("days.c")).expect("the source");
    explore(&desk, &desk.path("days"), "again", &["--find-errors"])
        .expect(2)
        .complains(&["days.c", "--find-errors compiles the sources"]);
}
