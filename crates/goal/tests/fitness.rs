//! Approach level and branch distance on small programs, evaluated by hand.

use goal::{CallPlans, Fitness, Plan, Plans, distance};
use model::{
    BlockId, Branch, BranchId, BranchKind, CallSite, Cfg, Edge, Function, FunctionId, Goal, Program, Span,
    testing,
};
use std::collections::HashMap;

const fn goal(branch: u32, outcome: bool) -> Goal {
    Goal { branch: BranchId(branch), outcome }
}

/// A function from the edges of its blocks; branch `n` is evaluated by the block whose edges it takes.
fn function(blocks: &[&[(u32, &[Goal])]]) -> Function {
    let edge = |&(to, taken_by): &(u32, &[Goal])| Edge { to: BlockId(to), taken_by: taken_by.to_vec() };
    let successors: Vec<Vec<Edge>> = blocks.iter().map(|edges| edges.iter().map(edge).collect()).collect();
    let mut block_of = HashMap::new();
    for (block, edges) in (0..).map(BlockId).zip(&successors) {
        block_of.extend(edges.iter().flat_map(|edge| &edge.taken_by).map(|goal| (goal.branch, block)));
    }
    let branch = |(&id, &block): (&BranchId, &BlockId)| Branch {
        id,
        kind: BranchKind::Condition,
        span: Span::default(),
        expansion: None,
        block,
        counted: true,
    };
    let branches = block_of.iter().map(branch).collect();
    Function { branches, cfg: Cfg { successors }, ..testing::function("f") }
}

/// `if (a == b) if (b == c) if (c == d) target(); return`.
fn nested() -> Function {
    function(&[
        &[(1, &[goal(0, true)]), (4, &[goal(0, false)])],
        &[(2, &[goal(1, true)]), (4, &[goal(1, false)])],
        &[(3, &[goal(2, true)]), (4, &[goal(2, false)])],
        &[(4, &[])],
        &[],
    ])
}

/// Smallest distances of a run of [`nested`].
fn run_nested(values: [i64; 4]) -> impl Fn(Goal) -> u128 {
    move |goal| {
        let step = goal.branch.0 as usize;
        if values[..=step].windows(2).any(|pair| pair[0] != pair[1]) {
            return u128::MAX;
        }
        let distances = distance::equal(values[step], values[step + 1]);
        if goal.outcome { distances.to_true } else { distances.to_false }
    }
}

#[test]
fn nested_conditions_have_levels_2_1_0() {
    let plan = Plan::new(&nested(), goal(2, true));
    assert_eq!(plan.steps, [(0, goal(2, true)), (1, goal(1, true)), (2, goal(0, true))]);
    let fitness = |values| plan.fitness(run_nested(values));
    assert_eq!(fitness([1, 6, 0, 0]), Fitness { level: 2, distance: 5 });
    assert_eq!(fitness([6, 6, 9, 0]), Fitness { level: 1, distance: 3 });
    assert_eq!(fitness([6, 6, 6, -1]), Fitness { level: 0, distance: 7 });
    assert_eq!(fitness([6, 6, 6, 6]), Fitness::COVERED);
}

#[test]
fn the_other_outcome_of_a_goal_is_judged_at_the_same_branch() {
    let plan = Plan::new(&nested(), goal(2, false));
    assert_eq!(plan.fitness(run_nested([6, 6, 6, 6])), Fitness { level: 0, distance: 1 });
    assert_eq!(plan.fitness(run_nested([6, 6, 6, 0])), Fitness::COVERED);
}

#[test]
fn fitness_orders_by_level_then_distance() {
    let ordered = [
        Fitness::COVERED,
        Fitness { level: 0, distance: 1 },
        Fitness { level: 0, distance: u128::MAX - 1 },
        Fitness { level: 1, distance: 0 },
        Fitness { level: 1, distance: 36_000 },
        Fitness { level: 1, distance: 36_001 },
        Fitness::WORST,
    ];
    assert!(ordered.is_sorted_by(|a, b| a < b));
}

/// `if (x == 36000)`: a sum with a distance normalised by 1 - 1.001^-d is flat here.
#[test]
fn unit_steps_count_at_every_distance() {
    let function = function(&[&[(1, &[goal(0, true)]), (1, &[goal(0, false)])], &[]]);
    let plan = Plan::new(&function, goal(0, true));
    for wanted in [36_000, 1 << 30, i64::MAX] {
        for x in [0, 1, wanted / 2, wanted - 2] {
            let at = |x| plan.fitness(|_| distance::equal(x, wanted).to_true);
            assert!(at(x + 1) < at(x), "{x} -> {wanted}");
        }
    }
}

#[test]
fn a_run_that_evaluates_nothing_is_worst() {
    assert_eq!(Plan::new(&nested(), goal(0, true)).fitness(|_| u128::MAX), Fitness::WORST);
    assert_eq!(Plan::new(&nested(), goal(77, true)).steps, [(0, goal(77, true))]);
}

/// `if (e) { while (c) { if (b) break; } }`: dependence through the loop's back edge names the branches
/// again at higher levels, where no run is ever judged.
#[test]
fn a_branch_stands_at_its_lowest_level_only() {
    let function = function(&[
        &[(1, &[goal(0, true)]), (3, &[goal(0, false)])],
        &[(2, &[goal(1, true)]), (3, &[goal(1, false)])],
        &[(3, &[goal(2, true)]), (1, &[goal(2, false)])],
        &[],
    ]);
    assert_eq!(
        Plan::new(&function, goal(2, true)).steps,
        [(0, goal(2, true)), (1, goal(1, true)), (2, goal(0, true))]
    );
    assert_eq!(
        Plan::new(&function, goal(1, false)).steps,
        [(0, goal(1, false)), (1, goal(0, true)), (1, goal(2, false))]
    );
}

/// `if (x) { if (p) goto body; while (q) { body: if (g) ...; } }`: `p` and `q` both depend on `x`, which the
/// plan names once.
#[test]
fn an_outcome_behind_two_controllers_is_one_step() {
    let function = function(&[
        &[(1, &[goal(0, true)]), (4, &[goal(0, false)])],
        &[(3, &[goal(1, true)]), (2, &[goal(1, false)])],
        &[(3, &[goal(2, true)]), (4, &[goal(2, false)])],
        &[(2, &[goal(3, true)]), (2, &[goal(3, false)])],
        &[],
    ]);
    assert_eq!(
        Plan::new(&function, goal(3, true)).steps,
        [(0, goal(3, true)), (1, goal(1, true)), (1, goal(2, true)), (2, goal(0, true))]
    );
}

/// `switch (x) { case 1: case 2: if (y) ...; }`: either label leads to the condition.
#[test]
fn any_of_several_labels_will_do() {
    let function = function(&[
        &[(1, &[goal(0, true)]), (1, &[goal(1, true)]), (2, &[goal(2, true)])],
        &[(2, &[goal(3, true)]), (2, &[goal(3, false)])],
        &[],
    ]);
    let plan = Plan::new(&function, goal(3, true));
    assert_eq!(plan.steps, [(0, goal(3, true)), (1, goal(0, true)), (1, goal(1, true))]);
    let at_x_5 = |goal: Goal| match goal.branch.0 {
        0 => 4,
        1 => 3,
        _ => u128::MAX,
    };
    assert_eq!(plan.fitness(at_x_5), Fitness { level: 1, distance: 3 });
}

/// Labels that share one edge: `taken_by` lists both.
#[test]
fn labels_on_one_edge() {
    let function = function(&[
        &[(1, &[goal(0, true), goal(1, true)]), (2, &[goal(2, true)])],
        &[(2, &[goal(3, true)]), (2, &[goal(3, false)])],
        &[],
    ]);
    let plan = Plan::new(&function, goal(3, false));
    assert_eq!(plan.steps, [(0, goal(3, false)), (1, goal(0, true)), (1, goal(1, true))]);
}

/// `if (c) for (;;) if (a) x();`: the endless loop's head is no branch, so `c` is one level away from `a`.
#[test]
fn endless_loop_costs_no_level() {
    let function = function(&[
        &[(1, &[goal(0, true)]), (4, &[goal(0, false)])],
        &[(2, &[])],
        &[(3, &[goal(1, true)]), (1, &[goal(1, false)])],
        &[(1, &[])],
        &[],
    ]);
    assert_eq!(Plan::new(&function, goal(1, true)).steps, [(0, goal(1, true)), (1, goal(0, true))]);
}

/// 2,000 conditions of one `else if`: the plans would hold two million steps each way if kept together.
#[test]
fn plans_share_the_dependence_of_a_long_ladder() {
    const LENGTH: u32 = 2_000;
    let outcomes: Vec<[Goal; 2]> = (0..LENGTH).map(|n| [goal(n, true), goal(n, false)]).collect();
    let edges: Vec<[(u32, &[Goal]); 2]> = (0..LENGTH)
        .map(|n| [(LENGTH, &outcomes[n as usize][..1]), (n + 1, &outcomes[n as usize][1..])])
        .collect();
    let mut blocks: Vec<&[(u32, &[Goal])]> = edges.iter().map(|edges| edges.as_slice()).collect();
    blocks.push(&[]);
    let function = function(&blocks);
    let plans = Plans::new(&function);
    for goal in function.goals() {
        let plan = plans.plan(goal);
        assert_eq!(plan.steps.len() as u32, goal.branch.0 + 1);
        assert_eq!(plan.steps.last().map(|&(level, _)| level), Some(goal.branch.0));
    }
}

/// `f` is `if (0) g();`, `g` is `if (1) h();` twice over, and in `h` there is `if (2)`; `g` also calls itself.
#[test]
fn levels_go_on_through_calls() {
    let caller =
        |own: u32| function(&[&[(1, &[goal(own, true)]), (2, &[goal(own, false)])], &[(2, &[])], &[]]);
    let functions = vec![caller(0), caller(1), caller(2)];
    let site = |caller, callee| CallSite {
        caller: FunctionId(caller),
        block: BlockId(1),
        callee: FunctionId(callee),
    };
    let call_sites = vec![site(0, 1), site(1, 1), site(1, 2)];
    let program = Program { functions, call_sites, ..Program::default() };
    let ids: Vec<FunctionId> = (0..3).map(FunctionId).collect();
    let plans = CallPlans::through(&program, ids[0], &ids);
    let steps = [(0, goal(2, false)), (1, goal(1, true)), (2, goal(0, true))];
    assert_eq!(plans.plan(goal(2, false)).steps, steps);
    assert_eq!(
        plans.plan(goal(0, true)).steps,
        [(0, goal(0, true))],
        "the entry is called by the test alone"
    );
    // Without its callers a function is on its own.
    let alone = CallPlans::single(program.function(ids[2]));
    assert_eq!(alone.plan(goal(2, true)), Plan::new(program.function(ids[2]), goal(2, true)));
}

#[test]
fn what_leads_to_a_block_begins_at_level_1() {
    let function = nested();
    let plan = Plans::new(&function).plan_to(&[BlockId(3)]);
    assert_eq!(plan.steps, [(1, goal(2, true)), (2, goal(1, true)), (3, goal(0, true))]);
}
