//! Java: the containers of den Hollander's thesis beside what he, Rostra and Symstra reach, the package in the manner of his
//! case study, and jars of others.

use crate::subject::{fixtures, generate, time};
use anyhow::Result;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Branch coverage in per cent as published: JTestCraft, Rostra, Symstra.
const PUBLISHED: [(&str, [u32; 3]); 7] = [
    ("UBStack", [90, 100, 100]),
    ("IntStack", [33, 67, 100]),
    ("BinSearchTree", [83, 100, 100]),
    ("BinomialHeap", [79, 84, 91]),
    ("LinkedList", [100, 100, 100]),
    ("TreeMap", [15, 84, 84]),
    ("HeapArray", [70, 76, 100]),
];

/// What a method gets at each length.
const LENGTHS_BUDGET: &str = "2000x";

/// What became of goals.
#[derive(Clone, Copy, Default)]
struct Tally {
    total: u64,
    covered: u64,
    infeasible: u64,
    tests: u64,
}

impl Tally {
    fn of(function: &Value) -> Tally {
        let number = |name: &str| function["tally"][name].as_u64().unwrap_or_default();
        let tests = function["tests"].as_array().map_or(0, Vec::len) as u64;
        let (total, covered, infeasible) = (number("total"), number("covered"), number("infeasible"));
        Tally { total, covered, infeasible, tests }
    }

    fn plus(self, other: Tally) -> Tally {
        Tally {
            total: self.total + other.total,
            covered: self.covered + other.covered,
            infeasible: self.infeasible + other.infeasible,
            tests: self.tests + other.tests,
        }
    }

    fn cells(self) -> String {
        let Tally { total, covered, infeasible, tests } = self;
        let percent = 100.0 * covered as f64 / total.saturating_sub(infeasible).max(1) as f64;
        format!(
            "{total} | {covered} | {infeasible} | {} | {percent:.1} | {tests}",
            total - covered - infeasible
        )
    }
}

/// What a run tells, and the seconds that it takes.
fn run(path: &Path, arguments: &[&str]) -> Result<(Value, f64)> {
    let out = tempfile::tempdir()?;
    let seconds = time(&mut generate(path, out.path(), arguments)?)?;
    let text = std::fs::read_to_string(out.path().join("summary.json"))?;
    Ok((serde_json::from_str(&text)?, seconds))
}

/// A fixture of Java.
fn java(name: &str) -> PathBuf {
    fixtures().join("../java").join(name)
}

fn functions(summary: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let all = summary["functions"].as_array().into_iter().flatten();
    all.map(|function| (function["name"].as_str().unwrap_or_default(), function))
}

/// The class of a method, without those in it.
fn class(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(class, _)| class)
}

/// The seven containers, each by itself.
pub(crate) fn containers() -> Result<()> {
    println!("### Containers: branches in per cent\n");
    println!("| class | branches | Branchwise | JTestCraft | Rostra | Symstra | tests | seconds |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (class, [craft, rostra, symstra]) in PUBLISHED {
        let (summary, seconds) = run(&java(&format!("containers/{class}.java")), &[])?;
        let tally = functions(&summary).map(|(_, f)| Tally::of(f)).fold(Tally::default(), Tally::plus);
        let reached = 100 * tally.covered / tally.total.max(1);
        println!(
            "| {class} | {} | {reached} | {craft} | {rostra} | {symstra} | {} | {seconds:.1} |",
            tally.total, tally.tests
        );
    }
    Ok(())
}

/// Candidate sequences alone, with more statements row by row, in the layout of table 6.2 of the thesis. All containers together.
pub(crate) fn lengths() -> Result<()> {
    println!("### Containers: candidate sequences of at most N statements, {LENGTHS_BUDGET} a method\n");
    println!(
        "| N | sequences tried | methods of which all were tried | runs | tests | {} | all | seconds |",
        classes()
    );
    println!("|--:|--:|--:|--:|--:|{}--:|--:|", "--:|".repeat(PUBLISHED.len()));
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("branchwise.toml");
    for longest in 1..=6 {
        std::fs::write(&config, format!("[java]\nsearch = \"candidates\"\nlongest = {longest}\n"))?;
        let config = config.to_string_lossy();
        let arguments = ["--config", &*config, "--budget", LENGTHS_BUDGET];
        let (summary, seconds) = run(&java("containers"), &arguments)?;
        let all = || functions(&summary).map(|(_, function)| function);
        let sum = |of: fn(&Value) -> u64| all().map(of).sum::<u64>();
        let tried = sum(|function| function["candidates"]["tried"].as_u64().unwrap_or_default());
        let whole = sum(|function| u64::from(function["candidates"]["exhausted"] == true));
        let runs = sum(|function| function["executions"].as_u64().unwrap_or_default());
        let of = |class: &str| {
            let prefix = format!("containers.{class}.");
            let own = functions(&summary).filter(|(name, _)| name.starts_with(&prefix));
            percent(own.map(|(_, function)| Tally::of(function)).fold(Tally::default(), Tally::plus))
        };
        let percents: Vec<String> = PUBLISHED.iter().map(|(class, _)| of(class).to_string()).collect();
        let total = all().map(Tally::of).fold(Tally::default(), Tally::plus);
        println!(
            "| {longest} | {tried} | {whole} | {runs} | {} | {} | {} | {seconds:.0} |",
            total.tests,
            percents.join(" | "),
            percent(total)
        );
    }
    Ok(())
}

/// The names of the containers, as columns.
fn classes() -> String {
    PUBLISHED.map(|(class, _)| class).join(" | ")
}

/// Covered branches in per cent.
fn percent(tally: Tally) -> u64 {
    100 * tally.covered / tally.total.max(1)
}

/// The package of a game with contracts.
pub(crate) fn pacman() -> Result<()> {
    println!("### Pac-Man: 15 classes with contracts\n");
    by_class(&java("pacman"), &[])
}

/// Jars of others: those in `JARS`, or one of a hundred classes and more that the set-up installs.
pub(crate) fn jars() -> Result<()> {
    let jars = std::env::var("JARS").unwrap_or_else(|_| "/usr/share/java/commons-io.jar".to_owned());
    let budget = std::env::var("BUDGET").unwrap_or_else(|_| "200x".to_owned());
    for jar in jars.split_whitespace().map(PathBuf::from) {
        println!("### `{}`, {budget} a method\n", jar.file_name().unwrap_or_default().to_string_lossy());
        by_class(&jar, &["--budget", &budget])?;
    }
    Ok(())
}

/// A folder of many small classes that call each other: whether each is listed, and how long that takes.
pub(crate) fn many() -> Result<()> {
    let count: usize = std::env::var("CLASSES").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    let budget = std::env::var("BUDGET").unwrap_or_else(|_| "20x".to_owned());
    let folder = tempfile::tempdir()?;
    for n in 0..count {
        let next = (n + 1) % count;
        let text = format!(
            "package m; class C{n} {{ static int f(int n) {{ return n > {n} ? C{next}.g(n) : 0; }}
            static int g(int n) {{ return n == {n} ? 1 : 2; }} }}"
        );
        std::fs::write(folder.path().join(format!("C{n}.java")), text)?;
    }
    let (summary, seconds) = run(folder.path(), &["--budget", &budget])?;
    let listed = (0..count).filter(|n| functions(&summary).any(|(name, _)| class(name) == format!("m.C{n}")));
    let listed = listed.count();
    let problems = summary["problems"].as_array().map_or(0, Vec::len);
    let tally = functions(&summary).map(|(_, f)| Tally::of(f)).fold(Tally::default(), Tally::plus);
    println!("### {count} classes, {budget} a method\n");
    println!(
        "| classes listed | problems | branches | covered | tests | seconds |\n|--:|--:|--:|--:|--:|--:|"
    );
    println!(
        "| {listed} | {problems} | {} | {} | {} | {seconds:.0} |",
        tally.total, tally.covered, tally.tests
    );
    anyhow::ensure!(listed == count, "{} classes are lost", count - listed);
    Ok(())
}

/// A row a class, then why goals are unknown.
fn by_class(path: &Path, arguments: &[&str]) -> Result<()> {
    let (summary, seconds) = run(path, arguments)?;
    let mut classes: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, function) in functions(&summary) {
        let tally = classes.entry(class(name)).or_default();
        *tally = tally.plus(Tally::of(function));
        for goal in function["goals"].as_array().into_iter().flatten() {
            if goal["state"] == "unknown" {
                *reasons.entry(goal["reason"].as_str().unwrap_or("?")).or_default() += 1;
            }
        }
    }
    println!("| class | branches | covered | infeasible | unknown | % of feasible | tests |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let mut sum = Tally::default();
    for (class, tally) in classes {
        sum = sum.plus(tally);
        if tally.total > 0 {
            println!("| {class} | {} |", tally.cells());
        }
    }
    println!("| **all** | {} |", sum.cells());
    println!("\n{seconds:.0} s. Unknown, by reason:\n");
    for (reason, count) in reasons {
        println!("- {reason}: {count}");
    }
    Ok(())
}
