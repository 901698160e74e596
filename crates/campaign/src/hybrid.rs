//! Search and exploration in turns.
//!
//! Where a value must be computed backwards, a solver finds it at once and a search never; where a path is long or
//! its terms are out of reach, it is the other way round. So both work on the same goals in slices that grow, and
//! each starts from what the other found.

use crate::account::Account;
use crate::concolic::{Runner, Shared, Solver};
use crate::function::FIRST_ROUND;
use crate::shapes::Shapes;
use crate::{Budget, HYBRID, Scope, Session, Settings};
use explore::{Cfcg, Explorer, Extension, Limits, Nearest, Stop, Strategy, Walk};
use input::{Input, Space};
use model::Goal;
use solver::{Smt, SmtLimits};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use suite::Exploration;
use target::Approximation;

/// Makes a connection to an SMT solver.
pub type Connect<'a> = &'a dyn Fn() -> Box<dyn Smt>;

/// Runs of the first slice of an exploration; every slice is twice as long as the one before.
const FIRST_SLICE: u64 = 64;
/// Runs of the very first turn: what all begin with is soon flipped everywhere, and then others can do nothing with it.
const FIRST_TURN: u64 = 32;
/// Other union members, functions and types that are tried at the start.
const VARIANTS: usize = 24;
/// Questions to the solver for every run of a slice.
const QUERIES_PER_RUN: u64 = 4;

/// Of a budget in executions, so much for every resource unit of one question to an SMT solver.
const BUDGET_PER_RESOURCE: u64 = 400;

/// What became of exploring.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Explored {
    /// Goals that no path reaches: all paths were run.
    pub(crate) infeasible: Vec<Goal>,
    /// Where precision was lost, and how often.
    pub(crate) approximations: BTreeMap<Approximation, u64>,
    /// What was done.
    pub(crate) exploration: Option<Exploration>,
}

/// Explores in slices, and lets `search` have a turn between them, until all goals are covered, all paths are known
/// or the budget is spent. `search` is told how much of the budget the turn may take, as much as the slice before it took:
/// a round over hundreds of open goals would leave nothing for the next slice. It says whether it is worth another turn.
#[expect(clippy::too_many_arguments, reason = "everything an exploration is made of, each of its own kind")]
pub(crate) fn run<'s, 'a>(
    session: &'s mut Session<'a>,
    strategy: &dyn Strategy,
    graph: &Rc<Cfcg>,
    scope: &Scope<'_>,
    space: &'a Space,
    settings: &Settings,
    connect: Connect<'_>,
    search: &mut dyn FnMut(&mut Session<'a>, u64) -> ControlFlow<()>,
) -> Explored {
    // The last one is run first.
    let mut waiting: Vec<Input> =
        session.candidates.iter().map(|candidate| candidate.input.clone()).collect();
    waiting.extend(starts(space));
    let goals: Vec<Goal> = open_goals(session, scope, settings);
    let errors: Vec<Goal> = open_errors(session, scope);
    // A function without branches wants a run all the same.
    let accepting: Vec<Goal> = if session.is_rejected() { session.accepting().collect() } else { Vec::new() };
    let shared: Shared<'_, 'a> = RefCell::new(session);
    let shapes = RefCell::new(Shapes::new(&shared, space));
    let mut program = Runner::new(&shared, &shapes, space);
    let mut solver = Solver::new(&shared, solver_limits(settings), connect(), space);
    let wanted = goals.iter().chain(&errors).chain(&accepting).copied();
    let limits = tree_limits(scope, settings);
    let mut explorer = Explorer::new(&mut program, &mut solver, wanted, limits, settings.seed)
        .with_graph(Rc::clone(graph))
        .with_interrupt(|| shared.borrow().is_stopped() || is_enough(&shared.borrow(), settings));
    // A strategy that has no others to take turns with is not interrupted.
    let alone = settings.engine != HYBRID;
    if !alone {
        explorer = explorer.keeping_runs();
    }
    let mut finished = false;
    // Hybrid has more than one strategy: beside everything else, paths are made longer and longer, and those that came
    // closest to a goal are changed. They learn of all runs, for of those that found something new nothing may be left to flip.
    let beside: [&dyn Strategy; 2] = [&Extension::DEFAULT, &Nearest::DEFAULT];
    let beside = beside.into_iter().filter(|_| !alone);
    let mut beside: Vec<Box<dyn Walk>> = beside.filter_map(|strategy| strategy.begin()).collect();
    let mut infeasible = Vec::new();
    let mut slice = if alone { u64::MAX / 8 } else { FIRST_SLICE };
    let mut walk = strategy.begin();
    loop {
        let begun = shared.borrow().spent();
        if !finished {
            let mut stop = Stop::Budget;
            for turn in 0..=beside.len() {
                let runs = if turn == 0 && slice == FIRST_SLICE { FIRST_TURN } else { slice };
                explorer.extend(runs, runs.saturating_mul(QUERIES_PER_RUN));
                if let Some(walk) = &mut walk {
                    // Everybody starts from these.
                    let started = start_from(&mut explorer, walk.as_mut(), &shapes, &mut waiting);
                    stop = started.break_value().unwrap_or(Stop::Budget);
                }
                for run in explorer.take_latest() {
                    beside.iter_mut().for_each(|walk| walk.learn(&mut explorer, &run));
                    if let (Some(walk), false) = (&mut walk, run.new.is_empty()) {
                        walk.learn(&mut explorer, &run);
                    }
                }
                if matches!(stop, Stop::Complete | Stop::Covered) {
                    finished = true;
                    break;
                }
                let other = turn.checked_sub(1).and_then(|turn| beside.get_mut(turn));
                stop = match (other, &mut walk) {
                    (Some(walk), _) => walk.go(&mut explorer).break_value().unwrap_or(Stop::Budget),
                    (None, Some(walk)) => {
                        walk_slice(walk.as_mut(), &mut explorer, alone).break_value().unwrap_or(Stop::Budget)
                    }
                    (None, None) => explore_slice(strategy, &mut explorer, &shapes, &mut waiting),
                };
                finished |= matches!(stop, Stop::Complete | Stop::Covered | Stop::Exhausted);
                if matches!(stop, Stop::Complete | Stop::Covered) {
                    break;
                }
            }
            if let (Stop::Complete, Some(goals), true) = (stop, explorer.infeasible(), settings.closed)
                && shapes.borrow().are_all_seen()
            {
                infeasible.extend(unreachable(goals, &shared.borrow()));
                infeasible.iter().for_each(|&goal| shared.borrow_mut().rule_out(goal));
            }
        }
        let is_over = |session: &Session<'_>| {
            session.is_stopped()
                || !settings.find_errors
                    && !session.is_rejected()
                    && goals.iter().all(|&g| !session.is_wanted(g) || infeasible.contains(&g))
        };
        if is_over(&shared.borrow()) {
            break;
        }
        let known = shared.borrow().candidates.len();
        let spent = shared.borrow().spent() - begun;
        let turn = if finished { u64::MAX } else { spent.max(FIRST_ROUND) };
        let searching = search(&mut shared.borrow_mut(), turn);
        if is_over(&shared.borrow()) || searching.is_break() && finished {
            break;
        }
        waiting.extend(shared.borrow().candidates[known..].iter().map(|candidate| candidate.input.clone()));
        slice = slice.saturating_mul(2);
    }
    let mut account = Account::default();
    account.explorer(&explorer);
    drop(explorer);
    account.solver(solver.stats());
    account.program(&program);
    account.explored(infeasible, &shared.borrow())
}

/// Whether exploring can end before all vectors of decisions are reached: they show all conditions. What is left of the budget would go
/// into vectors that nobody needs.
fn is_enough(session: &Session<'_>, settings: &Settings) -> bool {
    !settings.find_errors && !session.is_rejected() && session.is_satisfied()
}

/// Goals that no test reaches yet.
pub(crate) fn open_goals(session: &Session<'_>, scope: &Scope<'_>, settings: &Settings) -> Vec<Goal> {
    let is_open = |g: &Goal| session.first_reached(*g).is_none() && !settings.impossible.contains(g);
    scope.goals().filter(is_open).collect()
}

/// Failures of checks that no run showed yet.
pub(crate) fn open_errors(session: &Session<'_>, scope: &Scope<'_>) -> Vec<Goal> {
    scope.error_goals().filter(|&goal| !session.has_error(goal)).collect()
}

/// Of the goals that no path reaches those that can be called infeasible: where checks fail, runs end, and what lies
/// behind is unknown.
pub(crate) fn unreachable(goals: &BTreeSet<Goal>, session: &Session<'_>) -> Vec<Goal> {
    if session.has_failed_checks() { Vec::new() } else { goals.iter().copied().collect() }
}

/// How far the tree of paths is explored: the campaign counts runs and questions itself.
pub(crate) fn tree_limits(scope: &Scope<'_>, settings: &Settings) -> Limits {
    Limits {
        runs: 0,
        queries: 0,
        paths_per_call: scope.paths_per_call(),
        stop_when_covered: !settings.find_errors,
        ..Limits::default()
    }
}

/// A small budget is not spent on a few hard questions.
pub(crate) fn solver_limits(settings: &Settings) -> solver::Limits {
    let mut limits = solver::Limits::default();
    if settings.whole {
        // There are so many other questions that none is worth more than some tenths of a second.
        limits.smt = SmtLimits { resources: 500, hard: 500_000, millis: 2_000, ..limits.smt };
    }
    if let Budget::Executions(budget) = settings.budget {
        limits.smt.resources = (budget / BUDGET_PER_RESOURCE).clamp(200, limits.smt.resources.max(200));
        limits.smt.hard = budget.clamp(50_000, limits.smt.hard.max(50_000));
    }
    limits
}

/// Runs all inputs that wait and tells a walk of them.
fn start_from(
    explorer: &mut Explorer<'_>,
    walk: &mut dyn Walk,
    shapes: &RefCell<Shapes<'_, '_>>,
    waiting: &mut Vec<Input>,
) -> ControlFlow<Stop> {
    while let Some(input) = waiting.pop() {
        let assignment = shapes.borrow_mut().assignment(&input);
        let run = explorer.run(assignment)?;
        walk.learn(explorer, &run);
    }
    ControlFlow::Continue(())
}

/// Lets a walk go on. One that has nothing left to pick goes on from chance: to the end if it is `alone`, otherwise once,
/// and others have their turn.
fn walk_slice(walk: &mut dyn Walk, explorer: &mut Explorer<'_>, alone: bool) -> ControlFlow<Stop> {
    loop {
        walk.go(explorer)?;
        let Some(random) = explorer.random_assignment() else { return ControlFlow::Break(Stop::Exhausted) };
        let run = explorer.run(random)?;
        walk.learn(explorer, &run);
        if !alone {
            return walk.go(explorer);
        }
    }
}

/// The same for a strategy that cannot be interrupted: it begins anew, from the last of the inputs or from chance.
fn explore_slice(
    strategy: &dyn Strategy,
    explorer: &mut Explorer<'_>,
    shapes: &RefCell<Shapes<'_, '_>>,
    waiting: &mut Vec<Input>,
) -> Stop {
    let last = waiting.pop();
    for input in waiting.drain(..) {
        let assignment = shapes.borrow_mut().assignment(&input);
        if let ControlFlow::Break(stop) = explorer.run(assignment) {
            return stop;
        }
    }
    let start = match last {
        Some(input) => Some(shapes.borrow_mut().assignment(&input)),
        None => explorer.random_assignment(),
    };
    start.map_or(Stop::Exhausted, |start| explore::explore(strategy, explorer, start))
}

/// Inputs to start from, the first last: one element behind every pointer, nothing, as much as the limits allow, and
/// the first with every other choice that no term speaks of.
fn starts(space: &Space) -> Vec<Input> {
    let zero = Input::zero(space);
    if !space.limits.ways.growth {
        return vec![zero];
    }
    let mut shallow = zero.clone();
    shallow.instantiate_roots(space);
    let mut all = shallow.variants(space, VARIANTS);
    all.reverse();
    all.extend([Input::instantiated(space), zero]);
    all.retain(|input| *input != shallow);
    all.push(shallow);
    all
}
