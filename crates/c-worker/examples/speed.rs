//! Runs a second on a triangle function: laid out, run and judged in this process, and forked.
//!
//! `cargo run --release -p c-worker --example speed`

#[path = "../tests/common/mod.rs"]
#[allow(missing_docs, reason = "shared with the tests")]
mod common;

use c_worker::Isolation;
use common::{Build, Loaded};
use goal::Fitness;
use model::{BranchId, Goal};
use std::hint::black_box;
use std::time::Instant;
use target::{NOT_EVALUATED, Outcome, Target};

const TRIANGLE: &str = r#"
#include "abi.h"
static __attribute__((noinline)) int triangle(int a, int b, int c) {
    TICK();
    if (LE(0, a, 0) || LE(1, b, 0) || LE(2, c, 0)) return 0;
    if (LE(3, (long)a + b, c) || LE(4, (long)b + c, a) || LE(5, (long)a + c, b)) return 0;
    if (EQ(6, a, b) && EQ(7, b, c)) return 3;
    if (EQ(8, a, b) || EQ(9, b, c) || EQ(10, a, c)) return 2;
    return 1;
}
TRAMPOLINE(triangle) { RETURN(int) = triangle(ARG(int, 0), ARG(int, 8), ARG(int, 16)); }
"#;

fn main() {
    let here = measure("in this process", Isolation::InProcess, 20_000_000);
    let forked = measure("in a child each", Isolation::Fork, 3_000);
    println!("{:.0} times as fast", here / forked);
}

fn measure(what: &str, isolation: Isolation, runs: u32) -> f64 {
    let mut build = Build::new();
    let int = build.int;
    build.function("triangle", &[int; 3], int);
    let mut target = build.load_with(TRIANGLE, isolation, common::limits());
    let mut input = target.choose("triangle");
    let (mut events, mut best) = (0, Fitness::WORST);
    let start = Instant::now();
    for i in 0..runs {
        for (object, modulus) in [7, 5, 11].into_iter().enumerate() {
            input.objects[object].cells[0] = u128::from(i % modulus);
        }
        assert_eq!(target.run(black_box(&input)), Outcome::Returned);
        events += target.touched().len();
        best = best.min(judge(&target));
    }
    let rate = f64::from(runs) / start.elapsed().as_secs_f64();
    let per_run = events as f64 / f64::from(runs);
    println!("{what}: {rate:.0} runs/s, {per_run:.1} branches a run, best {best:?}");
    rate
}

/// What a search asks after every run: how near is the equilateral triangle?
fn judge(target: &Loaded) -> Fitness {
    const PLAN: [(u32, u32, bool); 8] = [
        (0, 7, true),
        (1, 6, true),
        (2, 5, false),
        (3, 4, false),
        (4, 3, false),
        (5, 2, false),
        (6, 1, false),
        (7, 0, false),
    ];
    for (level, branch, outcome) in PLAN {
        let distance = target.distance(Goal { branch: BranchId(branch), outcome });
        if distance != NOT_EVALUATED {
            return Fitness { level, distance };
        }
    }
    Fitness::WORST
}
