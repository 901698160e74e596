//! The oracle of a campaign: runs inputs, counts them, keeps what they reach, and says when to stop.

use crate::mutate::{Mutator, Parent};
use crate::retype::retype_all;
use crate::{Candidate, Event, Fault, Scope};
use expr::Terms;
use goal::dependence::DependencePlan;
use goal::mcdc::{Progress, Selection, Variant};
use goal::{Fitness, Plan};
use input::{Input, Rng, Settled, Space};
use model::{Branch, Goal};
use rustc_hash::{FxHashMap, FxHashSet};
use search::Oracle;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use suite::SetSearches;
use target::{Access, Crash, CrashKind, Outcome, OutcomeClass, Path, Target};

/// Runs are stopped after this many ticks at first.
const FIRST_TICK_LIMIT: u64 = 1 << 14;
/// So much more is granted to whole programs: they begin with work that has nothing to do with the input.
const WHOLE_PROGRAM: u64 = 1 << 6;
/// The limit grows up to this where most runs hit it.
const LAST_TICK_LIMIT: u64 = 1 << 23;
/// Ticks granted per execution of the budget on average: long loops cannot eat the budget's time.
const TICKS_PER_EXECUTION: u64 = 1 << 10;
/// Ticks granted in any case.
const FREE_TICKS: u64 = 1 << 26;
/// Runs repeated with the largest limit because they went somewhere new before the first limit stopped them.
const PATIENCE: u32 = 8;
/// Laying out so many cells takes about as long as a small run, and is charged as one.
const CELLS_PER_EXECUTION: u64 = 64;
/// Recording a path and asking a solver takes about as long as so many small runs more; of a whole program, whose paths
/// are as long as its runs, as so many runs in all.
const COST_OF_TRACE: u64 = 40;
const COST_OF_LONG_TRACE: u64 = 4;
/// A run of a whole program takes at least as long as so many of a small function.
const SMALL_RUNS: u64 = 20;
/// How often an input may change until it is as its run uses it.
const SETTLING: usize = 8;
/// Every run that a precondition rejects is farther from all goals than any that it accepts.
const REJECTED: u32 = 1 << 30;
/// Elements that objects get where a precondition rejects shorter ones.
const ROOM: u32 = 16;
/// Faults kept with their inputs.
const MAX_FAULTS: usize = 64;

/// What the runs of a search are judged by.
enum Aim {
    Control(Plan),
    Dependence(DependencePlan),
}

impl Aim {
    fn fitness(&self, distance: impl Fn(Goal) -> u128) -> Fitness {
        match self {
            Aim::Control(plan) => plan.fitness(distance),
            Aim::Dependence(plan) => plan.fitness(distance),
        }
    }
}

/// State of a campaign between two runs.
pub struct Session<'a> {
    target: &'a mut dyn Target,
    space: &'a Space,
    scope: &'a Scope<'a>,
    rng: Rng,
    skip: FxHashSet<u64>,
    sink: &'a mut dyn FnMut(Event),
    stop: &'a mut dyn FnMut(u64) -> bool,
    /// By local goal index: execution that first reached it.
    reached: Vec<Option<u64>>,
    uncovered: usize,
    /// What is shown of decisions.
    progress: Progress<'a>,
    /// Nothing is left to reach.
    is_satisfied: bool,
    /// Best fitness seen whenever new coverage was found, and the input, by local goal index.
    best: Vec<(Fitness, Option<Input>)>,
    current: Option<(Goal, Aim, u64)>,
    /// Those that were asked for after runs of an exploration.
    known_plans: FxHashMap<Goal, Plan>,
    /// With no goal aimed at: until this execution any run will do that the precondition accepts.
    seeking: Option<u64>,
    /// By goal: the cells that the last term of its condition speaks of, sorted.
    matters: FxHashMap<Goal, Vec<u32>>,
    is_near: bool,
    executions: u64,
    /// Executions weighted by their cost: what a budget of executions counts.
    spent: u64,
    spent_on_solving: u64,
    ticks: u64,
    tick_limit: u64,
    out_of_ticks: u64,
    /// Runs that may still be repeated with the largest tick limit.
    patience: u32,
    stopped: bool,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) faults: Vec<Fault>,
    fault_keys: FxHashSet<(OutcomeClass, u64, bool)>,
    /// Failures of checks that some run showed.
    errors: FxHashSet<Goal>,
    has_failed_checks: bool,
    /// Some run began: its precondition held.
    is_accepted: bool,
    pub(crate) curve: Vec<(u64, u32)>,
    /// By goal, how it was searched for by each of its dependence sets.
    pub(crate) sets: BTreeMap<Goal, SetSearches>,
}

impl<'a> Session<'a> {
    /// A session on a target whose function is already selected. `stop` is asked with the executions spent (slow
    /// ones count more) and says whether the budget is spent.
    pub fn new(
        target: &'a mut dyn Target,
        scope: &'a Scope<'a>,
        space: &'a Space,
        seed: u64,
        skip: &[u64],
        sink: &'a mut dyn FnMut(Event),
        stop: &'a mut dyn FnMut(u64) -> bool,
    ) -> Session<'a> {
        let room = scope.room();
        let tick_limit = FIRST_TICK_LIMIT * if scope.is_whole() { WHOLE_PROGRAM } else { 1 };
        target.set_tick_limit(tick_limit);
        Session {
            target,
            space,
            scope,
            rng: Rng::with_seed(seed),
            skip: skip.iter().copied().collect(),
            sink,
            stop,
            reached: vec![None; room],
            uncovered: scope.count(),
            progress: Progress::new(scope.decisions(), Variant::default()),
            is_satisfied: false,
            best: vec![(Fitness::WORST, None); room],
            current: None,
            known_plans: FxHashMap::default(),
            seeking: None,
            matters: FxHashMap::default(),
            is_near: false,
            executions: 0,
            spent: 0,
            spent_on_solving: 0,
            ticks: 0,
            tick_limit,
            out_of_ticks: 0,
            patience: PATIENCE,
            stopped: false,
            candidates: Vec::new(),
            faults: Vec::new(),
            fault_keys: FxHashSet::default(),
            errors: FxHashSet::default(),
            has_failed_checks: false,
            is_accepted: false,
            curve: Vec::new(),
            sets: BTreeMap::new(),
        }
    }

    /// What is to be shown of decisions, and what alone is wanted.
    #[must_use]
    pub fn showing(mut self, variant: Variant, selection: Option<&Selection>) -> Session<'a> {
        self.progress = Progress::new(self.scope.decisions(), variant).restricted_to(selection);
        self.scope.known().iter().for_each(|&goal| self.progress.reach(goal));
        self
    }

    /// Whether a goal that is not reached is worth reaching: a vector of a decision only as long as it may show a
    /// condition.
    #[must_use]
    pub fn is_wanted(&self, goal: Goal) -> bool {
        self.first_reached(goal).is_none() && self.progress.is_wanted(goal)
    }

    /// Whether nothing is left to reach.
    #[must_use]
    pub fn is_satisfied(&self) -> bool {
        self.is_satisfied
    }

    /// Notes that a goal cannot be reached.
    pub(crate) fn rule_out(&mut self, goal: Goal) {
        self.progress.rule_out(goal);
    }

    /// Whether the budget is spent.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Runs made so far.
    #[must_use]
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Execution that first reached a goal.
    #[must_use]
    pub fn first_reached(&self, goal: Goal) -> Option<u64> {
        self.reached[self.scope.local(goal)]
    }

    /// Least approach level seen for a goal.
    #[must_use]
    pub fn best_level(&self, goal: Goal) -> Option<u32> {
        let (fitness, _) = &self.best[self.scope.local(goal)];
        (*fitness != Fitness::WORST).then_some(fitness.level)
    }

    /// The input that came closest to a goal.
    #[must_use]
    pub fn closest(&self, goal: Goal) -> Option<&Input> {
        self.best[self.scope.local(goal)].1.as_ref()
    }

    /// Makes `goal` the one that [`Oracle::evaluate`] judges, for at most `budget` runs. A search that starts near it
    /// may keep to the cells that its condition hangs on.
    pub fn aim(&mut self, goal: Goal, budget: u64, near: bool) {
        self.is_near = near;
        let end = self.executions.saturating_add(budget);
        let plan = match self.scope.plans() {
            Some(plans) => plans.plan(goal),
            None => self.scope.plan(goal),
        };
        self.current = Some((goal, Aim::Control(plan), end));
    }

    /// What leads to a goal by each of its dependence sets.
    pub(crate) fn dependence_plans(&self, goal: Goal) -> Vec<DependencePlan> {
        self.scope.dependence_plans(goal)
    }

    /// The same as [`Session::aim`], judged by a dependence set of the goal.
    fn aim_by(&mut self, goal: Goal, budget: u64, plan: DependencePlan) {
        self.is_near = false;
        let end = self.executions.saturating_add(budget);
        self.current = Some((goal, Aim::Dependence(plan), end));
    }

    /// Searches for a goal by each of its dependence sets, each with so many runs, until one leads there. `Continue` if there is
    /// nothing to vary.
    pub(crate) fn search_by_sets(
        &mut self,
        goal: Goal,
        plans: &[DependencePlan],
        runs: u64,
        mut search: impl FnMut(&mut Session<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (number, plan) in plans.iter().enumerate() {
            if !self.is_wanted(goal) || self.stopped {
                break;
            }
            let before = self.executions;
            self.aim_by(goal, runs, plan.clone());
            let end = search(self);
            let (ran, is_found) = (self.executions - before, self.first_reached(goal).is_some());
            let account = self.sets.entry(goal).or_default();
            account.runs.resize(plans.len(), 0);
            account.runs[number] += ran;
            account.found_by = is_found.then_some(number);
            if end.is_continue() {
                return ControlFlow::Continue(());
            }
        }
        ControlFlow::Break(())
    }

    /// Makes a run that the precondition accepts what [`Oracle::evaluate`] judges by, for at most `budget` runs.
    pub(crate) fn aim_at_precondition(&mut self, budget: u64) {
        self.is_near = false;
        self.current = None;
        self.seeking = Some(self.executions.saturating_add(budget));
    }

    /// The outcomes of a precondition that lead to a run.
    pub(crate) fn accepting(&self) -> impl Iterator<Item = Goal> + '_ {
        let steps = self.scope.guard().into_iter().flat_map(|guard| &guard.steps);
        steps.filter(|(level, _)| *level == 1).map(|&(_, outcome)| outcome)
    }

    /// Runs an input outside of any search. Returns its outcome and the goals it reached.
    pub fn run(&mut self, input: &Input) -> (Outcome, Vec<Goal>) {
        let outcome = self.execute(input);
        (outcome, self.goals_of_last_run())
    }

    /// The path of an input, unless the target cannot tell or this execution is known to kill it.
    pub(crate) fn trace(&mut self, input: &Input, names: &[u32], terms: &mut Terms) -> Option<Path> {
        self.executions += 1;
        if self.skip.contains(&self.executions) {
            self.spent += 1;
            return None;
        }
        let (_, path) = self.target.trace(input, names, terms)?;
        let cost = match self.scope.is_whole() {
            true => self.cost() * COST_OF_LONG_TRACE,
            // What makes the run itself dear, a process of its own say, is paid once.
            false => self.cost() + COST_OF_TRACE.div_ceil(self.target.weight()),
        };
        self.spent += cost + input.size() / CELLS_PER_EXECUTION;
        self.stopped = self.stopped || (self.stop)(self.spent);
        Some(path)
    }

    /// Where the objects of an input are when it is run.
    pub(crate) fn addresses(&mut self, input: &Input) -> Vec<u64> {
        self.target.addresses(input)
    }

    /// How many runs of a small native function take as long as one of the target.
    pub(crate) fn weight(&self) -> u64 {
        self.target.weight().max(1)
    }

    /// Whether runs are those of a whole program.
    pub(crate) fn is_whole(&self) -> bool {
        self.scope.is_whole()
    }

    /// The failure of a check that ended the last run, if it belongs to this scope.
    pub(crate) fn error_of_last_run(&self) -> Option<Goal> {
        let failures = self.target.touched().iter().map(|&branch| Goal { branch, outcome: true });
        let mut failures = failures.filter(|&goal| self.scope.is_error(goal));
        failures.find(|&goal| self.target.distance(goal) == 0)
    }

    /// Whether some run showed the failure of this check.
    pub(crate) fn has_error(&self, goal: Goal) -> bool {
        self.errors.contains(&goal)
    }

    /// Whether a check failed in any run: such runs end earlier than they would without it.
    pub(crate) fn has_failed_checks(&self) -> bool {
        self.has_failed_checks
    }

    /// The same input with longer objects, if the precondition may be content with that. A number and the length of what it
    /// counts would have to change together, and searches change one thing at a time.
    fn with_room(&self, input: &Input) -> Option<Input> {
        let roots = self.space.roots.len() as u32;
        if !self.scope.asks_for_lengths() || input.objects.len() == roots as usize {
            return None;
        }
        let mut roomy = input.clone();
        for object in roots..input.objects.len() as u32 {
            roomy.lengthen(self.space, object, ROOM.min(self.space.limits.elements));
        }
        (roomy != *input).then_some(roomy)
    }

    /// How far the last run, a rejected one, was from being none.
    fn distance_to_run(&self) -> Fitness {
        let Some(guard) = self.scope.guard() else { return Fitness::WORST };
        let Fitness { level, distance } = guard.fitness(|g| self.target.distance(g));
        Fitness { level: level.saturating_add(REJECTED), distance }
    }

    /// Whether the precondition asks how long objects are.
    pub(crate) fn asks_for_lengths(&self) -> bool {
        self.scope.asks_for_lengths()
    }

    /// Whether there were runs, and a precondition rejected them all.
    pub(crate) fn is_rejected(&self) -> bool {
        self.scope.guard().is_some() && !self.is_accepted
    }

    /// What the last run is charged. Slow ones are told in runs of a small function, and whole programs run longer.
    fn cost(&self) -> u64 {
        let cost = self.target.cost();
        if self.scope.is_whole() { cost.div_ceil(SMALL_RUNS) } else { cost }
    }

    /// Ticks of all runs so far.
    pub(crate) fn ticks(&self) -> u64 {
        self.ticks
    }

    /// What was charged to the budget so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// How near the last run came to the open goals of a function.
    pub(crate) fn near(&mut self) -> Vec<(Goal, (u32, u128))> {
        let Some(plans) = self.scope.plans() else { return Vec::new() };
        let mut near = Vec::new();
        for goal in self.open_goals() {
            let plan = self.known_plans.entry(goal).or_insert_with(|| plans.plan(goal));
            let Fitness { level, distance } = plan.fitness(|g| self.target.distance(g));
            if level != u32::MAX {
                near.push((goal, (level, distance)));
            }
        }
        near
    }

    /// What is lost at a place, in words.
    pub(crate) fn loss(&self, place: u32) -> Option<String> {
        self.target.loss(place)
    }

    /// The place of a goal in the source: `file:line`.
    pub(crate) fn place(&self, goal: Goal) -> Option<String> {
        let Branch { span, expansion, .. } = self.scope.branch(goal)?;
        let span = expansion.unwrap_or(*span);
        let file = self.target.program().files.get(span.file as usize)?;
        Some(format!("{}:{}", file.path, span.start.line))
    }

    /// Goals reached so far, and errors.
    pub(crate) fn found(&self) -> usize {
        self.scope.count() - self.uncovered + self.errors.len()
    }

    /// The number of an input that found something: one of the latest as often as any.
    pub(crate) fn pick(&mut self, latest: usize) -> usize {
        let count = self.candidates.len();
        let from = if self.rng.bool() { count.saturating_sub(latest) } else { 0 };
        if count == 0 { 0 } else { self.rng.usize(from..count) }
    }

    /// A changed copy of an input that found something.
    pub(crate) fn child(&mut self, mutator: &Mutator, parent: usize, other: usize, matters: &[u32]) -> Input {
        let zero;
        let input = |number: usize| self.candidates.get(number).map(|candidate| &candidate.input);
        let (parent, other) = match (input(parent), input(other)) {
            (Some(parent), Some(other)) => (parent, other),
            _ => {
                zero = Input::zero(self.space);
                (&zero, &zero)
            }
        };
        mutator.child(&Parent { input: parent, matters }, other, &mut self.rng)
    }

    /// Notes which cells of the input a decision about a goal hangs on.
    pub(crate) fn note_what_matters(&mut self, goal: Goal, cells: impl FnOnce() -> Vec<u32>) {
        if self.scope.own(goal).is_some_and(|local| self.reached[local].is_none()) {
            self.matters.insert(goal, cells());
        }
    }

    /// Counts a question to the solver against the budget.
    pub(crate) fn charge_for_solving(&mut self, executions: u64) {
        self.spent_on_solving += executions;
        self.charge(executions);
    }

    /// What [`Session::charge_for_solving`] was told.
    pub(crate) fn spent_on_solving(&self) -> u64 {
        self.spent_on_solving
    }

    /// Counts work that is no run against the budget.
    pub(crate) fn charge(&mut self, executions: u64) {
        self.spent += executions;
        self.stopped = self.stopped || (self.stop)(self.spent);
    }

    /// The goals of this function that the last run reached, sorted.
    fn goals_of_last_run(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        for &branch in self.target.touched() {
            for outcome in [true, false] {
                let goal = Goal { branch, outcome };
                if self.scope.own(goal).is_some() && self.target.distance(goal) == 0 {
                    goals.push(goal);
                }
            }
        }
        goals.sort_unstable();
        goals
    }

    /// One run with all book-keeping.
    fn execute(&mut self, input: &Input) -> Outcome {
        let mut outcome = self.run_target(input);
        self.ticks += self.target.ticks();
        let mut fresh = self.has_fresh_coverage();
        if outcome == Outcome::OutOfTicks && fresh && self.patience > 0 {
            // It went somewhere new: worth waiting for the end, a few times.
            self.patience -= 1;
            outcome = self.run_patiently(input);
            fresh = self.has_fresh_coverage();
        }
        let mut reached = None;
        if outcome.is_testable() && (fresh || self.candidates.is_empty()) && self.is_watched(input) {
            let here = self.goals_of_last_run();
            outcome = self.run_strictly(input, outcome, &here);
            reached = (!outcome.is_testable()).then_some(here);
        }
        let settled;
        let mut input = input;
        if outcome.is_testable() && (fresh || self.candidates.is_empty()) && self.space.rest().is_some() {
            match self.settle(input) {
                Some(other) => {
                    settled = other;
                    input = &settled;
                    outcome = self.run_target(input);
                    fresh = self.has_fresh_coverage();
                }
                None => outcome = Outcome::Unsteady,
            }
        }
        if outcome.is_testable() {
            if fresh || self.candidates.is_empty() {
                self.keep_discovery(input, outcome);
            }
        } else if matches!(outcome, Outcome::Rejected | Outcome::Unsteady) {
            // The user does not want to hear of it.
        } else if outcome == Outcome::WorkerDied {
            self.keep_fault(input, outcome, Vec::new());
        } else {
            if outcome == Outcome::OutOfTicks {
                self.raise_tick_limit();
            }
            // What only a strict run stops goes on in others, and they tell what lies behind.
            if is_failed_check(outcome) && reached.is_none() {
                self.has_failed_checks = true;
                self.errors.extend(self.error_of_last_run());
            }
            let reached = reached.unwrap_or_else(|| self.goals_of_last_run());
            self.note_fault(input, outcome, fresh, reached);
        }
        self.stopped = self.stopped || (self.stop)(self.spent) || self.ticks > self.ticks_allowed();
        outcome
    }

    /// Runs the target unless this execution is known to kill it.
    fn run_target(&mut self, input: &Input) -> Outcome {
        self.executions += 1;
        if !self.skip.is_empty() && self.skip.contains(&self.executions) {
            self.spent += 1;
            return Outcome::WorkerDied;
        }
        let outcome = self.target.run(input);
        self.is_accepted |= outcome != Outcome::Rejected;
        self.spent += self.cost() + input.size() / CELLS_PER_EXECUTION;
        outcome
    }

    /// Whether a strict run of an input can show more than an ordinary one.
    fn is_watched(&self, input: &Input) -> bool {
        let has_objects = input.objects.len() > self.space.roots.len();
        !self.scope.is_whole() && (has_objects || self.scope.entry().uses_heap())
    }

    /// A strict run ends in another way if the function looks before the starts of objects, behind the ends of blocks or
    /// into what it freed, and goes another way than `here` if it asks which of two objects comes first. If it does none
    /// of that, the input is run again as before.
    fn run_strictly(&mut self, input: &Input, outcome: Outcome, here: &[Goal]) -> Outcome {
        self.executions += 1;
        if self.skip.contains(&self.executions) {
            return Outcome::WorkerDied;
        }
        let other = self.target.run_strictly(input);
        self.spent += self.cost();
        match other.is_testable() {
            true if other == outcome && self.goals_of_last_run() == here => self.run_target(input),
            true => Outcome::Unsteady,
            false => other,
        }
    }

    /// The input as its run uses it: with just those arguments behind `...` that it reads, and objects behind `void *` of
    /// the types that it takes them for. `None` if what it reads cannot be passed.
    fn settle(&mut self, input: &Input) -> Option<Input> {
        let mut settled = input.clone();
        for _ in 0..SETTLING {
            let names: Vec<u32> = (0..settled.size() as u32).collect();
            let Some(path) = self.trace(&settled, &names, &mut Terms::new()) else {
                // Nobody knows what it reads behind `...`.
                return self.space.rest().is_none().then_some(settled);
            };
            match settled.settle(self.space, &path.extras) {
                Settled::Impossible => return None,
                Settled::Changed => continue,
                Settled::Same => {}
            }
            if !retype_all(self.space, &mut settled, &path.uses, |input, variable| {
                input.places().nth(variable.0 as usize)
            }) {
                break;
            }
        }
        Some(settled)
    }

    /// A test as its run uses its input; `None` if it is not the same test any more.
    pub(crate) fn settled(&mut self, test: &Candidate) -> Option<Candidate> {
        if self.space.rest().is_none() && !self.space.has_untyped() {
            return Some(test.clone());
        }
        let input = self.settle(&test.input)?;
        if input == test.input {
            return Some(test.clone());
        }
        let outcome = self.run_target(&input);
        let covers = self.goals_of_last_run();
        let is_same =
            outcome == test.outcome && test.covers.iter().all(|goal| covers.binary_search(goal).is_ok());
        is_same.then_some(Candidate { input, outcome, covers })
    }

    /// Whether a test does the same under strict watch.
    pub(crate) fn is_steady(&mut self, test: &Candidate) -> bool {
        if !self.is_watched(&test.input) {
            return true;
        }
        let outcome = self.run_target(&test.input);
        let here = self.goals_of_last_run();
        outcome == test.outcome && self.run_strictly(&test.input, outcome, &here) == outcome
    }

    /// The same input with the largest tick limit. Neither its cost nor a time-out counts: both depend on how
    /// fast the machine is.
    fn run_patiently(&mut self, input: &Input) -> Outcome {
        let spent = self.spent;
        self.target.set_tick_limit(LAST_TICK_LIMIT);
        let outcome = self.run_target(input);
        self.target.set_tick_limit(self.tick_limit);
        self.spent = spent;
        if outcome == Outcome::TimedOut { Outcome::OutOfTicks } else { outcome }
    }

    /// Work allowed so far: proportional to the executions, with a floor for a few long runs.
    fn ticks_allowed(&self) -> u64 {
        let allowed = self.executions.saturating_mul(TICKS_PER_EXECUTION).max(FREE_TICKS);
        if self.scope.is_whole() { allowed.saturating_mul(WHOLE_PROGRAM) } else { allowed }
    }

    /// The hot path: does the last run reach a goal that no test reaches?
    fn has_fresh_coverage(&self) -> bool {
        if self.uncovered == 0 {
            return false;
        }
        self.target.touched().iter().any(|&branch| {
            [true, false].into_iter().any(|outcome| {
                let goal = Goal { branch, outcome };
                self.scope.own(goal).is_some_and(|local| self.reached[local].is_none())
                    && self.target.distance(goal) == 0
            })
        })
    }

    fn keep_discovery(&mut self, input: &Input, outcome: Outcome) {
        let covers = self.goals_of_last_run();
        let mut fresh = Vec::new();
        for &goal in &covers {
            let local = self.scope.local(goal);
            if self.reached[local].is_none() {
                self.reached[local] = Some(self.executions);
                self.uncovered -= 1;
                self.progress.reach(goal);
                fresh.push(goal);
            }
        }
        self.is_satisfied = !self.scope.goals().any(|goal| self.is_wanted(goal));
        self.curve.push((self.executions, (self.scope.count() - self.uncovered) as u32));
        self.note_closest(input);
        (self.sink)(Event::Discovery { goals: fresh, input: input.clone(), execution: self.executions });
        self.candidates.push(Candidate { input: input.clone(), outcome, covers });
    }

    /// New coverage is a new place to start from: compare it with the best starts of all open goals.
    fn note_closest(&mut self, input: &Input) {
        for goal in self.open_goals() {
            let target = &*self.target;
            let fitness = match self.scope.plans() {
                Some(plans) => plans.plan(goal).fitness(|g| target.distance(g)),
                None => Fitness { level: 0, distance: target.distance(goal) },
            };
            let local = self.scope.local(goal);
            if fitness < self.best[local].0 {
                self.best[local] = (fitness, Some(input.clone()));
            }
        }
    }

    /// Goals that the last run may have come close to and no test reaches: of a whole program only those whose
    /// branch it evaluated.
    fn open_goals(&self) -> Vec<Goal> {
        let is_open = |goal: &Goal| self.scope.own(*goal).is_some() && self.is_wanted(*goal);
        if self.scope.plans().is_some() {
            return self.scope.goals().filter(is_open).collect();
        }
        let touched = self.target.touched().iter();
        touched
            .flat_map(|&branch| [true, false].map(|outcome| Goal { branch, outcome }))
            .filter(is_open)
            .collect()
    }

    /// Keeps one input for each kind and place of fault, and any that reaches something new. A text that is read beyond
    /// because it has no end says nothing about others that have one.
    fn note_fault(&mut self, input: &Input, outcome: Outcome, fresh: bool, reached: Vec<Goal>) {
        let site = match outcome {
            Outcome::Crashed(crash) => crash.site,
            Outcome::OutOfTicks | Outcome::TimedOut => 0,
            _ => self.executions,
        };
        let lacks_end = matches!(outcome, Outcome::Crashed(Crash { access: Access::Beyond { object, .. }, .. })
            if input.is_unended_text(self.space, object));
        let key = (outcome.class(), site, lacks_end);
        let is_new = self.fault_keys.len() < MAX_FAULTS && self.fault_keys.insert(key);
        if is_new || fresh && self.faults.len() < 4 * MAX_FAULTS && self.is_more_than_faults_reach(&reached) {
            self.keep_fault(input, outcome, reached);
        }
    }

    fn is_more_than_faults_reach(&self, reached: &[Goal]) -> bool {
        reached.iter().any(|g| {
            self.reached[self.scope.local(*g)].is_none() && !self.faults.iter().any(|f| f.reached.contains(g))
        })
    }

    fn keep_fault(&mut self, input: &Input, outcome: Outcome, reached: Vec<Goal>) {
        self.faults.push(Fault { input: input.clone(), outcome, reached });
    }

    /// Where half of all runs are cut short the limit, not the function, is at fault.
    fn raise_tick_limit(&mut self) {
        self.out_of_ticks += 1;
        if self.out_of_ticks * 2 > self.executions && self.tick_limit < LAST_TICK_LIMIT {
            self.tick_limit *= 8;
            self.out_of_ticks = 0;
            self.target.set_tick_limit(self.tick_limit);
        }
    }
}

/// Whether a check ended the run.
pub(crate) fn is_failed_check(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Crashed(crash) if matches!(crash.kind, CrashKind::Check(_)))
}

impl Oracle for Session<'_> {
    fn evaluate(&mut self, input: &Input) -> ControlFlow<(), Fitness> {
        let mut outcome = self.execute(input);
        if outcome == Outcome::Rejected
            && let Some(roomy) = self.with_room(input)
        {
            outcome = self.execute(&roomy);
        }
        let Some((goal, plan, end)) = &self.current else {
            let is_sought = self.seeking.is_some_and(|end| self.executions < end);
            return match is_sought && self.is_rejected() && !self.stopped {
                true => ControlFlow::Continue(self.distance_to_run()),
                false => ControlFlow::Break(()),
            };
        };
        let is_reached = self.reached[self.scope.local(*goal)].is_some();
        if is_reached || self.stopped || self.executions >= *end {
            return ControlFlow::Break(());
        }
        if outcome == Outcome::WorkerDied {
            // What the target shows is not of this run.
            return ControlFlow::Continue(Fitness::WORST);
        }
        if outcome == Outcome::Rejected {
            return ControlFlow::Continue(self.distance_to_run());
        }
        let mut fitness = plan.fitness(|g| self.target.distance(g));
        fitness.level = fitness.level.min(REJECTED - 1);
        if !outcome.is_testable() {
            // It may have reached the goal, but no test can be made of it: one step short.
            fitness.distance = fitness.distance.max(1);
        }
        ControlFlow::Continue(fitness)
    }

    fn space(&self) -> &Space {
        self.space
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn constants(&self) -> &[i128] {
        &self.scope.entry().constants
    }

    fn strings(&self) -> &[Vec<u8>] {
        &self.scope.entry().strings
    }

    fn matters(&self, cell: u32) -> bool {
        let Some((goal, ..)) = self.current.as_ref().filter(|_| self.is_near) else { return true };
        self.matters.get(goal).is_none_or(|cells| cells.binary_search(&cell).is_ok())
    }
}
