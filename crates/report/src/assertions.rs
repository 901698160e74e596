//! Assertions that fail in some test: the function, or a caller of it, broke a promise that the source states itself.
//!
//! Such a test expects the end, so it is no finding; it is told apart all the same.

use crate::RunReport;
use crate::place::file_path;
use crate::summary::AssertionSummary;
use model::{Branch, Function, Goal, Program};
use std::collections::BTreeSet;
use suite::{FunctionResult, TestCase};
use target::Outcome;

/// The macro of the C library, however it is written there.
const MACRO: &str = "assert";

/// The assertions of a program that fail in tests of a function, each once.
pub(crate) fn broken(run: &RunReport, result: &FunctionResult) -> Vec<AssertionSummary> {
    let passed = |goal: &Goal| {
        let returning = result.tests.iter().filter(|test| test.outcome == Outcome::Returned);
        returning.into_iter().any(|test| test.covers.contains(goal))
    };
    let mut seen = BTreeSet::new();
    let aborted = result.tests.iter().filter(|test| test.outcome == Outcome::Aborted);
    let failing = |test: &TestCase| {
        let failures = test.covers.iter().filter(|goal| !goal.outcome && !passed(goal));
        failures.filter_map(|goal| assertion(run, branch(run.program, *goal)?.1)).next_back()
    };
    aborted
        .filter_map(|test| failing(test).map(|(place, text)| (place, text, test.name.clone())))
        .filter(|(place, ..)| seen.insert(place.clone()))
        .map(|(place, condition, test)| AssertionSummary { place, condition, test })
        .collect()
}

fn branch(program: &Program, goal: Goal) -> Option<(&Function, &Branch)> {
    program.functions.iter().find_map(|function| Some((function, function.branch(goal.branch)?)))
}

/// `file:line` and text of the assertion that a branch belongs to, if it belongs to one.
fn assertion(run: &RunReport, branch: &Branch) -> Option<(String, String)> {
    // What comes from a header of the system stands where the macro is used.
    let span = branch.expansion.unwrap_or(branch.span);
    let (_, source) = run.sources.iter().find(|(file, _)| *file == span.file)?;
    let line = source.lines().nth(span.start.line as usize - 1)?;
    let text = line.get(span.start.column as usize - 1..)?;
    let condition = text.strip_prefix(MACRO)?.trim_start();
    let condition = condition.strip_prefix('(')?;
    let end = condition.rfind(')').unwrap_or(condition.len());
    let place = format!("{}:{}", file_path(run.program, span.file), span.start.line);
    Some((place, condition[..end].trim().to_owned()))
}
