//! Loops: chains of definitions that come round, and decisions that are evaluated more than once.

use crate::subject::{outcome, set, sets, subject};
use goal::Fitness;
use goal::dependence::DependenceSet;
use std::collections::BTreeSet;

/// `while (i < n) i = i + 1; if (i == 5) …`.
#[test]
fn item_22_a_definition_made_of_itself() {
    let counter = subject(
        "n",
        &[
            (1, "i = 0", &[2]),
            (2, "if i < n", &[3, 4]),
            (3, "i = i + 1", &[2]),
            (4, "if i == 5", &[5, 5]),
            (5, "", &[]),
        ],
    );
    assert_eq!(counter.last_defs("i", 3), [1, 3]);
    assert_eq!(counter.all_sets(4).sets, [set(&[]), set(&[2])]);
    assert_eq!(counter.all_sets(2).sets, [set(&[])], "to go round once more would have been to get there");
    assert_eq!(counter.all_sets(-2).sets, [set(&[]), set(&[2])]);
}

/// The same where `i` has no value to begin with, and the loop asks a call: no chain ends by itself.
#[test]
fn item_22_circles_without_a_beginning_end() {
    let circle =
        subject("", &[(2, "if", &[3, 4]), (3, "i = i + 1", &[2]), (4, "if i == 5", &[5, 5]), (5, "", &[])]);
    assert_eq!(circle.all_sets(4).sets, [set(&[]), set(&[2])]);
    let unknown =
        subject("", &[(2, "if u", &[3, 4]), (3, "flag = 1", &[4]), (4, "if flag", &[5, 5]), (5, "", &[])]);
    assert_eq!(unknown.all_sets(4).sets, [set(&[]), set(&[2])], "nobody knows where `u` is from");
}

/// `while (c) { if (a) return; flag = 1; } if (flag) …`: to set the flag `c` must hold, and then it must not.
#[test]
fn item_20_both_outcomes_of_a_loop_do_not_conflict() {
    let search = subject(
        "a c",
        &[
            (1, "flag = 0", &[2]),
            (2, "if c", &[3, 5]),
            (3, "if a", &[9, 4]),
            (4, "flag = 1", &[2]),
            (5, "if flag", &[6, 9]),
            (6, "", &[9]),
            (9, "", &[]),
        ],
    );
    let found = search.all_sets(5);
    assert_eq!(found.plain, set(&[-2]));
    assert_eq!(found.sets, [set(&[-2]), set(&[-2, 2, -3])]);
    let plan = found.plans(&search.plan(5)).last().map(|plan| (plan.further().to_vec(), plan));
    let Some((further, plan)) = plan else { panic!("no plan") };
    assert_eq!(further, [outcome(2), outcome(-3)]);
    let fitness = |smallest: &[(i32, u128)]| {
        plan.fitness(|goal| smallest.iter().find(|(o, _)| outcome(*o) == goal).map_or(u128::MAX, |&(_, d)| d))
    };
    // The loop is left at once, then it is left by the return, then after a round.
    let at_once = fitness(&[(2, 4), (-2, 0), (5, 1), (-5, 0)]);
    assert_eq!(at_once, Fitness { level: 2, distance: 4 });
    let returned = fitness(&[(2, 0), (-2, 7), (3, 0), (-3, 2)]);
    assert_eq!(returned, Fitness { level: 2, distance: 7 }, "the first that is missing is leaving the loop");
    let after_a_round = fitness(&[(2, 0), (-2, 0), (3, 9), (-3, 0), (5, 0), (-5, 1)]);
    assert_eq!(after_a_round, Fitness::COVERED);
}

/// `while (n) if (state == 2) …; else if (state == 1) state = 2; else if (cmd == 7) state = 1;`: the target is three rounds away.
#[test]
fn item_22_a_state_machine_is_followed_through_its_rounds() {
    let machine = subject(
        "n cmd",
        &[
            (1, "state = 0", &[2]),
            (2, "if n", &[3, 9]),
            (3, "if state == 2", &[4, 5]),
            (4, "", &[2]),
            (5, "if state == 1", &[6, 7]),
            (6, "state = 2", &[2]),
            (7, "if cmd == 7", &[8, 2]),
            (8, "state = 1", &[2]),
            (9, "", &[]),
        ],
    );
    let found: BTreeSet<DependenceSet> = machine.all_sets(3).sets.into_iter().collect();
    assert!(found.contains(&set(&[2, -3, 5, -5, 7])), "{found:?}");
    assert!(found.iter().all(|set| !set.contains(&outcome(3))), "a way to the goal that begins at the goal");
}

/// The labels of a `switch` in a loop: each round may jump to another one.
#[test]
fn item_20_labels_of_a_switch_in_a_loop_do_not_conflict() {
    let labels = subject(
        "x n",
        &[
            (1, "if n", &[2, 5]),
            (2, "switch x", &[3, 4, 1]),
            (3, "f = 1", &[1]),
            (4, "g = 1", &[1]),
            (5, "if f && g", &[6, 6]),
            (6, "", &[]),
        ],
    );
    let found: BTreeSet<DependenceSet> = labels.all_sets(5).sets.into_iter().collect();
    assert_eq!(found, sets(&[&[], &[1, 200], &[1, 201], &[1, 200, 201]]));
}
