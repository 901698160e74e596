//! The search for tests of classes: for every method the candidate sequences, the shortest first, and for each of them a campaign for
//! the values of its slots.
//!
//! Goals belong to the program, not to a sequence: what one script covers no other looks for. Scripts come in rounds. In each
//! a script has more runs than in the one before, and more scripts get their turn, so that neither a long sequence nor a value that is hard to find
//! is waited for in vain.

use crate::account::{MethodAccount, missing};
use crate::pool::{Pool, Recipe};
use crate::program::JavaProgram;
use crate::random;
use crate::reached::Reached;
use crate::references::fillings;
use crate::rules::Rules;
use crate::slots::Slots;
use crate::smt::SharedSmt;
use crate::target::{JavaTarget, Learnt};
use crate::times::Times;
use campaign::{
    Budget, Clock, GoalOrder, Guidance, HYBRID, Reach, Scope, Variant, reached_functions, run_function,
};
use explore::Cfcg;
use input::{Input, Rng, SpaceLimits};
use java_frontend::{Options, SequenceError, Sequences};
use java_replay::Arrays;
use java_wire::message::{End, Manner};
use java_wire::{Argument, Script, Value};
use java_worker::{Answer, Host, ScriptId, StartError};
use model::{Function, FunctionId, Goal};
use sequence::{Candidates, Filters, InvokableId};
use serde::{Deserialize, Serialize};
use solver::Smt;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use target::{Outcome, Target};

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
    /// Steps of a random one.
    pub longest_random: usize,
    /// Name of the engine that finds values.
    pub engine: String,
    /// What becomes of indices that depend on the input.
    pub arrays: Arrays,
    /// What tests may be made of.
    pub options: Options,
    /// What every test keeps to.
    pub rules: Rules,
    /// Data must be able to flow between all statements of a candidate.
    pub connected: bool,
    /// Bounds of texts and arrays.
    pub limits: SpaceLimits,
    /// What shows a condition of a decision.
    pub mcdc: Variant,
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
            longest_random: 16,
            engine: HYBRID.to_owned(),
            arrays: Arrays::Reasoning { longest: 64 },
            options: Options::default(),
            rules: Rules::default(),
            connected: true,
            limits: SpaceLimits { objects: 24, elements: 64, ..SpaceLimits::default() },
            mcdc: Variant::default(),
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
    /// What took how long.
    pub times: Times,
}

/// Searches in one machine.
pub struct Searcher<'p> {
    program: &'p JavaProgram,
    settings: SearchSettings,
    host: Host,
    smt: SharedSmt,
    /// Under which scripts are learnt.
    number: Option<ScriptId>,
    /// By outcome: whether it is a goal.
    is_goal: Vec<bool>,
    /// Goals of the program that some test reaches.
    reached: Reached<'p>,
    /// Goals that no test can reach.
    impossible: BTreeSet<Goal>,
    /// Methods that some test is for.
    tested: BTreeSet<FunctionId>,
    found: Vec<Found>,
    /// Objects for tests, and which of them are new.
    pool: Pool,
    recipes: Vec<Recipe>,
    /// When the search for a method began.
    begun: Instant,
    accounts: BTreeMap<FunctionId, MethodAccount>,
    times: Times,
}

/// Scripts of the first round, runs of each, and how both grow.
const FIRST_SCRIPTS: usize = 24;
const FIRST_RUNS: u64 = 200;
const GROWTH: u64 = 3;
/// Ways to choose objects that are tried for one candidate.
const FILLINGS: usize = 4;
/// Random sequences without anything new before other ways are tried, and values tried with each.
const BARREN: u32 = 300;
const VALUES: u32 = 2;
/// Calls on objects from the pool that are tried in each round.
const COMPOSED: usize = 8;
/// Ticks of a run that makes an object.
const TICKS: u64 = 1 << 20;

impl<'p> Searcher<'p> {
    /// With nothing found.
    #[must_use]
    pub fn new(program: &'p JavaProgram, settings: SearchSettings, host: Host) -> Searcher<'p> {
        let accounts = BTreeMap::new();
        let (tested, found) = (BTreeSet::new(), Vec::new());
        let mut is_goal = vec![false; program.model.program.branch_count as usize * 2];
        let functions = &program.model.program.functions;
        let goals = functions.iter().flat_map(|f| f.goals().chain(f.vectors()));
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
            found,
            pool: Pool::default(),
            recipes: Vec::new(),
            begun: Instant::now(),
            accounts,
            times: Times::default(),
        }
    }

    /// The same after others have found tests of the same class, and know how to make objects.
    #[must_use]
    pub fn knowing(mut self, found: Vec<Found>, pool: Pool) -> Searcher<'p> {
        for test in &found {
            self.reached.add(&test.covers);
            self.tested.insert(test.method);
        }
        (self.found, self.pool) = (found, pool);
        self
    }

    /// What came of it.
    #[must_use]
    pub fn finish(self) -> Searched {
        Searched { found: self.found, accounts: self.accounts, recipes: self.recipes, times: self.times }
    }

    /// Searches for tests of a method.
    ///
    /// # Errors
    /// When no machine can be started.
    pub fn method(&mut self, id: FunctionId) -> Result<(), StartError> {
        let program = self.program;
        let function = program.model.program.function(id);
        let mut account = MethodAccount::default();
        self.begun = Instant::now();
        let options = &self.settings.options;
        let sequences =
            self.times.generating(|| Sequences::new(program.knowledge(), &function.symbol, options));
        match sequences {
            Ok(sequences) => {
                account.is_cut = sequences.is_cut;
                let known = self.found.len();
                self.at_random(id, &sequences, &mut account)?;
                self.rounds(id, &sequences, &mut account)?;
                self.remember(known, &sequences)?;
                account.missing = missing(&sequences).filter(|_| account.scripts == 0);
            }
            Err(SequenceError::NotCallable(_, why)) => account.unusable = Some(why.to_string()),
            Err(why) => account.unusable = Some(why.to_string()),
        }
        self.accounts.insert(id, account);
        Ok(())
    }

    /// Random sequences, as long as they bring something.
    fn at_random(
        &mut self,
        id: FunctionId,
        sequences: &Sequences,
        account: &mut MethodAccount,
    ) -> Result<(), StartError> {
        let mut rng = Rng::with_seed(self.settings.seed ^ u64::from(id.0) << 32);
        let limit = self.settings.runs / 2;
        let mut barren = 0;
        while barren < BARREN && account.runs < limit && self.is_open(id) && !self.is_late() {
            let length = rng.usize(0..self.settings.longest_random);
            barren += 1;
            account.runs += 1;
            let nulls = self.settings.rules.nulls;
            let drawn = self.times.generating(|| random::sequence(sequences, length, nulls, &mut rng));
            let Some((sequence, references)) = drawn else { continue };
            let Ok(script) = sequences.script(&sequence, &references) else { continue };
            let Some(mut script) = self.kept_to_rules(script) else { continue };
            account.scripts += 1;
            let fresh = self.is_shared(sequences, &sequence);
            if self.run_at_random(id, &script, fresh, &mut rng, account)? {
                sequences.observe(&mut script, &self.program.hierarchy);
                if let Some(found) = self.found.last_mut() {
                    found.script = script;
                }
                barren = 0;
            }
        }
        Ok(())
    }

    /// Puts what the tests from a number on have made into the pool.
    fn remember(&mut self, from: usize, sequences: &Sequences) -> Result<(), StartError> {
        for number in from..self.found.len() {
            let Found { script, values, .. } = self.found[number].clone();
            let plain = Script { observers: Vec::new(), ..script };
            let (id, end) = self.learn(&plain)?;
            let manner = Manner { ticks: TICKS, full: false, fresh: true, observe: false };
            if end != End::Returned {
                continue;
            }
            let target = sequences
                .statement(sequences.target)
                .filter(|_| !sequences.universe.is_allowed(sequences.target));
            if plain.steps.last().map(|step| &step.action) == target.map(|target| &target.action) {
                // Nobody may use it but to test it.
                continue;
            }
            if let Answer::Ran(ran) = self.host.run(id, &values, manner)?
                && ran.reply.end == End::Returned
                && let Some((plain, values, results)) =
                    self.settings.rules.opening.behind(&plain, &values, &ran.reply.results)
            {
                let is_shared = plain.steps.iter().any(|step| {
                    let mut known = sequences.statements();
                    known.find(|(_, s)| s.action == step.action).is_none_or(|(_, s)| s.is_shared)
                });
                let added = self.pool.add((&plain, &values), &results, is_shared);
                self.recipes.extend(added);
            }
        }
        Ok(())
    }

    /// Calls of the method on objects that others have made.
    fn on_known_objects(
        &mut self,
        method: &MethodUnderTest,
        sequences: &Sequences,
        runs: u64,
        account: &mut MethodAccount,
    ) -> Result<(), StartError> {
        let mut rng = Rng::with_seed(self.settings.seed ^ u64::from(method.id.0) << 32 ^ runs);
        let Some(statement) = sequences.statement(sequences.target) else { return Ok(()) };
        for _ in 0..COMPOSED {
            let left = self.settings.runs.saturating_sub(account.runs);
            if left == 0 || !self.is_open(method.id) || self.is_late() {
                break;
            }
            let (pool, hierarchy) = (&self.pool, &self.program.hierarchy);
            let composed = self.times.generating(|| pool.compose(statement, hierarchy, &mut rng));
            let Some(composed) = composed else { break };
            let Some(mut script) = self.kept_to_rules(composed.script) else { continue };
            sequences.observe(&mut script, &self.program.hierarchy);
            let opening = &self.settings.rules.opening;
            let fresh = composed.is_shared || !opening.is_empty();
            let values: Vec<Value> = opening.values().iter().cloned().chain(composed.values).collect();
            let manner = ScriptManner { runs: runs.min(left), fresh, closed: false };
            account.scripts += 1;
            account.runs += self.script(method, &script, &values, manner, account)?;
        }
        Ok(())
    }

    /// Makes a script known in place of the one before.
    fn learn(&mut self, script: &Script) -> Result<(ScriptId, End), StartError> {
        let (number, host) = (self.number, &mut self.host);
        let (number, end) = self.times.executing(|| match number {
            Some(number) => Ok((number, host.learn_over(number, script)?)),
            None => host.learn(script),
        })?;
        self.number = Some(number);
        Ok((number, end))
    }

    /// Runs a script with a few random values. Whether one of them brought something new.
    fn run_at_random(
        &mut self,
        id: FunctionId,
        script: &Script,
        fresh: bool,
        rng: &mut Rng,
        account: &mut MethodAccount,
    ) -> Result<bool, StartError> {
        let (number, end) = self.learn(script)?;
        if end != End::Returned {
            account.ends.add(script, &end, false);
            return Ok(false);
        }
        let slots = Slots::keeping(&self.settings.rules, &script.slots, self.settings.limits);
        let learnt = Learnt { number, script };
        let mut target = JavaTarget::new(&self.program.model, &mut self.host, learnt, &slots, fresh);
        for _ in 0..VALUES {
            let input = random::values(slots.space(), rng);
            let known = target.times().execution;
            let outcome = target.run(&input);
            self.times.execution += target.times().execution - known;
            account.ends.extend(target.take_ends());
            account.runs += target.cost();
            if outcome != Outcome::Returned {
                continue;
            }
            let covers: Vec<Goal> = target.reached();
            let is_new =
                covers.iter().any(|&goal| self.is_goal[goal.index()] && self.reached.is_wanted(goal));
            if is_new || !self.tested.contains(&id) {
                self.tested.insert(id);
                let covers: Vec<Goal> =
                    covers.into_iter().filter(|goal| self.is_goal[goal.index()]).collect();
                self.reached.add(&covers);
                let values = slots.values(&input);
                self.found.push(Found { method: id, script: script.clone(), values, covers });
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A script behind the opening of all tests; `None` if it is not what the user allows.
    fn kept_to_rules(&self, script: Script) -> Option<Script> {
        let script = self.settings.rules.opening.before(script);
        self.settings.rules.permit(&self.settings.options, &script, &[]).then_some(script)
    }

    /// Whether some step of a sequence, or what comes before it, reads or writes what other runs can see.
    fn is_shared(&self, sequences: &Sequences, sequence: &[InvokableId]) -> bool {
        let mut steps = sequence.iter().map(|&id| sequences.statement(id));
        !self.settings.rules.opening.is_empty()
            || steps.any(|statement| statement.is_none_or(|statement| statement.is_shared))
    }

    fn rounds(
        &mut self,
        id: FunctionId,
        sequences: &Sequences,
        account: &mut MethodAccount,
    ) -> Result<(), StartError> {
        let (mut scripts, mut runs) = (FIRST_SCRIPTS, FIRST_RUNS);
        let program = &self.program.model.program;
        let reached = reached_functions(program, id, Reach::Reachable);
        let method = MethodUnderTest { id, graph: Rc::new(Cfcg::among(program, &reached)) };
        let nulls = self.settings.rules.nulls;
        while self.is_open(id) && account.runs < self.settings.runs && !self.is_late() {
            let mut candidates = Candidates::new(
                &sequences.universe,
                sequences.target,
                Filters { connected: self.settings.connected, nulls, ..Filters::default() },
                self.settings.longest,
            );
            let known = account.scripts;
            self.on_known_objects(&method, sequences, runs, account)?;
            let composed = account.scripts > known;
            let (mut tried, known) = (0, account.scripts);
            let exhausted = loop {
                let sequence = self.times.generating(|| candidates.step().map(<[InvokableId]>::to_vec));
                let Some(sequence) = sequence else { break true };
                let universe = &sequences.universe;
                let ways = self.times.generating(|| fillings(universe, &sequence, FILLINGS, nulls));
                for references in ways {
                    let Ok(script) = sequences.script(&sequence, &references) else { continue };
                    let Some(mut script) = self.kept_to_rules(script) else { continue };
                    sequences.observe(&mut script, &self.program.hierarchy);
                    tried += 1;
                    let left = self.settings.runs.saturating_sub(account.runs);
                    account.scripts += 1;
                    // Nothing but its numbers matters to a static method that looks at no state.
                    let fresh = self.is_shared(sequences, &sequence);
                    let is_value = |argument: &Argument| matches!(argument, Argument::Slot(_));
                    let closed =
                        !fresh && sequence.len() == 1 && script.steps[0].arguments.iter().all(is_value);
                    // There is no other sequence that the budget could go into.
                    let runs = if closed { left } else { runs.min(left) };
                    let manner = ScriptManner { runs, fresh, closed };
                    account.runs += self.script(&method, &script, &[], manner, account)?;
                    if !self.is_open(id) || account.runs >= self.settings.runs || self.is_late() {
                        return Ok(());
                    }
                }
                if tried >= scripts {
                    break false;
                }
            };
            account.exhausted |= exhausted;
            if exhausted && account.scripts == known && !composed {
                // Nothing makes what it needs, and no round after this one will.
                break;
            }
            scripts = scripts.saturating_mul(GROWTH as usize);
            runs = runs.saturating_mul(GROWTH);
        }
        Ok(())
    }

    /// Whether the seconds for a method are over; nobody asks for the time if there are none.
    fn is_late(&self) -> bool {
        let stopped = self.settings.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        stopped || self.settings.seconds.is_some_and(|seconds| self.begun.elapsed().as_secs_f64() >= seconds)
    }

    /// Whether something is left to reach for a method: goals of its own or of what it calls, or itself.
    fn is_open(&self, id: FunctionId) -> bool {
        !self.tested.contains(&id) || self.open_goals(id).next().is_some()
    }

    fn open_goals(&self, id: FunctionId) -> impl Iterator<Item = Goal> + '_ {
        let program = &self.program.model.program;
        let reached = reached_functions(program, id, Reach::Reachable);
        let goals = |function: &Function| function.goals().chain(function.vectors()).collect::<Vec<_>>();
        let goals = reached.into_iter().flat_map(move |id| goals(program.function(id)));
        goals.filter(|&goal| self.reached.is_wanted(goal) && !self.impossible.contains(&goal))
    }

    /// Looks for values of a script with which it reaches something new. Returns how many runs that took.
    fn script(
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
        let open: BTreeSet<Goal> = self.open_goals(id).collect();
        let program = &self.program.model.program;
        let scope = Scope::reaching(program, id, Reach::Reachable).wanting(|goal| open.contains(&goal));
        let scope = scope.beside(self.reached.known()).with_lengths().along(Rc::clone(&method.graph));
        let settings = campaign::Settings {
            engine: self.settings.engine.clone(),
            seed: self.settings.seed,
            budget: Budget::Executions(manner.runs),
            goal_budget: None,
            order: GoalOrder::default(),
            limits: self.settings.limits,
            rules: Vec::new(),
            skip: Vec::new(),
            impossible: Vec::new(),
            traced: true,
            closed: manner.closed && slots.are_numbers(),
            whole: false,
            reach: Reach::Reachable,
            mcdc: self.settings.mcdc,
            guidance: Guidance::default(),
            trial: None,
            selection: None,
            find_errors: false,
        };
        let learnt = Learnt { number, script: &plain };
        let replaying = java_replay::Settings { arrays: self.settings.arrays, ..Default::default() };
        let mut target = JavaTarget::new(&self.program.model, &mut self.host, learnt, &slots, manner.fresh)
            .replaying(&self.program.code, replaying);
        let smt = self.smt.clone();
        let connect = || -> Box<dyn Smt> { Box::new(smt.clone()) };
        let space = slots.space();
        let start = slots.input(start).filter(|_| !start.is_empty());
        let seeds: Vec<Input> = start.into_iter().chain(slots.first()).collect();
        let begun = Instant::now();
        let result =
            run_function(&mut target, &scope, space, &settings, &seeds, &NoClock, &connect, &mut |_| {});
        let layers = result.exploration.iter().flat_map(|exploration| &exploration.layers);
        let solving = Duration::from_secs_f64(layers.map(|layer| layer.seconds).sum());
        account.ends.extend(target.take_ends());
        self.times.campaign(begun.elapsed(), Times { solving, ..target.times() });
        // What is impossible in what it calls may be possible for others who call that.
        let function = program.function(id);
        let own: BTreeSet<Goal> = function.goals().chain(function.vectors()).collect();
        let impossible = result.infeasible.iter().filter(|goal| own.contains(goal));
        account.infeasible.extend(impossible.clone());
        for &goal in impossible {
            self.impossible.insert(goal);
            self.reached.rule_out(goal);
        }
        for test in result.tests.into_iter().filter(|test| test.outcome.is_testable()) {
            let is_new = test.covers.iter().any(|&goal| self.reached.is_wanted(goal));
            if is_new || self.tested.insert(id) {
                self.tested.insert(id);
                self.reached.add(&test.covers);
                let values = slots.values(&test.input);
                self.found.push(Found { method: id, script: script.clone(), values, covers: test.covers });
            }
        }
        Ok(target.spent().max(1))
    }
}

/// A method and where control goes from it.
struct MethodUnderTest {
    id: FunctionId,
    graph: Rc<Cfcg>,
}

/// How a script is run.
#[derive(Clone, Copy)]
struct ScriptManner {
    runs: u64,
    /// Static fields are as at first in every run.
    fresh: bool,
    /// What it does depends on nothing but its values.
    closed: bool,
}

/// Budgets are in executions: nobody asks for the time.
struct NoClock;

impl Clock for NoClock {
    fn seconds(&self) -> f64 {
        0.0
    }
}
