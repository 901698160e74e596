//! Terms of random programs: do they say what was computed?

use crate::speed::verdict;
use crate::subject::{grouped, timed};
use crate::twins::Builds;
use crate::twins::random::{FUNCTIONS, check_all};
use anyhow::{Context, Result};
use expr::{Op, Tape, Terms, Variable};
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
    bounded()
}

/// A path with a million branches, each of which depends on all computed before.
const LONG: &str = "unsigned long on0(unsigned long n)
{
    unsigned h = n, s = 0;
    for (unsigned i = 0; i < 1000000; i++) {
        h = (h ^ i) * 16777619u;
        if (h & 64) s++;
    }
    return s;
}
";
/// Operations of a term that no run is long enough to make.
const NODES: u32 = 10_000_000;

/// Paths and terms that are far too large for anything that goes down term by term.
fn bounded() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("long.c");
    std::fs::write(&source, LONG)?;
    let builds = Builds::of(&source);
    let (seconds, (outcome, path, terms)) = timed(|| builds.load().trace("on0", 7));
    println!(
        "\nA path of a million branches: {outcome:?}, {} decisions, {} terms, cut: {}, approximations {:?}, {seconds:.1} s.",
        grouped(path.decisions.len() as f64),
        grouped(terms.len() as f64),
        path.cut,
        path.approximations
    );
    let (seconds, agrees) = timed(large_term);
    println!(
        "A term of {} operations, built and evaluated: {}, {seconds:.1} s.",
        grouped(NODES.into()),
        verdict(agrees)
    );
    Ok(())
}

fn large_term() -> bool {
    let mut terms = Terms::new();
    let mut sum = terms.variable(Variable(0), 32);
    let mut expected = 5_u32;
    for i in 0..NODES / 2 {
        let number = terms.constant((i | 3).into(), 32);
        let product = terms.binary(Op::Mul, sum, number);
        sum = terms.binary(Op::Xor, product, number);
        expected = expected.wrapping_mul(i | 3) ^ (i | 3);
    }
    let mut tape = Tape::new(&terms, &[sum]);
    tape.run(&[5]);
    tape.root(0) == expected.into() && terms.text(sum, |_| "x".into(), 60).ends_with('…')
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
