//! Every fixture: what the default run gives, and what each engine reaches with the same small budget.

use crate::subject::{fixtures, generate, name, sources, time};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

/// Runs of a function granted in the comparison of engines.
const BUDGET: &str = "20000x";
const SEEDS: [&str; 3] = ["1", "2", "3"];

/// Totals of one run.
#[derive(Clone, Copy, Default)]
struct Totals {
    functions: u64,
    goals: u64,
    covered: u64,
    infeasible: u64,
    tests: u64,
    executions: u64,
    seconds: f64,
}

pub(crate) fn report() -> Result<()> {
    println!("### The fixtures with the default settings\n");
    println!("| file | functions | goals | covered | infeasible | tests | executions | seconds |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut sum = Totals::default();
    for source in sources(&fixtures())? {
        let totals = run(&source, &[])?;
        print_row(&format!("`{}`", name(&source)), totals);
        sum = sum.plus(totals);
    }
    print_row("**all**", sum);
    Ok(())
}

pub(crate) fn compare_engines() -> Result<()> {
    let engines: Vec<&str> = search::all().iter().map(|engine| engine.name()).collect();
    println!("### Goals covered by engine, budget {BUDGET}, seeds {}\n", SEEDS.join(", "));
    println!("| file | goals | {} |", engines.join(" | "));
    println!("|---|--:|{}", "--:|".repeat(engines.len()));
    let mut all_goals = 0;
    let mut sums = vec![[0; SEEDS.len()]; engines.len()];
    for source in sources(&fixtures())? {
        let mut goals = 0;
        let mut cells = Vec::new();
        for (engine, sum) in engines.iter().zip(&mut sums) {
            let mut covered = [0; SEEDS.len()];
            for (i, seed) in SEEDS.iter().enumerate() {
                let totals = run(&source, &["--engine", engine, "--budget", BUDGET, "--seed", seed])?;
                goals = totals.goals;
                covered[i] = totals.covered;
                sum[i] += totals.covered;
            }
            cells.push(range(&covered));
        }
        all_goals += goals;
        println!("| `{}` | {goals} | {} |", name(&source), cells.join(" | "));
    }
    let sums: Vec<String> = sums.iter().map(|sum| range(sum)).collect();
    println!("| **all** | {all_goals} | {} |", sums.join(" | "));
    Ok(())
}

/// `12`, or `10–12` where the seeds differ.
fn range(values: &[u64]) -> String {
    let (least, most) = (values.iter().min().unwrap_or(&0), values.iter().max().unwrap_or(&0));
    if least == most { least.to_string() } else { format!("{least}–{most}") }
}

fn print_row(name: &str, t: Totals) {
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {:.2} |",
        t.functions, t.goals, t.covered, t.infeasible, t.tests, t.executions, t.seconds
    );
}

fn run(source: &Path, more: &[&str]) -> Result<Totals> {
    let folder = tempfile::tempdir()?;
    let seconds = time(&mut generate(source, folder.path(), more)?)?;
    let text = std::fs::read_to_string(folder.path().join("summary.json"))?;
    let summary: Value = serde_json::from_str(&text)?;
    let number = |path: &str| {
        summary.pointer(path).and_then(Value::as_u64).with_context(|| format!("summary.json has no {path}"))
    };
    Ok(Totals {
        functions: number("/totals/functions")?,
        goals: number("/totals/goals/total")?,
        covered: number("/totals/goals/covered")?,
        infeasible: number("/totals/goals/infeasible")?,
        tests: number("/totals/tests")?,
        executions: number("/totals/executions")?,
        seconds,
    })
}

impl Totals {
    fn plus(self, other: Totals) -> Totals {
        Totals {
            functions: self.functions + other.functions,
            goals: self.goals + other.goals,
            covered: self.covered + other.covered,
            infeasible: self.infeasible + other.infeasible,
            tests: self.tests + other.tests,
            executions: self.executions + other.executions,
            seconds: self.seconds + other.seconds,
        }
    }
}
