//! `branchwise check` and `branchwise report`.

use crate::args::CheckArgs;
use crate::failure::{EXIT_UNMET, Failure};
use crate::java;
use std::process::ExitCode;

/// Judges a suite independently.
pub(crate) fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if java::is_suite(&args.dir) {
        return java::check(&args.dir);
    }
    let verdict =
        judge::check(&args.dir, &judge::Tools::default()).map_err(|e| Failure::input(e.to_string()))?;
    for note in &verdict.notes {
        println!("note: {note}");
    }
    for difference in &verdict.differences {
        println!("{difference}");
    }
    let conditions = match verdict.conditions {
        0 => String::new(),
        n => format!("{} of decisions, ", counted(n, "condition")),
    };
    println!(
        "{}, {}, {conditions}{} passed: {}",
        counted(verdict.functions, "function"),
        counted(verdict.goals, "goal"),
        counted(verdict.passed, "test"),
        match verdict.differences.len() {
            0 => "llvm-cov confirms every claim".to_owned(),
            n => counted(n, "difference"),
        }
    );
    Ok(if verdict.agrees() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_UNMET) })
}

/// Prints the table of an earlier run.
pub(crate) fn show(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let summary = judge::read_summary(&args.dir)
        .map_err(|e| Failure::input(e.to_string()).hint("name a folder that `branchwise gen` has written"))?;
    println!("{}", report::table_of(&summary).trim_end());
    Ok(ExitCode::SUCCESS)
}

/// `1 goal`, `2 goals`.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
