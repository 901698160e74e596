//! The table, `summary.json` and `lcov.info` of the hand-made example.

mod example;

use example::example;
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
fn lcov_of_the_example() {
    insta::assert_snapshot!(lcov(&example().report()));
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
    a.results.iter_mut().for_each(|r| r.seconds *= 3.0);
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
