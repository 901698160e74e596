//! What the commands print, and their exit codes.

use crate::support::{Desk, Ended, PATIENCE, fixture, run};

fn branchwise(arguments: &[&str]) -> Ended {
    let desk = Desk::new();
    run(&mut desk.branchwise(arguments), PATIENCE)
}

#[test]
fn list_shows_signatures() {
    let path = fixture("rectangle.c");
    let listed = branchwise(&["list", path.to_str().unwrap()]).expect(0);
    let source = std::fs::read_to_string(&path).expect("the fixture");
    assert!(!listed.stdout.is_empty());
    for line in listed.stdout.lines() {
        let (place, rest) = line.split_once(": ").expect("a place");
        let number: usize = place.strip_prefix("rectangle.c:").expect("the file").parse().expect("a line");
        let (signature, goals) = rest.rsplit_once(", ").expect("the number of goals");
        assert_eq!(source.lines().nth(number - 1), Some(signature));
        assert!(goals.strip_suffix(" goals").is_some_and(|n| n.parse::<u32>().is_ok()), "{goals}");
    }
}

#[test]
fn list_knows_odd_signatures() {
    let desk = Desk::new();
    let signatures = [
        "static unsigned long long twice(unsigned long long x)",
        "int (*pick(int which))(int)",
        "double sum(const double values[3], int n, ...)",
        "const char *name(void)",
    ];
    let bodies =
        ["return x * 2;", "return which ? (int (*)(int))0 : 0;", "return values[0] + n;", "return \"x\";"];
    let mut text: Vec<String> = signatures
        .iter()
        .zip(bodies)
        .map(|(signature, body)| format!("{signature} {{ {body} }}\n"))
        .collect();
    text.push("extern int nowhere(int);\nint uses(int a) { return (int)twice(nowhere(a)); }\n".into());
    let path = desk.write("odd.c", &text.concat());
    let listed = run(&mut desk.branchwise(["list".as_ref(), path.as_os_str()]), PATIENCE).expect(0);
    let expected = [
        "odd.c:1: static unsigned long long twice(unsigned long long x), 0 goals",
        "odd.c:2: int (*pick(int which))(int), 2 goals",
        "odd.c:3: double sum(const double *values, int n, ...), 0 goals",
        "odd.c:4: const char *name(void), 0 goals",
        "odd.c:6: int uses(int a), 0 goals",
        "undefined: nowhere",
    ];
    assert_eq!(listed.stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn engines_are_listed_with_their_parameters() {
    let listed = branchwise(&["engines"]).expect(0);
    for name in ["random", "avm", "austin", "hc", "hc-gecco", "ga", "ga-etf", "annealing", "tabu"] {
        assert!(listed.stdout.lines().any(|line| line.split(' ').next() == Some(name)), "{name}");
    }
    assert_eq!(listed.stdout.matches("(default)").count(), 1);
    assert!(listed.stdout.lines().filter(|l| l.starts_with("    ") && l.contains(" = ")).count() >= 3);
}

#[test]
fn every_engine_can_be_chosen() {
    let desk = Desk::new();
    for name in ["random", "avm", "austin", "hc", "hc-gecco", "ga", "ga-etf", "annealing", "tabu"] {
        desk.generate(&fixture("gcd.c"), name, &["--engine", name, "--budget", "5000x"]).expect(0);
        assert_eq!(desk.summary(name).settings.engine, name);
        desk.check(name).expect(0);
    }
}

#[test]
fn doctor_says_what_is_here_and_what_is_missing() {
    let healthy = branchwise(&["doctor"]).expect(0);
    assert!(healthy.stdout.contains("ok       clang-19"), "{}", healthy.stdout);
    assert!(!healthy.stdout.contains("MISSING"), "{}", healthy.stdout);
    assert!(healthy.stdout.contains("sandbox"), "{}", healthy.stdout);

    let desk = Desk::new();
    let ill = run(desk.branchwise(["doctor"]).env("PATH", desk.path("tmp")), PATIENCE).expect(1);
    assert!(ill.stdout.contains("MISSING  clang-19"), "{}", ill.stdout);
    assert!(ill.stdout.contains("repair: apt-get install -y clang-19"), "{}", ill.stdout);
}

#[test]
fn help_names_every_command_and_exit_code() {
    let help = branchwise(&["--help"]).expect(0);
    for word in ["gen", "list", "check", "report", "engines", "doctor", "Exit codes: 0 done; 1", "70"] {
        assert!(help.stdout.contains(word), "{word}");
    }
    let help = branchwise(&["gen", "--help"]).expect(0);
    for word in ["--function", "--budget", "--seed", "--jobs", "--out", "--emit", "--config", "--strict"] {
        assert!(help.stdout.contains(word), "{word}");
    }
    branchwise(&["--version"]).expect(0);
    branchwise(&[]).expect(2);
    branchwise(&["generate"]).expect(2);
}

#[test]
fn quiet_is_silent() {
    let desk = Desk::new();
    let ended = desk.generate(&fixture("triangle.c"), "out", &["--quiet"]).expect(0);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    assert!(desk.path("out/report.html").is_file());
}

#[test]
fn progress_in_a_pipe_is_plain_lines() {
    let desk = Desk::new();
    let ended = desk.generate(&fixture("gcd.c"), "out", &[]).expect(0);
    assert!(!ended.stderr.contains(['\x1b', '\r']), "{:?}", ended.stderr);
    let summary = desk.summary("out");
    let mut expected: Vec<String> = summary
        .functions
        .iter()
        .map(|f| format!("{}: {}/{} goals, {} tests", f.name, f.tally.covered, f.tally.total, f.tests.len()))
        .collect();
    let mut lines: Vec<&str> = ended.stderr.lines().collect();
    expected.sort();
    lines.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn the_table_fits_80_columns() {
    let desk = Desk::new();
    let out = desk.path("out");
    let long = fixture("odd/long_names.c");
    let ended = desk.generate(&long, "out", &["--budget", "5000x"]).expect(0);
    let report = run(&mut desk.branchwise(["report".as_ref(), out.as_os_str()]), PATIENCE).expect(0);
    assert!(report.stdout.starts_with("function "), "{}", report.stdout);
    assert!(report.stdout.contains("100.0%"), "{}", report.stdout);
    let table = ended.stdout.split("\n\ntests ").next().expect("a table");
    for line in report.stdout.lines().chain(table.lines()) {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
}

#[test]
fn report_and_check_want_a_folder_of_ours() {
    let desk = Desk::new();
    for command in ["report", "check"] {
        run(&mut desk.branchwise([command, "nowhere"]), PATIENCE).expect(2).complains(&["summary.json"]);
        desk.write("broken/summary.json", "{ \"version\": 1, ");
        run(&mut desk.branchwise([command, "broken"]), PATIENCE).expect(2).complains(&["not a summary"]);
        desk.write("future/summary.json", "{ \"version\": 999 }");
        run(&mut desk.branchwise([command, "future"]), PATIENCE).expect(2).complains(&["999"]);
    }
}

#[test]
fn check_sees_false_claims() {
    let desk = Desk::new();
    desk.generate(&fixture("early_return.c"), "out", &["--budget", "20000x"]).expect(0);
    let claimed = std::fs::read_to_string(desk.path("out/summary.json")).expect("the summary");
    for (truth, lie) in [("covered", "unknown"), ("unknown", "covered"), ("infeasible", "covered")] {
        let state = |word: &str| format!("\"state\": \"{word}\"");
        let text = claimed.replacen(&state(truth), &state(lie), 1);
        if text != claimed {
            desk.write("out/summary.json", &text);
            let verdict = desk.check("out").expect(1);
            assert!(verdict.stdout.contains("early_return.c:"), "{}", verdict.stdout);
            assert!(verdict.stdout.contains("difference"), "{}", verdict.stdout);
        }
    }
}

#[test]
fn check_sees_failing_tests() {
    let desk = Desk::new();
    let source = desk.write("sign.c", "int sign(int a) { return a < 0 ? -1 : 1; }\n");
    desk.generate(&source, "out", &[]).expect(0);
    desk.check("out").expect(0);
    desk.write("sign.c", "int sign(int a) { return a < 0 ? -2 : 1; }\n");
    let verdict = desk.check("out").expect(1);
    assert!(verdict.stdout.contains("tests fail"), "{}", verdict.stdout);
}

#[test]
fn strict_tells_unknown_goals_by_its_exit_code() {
    let desk = Desk::new();
    let source = desk.write(
        "needle.c",
        "int needle(long a, long b) { return a * b == 1234567891011 && a > b + 5 && a < 3; }\n",
    );
    desk.generate(&source, "lax", &["--budget", "100x"]).expect(0);
    desk.generate(&source, "strict", &["--budget", "100x", "--strict"]).expect(1);
    desk.generate(&fixture("gcd.c"), "all", &["--strict"]).expect(0);
}
