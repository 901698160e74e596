//! The measurements of docs/BENCHMARKS.md, as Markdown on standard output: `make bench`.
//!
//! Every comparison alternates what it compares in one loop and reports medians, so that a busy machine slows
//! both sides.

mod explored;
mod fixtures;
mod heap;
mod java;
mod libraries;
mod memory;
mod overhead;
mod phases;
mod projects;
mod speed;
mod strategies;
mod subject;
mod symbolic;
mod terms;
mod testcov;
#[path = "../../tests/support/twins/mod.rs"]
mod twins;
mod whole;

use anyhow::{Result, bail};

/// A part of the report: its name on the command line, and how to make it.
type Part = (&'static str, fn() -> Result<()>);

/// In the order of the report.
const PARTS: [Part; 20] = [
    ("speed", speed::report),
    ("whole", whole::report),
    ("memory", memory::report),
    ("overhead", overhead::report),
    ("backwards", symbolic::backwards),
    ("fixtures", fixtures::report),
    ("engines", fixtures::compare_engines),
    ("heap", heap::report),
    ("shapes", heap::ways),
    ("seeds", heap::seeds),
    ("containers", java::containers),
    ("lengths", java::lengths),
    ("pacman", java::pacman),
    ("jars", java::jars),
    ("many", java::many),
    ("terms", terms::report),
    ("testcov", testcov::report),
    ("projects", projects::report),
    ("strategies", strategies::report),
    ("libraries", libraries::report),
];

fn main() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.first().is_some_and(|word| word == overhead::COUNTED) {
        return overhead::counted(&wanted[1..]);
    }
    if let Some(wrong) = wanted.iter().find(|name| !PARTS.iter().any(|(part, _)| part == name)) {
        bail!("there is no part `{wrong}`; parts: {}", PARTS.map(|(name, _)| name).join(", "));
    }
    for (name, report) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|part| part == name) {
            report()?;
            println!();
        }
    }
    Ok(())
}
