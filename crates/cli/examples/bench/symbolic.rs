//! Symbolic execution: what it finds that a search does not.

use crate::subject::{fixtures, generate, time};
use anyhow::Result;
use serde_json::Value;

/// Functions whose branches need values computed backwards, by engine.
pub(crate) fn backwards() -> Result<()> {
    const ENGINES: [&str; 5] = ["hybrid", "avm", "cfg", "generational", "random-branch"];
    println!("### Values computed backwards: covered of feasible goals, `backwards.c`\n");
    println!("| function | {} |", ENGINES.join(" | "));
    println!("|---|{}", "--:|".repeat(ENGINES.len()));
    let source = fixtures().join("backwards.c");
    let mut columns: Vec<Vec<(String, String)>> = Vec::new();
    let mut seconds = Vec::new();
    for engine in ENGINES {
        let folder = tempfile::tempdir()?;
        seconds.push(time(&mut generate(&source, folder.path(), &["--engine", engine, "--jobs", "1"])?)?);
        let text = std::fs::read_to_string(folder.path().join("summary.json"))?;
        let summary: Value = serde_json::from_str(&text)?;
        let functions = summary["functions"].as_array().cloned().unwrap_or_default();
        let cell = |f: &Value| {
            let tally = |name: &str| f["tally"][name].as_u64().unwrap_or(0);
            (
                f["name"].as_str().unwrap_or_default().to_owned(),
                format!("{}/{}", tally("covered"), tally("total") - tally("infeasible")),
            )
        };
        columns.push(functions.iter().map(cell).collect());
    }
    for (i, (name, _)) in columns[0].iter().enumerate() {
        let cells: Vec<&str> = columns.iter().map(|c| c[i].1.as_str()).collect();
        println!("| `{name}` | {} |", cells.join(" | "));
    }
    let seconds: Vec<String> = seconds.iter().map(|s| format!("{s:.2} s")).collect();
    println!("| whole run | {} |", seconds.join(" | "));
    Ok(())
}
