//! Search and exploration in turns.
//!
//! Where a value must be computed backwards, a solver finds it at once and a search never; where a path is long or
//! its terms are out of reach, it is the other way round. So both work on the same goals in slices that grow, and
//! each starts from what the other found.

use crate::account::Account;
use crate::concolic::{Shape, Shared, Solver, assignment, has_one_shape, same_shape};
use crate::{Budget, HYBRID, Scope, Session, Settings};
use explore::{Cfcg, Explorer, Limits, Stop, Strategy};
use input::{Input, Space};
use model::Goal;
use solver::{Smt, SmtLimits};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use suite::Exploration;
use target::Approximation;

/// Makes a connection to an SMT solver.
pub type Connect<'a> = &'a dyn Fn() -> Box<dyn Smt>;

/// Shapes of inputs that are explored.
const SHAPES: usize = 6;
/// Runs of the first slice of an exploration; every slice is twice as long as the one before.
const FIRST_SLICE: u64 = 64;
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
/// or the budget is spent. `search` says whether it is worth another turn.
#[expect(clippy::too_many_arguments, reason = "everything an exploration is made of, each of its own kind")]
pub(crate) fn run<'s, 'a>(
    session: &'s mut Session<'a>,
    strategy: &dyn Strategy,
    graph: &Cfcg,
    scope: &Scope<'_>,
    space: &'a Space,
    settings: &Settings,
    connect: Connect<'_>,
    search: &mut dyn FnMut(&mut Session<'a>) -> ControlFlow<()>,
) -> Explored {
    let starts = shapes(session, space);
    let goals: Vec<Goal> = open_goals(session, scope, settings);
    let errors: Vec<Goal> = open_errors(session, scope);
    let shared: Shared<'_, 'a> = RefCell::new(session);
    let mut programs: Vec<Shape<'_, 'a>> = starts.iter().map(|s| Shape::new(&shared, space, &s[0])).collect();
    let mut solvers: Vec<Solver<'_, 'a>> = starts
        .iter()
        .map(|s| Solver::new(&shared, solver_limits(settings), connect(), space, &s[0]))
        .collect();
    let wanted = || goals.iter().chain(&errors).copied();
    let limits =
        Limits { runs: 0, queries: 0, stop_when_covered: !settings.find_errors, ..Limits::default() };
    let mut explorers: Vec<Explorer<'_>> = programs
        .iter_mut()
        .zip(&mut solvers)
        .map(|(program, solver)| {
            Explorer::new(program, solver, wanted(), limits, settings.seed)
                .with_graph(graph.clone())
                .with_interrupt(|| shared.borrow().is_stopped())
        })
        .collect();
    let mut waiting = starts.clone();
    let mut finished = vec![false; explorers.len()];
    let mut infeasible = Vec::new();
    // A strategy that has no others to take turns with is not interrupted.
    let alone = settings.engine != HYBRID && explorers.len() == 1;
    let mut slice = if alone { u64::MAX / 8 } else { FIRST_SLICE };
    loop {
        for (i, explorer) in explorers.iter_mut().enumerate() {
            if finished[i] {
                continue;
            }
            explorer.extend(slice, slice.saturating_mul(QUERIES_PER_RUN));
            let stop = explore_slice(strategy, explorer, &mut waiting[i]);
            finished[i] = matches!(stop, Stop::Complete | Stop::Covered | Stop::Exhausted);
            if let (Stop::Complete, Some(goals), true) =
                (stop, explorer.infeasible(), settings.closed && has_one_shape(space))
            {
                infeasible.extend(unreachable(goals, &shared.borrow()));
            }
        }
        let is_over = |session: &Session<'_>| {
            session.is_stopped()
                || !settings.find_errors
                    && goals.iter().all(|&g| session.first_reached(g).is_some() || infeasible.contains(&g))
        };
        if is_over(&shared.borrow()) {
            break;
        }
        let known = shared.borrow().candidates.len();
        let searching = search(&mut shared.borrow_mut());
        if is_over(&shared.borrow()) || searching.is_break() && finished.iter().all(|&f| f) {
            break;
        }
        for candidate in &shared.borrow().candidates[known..] {
            let home = starts.iter().position(|s| same_shape(space, &s[0], &candidate.input));
            if let Some(home) = home {
                waiting[home].push(candidate.input.clone());
            }
        }
        slice = slice.saturating_mul(2);
    }
    let mut account = Account::default();
    explorers.iter().for_each(|explorer| account.explorer(explorer));
    drop(explorers);
    solvers.iter().for_each(|solver| account.solver(solver.stats()));
    programs.iter().for_each(|program| account.program(program));
    account.explored(infeasible, &shared.borrow())
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

/// Runs the inputs that wait, then lets the strategy go on from the last of them, or from chance.
fn explore_slice(strategy: &dyn Strategy, explorer: &mut Explorer<'_>, waiting: &mut Vec<Input>) -> Stop {
    let last = waiting.pop();
    for input in waiting.drain(..) {
        if let ControlFlow::Break(stop) = explorer.run(assignment(&input)) {
            return stop;
        }
    }
    let start = match last {
        Some(input) => assignment(&input),
        None => explorer.random_assignment(),
    };
    explore::explore(strategy, explorer, start)
}

/// Inputs to start from, those of one shape together: what reached something, zero, and all pointers set.
fn shapes(session: &Session<'_>, space: &Space) -> Vec<Vec<Input>> {
    let mut shapes: Vec<Vec<Input>> = Vec::new();
    let found = session.candidates.iter().map(|c| c.input.clone());
    let all: Vec<Input> = [Input::zero(space), Input::instantiated(space)].into_iter().chain(found).collect();
    for input in all {
        match shapes.iter().position(|s| same_shape(space, &s[0], &input)) {
            Some(shape) => shapes[shape].push(input),
            None if shapes.len() < SHAPES => shapes.push(vec![input]),
            None => {}
        }
    }
    shapes
}
