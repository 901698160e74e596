//! Names that say what a test is for.

use crate::TestCase;
use model::{Decision, Function, Goal};
use std::collections::HashSet;

/// Gives every test a name after the last goal it is kept for, which lies deepest: `triangle_line_14_true`; with the column where
/// two conditions share a line, `triangle_runs` where there is no branch,
/// `triangle_calls` where the goal belongs to another function.
pub fn name_tests(function: &Function, tests: &mut [TestCase]) {
    let mut used = HashSet::new();
    for test in tests {
        let base = match test.purpose.last().and_then(|g| function.branch(g.branch).map(|b| (g, b))) {
            None if test.purpose.is_empty() => format!("{}_runs", function.name),
            // For a goal of what it calls.
            None => format!("{}_calls", function.name),
            Some((goal, branch)) => {
                let start = match decision_of(function, *goal) {
                    Some(decision) => decision.span.start,
                    None => branch.expansion.unwrap_or(branch.span).start,
                };
                let shares_line = function
                    .branches
                    .iter()
                    .filter(|b| b.counted && b.expansion.unwrap_or(b.span).start.line == start.line)
                    .count()
                    > 1;
                let column = if shares_line { format!("_col_{}", start.column) } else { String::new() };
                let end = match vector_letters(function, *goal) {
                    Some(letters) => letters.to_lowercase().replace('-', "x"),
                    None => goal.outcome.to_string(),
                };
                format!("{}_line_{}{column}_{end}", function.name, start.line)
            }
        };
        let mut name = base.clone();
        let mut number = 2;
        while !used.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        test.name = name;
    }
}

/// The decision that a goal is a vector of.
#[must_use]
pub fn decision_of(function: &Function, goal: Goal) -> Option<&Decision> {
    function.decisions.iter().find(|decision| decision.nodes.iter().any(|node| node.branch == goal.branch))
}

/// The vector that a goal is, if it is one: `TF-`, with `C` for constants.
#[must_use]
pub fn vector_letters(function: &Function, goal: Goal) -> Option<String> {
    let decision = decision_of(function, goal)?;
    let (_, vector) = decision.vectors().into_iter().find(|(other, _)| *other == goal)?;
    Some(decision.letters(&vector))
}
