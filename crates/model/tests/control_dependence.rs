//! Control dependence against hand-checked programs and against its definition.

use model::{BlockId, Cfg, Edge};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::time::{Duration, Instant};

type Dependence = Vec<Vec<(BlockId, usize)>>;

fn cfg(successors: &[&[u32]]) -> Cfg {
    let edge = |&to: &u32| Edge { to: BlockId(to), taken_by: Vec::new() };
    Cfg { successors: successors.iter().map(|to| to.iter().map(edge).collect()).collect() }
}

#[track_caller]
fn check(successors: &[&[u32]], expected: &[&[(u32, usize)]]) {
    let expected: Dependence = expected
        .iter()
        .map(|pairs| pairs.iter().map(|&(block, edge)| (BlockId(block), edge)).collect())
        .collect();
    assert_eq!(cfg(successors).control_dependence(), expected);
}

/// `if (a == b) if (b == c) if (c == d) target(); return`.
#[test]
fn nested_conditions() {
    check(&[&[1, 4], &[2, 4], &[3, 4], &[4], &[]], &[&[], &[(0, 0)], &[(1, 0)], &[(2, 0)], &[]]);
}

/// `if (c1) x--; if (c2) x++; if (c3) x = x;`: of three conditions only the last controls the last statement.
#[test]
fn conditions_in_sequence() {
    check(
        &[&[1, 2], &[2], &[3, 4], &[4], &[5, 6], &[6], &[]],
        &[&[], &[(0, 0)], &[], &[(2, 0)], &[], &[(4, 0)], &[]],
    );
}

/// `if (a) return 1; if (b) x(); return 0`.
#[test]
fn early_return() {
    check(&[&[1, 2], &[], &[3, 4], &[4], &[]], &[&[], &[(0, 0)], &[(0, 1)], &[(2, 0)], &[(0, 1)]]);
}

/// `while (c) { if (b) break; x(); }`: the head runs again only if there was no break.
#[test]
fn loop_with_break() {
    check(&[&[1], &[2, 4], &[4, 3], &[1], &[]], &[&[], &[(2, 1)], &[(1, 0)], &[(2, 1)], &[]]);
}

/// `while (c) { if (b) continue; x(); }`: the head runs again whatever `b` is.
#[test]
fn loop_with_continue() {
    check(&[&[1], &[2, 4], &[1, 3], &[1], &[]], &[&[], &[(1, 0)], &[(1, 0)], &[(2, 1)], &[]]);
}

/// `switch (x) { case 1: case 2: a(); case 3: b(); break; default: c(); } d();`.
#[test]
fn switch_with_shared_label_and_fall_through() {
    check(
        &[&[1, 1, 2, 3], &[2], &[4], &[4], &[]],
        &[&[], &[(0, 0), (0, 1)], &[(0, 0), (0, 1), (0, 2)], &[(0, 3)], &[]],
    );
}

/// A condition whose outcomes lead to the same block decides nothing.
#[test]
fn parallel_edges_to_one_block() {
    check(&[&[1, 1], &[]], &[&[], &[]]);
}

/// `do x(); while (c);` in one block.
#[test]
fn self_loop() {
    check(&[&[1], &[1, 2], &[]], &[&[], &[(1, 0)], &[]]);
}

/// `goto` into the middle of a loop: 1 and 2 enter each other, and either may leave.
#[test]
fn irreducible() {
    check(&[&[1, 2], &[2, 3], &[1, 3], &[]], &[&[], &[(0, 0), (2, 0)], &[(0, 1), (1, 0)], &[]]);
}

/// `return; dead: if (x) y(); live: return`: dead code controls nothing.
#[test]
fn unreachable_blocks() {
    check(&[&[3], &[2, 3], &[3], &[]], &[&[], &[], &[], &[]]);
}

/// `if (c) for (;;) if (a) x(); rest();`: the loop's head 1 gets the pseudo-edge.
#[test]
fn loop_without_end() {
    check(&[&[1, 4], &[2], &[3, 1], &[1], &[]], &[&[], &[(0, 0), (1, 0)], &[(1, 0)], &[(2, 0)], &[(0, 1)]]);
}

#[test]
fn empty_and_single_block() {
    check(&[], &[]);
    check(&[&[]], &[&[]]);
    check(&[&[0]], &[&[(0, 0)]]);
}

#[test]
fn reverse_breadth_first_is_deepest_first_and_complete() {
    let order = |successors: &[&[u32]]| -> Vec<u32> {
        cfg(successors).reverse_breadth_first().into_iter().map(|block| block.0).collect()
    };
    assert_eq!(order(&[&[2, 1], &[3], &[3], &[], &[3]]), [3, 1, 2, 0, 4]);
    assert_eq!(order(&[&[1], &[0]]), [1, 0]);
    assert_eq!(order(&[]), [0; 0]);
}

/// Whether a path leads `from` one block `to` another once `removed` is deleted.
fn reaches(edges: &[Vec<usize>], removed: Option<usize>, from: usize, to: usize) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut stack = vec![from];
    while let Some(block) = stack.pop() {
        if Some(block) == removed || std::mem::replace(&mut seen[block], true) {
            continue;
        }
        stack.extend(&edges[block]);
    }
    seen[to]
}

/// Position of every block in breadth-first order; those the entry does not reach are infinitely far.
fn ranks(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order = vec![0];
    let mut index = 0;
    while index < order.len() {
        for &to in &edges[order[index]] {
            if !order.contains(&to) {
                order.push(to);
            }
        }
        index += 1;
    }
    (0..edges.len()).map(|block| order.iter().position(|&b| b == block).unwrap_or(usize::MAX)).collect()
}

/// The graph with its virtual exit (the last node) and the pseudo-edges of endless loops.
fn with_exit(cfg: &Cfg) -> Vec<Vec<usize>> {
    let plain: Vec<Vec<usize>> =
        cfg.successors.iter().map(|edges| edges.iter().map(|edge| edge.to.index()).collect()).collect();
    let (exit, ranks) = (plain.len(), ranks(&plain));
    let mut edges = plain.clone();
    edges.push(Vec::new());
    for (block, out) in edges.iter_mut().enumerate().take(exit) {
        let region: Vec<usize> = (0..exit).filter(|&to| reaches(&plain, None, block, to)).collect();
        let never_left = region.iter().all(|&from| reaches(&plain, None, from, block));
        let nearest = region.iter().min_by_key(|&&member| (ranks[member], member));
        if never_left && nearest == Some(&block) {
            out.push(exit);
        }
    }
    edges
}

/// Straight from the definition: a block post-dominates another if no way out remains without it.
fn by_definition(cfg: &Cfg) -> Dependence {
    let (edges, exit) = (with_exit(cfg), cfg.successors.len());
    let post_dominates = |y: usize, x: usize| y == x || !reaches(&edges, Some(y), x, exit);
    let controls = |x: usize, z: usize, y: usize| post_dominates(y, z) && (y == x || !post_dominates(y, x));
    let pairs = |y: usize| {
        let reached = (0..exit).filter(|&x| reaches(&edges, None, 0, x));
        let edges = reached.flat_map(|x| (0..cfg.successors[x].len()).map(move |index| (x, index)));
        let chosen = edges.filter(|&(x, index)| controls(x, cfg.successors[x][index].to.index(), y));
        chosen.map(|(x, index)| (BlockId(x as u32), index)).collect()
    };
    (0..exit).map(pairs).collect()
}

/// Up to 12 blocks; `least` successors a block, so that with 1 most loops never end.
fn graphs() -> impl Strategy<Value = Cfg> {
    (1u32..=12, 0usize..=1).prop_flat_map(|(size, least)| {
        let block = prop::collection::vec(0..size, least..=3);
        prop::collection::vec(block, size as usize)
            .prop_map(|graph| cfg(&graph.iter().map(Vec::as_slice).collect::<Vec<_>>()))
    })
}

/// What a sample must contain for the comparison to mean something.
fn features(cfg: &Cfg) -> [bool; 4] {
    let (edges, exit) = (with_exit(cfg), cfg.successors.len());
    let reached: Vec<usize> = (0..exit).filter(|&block| reaches(&edges, None, 0, block)).collect();
    let targets = |block: usize| cfg.successors[block].iter().map(|edge| edge.to.index());
    let parallel = |&block: &usize| {
        targets(block).enumerate().any(|(i, to)| targets(block).skip(i + 1).any(|t| t == to))
    };
    let endless = |&block: &usize| edges[block].contains(&exit) && !cfg.successors[block].is_empty();
    let own_successor = |&block: &usize| targets(block).any(|to| to == block);
    [
        reached.len() < exit,
        reached.iter().any(parallel),
        reached.iter().any(endless),
        reached.iter().any(own_successor),
    ]
}

#[test]
fn equals_the_definition_on_random_graphs() {
    let config = Config { cases: 1000, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let seen = std::cell::Cell::new([0; 4]);
    let result = runner.run(&graphs(), |cfg| {
        let mut counts = seen.get();
        features(&cfg).iter().zip(&mut counts).for_each(|(&has, count)| *count += u32::from(has));
        seen.set(counts);
        prop_assert_eq!(cfg.control_dependence(), by_definition(&cfg));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(seen.get().iter().all(|&count| count >= 200), "poor sample: {:?}", seen.get());
}

const LARGE: u32 = 20_000;

#[track_caller]
fn takes_well_under_a_second(name: &str, successors: impl Fn(u32) -> Vec<u32>) {
    let graph: Vec<Vec<u32>> = (0..LARGE).map(successors).collect();
    let graph = cfg(&graph.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let start = Instant::now();
    let dependence = graph.control_dependence();
    let time = start.elapsed();
    assert_eq!(dependence.len(), LARGE as usize);
    assert!(time < Duration::from_millis(700), "{name} took {time:?}");
    println!("{name}: {time:?}");
}

#[test]
fn large_graphs() {
    let last = LARGE - 1;
    let next = |block: u32| (block + 1).min(last);
    takes_well_under_a_second("chain", |b| if b == last { vec![] } else { vec![b + 1] });
    takes_well_under_a_second("early returns", |b| if b == last { vec![] } else { vec![next(b), last] });
    takes_well_under_a_second("else-if ladder", |b| match b {
        _ if b == last => vec![],
        _ if b % 2 == 0 => vec![next(b), (b + 2).min(last)],
        _ => vec![last],
    });
    takes_well_under_a_second("ring", |b| vec![(b + 1) % LARGE]);
    takes_well_under_a_second("short loops", |b| match b % 4 {
        _ if b == last => vec![],
        2 => vec![b - 1, next(b)],
        _ => vec![next(b)],
    });
    takes_well_under_a_second("one switch", |b| match b {
        0 => (1..LARGE).collect(),
        _ if b == last => vec![],
        _ => vec![last],
    });
    takes_well_under_a_second("100 nested loops, 100 times", |b| match b % 200 {
        _ if b == last => vec![],
        depth if depth >= 100 => vec![b - 2 * (depth - 100) - 1, next(b)],
        _ => vec![next(b)],
    });
    takes_well_under_a_second("gotos", |b| match b {
        _ if b % 100 == 99 => vec![],
        _ => vec![next(b), b.wrapping_mul(2_654_435_761) % LARGE],
    });
}

#[test]
fn reverse_postorder_is_the_order_of_the_source() {
    let order = |successors: &[&[u32]]| -> Vec<u32> {
        cfg(successors).reverse_postorder().into_iter().map(|block| block.0).collect()
    };
    // if (0) 1 else 2; while (3) 4; 5; 6 is never reached.
    assert_eq!(order(&[&[1, 2], &[3], &[3], &[4, 5], &[3], &[], &[5]]), [0, 1, 2, 3, 4, 5]);
    assert_eq!(order(&[&[2, 1], &[3], &[3], &[]]), [0, 2, 1, 3], "what the first edge leads to comes first");
    assert_eq!(order(&[&[1], &[0]]), [0, 1]);
    assert_eq!(order(&[]), [0; 0]);
}

#[test]
fn blocks_on_cycles_are_repeated() {
    let repeated = |successors: &[&[u32]]| cfg(successors).repeated();
    assert_eq!(repeated(&[&[1], &[2, 3], &[1], &[]]), [false, true, true, false]);
    assert_eq!(repeated(&[&[1], &[1, 2], &[]]), [false, true, false], "its own successor");
    assert_eq!(repeated(&[&[1, 1], &[]]), [false, false]);
}
