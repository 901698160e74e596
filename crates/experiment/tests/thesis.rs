//! The tables of the thesis, from records made to fit them (Awedikian 2009, chapter 5; checklist items 62 and 63).

mod example;

use example::{groups, plan, records};
use experiment::{Plan, Record, Results};

/// Decisions of Triangle by line, with their goals.
const DECISIONS: [(&str, usize); 10] = [
    ("37", 4),
    ("41", 2),
    ("44", 2),
    ("47", 2),
    ("50", 2),
    ("51", 4),
    ("57", 2),
    ("60", 3),
    ("63", 3),
    ("66", 3),
];

fn plan_of(repetitions: usize) -> Plan {
    plan(&format!(
        "engines = [\"ga\", \"hc\", \"random\"]\ncriteria = [\"mcdc\"]\nbudgets = [{{ per_goal = 5000 }}]\n\
         repetitions = {repetitions}\ncollateral = false\n[[subject]]\npath = \"triangle.c\"\n"
    ))
}

/// One run with 1000 goals to each decision, so that the printed percentages are reached to the digit.
fn as_printed(plan: &Plan) -> Vec<Record> {
    let table = [
        ("ga", [100.0, 100.0, 98.3, 98.3, 50.0, 100.0, 0.0, 0.0, 0.0, 0.0]),
        ("hc", [96.6, 53.5, 53.5, 55.7, 53.5, 72.4, 0.0, 0.0, 0.0, 0.0]),
        ("random", [100.0, 50.0, 50.0, 50.0, 50.0, 100.0, 0.0, 0.0, 0.0, 0.0]),
    ];
    records(plan, |key| {
        let percentages = table.iter().find(|(engine, _)| *engine == key.engine).expect("an engine").1;
        let decisions = DECISIONS.iter().zip(percentages);
        groups(decisions.map(|((line, _), percent)| (*line, (percent * 10.0f64).round() as usize, 1000)))
    })
}

#[test]
fn item_62_totals_of_table_5_2_are_the_means_of_its_rows() {
    let plan = plan_of(1);
    let results = Results::of(&plan, &as_printed(&plan));
    let total = &results.settings[0].mean_of_groups;
    let printed: Vec<String> =
        total.cells.iter().map(|cell| format!("{:.1}", cell.expect("a run").mean)).collect();
    assert_eq!(printed, ["54.7", "38.5", "40.0"]);
    let text = results.markdown("Triangle");
    assert!(text.contains("| Total, mean of decisions | 10000 | 54.7 | 38.5 | 40.0 |"), "{text}");
    assert!(text.contains("| 5000 per goal | 54.7 | 38.5 | 40.0 |"), "{text}");
}

#[test]
fn runs_behind_table_5_2_have_both_totals_and_a_spread() {
    let plan = plan_of(29);
    // GA: one of 29 runs misses one goal of 44, another one of 47; all miss half of 50 and everything from 57 on.
    let reached = |line: &str, goals: usize, seed: u64| match line {
        "44" => goals - usize::from(seed == 3),
        "47" => goals - usize::from(seed == 8),
        "50" => 1,
        "57" | "60" | "63" | "66" => 0,
        _ => goals,
    };
    let records = records(&plan, |key| {
        groups(DECISIONS.map(|(line, goals)| (line, reached(line, goals, key.seed), goals)))
    });
    let results = Results::of(&plan, &records);
    let setting = &results.settings[0];
    let of_44 = setting.groups[2].cells[0].expect("runs");
    assert_eq!((setting.groups[2].name.as_str(), setting.groups[2].goals, of_44.runs), ("44", 2, 29));
    assert!((of_44.mean - 100.0 * 57.0 / 58.0).abs() < 1e-6, "98.3");
    // One of n values half as large as the others: 50 / sqrt(n).
    assert!((of_44.standard_deviation.expect("29 runs") - 50.0 / 29f64.sqrt()).abs() < 1e-6);
    let (by_decision, by_goal) = (&setting.mean_of_groups, &setting.goal_weighted);
    assert_eq!(
        (by_decision.name.as_str(), by_goal.name.as_str()),
        ("mean of decisions", "weighted by goals")
    );
    // 4 + 2 + 57/29 + 57/29 + 1 + 4 of 27 goals.
    let share = (11.0 + 114.0 / 29.0) / 27.0;
    assert!((by_goal.cells[0].expect("runs").mean - 100.0 * share).abs() < 1e-6);
    assert_eq!(by_goal.goals, 27);
    // Two runs have 50, half a decision of ten less than the 55 of the others.
    let runs = by_decision.cells[0].expect("runs");
    assert!((runs.mean - (2.0 * 50.0 + 27.0 * 55.0) / 29.0).abs() < 1e-6, "{runs:?}");
}

#[test]
fn sweeps_have_the_layout_of_the_thesis() {
    let domains = "[[subject.domain]]\nname = \"±100\"\n[[subject.domain]]\nname = \"int\"\n";
    let text = format!(
        "engines = [\"ga\", \"hc\"]\nbudgets = [{{ per_goal = 5000 }}, {{ per_goal = 10000 }}]\nrepetitions = 2\n\
         [[subject]]\npath = \"triangle.c\"\n{domains}[[subject]]\npath = \"nextdate.c\"\n"
    );
    let plan = plan(&text);
    let records = records(&plan, |key| groups([("f", usize::from(key.domain != "int") + 1, 4)]));
    let text = Results::of(&plan, &records).markdown("Sweep");
    // 5.1 and 5.3: a table for each budget, a row for each domain.
    let of_domains = "| domain | ga | hc |\n|---|---|---|\n| ±100 | 50.0 ± 0.0 | 50.0 ± 0.0 |\n\
                      | int | 25.0 ± 0.0 | 25.0 ± 0.0 |\n";
    for budget in ["5000", "10000"] {
        for total in ["mean of functions", "weighted by goals"] {
            let title = format!("**triangle.c, branch, {budget} per goal: coverage in %, {total}**");
            assert!(text.contains(&format!("{title}\n\n{of_domains}")), "{title} in\n{text}");
        }
    }
    // 5.6: a row for each budget.
    let of_budgets = "| budget | ga | hc |\n|---|---|---|\n| 5000 per goal | 50.0 ± 0.0 | 50.0 ± 0.0 |\n\
                      | 10000 per goal | 50.0 ± 0.0 | 50.0 ± 0.0 |\n";
    let title = "**nextdate.c, branch, whole types: coverage in %, mean of functions**";
    assert!(text.contains(&format!("{title}\n\n{of_budgets}")), "{text}");
}
