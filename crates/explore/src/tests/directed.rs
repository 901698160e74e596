//! `SearchAlongPath`, `cfg` and `cfg-pool`.

use crate::along::{Meeting, meet};
use crate::testing::{BruteForce, Machine, Subject, conditions, direct, goal, graph, program};
use crate::{Cfcg, Explorer, Flip, Limits, Stop, by_name, explore};
use expr::Op;
use model::Goal;

/// b0 guards b1, b1 guards b2; both sides of b2 guard something impossible (b3, b4).
fn shared(machine: &mut Machine<'_>) {
    let bits = [0, 1, 2].map(|bit| machine.bit(0, bit));
    if !machine.branch(0, bits[0]) || !machine.branch(1, bits[1]) {
        return;
    }
    let third = machine.branch(2, bits[2]);
    let impossible = machine.terms.not(bits[0]);
    machine.branch(if third { 3 } else { 4 }, impossible);
}

fn shared_graph() -> Cfcg {
    let list = [(0, 0, 1, 5), (1, 1, 2, 5), (2, 2, 3, 4), (3, 3, 5, 5), (4, 4, 5, 5)];
    graph(vec![conditions(6, &list)])
}

#[test]
fn common_prefixes_are_forced_once() {
    let mut subject = Subject::new(&[3], shared);
    let mut solver = BruteForce::new(&[3]);
    // All but the impossible was covered before, so no run is a success.
    let goals = [goal(3, true), goal(4, true)];
    let limits = Limits { stop_when_complete: false, ..Limits::default() };
    let mut explorer = Explorer::new(&mut subject, &mut solver, goals, limits, 1).with_graph(shared_graph());
    for input in [7, 3, 1] {
        assert!(explorer.run(vec![input]).is_continue());
    }
    let end = by_name("cfg").unwrap().explore(&mut explorer, vec![0]);
    assert!(end.is_continue());
    let statistics = *explorer.statistics();
    drop(explorer);
    // The two static paths b1 b2 b3 and b1 ¬b2 b4 from b0: b0, b1 and b2 are forced once each.
    assert_eq!(subject.inputs, [[7], [3], [1], [0], [1], [3], [7]]);
    assert_eq!((statistics.sat, statistics.unsat), (3, 2));
}

#[test]
fn without_the_graph_nothing_is_picked_and_random_inputs_follow() {
    let mut subject = Subject::new(&[3], shared);
    let stop = subject.explore(by_name("cfg").unwrap(), Limits::default(), 1, |explorer, stop| {
        assert_eq!(explorer.statistics().forced, 0);
        stop
    });
    assert_ne!(stop, Stop::Covered);
}

/// Six nested conditions behind a loop that leads nowhere.
fn deep(machine: &mut Machine<'_>) {
    for i in 0..7 {
        let condition = machine.bit(0, i);
        machine.branch(0, condition);
    }
    for level in 0..6 {
        let condition = machine.bit(1, level);
        if !machine.branch(1 + level, condition) {
            return;
        }
    }
}

fn deep_graph() -> Cfcg {
    // Block 0 is the loop, 1..=6 the levels, 7 the end. The loop is left on either side.
    let mut list = vec![(0, 0, 0, 0)];
    list.extend((1..7).map(|level| (level, level, level + 1, 7)));
    let mut made = conditions(8, &list);
    let leave = model::Edge { to: model::BlockId(1), taken_by: vec![goal(0, true), goal(0, false)] };
    made.cfg.successors[0].push(leave);
    graph(vec![made])
}

fn runs_to(strategy: &str, target: Goal, code: fn(&mut Machine<'_>), graph: Cfcg) -> (Stop, u64, u64) {
    let mut subject = Subject::new(&[7, 6], code);
    let mut solver = BruteForce::new(&[7, 6]);
    let limits = Limits { runs: 500, ..Limits::default() };
    let mut explorer = Explorer::new(&mut subject, &mut solver, [target], limits, 4).with_graph(graph);
    let stop = explore(by_name(strategy).unwrap(), &mut explorer, vec![0, 0]);
    (stop, explorer.statistics().runs, explorer.statistics().forced)
}

#[test]
fn directed_strategies_go_straight_to_the_uncovered_branch() {
    for strategy in ["cfg", "cfg-pool"] {
        let reached = runs_to(strategy, goal(6, true), deep, deep_graph());
        assert_eq!(reached, (Stop::Covered, 7, 6), "{strategy}: the start, then one level a run");
    }
}

#[test]
fn bounded_dfs_drowns_in_the_loop() {
    let mut subject = Subject::new(&[7, 6], deep);
    let mut solver = BruteForce::new(&[7, 6]);
    let mut explorer = Explorer::new(&mut subject, &mut solver, [goal(6, true)], Limits::default(), 4);
    let dfs = by_name("dfs").unwrap().with("depth", 6).unwrap();
    assert!(dfs.explore(&mut explorer, vec![0, 0]).is_continue());
    assert_eq!(explorer.statistics().runs, 64);
    assert!(explorer.is_uncovered(goal(6, true)));
}

/// A callee with decisions of its own stands between two branches of the caller.
fn calling(machine: &mut Machine<'_>) {
    let (a, b) = (machine.bit(0, 0), machine.bit(0, 1));
    if !machine.branch(0, a) {
        return;
    }
    for level in 2..5 {
        let condition = machine.bit(0, level);
        machine.branch(2, condition);
    }
    machine.branch(1, b);
}

fn calling_graph() -> Cfcg {
    let caller = conditions(4, &[(0, 0, 1, 3), (1, 1, 2, 3)]);
    let callee = conditions(3, &[(2, 0, 1, 2)]);
    let mut program = program(vec![caller, callee]);
    program.call_sites = vec![direct(0, 1, 1)];
    Cfcg::new(&program)
}

#[test]
fn decisions_of_called_functions_are_stepped_over() {
    for strategy in ["cfg", "cfg-pool"] {
        // All but b1 is covered before, so forcing b0 is no success by itself.
        let goals = [goal(1, true); 2];
        let inputs = after(strategy, &[[1, 0], [29, 0]], goals, calling, calling_graph());
        assert_eq!(inputs, [[0, 0], [1, 0], [3, 0]], "{strategy}: the start, b0, b1");
    }
}

/// b0 symbolic, b1 a constant, b2 symbolic.
fn with_constant(machine: &mut Machine<'_>) {
    let (a, b) = (machine.bit(0, 0), machine.bit(0, 1));
    machine.branch(0, a);
    let always = machine.terms.truth(true);
    machine.branch(1, always);
    machine.branch(2, b);
}

#[test]
fn concrete_branches_are_passed_where_the_run_took_them() {
    let graph = graph(vec![conditions(5, &[(0, 0, 1, 1), (1, 1, 2, 3), (2, 2, 4, 4)])]);
    for traced in [false, true] {
        let mut subject = Subject::new(&[2], with_constant);
        subject.traced = traced;
        let mut solver = BruteForce::new(&[2]);
        let mut explorer = Explorer::new(&mut subject, &mut solver, [], Limits::default(), 1);
        let run = explorer.run(vec![0]).continue_value().unwrap();
        let here = |at, from, to| meet(&graph, &run, at, from, to);
        let (b0, b1, b2) = (goal(0, false), goal(1, true), goal(2, false));
        // With a trace the constant has a step of its own.
        let after = if traced { 2 } else { 1 };
        assert_eq!(here(1, b0, b1), Meeting::Takes(after));
        assert_eq!(here(1, b0, goal(1, false)), Meeting::Leaves);
        assert_eq!(here(after, b1, b2), Meeting::Takes(after + 1));
        let flip = Flip { decision: 1, way: 0 };
        assert_eq!(here(after, b1, goal(2, true)), Meeting::Misses(flip, after));
    }
}

#[test]
fn with_a_trace_a_concrete_branch_must_be_where_the_static_path_has_it() {
    // b1 is true before b0 and false after it.
    let code = |machine: &mut Machine<'_>| {
        let (always, a) = (machine.terms.truth(true), machine.bit(0, 0));
        machine.branch(1, always);
        machine.branch(0, a);
        let never = machine.terms.truth(false);
        machine.branch(1, never);
    };
    let graph = graph(vec![conditions(3, &[(1, 0, 1, 1), (0, 1, 0, 0)])]);
    for (traced, expected) in [(false, Meeting::Takes(1)), (true, Meeting::Leaves)] {
        let mut subject = Subject::new(&[2], code);
        subject.traced = traced;
        let mut solver = BruteForce::new(&[2]);
        let mut explorer = Explorer::new(&mut subject, &mut solver, [], Limits::default(), 1);
        let run = explorer.run(vec![0]).continue_value().unwrap();
        let after = if traced { 2 } else { 1 };
        assert_eq!(meet(&graph, &run, after, goal(0, false), goal(1, true)), expected);
    }
}

/// Runs `strategy` from the zero input after these other inputs; says which inputs followed.
fn after(
    strategy: &str,
    before: &[[u128; 2]],
    goals: [Goal; 2],
    code: fn(&mut Machine<'_>),
    graph: Cfcg,
) -> Vec<Vec<u128>> {
    let mut subject = Subject::new(&[8, 3], code);
    let mut solver = BruteForce::new(&[8, 3]);
    let limits = Limits { runs: 40, ..Limits::default() };
    let mut explorer = Explorer::new(&mut subject, &mut solver, goals, limits, 1).with_graph(graph);
    for input in before {
        assert!(explorer.run(input.to_vec()).is_continue());
    }
    let _ = by_name(strategy).unwrap().explore(&mut explorer, vec![0, 0]);
    drop(explorer);
    subject.inputs.split_off(before.len())
}

#[test]
fn branches_that_failed_give_way_to_others() {
    // Eight times b0, behind it the impossible b1; then b2, b3 and b4 nested.
    fn code(machine: &mut Machine<'_>) {
        for i in 0..8 {
            let (bit, not) = (machine.bit(0, i), machine.bit(0, i));
            let not = machine.terms.not(not);
            if machine.branch(0, bit) {
                machine.branch(1, not);
            }
        }
        for level in 0..3 {
            let condition = machine.bit(1, level);
            if !machine.branch(2 + level, condition) {
                return;
            }
        }
    }
    // Blocks: 0 the loop's condition, 1 behind it, 2 to 4 the levels, 5 the end.
    let list = [(0, 0, 1, 0), (1, 1, 0, 0), (2, 2, 3, 5), (3, 3, 4, 5), (4, 4, 5, 5)];
    let mut made = conditions(6, &list);
    // The loop may be left on either way through it.
    for goals in [vec![goal(0, false)], vec![goal(1, true), goal(1, false)]] {
        let from = if goals.len() == 1 { 0 } else { 1 };
        made.cfg.successors[from].push(model::Edge { to: model::BlockId(2), taken_by: goals });
    }
    for strategy in ["cfg", "cfg-pool"] {
        let graph = graph(vec![made.clone()]);
        let inputs = after(strategy, &[[1, 3]], [goal(1, true), goal(4, true)], code, graph);
        let end = inputs.iter().position(|input| input[1] == 7).expect("b4 is reached");
        // b0 is tried once or twice: then it ranks behind b2, which is one branch further away.
        assert!((4..=6).contains(&end), "{strategy}: {inputs:?}");
    }
}

#[test]
fn the_pool_comes_back_to_a_branch_with_longer_static_paths() {
    // b0 leads to b1, which is impossible, and past it to b2.
    fn code(machine: &mut Machine<'_>) {
        let (first, second) = (machine.bit(0, 0), machine.bit(0, 1));
        if machine.branch(0, first) {
            let impossible = machine.terms.not(first);
            if !machine.branch(1, impossible) {
                machine.branch(2, second);
            }
        }
    }
    let made = || graph(vec![conditions(4, &[(0, 0, 1, 3), (1, 1, 3, 2), (2, 2, 3, 3)])]);
    let goals = [goal(1, true), goal(2, true)];
    // The first static path has weight 1, and b0 stands on the path only once.
    assert_eq!(after("cfg", &[[1, 0]], goals, code, made()), [[0, 0], [1, 0]]);
    let inputs = after("cfg-pool", &[[1, 0]], goals, code, made());
    assert_eq!(inputs[..4], [[0, 0], [1, 0], [1, 0], [3, 0]]);
}

#[test]
fn the_pool_returns_to_older_paths() {
    // Every success leads to a path from which nothing more can be reached; the rest hangs off the first.
    let fan = |machine: &mut Machine<'_>| {
        let x = machine.var(1);
        for i in 0..10 {
            let condition = machine.compare(Op::Eq, x, 7 * i + 5);
            if machine.branch(i as u32, condition) {
                return;
            }
        }
    };
    let list: Vec<_> = (0..10).map(|i| (i, i, 11, i + 1)).collect();
    let goals: Vec<Goal> = (0..10).map(|i| goal(i, true)).collect();
    let mut subject = Subject::new(&[7, 6], fan);
    let mut solver = BruteForce::new(&[7, 6]);
    let limits = Limits { runs: 60, ..Limits::default() };
    let mut explorer = Explorer::new(&mut subject, &mut solver, goals, limits, 1)
        .with_graph(graph(vec![conditions(12, &list)]));
    let stop = explore(by_name("cfg-pool").unwrap(), &mut explorer, vec![0, 0]);
    assert!(matches!(stop, Stop::Covered | Stop::Complete), "{stop:?}");
    assert!(explorer.statistics().runs <= 13, "{:?}", explorer.statistics());
}
