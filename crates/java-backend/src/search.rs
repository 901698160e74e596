//! The search for tests of classes: whole classes first (`evolve/`), then for every method that is left the candidate sequences (`candidates.rs`).
//!
//! Goals belong to the program, not to a sequence: what one script covers no other looks for.

use crate::account::{Ends, MethodAccount, missing};
use crate::origin::{EVOLUTION, Finder, Origin, SEQUENCES};
use crate::pool::{Pool, Recipe, package_of};
use crate::program::JavaProgram;
use crate::reached::Reached;
use crate::replays::Replays;
use crate::rules::Rules;
use crate::slots::Slots;
use crate::smt::SharedSmt;
use crate::states::States;
use crate::suspect::Suspects;
use crate::target::{JavaTarget, Learnt};
use crate::times::Times;
use campaign::{
    Budget, Clock, GoalOrder, Guidance, HYBRID, Reach, Scope, Variant, reached_functions, run_function,
};
use explore::Cfcg;
use input::{Input, SpaceLimits};
use java_frontend::{Catalogue, Options, SequenceError};
use java_replay::Arrays;
use java_wire::message::{End, Manner};
use java_wire::{Script, Value};
use java_worker::{Answer, Host, ScriptId, StartError};
use model::{Function, FunctionId, Goal};
use serde::{Deserialize, Serialize};
use solver::Smt;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use suite::Exploration;

/// What a search may do.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// Seed of all randomness.
    pub seed: u64,
    /// Runs for each method.
    pub runs: u64,
    /// Or so many seconds, if the user wants to wait so long.
    pub seconds: Option<f64>,
    /// Steps of a sequence.
    pub longest: usize,
    /// Name of the engine that finds values.
    pub engine: String,
    /// What becomes of indices that depend on the input.
    pub arrays: Arrays,
    /// Paths of each call that solvers are asked for after one path of the calls before it.
    pub paths_per_invokable: Option<u64>,
    /// What tests may be made of.
    pub options: Options,
    /// What every test keeps to.
    pub rules: Rules,
    /// Tests of whole classes evolve before candidates are tried.
    pub evolution: bool,
    /// Data must be able to flow between all statements of a candidate.
    pub connected: bool,
    /// Of candidates that differ in the order of statements that have nothing to do with each other, some are not tried.
    pub reduced: bool,
    /// Beginnings of candidates are executed, and those are left that nothing comes of.
    pub pruned: bool,
    /// Which candidates are tried.
    pub states: States,
    /// Bounds of texts and arrays.
    pub limits: SpaceLimits,
    /// What shows a condition of a decision.
    pub mcdc: Variant,
    /// Results are looked for that their type does not hold.
    pub overflow: bool,
    /// Set when the user does not want to wait any longer.
    pub stop: Option<&'static AtomicBool>,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings {
            seed: 1,
            runs: 20_000,
            seconds: None,
            longest: 10,
            engine: HYBRID.to_owned(),
            arrays: Arrays::Reasoning { longest: 64 },
            paths_per_invokable: None,
            options: Options::default(),
            rules: Rules::default(),
            evolution: true,
            connected: true,
            reduced: true,
            pruned: false,
            states: States::default(),
            limits: SpaceLimits { objects: 24, elements: 64, ..SpaceLimits::default() },
            mcdc: Variant::default(),
            overflow: false,
            stop: None,
        }
    }
}

/// A test that was found, not confirmed yet.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The method that it is for.
    pub method: FunctionId,
    /// Its calls, with what looks at the results.
    pub script: Script,
    /// Its values.
    pub values: Vec<Value>,
    /// Goals that it reaches.
    pub covers: Vec<Goal>,
    /// Its steps read or write static fields that others can see.
    pub is_shared: bool,
    /// It is for a constructor, and makes an object.
    pub makes: bool,
    /// Who found it, and when.
    pub origin: Origin,
}

/// Which of the rounds over all classes it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// There is no other.
    Only,
    /// Whole classes with half of the runs. What tests of one class have made, those of all others may use in the next round.
    First,
    /// Whole classes with the other half, then what is left of each method.
    Last,
}

/// What came of a search.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Searched {
    /// Tests, in the order in which they were found.
    pub found: Vec<Found>,
    /// How the search for each method went.
    pub accounts: BTreeMap<FunctionId, MethodAccount>,
    /// How to make objects that were not known before.
    pub recipes: Vec<Recipe>,
    /// Runs that no test can state.
    pub suspects: Suspects,
    /// Outcomes that happened, but with an exception so soon behind them that the judge sees nothing of them.
    pub unseen: BTreeSet<Goal>,
    /// Outcomes that happened in runs which write files where tests must not.
    pub of_the_world: BTreeSet<Goal>,
    /// Who first reached a goal, and when.
    pub first: BTreeMap<Goal, Origin>,
    /// What it was charged so far, in runs, with earlier rounds.
    pub executed: u64,
    /// What took how long.
    pub times: Times,
}

/// Searches in one machine.
pub struct Searcher<'p> {
    pub(crate) program: &'p JavaProgram,
    pub(crate) settings: SearchSettings,
    pub(crate) host: Host,
    pub(crate) smt: SharedSmt,
    /// Under which scripts are learnt.
    number: Option<ScriptId>,
    /// By outcome: whether it is a goal.
    pub(crate) is_goal: Vec<bool>,
    /// Goals of the program that some test reaches.
    pub(crate) reached: Reached<'p>,
    /// Goals that no test can reach.
    pub(crate) impossible: BTreeSet<Goal>,
    /// Methods that some test is for.
    pub(crate) tested: BTreeSet<FunctionId>,
    /// Constructors that have made an object in some test.
    pub(crate) made: BTreeSet<FunctionId>,
    pub(crate) found: Vec<Found>,
    /// Objects for tests, and which of them are new.
    pub(crate) pool: Pool,
    recipes: Vec<Recipe>,
    /// What is known of methods.
    methods: BTreeMap<FunctionId, MethodUnderTest>,
    /// Where control goes from methods whose values were looked for.
    graphs: BTreeMap<FunctionId, Rc<Cfcg>>,
    /// When the search for a class or method ends, if that is up to the clock.
    pub(crate) deadline: Option<Instant>,
    pub(crate) suspects: Suspects,
    pub(crate) unseen: BTreeSet<Goal>,
    pub(crate) of_the_world: BTreeSet<Goal>,
    first: BTreeMap<Goal, Origin>,
    /// What the search for the class was charged so far, in runs.
    pub(crate) executed: u64,
    /// What was lost of the runs for methods.
    replays: BTreeMap<FunctionId, Replays>,
    /// Why the first script of a method was refused, as long as no other is taken.
    refused: Option<Result<(), String>>,
    accounts: BTreeMap<FunctionId, MethodAccount>,
    /// How often a step of some test called a method.
    pub(crate) called: BTreeMap<FunctionId, u64>,
    pub(crate) times: Times,
}

/// Ticks of a run that makes an object.
const TICKS: u64 = 1 << 20;

impl<'p> Searcher<'p> {
    /// With nothing found.
    #[must_use]
    pub fn new(program: &'p JavaProgram, settings: SearchSettings, mut host: Host) -> Searcher<'p> {
        host.forget();
        let accounts = BTreeMap::new();
        let (tested, found) = (BTreeSet::new(), Vec::new());
        let mut is_goal = vec![false; program.model.program.branch_count as usize * 2];
        let functions = &program.model.program.functions;
        let goals = functions.iter().flat_map(|f| f.aims());
        goals.for_each(|goal| is_goal[goal.index()] = true);
        let reached = Reached::new(&program.model.program, settings.mcdc);
        Searcher {
            program,
            settings,
            host,
            smt: SharedSmt::default(),
            number: None,
            is_goal,
            reached,
            impossible: program.model.sites.unasserted().collect(),
            tested,
            made: BTreeSet::new(),
            found,
            pool: Pool::default(),
            recipes: Vec::new(),
            methods: BTreeMap::new(),
            graphs: BTreeMap::new(),
            deadline: None,
            suspects: Suspects::of(&program.classes.own),
            unseen: BTreeSet::new(),
            of_the_world: BTreeSet::new(),
            first: BTreeMap::new(),
            executed: 0,
            replays: BTreeMap::new(),
            refused: None,
            accounts,
            called: BTreeMap::new(),
            times: Times::default(),
        }
    }

    /// The same after others have found tests of the same class in so many runs, and know how to make objects.
    #[must_use]
    pub fn knowing(mut self, found: Vec<Found>, pool: Pool, executed: u64) -> Searcher<'p> {
        for test in &found {
            self.reached.add(&test.covers);
            self.tested.insert(test.method);
            self.made.extend(test.makes.then_some(test.method));
            self.note_first(&test.covers, &test.origin);
        }
        (self.found, self.pool, self.executed) = (found, pool, executed);
        self
    }

    /// What came of it, and the machine.
    #[must_use]
    pub fn finish(self) -> (Searched, Host) {
        let Searcher { found, mut accounts, recipes, suspects, unseen, of_the_world, .. } = self;
        for (id, replays) in self.replays {
            accounts.entry(id).or_default().replays = replays;
        }
        let Searcher { first, executed, times, host, .. } = self;
        let searched =
            Searched { found, accounts, recipes, suspects, unseen, of_the_world, first, executed, times };
        (searched, host)
    }

    /// Searches for tests of methods of one class, or of classes that stand in one another: first all together, then for what is left
    /// of each.
    ///
    /// # Errors
    /// When no machine can be started.
    pub fn class(&mut self, methods: &[FunctionId], round: Round) -> Result<(), StartError> {
        let (program, evolves) = (self.program, self.settings.evolution);
        if round == Round::First && !evolves {
            return Ok(());
        }
        let options = self.settings.options.clone();
        let symbol = |id: FunctionId| program.model.program.function(id).symbol.as_str();
        let Some(package) = methods.first().map(|&id| package_of(symbol(id))) else { return Ok(()) };
        let catalogue = self.times.generating(|| Catalogue::new(program.knowledge(), package, &options));
        let share = methods.len() as f64 / if round == Round::Only { 2.0 } else { 4.0 };
        self.deadline = self.settings.seconds.map(|seconds| after(seconds * share));
        let known = self.found.len();
        let spent = if evolves { self.evolve(round, methods, &catalogue, package)? } else { 0 };
        let spent = spent / methods.len() as u64;
        for &id in methods {
            if round == Round::First {
                let begun = self.called.get(&id).copied().unwrap_or_default();
                let ends = Ends { begun, ..Ends::default() };
                self.accounts.insert(id, MethodAccount { runs: spent, ends, ..MethodAccount::default() });
                continue;
            }
            let rest = if evolves { 2.0 } else { 1.0 };
            self.deadline = self.settings.seconds.map(|seconds| after(seconds / rest));
            self.method(id, &catalogue, spent)?;
        }
        if evolves {
            self.remember(known)?;
        }
        if self.settings.overflow && round != Round::First {
            self.overflows(methods)?;
        }
        Ok(())
    }

    /// Searches for what is left of a method, for which so many runs have been made.
    pub(crate) fn method(
        &mut self,
        id: FunctionId,
        catalogue: &Catalogue<'_>,
        spent: u64,
    ) -> Result<(), StartError> {
        let function = self.program.model.program.function(id);
        let mut account = MethodAccount { runs: spent, ..MethodAccount::default() };
        self.refused = None;
        let method = self.under_test(id);
        if catalogue.is_callable(&function.symbol) && !self.is_open(&method) {
            self.accounts.insert(id, account);
            return Ok(());
        }
        match self.times.generating(|| catalogue.sequences(&function.symbol)) {
            Ok(sequences) => {
                account.is_cut = sequences.is_cut;
                self.rounds(id, &sequences, &mut account)?;
                account.ends.begun += self.called.get(&id).copied().unwrap_or_default();
                account.missing = missing(&sequences).filter(|_| account.scripts + account.ends.begun == 0);
            }
            Err(SequenceError::NotCallable(_, why)) => account.unusable = Some(why.to_string()),
            Err(why) => account.unusable = Some(why.to_string()),
        }
        account.refused = self.refused.take().and_then(Result::err);
        self.accounts.insert(id, account);
        Ok(())
    }

    /// Puts what the tests from a number on have made into the pool.
    fn remember(&mut self, from: usize) -> Result<(), StartError> {
        for number in from..self.found.len() {
            let Found { script, values, is_shared, .. } = self.found[number].clone();
            let plain = Script { observers: Vec::new(), ..script };
            let (id, end) = self.learn(&plain)?;
            let manner =
                Manner { ticks: TICKS, full: false, fresh: is_shared, observe: true, watched: false };
            if end != End::Returned {
                continue;
            }
            let host = &mut self.host;
            let opening = &self.settings.rules.opening;
            if let Answer::Ran(ran) = self.times.executing(|| host.run(id, &values, manner))?
                && ran.reply.end == End::Returned
                && let Some((plain, values, results)) = opening.behind(&plain, &values, &ran.reply.results)
            {
                let added = self.pool.add((&plain, &values), &results, is_shared);
                self.recipes.extend(added);
            }
        }
        Ok(())
    }

    /// Makes a script known in place of the one before, and notes if the machine refuses it.
    pub(crate) fn learn(&mut self, script: &Script) -> Result<(ScriptId, End), StartError> {
        let (number, end) = self.learn_part(script)?;
        match &end {
            End::Unusable { why, .. } if self.refused.is_none() => self.refused = Some(Err(why.clone())),
            End::Unusable { .. } => {}
            _ => self.refused = Some(Ok(())),
        }
        Ok((number, end))
    }

    /// The same for a part of a script: that it is taken says nothing of the method under test.
    pub(crate) fn learn_part(&mut self, script: &Script) -> Result<(ScriptId, End), StartError> {
        let (number, host) = (self.number, &mut self.host);
        let (number, end) = self.times.executing(|| match number {
            Some(number) => Ok((number, host.learn_over(number, script)?)),
            None => host.learn(script),
        })?;
        self.number = Some(number);
        Ok((number, end))
    }

    /// A script behind the opening of all tests; `None` if it is not what the user allows.
    pub(crate) fn kept_to_rules(&self, script: Script, values: &[Value]) -> Option<Script> {
        let script = self.settings.rules.opening.before(script);
        self.settings.rules.permit(&self.settings.options, &script, values).then_some(script)
    }

    /// Whether the seconds are over; nobody asks for the time if there are none.
    pub(crate) fn is_late(&self) -> bool {
        let stopped = self.settings.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        stopped || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether something is left to reach for a method: one of its goals, or itself.
    pub(crate) fn is_open(&self, method: &MethodUnderTest) -> bool {
        !self.tested.contains(&method.id) || self.open_goals(method).next().is_some()
    }

    fn open_goals(&self, method: &MethodUnderTest) -> impl Iterator<Item = Goal> + use<'_, 'p> {
        let goals = Rc::clone(&method.goals);
        let all = (0..goals.len()).map(move |number| goals[number]);
        all.filter(|&goal| self.reached.is_wanted(goal) && !self.impossible.contains(&goal))
    }

    /// A method with what it reaches, found out once.
    pub(crate) fn under_test(&mut self, id: FunctionId) -> MethodUnderTest {
        let program = &self.program.model.program;
        let method = self.methods.entry(id).or_insert_with(|| {
            let reached = reached_functions(program, id, Reach::Reachable);
            let goals = |function: &Function| function.aims().collect::<Vec<_>>();
            let unit = self.program.unit_of(id);
            let own = reached.iter().filter(|&&id| self.program.unit_of(id) == unit);
            let goals = own.flat_map(|&id| goals(program.function(id))).collect();
            MethodUnderTest { id, goals }
        });
        method.clone()
    }

    /// Whether a run asks for something that is elsewhere on another machine.
    fn asks_the_machine(
        &mut self,
        number: ScriptId,
        values: &[Value],
        fresh: bool,
    ) -> Result<bool, StartError> {
        let manner = Manner { ticks: TICKS, full: false, fresh, observe: false, watched: true };
        let host = &mut self.host;
        let answer = self.times.executing(|| host.run(number, values, manner))?;
        Ok(matches!(answer, Answer::Ran(ran) if ran.reply.litters))
    }

    /// Keeps a test.
    pub(crate) fn keep(&mut self, found: Found) {
        self.tested.insert(found.method);
        self.made.extend(found.makes.then_some(found.method));
        self.reached.add(&found.covers);
        self.note_first(&found.covers, &found.origin);
        self.found.push(found);
    }

    /// Goals that were reached, some for the first time.
    fn note_first(&mut self, goals: &[Goal], origin: &Origin) {
        for &goal in goals {
            self.first.entry(goal).or_insert_with(|| origin.clone());
        }
    }

    /// What a campaign of so many runs is like.
    pub(crate) fn campaign(&self, runs: u64) -> campaign::Settings {
        campaign::Settings {
            engine: self.settings.engine.clone(),
            seed: self.settings.seed,
            budget: Budget::Executions(runs),
            goal_budget: None,
            order: GoalOrder::default(),
            limits: self.settings.limits,
            rules: Vec::new(),
            skip: Vec::new(),
            impossible: Vec::new(),
            traced: true,
            closed: false,
            whole: false,
            reach: Reach::Reachable,
            mcdc: self.settings.mcdc,
            guidance: Guidance::default(),
            trial: None,
            selection: None,
            find_errors: false,
            // Confirmation makes them small, of the few tests that are written.
            keeps_values: true,
        }
    }

    /// How runs are executed again.
    pub(crate) fn replaying(&self) -> java_replay::Settings {
        java_replay::Settings { arrays: self.settings.arrays, library: true, ..Default::default() }
    }

    /// Where control goes from a method.
    pub(crate) fn graph(&mut self, id: FunctionId) -> Rc<Cfcg> {
        let program = &self.program.model.program;
        let graph = self.graphs.entry(id).or_insert_with(|| {
            Rc::new(Cfcg::among(program, &reached_functions(program, id, Reach::Reachable)))
        });
        Rc::clone(graph)
    }

    /// Looks for values of a script with which it reaches something new. Returns how many runs that took. Goals of the method that
    /// turn out to be out of reach, and how runs ended, are put down in the account.
    pub(crate) fn script(
        &mut self,
        method: &MethodUnderTest,
        script: &Script,
        start: &[Value],
        manner: ScriptManner,
        account: &mut MethodAccount,
    ) -> Result<u64, StartError> {
        let id = method.id;
        let plain = Script { observers: Vec::new(), ..script.clone() };
        let (number, end) = self.learn(&plain)?;
        if end != End::Returned {
            account.ends.add(script, &end, false);
            return Ok(1);
        }
        let slots = Slots::keeping(&self.settings.rules, &script.slots, self.settings.limits);
        let open: BTreeSet<Goal> = self.open_goals(method).collect();
        let program = &self.program.model.program;
        let graph = self.graph(id);
        let scope = Scope::reaching(program, id, Reach::Reachable).wanting(|goal| open.contains(&goal));
        let scope = scope.beside(self.reached.known()).with_lengths().along(graph);
        let scope = scope.limited(self.settings.paths_per_invokable);
        let closed = manner.closed && slots.are_numbers();
        let settings = campaign::Settings { closed, ..self.campaign(manner.runs) };
        let learnt = Learnt { number, script: &plain };
        let boundaries = !self.program.model.boundaries.is_empty();
        let replaying = java_replay::Settings { boundaries, ..self.replaying() };
        let mut target = JavaTarget::new(&self.program.model, &mut self.host, learnt, &slots, manner.fresh)
            .replaying(&self.program.code, replaying)
            .keeping(&self.settings.rules)
            .noting(&mut self.suspects, id);
        let smt = self.smt.clone();
        let connect = || -> Box<dyn Smt> { Box::new(smt.clone()) };
        let space = slots.space();
        // Candidate sequences come without values.
        let maker = if start.is_empty() { SEQUENCES } else { EVOLUTION };
        let start = slots.input(start).filter(|_| !start.is_empty());
        let seeds: Vec<Input> = start.into_iter().chain(slots.first()).collect();
        let begun = Instant::now();
        let result =
            run_function(&mut target, &scope, space, &settings, &seeds, &NoClock, &connect, &mut |_| {});
        let spent = target.spent().max(1);
        let layers = result.exploration.iter().flat_map(|exploration| &exploration.layers);
        let solving = Duration::from_secs_f64(layers.map(|layer| layer.seconds).sum());
        account.ends.extend(target.take_ends());
        let mut replays = target.take_replays();
        self.times.campaign(begun.elapsed(), Times { solving, ..target.times() });
        if let Some(exploration) = &result.exploration {
            let search_seconds = begun.elapsed().as_secs_f64();
            replays.explored(&Exploration { search_seconds, ..exploration.clone() }, closed);
        }
        self.replays.entry(id).or_default().add(&replays);
        let (before, first_runs) = (self.executed, 1 + seeds.len() as u64);
        let engine = self.settings.engine.clone();
        let finder = Finder { before, first_runs, maker, engine: &engine };
        let runs = result.goals.iter().filter_map(|record| Some((record.goal, record.execution?)));
        let runs: BTreeMap<Goal, u64> = runs.collect();
        self.executed += spent;
        // What is impossible in what it calls may be possible for others who call that.
        let function = program.function(id);
        let own: BTreeSet<Goal> = function.aims().collect();
        let impossible = result.infeasible.iter().filter(|goal| own.contains(goal));
        account.infeasible.extend(impossible.clone());
        for &goal in impossible {
            self.impossible.insert(goal);
            self.reached.rule_out(goal);
        }
        for test in result.tests.into_iter().filter(|test| test.outcome.is_testable()) {
            let is_new = test.covers.iter().any(|&goal| self.reached.is_wanted(goal));
            if is_new || !self.tested.contains(&id) {
                let values = slots.values(&test.input);
                if self.asks_the_machine(number, &values, manner.fresh)? {
                    self.of_the_world.extend(test.covers);
                    continue;
                }
                let (script, is_shared) = (script.clone(), manner.fresh);
                let (makes, covers) = (false, test.covers);
                let new: Vec<Goal> = covers.iter().copied().filter(|g| !self.first.contains_key(g)).collect();
                let origin = finder.of_test(new.iter().copied(), &runs);
                for (goal, &run) in new.iter().filter_map(|goal| Some((*goal, runs.get(goal)?))) {
                    self.first.insert(goal, finder.origin(run));
                }
                self.keep(Found { method: id, script, values, covers, is_shared, makes, origin });
            }
        }
        Ok(spent)
    }
}

/// A method and what is looked for in it.
#[derive(Clone)]
pub(crate) struct MethodUnderTest {
    pub(crate) id: FunctionId,
    /// Its own, and those of what it calls in its class and those around it. What it calls elsewhere has tests of its own.
    goals: Rc<[Goal]>,
}

pub(crate) fn after(seconds: f64) -> Instant {
    Instant::now() + Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u32::MAX.into()))
}

/// How a script is run.
#[derive(Clone, Copy)]
pub(crate) struct ScriptManner {
    pub(crate) runs: u64,
    /// Static fields are as at first in every run.
    pub(crate) fresh: bool,
    /// What it does depends on nothing but its values.
    pub(crate) closed: bool,
}

/// Budgets are in executions: nobody asks for the time.
pub(crate) struct NoClock;

impl Clock for NoClock {
    fn seconds(&self) -> f64 {
        0.0
    }
}
