//! The search for tests of many classes: constructors first, so that others have objects, then all other methods. Classes are
//! searched several at a time; what one has found the others know in the next pass, so that nothing hangs on who was first.

use crate::args::GenArgs;
use crate::failure::Failure;
use crate::generate::INTERRUPTED;
use crate::journal::Journal;
use crate::progress::Progress;
use java_backend::{
    Found, JavaProgram, MethodAccount, Origin, Pool, Round, SearchSettings, Searched, Searcher, Suspects,
    Times,
};
use java_worker::{Home, Host, StartError};
use model::{FunctionId, Goal};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Passes over constructors: of a class that needs objects of another that needs objects of a third.
const CONSTRUCTOR_PASSES: usize = 3;

/// Searches for tests of methods.
pub(crate) fn search(
    program: &JavaProgram,
    home: &Arc<Home>,
    chosen: &[FunctionId],
    settings: &SearchSettings,
    journal: &Journal,
    (args, progress): (&GenArgs, &Progress),
) -> Result<Searched, Failure> {
    let jobs = jobs(args);
    let mut search = Search {
        program,
        home,
        settings: settings.clone(),
        journal,
        progress,
        passes: 0,
        jobs,
        hosts: Mutex::default(),
        pool: Pool::default(),
        found: BTreeMap::new(),
        accounts: BTreeMap::new(),
        suspects: Suspects::of(&program.classes.own),
        unseen: BTreeSet::new(),
        of_the_world: BTreeSet::new(),
        first: BTreeMap::new(),
        executed: BTreeMap::new(),
        failures: Vec::new(),
        times: Times::default(),
    };
    let symbol = |id: FunctionId| program.model.program.function(id).symbol.as_str();
    let (excluded, chosen): (Vec<FunctionId>, Vec<FunctionId>) =
        chosen.iter().partition(|&&id| settings.options.excludes(symbol(id)));
    let why =
        MethodAccount { unusable: Some("the settings exclude it".to_owned()), ..MethodAccount::default() };
    search.accounts.extend(excluded.into_iter().map(|id| (id, why.clone())));
    let (constructors, others): (Vec<FunctionId>, Vec<FunctionId>) =
        chosen.into_iter().partition(|&id| symbol(id).contains(".<init>("));
    let mut todo = constructors;
    for _ in 0..CONSTRUCTOR_PASSES {
        let known = search.pool.clone();
        search.pass(&todo, Round::Only);
        todo.retain(|&id| {
            program.class_of(id).is_none_or(|c| !search.pool.has(&program.classes.own[c].name))
        });
        if search.pool == known {
            break;
        }
    }
    search.pass(&others, Round::First);
    search.pass(&others, Round::Last);
    search.finish(args.quiet)
}

/// How much is done at a time.
pub(crate) fn jobs(args: &GenArgs) -> usize {
    args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

struct Search<'a> {
    program: &'a JavaProgram,
    home: &'a Arc<Home>,
    settings: SearchSettings,
    /// What an earlier run has done need not be done again.
    journal: &'a Journal,
    progress: &'a Progress,
    passes: usize,
    jobs: usize,
    /// Machines of earlier passes. One takes longer to start than a small class to be searched.
    hosts: Mutex<Vec<Host>>,
    pool: Pool,
    /// By class.
    found: BTreeMap<Option<usize>, Vec<Found>>,
    accounts: BTreeMap<FunctionId, MethodAccount>,
    suspects: Suspects,
    unseen: BTreeSet<Goal>,
    of_the_world: BTreeSet<Goal>,
    first: BTreeMap<Goal, Origin>,
    /// By class: what its search was charged so far.
    executed: BTreeMap<Option<usize>, u64>,
    failures: Vec<StartError>,
    times: Times,
}

impl Search<'_> {
    /// Searches for tests of these methods, class by class.
    fn pass(&mut self, methods: &[FunctionId], round: Round) {
        self.passes += 1;
        let mut classes: BTreeMap<Option<usize>, Vec<FunctionId>> = BTreeMap::new();
        for &id in methods {
            classes.entry(self.program.unit_of(id)).or_default().push(id);
        }
        let classes: Vec<(Option<usize>, Vec<FunctionId>)> = classes.into_iter().collect();
        let what = match round {
            Round::Only => "constructors of classes",
            Round::First => "methods of classes, first round",
            Round::Last => "methods of classes, second round",
        };
        let progress = self.progress.phase(what, Some(classes.len()));
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<Option<Result<Searched, StartError>>>> =
            Mutex::new(classes.iter().map(|_| None).collect());
        let this = &*self;
        std::thread::scope(|scope| {
            for _ in 0..this.jobs.clamp(1, classes.len().max(1)) {
                scope.spawn(|| {
                    let mut host = this.hosts.lock().expect("no panic while locked").pop();
                    while !INTERRUPTED.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some((class, methods)) = classes.get(number) else { break };
                        let result = this.class(*class, methods, round, &mut host);
                        done.lock().expect("no panic while locked")[number] = Some(result);
                        progress.step();
                    }
                    this.hosts.lock().expect("no panic while locked").extend(host);
                });
            }
        });
        let done = done.into_inner().expect("no panic while locked");
        let units = self.units();
        for ((class, methods), result) in classes.into_iter().zip(done) {
            match result {
                Some(Ok(searched)) => {
                    self.times.add(&searched.times);
                    self.found.insert(class, searched.found);
                    self.executed.insert(class, searched.executed);
                    for (goal, origin) in searched.first {
                        if units.get(&goal) == Some(&class) {
                            self.first.entry(goal).or_insert(origin);
                        }
                    }
                    for (id, mut account) in searched.accounts {
                        if let Some(earlier) = self.accounts.remove(&id) {
                            account.after(earlier);
                        }
                        self.accounts.insert(id, account);
                    }
                    self.suspects.take(searched.suspects);
                    self.unseen.extend(searched.unseen);
                    self.of_the_world.extend(searched.of_the_world);
                    for recipe in searched.recipes {
                        self.pool.take(recipe);
                    }
                }
                Some(Err(error)) => {
                    let why = MethodAccount { failed: Some(error.to_string()), ..MethodAccount::default() };
                    self.accounts.extend(methods.iter().map(|&id| (id, why.clone())));
                    self.failures.push(error);
                }
                None => {}
            }
        }
    }

    /// The class whose search a goal is a business of, by goal: what others reach by the way is counted in runs of theirs.
    fn units(&self) -> BTreeMap<Goal, Option<usize>> {
        let functions = (0..).map(FunctionId).zip(&self.program.model.program.functions);
        let goals = functions.map(|(id, function)| (self.program.unit_of(id), function.aims()));
        goals.flat_map(|(unit, goals)| goals.map(move |goal| (goal, unit))).collect()
    }

    /// Searches for tests of methods of a class in a machine that is there, or in a new one.
    fn class(
        &self,
        class: Option<usize>,
        methods: &[FunctionId],
        round: Round,
        kept: &mut Option<Host>,
    ) -> Result<Searched, StartError> {
        // All earlier passes are over, so what this one finds hangs on nothing else.
        let name =
            format!("{} {}", self.passes, class.map_or("", |class| &self.program.classes.own[class].name));
        if let Some(searched) = self.journal.part(&name) {
            return Ok(searched);
        }
        let known = self.found.get(&class).cloned().unwrap_or_default();
        let executed = self.executed.get(&class).copied().unwrap_or_default();
        let begun = Instant::now();
        let host = match kept.take() {
            Some(host) => host,
            None => Host::start_in(self.home)?,
        };
        let starting = begun.elapsed();
        let mut searcher = Searcher::new(self.program, self.settings.clone(), host).knowing(
            known,
            self.pool.clone(),
            executed,
        );
        searcher.class(methods, round)?;
        let (mut searched, host) = searcher.finish();
        *kept = Some(host);
        searched.times.execution += starting;
        if !INTERRUPTED.load(Ordering::Relaxed) {
            self.journal.note_part(&name, &searched);
        }
        Ok(searched)
    }

    /// All of it. What was found for other classes is not lost if one could not be searched.
    fn finish(self, quiet: bool) -> Result<Searched, Failure> {
        let mut failures = self.failures;
        if !quiet {
            for (class, found) in &self.found {
                let class = class.map(|class| &self.program.classes.own[class].name);
                let name = class.map(|name| java_frontend::java_name(name)).unwrap_or_default();
                eprintln!("{name}: {} tests found", found.len());
            }
        }
        let found: Vec<Found> = self.found.into_values().flatten().collect();
        match failures.pop() {
            Some(error) if found.is_empty() => return Err(error.into()),
            Some(error) => {
                eprintln!("branchwise: {} classes were not searched to the end: {error}", failures.len() + 1);
            }
            None => {}
        }
        let Search { accounts, suspects, unseen, of_the_world, first, times, .. } = self;
        let executed = self.executed.values().sum();
        let recipes = Vec::new();
        Ok(Searched { found, accounts, recipes, suspects, unseen, of_the_world, first, executed, times })
    }
}
