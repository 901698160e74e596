//! Programs with more sets than anybody can search for.

use crate::subject::{Subject, outcome, set, subject};
use goal::dependence::{Bound, Dependence, Limits};
use model::{BlockId, Cfg, DataFlow, Edge};

/// Flags 1 to `count`, each set behind a condition on an input of its own, and a decision on all of them: line 1000.
fn independent_flags(count: u32) -> Subject {
    let name = |prefix: &str| (1..=count).map(|n| format!("{prefix}{n} ")).collect::<String>();
    let mut lines: Vec<(u32, String, Vec<u32>)> = Vec::new();
    for n in 1..=count {
        let next = if n == count { 1000 } else { 10 * (n + 1) };
        lines.push((10 * n, format!("f{n} = 0"), vec![10 * n + 1]));
        lines.push((10 * n + 1, format!("if c{n}"), vec![10 * n + 2, next]));
        lines.push((10 * n + 2, format!("f{n} = 1"), vec![next]));
    }
    lines.push((1000, format!("if {}", name("f")), vec![1001, 1001]));
    lines.push((1001, String::new(), vec![]));
    from_lines(&name("c"), &lines)
}

fn from_lines(inputs: &str, lines: &[(u32, String, Vec<u32>)]) -> Subject {
    let lines: Vec<_> =
        lines.iter().map(|(line, text, next)| (*line, text.as_str(), next.as_slice())).collect();
    subject(inputs, &lines)
}

#[test]
fn item_25_ten_flags_are_bounded_and_the_bound_is_reported() {
    let flags = independent_flags(10);
    let found = flags.dependence().sets(outcome(1000), &Limits::default());
    assert_eq!(found.reached, [Bound::Sets].into());
    assert_eq!(found.sets.len(), Limits::default().sets);
    let conditions: Vec<i32> = (1..=10).map(|n| 10 * n + 1).collect();
    assert_eq!(found.sets.first(), Some(&set(&[])));
    assert_eq!(found.sets.last(), Some(&set(&conditions)), "the one that the goal needs");
    assert!(conditions.iter().all(|&condition| found.sets.contains(&set(&[condition]))));
}

#[test]
fn item_25_a_bound_that_is_just_enough_is_not_reported() {
    let flags = independent_flags(10);
    let sets = |most| flags.dependence().sets(outcome(1000), &Limits { sets: most, ..Limits::default() });
    assert_eq!((sets(1024).sets.len(), sets(1024).reached), (1024, [].into()));
    assert_eq!((sets(1023).sets.len(), sets(1023).reached), (1023, [Bound::Sets].into()));
    assert_eq!((sets(1).sets, sets(1).reached), (vec![set(&[])], [Bound::Sets].into()));
}

#[test]
fn item_25_the_widest_union_is_kept_before_single_sets() {
    let limits = Limits { sets: 3, ..Limits::default() };
    let found = independent_flags(10).dependence().sets(outcome(1000), &limits);
    assert_eq!(found.sets.iter().map(|set| set.len()).collect::<Vec<_>>(), [0, 1, 10]);
}

/// Each flag is set both ways by a decision on the one before: the last has 2^13 histories.
#[test]
fn item_25_chains_are_bounded_and_the_bound_is_reported() {
    let mut lines: Vec<(u32, String, Vec<u32>)> = Vec::new();
    for n in 1..=13 {
        let line = 10 * n;
        lines.push((line, format!("if f{}", n - 1), vec![line + 1, line + 2]));
        lines.push((line + 1, format!("f{n} = 1"), vec![line + 10]));
        lines.push((line + 2, format!("f{n} = 0"), vec![line + 10]));
    }
    lines.push((140, "if f13".to_owned(), vec![141, 141]));
    lines.push((141, String::new(), vec![]));
    let flags = from_lines("f0", &lines);
    let found = flags.dependence().sets(outcome(140), &Limits::default());
    assert_eq!(found.reached, [Bound::Chains, Bound::Sets].into());
    assert_eq!(found.chains.len(), Limits::default().chains);
    // The first eleven links have 2^11 histories.
    assert!(found.chains.iter().all(|chain| chain.len() >= 11), "long chains end early, they are not lost");
    let generous = Limits { chains: 1 << 20, ..Limits::default() };
    let all = flags.dependence().sets(outcome(140), &generous);
    assert_eq!((all.chains.len(), all.reached), (1 << 13, [Bound::Sets].into()));
}

/// `if ((a || b) && (a || b) && …) flag = 1;`: 2^6 ways.
#[test]
fn item_25_ways_are_bounded_and_the_bound_is_reported() {
    let mut lines: Vec<(u32, String, Vec<u32>)> = Vec::new();
    for n in 1..=6 {
        lines.push((10 * n, "if a".to_owned(), vec![10 * n + 10, 10 * n + 1]));
        lines.push((10 * n + 1, "if b".to_owned(), vec![10 * n + 10, 100]));
    }
    lines.push((70, "flag = 1".to_owned(), vec![100]));
    lines.push((100, "if flag".to_owned(), vec![101, 101]));
    lines.push((101, String::new(), vec![]));
    let flag = from_lines("a b", &lines);
    let sets = |ways| flag.dependence().sets(outcome(100), &Limits { ways, sets: 100, ..Limits::default() });
    assert_eq!((sets(64).chains.len(), sets(64).reached), (64, [].into()));
    assert_eq!((sets(63).chains.len(), sets(63).reached), (63, [Bound::Ways].into()));
}

/// The same 40 times over, of conditions that no branch is known of: 2^40 paths, one set.
#[test]
fn item_25_paths_without_outcomes_are_bounded() {
    let edge = |to| Edge { to: BlockId(to), taken_by: Vec::new() };
    let mut successors: Vec<Vec<Edge>> = Vec::new();
    for n in 0..40 {
        successors.push(vec![edge(2 * n + 2), edge(2 * n + 1)]);
        successors.push(vec![edge(2 * n + 2), edge(81)]);
    }
    successors.extend([vec![edge(81)], vec![]]);
    let (cfg, data) = (Cfg { successors }, DataFlow::default());
    let ways = Dependence::new(&cfg, &[], &data).ways(BlockId(80), 32);
    assert_eq!((ways.sets, ways.is_cut), ([set(&[])].into(), true));
}

/// 1,000 conditions of one `else if`, each with its own result, and a decision on the result.
#[test]
fn item_25_a_long_ladder_is_bounded() {
    const LENGTH: u32 = 1_000;
    let mut lines: Vec<(u32, String, Vec<u32>)> = Vec::new();
    for n in 1..=LENGTH {
        let next = if n == LENGTH { 9_000_000 } else { 10 * (n + 1) };
        lines.push((10 * n, "if x".to_owned(), vec![10 * n + 1, next]));
        lines.push((10 * n + 1, "result = 1".to_owned(), vec![9_000_000]));
    }
    lines.push((9_000_000, "if result".to_owned(), vec![9_000_001, 9_000_001]));
    lines.push((9_000_001, String::new(), vec![]));
    let ladder = from_lines("x", &lines);
    let found = ladder.dependence().sets(outcome(9_000_000), &Limits::default());
    assert_eq!(found.sets.len(), Limits::default().sets);
    assert!(found.sets.contains(&set(&[-10, -20, 30])));
}
