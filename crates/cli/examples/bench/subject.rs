//! What is measured, and how time is taken.

use anyhow::{Context, Result, ensure};
use c_frontend::SourceUnit;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The folder of C fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/c")
}

/// The C files of a folder, sorted.
pub(crate) fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder.canonicalize()?)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    sources.sort();
    Ok(sources)
}

/// The name of a file without its folder.
pub(crate) fn name(source: &Path) -> String {
    source.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A fixture by its name.
pub(crate) fn fixture(name: &str) -> Result<PathBuf> {
    fixtures().join(name).canonicalize().with_context(|| format!("fixture {name}"))
}

/// The program beside the examples folder.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.ancestors().nth(2).context("this program stands in target/release/examples")?;
    let path = folder.join(name);
    ensure!(path.is_file(), "{} is missing: `cargo build --release` first", path.display());
    Ok(path)
}

/// How the tool compiles a file that comes without flags.
pub(crate) fn unit(path: &Path) -> SourceUnit {
    let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
    SourceUnit { path: path.to_owned(), flags: Vec::new(), directory }
}

/// `branchwise gen` without a word.
pub(crate) fn generate(source: &Path, out: &Path, more: &[&str]) -> Result<Command> {
    let mut command = Command::new(program("branchwise")?);
    command.args(["gen", "--quiet", "--out"]).arg(out).args(more).arg(source);
    command.stdin(Stdio::null());
    Ok(command)
}

/// Seconds that a command takes; it must succeed.
pub(crate) fn time(command: &mut Command) -> Result<f64> {
    let begun = Instant::now();
    let status = command.status().with_context(|| format!("{command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(begun.elapsed().as_secs_f64())
}

/// Seconds that a piece of work takes, and what it gives.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begun = Instant::now();
    let result = work();
    (begun.elapsed().as_secs_f64(), result)
}

/// The middle value.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// `12,345,678`.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
