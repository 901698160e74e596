//! `lcov.info`: branch and function records for the many tools that read lcov.
//!
//! Hits count tests. Line hits are not known, so only lines with a branch have a `DA` record.

use crate::RunReport;
use crate::summary::{FunctionSummary, GoalSummary, Summary};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The text of `lcov.info`.
#[must_use]
pub fn lcov(run: &RunReport) -> String {
    let summary = Summary::of(run);
    let mut files: BTreeMap<&str, Vec<&FunctionSummary>> = BTreeMap::new();
    for function in &summary.functions {
        files.entry(&function.file).or_default().push(function);
    }
    files.iter().map(|(path, functions)| file_record(path, functions)).collect()
}

fn file_record(path: &str, functions: &[&FunctionSummary]) -> String {
    // A line break in a path would end the record.
    let mut text = format!("TN:branchwise\nSF:{}\n", path.replace(['\n', '\r'], " "));
    function_records(&mut text, functions);
    let goals: Vec<&GoalSummary> = functions.iter().flat_map(|f| &f.goals).collect();
    branch_records(&mut text, &goals);
    line_records(&mut text, &goals);
    text.push_str("end_of_record\n");
    text
}

fn function_records(text: &mut String, functions: &[&FunctionSummary]) {
    for f in functions {
        let _ = writeln!(text, "FN:{},{},{}", f.line, f.end_line, f.name);
    }
    for f in functions {
        let _ = writeln!(text, "FNDA:{},{}", hits(f), f.name);
    }
    let hit = functions.iter().filter(|f| hits(f) > 0).count();
    let _ = writeln!(text, "FNF:{}\nFNH:{hit}", functions.len());
}

/// Tests of the function; it has none of its own in a whole program.
fn hits(function: &FunctionSummary) -> usize {
    match function.tests.len() {
        0 => function.reached_by(),
        own => own,
    }
}

/// `BRDA:line,block,branch,taken`: a block per condition of the line, branch 0 is true; `-` if the condition
/// was never evaluated.
fn branch_records(text: &mut String, goals: &[&GoalSummary]) {
    let mut blocks: BTreeMap<u32, usize> = BTreeMap::new();
    for pair in
        goals.chunk_by(|a, b| a.branch == b.branch && a.place == b.place && a.expansion == b.expansion)
    {
        let line = pair[0].visible().line;
        let block = blocks.entry(line).or_default();
        let evaluated = pair.iter().any(|g| !g.tests.is_empty());
        for goal in pair {
            let taken = if evaluated { goal.tests.len().to_string() } else { "-".to_owned() };
            let _ = writeln!(text, "BRDA:{line},{block},{},{taken}", u8::from(!goal.outcome));
        }
        *block += 1;
    }
    let hit = goals.iter().filter(|g| !g.tests.is_empty()).count();
    let _ = writeln!(text, "BRF:{}\nBRH:{hit}", goals.len());
}

fn line_records(text: &mut String, goals: &[&GoalSummary]) {
    let mut lines: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    for goal in goals {
        lines.entry(goal.visible().line).or_default().extend(goal.tests.iter().map(String::as_str));
    }
    for (line, tests) in &lines {
        let _ = writeln!(text, "DA:{line},{}", tests.len());
    }
    let hit = lines.values().filter(|tests| !tests.is_empty()).count();
    let _ = writeln!(text, "LF:{}\nLH:{hit}", lines.len());
}
