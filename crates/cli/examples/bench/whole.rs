//! The time of a whole `branchwise gen`, against one `clang-19 -c` of the same file.

use crate::memory::large_source;
use crate::phases;
use crate::speed::verdict;
use crate::subject::{fixture, generate, median, time};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

const ROUNDS: usize = 31;
/// The large file takes seconds.
const LARGE_ROUNDS: usize = 3;
/// What the issue asks for.
const WANTED: f64 = 15.0;

pub(crate) fn report() -> Result<()> {
    println!("### A whole run\n");
    println!("| file | `clang-19 -c` | `branchwise gen` | ratio |\n|---|--:|--:|--:|");
    let triangle = compare(&fixture("triangle.c")?, ROUNDS)?;
    for name in ["calendar.c", "state_machine.c"] {
        compare(&fixture(name)?, ROUNDS)?;
    }
    let folder = tempfile::tempdir()?;
    compare(&large_source(folder.path())?, LARGE_ROUNDS)?;
    println!(
        "\n`triangle.c`: {triangle:.1}×, wanted at most {WANTED:.0}×: {}.\n",
        verdict(triangle <= WANTED)
    );
    phases::report(&fixture("triangle.c")?)
}

/// Prints a row; gives the ratio.
fn compare(source: &Path, rounds: usize) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let (mut compiled, mut generated) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let mut clang = Command::new("clang-19");
        clang.arg("-c").arg(source).arg("-o").arg(folder.path().join("plain.o"));
        compiled.push(time(&mut clang)?);
        let out = folder.path().join("out");
        generated.push(time(&mut generate(source, &out, &[])?)?);
        std::fs::remove_dir_all(&out)?;
    }
    let (compiled, generated) = (median(&compiled), median(&generated));
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!(
        "| `{name}` | {:.1} ms | {:.1} ms | {:.1} |",
        compiled * 1e3,
        generated * 1e3,
        generated / compiled
    );
    Ok(generated / compiled)
}
