//! The fixtures with pointers: what the default run gives beside what others published, which way to find a shape
//! finds what, and how much hangs on the seed.

use crate::subject::{fixtures, name, program, sources, time};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Seeds that the default run is repeated with.
const SEEDS: u32 = 20;

/// The ways by themselves, and all together.
const WAYS: [(&str, &[&str]); 4] = [
    ("pointer solver", &["--shapes", "solver"]),
    ("growth", &["--shapes", "growth"]),
    ("demand", &["--shapes", "demand"]),
    ("all", &[]),
];

/// What was published of a shape: file and functions of ours, the published name, its branches, and the percentages of
/// branches that AUSTIN and CAVM covered, CAVM with its seconds.
struct Published {
    file: &'static str,
    functions: &'static [&'static str],
    name: &'static str,
    austin: &'static str,
    cavm: &'static str,
}

/// Table II of the paper on CAVM (K. Kim et al., 2018), means of 20 runs. AUSTIN was given the sources with checks for NULL
/// added.
const PUBLISHED: [Published; 17] = [
    shape("antipatterns.c", &["chained"], "antipattern 1", "100", "100 (0.4–1.3 s)"),
    shape("antipatterns.c", &["in_window"], "antipattern 2", "100", "100 (0.4–1.3 s)"),
    shape("antipatterns.c", &["called"], "antipattern 3", "100", "100 (0.4–1.3 s)"),
    shape("antipatterns.c", &["named"], "antipattern 4, `strcmp`", "0", "100 (0.4–1.3 s)"),
    shape("antipatterns.c", &["fourth"], "antipattern 5", "100", "100 (0.4–1.3 s)"),
    shape("antipatterns.c", &["closed"], "antipattern 6", "100", "100 (0.4–1.3 s)"),
    shape("list.c", &["list_delete"], "list delete", "100", "16.67 (24.7 s)"),
    shape("list.c", &["list_insert"], "list insert", "100", "50 (17.1 s)"),
    shape("list.c", &["list_modify"], "list modify", "100", "38.75 (13.7 s)"),
    shape("list.c", &["list_print"], "list print", "100", "100 (0.3 s)"),
    shape("list.c", &["list_search"], "list search", "0", "100 (1.0 s)"),
    shape("tree.c", &["inorder", "preorder", "postorder"], "tree in-, pre-, postorder", "100", "100 (0.2 s)"),
    shape("tree.c", &["iter_inorder"], "tree iter_inorder", "0", "100 (71 s)"),
    shape("tree.c", &["search", "iter_search"], "tree search, iter_search", "0", "100 (0.8 s, 0.9 s)"),
    shape("level_order.c", &["level_order"], "tree level_order", "0", "100 (144 s)"),
    shape("scandir.c", &["scan_open", "scan_path", "count_file"], "busybox my_stat, scan_one_dir", "0", "0"),
    shape(
        "demangle.c",
        &["demangle_name", "demangle_type", "demangle"],
        "decode.c",
        "0",
        "8.8–100 (0.6–196 s)",
    ),
];

const fn shape(
    file: &'static str,
    functions: &'static [&'static str],
    name: &'static str,
    austin: &'static str,
    cavm: &'static str,
) -> Published {
    Published { file, functions, name, austin, cavm }
}

/// One function in one run.
#[derive(Clone, Debug)]
struct Row {
    name: String,
    goals: u64,
    covered: u64,
    infeasible: u64,
    tests: u64,
    executions: u64,
    milliseconds: f64,
}

/// Every fixture, and the shapes that others published figures for.
pub(crate) fn report() -> Result<()> {
    let mut all: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for source in sources(&fixtures().with_file_name("heap"))? {
        all.insert(name(&source), functions(&source, &[])?);
    }
    println!("### Pointers, strings, surroundings: every fixture with the default settings\n");
    println!(
        "| file | functions | branches | covered | infeasible | tests | executions | ms | slowest function |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|---|");
    for (file, rows) in &all {
        print_file(file, rows);
    }
    let whole: Vec<Row> = all.values().flatten().cloned().collect();
    print_file("**all**", &whole);
    let slow: Vec<&Row> = whole.iter().filter(|row| row.milliseconds >= 1000.0).collect();
    println!("\nFunctions of a second or more: {} of {}.", slow.len(), whole.len());
    println!("\n### The shapes that AUSTIN and CAVM were measured on\n");
    println!("| shape | ours | branches | covered or infeasible | executions | ms | AUSTIN % | CAVM % |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for shape in &PUBLISHED {
        print_shape(shape, &all)?;
    }
    Ok(())
}

fn print_file(file: &str, rows: &[Row]) {
    let sum = |of: fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
    let slowest = rows.iter().max_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
    let slowest = slowest.map_or(String::new(), |row| format!("`{}` {:.0} ms", row.name, row.milliseconds));
    println!(
        "| {} | {} | {} | {} | {} | {} | {} | {:.0} | {slowest} |",
        if file.contains('*') { file.to_owned() } else { format!("`{file}`") },
        rows.len(),
        sum(|row| row.goals),
        sum(|row| row.covered),
        sum(|row| row.infeasible),
        sum(|row| row.tests),
        sum(|row| row.executions),
        rows.iter().map(|row| row.milliseconds).sum::<f64>(),
    );
}

fn print_shape(shape: &Published, all: &BTreeMap<String, Vec<Row>>) -> Result<()> {
    let rows = all.get(shape.file).with_context(|| format!("no fixture {}", shape.file))?;
    let ours: Vec<&Row> = rows.iter().filter(|row| shape.functions.contains(&row.name.as_str())).collect();
    ensure!(ours.len() == shape.functions.len(), "{} lacks one of {:?}", shape.file, shape.functions);
    let sum = |of: fn(&Row) -> u64| ours.iter().map(|row| of(row)).sum::<u64>();
    println!(
        "| {} | `{}` | {} | {} | {} | {:.0} | {} | {} |",
        shape.name,
        shape.functions.join("`, `"),
        sum(|row| row.goals),
        sum(|row| row.covered + row.infeasible),
        sum(|row| row.executions),
        ours.iter().map(|row| row.milliseconds).sum::<f64>(),
        shape.austin,
        shape.cavm,
    );
    Ok(())
}

/// The ways to find shapes, each by itself.
pub(crate) fn ways() -> Result<()> {
    println!("### Branches covered by the ways to find a shape\n");
    println!("| file | branches | {} |", WAYS.map(|(name, _)| name).join(" | "));
    println!("|---|--:|{}", "--:|".repeat(WAYS.len()));
    let mut sums = [0; WAYS.len()];
    let mut branches = 0;
    let mut same = 0;
    for source in sources(&fixtures().with_file_name("heap"))? {
        let mut covered = [0; WAYS.len()];
        let mut goals = 0;
        for (way, (_, arguments)) in WAYS.iter().enumerate() {
            let rows = functions(&source, arguments)?;
            goals = rows.iter().map(|row| row.goals).sum();
            covered[way] = rows.iter().map(|row| row.covered).sum::<u64>();
            sums[way] += covered[way];
        }
        branches += goals;
        if covered.iter().all(|&count| count == covered[0]) {
            same += 1;
            continue;
        }
        println!(
            "| `{}` | {goals} | {} |",
            name(&source),
            covered.map(|count| count.to_string()).join(" | ")
        );
    }
    println!("| **all** | {branches} | {} |", sums.map(|count| count.to_string()).join(" | "));
    println!("\n{same} more files are covered equally by all of them.");
    Ok(())
}

/// The default run with many seeds.
pub(crate) fn seeds() -> Result<()> {
    println!("### Covered branches with {SEEDS} seeds\n");
    println!("| file | branches | least | most | seeds with the most |");
    println!("|---|--:|--:|--:|--:|");
    let (mut alike, mut files) = (0, 0);
    for source in sources(&fixtures().with_file_name("heap"))? {
        let mut covered = Vec::new();
        let mut goals = 0;
        for seed in 1..=SEEDS {
            let rows = functions(&source, &["--seed", &seed.to_string()])?;
            goals = rows.iter().map(|row| row.goals).sum();
            covered.push(rows.iter().map(|row| row.covered).sum::<u64>());
        }
        let (least, most) = (covered.iter().min().unwrap_or(&0), covered.iter().max().unwrap_or(&0));
        let reached = covered.iter().filter(|count| *count == most).count();
        files += 1;
        if reached == covered.len() {
            alike += 1;
            continue;
        }
        println!("| `{}` | {goals} | {least} | {most} | {reached} of {SEEDS} |", name(&source));
    }
    println!("\n{alike} of {files} files are covered the same with all seeds and left out.");
    Ok(())
}

/// Runs a file, one function after the other, and tells what became of each.
fn functions(source: &Path, more: &[&str]) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let said = folder.path().join("said");
    let out = folder.path().join("out");
    let mut command = Command::new(program("branchwise")?);
    command.args(["gen", "--jobs", "1", "--out"]).arg(&out).args(more).arg(source);
    command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(std::fs::File::create(&said)?);
    time(&mut command)?;
    let times = times(&std::fs::read_to_string(&said)?);
    let summary: Value = serde_json::from_str(&std::fs::read_to_string(out.join("summary.json"))?)?;
    let functions = summary["functions"].as_array().context("summary.json has no functions")?;
    functions.iter().map(|function| row(function, &times)).collect()
}

fn row(function: &Value, times: &BTreeMap<String, f64>) -> Result<Row> {
    let name = function["name"].as_str().context("a function has no name")?.to_owned();
    let number = |value: &Value| value.as_u64().with_context(|| format!("a number of {name} is missing"));
    let tally = &function["tally"];
    Ok(Row {
        goals: number(&tally["total"])?,
        covered: number(&tally["covered"])?,
        infeasible: number(&tally["infeasible"])?,
        tests: function["tests"].as_array().map_or(0, |tests| tests.len() as u64),
        executions: number(&function["executions"])?,
        milliseconds: times.get(&name).copied().with_context(|| format!("the time of {name} is missing"))?,
        name,
    })
}

/// The last column of the table that is printed at the end: what each function took, its search and the confirmation of
/// its tests, in milliseconds.
fn times(said: &str) -> BTreeMap<String, f64> {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let (first, last) = (words.next()?, words.next_back()?);
        let milliseconds = match last.strip_suffix("ms") {
            Some(number) => number.parse::<f64>().ok()?,
            None => last.strip_suffix('s')?.parse::<f64>().ok()? * 1000.0,
        };
        Some((first.to_owned(), milliseconds))
    };
    said.lines().filter_map(of_line).collect()
}
