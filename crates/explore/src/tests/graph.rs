//! The combined graph: distances against a computation by definition, calls, switches, selects.

use crate::Cfcg;
use crate::testing::{conditions, direct, function, goal, graph, program};
use fastrand::Rng;
use model::{BlockId, BranchKind, CallSite, Edge, Function, FunctionId, Goal, Program};
use proptest::prelude::*;

/// A random function of up to six blocks.
fn random_function(rng: &mut Rng, next_branch: &mut u32) -> Function {
    let blocks = rng.u32(1..6);
    let mut list = Vec::new();
    for block in 0..blocks {
        if rng.u32(0..3) > 0 {
            list.push((*next_branch, block, rng.u32(0..blocks), rng.u32(0..blocks)));
            *next_branch += 1;
        }
    }
    let mut function = conditions(blocks, &list);
    for edges in &mut function.cfg.successors {
        if edges.is_empty() && rng.bool() {
            edges.push(Edge { to: BlockId(rng.u32(0..blocks)), taken_by: Vec::new() });
        }
    }
    function
}

fn random_program(seed: u64) -> Program {
    let mut rng = Rng::with_seed(seed);
    let mut branches = 0;
    let count = rng.u32(1..4);
    let functions = (0..count).map(|_| random_function(&mut rng, &mut branches)).collect();
    let mut program = program(functions);
    for caller in 0..count {
        let blocks = program.functions[caller as usize].cfg.successors.len() as u32;
        let calls = rng.u32(0..3);
        program.call_sites.extend((0..calls).map(|_| direct(caller, rng.u32(0..blocks), rng.u32(0..count))));
    }
    // Without any call site the graph would guess.
    program.call_sites.push(direct(0, 0, 0));
    program
}

/// Smallest number of branches on a path from the block to an outcome in `uncovered`, by relaxing every edge of
/// the definition until nothing changes.
fn by_definition(program: &Program, uncovered: &[Goal]) -> Vec<Vec<Option<u32>>> {
    let mut best: Vec<Vec<Option<u32>>> =
        program.functions.iter().map(|f| vec![None; f.cfg.successors.len()]).collect();
    let blocks: usize = best.iter().map(Vec::len).sum();
    for _ in 0..=2 * blocks {
        for (f, function) in program.functions.iter().enumerate() {
            for (block, edges) in function.cfg.successors.iter().enumerate() {
                let along = edges.iter().filter_map(|edge| {
                    let rest = best[f][edge.to.index()];
                    match edge.taken_by.first() {
                        Some(goal) if uncovered.contains(goal) => Some(1),
                        Some(_) => rest.map(|rest| rest + 1),
                        None => rest,
                    }
                });
                let here = |site: &&CallSite| site.caller.0 as usize == f && site.block.index() == block;
                let sites = program.call_sites.iter().filter(here);
                let calls = sites.filter_map(|site| best[site.callee.0 as usize][0]);
                let shortest = along.chain(calls).chain(best[f][block]).min();
                best[f][block] = shortest;
            }
        }
    }
    best
}

proptest! {
    #[test]
    fn distances_are_those_of_the_definition(seed: u64) {
        let program = random_program(seed);
        let mut rng = Rng::with_seed(seed ^ 1);
        let goals: Vec<Goal> = program.functions.iter().flat_map(Function::goals).collect();
        let uncovered: Vec<Goal> = goals.iter().copied().filter(|_| rng.u32(0..4) == 0).collect();
        let distances = Cfcg::new(&program).distances(|goal| uncovered.contains(&goal));
        let best = by_definition(&program, &uncovered);
        for (f, function) in program.functions.iter().enumerate() {
            for edge in function.cfg.successors.iter().flatten() {
                for goal in &edge.taken_by {
                    let expected =
                        if uncovered.contains(goal) { Some(0) } else { best[f][edge.to.index()] };
                    prop_assert_eq!(distances.of(*goal), expected, "{:?}", goal);
                }
            }
        }
    }

    #[test]
    fn an_outcome_is_one_further_than_the_nearest_of_its_next(seed: u64) {
        let program = random_program(seed);
        let graph = Cfcg::new(&program);
        let uncovered = goal(0, true);
        let distances = graph.distances(|goal| goal == uncovered);
        for goal in program.functions.iter().flat_map(Function::goals).filter(|&g| g != uncovered) {
            let nearest = graph.next(goal).iter().filter_map(|&next| distances.of(next)).min();
            prop_assert_eq!(distances.of(goal), nearest.map(|nearest| nearest + 1));
        }
    }
}

#[test]
fn calls_are_entered_and_never_left() {
    // f: 0 --b0--> 1 (calls g), else 2;   g: 0 --b1--> 1, else 2
    let f = conditions(3, &[(0, 0, 1, 2)]);
    let g = conditions(3, &[(1, 0, 1, 2)]);
    let mut program = program(vec![f, g]);
    program.call_sites = vec![direct(0, 1, 1)];
    let graph = Cfcg::new(&program);
    assert_eq!(graph.next(goal(0, true)), [goal(1, false), goal(1, true)]);
    assert_eq!(graph.next(goal(0, false)), []);
    assert_eq!(graph.next(goal(1, true)), [], "no way back to f");
    let distances = graph.distances(|g| g == goal(1, false));
    assert_eq!([true, false].map(|o| distances.of(goal(0, o))), [Some(1), None]);
    // Calls at unknown places may be anywhere.
    program.call_sites.clear();
    program.functions[0].calls = vec![FunctionId(1)];
    let distances = Cfcg::new(&program).distances(|g| g == goal(1, false));
    assert_eq!([true, false].map(|o| distances.of(goal(0, o))), [Some(1), Some(1)]);
}

#[test]
fn a_case_covers_that_the_others_were_not_chosen() {
    // Block 0 jumps to 1 for cases 0 and 1, to 2 for case 2, to 3 by default.
    let kinds = [
        (0, BranchKind::Case, 0),
        (1, BranchKind::Case, 0),
        (2, BranchKind::Case, 0),
        (3, BranchKind::Default, 0),
    ];
    let edges: &[(u32, &[Goal])] =
        &[(1, &[goal(0, true), goal(1, true)]), (2, &[goal(2, true)]), (3, &[goal(3, true)])];
    let graph = graph(vec![function(&kinds, &[edges, &[], &[], &[]])]);
    let distances = graph.distances(|g| g == goal(2, false));
    let all = [0, 1, 2, 3].map(|branch| distances.of(goal(branch, true)));
    assert_eq!(all, [Some(0), Some(0), None, Some(0)]);
    let distances = graph.distances(|g| g == goal(0, false));
    let all = [0, 1, 2, 3].map(|branch| distances.of(goal(branch, true)));
    assert_eq!(all, [None, None, Some(0), Some(0)]);
}

#[test]
fn conditions_without_a_jump_stand_beside_their_block() {
    // Block 0 jumps on b0 to 1 or 2; block 1 selects by b1 and b2 and jumps on b3.
    let mut made = conditions(5, &[(0, 0, 1, 2), (3, 1, 3, 4)]);
    let select = |id, block| conditions(5, &[(id, block, 0, 0)]).branches.remove(0);
    made.branches.extend([select(1, 1), select(2, 1)]);
    let graph = graph(vec![made]);
    let both = |branches: &[u32]| -> Vec<Goal> {
        branches.iter().flat_map(|&b| [goal(b, false), goal(b, true)]).collect()
    };
    let sorted = |mut goals: Vec<Goal>| {
        goals.sort_unstable();
        goals
    };
    assert_eq!(graph.next(goal(0, true)), sorted(both(&[1, 2, 3])));
    assert_eq!(graph.next(goal(1, true)), sorted(both(&[2, 3])));
    assert!(graph.is_aside(goal(1, true), goal(0, true), goal(3, true)));
    assert!(!graph.is_aside(goal(3, true), goal(0, true), goal(1, true)));
}
