//! Summaries written by hand.

use report::{
    FunctionSummary, GoalSummary, GoalTally, Place, SettingsSummary, State, Summary, TestSummary, Totals,
    UnitSummary, VERSION,
};
use std::collections::BTreeMap;

/// The place of the `nth` occurrence of a text.
pub(crate) fn place(file: &str, source: &str, text: &str, nth: usize) -> Place {
    let (start, _) = source.match_indices(text).nth(nth).expect("the text is in the source");
    let line_start = source[..start].rfind('\n').map_or(0, |n| n + 1);
    let line = source[..start].matches('\n').count() as u32 + 1;
    let column = (start - line_start) as u32 + 1;
    Place { file: file.into(), line, column, end_line: line, end_column: column + text.len() as u32 }
}

/// Both outcomes of a condition with the tests that reach them.
pub(crate) fn branch(
    branch: usize,
    place: Place,
    expansion: Option<Place>,
    tests: [&[&str]; 2],
) -> [GoalSummary; 2] {
    [true, false].map(|outcome| {
        let tests = tests[usize::from(!outcome)];
        GoalSummary {
            branch,
            kind: "condition".into(),
            place: place.clone(),
            outcome,
            expansion: expansion.clone(),
            state: if tests.is_empty() { State::Unknown } else { State::Covered },
            reason: None,
            why: None,
            finding: None,
            tests: tests.iter().map(|&t| t.into()).collect(),
            engine: None,
            execution: None,
        }
    })
}

/// A function and its tests as `(name, death)`.
pub(crate) fn function(
    name: &str,
    place: &Place,
    goals: Vec<GoalSummary>,
    tests: &[(&str, bool)],
) -> FunctionSummary {
    let covered = goals.iter().filter(|g| g.state == State::Covered).count();
    let test = |(name, death): &(&str, bool)| TestSummary {
        name: (*name).into(),
        inputs: String::new(),
        outcome: String::new(),
        death: *death,
        result: None,
        covers: 0,
    };
    FunctionSummary {
        name: name.into(),
        file: place.file.clone(),
        line: place.line,
        end_line: place.line,
        is_static: false,
        tally: GoalTally { total: goals.len(), covered, infeasible: 0, unknown: goals.len() - covered },
        unknown_reasons: BTreeMap::new(),
        goals,
        tests: tests.iter().map(test).collect(),
        findings: vec![],
        assumed: vec![],
        decisions: vec![],
        obligations: vec![],
        left_out: vec![],
        assertions: vec![],
        executions: 0,
        seconds: None,
        seed: 0,
        curve: vec![],
        unstable: vec![],
        approximations: vec![],
        exploration: None,
        candidates: None,
        dependence_sets: vec![],
    }
}

/// A summary of these units and functions.
pub(crate) fn summary(units: &[&str], functions: Vec<FunctionSummary>) -> Summary {
    Summary {
        version: VERSION,
        tool: "branchwise".into(),
        command: String::new(),
        settings: SettingsSummary {
            engine: "avm".into(),
            criterion: "branch".into(),
            mcdc: None,
            obligations: None,
            budget: "1x".into(),
            seed: 0,
        },
        units: units.iter().map(|stem| unit_summary(stem)).collect(),
        totals: Totals::default(),
        making: None,
        problems: vec![],
        stubs: Vec::new(),
        undefined: vec![],
        functions,
        program: None,
    }
}

fn unit_summary(stem: &str) -> UnitSummary {
    UnitSummary { path: format!("{stem}.c"), stem: stem.into(), flags: vec![], directory: ".".into() }
}
