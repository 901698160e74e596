//! Libraries that others wrote, fetched as Debian source packages when this runs: `branchwise gen` over all their files,
//! then `branchwise check`. The tables of docs/CASE-STUDIES.md.

use crate::projects::{Packages, desk, unpack};
use crate::subject::{grouped, program, timed};
use anyhow::{Context, Result, ensure};
use report::{GoalSummary, State, Summary};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs granted to a function: a few minutes a library on two cores. `BUDGET=200000x` gives more.
const BUDGET: &str = "20000x";

/// A library to write tests for.
struct Library {
    package: &'static str,
    /// Where its C files stand.
    folder: &'static str,
    /// Files there that belong to programs beside the library.
    without: &'static [&'static str],
    /// What its own build gives the compiler, as far as it matters.
    flags: &'static [&'static str],
}

const LIBRARIES: [Library; 4] = [
    Library { package: "cjson", folder: ".", without: &["test.c"], flags: &[] },
    Library { package: "zlib", folder: ".", without: &[], flags: &["-DHAVE_UNISTD_H=1"] },
    Library {
        package: "libyaml",
        folder: "src",
        without: &[],
        flags: &[
            "-Iinclude",
            "-DYAML_VERSION_MAJOR=0",
            "-DYAML_VERSION_MINOR=2",
            "-DYAML_VERSION_PATCH=5",
            "-DYAML_VERSION_STRING=\"0.2.5\"",
        ],
    },
    Library { package: "lua5.4", folder: "src", without: &["lua.c", "luac.c"], flags: &["-DLUA_USE_POSIX"] },
];

/// A library's suite.
struct Suite {
    archive: String,
    files: usize,
    seconds: f64,
    summary: Summary,
    /// The last line that `branchwise check` printed, and how long it took.
    verdict: String,
    check_seconds: f64,
}

pub(crate) fn report() -> Result<()> {
    let budget = std::env::var("BUDGET").unwrap_or_else(|_| BUDGET.to_owned());
    println!("### Libraries of others, {budget} a function\n");
    println!(
        "| library | files | functions | branch goals | covered | infeasible | unknown | tests | findings | seconds | `check` |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    // `LIBRARIES="zlib cjson"` chooses some, `KEEP=folder` keeps their suites.
    let chosen = std::env::var("LIBRARIES").unwrap_or_default();
    let is_chosen = |library: &&Library| {
        chosen.is_empty() || chosen.split_whitespace().any(|name| name == library.package)
    };
    let desk = desk()?;
    let kept = std::env::var_os("KEEP").map_or_else(|| desk.path().join("out"), PathBuf::from);
    let packages = Packages::new(desk.path())?;
    let mut suites = Vec::new();
    for library in LIBRARIES.iter().filter(is_chosen) {
        // One that cannot be had must not cost the others.
        match suite(library, &packages, desk.path(), &kept.join(library.package), &budget) {
            Ok(suite) => {
                print_row(&suite);
                suites.push(suite);
            }
            Err(error) => println!("| {} | {error:#} |", library.package),
        }
    }
    for suite in &suites {
        print_unknowns(suite);
    }
    Ok(())
}

fn suite(library: &Library, packages: &Packages, desk: &Path, out: &Path, budget: &str) -> Result<Suite> {
    let archive = packages.fetch(library.package)?;
    let sources = desk.join("sources").join(library.package);
    unpack(&archive, &sources)?;
    let files = c_files(&sources.join(library.folder), library.without)?;
    let mut command = Command::new(program("branchwise")?);
    command.args(["gen", "--quiet", "--budget", budget, "--out"]).arg(out).args(&files);
    command.arg("--").args(library.flags).current_dir(&sources).stdin(Stdio::null());
    let (seconds, generated) = timed(|| command.output());
    let generated = generated?;
    ensure!(generated.status.success(), "{}", last_line(&generated.stderr));
    let text = std::fs::read_to_string(out.join("summary.json"))?;
    let summary: Summary = serde_json::from_str(&text).context("summary.json")?;
    none_is_missing(&files, library.flags, &sources, &summary)?;
    let mut check = Command::new(program("branchwise")?);
    check.arg("check").arg(out).stdin(Stdio::null());
    let (check_seconds, checked) = timed(|| check.output());
    let checked = checked?;
    let said = if checked.stdout.is_empty() { &checked.stderr } else { &checked.stdout };
    let verdict = last_line(said);
    let archive = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Suite { archive, files: files.len(), seconds, summary, verdict, check_seconds })
}

fn c_files(folder: &Path, without: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        let is_left_out = path.file_name().is_some_and(|name| without.iter().any(|other| name == *other));
        if path.extension().is_some_and(|extension| extension == "c") && !is_left_out {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Every function that the compiler puts into an object must have an outcome in the summary. The compiler is asked, not
/// us: `nm` lists the functions of a plain object.
fn none_is_missing(files: &[PathBuf], flags: &[&str], folder: &Path, summary: &Summary) -> Result<()> {
    let told: BTreeSet<&str> = summary.functions.iter().map(|function| function.name.as_str()).collect();
    let object = folder.join("branchwise-plain.o");
    for file in files {
        let mut clang = Command::new("clang-19");
        clang.args(["-w", "-O0", "-c"]).args(flags).arg(file).arg("-o").arg(&object).current_dir(folder);
        ensure!(clang.status()?.success(), "clang does not compile {}", file.display());
        let listed = Command::new("nm").arg("--defined-only").arg(&object).output()?;
        for line in String::from_utf8_lossy(&listed.stdout).lines() {
            let mut words = line.split_whitespace().skip(1);
            if let (Some("t" | "T"), Some(name)) = (words.next(), words.next()) {
                ensure!(told.contains(name), "{} has no outcome for {name}", file.display());
            }
        }
    }
    Ok(())
}

fn last_line(said: &[u8]) -> String {
    String::from_utf8_lossy(said).lines().last().unwrap_or("(nothing)").trim().to_owned()
}

fn print_row(suite: &Suite) {
    let totals = &suite.summary.totals;
    let goals = totals.goals;
    println!(
        "| {} | {} | {} | {} | {} ({:.1} %) | {} | {} | {} | {} | {:.0} | {} ({:.0} s) |",
        suite.archive,
        suite.files,
        totals.functions,
        grouped(goals.total as f64),
        grouped(goals.covered as f64),
        100.0 * goals.covered as f64 / goals.total.max(1) as f64,
        goals.infeasible,
        grouped(goals.unknown as f64),
        grouped(totals.tests as f64),
        totals.findings,
        suite.seconds,
        suite.verdict,
        suite.check_seconds,
    );
}

/// The unknown goals by reason, and by what the reason says beyond its name.
fn print_unknowns(suite: &Suite) {
    let mut groups: BTreeMap<(String, String), usize> = BTreeMap::new();
    let functions = &suite.summary.functions;
    for goal in functions.iter().flat_map(|function| &function.goals).filter(|g| g.state == State::Unknown) {
        let reason = goal.reason.clone().unwrap_or_default();
        *groups.entry((reason, detail(goal))).or_default() += 1;
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), name.clone()));
    println!("\n#### {}: unknown goals\n\n| reason | in detail | goals |\n|---|---|--:|", suite.archive);
    for ((reason, detail), count) in groups {
        println!("| {reason} | {detail} | {count} |");
    }
}

/// What a goal's reason says, without what is special about the goal: places and numbers.
fn detail(goal: &GoalSummary) -> String {
    let why = goal.why.as_deref().unwrap_or_default();
    let words = why.split_once("; ").or_else(|| why.split_once(": ")).map_or(why, |(_, rest)| rest);
    let words = words.rsplit_once(" at ").map_or(words, |(before, _)| before);
    let mut text = String::new();
    for letter in words.chars() {
        match letter {
            '0'..='9' if text.ends_with('N') => {}
            '0'..='9' => text.push('N'),
            other => text.push(other),
        }
    }
    text.replace("branches", "branch")
}
