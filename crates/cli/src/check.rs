//! `branchwise check` and `branchwise report`.

use crate::args::CheckArgs;
use crate::failure::{EXIT_UNMET, Failure};
use std::process::ExitCode;

/// Judges a suite independently.
pub fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let verdict = judge::check(&args.dir, &judge::Tools::default()).map_err(|e| Failure::input(e.to_string()))?;
    print!("{verdict}");
    Ok(if verdict.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_UNMET) })
}

/// Prints the table of an earlier run.
pub fn show(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let path = args.dir.join("summary.json");
    let text = std::fs::read_to_string(&path)
        .map_err(|e| Failure::file(&path, &e).hint("name a folder that `branchwise gen` has written"))?;
    let summary =
        report::Summary::from_json(&text).map_err(|e| Failure::input(format!("{}: {e}", path.display())))?;
    println!("{}", summary.table().trim_end());
    Ok(ExitCode::SUCCESS)
}
