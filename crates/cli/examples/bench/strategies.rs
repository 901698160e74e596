//! One program of others, explored by every strategy for the same time: a table, and the curves as a picture.

use crate::explored::{Searched, explore};
use crate::projects::{self, PROJECTS, Packages};
use crate::subject::grouped;
use anyhow::{Context, Result};
use c_frontend::bundle;
use report::{Curve, Summary};
use std::collections::BTreeMap;
use std::path::Path;

/// Work of each strategy, unless the variable `SECONDS` says otherwise.
const SECONDS: u64 = 60;
/// The program, unless the variable `PROGRAM` says otherwise.
const PROGRAM: &str = "grep";
/// What varies: a text to be understood, and one to be worked on.
const INPUT: [&str; 4] = ["--sym-arg", "1=20", "--sym-stdin", "40"];

const ENGINES: [&str; 10] =
    ["hybrid", "cfg-pool", "cfg", "generational", "tree", "random-branch", "uniform", "dfs", "random", "avm"];

/// Where the picture stands.
const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/strategies.svg");

pub(crate) fn report() -> Result<()> {
    let name = std::env::var("PROGRAM").unwrap_or_else(|_| PROGRAM.to_owned());
    let seconds = match std::env::var("SECONDS") {
        Ok(text) => text.parse().with_context(|| format!("SECONDS={text}"))?,
        Err(_) => SECONDS,
    };
    let project = PROJECTS.iter().find(|project| project.package == name);
    let project = project.with_context(|| format!("there is no program `{name}`"))?;
    let desk = projects::desk()?;
    let packages = Packages::new(desk.path())?;
    let program = projects::built(project, &packages, desk.path())?;
    let lines = projects::lines(&bundle::read(&program)?);
    println!("### Strategies on {name}, {} lines, {seconds} s each\n", grouped(lines as f64));
    println!("`branchwise run {name} {} --budget {seconds}s --engine …`\n", INPUT.join(" "));
    println!(
        "| engine | goals covered by the search | of | runs | traced runs | runs/s | divergences | unknown questions | goals covered after making tests | seconds in all |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut told = Vec::new();
    let title = format!("{name}, {seconds} s each");
    // `ENGINES="hybrid dfs"` chooses some: every one of them builds the program anew.
    let chosen = std::env::var("ENGINES").unwrap_or_default();
    let is_chosen =
        |engine: &&str| chosen.is_empty() || chosen.split_whitespace().any(|name| name == *engine);
    for engine in ENGINES.into_iter().filter(is_chosen) {
        // One that fails must not cost the others.
        match one(&program, seconds, engine, desk.path()) {
            Ok(summary) => told.push((engine, summary)),
            Err(error) => println!("| {engine} | {error:#} |"),
        }
        std::fs::write(PICTURE, picture(&title, &told)).context(PICTURE)?;
    }
    println!(
        "\nGoals of functions that some strategy reached: {}. Curves with a star have no told end of the search and\n\
         include the runs that made tests.",
        grouped(reached_by_any(&told) as f64)
    );
    Ok(())
}

/// Explores with one strategy, and prints its row.
fn one(program: &Path, seconds: u64, engine: &str, desk: &Path) -> Result<Summary> {
    // A format without expectations: trying tests on the plain program takes longer than the search.
    let seed = std::env::var("SEED").unwrap_or_else(|_| "1".to_owned());
    let more = [&INPUT[..], &["--engine", engine, "--seed", &seed, "--emit", "ktest"]].concat();
    let summary = explore(program, seconds, &desk.join("strategies").join(engine), &more)?;
    let whole = summary.program.as_ref().context("a program")?;
    let (exploration, searched) = (whole.exploration.as_ref(), Searched::of(whole));
    let number = |n: Option<f64>| n.map_or("–".to_owned(), grouped);
    println!(
        "| {engine} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        number(searched.as_ref().map(|s| f64::from(s.covered()))),
        grouped(summary.totals.goals.total as f64),
        number(searched.as_ref().map(|s| s.runs as f64)),
        number(exploration.map(|e| e.traced as f64)),
        number(searched.as_ref().map(Searched::runs_per_second)),
        number(exploration.map(|e| e.divergences as f64)),
        number(exploration.map(|e| e.unknown as f64)),
        grouped(summary.totals.goals.covered as f64),
        number(whole.seconds),
    );
    Ok(summary)
}

fn picture(title: &str, told: &[(&str, Summary)]) -> String {
    let curve = |(engine, summary): &(&str, Summary)| {
        let whole = summary.program.as_ref()?;
        Some(match Searched::of(whole) {
            Some(Searched { runs, curve, .. }) => {
                Curve { name: (*engine).to_owned(), points: curve, executions: runs }
            }
            // With what came after the search: marked.
            None => Curve {
                name: format!("{engine}*"),
                points: whole.curve.clone(),
                executions: whole.executions,
            },
        })
    };
    let curves: Vec<Curve> = told.iter().filter_map(curve).collect();
    let all = told.iter().map(|(_, summary)| summary.totals.goals.total).max().unwrap_or(0);
    report::compared(
        &curves,
        (&format!("{title}: branch outcomes covered over executions (logarithmic), of all"), all),
        ("Share of the branch outcomes in functions that some strategy reached", reached_by_any(told)),
    )
}

/// Goals of the functions of which at least one strategy reached a goal: the same ground for all of them.
fn reached_by_any(told: &[(&str, Summary)]) -> usize {
    let mut reached = BTreeMap::new();
    for function in told.iter().flat_map(|(_, summary)| &summary.functions) {
        if function.tally.covered > 0 {
            reached.insert((&function.file, &function.name, function.line), function.tally.total);
        }
    }
    reached.values().sum()
}
