//! Whole programs: several ways to find something new take turns, and what finds most gets most of the time.
//!
//! Which way is best differs from program to program and from minute to minute: blind changes find much at first, the
//! flips nearest to uncovered code later, and what is left needs a value computed backwards. So every way is an *arm*
//! of a bandit. After each turn an arm's account tells how many goals it found for what time; older turns count less and
//! less, so that an arm which found nothing for long is asked again some day. All arms share one tree, one store of
//! terms and all inputs that found something.
//!
//! ```text
//! loop:
//!   arm  := one that had no turn yet, or the one with the highest (found + 1) / (cost + unit)
//!   turn := let it work for a slice
//!   every account := account * FADING;  account of arm += (new goals, cost)
//! ```
//!
//! Cost is time if the budget is one of time, and otherwise what was charged to the budget, so that a run with a budget
//! in executions never asks a clock.

use crate::account::Account;
use crate::concolic::{Runner, Shared, Solver, has_one_shape};
use crate::function::{Clock, Rounds};
use crate::hybrid::{Connect, Explored, open_errors, open_goals, solver_limits, tree_limits, unreachable};
use crate::mutate::Mutator;
use crate::shapes::Shapes;
use crate::{Budget, Scope, Session, Settings};
use explore::{Cfcg, CfgPool, Execution, Explorer, Generational, RandomBranch, Stop, Strategy, Walk};
use expr::VariableSets;
use input::{Input, Space};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Traced runs of one turn of an exploration, and questions to the solver for each.
const WALK: u64 = 64;
const QUERIES_PER_RUN: u64 = 8;
/// Runs of one turn of a search.
const SEARCH: u64 = 512;
/// Ticks after which a turn of blind changes ends: where most inputs hang, others should have a say soon.
const MOST_TICKS: u64 = 1 << 24;
/// What is left of an account after a turn.
const FADING: f64 = 0.9;
/// Cost that an account without entries is thought to have: a quarter of a second, or as many runs.
const UNIT_SECONDS: f64 = 0.25;
const UNIT_EXECUTIONS: f64 = 500.0;
/// Parents are taken from the latest inputs that found something as often as from all.
const LATEST: usize = 16;

/// A way to find something new.
enum Arm {
    /// Exploration by a strategy, and the number of the last run it knows.
    Walk(Box<dyn Walk>, u64),
    /// Blind changes.
    Mutation(Mutator),
    /// Search for goals that were nearly reached.
    Search(Rounds),
}

/// What an arm found lately, and for how much.
#[derive(Clone, Copy, Default)]
struct Yield {
    found: f64,
    cost: f64,
    turns: u64,
}

/// Works until all goals are covered, all paths are known or the budget is spent.
pub(crate) fn run<'a>(
    session: &mut Session<'a>,
    graph: &Rc<Cfcg>,
    scope: &Scope<'_>,
    space: &'a Space,
    settings: &Settings,
    clock: &dyn Clock,
    connect: Connect<'_>,
) -> Explored {
    let zero = Input::zero(space);
    // What is cheap comes first.
    let mut arms: Vec<Arm> = Vec::new();
    arms.extend(Mutator::new(space, &zero, &scope.entry().constants).map(Arm::Mutation));
    let strategies = [&CfgPool::DEFAULT as &dyn Strategy, &Generational::DEFAULT, &RandomBranch::DEFAULT];
    arms.extend(strategies.into_iter().filter_map(|strategy| Some(Arm::Walk(strategy.begin()?, 0))));
    arms.push(Arm::Search(Rounds::new(scope, settings)));
    let mut wanted = open_goals(session, scope, settings);
    wanted.extend(open_errors(session, scope));
    let limits = tree_limits(scope, settings);
    let shared: Shared<'_, 'a> = RefCell::new(session);
    let shapes = RefCell::new(Shapes::new(&shared, space));
    let mut program = Runner::new(&shared, &shapes, space);
    let mut solver = Solver::new(&shared, solver_limits(settings), connect(), space);
    let explorer = Explorer::new(&mut program, &mut solver, wanted, limits, settings.seed)
        .with_graph(graph.clone())
        .with_interrupt(|| shared.borrow().is_stopped());
    let mut work = Work {
        shared: &shared,
        shapes: &shapes,
        explorer,
        traced: 0,
        variables: VariableSets::new(),
        matters: Vec::new(),
    };
    let mut infeasible = Vec::new();
    let mut accounts = vec![Yield::default(); arms.len()];
    let (unit, by_time) = match settings.budget {
        Budget::Seconds(_) => (UNIT_SECONDS, true),
        Budget::Executions(_) => (UNIT_EXECUTIONS, false),
    };
    let cost = || if by_time { clock.seconds() } else { shared.borrow().spent() as f64 };
    let mut stop = work.trace_candidates();
    while stop.is_continue() && !shared.borrow().is_stopped() {
        let chosen = best(&accounts, unit);
        let (found, start) = (shared.borrow().found(), cost());
        stop = work.turn(&mut arms[chosen]);
        for account in &mut accounts {
            account.found *= FADING;
            account.cost *= FADING;
        }
        accounts[chosen].found += (shared.borrow().found() - found) as f64;
        accounts[chosen].cost += cost() - start;
        accounts[chosen].turns += 1;
    }
    if stop == ControlFlow::Break(Stop::Complete)
        && settings.closed
        && has_one_shape(space)
        && let Some(unreached) = work.explorer.infeasible()
    {
        infeasible.extend(unreachable(unreached, &shared.borrow()));
    }
    let mut account = Account::default();
    account.explorer(&work.explorer);
    drop(work);
    account.solver(solver.stats());
    account.program(&program);
    account.explored(infeasible, &shared.borrow())
}

/// The arm that promises most; the first of equals. Nothing is known of one that had no turn.
fn best(accounts: &[Yield], unit: f64) -> usize {
    let promise = |account: &Yield| match account.turns {
        0 => f64::INFINITY,
        _ => (account.found + 1.0) / (account.cost + unit),
    };
    let mut best = 0;
    for arm in 1..accounts.len() {
        if promise(&accounts[arm]) > promise(&accounts[best]) {
            best = arm;
        }
    }
    best
}

/// What all arms share.
struct Work<'w, 's, 'a> {
    shared: &'w Shared<'s, 'a>,
    shapes: &'w RefCell<Shapes<'s, 'a>>,
    explorer: Explorer<'w>,
    /// So many of the session's inputs were traced.
    traced: usize,
    variables: VariableSets,
    /// For each of the session's inputs: the cells that its decisions hang on.
    matters: Vec<Vec<u32>>,
}

impl Work<'_, '_, '_> {
    fn turn(&mut self, arm: &mut Arm) -> ControlFlow<Stop> {
        match arm {
            Arm::Walk(walk, known) => self.walk(walk.as_mut(), known),
            Arm::Mutation(mutator) => {
                self.mutate(mutator);
                self.trace_candidates()
            }
            Arm::Search(rounds) => {
                // One that has nothing to search for costs nothing and finds nothing, and is asked less and less.
                let _ = rounds.turn(&mut self.shared.borrow_mut(), search::all()[0], SEARCH);
                self.shared.borrow_mut().charge(1);
                self.trace_candidates()
            }
        }
    }

    fn walk(&mut self, walk: &mut dyn Walk, known: &mut u64) -> ControlFlow<Stop> {
        let new: Vec<Rc<Execution>> =
            self.explorer.discoveries().filter(|run| run.number > *known).cloned().collect();
        self.explorer.extend(WALK, WALK * QUERIES_PER_RUN);
        for run in &new {
            walk.learn(&mut self.explorer, run);
        }
        let went = walk.go(&mut self.explorer);
        *known = self.explorer.statistics().runs;
        match went {
            ControlFlow::Break(Stop::Budget) => {}
            ControlFlow::Break(stop) => return ControlFlow::Break(stop),
            ControlFlow::Continue(()) => {
                // Nothing left to pick: it goes on from an input of chance.
                let Some(start) = self.explorer.random_assignment() else {
                    return ControlFlow::Break(Stop::Exhausted);
                };
                self.explorer.extend(1, 1);
                let run = self.explorer.run(start)?;
                walk.learn(&mut self.explorer, &run);
            }
        }
        // They were traced when they were found.
        self.note_traced();
        ControlFlow::Continue(())
    }

    /// Runs of an exploration are traced already: what they found needs no trace, but is worth changing.
    fn note_traced(&mut self) {
        let count = self.shared.borrow().candidates.len();
        let mut runs = self.explorer.discoveries().rev();
        for number in self.matters.len()..count {
            let input = self.shared.borrow().candidates[number].input.clone();
            let wanted = self.shapes.borrow_mut().assignment(&input);
            let run = runs.by_ref().find(|run| run.assignment == wanted);
            let cells = run.map_or_else(Vec::new, |run| cells_of(&mut self.variables, &self.explorer, run));
            self.matters.push(cells);
        }
        self.traced = count;
    }

    /// Gives the inputs that others found to the tree.
    fn trace_candidates(&mut self) -> ControlFlow<Stop> {
        while self.traced < self.shared.borrow().candidates.len() {
            let input = self.shared.borrow().candidates[self.traced].input.clone();
            let input = self.shapes.borrow_mut().assignment(&input);
            self.traced += 1;
            self.explorer.extend(1, 0);
            let run = self.explorer.run(input)?;
            let cells = cells_of(&mut self.variables, &self.explorer, &run);
            self.matters.push(cells);
        }
        ControlFlow::Continue(())
    }

    fn mutate(&self, mutator: &Mutator) {
        let mut session = self.shared.borrow_mut();
        let (end, ticks) = (session.executions() + SEARCH, session.ticks() + MOST_TICKS);
        while session.executions() < end && session.ticks() < ticks && !session.is_stopped() {
            let parent = session.pick(LATEST);
            let other = session.pick(LATEST);
            let matters = self.matters.get(parent).map_or(&[][..], Vec::as_slice);
            let input = session.child(mutator, parent, other, matters);
            session.run(&input);
        }
    }
}

/// The cells that the decisions of a run hang on, sorted.
fn cells_of(variables: &mut VariableSets, explorer: &Explorer<'_>, run: &Execution) -> Vec<u32> {
    let mut all = expr::VariableSet::EMPTY;
    for decision in &run.path.decisions {
        let set = variables.of(&explorer.terms, decision.taken.condition);
        all = variables.union(all, set);
    }
    variables.members(all).into_iter().map(|variable| variable.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arm_that_finds_more_for_its_cost_is_chosen() {
        let account = |found, cost| Yield { found, cost, turns: 1 };
        assert_eq!(best(&[account(1.0, 1.0), account(3.0, 1.0), account(3.0, 2.0)], 0.25), 1);
        assert_eq!(best(&[Yield::default(), Yield::default()], 0.25), 0);
        assert_eq!(best(&[account(1000.0, 1.0), Yield::default()], 0.25), 1, "every arm has its first turn");
    }

    #[test]
    fn an_arm_that_never_finds_anything_is_asked_again() {
        let mut accounts = [Yield::default(), Yield::default()];
        let mut turns = [0; 2];
        for _ in 0..1000 {
            let chosen = best(&accounts, 0.25);
            turns[chosen] += 1;
            for account in &mut accounts {
                account.found *= FADING;
                account.cost *= FADING;
            }
            accounts[chosen].cost += 1.0;
            accounts[chosen].turns += 1;
            accounts[chosen].found += if chosen == 1 { 1.0 } else { 0.0 };
        }
        assert!(turns[0] >= 5 && turns[1] > 5 * turns[0], "{turns:?}");
    }
}
