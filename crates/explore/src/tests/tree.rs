//! The tree by itself: leaves, pools, bounded memory.

use crate::testing::{goal, random_bits};
use crate::{
    Added, Answer, Explorer, Forcing, Leaf, Limits, Program, Run, Solve, Stop, Tree, Wanted, by_name, explore,
};
use expr::{Assignment, Term, Terms};
use fastrand::Rng;
use std::collections::HashMap;
use target::{Decision, Path, Way};

/// A path over made-up conditions: `2 n` and `2 n + 1` exclude each other.
fn path(conditions: &[u32]) -> Path {
    let way = |condition| Way { goal: Some(goal(condition / 2, true)), condition: Term(condition) };
    let decision =
        |&condition: &u32| Decision::between(way(condition), [way(condition ^ 1)].into_iter().collect());
    Path { decisions: conditions.iter().map(decision).collect(), ..Path::default() }
}

#[test]
fn a_path_opens_a_leaf_at_every_decision_and_a_known_one_opens_nothing() {
    let mut tree = Tree::new(100);
    assert!(tree.is_empty() && !tree.is_complete());
    assert_eq!(tree.add(&path(&[0, 2, 4]), 1), Added::New);
    assert_eq!((tree.unexplored(), tree.len()), (3, 7));
    assert_eq!(tree.add(&path(&[0, 2, 4]), 2), Added::Known);
    // Both ways of the last decision are known: it becomes a settled leaf.
    assert_eq!(tree.add(&path(&[0, 2, 5]), 3), Added::New);
    assert_eq!((tree.unexplored(), tree.len()), (2, 5));
    assert_eq!(tree.add(&path(&[0, 2, 4]), 4), Added::Known);
    assert_eq!(tree.census().paths, 2);
}

#[test]
fn paths_that_cannot_both_be_are_counted() {
    for second in [&[0][..], &[0, 2, 4], &[0, 6], &[8, 2]] {
        let mut tree = Tree::new(100);
        tree.add(&path(&[0, 2]), 1);
        assert_eq!(tree.add(&path(second), 2), Added::Inconsistent, "{second:?}");
        assert_eq!(tree.census().inconsistent, 1);
    }
}

#[test]
fn a_run_through_a_leaf_called_infeasible_ends_all_proofs() {
    let mut tree = Tree::new(100);
    tree.add(&path(&[0]), 1);
    let leaf = tree.random_leaf(&mut Rng::with_seed(1)).unwrap();
    tree.add(&path(&[0]), 2);
    let forcing = tree.forcing(leaf);
    tree.settle(&forcing, Leaf::TimedOut);
    assert!(!tree.is_complete() && !tree.is_new(&forcing));
    tree.settle(&forcing, Leaf::Infeasible);
    assert!(tree.is_complete());
    let mut other = Tree::new(100);
    other.add(&path(&[0, 2]), 1);
    other.settle(&forcing, Leaf::Infeasible);
    assert!(other.is_infeasible(&forcing));
    assert_eq!(other.add(&path(&[1, 6]), 2), Added::New);
    assert_eq!(other.census().inconsistent, 1);
}

#[test]
fn c50_every_leaf_is_equally_likely() {
    let mut tree = Tree::new(1000);
    tree.add(&path(&(0..20).map(|i| 2 * i).collect::<Vec<_>>()), 1);
    let mut rng = Rng::with_seed(3);
    let mut counts: HashMap<Vec<Term>, f64> = HashMap::new();
    for _ in 0..10_000 {
        let leaf = tree.random_leaf(&mut rng).unwrap();
        *counts.entry(tree.forcing(leaf).prefix).or_default() += 1.0;
    }
    assert_eq!(counts.len(), 20);
    let chi: f64 = counts.values().map(|count| (count - 500.0).powi(2) / 500.0).sum();
    // 19 degrees of freedom: 99 % below 36.19.
    assert!(chi < 36.19, "{chi}");
}

/// Going through all leaves for each would take a million times as long: hours.
#[test]
fn c50_one_of_a_million_leaves_is_found_at_once() {
    let mut tree = Tree::new(1 << 22);
    tree.add(&path(&(0..1_000_000).map(|i| 2 * i).collect::<Vec<_>>()), 1);
    assert_eq!(tree.unexplored(), 1_000_000);
    let mut rng = Rng::with_seed(5);
    let begun = std::time::Instant::now();
    let leaves: std::collections::HashSet<_> =
        (0..100_000).filter_map(|_| tree.random_leaf(&mut rng)).collect();
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    // Of 100,000 draws 4,800 hit a leaf that was drawn before.
    assert!(leaves.len() > 90_000, "{}", leaves.len());
}

#[test]
fn flips_of_a_path_are_judged_like_one_by_one() {
    let mut rng = Rng::with_seed(8);
    for limit in [16, 64, 10_000] {
        let mut tree = Tree::new(limit);
        for run in 0..200 {
            let random = random_path(&mut rng, 12);
            if rng.bool() {
                tree.add(&random, run);
            }
            let one_by_one = |decision: usize| {
                let taken = random.decisions[..decision].iter().map(|d| d.taken.condition).collect();
                let wanted = Wanted::Way(random.decisions[decision].others[0].condition);
                tree.is_new(&Forcing { prefix: taken, wanted })
            };
            let expected: Vec<usize> =
                (3..random.decisions.len()).filter(|&decision| one_by_one(decision)).collect();
            let found = tree.new_flips(&random, 3);
            assert_eq!(found.iter().map(|flip| flip.decision as usize).collect::<Vec<_>>(), expected);
        }
    }
}

#[test]
fn ways_with_the_same_condition_are_one_leaf() {
    let mut tree = Tree::new(100);
    let mut double = path(&[0]);
    let twin = double.decisions[0].others[0];
    double.decisions[0].others.push(twin);
    tree.add(&double, 1);
    assert_eq!(tree.unexplored(), 1);
    let leaf = tree.random_leaf(&mut Rng::with_seed(1)).unwrap();
    tree.settle(&tree.forcing(leaf), Leaf::Infeasible);
    assert!(tree.is_complete());
}

/// A decision is named by the way to it, so that paths are consistent.
fn random_path(rng: &mut Rng, length: u32) -> Path {
    let mut at = 0;
    let step = |_| {
        at = at * 2 + 2 + u32::from(rng.u32(0..4) == 0);
        at
    };
    path(&(0..length).map(step).collect::<Vec<_>>())
}

/// Random paths in trees of all sizes: the pool holds exactly the unexplored leaves, the limit holds.
#[test]
fn pruning_keeps_the_limit_and_the_pool() {
    for limit in [16, 40, 100, 1000] {
        let mut rng = Rng::with_seed(limit as u64);
        let mut tree = Tree::new(limit);
        for run in 0..300 {
            tree.add(&random_path(&mut rng, 28), run);
            assert!(tree.len() <= limit);
            if let Some(leaf) = tree.random_leaf(&mut rng) {
                let forcing = tree.forcing(leaf);
                assert!(tree.is_new(&forcing), "an open leaf is found again from the root");
                if rng.bool() {
                    tree.settle(&forcing, Leaf::Infeasible);
                    assert!(!tree.is_new(&forcing));
                }
            }
        }
        assert!(tree.census().pruned > 0 && !tree.is_complete(), "{limit}");
    }
}

/// `while (x != i) i++;` with the term 2 i for `x == i` and 2 i + 1 for its opposite.
struct Counting;

impl Program for Counting {
    fn run(&mut self, _: &mut Terms, assignment: &Assignment) -> Run {
        let number = assignment[0] as u32;
        let conditions: Vec<u32> = (0..number).map(|i| 2 * i + 1).chain([2 * number]).collect();
        Run { path: path(&conditions), ..Run::default() }
    }

    fn random(&mut self, rng: &mut Rng) -> Option<Vec<u128>> {
        random_bits(&[20], rng)
    }
}

impl Solve for Counting {
    fn solve(&mut self, _: &mut Terms, constraints: &[Term], _: &Assignment) -> Answer {
        match constraints.last() {
            Some(Term(equal)) if equal % 2 == 0 => Answer::Sat(vec![u128::from(equal / 2)]),
            _ => Answer::Unknown,
        }
    }
}

#[test]
fn c69_a_path_of_a_million_decisions_is_survived() {
    for name in ["tree", "generational", "random-branch", "uniform", "dfs"] {
        let limits = Limits { runs: 6, queries: 20, nodes: 10_000, ..Limits::default() };
        let (mut program, mut solver) = (Counting, Counting);
        let mut explorer = Explorer::new(&mut program, &mut solver, [], limits, 1);
        let stop = explore(by_name(name).unwrap(), &mut explorer, vec![1_000_000]);
        assert_eq!(stop, Stop::Budget, "{name}");
        let (tree, statistics) = (explorer.tree(), explorer.statistics());
        assert!(tree.len() <= 10_000 && tree.census().pruned > 0, "{name}");
        assert!(!tree.is_complete());
        assert_eq!(statistics.divergences, 0, "{name}");
    }
}
