//! Every form of the results of one small experiment.

mod example;

use example::{groups, plan, records};
use experiment::{Measure, Plan, Record, Results, html};

/// Two engines on two decisions in five runs: `ga` reaches 3, 4, 4, 4 and 1 of 4 goals of the first decision and always
/// both of the second, `hc` 1, 2, 0, 2 and 1, and one.
fn small() -> (Plan, Vec<Record>) {
    let plan = plan(
        "engines = [\"ga\", \"hc\"]\ncriteria = [\"mcdc\"]\nbudgets = [{ per_goal = 500 }]\nrepetitions = 5\n\
         [[subject]]\nname = \"<small> & \\\"quoted\\\"\"\npath = \"small.c\"\n\
         [[subject.domain]]\nranges = { x = [-5, 5] }\n",
    );
    let records = records(&plan, |key| {
        let (first, second) = match key.engine.as_str() {
            "ga" => ([3, 4, 4, 4, 1], 2),
            _ => ([1, 2, 0, 2, 1], 1),
        };
        groups([("12:5", first[key.seed as usize - 1], 4), ("17:9", second, 2)])
    });
    (plan, records)
}

fn results() -> Results {
    let (plan, records) = small();
    Results::of(&plan, &records)
}

#[test]
fn markdown_of_the_example() {
    insta::assert_snapshot!(results().markdown("Small"));
}

#[test]
fn json_of_the_example() {
    insta::assert_snapshot!(results().json());
}

#[test]
fn csv_of_the_example() {
    let results = results();
    let all = [results.coverage_csv(), results.success_csv(), results.comparisons_csv()];
    insta::assert_snapshot!(all.join("\n").replace('\r', ""));
}

#[test]
fn page_of_the_example() {
    let page = html("Small", &results());
    let body = page.split_once("</style>").expect("a style").1;
    insta::assert_snapshot!(body);
}

#[test]
fn comparisons_are_those_of_the_samples() {
    let results = results();
    let setting = &results.settings[0];
    let (ga, hc) = ([87.5, 100.0, 100.0, 100.0, 62.5], [37.5, 50.0, 25.0, 50.0, 37.5]);
    assert_eq!(
        (setting.runs[0].coverage.as_slice(), setting.runs[1].coverage.as_slice()),
        (&ga[..], &hc[..])
    );
    let [coverage, evaluations] = setting.comparisons.as_slice() else { panic!("two measures, one pair") };
    assert_eq!((coverage.measure, coverage.a12), (Measure::Coverage, 1.0), "every run of ga is better");
    // U = 25, ties of 3, 2 and 2: variance 25/12 (11 - 36/90) = 22.083, z = 12 / 4.699 = 2.5536; tables of the normal
    // distribution have 0.0054 beyond 2.55 and 0.0052 beyond 2.56.
    assert!((2.0 * 0.0052..2.0 * 0.0054).contains(&coverage.p), "{}", coverage.p);
    assert_eq!((evaluations.measure, evaluations.a12, evaluations.p), (Measure::Evaluations, 0.5, 1.0));
}

#[test]
fn goals_have_rates_and_evaluations() {
    let results = results();
    let row = results.settings[0].successes.iter().find(|row| row.goal == "g2").expect("a third goal");
    let (ga, hc) = (row.cells[0].expect("runs"), row.cells[1].expect("runs"));
    assert_eq!((row.group.as_str(), ga.reached, ga.runs, ga.rate), ("12:5", 4, 5, 0.8));
    assert_eq!((ga.evaluations, hc.reached, hc.evaluations), (Some(12.0), 0, None));
}

#[test]
fn the_order_of_records_does_not_matter_and_times_only_if_told() {
    let (plan, mut records) = small();
    let expected = html("x", &Results::of(&plan, &records)) + &Results::of(&plan, &records).json();
    records.reverse();
    let outputs =
        |records: &[Record]| html("x", &Results::of(&plan, records)) + &Results::of(&plan, records).json();
    assert_eq!(outputs(&records), expected);
    records.iter_mut().for_each(|record| record.seconds = Some(record.key.seed as f64));
    assert!(outputs(&records).contains("\"seconds\""), "times are compared");
    let reproducible: Vec<Record> = records.into_iter().map(Record::reproducible).collect();
    assert_eq!(outputs(&reproducible), expected);
}

#[test]
fn what_was_not_run_leaves_a_gap() {
    let (plan, mut records) = small();
    records.retain(|record| record.key.engine == "ga" && record.key.seed != 2);
    let mut stranger = records[0].clone();
    stranger.key.seed = 99;
    stranger.groups.clear();
    records.push(stranger);
    let results = Results::of(&plan, &records);
    let setting = &results.settings[0];
    assert_eq!(setting.runs[0].seeds, [1, 3, 4, 5]);
    assert!(setting.comparisons.is_empty() && setting.mean_of_groups.cells[1].is_none());
    assert!(results.markdown("x").contains("| 17:9 | 2 | 100.0 ± 0.0 | – |"));
    assert!(
        results.coverage_csv().contains(",17:9,2,4,100.0000,0.0000,,,\r\n"),
        "{}",
        results.coverage_csv()
    );
    assert!(html("x", &results).contains("hc: no runs."));
    let none = Results::of(&plan, &[]);
    assert!(none.settings[0].groups.is_empty() && html("x", &none).ends_with("</html>\n"));
}

/// The numbers of an attribute or path of the page, in order.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// What stands between two texts, each time they come.
fn between<'a>(page: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    page.split(before).skip(1).filter_map(|rest| rest.split(after).next()).collect()
}

#[test]
fn boxes_lie_at_the_quartiles() {
    let page = html("Small", &results());
    let grid: Vec<f64> = between(&page, "class=\"grid\" d=\"", "\"").iter().map(|d| numbers(d)[1]).collect();
    let (zero, hundred) = (grid[0], grid[4]);
    let y = |percent: f64| zero + (hundred - zero) * percent / 100.0;
    let near = |a: f64, b: f64| assert!((a - b).abs() < 0.11, "{a} is not {b}");
    // Sorted 62.5, 87.5, 100, 100, 100: quartiles at the second, third and fourth; the fence is at 68.75.
    // Sorted 25, 37.5, 37.5, 50, 50: fence at 18.75 and 68.75.
    let expected = [(87.5, 100.0, 100.0, (87.5, 100.0)), (37.5, 37.5, 50.0, (25.0, 50.0))];
    let boxes = between(&page, "<g class=\"box\"", "</g>");
    assert_eq!(boxes.len(), 2);
    for (drawn, (lower, median, upper, whiskers)) in boxes.iter().zip(expected) {
        let rect = numbers(between(drawn, "<rect ", "/>")[0]);
        near(rect[1], y(upper));
        near(rect[1] + rect[3], y(lower));
        near(numbers(between(drawn, "class=\"median\" d=\"", "\"")[0])[1], y(median));
        let ends: Vec<f64> =
            between(drawn, "class=\"whisker\" d=\"", "\"").iter().map(|d| numbers(d)[1]).collect();
        near(ends[0], y(whiskers.0));
        near(ends[1], y(whiskers.1));
    }
    let outlier = numbers(between(boxes[0], "<circle ", "/>")[0]);
    near(outlier[1], y(62.5));
    assert!(!boxes[1].contains("<circle"));
}

#[test]
fn the_page_asks_for_nothing_and_escapes_names() {
    let page = html("a <b>", &results());
    assert!(page.contains("default-src 'none'") && !page.contains("<script") && !page.contains("http://"));
    assert!(page.contains("<title>a &lt;b&gt; – branchwise</title>") && !page.contains("<small>"));
    assert!(
        page.contains("aria-labelledby=\"t0 d0\"") && page.contains("<desc id=\"d0\">ga: median 100.0 %")
    );
    assert!(page.contains("prefers-color-scheme: dark"));
}
