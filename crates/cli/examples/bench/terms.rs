//! Terms of random programs: do they say what was computed?

use crate::speed::verdict;
use crate::subject::{grouped, timed};
use crate::twins::random::{FUNCTIONS, check_all};
use anyhow::{Context, Result};
use std::ops::Range;

/// What the issue asks for.
const PROGRAMS: u64 = 5_000;

pub(crate) fn report() -> Result<()> {
    println!("### Terms of random programs\n");
    let seeds = seeds()?;
    let files = seeds.end - seeds.start;
    let (seconds, (tally, complaints)) = timed(|| check_all(seeds));
    println!("| programs | functions | runs | decisions | forced | compared with a plain build | wrong |");
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    let counts = [tally.functions, tally.runs, tally.decisions, tally.forced, tally.plain, complaints.len()];
    let cells: Vec<String> = counts.iter().map(|&n| grouped(n as f64)).collect();
    println!("| {} | {} |", grouped((files * FUNCTIONS as u64) as f64), cells.join(" | "));
    println!(
        "\n{seconds:.0} s. Every term has the value that the program computed: {}.",
        verdict(complaints.is_empty())
    );
    complaints.iter().for_each(|complaint| println!("\n```\n{complaint}\n```"));
    Ok(())
}

/// The seeds of all files, or those that `BENCH_SEEDS` names to repeat a complaint: `216` or `200..300`.
fn seeds() -> Result<Range<u64>> {
    let Ok(text) = std::env::var("BENCH_SEEDS") else {
        return Ok(0..PROGRAMS.div_ceil(FUNCTIONS as u64));
    };
    let wrong = || format!("BENCH_SEEDS={text}");
    match text.split_once("..") {
        Some((first, end)) => Ok(first.parse().with_context(wrong)?..end.parse().with_context(wrong)?),
        None => text.parse().map(|seed: u64| seed..seed + 1).with_context(wrong),
    }
}
