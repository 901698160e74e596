//! The limit of paths per call, and the leaves of the tree.

use crate::testing::{BruteForce, Machine, Subject};
use crate::{Census, Explorer, Limits, Program, Statistics};
use expr::{Op, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Two calls of a method with eight paths, each with a number of its own.
fn two_calls(machine: &mut Machine<'_>) {
    for call in 0..2 {
        machine.call();
        let number = machine.var(call);
        for limit in 1..8 {
            let condition = machine.compare(Op::Ult, number, limit);
            if machine.branch(call * 8 + limit as u32, condition) {
                break;
            }
        }
    }
}

/// Forces leaves until none is left.
fn to_the_end(subject: &mut dyn Program, solver: &mut BruteForce, limits: Limits) -> (Statistics, Census) {
    let mut explorer = Explorer::new(subject, solver, [], limits, 4);
    assert!(explorer.run(vec![0, 0]).is_continue());
    while let Some(leaf) = explorer.random_leaf() {
        let _ = explorer.force_leaf(leaf);
    }
    (*explorer.statistics(), *explorer.tree().census())
}

#[test]
fn c53_no_call_has_more_paths_than_allowed() {
    for (limit, most) in [(None, 8), (Some(1), 1), (Some(3), 3), (Some(8), 8), (Some(10), 8)] {
        let mut subject = Subject::new(&[3, 3], two_calls);
        let limits = Limits { paths_per_call: limit, stop_when_complete: false, ..Limits::default() };
        let (statistics, _) = to_the_end(&mut subject, &mut BruteForce::new(&[3, 3]), limits);
        // A number is a path: of the first call, and after each of these of the second one.
        let mut seconds: BTreeMap<u128, BTreeSet<u128>> = BTreeMap::new();
        for input in &subject.inputs {
            seconds.entry(input[0]).or_default().insert(input[1]);
        }
        assert_eq!(seconds.len(), most, "{limit:?}");
        assert!(seconds.values().all(|paths| paths.len() == most), "{limit:?}: {seconds:?}");
        assert_eq!((subject.inputs.len(), statistics.beyond > 0), (most * most, most < 8));
    }
}

#[test]
fn what_is_beyond_the_limit_is_not_impossible() {
    let mut subject = Subject::new(&[3, 3], two_calls);
    let mut solver = BruteForce::new(&[3, 3]);
    let limits = Limits { paths_per_call: Some(3), ..Limits::default() };
    let mut explorer = Explorer::new(&mut subject, &mut solver, [], limits, 4);
    assert!(explorer.run(vec![0, 0]).is_continue());
    while let Some(leaf) = explorer.random_leaf() {
        assert!(explorer.force_leaf(leaf).is_continue());
    }
    assert!(!explorer.tree().is_complete() && explorer.infeasible().is_none());
}

/// Every leaf ends as one of the kinds: run, proven impossible, or given up.
#[test]
fn c48_every_leaf_is_run_or_impossible_or_given_up() {
    let odd = |machine: &mut Machine<'_>| {
        two_calls(machine);
        let first = machine.var(0);
        // Contradicts what the first call has found out for most numbers.
        let condition = machine.compare(Op::Eq, first, 5);
        machine.branch(30, condition);
    };
    for gives_up in [(|_| false) as fn(&[Term]) -> bool, |constraints| constraints.len() % 3 == 2] {
        let mut solver = BruteForce::new(&[3, 3]);
        solver.gives_up = gives_up;
        let mut subject = Subject::new(&[3, 3], odd);
        let limits = Limits { stop_when_complete: false, ..Limits::default() };
        let (statistics, census) = to_the_end(&mut subject, &mut solver, limits);
        assert_eq!(census.paths, statistics.runs, "no path twice");
        assert_eq!((census.infeasible, census.timed_out), (statistics.unsat, statistics.unknown));
        assert_eq!(statistics.runs, 1 + statistics.sat);
        assert_eq!((statistics.divergences, census.inconsistent), (0, 0));
        assert!(census.infeasible > 0 && (census.timed_out > 0) == gives_up(&[Term(0); 2]));
        // All 64 inputs are paths of their own; what was given up hides some, and the search goes on with the others.
        let all = subject.inputs.len();
        assert!(if gives_up(&[Term(0); 2]) { (2..64).contains(&all) } else { all == 64 }, "{all}");
    }
}
