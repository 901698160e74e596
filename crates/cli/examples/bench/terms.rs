//! Terms of random programs: do they say what was computed?

use crate::speed::verdict;
use crate::subject::{grouped, timed};
use crate::twins::random::{FUNCTIONS, check_all};
use anyhow::Result;

/// What the issue asks for.
const PROGRAMS: u64 = 5_000;

pub(crate) fn report() -> Result<()> {
    println!("### Terms of random programs\n");
    let files = PROGRAMS.div_ceil(FUNCTIONS as u64);
    let (seconds, (tally, complaints)) = timed(|| check_all(0..files));
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
