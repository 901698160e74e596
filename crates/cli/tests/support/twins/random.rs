//! Random programs, from the generator to the verdict.

use super::plain;
use super::{Builds, Tally};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

/// Random functions in a file: one call of clang for all of them.
pub(crate) const FUNCTIONS: usize = 20;
/// Inputs of every function.
const INPUTS: usize = 12;
/// Threads: builds go on while a target runs.
const THREADS: usize = 2;
const SEEDS: [u64; 4] = [0, 3, 0x0123_4567_89ab_cdef, 0xffff_ffff_8000_0000];

/// Checks the file of a seed.
pub(crate) fn check(seed: u64) -> Result<Tally, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let path = folder.path().join("random.c");
    let source = random_c::source(seed, FUNCTIONS);
    std::fs::write(&path, &source.text).map_err(|e| e.to_string())?;
    let builds = Builds::of(&path);
    let expected = plain::run(&path, &source.drivers, &SEEDS);
    let mut loaded = builds.load();
    let mut tally = loaded.compare(INPUTS).map_err(|e| format!("seed {seed}: {e}"))?;
    tally.plain = loaded.compare_plain(&expected).map_err(|e| format!("seed {seed}: {e}"))?;
    Ok(tally)
}

/// Checks the files of all these seeds; gives what was done and what was wrong.
pub(crate) fn check_all(seeds: Range<u64>) -> (Tally, Vec<String>) {
    let next = AtomicU64::new(seeds.start);
    let (sender, results) = channel();
    let (mut tally, mut complaints) = (Tally::default(), Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end || sender.send(check(seed)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for result in results {
            match result {
                Ok(done) => tally.add(&done),
                Err(complaint) => complaints.push(complaint),
            }
        }
    });
    (tally, complaints)
}
