//! Decisions of Java sources, and what tests show of them.

use super::results::test_case;
use super::suites::Written;
use crate::failure::Failure;
use campaign::{Variant, conclude_decisions};
use java_backend::{JavaProgram, MethodAccount};
use java_frontend::{ClassPath, SourceDecisions};
use model::{FunctionId, Goal, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use suite::{FunctionResult, TestCase};

/// What the sources say of decisions.
pub(crate) fn read(classes: &ClassPath, scratch: &Path) -> Result<SourceDecisions, Failure> {
    let folder = scratch.join("decisions");
    std::fs::create_dir(&folder).map_err(|e| Failure::file(&folder, &e))?;
    Ok(SourceDecisions::read(classes, &folder)?)
}

/// What tests show, whichever methods they are for.
pub(crate) fn conclude(
    program: &JavaProgram,
    results: &mut [FunctionResult],
    written: &[Written<'_>],
    accounts: &BTreeMap<FunctionId, MethodAccount>,
    variant: Variant,
) {
    let tests: Vec<TestCase> = written.iter().map(test_case).collect();
    for result in results {
        let function = program.model.program.function(result.function);
        let vectors: BTreeSet<Goal> = function.vectors().collect();
        let concerns = |test: &&TestCase| test.covers.iter().any(|goal| vectors.contains(goal));
        let tests: Vec<&TestCase> = tests.iter().filter(concerns).collect();
        let infeasible = accounts.get(&result.function).map_or(&[][..], |account| &account.infeasible);
        result.decisions = conclude_decisions(function, variant, &tests, infeasible);
    }
}

/// For comments in tests, by vector: its line, and `TF- is false`.
pub(crate) fn words(program: &Program) -> BTreeMap<Goal, (u32, String)> {
    let decisions = program.functions.iter().flat_map(|function| &function.decisions);
    let told = decisions.flat_map(|decision| {
        decision.vectors().into_iter().map(|(goal, vector)| {
            let words = format!("{} is {}", decision.letters(&vector), vector.outcome);
            (goal, (decision.span.start.line, words))
        })
    });
    told.collect()
}
