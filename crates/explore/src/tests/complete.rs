//! A tree that says it is complete knows every path: compared with running all inputs of random programs.

use crate::testing::{BruteForce, Machine, Subject, goal};
use crate::{BoundedDfs, Explorer, Limits, Stop, Strategy, by_name, explore};
use expr::{Op, Term};
use fastrand::Rng;
use model::Goal;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A random program; every place has a branch id of its own.
#[derive(Clone, Debug)]
enum Code {
    End,
    If(u32, Condition, Box<[Code; 2]>),
    Switch([u32; 3], [u128; 2], Box<[Code; 3]>),
    Pin(u128, Box<Code>),
}

/// `x * factor + y < bound`, or `==`.
#[derive(Clone, Copy, Debug)]
struct Condition {
    factor: u128,
    bound: u128,
    op: Op,
}

fn random_code(rng: &mut Rng, depth: u32, next: &mut u32, pins: bool) -> Code {
    let mut id = || {
        *next += 1;
        *next - 1
    };
    match rng.u32(0..10) {
        _ if depth == 0 => Code::End,
        0..=5 => {
            let op = if rng.bool() { Op::Ult } else { Op::Eq };
            let condition = Condition { factor: rng.u128(0..4), bound: rng.u128(0..8), op };
            let id = id();
            let mut below = || random_code(rng, depth - 1, next, pins);
            Code::If(id, condition, Box::new([below(), below()]))
        }
        6..=7 => {
            let (ids, first) = ([id(), id(), id()], rng.u128(0..4));
            let mut below = || random_code(rng, depth - 1, next, pins);
            Code::Switch(ids, [first, first + 3], Box::new([below(), below(), below()]))
        }
        8 if pins => Code::Pin(rng.u128(1..3), Box::new(random_code(rng, depth - 1, next, pins))),
        _ => Code::End,
    }
}

fn term(machine: &mut Machine<'_>, factor: u128) -> Term {
    let (x, y) = (machine.var(0), machine.var(1));
    let factor = machine.terms.constant(factor, 3);
    let product = machine.terms.binary(Op::Mul, x, factor);
    machine.terms.binary(Op::Add, product, y)
}

fn interpret(code: &Code, machine: &mut Machine<'_>) {
    match code {
        Code::End => {}
        Code::If(id, Condition { factor, bound, op }, ways) => {
            let left = term(machine, *factor);
            let condition = machine.compare(*op, left, *bound);
            let outcome = machine.branch(*id, condition);
            interpret(&ways[usize::from(!outcome)], machine);
        }
        Code::Switch([a, b, default], [first, second], ways) => {
            let value = term(machine, 2);
            let way = machine.switch(value, &[(*a, *first), (*b, *second)], *default);
            interpret(&ways[way], machine);
        }
        Code::Pin(factor, next) => {
            let value = term(machine, *factor);
            machine.pin(value);
            interpret(next, machine);
        }
    }
}

/// Runs, all paths, stop, and the goals proven infeasible.
struct Outcome {
    log: Vec<Vec<u128>>,
    all: Vec<Vec<u128>>,
    stop: Stop,
    infeasible: Option<BTreeSet<Goal>>,
    repeats: u64,
}

fn explored(code: &Code, goals: &[Goal], strategy: &dyn Strategy, runs: u64) -> Outcome {
    let mut subject = Subject::new(&[3, 3], |machine: &mut Machine<'_>| interpret(code, machine));
    let mut solver = BruteForce::new(&[3, 3]);
    let limits = Limits { runs, ..Limits::default() };
    // One goal that exists nowhere keeps the exploration from ending with full coverage.
    let goals = goals.iter().copied().chain([goal(9999, true)]);
    let mut explorer = Explorer::new(&mut subject, &mut solver, goals, limits, 3);
    let stop = explore(strategy, &mut explorer, vec![0, 0]);
    let infeasible = explorer.infeasible().cloned();
    let repeats = explorer.statistics().repeats;
    drop(explorer);
    let all = subject.all_paths();
    Outcome { log: subject.log, all, stop, infeasible, repeats }
}

fn goals(count: u32) -> Vec<Goal> {
    (0..count).flat_map(|branch| [goal(branch, true), goal(branch, false)]).collect()
}

fn covered(code: &Code) -> BTreeSet<Goal> {
    let mut terms = expr::Terms::new();
    let mut subject = Subject::new(&[3, 3], |machine: &mut Machine<'_>| interpret(code, machine));
    let inputs = crate::testing::all_inputs(&[3, 3]);
    inputs.flat_map(|input| crate::Program::run(&mut subject, &mut terms, &input).hit).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn c49_c67_complete_trees_know_all_paths_and_every_other_goal_is_infeasible(seed: u64) {
        let mut count = 0;
        let code = random_code(&mut Rng::with_seed(seed), 6, &mut count, false);
        let feasible = covered(&code);
        let mut expected: BTreeSet<Goal> = goals(count).into_iter().filter(|g| !feasible.contains(g)).collect();
        expected.insert(goal(9999, true));
        let dfs = BoundedDfs { depth: u64::MAX };
        for strategy in [by_name("tree").unwrap(), by_name("generational").unwrap(), &dfs] {
            let outcome = explored(&code, &goals(count), strategy, 10_000);
            let mut run = outcome.log.clone();
            run.sort_unstable();
            prop_assert_eq!(&run, &outcome.all, "{}: every path exactly once", strategy.name());
            prop_assert_eq!(outcome.repeats, 0);
            prop_assert_eq!(outcome.stop, Stop::Complete);
            prop_assert_eq!(outcome.infeasible.as_ref(), Some(&expected));
        }
    }

    #[test]
    fn before_the_last_path_no_tree_is_complete(seed: u64) {
        let mut count = 0;
        let code = random_code(&mut Rng::with_seed(seed), 5, &mut count, true);
        for strategy in crate::all() {
            let paths = explored(&code, &goals(count), *strategy, 1).all.len() as u64;
            let outcome = explored(&code, &goals(count), *strategy, paths - 1);
            prop_assert!(outcome.infeasible.is_none(), "{}", strategy.name());
        }
    }

    #[test]
    fn c34_pins_are_explored_number_by_number_until_there_is_no_other(seed: u64) {
        let mut count = 0;
        let code = random_code(&mut Rng::with_seed(seed), 6, &mut count, true);
        let outcome = explored(&code, &goals(count), by_name("tree").unwrap(), 10_000);
        let mut run = outcome.log.clone();
        run.sort_unstable();
        prop_assert_eq!(&run, &outcome.all);
        prop_assert_eq!(outcome.stop, Stop::Complete);
        let feasible = covered(&code);
        prop_assert!(outcome.infeasible.unwrap().is_disjoint(&feasible));
    }
}

#[test]
fn a_proof_below_a_pin_is_no_proof_until_all_numbers_are_known() {
    let code = |machine: &mut Machine<'_>| {
        let x = machine.var(0);
        machine.pin(x);
        let condition = machine.compare(Op::Eq, x, 5);
        machine.branch(0, condition);
    };
    let mut subject = Subject::new(&[3], code);
    let mut solver = BruteForce::new(&[3]);
    let limits = Limits { runs: 7, ..Limits::default() };
    let mut explorer = Explorer::new(&mut subject, &mut solver, [goal(1, true)], limits, 1);
    let path = explorer.run(vec![0]).continue_value().unwrap();
    let flip = path.flips(0).next().unwrap();
    assert_eq!(flip.decision, 1, "a pin has no other way");
    assert!(matches!(explorer.flip(&path, flip).continue_value().unwrap(), crate::Forced::Infeasible));
    assert_eq!((explorer.tree().census().pinned, explorer.tree().census().infeasible), (1, 0));
    assert!(explorer.infeasible().is_none());
    // Seven of eight numbers, then the last one.
    while let Some(leaf) = explorer.random_leaf() {
        if explorer.force_leaf(leaf).is_break() {
            break;
        }
    }
    assert_eq!(explorer.statistics().runs, 7);
    assert!(explorer.infeasible().is_none());
    drop(explorer);
    let stop = subject.explore(by_name("tree").unwrap(), Limits::default(), 1, |explorer, stop| {
        assert_eq!(explorer.statistics().runs, 8);
        stop
    });
    assert_eq!(stop, Stop::Complete);
}

#[test]
fn cut_and_inexact_paths_leave_a_tree_incomplete() {
    use target::Approximation;
    for (cut, lost, complete) in [
        (false, None, true),
        (true, None, false),
        (false, Some(Approximation::Address), true),
        (false, Some(Approximation::Call("f".into())), false),
        (false, Some(Approximation::Full), false),
    ] {
        let code = |machine: &mut Machine<'_>| {
            let condition = machine.bit(0, 0);
            machine.branch(0, condition);
            machine.run.path.cut = cut;
            machine.run.path.approximations.extend(lost.clone().map(|lost| (lost, 1)));
        };
        let limits = Limits { runs: 10, ..Limits::default() };
        let tree = by_name("tree").unwrap();
        Subject::new(&[1], code).explore(tree, limits, 1, |explorer, _| {
            assert_eq!(explorer.tree().is_complete(), complete, "{cut} {lost:?}");
        });
    }
}
