//! The numbers of the paper: how many branches DFS forces, how uniform `uniform` is.

use crate::testing::{BruteForce, Machine, Subject};
use crate::{BoundedDfs, Explorer, Limits, Stop, UniformRandom};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// One branch a bit: a full binary tree of paths.
fn full_tree(bits: u32) -> impl Fn(&mut Machine<'_>) {
    move |machine| {
        for bit in 0..bits {
            let condition = machine.bit(0, bit);
            machine.branch(bit, condition);
        }
    }
}

/// All but the first bit repeat the first: half of the branches cannot be forced.
fn half_infeasible(machine: &mut Machine<'_>) {
    for bit in 0..8 {
        let condition = machine.bit(0, bit);
        machine.branch(2 * bit, condition);
        machine.branch(2 * bit + 1, condition);
    }
}

fn forced_by_dfs(code: impl Fn(&mut Machine<'_>), depth: u64) -> (u64, u64) {
    let mut subject = Subject::new(&[10], code);
    let mut solver = BruteForce::new(&[10]);
    let limits = Limits { runs: 5000, ..Limits::default() };
    let mut explorer = Explorer::new(&mut subject, &mut solver, [], limits, 1);
    let end = crate::Strategy::explore(&BoundedDfs { depth }, &mut explorer, vec![0]);
    assert_eq!(end, ControlFlow::Continue(()), "the bound ends it");
    let statistics = *explorer.statistics();
    assert_eq!(statistics.runs, statistics.forced + 1);
    drop(explorer);
    let mut paths = subject.log;
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len() as u64, statistics.runs, "no path twice");
    (statistics.forced, statistics.unsat)
}

#[test]
fn bounded_dfs_forces_two_to_the_depth_minus_one() {
    for depth in 0..8 {
        assert_eq!(forced_by_dfs(full_tree(10), depth), ((1 << depth) - 1, 0));
    }
}

#[test]
fn what_cannot_be_forced_does_not_count_towards_the_depth() {
    for depth in 0..7 {
        let (forced, unsat) = forced_by_dfs(half_infeasible, depth);
        assert_eq!(forced, (1 << depth) - 1);
        assert_eq!(unsat > 0, depth > 1);
    }
}

/// How often `uniform` ends with each path.
fn sampled(subject: &mut Subject<impl Fn(&mut Machine<'_>)>, bits: u32, samples: u32) -> Vec<u32> {
    let mut solver = BruteForce::new(&[bits]);
    let limits = Limits { runs: u64::MAX, stop_when_complete: false, ..Limits::default() };
    let mut explorer = Explorer::new(subject, &mut solver, [], limits, 7);
    let mut counts: HashMap<Vec<_>, u32> = HashMap::new();
    for _ in 0..samples {
        let ControlFlow::Continue(path) = UniformRandom::sample(&mut explorer, vec![0]) else {
            panic!("stopped");
        };
        let key = path.path.decisions.iter().map(|decision| decision.taken.condition).collect();
        *counts.entry(key).or_default() += 1;
    }
    let mut by_length: Vec<_> = counts.into_iter().map(|(key, count)| (key.len(), count)).collect();
    by_length.sort_unstable();
    by_length.into_iter().map(|(_, count)| count).collect()
}

fn chi_square(observed: &[u32], expected: impl Fn(usize) -> f64) -> f64 {
    let term = |(i, &count): (usize, &u32)| (f64::from(count) - expected(i)).powi(2) / expected(i);
    observed.iter().enumerate().map(term).sum()
}

#[test]
fn uniform_samples_the_paths_of_a_full_tree_uniformly() {
    let samples = 12_800;
    let counts = sampled(&mut Subject::new(&[6], full_tree(6)), 6, samples);
    assert_eq!(counts.len(), 64);
    let chi = chi_square(&counts, |_| f64::from(samples) / 64.0);
    // 63 degrees of freedom: 95 % of all samples lie between 42.95 and 86.83.
    assert!((42.95..86.83).contains(&chi), "{chi}");
}

#[test]
fn uniform_gives_a_path_of_k_branches_probability_two_to_the_minus_k() {
    // A comb: it ends at the first zero bit. Random inputs would give the same, so the bits come in the wrong
    // order: one input in 64 takes the path of length 1.
    let comb = |machine: &mut Machine<'_>| {
        for bit in 0..6 {
            let x = machine.var(0);
            let condition = machine.compare(expr::Op::Ult, x, 63 - u128::from(bit));
            if !machine.branch(bit, condition) {
                return;
            }
        }
    };
    let samples = 12_800;
    let counts = sampled(&mut Subject::new(&[6], comb), 6, samples);
    assert_eq!(counts.len(), 7);
    let probability = |i: usize| 0.5f64.powi((i as i32 + 1).min(6));
    let chi = chi_square(&counts, |i| f64::from(samples) * probability(i));
    // 6 degrees of freedom: 99 % below 16.81.
    assert!(chi < 16.81, "{chi}: {counts:?}");
}

#[test]
fn uniform_is_fair_among_the_ways_of_a_switch() {
    let code = |machine: &mut Machine<'_>| {
        let x = machine.var(0);
        machine.switch(x, &[(0, 3), (1, 5), (2, 9)], 3);
    };
    let counts = sampled(&mut Subject::new(&[4], code), 4, 4000);
    assert_eq!(counts.len(), 4);
    // 3 degrees of freedom: 99 % below 11.34.
    assert!(chi_square(&counts, |_| 1000.0) < 11.34, "{counts:?}");
}

#[test]
fn a_budget_is_never_exceeded() {
    for strategy in crate::all() {
        let mut subject = Subject::new(&[10], full_tree(10));
        let limits = Limits { runs: 50, ..Limits::default() };
        let stop = subject.explore(*strategy, limits, 3, |_, stop| stop);
        assert_eq!((stop, subject.log.len()), (Stop::Budget, 50), "{}", strategy.name());
    }
}
