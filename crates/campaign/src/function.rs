//! A campaign for one function, from the first input to the shrunk suite.

use crate::hybrid::{self, Connect, Explored};
use crate::portfolio;
use crate::shrink::shrink;
use crate::trial;
use crate::{
    Budget, CampaignResult, Candidate, Event, GoalOrder, GoalRecord, Guidance, HYBRID, Scope, Session,
    SetBudget, Settings,
};
use explore::Cfcg;
use goal::dependence::DependencePlan;
use input::{Input, Space};
use model::{BranchKind, Function, Goal};
use rustc_hash::FxHashMap;
use search::{Engine, Memory, Oracle};
use std::ops::ControlFlow;
use std::rc::Rc;
use target::Target;

/// Where a budget in seconds gets its time from. Never asked when the budget is in executions.
pub trait Clock {
    /// Seconds since the campaign began.
    fn seconds(&self) -> f64;
}

/// A goal's share of the budget in the first round, and how it grows from round to round.
pub(crate) const FIRST_ROUND: u64 = 400;
const ROUND_GROWTH: u64 = 4;
/// Searches for a first input that the precondition accepts, before goals are searched for.
const SEEKING_ROUNDS: u32 = 8;
/// Time is looked at once in so many runs.
const RUNS_PER_LOOK: u64 = 256;

/// Works on a function that `target` has selected. `seeds` are inputs worth trying first; `connect` reaches an SMT
/// solver.
#[expect(clippy::too_many_arguments, reason = "everything a campaign is made of, each of its own kind")]
pub fn run_function(
    target: &mut dyn Target,
    scope: &Scope<'_>,
    space: &Space,
    settings: &Settings,
    seeds: &[Input],
    clock: &dyn Clock,
    connect: Connect<'_>,
    sink: &mut dyn FnMut(Event),
) -> CampaignResult {
    if let Some(trial) = &settings.trial {
        return trial::run(target, scope, space, settings, trial);
    }
    let budget = settings.budget;
    let mut looked_at = 0;
    let mut stop = |spent: u64| match budget {
        Budget::Executions(limit) => spent >= limit,
        Budget::Seconds(_) if spent < looked_at + RUNS_PER_LOOK => false,
        Budget::Seconds(limit) => {
            looked_at = spent;
            clock.seconds() >= limit
        }
    };
    let graph = || scope.graph().unwrap_or_else(|| Rc::new(Cfcg::new(target.program())));
    let graph = settings.traced.then(graph);
    let session = Session::new(target, scope, space, settings.seed, &settings.skip, sink, &mut stop);
    let mut session = session.showing(settings.mcdc, settings.selection.as_ref());
    let zero = Input::zero(space);
    session.run(&zero);
    for seed in seeds {
        session.run(seed);
    }
    seek(&mut session, search::by_name(&settings.engine).unwrap_or(search::all()[0]), space);
    let mut explored = work(&mut session, scope, space, settings, graph, clock, connect);
    if let Some(exploration) = &mut explored.exploration {
        exploration.search_executions = session.executions();
        (exploration.charged, exploration.charged_for_solving) =
            (session.spent(), session.spent_on_solving());
        exploration.search_seconds = match budget {
            Budget::Seconds(_) => clock.seconds(),
            Budget::Executions(_) => 0.0,
        };
    }
    let tests = finish_tests(&mut session, scope, space, settings);
    let goals = scope
        .goals()
        .map(|goal| GoalRecord {
            goal,
            execution: session.first_reached(goal),
            level: session.best_level(goal),
            wanted: session.is_wanted(goal),
        })
        .collect();
    CampaignResult {
        tests,
        goals,
        executions: session.executions(),
        faults: std::mem::take(&mut session.faults),
        curve: std::mem::take(&mut session.curve),
        infeasible: explored.infeasible,
        rejected: session.is_rejected(),
        exploration: explored.exploration,
        sets: std::mem::take(&mut session.sets).into_iter().collect(),
        approximations: explored.approximations.iter().map(|(what, &n)| (what.to_string(), n)).collect(),
    }
}

/// Looks for a first input that the precondition accepts: everything else starts from there.
fn seek(session: &mut Session<'_>, engine: &dyn Engine, space: &Space) {
    for round in 0..SEEKING_ROUNDS {
        if !session.is_rejected() || session.is_stopped() {
            return;
        }
        let start = match round {
            0 => Input::zero(space),
            1 => instantiated(space),
            _ => Input::random(space, session.rng()),
        };
        session.aim_at_precondition(FIRST_ROUND);
        let _ = engine.search(session, start);
    }
}

/// Lets the chosen engine work: a search, an exploration, or both in turns.
fn work<'a>(
    session: &mut Session<'a>,
    scope: &Scope<'_>,
    space: &'a Space,
    settings: &Settings,
    graph: Option<Rc<Cfcg>>,
    clock: &dyn Clock,
    connect: Connect<'_>,
) -> Explored {
    let engine = search::by_name(&settings.engine);
    let Some(graph) = graph.filter(|_| engine.is_none()) else {
        search_goals(session, engine.unwrap_or(search::all()[0]), scope, settings);
        return Explored::default();
    };
    if scope.is_whole() && settings.engine == HYBRID {
        return portfolio::run(session, &graph, scope, space, settings, clock, connect);
    }
    let strategy = explore::by_name(&settings.engine).unwrap_or(&explore::Generational::DEFAULT);
    let mut rounds = Rounds::new(scope, settings);
    let mut turn = |session: &mut Session<'a>, charge: u64| {
        if settings.engine == HYBRID {
            rounds.spend(session, search::all()[0], charge)
        } else {
            ControlFlow::Break(())
        }
    };
    hybrid::run(session, strategy, &graph, scope, space, settings, connect, &mut turn)
}

/// Attacks goal after goal, round after round.
fn search_goals(session: &mut Session<'_>, engine: &dyn Engine, scope: &Scope<'_>, settings: &Settings) {
    let mut rounds = Rounds::new(scope, settings);
    while rounds.round(session, engine).is_continue() {}
}

/// A goal that resists gives way to the next and gets a larger share in the next round.
pub(crate) struct Rounds {
    order: Vec<Goal>,
    /// The goal in work.
    next: usize,
    share: u64,
    round: u32,
    only_one: bool,
    /// Only goals that some run came close to: of those of a whole program most are far from every run.
    near_only: bool,
    /// What the engine carries from goal to goal.
    memory: Memory,
    /// By goal, what its dependence sets are judged by; asked for when it is first searched for. Nothing unless data guides.
    dependence: Option<FxHashMap<Goal, Vec<DependencePlan>>>,
}

impl Rounds {
    pub(crate) fn new(scope: &Scope<'_>, settings: &Settings) -> Rounds {
        let mut order: Vec<Goal> =
            scope.functions().iter().flat_map(|f| ordered_goals(f, settings.order)).collect();
        order.retain(|goal| scope.own(*goal).is_some() && !settings.impossible.contains(goal));
        let share = settings.goal_budget.unwrap_or(FIRST_ROUND);
        Rounds {
            order,
            next: 0,
            share,
            round: 0,
            only_one: settings.goal_budget.is_some(),
            near_only: scope.is_whole(),
            memory: Memory::default(),
            dependence: (settings.guidance == Guidance::DataDependence).then(FxHashMap::default),
        }
    }

    /// One round over all open goals; `Break` if there is no use in another.
    pub(crate) fn round(&mut self, session: &mut Session<'_>, engine: &dyn Engine) -> ControlFlow<()> {
        let round = self.round;
        while self.round == round {
            self.turn(session, engine, u64::MAX)?;
        }
        ControlFlow::Continue(())
    }

    /// Goes on for about so many runs, to the end of the round at most; `Break` if there is no use in more.
    pub(crate) fn turn(
        &mut self,
        session: &mut Session<'_>,
        engine: &dyn Engine,
        runs: u64,
    ) -> ControlFlow<()> {
        let end = session.executions().saturating_add(runs);
        self.advance(session, engine, |session| session.executions() >= end)
    }

    /// The same until about so much of the budget is spent.
    fn spend(&mut self, session: &mut Session<'_>, engine: &dyn Engine, charge: u64) -> ControlFlow<()> {
        let end = session.spent().saturating_add(charge);
        self.advance(session, engine, |session| session.spent() >= end)
    }

    fn advance(
        &mut self,
        session: &mut Session<'_>,
        engine: &dyn Engine,
        is_enough: impl Fn(&Session<'_>) -> bool,
    ) -> ControlFlow<()> {
        while let Some(&goal) = self.order.get(self.next) {
            if session.is_stopped() {
                return ControlFlow::Break(());
            }
            if is_enough(session) {
                return ControlFlow::Continue(());
            }
            self.next += 1;
            if !session.is_wanted(goal) || self.near_only && session.closest(goal).is_none() {
                continue;
            }
            if self.search(session, engine, goal).is_continue() {
                // Nothing to vary: the one input there is has been run.
                return ControlFlow::Break(());
            }
        }
        self.next = 0;
        self.share = self.share.saturating_mul(ROUND_GROWTH);
        self.round += 1;
        let open = self.order.iter().any(|&goal| session.is_wanted(goal));
        if self.only_one || !open || session.is_stopped() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Searches for a goal, once or once by each of its dependence sets; these share what the goal has. `Continue` if there is nothing to
    /// vary.
    fn search(&mut self, session: &mut Session<'_>, engine: &dyn Engine, goal: Goal) -> ControlFlow<()> {
        let plans = match &mut self.dependence {
            Some(known) if engine.is_guided() => {
                known.entry(goal).or_insert_with(|| session.dependence_plans(goal)).clone()
            }
            _ => Vec::new(),
        };
        let (start, is_near) = self.start(session, goal);
        if plans.len() < 2 {
            session.aim(goal, self.share, is_near);
            return engine.search_on(session, start, &mut self.memory);
        }
        let share = SetBudget::Shared.of(self.share, plans.len());
        let memory = &mut self.memory;
        session
            .search_by_sets(goal, &plans, share, |session| engine.search_on(session, start.clone(), memory))
    }

    /// The first round starts from zero or from what came closest, the second with all pointers set; later ones
    /// from chance or from what came closest, in turn. Whether it is what came closest, and worth keeping most of.
    fn start(&self, session: &mut Session<'_>, goal: Goal) -> (Input, bool) {
        let space = session.space().clone();
        let closest = session.closest(goal).cloned();
        match (self.round, closest) {
            (round, Some(closest)) if self.near_only => (closest, round.is_multiple_of(2)),
            (0, Some(closest)) => (closest, false),
            (0, None) => (Input::zero(&space), false),
            (1, _) => (instantiated(&space), false),
            (n, _) if n.is_multiple_of(2) => (Input::random(&space, session.rng()), false),
            (_, Some(closest)) => (closest, true),
            (_, None) => (Input::zero(&space), false),
        }
    }
}

/// With all pointers set, if the search may do that.
pub(crate) fn instantiated(space: &Space) -> Input {
    if space.limits.ways.growth { Input::instantiated(space) } else { Input::zero(space) }
}

fn ordered_goals(function: &Function, order: GoalOrder) -> Vec<Goal> {
    // What is never evaluated cannot be searched for; its other side comes with the code around it.
    let is_evaluated =
        |goal: &Goal| function.branch(goal.branch).is_some_and(|b| b.kind != BranchKind::Unevaluated);
    let mut goals: Vec<Goal> = function.aims().filter(is_evaluated).collect();
    if order == GoalOrder::ReverseBreadthFirst {
        let mut rank = vec![usize::MAX; function.cfg.successors.len()];
        for (i, block) in function.cfg.reverse_breadth_first().into_iter().enumerate() {
            rank[block.index()] = i;
        }
        goals.sort_by_key(|goal| {
            function
                .branch(goal.branch)
                .and_then(|b| rank.get(b.block.index()).copied())
                .unwrap_or(usize::MAX)
        });
    }
    goals
}

/// Minimises, makes each remaining test small, and minimises again: a small input may cover what another was
/// kept for.
fn finish_tests(
    session: &mut Session<'_>,
    scope: &Scope<'_>,
    space: &Space,
    settings: &Settings,
) -> Vec<Candidate> {
    let found = std::mem::take(&mut session.candidates);
    let mut tests = Vec::new();
    for (index, purpose) in chosen(&found, scope, settings) {
        if settings.keeps_values {
            tests.push(found[index].clone());
            continue;
        }
        let small = shrink(session, space, &found[index], &purpose);
        let small = session.settled(&small).filter(|small| session.is_steady(small));
        tests.push(small.unwrap_or_else(|| found[index].clone()));
    }
    // Shrinking runs the function too, and may reach something by the way.
    tests.append(&mut session.candidates);
    let kept: Vec<usize> = chosen(&tests, scope, settings).into_iter().map(|(index, _)| index).collect();
    let mut numbered: Vec<(usize, Candidate)> =
        tests.into_iter().enumerate().filter(|(i, _)| kept.contains(i)).collect();
    numbered.sort_by_key(|(index, _)| *index);
    numbered.into_iter().map(|(_, test)| test).collect()
}

/// Tests that cover everything that is wanted; a function without branches keeps its first.
fn chosen(tests: &[Candidate], scope: &Scope<'_>, settings: &Settings) -> Vec<(usize, Vec<Goal>)> {
    let reached = tests.iter().flat_map(|test| test.covers.iter().copied());
    let needed = scope.needed(settings.mcdc, settings.selection.as_ref(), reached);
    let needed_of =
        |test: &Candidate| test.covers.iter().copied().filter(|goal| needed.contains(goal)).collect();
    let covers: Vec<Vec<Goal>> = tests.iter().map(needed_of).collect();
    let chosen = suite::minimise(&covers);
    let is_bare = chosen.is_empty() && !tests.is_empty() && settings.selection.is_none();
    if is_bare { vec![(0, Vec::new())] } else { chosen }
}
