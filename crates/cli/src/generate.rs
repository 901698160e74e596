//! `branchwise gen`: build, search every function, confirm, write.

use crate::args::{
    Amount, Criterion, FitnessArg, GenArgs, IsolationArg, Order, ScopeArg, parse_budget, ways,
};
use crate::checked::{self, Checks};
use crate::config::Config;
use crate::failure::{EXIT_UNMET, Failure};
use crate::journal::Journal;
use crate::output::{self, Run};
use crate::phases::KnownTwins;
use crate::progress::Progress;
use crate::{java, obligations, sources, work};
use c_backend::{Backend, BackendError, Campaigned, Confirmed, Solvers, confirm};
use c_frontend::{Built, Clang, SourceUnit, Surroundings};
use campaign::{
    Budget, CampaignResult, Candidate, Event, GoalOrder, GoalRecord, Reach, Scope, Settings,
    conclude_decisions, conclude_obligations, reached_functions,
};
use input::{Input, Space, SpaceLimits};
use model::{BranchKind, Function, FunctionId, Goal, Program};
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;
use suite::{FunctionResult, GoalState, ObligationResult, Proof, Reason, TestCase};
use wire::abi::CONTROLLED;
use wire::{Isolation, Setup};

/// Work per function unless told otherwise: a fraction of a second for most, and repeatable.
const DEFAULT_BUDGET: &str = "200000x";

/// Set by Ctrl-C.
pub(crate) static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Everything that is the same for all functions of a run.
pub(crate) struct Generator<'a> {
    pub(crate) built: &'a Built,
    pub(crate) backend: Backend,
    pub(crate) settings: Settings,
    pub(crate) config: Config,
    pub(crate) journal: Journal,
    pub(crate) progress: Progress,
    pub(crate) engine: String,
    /// Goals that the optimiser proved impossible.
    pub(crate) impossible: HashSet<Goal>,
    /// Goals of conditions that are not decided at run time.
    pub(crate) never_evaluated: HashSet<Goal>,
    pub(crate) work: &'a Path,
    /// The symbolic twins, built when the first function needs them; or why there are none.
    pub(crate) twins: OnceLock<Result<KnownTwins, String>>,
    /// The second image, with checks for errors; not for whole programs, nor if the first has them.
    pub(crate) checks: Option<Checks<'a>>,
}

/// Runs the command.
pub(crate) fn generate(args: &GenArgs) -> Result<ExitCode, Failure> {
    if java::is_java(&args.sources.paths) {
        return java::generate(args);
    }
    if args.heap.is_some() {
        return Err(Failure::input("`--heap` is of Java"));
    }
    let config = Config::load(args.config.as_deref())?;
    let emitter = emit::all().iter().find(|e| e.name() == args.emit).ok_or_else(|| {
        let names: Vec<&str> = emit::all().iter().map(|e| e.name()).collect();
        Failure::input(format!("there is no format `{}`", args.emit))
            .hint(format!("formats: {}", names.join(", ")))
    })?;
    if args.obligations.is_some() && args.criterion != Criterion::Mcdc {
        return Err(Failure::input("obligations are of MC/DC").hint("add `--criterion mcdc`"));
    }
    let engine = engine_name(args.engine.as_deref(), &config)?;
    let default = parse_budget(DEFAULT_BUDGET).expect("a valid constant");
    let amount = args.budget.clone().or_else(|| config.budget.clone()).unwrap_or(default);
    let units = sources::resolve(&args.sources)?;
    let out = output::Folder::create(&args.out)?;
    let folder = work::temporary()?;
    let clang = Clang::default().with_checks(args.find_errors);
    let built = c_frontend::build_with_stubs(&units, surroundings(args, &config)?, &clang, folder.path())?;
    let mut functions = chosen_functions(&built, &units, &args.functions)?;
    let mut settings = settings(args, &config, &engine, &amount);
    if let Some(path) = &args.obligations {
        let kind = (settings.mcdc, args.bitwise_decisions);
        let (selection, having) = obligations::selection(path, &built, &units, &functions, kind)?;
        (settings.selection, functions) = (Some(selection), having);
    }
    config.expect_inputs(&built.program, &functions)?;
    let fingerprint = fingerprint(&built, &settings, &config, args.isolation);
    let isolation = match args.isolation {
        IsolationArg::Auto => Isolation::Auto,
        IsolationArg::Fork => Isolation::Fork,
    };
    let for_checks = surroundings(args, &config)?;
    let mut generator = Generator {
        backend: backend(&built, folder.path(), isolation, &config)?,
        journal: Journal::open(&args.out, fingerprint).map_err(|e| Failure::file(&args.out, &e))?,
        progress: Progress::new(args.quiet),
        settings,
        config,
        engine,
        built: &built,
        impossible: HashSet::new(),
        never_evaluated: never_evaluated(&built.program),
        work: folder.path(),
        twins: OnceLock::new(),
        checks: (!args.find_errors).then_some(Checks {
            units: &units,
            surroundings: for_checks,
            isolation,
            made: OnceLock::new(),
        }),
    };
    generator.backend.setup.find_errors = args.find_errors;
    // A program that cannot be loaded at all is told before hours of work depend on it; meanwhile the optimiser
    // says what need not be searched for.
    let impossible = std::thread::scope(|scope| {
        let proof = scope.spawn(|| c_frontend::infeasible(&built));
        generator.backend.enforced().map_err(Failure::from)?;
        proof
            .join()
            .map_err(|_| Failure::bug("the proof of impossible goals stopped"))?
            .map_err(Failure::from)
    })?;
    generator.impossible = impossible;
    listen_for_interrupt();
    let jobs =
        args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let mut results = generator.all(&functions, jobs);
    generator.add_reached(&functions, &work::own_functions(&built.program, &units), &mut results);
    generator.credit_callers(&mut results);
    suite::tell_once(&generator.built.program, &mut results);
    let run = Run {
        built: &built,
        units: &units,
        results: &results,
        settings: &generator.settings,
        budget: &amount.text,
        criterion: args.criterion,
        bitwise_decisions: args.bitwise_decisions,
        obligations: args.obligations.as_deref(),
        whole: None,
    };
    out.write(&run, *emitter)?;
    let interrupted = INTERRUPTED.load(Ordering::Relaxed);
    if !interrupted {
        generator.journal.finish();
    }
    if !args.quiet {
        output::print_table(&run, &args.out);
    }
    if interrupted {
        eprintln!("branchwise: interrupted; what was found is written, the same command goes on");
        return Ok(ExitCode::from(130));
    }
    let unknown = match &generator.settings.selection {
        Some(_) => results.iter().any(has_open_obligation),
        None => results.iter().any(|r| r.tally().2 > 0),
    };
    Ok(if args.strict && unknown { ExitCode::from(EXIT_UNMET) } else { ExitCode::SUCCESS })
}

/// Whether something was asked for that is neither reached nor proved impossible.
fn has_open_obligation(result: &FunctionResult) -> bool {
    let mut wanted = result.obligations.iter().flat_map(|obligation| &obligation.wanted);
    wanted.any(|vector| vector.tests.is_empty() && !vector.is_infeasible)
}

pub(crate) fn engine_name(wanted: Option<&str>, config: &Config) -> Result<String, Failure> {
    let name = wanted.map(str::to_owned).or_else(|| config.engine.clone());
    let engines = campaign::engines();
    let Some(name) = name else { return Ok(campaign::HYBRID.to_owned()) };
    if !engines.iter().any(|(known, ..)| *known == name) {
        let names: Vec<&str> = engines.iter().map(|(name, ..)| *name).collect();
        return Err(Failure::input(format!("there is no engine `{name}`"))
            .hint(format!("engines: {}", names.join(", "))));
    }
    Ok(name)
}

/// What stands around the functions.
fn surroundings(args: &GenArgs, config: &Config) -> Result<Surroundings, Failure> {
    if let Some(name) = args.real.iter().find(|name| !CONTROLLED.contains(&name.as_str())) {
        return Err(Failure::input(format!("`{name}` is real anyway"))
            .hint(format!("stubs stand in for {}", CONTROLLED.join(", "))));
    }
    let contracts = config.contracts.clone();
    let decisions = args.criterion == Criterion::Mcdc;
    let bitwise = args.bitwise_decisions;
    if bitwise && !decisions {
        return Err(Failure::input(
            "--bitwise-decisions says which decisions count, and decisions are no goals",
        )
        .hint("add --criterion mcdc"));
    }
    let data_flow = args.fitness == FitnessArg::DataDependence;
    let (real, fail_alloc) = (args.real.clone(), args.fail_alloc);
    Ok(Surroundings { real, fail_alloc, contracts, decisions, bitwise, data_flow })
}

fn settings(args: &GenArgs, config: &Config, engine: &str, amount: &Amount) -> Settings {
    Settings {
        engine: engine.to_owned(),
        seed: args.seed.or(config.seed).unwrap_or(1),
        budget: amount.budget,
        goal_budget: args.goal_budget,
        order: match args.order {
            Order::Deepest => GoalOrder::ReverseBreadthFirst,
            Order::Source => GoalOrder::Source,
        },
        limits: SpaceLimits { ways: ways(&args.shapes), ..config.space },
        rules: Vec::new(),
        skip: Vec::new(),
        impossible: Vec::new(),
        traced: false,
        closed: false,
        whole: false,
        reach: match args.scope {
            ScopeArg::Function => Reach::Function,
            ScopeArg::File => Reach::File,
            ScopeArg::Reachable => Reach::Reachable,
        },
        mcdc: args.mcdc.into(),
        selection: None,
        guidance: args.fitness.into(),
        trial: None,
        find_errors: args.find_errors,
        keeps_values: false,
    }
}

pub(crate) fn backend(
    built: &Built,
    work: &std::path::Path,
    isolation: Isolation,
    config: &Config,
) -> Result<Backend, Failure> {
    let program = work.join("program.bin");
    let bytes =
        wire::encode(&built.program).map_err(|e| Failure::bug(format!("cannot encode the program: {e}")))?;
    std::fs::write(&program, bytes).map_err(|e| Failure::file(&program, &e))?;
    let scratch = work.join("scratch");
    std::fs::create_dir_all(&scratch).map_err(|e| Failure::file(&scratch, &e))?;
    Ok(Backend {
        program: work::worker_program()?,
        setup: Setup {
            image: built.image.clone(),
            program,
            scratch,
            isolation,
            displaced: false,
            heap_bytes: config.heap_bytes,
            run_millis: config.run_millis,
            find_errors: false,
            twins: None,
        },
        solvers: Solvers::default(),
    })
}

/// What a worker's sandbox enforces on this machine, found out with a program of one empty function.
pub(crate) fn sandbox_of_empty_program() -> Result<Vec<String>, Failure> {
    let folder = work::temporary()?;
    let path = folder.path().join("empty.c");
    std::fs::write(&path, "void empty(void) {}\n").map_err(|e| Failure::file(&path, &e))?;
    let unit = SourceUnit { path, flags: Vec::new(), directory: folder.path().to_owned() };
    let built = c_frontend::build(&[unit], &Clang::default(), folder.path())?;
    let backend = backend(&built, folder.path(), Isolation::Auto, &Config::load(None)?)?;
    Ok(backend.enforced()?)
}

/// The functions to test: those named, or all of the user's own.
pub(crate) fn chosen_functions(
    built: &Built,
    units: &[SourceUnit],
    names: &[String],
) -> Result<Vec<FunctionId>, Failure> {
    let own = work::own_functions(&built.program, units);
    if names.is_empty() {
        if own.is_empty() {
            return Err(Failure::input("there is no function in what you named")
                .hint("headers and empty files have nothing to run; name a .c file with function bodies"));
        }
        return Ok(own);
    }
    let mut chosen = Vec::new();
    for name in names {
        let found: Vec<FunctionId> =
            own.iter().copied().filter(|&id| built.program.function(id).name == *name).collect();
        if found.is_empty() {
            return Err(no_such_function(built, &own, name));
        }
        chosen.extend(found);
    }
    Ok(chosen)
}

fn no_such_function(built: &Built, own: &[FunctionId], name: &str) -> Failure {
    let mut near: Vec<(usize, &str)> = own
        .iter()
        .map(|&id| built.program.function(id).name.as_str())
        .map(|other| (strsim::damerau_levenshtein(name, other), other))
        .collect();
    near.sort_unstable();
    near.dedup();
    let names: Vec<&str> = near.iter().take(3).map(|&(_, other)| other).collect();
    let failure = Failure::input(format!("there is no function `{name}`"));
    if names.is_empty() { failure } else { failure.hint(format!("did you mean {}?", names.join(", or "))) }
}

/// Tells journals of different programs or settings apart.
pub(crate) fn fingerprint(
    built: &Built,
    settings: &Settings,
    config: &Config,
    isolation: IsolationArg,
) -> u64 {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    std::fs::read(&built.image).unwrap_or_default().hash(&mut hasher);
    format!("{settings:?} {config:?} {isolation:?}").hash(&mut hasher);
    hasher.finish()
}

pub(crate) fn listen_for_interrupt() {
    extern "C" fn on_interrupt(_: libc::c_int) {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            // The second time the user means it.
            // SAFETY: `_exit` is async-signal-safe.
            unsafe { libc::_exit(130) };
        }
    }
    // SAFETY: the handler only touches an atomic and calls `_exit`.
    unsafe {
        let handler = on_interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
        libc::signal(libc::SIGINT, handler);
        libc::signal(libc::SIGTERM, handler);
    }
}

impl Generator<'_> {
    /// Works on all functions, `jobs` at a time. The order of results is that of the functions.
    fn all(&self, functions: &[FunctionId], jobs: usize) -> Vec<FunctionResult> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Option<FunctionResult>>> =
            Mutex::new(functions.iter().map(|_| None).collect());
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(functions.len()) {
                scope.spawn(|| {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&function) = functions.get(i) else { break };
                        let result = self.one(function);
                        results.lock().expect("no panic while locked")[i] = Some(result);
                    }
                });
            }
        });
        results.into_inner().expect("no panic while locked").into_iter().flatten().collect()
    }

    /// A test also covers what its function calls, and the judge counts that: so do we.
    fn credit_callers(&self, results: &mut [FunctionResult]) {
        let reached: HashSet<Goal> =
            results.iter().flat_map(|r| &r.tests).flat_map(|t| t.covers.clone()).collect();
        for (goal, state) in results.iter_mut().flat_map(|r| &mut r.goals) {
            if !matches!(state, GoalState::Covered { .. }) && reached.contains(goal) {
                *state = self.covered(0);
            }
        }
        if self.settings.selection.is_some() {
            self.credit_decisions(results);
        }
    }

    /// Where not everything is wanted, tests of one function may show more of another than its own tests do.
    fn credit_decisions(&self, results: &mut [FunctionResult]) {
        let tests: Vec<TestCase> = results.iter().flat_map(|r| r.tests.clone()).collect();
        for result in results {
            let function = self.built.program.function(result.function);
            let concerns = |test: &&TestCase| test.covers.iter().any(|g| function.branch(g.branch).is_some());
            let tests: Vec<&TestCase> = tests.iter().filter(concerns).collect();
            let known = function.decisions.iter().zip(&result.decisions).flat_map(|(decision, known)| {
                decision.vectors().into_iter().map(|(goal, _)| goal).zip(&known.vectors)
            });
            let vectors = known.filter(|(_, vector)| vector.is_infeasible).map(|(goal, _)| goal);
            let outcomes = result.goals.iter().filter(|(_, s)| matches!(s, GoalState::Infeasible(_)));
            let infeasible: Vec<Goal> = vectors.chain(outcomes.map(|(goal, _)| *goal)).collect();
            result.decisions = conclude_decisions(function, self.settings.mcdc, &tests, &infeasible);
            result.obligations = self.obligations(function, &tests, &infeasible);
        }
    }

    fn obligations(
        &self,
        function: &Function,
        tests: &[&TestCase],
        infeasible: &[Goal],
    ) -> Vec<ObligationResult> {
        let Settings { mcdc, selection, .. } = &self.settings;
        conclude_obligations(function, *mcdc, selection.as_ref(), tests, infeasible)
    }

    /// Functions whose goals count because others reach them, though they have no tests of their own.
    fn add_reached(&self, chosen: &[FunctionId], own: &[FunctionId], results: &mut Vec<FunctionResult>) {
        let reached = |&id: &FunctionId| reached_functions(&self.built.program, id, self.settings.reach);
        let reached: BTreeSet<FunctionId> = chosen.iter().flat_map(reached).collect();
        let added = own.iter().filter(|id| reached.contains(id) && !chosen.contains(id));
        let nothing = Reason::Budget { level: None };
        results.extend(
            added.map(|&id| self.untested(id, self.built.program.function(id), None, nothing.clone())),
        );
    }

    /// The goals that a campaign on this function is for.
    fn campaign_goals(&self, id: FunctionId) -> Vec<Goal> {
        let program = &self.built.program;
        match self.settings.whole {
            true => program.functions.iter().flat_map(|f| f.goals()).collect(),
            false => {
                let reached = reached_functions(program, id, self.settings.reach);
                reached.into_iter().flat_map(|id| program.function(id).goals()).collect()
            }
        }
    }

    /// The goals that are told of with this function.
    pub(crate) fn goals(&self, function: &Function) -> Vec<Goal> {
        match self.settings.whole {
            true => self.built.program.functions.iter().flat_map(|f| f.goals()).collect(),
            false => function.goals().collect(),
        }
    }

    pub(crate) fn one(&self, id: FunctionId) -> FunctionResult {
        let function = self.built.program.function(id);
        if let Some(done) = self.journal.done(&function.symbol) {
            return done.clone();
        }
        let mut progress = self.progress.begin(&function.name, self.goals(function).len());
        let begun = Instant::now();
        let worked = self.work_on(id, function, &mut |more| progress.covered(more));
        // Trouble with one function must not cost what was found for the others.
        let mut result = worked.unwrap_or_else(|failure| {
            self.untested(id, function, None, Reason::WorkerFailed(failure.to_string()))
        });
        result.seconds = begun.elapsed().as_secs_f64();
        progress.set_covered(result.tally().0);
        self.progress.end(&function.name, &progress, result.tests.len());
        if !INTERRUPTED.load(Ordering::Relaxed) {
            self.journal.note_done(&function.symbol, &result);
        }
        result
    }

    fn work_on(
        &self,
        id: FunctionId,
        function: &Function,
        on_covered: &mut dyn FnMut(usize),
    ) -> Result<FunctionResult, Failure> {
        let mut settings = self.settings.clone();
        settings.rules.extend(self.config.rules(&function.name));
        let goals = self.campaign_goals(id);
        let own: HashSet<Goal> = self.goals(function).into_iter().collect();
        settings.impossible = goals.iter().copied().filter(|goal| self.impossible.contains(goal)).collect();
        if let Some(reason) = &function.uncallable {
            return Ok(self.untested(id, function, None, Reason::WorkerFailed(reason.clone())));
        }
        // With a budget in executions the same search finds the same again; with one in seconds it might not.
        let seeds = match settings.budget {
            Budget::Executions(_) => Vec::new(),
            Budget::Seconds(_) => self.journal.found(&function.symbol),
        };
        let mut found: Vec<(Input, Vec<Goal>, u64)> = Vec::new();
        let mut on_event = |event: &Event| {
            if let Event::Discovery { goals, input, execution } = event {
                self.journal.note_found(&function.symbol, input);
                on_covered(goals.iter().filter(|goal| own.contains(goal)).count());
                found.push((input.clone(), goals.clone(), *execution));
            }
        };
        let campaigned = self.campaign(id, &mut settings, &seeds, &mut on_event)?;
        match campaigned {
            Campaigned::Finished { space, mut result } => {
                let doubtful = self.avoid_undefined(id, function, &settings, &mut result)?;
                let mut concluded = self.conclude(id, function, *space, &settings, &result)?;
                checked::tell(&mut concluded, doubtful);
                Ok(concluded)
            }
            Campaigned::Unsupported(error) => {
                Ok(self.untested(id, function, None, Reason::Unsupported(error)))
            }
            Campaigned::Stopped(why) => {
                let space = Space::new(&self.built.program, function, settings.limits, &settings.rules);
                let space = space.map_err(|e| Failure::bug(format!("{}: {}", e.place, e.type_name)))?;
                let result = partial(&goals, &found);
                let mut concluded = self.conclude(id, function, space, &settings, &result)?;
                if !matches!(why, BackendError::Interrupted) {
                    relabel_unknown(&mut concluded, &Reason::WorkerFailed(why.to_string()));
                }
                Ok(concluded)
            }
        }
    }

    /// Confirms what was found and says what became of each goal.
    fn conclude(
        &self,
        id: FunctionId,
        function: &Function,
        space: Space,
        settings: &Settings,
        result: &CampaignResult,
    ) -> Result<FunctionResult, Failure> {
        let scope = match settings.whole {
            true => Scope::program(&self.built.program, function),
            false => Scope::reaching(&self.built.program, id, settings.reach),
        };
        let reached = result.tests.iter().flat_map(|test| test.covers.iter().copied());
        let wanted = scope.needed(settings.mcdc, settings.selection.as_ref(), reached);
        let own: HashSet<Goal> = self.goals(function).into_iter().collect();
        let confirmed =
            confirm(&self.backend, id, function, &wanted, &space, settings, result, &self.built.image)?;
        let goals: Vec<(Goal, GoalState)> = result
            .goals
            .iter()
            .filter(|record| own.contains(&record.goal))
            .map(|record| match result.rejected {
                true => (record.goal, self.unrun(record.goal, &Reason::Precondition)),
                false => (record.goal, self.state(record, &confirmed, &result.infeasible)),
            })
            .collect();
        let truncated: u64 = space.roots.iter().map(|r| space.table(r.table).truncated).sum();
        let mut approximations = Vec::new();
        if let Some(Err(why)) = self.twins.get() {
            approximations.push((format!("no symbolic execution: {why}"), 1));
        }
        approximations.extend(result.approximations.iter().cloned());
        if truncated > 0 {
            approximations.push(("values of large objects left as they are".to_owned(), truncated));
        }
        let tests: Vec<&TestCase> = confirmed.tests.iter().collect();
        let outcomes = goals.iter().filter(|(_, state)| matches!(state, GoalState::Infeasible(_)));
        let infeasible: Vec<Goal> =
            result.infeasible.iter().copied().chain(outcomes.map(|(goal, _)| *goal)).collect();
        Ok(FunctionResult {
            function: id,
            decisions: conclude_decisions(function, settings.mcdc, &tests, &result.infeasible),
            obligations: self.obligations(function, &tests, &infeasible),
            goals,
            tests: confirmed.tests,
            findings: confirmed.findings,
            assumed: confirmed.assumed,
            executions: result.executions,
            seconds: 0.0,
            seed: settings.seed,
            curve: result.curve.clone(),
            unstable: confirmed.unstable,
            approximations,
            exploration: result.exploration.clone(),
            sets: result.sets.clone(),
            space: Some(space),
        })
    }

    fn covered(&self, execution: u64) -> GoalState {
        GoalState::Covered { engine: self.engine.clone(), execution }
    }

    fn state(&self, record: &GoalRecord, confirmed: &Confirmed, no_path_reaches: &[Goal]) -> GoalState {
        let goal = record.goal;
        if confirmed.tests.iter().any(|t| t.covers.contains(&goal)) {
            return self.covered(record.execution.unwrap_or(0));
        }
        if self.never_evaluated.contains(&goal) {
            return GoalState::Infeasible(Proof::NeverEvaluated);
        }
        if let Some(finding) = confirmed.findings.iter().position(|f| f.reaches.contains(&goal)) {
            return GoalState::Unknown(Reason::OnlyByFinding(finding));
        }
        if confirmed.environment.contains(&goal) {
            return GoalState::Unknown(Reason::Environment);
        }
        if confirmed.lost.contains(&goal) {
            return GoalState::Unknown(Reason::Unstable);
        }
        if no_path_reaches.contains(&goal) {
            return GoalState::Infeasible(Proof::AllPaths);
        }
        // Last: the proof assumes defined behaviour, and what was seen to happen happens.
        if self.impossible.contains(&goal) {
            return GoalState::Infeasible(Proof::Optimiser);
        }
        let is_asked = self.settings.selection.as_ref().is_none_or(|asked| asked.outcomes().contains(&goal));
        match is_asked {
            true => GoalState::Unknown(Reason::Budget { level: record.level }),
            false => GoalState::Unknown(Reason::NotAsked),
        }
    }

    /// A goal of a function that was not run: a proof holds all the same.
    fn unrun(&self, goal: Goal, reason: &Reason) -> GoalState {
        if self.impossible.contains(&goal) {
            GoalState::Infeasible(Proof::Optimiser)
        } else {
            GoalState::Unknown(reason.clone())
        }
    }

    /// The result of a function that could not be run at all.
    fn untested(
        &self,
        id: FunctionId,
        function: &Function,
        space: Option<Space>,
        reason: Reason,
    ) -> FunctionResult {
        FunctionResult {
            function: id,
            space,
            goals: self.goals(function).into_iter().map(|goal| (goal, self.unrun(goal, &reason))).collect(),
            tests: Vec::new(),
            findings: Vec::new(),
            assumed: Vec::new(),
            decisions: conclude_decisions(function, self.settings.mcdc, &[], &[]),
            obligations: self.obligations(function, &[], &[]),
            executions: 0,
            seconds: 0.0,
            seed: self.settings.seed,
            curve: Vec::new(),
            unstable: Vec::new(),
            approximations: Vec::new(),
            exploration: None,
            sets: Vec::new(),
        }
    }
}

/// Goals of conditions that are not decided at run time.
pub(crate) fn never_evaluated(program: &Program) -> HashSet<Goal> {
    let branches = program.functions.iter().flat_map(|f| &f.branches);
    let unevaluated = branches.filter(|b| b.counted && b.kind == BranchKind::Unevaluated);
    unevaluated.flat_map(|b| [true, false].map(|outcome| Goal { branch: b.id, outcome })).collect()
}

/// What a campaign had told before it was stopped.
fn partial(goals: &[Goal], found: &[(Input, Vec<Goal>, u64)]) -> CampaignResult {
    let first = |goal: Goal| found.iter().find(|(_, goals, _)| goals.contains(&goal)).map(|&(_, _, n)| n);
    let record = |goal: Goal| {
        let execution = first(goal);
        GoalRecord { goal, execution, level: None, wanted: execution.is_none() }
    };
    CampaignResult {
        tests: found
            .iter()
            .map(|(input, goals, _)| Candidate {
                input: input.clone(),
                outcome: target::Outcome::Returned,
                covers: goals.clone(),
            })
            .collect(),
        goals: goals.iter().map(|&goal| record(goal)).collect(),
        executions: found.last().map_or(0, |&(_, _, n)| n),
        ..CampaignResult::default()
    }
}

fn relabel_unknown(result: &mut FunctionResult, reason: &Reason) {
    for (_, state) in &mut result.goals {
        if let GoalState::Unknown(_) = state {
            *state = GoalState::Unknown(reason.clone());
        }
    }
}
