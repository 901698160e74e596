//! Symbolic execution: what it costs where nothing depends on the input and where everything does, and what it finds
//! that a search does not.

use crate::subject::{fixtures, generate, median, time, timed};
use anyhow::{Result, anyhow};
use c_frontend::{Clang, SourceUnit, build, build_symbolic};
use c_worker::{CTarget, Image, Isolation, Limits};
use input::{Input, Space, SpaceLimits};
use model::FunctionId;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use target::Target;

/// A CPU-bound loop, once on constants and once on its input; `main` times both as they are.
const LOOP: &str = r"
#define BODY(rounds, seed)                                                       \
    unsigned buffer[256] = {0}, h = (seed);                                      \
    for (int r = 0; r < (rounds); r++)                                           \
        for (int i = 0; i < 256; i++) {                                          \
            buffer[i] = buffer[i] * 31 + (h >> 3) + i;                           \
            h = (h ^ buffer[i]) * 16777619u;                                     \
            if (h & 64) h += 3; else h -= 5;                                     \
        }                                                                        \
    return h;
unsigned independent(void) { BODY(2000, 2166136261u) }
unsigned dependent(unsigned x) { BODY(10, x) }
";
const MAIN: &str = r#"
#include "loop.c"
#include <stdio.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int main(void)
{
    unsigned (*volatile first)(void) = independent;
    unsigned (*volatile second)(unsigned) = dependent;
    volatile unsigned sink = 0;
    double start = now();
    for (int i = 0; i < 20; i++) sink += first();
    double middle = now();
    for (int i = 0; i < 4000; i++) sink += second(i);
    printf("%.9f %.9f\n", (middle - start) / 20, (now() - middle) / 4000);
}
"#;

/// Seconds of one call of each function: as it is, and traced.
pub(crate) fn overhead() -> Result<()> {
    let work = tempfile::tempdir()?;
    let plain = plain_times(work.path())?;
    let path = work.path().join("loop.c");
    let unit = SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() };
    let clang = Clang::default();
    let built = build(&[unit], &clang, work.path())?;
    let symbolic = build_symbolic(&built, &clang, work.path())?;
    let image = Image::load(&built.image, Arc::new(built.program.clone()))?;
    let mut target =
        CTarget::new(image, Isolation::InProcess, Limits { run_millis: 60_000, ..Limits::default() })?;
    target.load_twins(&symbolic.object, symbolic.sites)?;
    println!("### Cost of symbolic execution\n");
    println!("| loop | plain `-O1` | traced | ratio | wanted |");
    println!("|---|--:|--:|--:|--:|");
    for (i, (plain, wanted)) in plain.into_iter().zip([10.0, 200.0]).enumerate() {
        let id = FunctionId(i as u32);
        let function = built.program.function(id);
        let space = Space::new(&built.program, function, SpaceLimits::default(), &[])
            .map_err(|e| anyhow!("{}: {}", e.place, e.type_name))?;
        target.select(id, &space);
        target.set_tick_limit(1 << 40);
        let input = Input::zero(&space);
        let once = |_| {
            let mut terms = expr::Terms::new();
            timed(|| target.trace(&input, &mut terms)).0
        };
        let traced = median(&(0..9).map(once).collect::<Vec<f64>>());
        println!(
            "| {} | {:.1} µs | {:.1} µs | {:.1} | at most {wanted} |",
            ["nothing depends on the input", "everything does, its path read into terms"][i],
            plain * 1e6,
            traced * 1e6,
            traced / plain,
        );
    }
    Ok(())
}

fn plain_times(work: &Path) -> Result<[f64; 2]> {
    std::fs::write(work.join("loop.c"), LOOP)?;
    std::fs::write(work.join("main.c"), MAIN)?;
    let program = work.join("main");
    let compiled = Command::new("clang-19")
        .args(["-O1", "-fno-inline", "-o"])
        .arg(&program)
        .arg(work.join("main.c"))
        .status()?;
    anyhow::ensure!(compiled.success(), "clang rejects the loop");
    let text = String::from_utf8(Command::new(program).output()?.stdout)?;
    let mut times = text.split_whitespace().map(str::parse::<f64>);
    match (times.next(), times.next()) {
        (Some(Ok(first)), Some(Ok(second))) => Ok([first, second]),
        _ => Err(anyhow!("no times in {text:?}")),
    }
}

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
