//! Programs that crash, hang, corrupt, fork, delete and flood: the driver survives, ordinary branches are covered,
//! faults are reported, the judge agrees, and nothing is left behind.

use crate::support::header::{Header, Places};
use crate::support::{Desk, c_files, fixtures, function, on_all, run};
use report::{State, Summary};
use std::path::Path;
use std::time::Duration;

/// What fixtures try to make outside.
const ESCAPED: [(&str, &str); 3] = [
    ("deletes.c", "/tmp/branchwise_moved.txt"),
    ("deletes.c", "/tmp/branchwise_dir"),
    ("network.c", "/branchwise_escaped.txt"),
];

#[test]
fn the_driver_survives_every_hostile_fixture() {
    let all = c_files(&fixtures().join("hostile"));
    assert!(all.len() >= 16, "the fixtures are not where they should be");
    remove_escaped();
    on_all(&all, |path| survives(path));
}

/// What runs of an emitted suite by hand may have left: those are not confined.
fn remove_escaped() {
    for (_, file) in ESCAPED {
        let file = Path::new(file);
        let _ = if file.is_dir() { std::fs::remove_dir(file) } else { std::fs::remove_file(file) };
    }
}

fn expect_nothing_escaped(fixture: &str) {
    for (_, file) in ESCAPED.iter().filter(|(from, _)| *from == fixture) {
        assert!(!Path::new(file).exists(), "{file} was made");
    }
}

fn survives(path: &Path) {
    let name = path.file_name().expect("a file").to_string_lossy();
    let desk = Desk::new();
    desk.write("branchwise_victim.txt", "still here\n");
    let mut command = desk.branchwise(["gen".as_ref(), path.as_os_str()]);
    command.args(["--out", "out", "--jobs", "1"]);
    run(&mut command, Duration::from_secs(60)).expect(0);
    desk.expect_no_processes();
    assert!(desk.litter().is_empty(), "{:?}", desk.litter());
    expect_nothing_escaped(&name);
    let victim = std::fs::read_to_string(desk.path("branchwise_victim.txt"));
    assert_eq!(victim.ok().as_deref(), Some("still here\n"));

    let summary = desk.summary("out");
    let header = Header::read(path);
    if ASK_THE_MACHINE.contains(&&*name) {
        header.expect_beside_environment(&summary);
    } else {
        header.expect(&summary);
    }
    fatal_outcomes_are_explained(&header, &summary);
    faults_are_named_and_placed(&name, &summary);
    if summary.totals.findings > 0 {
        let reproducers = c_files(&desk.path("out/crashes"));
        assert_eq!(reproducers.len(), summary.totals.findings, "{reproducers:?}");
    }
    // The suite itself is not confined, and must not find what the workers did not have.
    std::fs::remove_file(desk.path("branchwise_victim.txt")).expect("the victim");
    desk.check("out").expect(0);
}

/// Fixtures with calls whose results depend on the machine.
const ASK_THE_MACHINE: [&str; 5] = ["closes_fds.c", "deletes.c", "exits.c", "forks.c", "network.c"];

/// An outcome that kills or hangs its process is covered by a death test or put down to a finding.
fn fatal_outcomes_are_explained(header: &Header, summary: &Summary) {
    let mut unexplained = Places::new();
    for function in &summary.functions {
        let open =
            |g: &&report::GoalSummary| g.state == State::Unknown && g.reason.as_deref() != Some("finding");
        for goal in function.goals.iter().filter(open) {
            let seen = goal.visible();
            *unexplained.entry((function.name.clone(), seen.line, seen.column, goal.outcome)).or_default() +=
                1;
        }
    }
    for (place, count) in &header.fatal {
        let others = header.infeasible.get(place).copied().unwrap_or(0);
        let found = unexplained.get(place).copied().unwrap_or(0);
        assert!(found <= others, "{place:?}: {found} of {count} without a finding");
    }
}

/// Fixture, function, what is found there (one of these), and in which line if it is one.
const FAULTS: [(&str, &str, &[&str], Option<u32>); 12] = [
    ("div_zero.c", "quotient_kind", &["arithmetic fault"], Some(6)),
    ("div_zero.c", "remainder_kind", &["arithmetic fault"], Some(17)),
    ("div_zero.c", "average", &["arithmetic fault"], Some(24)),
    ("div_zero.c", "late_division", &["arithmetic fault"], Some(34)),
    ("endless_loop.c", "walk", &["did not end"], None),
    ("endless_loop.c", "spin_on", &["did not end"], None),
    ("endless_loop.c", "halve_to_zero", &["did not end"], None),
    ("stack_overflow.c", "descend", &["did not end", "stack overflow"], None),
    ("wild_write.c", "poke", &["segmentation fault"], Some(17)),
    ("wild_write.c", "peek", &["segmentation fault"], Some(31)),
    ("sleeps.c", "nap", &["did not end in time"], None),
    ("sleeps.c", "wait_for", &["did not end in time"], None),
];

fn faults_are_named_and_placed(fixture: &str, summary: &Summary) {
    for (_, name, what, line) in FAULTS.iter().filter(|fault| fault.0 == fixture) {
        let findings = &function(summary, name).findings;
        let place = line.map(|line| format!("{fixture}:{line}"));
        let here = |found: Option<&str>| {
            place.is_none() || place.as_deref().zip(found).is_some_and(|(p, f)| f.ends_with(p))
        };
        let known =
            findings.iter().any(|f| what.iter().any(|w| f.what.contains(w)) && here(f.place.as_deref()));
        assert!(known, "{name}: no {what:?} at {place:?} in {findings:#?}");
    }
}

const CHAIN: &str = "\
static int h(const int *a, int b)
{
    return 100 / b + *a;
}

static int g(const int *a, int b)
{
    int c = b - 7;

    return h(a, c) + 1;
}

int f(int *a, int b)
{
    if (b == 1234)
        return 0;
    return g(a, b) + 1;
}
";

/// `function (file:line)` without the folder.
fn frames(stack: &[String]) -> Vec<String> {
    let bare = |frame: &String| match frame.split_once('(') {
        Some((name, place)) => format!("{name}({}", place.rsplit('/').next().unwrap_or(place)),
        None => frame.clone(),
    };
    stack.iter().map(bare).collect()
}

#[test]
fn a_fault_comes_with_all_calls_up_to_the_function_under_test() {
    let desk = Desk::new();
    let path = desk.write("chain.c", CHAIN);
    desk.generate(&path, "out", &["--budget", "2000x", "-f", "f"]).expect(0);
    let summary = desk.summary("out");
    let stacks: Vec<(String, Vec<String>)> =
        function(&summary, "f").findings.iter().map(|f| (f.what.clone(), frames(&f.stack))).collect();
    let expected = |what: &str, frames: &[&str]| {
        let frames: Vec<String> = frames.iter().map(|f| (*f).to_owned()).collect();
        assert!(stacks.iter().any(|(w, s)| w.contains(what) && *s == frames), "{what}: {stacks:#?}");
    };
    let calls = ["h (chain.c:3)", "g (chain.c:10)", "f (chain.c:17)"];
    expected("arithmetic", &calls);
    expected("null pointer", &calls);
    let reproducers = c_files(&desk.path("out/crashes"));
    let texts = reproducers.iter().map(|path| std::fs::read_to_string(path).expect("a reproducer"));
    let told = texts.filter(|text| text.contains("chain.c:3)\n *     g (") && text.contains("chain.c:17)\n"));
    assert_eq!(told.count(), 2);
    let page = std::fs::read_to_string(desk.path("out/report.html")).expect("a report");
    assert!(page.contains("chain.c:10)\nf ("), "the page has the stack too");
}

#[test]
fn a_hang_comes_with_the_loop_that_does_not_end() {
    let desk = Desk::new();
    let source = "static int first(int n)\n{\n    while (n & 1)\n        n += 2;\n    return n;\n}\n\n\
                  int both(int n, int m)\n{\n    int r = first(n);\n\n    while (m & 2)\n        m += 4;\n\
                  \x20   return r == 8 ? m : 0;\n}\n";
    let path = desk.write("loops.c", source);
    desk.generate(&path, "out", &["--budget", "2000x", "-f", "both"]).expect(0);
    let summary = desk.summary("out");
    let stacks: Vec<Vec<String>> =
        function(&summary, "both").findings.iter().map(|f| frames(&f.stack)).collect();
    // An odd first argument ends in one loop, an even one with the second bit set in the other.
    let ends = [&["first (loops.c:3)", "both (loops.c:10)"][..], &["both (loops.c:12)"]];
    assert!(
        !stacks.is_empty() && stacks.iter().all(|stack| ends.iter().any(|end| stack == end)),
        "{stacks:?}"
    );
}

/// Only `exit` calls what `atexit` was given: whoever ends otherwise never meets `broken`.
#[test]
fn handlers_belong_to_their_own_way_out() {
    let desk = Desk::new();
    let source = "#include <stdlib.h>\n#include <unistd.h>\n\
                  static void broken(void) { *(volatile int *)0 = 1; }\n\
                  static void in_order(void) { _exit(5); }\n\
                  int ends(int how)\n{\n    if (how == 1)\n        _exit(3);\n    if (how == 2)\n        _Exit(4);\n\
                  \x20   if (how == 3)\n        quick_exit(5);\n    return how;\n}\n\
                  int hands_over(int how)\n{\n    atexit(how == 4 ? in_order : broken);\n    if (how == 1)\n\
                  \x20       _exit(3);\n    if (how == 2)\n        _Exit(4);\n    if (how == 3)\n        quick_exit(5);\n\
                  \x20   if (how == 4)\n        exit(6);\n    return how;\n}\n";
    let path = desk.write("ends.c", source);
    desk.generate(&path, "out", &["--budget", "5000x"]).expect(0);
    let summary = desk.summary("out");
    assert!(function(&summary, "hands_over").findings.is_empty(), "{summary:#?}");
    let deaths: Vec<&str> =
        function(&summary, "ends").tests.iter().filter(|t| t.death).map(|t| t.outcome.as_str()).collect();
    assert_eq!(deaths.len(), 3);
    for status in 3..=5 {
        assert!(deaths.contains(&format!("exited with status {status}").as_str()), "{deaths:?}");
    }
    desk.check("out").expect(0);
}

/// Frames so large that the stack ends long before any other limit.
#[test]
fn a_stack_overflow_is_told_by_its_name() {
    let desk = Desk::new();
    let source = "int deep(int n)\n{\n    volatile char frame[100000];\n\n    frame[0] = (char)n;\n\
                  \x20   if (n > 5)\n        return deep(n) + frame[0];\n    return n < 0 ? -1 : 0;\n}\n";
    let path = desk.write("deep.c", source);
    desk.generate(&path, "out", &["--budget", "2000x"]).expect(0);
    let summary = desk.summary("out");
    let deep = function(&summary, "deep");
    assert_eq!(deep.findings.iter().map(|f| f.what.as_str()).collect::<Vec<_>>(), ["stack overflow"]);
    let [innermost, caller, more] = &frames(&deep.findings[0].stack)[..] else {
        panic!("{:#?}", deep.findings)
    };
    assert!(innermost.starts_with("deep (deep.c:"), "{innermost}");
    assert_eq!(caller, "deep (deep.c:7)");
    assert!(more.starts_with("… ") && more.ends_with(" more of deep"), "{more}");
    assert_eq!(deep.tally.covered, 3);
    desk.check("out").expect(0);
}
