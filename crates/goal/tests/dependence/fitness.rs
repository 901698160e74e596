//! The fitness of section 4.7 of the thesis.

use crate::examples::{calc, flag_example};
use crate::subject::{outcome, set, subject};
use goal::Fitness;
use goal::dependence::{DependencePlan, DependenceSet};
use model::Goal;

/// Smallest distances of a run of Calc, by the repaired table of the digest with k = 1.
fn run_calc([x, y, z]: [i64; 3]) -> Vec<(i32, u128)> {
    let mut x = x;
    let mut trace = Vec::new();
    let mut decide = |line: i32, [to_true, to_false]: [i64; 2]| {
        trace.extend([(line, to_true.unsigned_abs().into()), (-line, to_false.unsigned_abs().into())]);
        to_true == 0
    };
    let more = |a: i64, b: i64| [(b - a + 1).max(0), (a - b).max(0)];
    let equal = |a: i64, b: i64| [(a - b).abs(), i64::from(a == b)];
    let and = |a: [i64; 2], b: [i64; 2]| [a[0] + b[0], a[1].min(b[1])];
    let or = |a: [i64; 2], b: [i64; 2]| [a[0].min(b[0]), a[1] + b[1]];
    let fail = decide(4, or(or(more(0, x), more(0, y)), more(0, z)));
    let mut result = -1;
    if decide(8, equal(i64::from(fail), 0)) {
        x = y;
        result = 0;
    }
    if decide(12, equal(result, 0)) && !decide(13, equal(z, 0)) {
        decide(16, or(and(more(z, x), more(z, y)), more(z, x + y)));
    }
    trace
}

fn smallest(trace: &[(i32, u128)]) -> impl Fn(Goal) -> u128 + '_ {
    |goal| trace.iter().find(|(signed, _)| outcome(*signed) == goal).map_or(u128::MAX, |&(_, d)| d)
}

/// The plan of Calc's line 16 for a set.
fn calc_plan(wanted: &DependenceSet) -> DependencePlan {
    let calc = calc();
    let found = calc.all_sets(16);
    let target = calc.plan(16);
    let plan = found.plans(&target).zip(&found.sets).find(|(_, set)| *set == wanted);
    plan.unwrap_or_else(|| panic!("no such set: {wanted:?}")).0
}

const T1: [i64; 3] = [12, -2, 3];
const T2: [i64; 3] = [1, 2, 0];
const T3: [i64; 3] = [4, 7, 3];

#[test]
fn item_34_levels_4_1_0() {
    let plan = calc_plan(&set(&[-4, 8, 12, -13]));
    let level = |values| plan.fitness(smallest(&run_calc(values))).level;
    assert_eq!([T1, T2, T3].map(level), [4, 1, 0]);
}

/// What is to be counted is the difference of the sets, for every input and every set.
#[test]
fn item_34_the_level_is_the_size_of_the_difference() {
    let calc = calc();
    let (found, target) = (calc.all_sets(16), calc.plan(16));
    for code in 0..7 * 7 * 7 {
        let trace = run_calc([code % 7 - 3, code / 7 % 7 - 3, code / 49 - 3]);
        for (plan, wanted) in found.plans(&target).zip(&found.sets) {
            let missing = wanted.iter().filter(|&&goal| smallest(&trace)(goal) != 0).count() as u32;
            let fitness = plan.fitness(smallest(&trace));
            let is_covered = smallest(&trace)(outcome(16)) == 0;
            assert_eq!(fitness.level, if is_covered { 0 } else { missing }, "{trace:?} {wanted:?}");
            assert_eq!(fitness == Fitness::COVERED, is_covered);
        }
    }
}

#[test]
fn item_35_the_first_missing_outcome_is_where_a_run_diverged() {
    let plan = calc_plan(&set(&[-4, 8, 12, -13]));
    let diverged = |values| plan.diverged(smallest(&run_calc(values)));
    assert_eq!(diverged(T1), Some(outcome(-4)));
    assert_eq!(diverged(T2), Some(outcome(-13)));
    assert_eq!(diverged(T3), None);
    let entered_late = [(8, 3), (-8, 0)];
    assert_eq!(plan.diverged(smallest(&entered_late)), Some(outcome(8)), "4 was never evaluated");
    let fitness = |values| plan.fitness(smallest(&run_calc(values)));
    assert_eq!(fitness(T1), Fitness { level: 4, distance: 2 }, "y is 2 away from 0");
    assert_eq!(fitness(T2), Fitness { level: 1, distance: 1 }, "z is 0");
    // Line 16 with x = y = 7: z > x + y is 12 away, z > x && z > y is 5 + 5.
    assert_eq!(fitness(T3), Fitness { level: 0, distance: 10 });
}

/// `if (c) { if (a) flag = 1; if (flag) …; }`: what is missing first is on the goal's own way.
#[test]
fn item_35_the_goals_own_way_may_be_left_first() {
    let nested = subject(
        "a c",
        &[
            (1, "flag = 0", &[2]),
            (2, "if c", &[3, 7]),
            (3, "if a", &[4, 5]),
            (4, "flag = 1", &[5]),
            (5, "if flag", &[6, 7]),
            (6, "", &[7]),
            (7, "", &[]),
        ],
    );
    let found = nested.all_sets(5);
    assert_eq!(found.sets, [set(&[2]), set(&[2, 3])]);
    let target = nested.plan(5);
    let Some(plan) = found.plans(&target).last() else { panic!("no plan") };
    let outside = [(2, 8), (-2, 0)];
    assert_eq!(plan.fitness(smallest(&outside)), Fitness { level: 2, distance: 8 });
    let inside = [(2, 0), (-2, 1), (3, 6), (-3, 0), (5, 1), (-5, 0)];
    assert_eq!(plan.fitness(smallest(&inside)), Fitness { level: 1, distance: 6 });
}

/// Program order is that of execution, not of numbers.
#[test]
fn item_35_first_is_what_is_executed_first() {
    let backwards = subject(
        "a b",
        &[
            (9, "if a", &[8, 7]),
            (8, "f = 1", &[7]),
            (7, "if b", &[6, 5]),
            (6, "g = 1", &[5]),
            (5, "if f && g", &[4, 4]),
            (4, "", &[]),
        ],
    );
    let (found, target) = (backwards.all_sets(5), backwards.plan(5));
    let Some(plan) = found.plans(&target).last() else { panic!("no plan") };
    assert_eq!(plan.further(), [outcome(9), outcome(7)]);
    let neither = [(9, 3), (-9, 0), (7, 4), (-7, 0), (5, 1), (-5, 0)];
    assert_eq!(plan.fitness(smallest(&neither)), Fitness { level: 2, distance: 3 });
}

#[test]
fn item_36_runs_that_come_closer_are_better() {
    let plan = calc_plan(&set(&[-4, 8, 12, -13]));
    let fitness = |values| plan.fitness(smallest(&run_calc(values)));
    assert!(fitness(T1) > fitness(T2) && fitness(T2) > fitness(T3));
    assert!(fitness([12, -2, 3]) > fitness([12, -1, 3]), "unit steps at the diverged decision");
    let plain = calc_plan(&set(&[12, -13]));
    let flat = |values| plain.fitness(smallest(&run_calc(values)));
    assert_eq!(flat([12, -2, 3]), flat([12, -1, 3]), "a plateau without the data");
}

#[test]
fn item_37_no_distance_outweighs_a_level() {
    let plan = calc_plan(&set(&[-4, 8, 12, -13]));
    let far = [(4, 0), (-4, u128::MAX - 1), (8, 1), (-8, 0), (12, 1), (-12, 0)];
    let near = [(4, 0), (-4, 1), (8, 1), (-8, 0)];
    assert!(plan.fitness(smallest(&far)) < plan.fitness(smallest(&near)), "line 12 was not evaluated");
    // All that was evaluated is as wanted, and the run ended before the rest.
    let stopped = [(4, 1), (-4, 0), (8, 0), (-8, 1)];
    let Fitness { level, distance } = plan.fitness(smallest(&stopped));
    assert_eq!((level, distance), (3, u128::MAX), "12, -13 and the goal");
    assert_eq!(plan.fitness(|_| u128::MAX), Fitness::WORST);
}

/// Whatever a run may say, the first plan judges as the control dependence alone does.
#[test]
fn item_39_the_plain_set_is_the_old_fitness() {
    let subjects = [(calc(), 16), (calc(), -8), (flag_example(), 6)];
    const DISTANCES: [u128; 4] = [0, 1, 5, u128::MAX];
    for (subject, of) in subjects {
        let (found, target) = (subject.all_sets(of), subject.plan(of));
        let Some(plain) = found.plans(&target).next() else { panic!("no plan") };
        assert_eq!(plain.further(), []);
        for code in 0..4usize.pow(6) {
            let distance = |goal: Goal| DISTANCES[code >> (2 * (goal.index() % 6)) & 3];
            assert_eq!(plain.fitness(distance), target.fitness(distance));
        }
    }
}

/// Flags that are looked at on every run: the plain fitness is flat, that of a set leads to its conditions one by one.
#[test]
fn item_34_flag_example_is_led_to_both_conditions() {
    let flags = flag_example();
    let found = flags.all_sets(6);
    assert_eq!(found.sets, [set(&[]), set(&[2]), set(&[4]), set(&[2, 4])]);
    let target = flags.plan(6);
    let plans: Vec<DependencePlan> = found.plans(&target).collect();
    let run = |a: u128, b: u128| {
        [(2, a), (-2, u128::from(a == 0)), (4, u128::from(b == 0)), (-4, b), (6, 1), (-6, 0)]
    };
    assert_eq!(plans[0].fitness(smallest(&run(7, 1))), plans[0].fitness(smallest(&run(3, 1))));
    assert_eq!(plans[1].fitness(smallest(&run(7, 1))), Fitness { level: 1, distance: 7 });
    assert_eq!(plans[1].fitness(smallest(&run(0, 1))), Fitness { level: 0, distance: 1 });
    assert_eq!(plans[3].fitness(smallest(&run(7, 0))), Fitness { level: 2, distance: 7 });
}
