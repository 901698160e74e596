//! The table, `summary.json` and `lcov.info` of the hand-made example.

use crate::example::{example, program};
use model::Stub;
use report::{Summary, json, lcov, table};

#[test]
fn table_of_the_example() {
    insta::assert_snapshot!(table(&example().report()));
}

#[test]
fn json_of_the_example() {
    insta::assert_snapshot!(json(&example().report()));
}

#[test]
fn exploration_of_a_program_as_json() {
    let mut example = program();
    let of = |example: &crate::example::Example| {
        let whole = Summary::of(&example.report()).program.expect("a program");
        serde_json::to_string_pretty(&whole.exploration).expect("numbers and text")
    };
    insta::assert_snapshot!(of(&example));
    let reproducible = of(&example);
    let exploration = example.results[0].exploration.as_mut().expect("it was explored");
    exploration.search_seconds *= 2.0;
    exploration.layers[0].seconds *= 2.0;
    assert_eq!(of(&example), reproducible);
    let mut with_times = example.report();
    with_times.settings.deterministic = false;
    let text = json(&with_times);
    assert!(text.contains("\"search_seconds\": 3.0") && text.contains("\"seconds\": 1.25"), "{text}");
}

#[test]
fn lcov_of_the_example() {
    insta::assert_snapshot!(lcov(&example().report()));
}

#[test]
fn stubs_are_named_once_in_every_report() {
    let mut example = example();
    let stub = |name: &str, file| Stub {
        name: name.into(),
        file,
        before: String::new(),
        text: String::new(),
        defines: vec![name.into()],
        is_callback: false,
    };
    example.program.stubs = vec![stub("read_it", 0), stub("ask", 0), stub("read_it", 1)];
    assert!(table(&example.report()).ends_with("\nstubs:\n  ask, read_it\n"), "{}", table(&example.report()));
    assert_eq!(Summary::of(&example.report()).stubs, ["ask", "read_it"]);
    assert!(report::html(&example.report()).contains("<dt>Stubs</dt><dd>ask, read_it</dd>"));
}

#[test]
fn json_can_be_read_back() {
    let text = json(&example().report());
    let read: Summary = serde_json::from_str(&text).expect("our own JSON");
    assert_eq!(read.to_json(), text);
    assert_eq!(read.version, 1);
}

#[test]
fn only_times_differ_between_equal_runs() {
    let (mut a, mut b) = (example(), example());
    for result in &mut a.results {
        result.seconds *= 3.0;
        result.exploration.iter_mut().for_each(|e| e.search_seconds *= 3.0);
    }
    assert_eq!(json(&a.report()), json(&b.report()));
    assert_eq!(report::html(&a.report()), report::html(&b.report()));
    let mut with_times = b.report();
    with_times.settings.deterministic = false;
    assert!(json(&with_times).contains("\"seconds\": 1.84"));
    b.results[0].executions += 1;
    assert_ne!(json(&a.report()), json(&b.report()));
}

#[test]
fn no_line_of_the_table_is_wider_than_80_columns() {
    let mut example = example();
    for f in &mut example.program.functions {
        f.name = format!("{}_{}", f.name, "very_long_名前_".repeat(20));
    }
    example.program.files[0].path = format!("{}/shapes.c", "deep".repeat(40));
    for line in table(&example.report()).lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
    }
}

#[test]
fn lcov_totals_are_sums_of_its_records() {
    let text = lcov(&example().report());
    let values = |key: &str| -> Vec<String> {
        text.lines().filter_map(|l| l.strip_prefix(key)).map(str::to_owned).collect()
    };
    let branches = values("BRDA:");
    assert_eq!(values("BRF:"), [branches.len().to_string()]);
    let hit = branches.iter().filter(|b| !b.ends_with(",0") && !b.ends_with(",-")).count();
    assert_eq!(values("BRH:"), [hit.to_string()]);
    assert_eq!(values("DA:").len().to_string(), values("LF:")[0]);
}

#[test]
fn a_program_is_the_sum_of_its_functions() {
    let example = program();
    let summary = Summary::of(&example.report());
    let apart = Summary::of(&crate::example::example().report());
    assert_eq!(summary.totals.goals, apart.totals.goals, "the same goals");
    for (f, alone) in summary.functions.iter().zip(&apart.functions) {
        assert_eq!((&f.name, f.tally, f.tests.len()), (&alone.name, alone.tally, 0));
    }
    let digits = &summary.functions[1].goals;
    assert_eq!(digits[0].tests, ["test_001", "test_002"]);
    assert_eq!((digits[3].finding, digits[3].tests.len()), (Some(0), 0));
    let whole = summary.program.as_ref().expect("a program");
    assert_eq!((summary.totals.tests, summary.totals.findings, summary.totals.executions), (2, 1, 900));
    assert_eq!(whole.tests[0].stdin.as_deref(), Some(r#""7\000\n""#));
    assert_eq!(whole.tests[0].end, "exits with status 2");
    assert_eq!(
        (whole.tests[1].values[0].name.as_str(), whole.tests[1].values[0].value.as_str()),
        ("n", "-2")
    );
    assert_eq!(whole.findings[0].what, "segmentation fault (null pointer)");
    assert_eq!(whole.seconds, None, "reproducible");
    let text = summary.to_json();
    let read: Summary = serde_json::from_str(&text).expect("our own JSON");
    assert_eq!(read, summary);
}

#[test]
fn table_and_lcov_of_a_program_count_the_tests_that_reach_a_function() {
    let example = program();
    let table = table(&example.report());
    let row = |name: &str| table.lines().find(|l| l.starts_with(name)).expect("a row").split_whitespace();
    assert_eq!(row("digits").collect::<Vec<_>>(), ["digits", "8", "75.0%", "0", "2", "2"]);
    assert_eq!(row("total").nth(5), Some("2"));
    assert!(table.contains("shapes.c:23 segmentation fault (null pointer): crashes/crash_1"), "{table}");
    let lcov = lcov(&example.report());
    assert!(lcov.contains("FNDA:2,digits\n") && lcov.contains("FNDA:1,scale\n"), "{lcov}");
}
