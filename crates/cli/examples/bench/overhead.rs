//! What symbolic execution costs where nothing depends on the input and where everything does.
//!
//! Instructions are counted by callgrind, for they do not depend on what else the machine does. Every program runs
//! twice with different numbers of calls, and the difference is what the calls cost: neither start nor warming up.

use crate::subject::grouped;
use anyhow::{Context, Result, anyhow, ensure};
use c_frontend::{Clang, SourceUnit, build, build_symbolic};
use c_worker::{CTarget, Image, Isolation, Limits};
use input::{Input, Space, SpaceLimits};
use model::{FunctionId, Program};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use target::Target;

/// A CPU-bound loop, once on constants and once on its input.
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
/// Calls one of them so many times.
const MAIN: &str = r#"
#include "loop.c"
#include <stdlib.h>
int main(int count, char **words)
{
    unsigned (*volatile first)(void) = independent;
    unsigned (*volatile second)(unsigned) = dependent;
    volatile unsigned sink = 0;
    int second_one = atoi(words[1]);
    for (int i = atoi(words[2]); i > 0; i--) sink += second_one ? second(0) : first();
}
"#;
/// What the lines of the table are, and the largest ratio wanted.
const LOOPS: [(&str, f64); 2] =
    [("nothing depends on the input", 10.0), ("everything does, its path read into terms", 200.0)];

/// Name of the mode in which this program runs below callgrind.
pub(crate) const COUNTED: &str = "counted";

/// Instructions of one call of each function: as it is, and traced.
pub(crate) fn report() -> Result<()> {
    let work = tempfile::tempdir()?;
    let (loop_c, main_c, plain) =
        (work.path().join("loop.c"), work.path().join("main.c"), work.path().join("main"));
    std::fs::write(&loop_c, LOOP)?;
    std::fs::write(&main_c, MAIN)?;
    let compiled =
        Command::new("clang-19").args(["-O1", "-fno-inline", "-o"]).args([&plain, &main_c]).status()?;
    ensure!(compiled.success(), "clang rejects the loop");
    let unit = SourceUnit { path: loop_c, flags: Vec::new(), directory: work.path().to_owned() };
    let clang = Clang::default();
    let built = build(&[unit], &clang, work.path())?;
    let symbolic = build_symbolic(&built, &clang, work.path())?;
    std::fs::write(work.path().join("program"), wire::encode(&built.program)?)?;
    std::fs::write(work.path().join("sites"), wire::encode(&symbolic.sites)?)?;
    println!("### Cost of symbolic execution\n");
    println!("| loop | plain `-O1` | traced | ratio | wanted |");
    println!("|---|--:|--:|--:|--:|");
    for (i, (what, wanted)) in LOOPS.into_iter().enumerate() {
        let which = i.to_string();
        let plain = instructions(&plain, &[&which])?;
        let folder = [work.path(), &built.image, &symbolic.object].map(|p| p.to_string_lossy().into_owned());
        let words = [COUNTED, &folder[0], &folder[1], &folder[2], &which];
        let traced = instructions(&std::env::current_exe()?, &words)?;
        let [plain_text, traced_text] = [plain, traced].map(grouped);
        println!("| {what} | {plain_text} | {traced_text} | {:.1} | at most {wanted} |", traced / plain);
    }
    Ok(())
}

/// Instructions of one call, of a program whose last argument is the number of calls.
fn instructions(program: &Path, words: &[&str]) -> Result<f64> {
    let count = |calls: &str| -> Result<f64> {
        let mut command = Command::new("valgrind");
        command
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(program)
            .args(words)
            .arg(calls);
        let output = command.output().context("valgrind")?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let collected = text.lines().find_map(|line| line.split_once("Collected :"));
        let (_, number) = collected.with_context(|| format!("callgrind says {text}"))?;
        ensure!(output.status.success(), "{command:?}: {text}");
        Ok(number.trim().parse()?)
    };
    Ok((count("5")? - count("2")?) / 3.0)
}

/// Traces a function so many times, each time into new terms: folder, image, twins, which function, how often.
pub(crate) fn counted(words: &[String]) -> Result<()> {
    let [folder, image, twins, which, calls] = words else { return Err(anyhow!("five words")) };
    let folder = Path::new(folder);
    let program: Program = wire::decode(&std::fs::read(folder.join("program"))?)?;
    let image = Image::load(Path::new(image), Arc::new(program.clone()))?;
    let mut target =
        CTarget::new(image, Isolation::InProcess, Limits { run_millis: 60_000, ..Limits::default() })?;
    target.load_twins(Path::new(twins), wire::decode(&std::fs::read(folder.join("sites"))?)?)?;
    let id = FunctionId(which.parse()?);
    let space = Space::new(&program, program.function(id), SpaceLimits::default(), &[])
        .map_err(|e| anyhow!("{}: {}", e.place, e.type_name))?;
    target.select(id, &space);
    target.set_tick_limit(1 << 40);
    let input = Input::zero(&space);
    for _ in 0..calls.parse()? {
        let mut terms = expr::Terms::new();
        let names: Vec<u32> = (0..input.size() as u32).collect();
        let (_, path) = target.trace(&input, &names, &mut terms).context("no twin")?;
        // Otherwise the measurement would be of something else.
        ensure!(
            path.decisions.len() == [0, 2560][which.parse::<usize>()?],
            "{} decisions",
            path.decisions.len()
        );
    }
    Ok(())
}
