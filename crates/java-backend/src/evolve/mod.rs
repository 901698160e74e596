//! Whole classes at once: tests that came near to a goal are changed, call by call and value by value.
//!
//! After A. Arcuri, "Many Independent Objective (MIO) Algorithm for Test Suite Generation" (2017): every goal has a small population of the
//! tests that came nearest, goals take turns, and one that makes progress gets more of them. In the second half chance has less of a say.
//! What differs here: any step of a test may reach a goal, and the test is then cut behind it; and where changes are in vain, a solver is asked
//! for the values of the test that is nearest.

mod aims;
mod archive;
mod compared;
mod dictionary;
mod genome;
mod palette;
mod pattern;

use crate::account::MethodAccount;
use crate::confirm::is_repeatable;
use crate::origin::{EVOLUTION, Origin};
use crate::search::{Found, MethodUnderTest, Round, ScriptManner, Searcher};
use crate::suspect::Sight;
use crate::target::called;
use aims::{Aims, Did};
use archive::{Archive, Lane};
use campaign::{Reach, reached_functions};
use dictionary::Dictionary;
use genome::Genome;
use input::Rng;
use java_frontend::{Catalogue, Sequences};
use java_wire::message::{End, Manner};
use java_wire::{Step, Value};
use java_worker::{Answer, ScriptId, StartError};
use model::{FunctionId, Goal};
use palette::{Objects, Palette};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The part of the budget of a class that goes into this.
const SHARE: (u64, u64) = (7, 8);
/// Runs of a method if the budget is in seconds: without a number, chance would never give way to focus.
const TIMED_RUNS: u64 = 1_000_000;
/// Runs without anything new or nearer before this is given up: at least so many, so many for each goal, and one in so many of all that
/// there may be.
const BARREN: u64 = 1000;
const BARREN_PER_GOAL: u64 = 200;
const BARREN_SHARE: u64 = 16;
/// Tests from nothing in the beginning, of 256.
const RANDOM: f64 = 64.0;
/// Changes in vain before a solver is asked: at most so many, and fewer where so many open goals share the budget that none of them would
/// ever get them. The runs that it may take: so many, and of a small budget no more than a part.
const IN_VAIN: (u64, u64) = (2, 40);
const CHANGES_SHARE: u64 = 8;
/// Comparisons of texts are looked at sooner: that costs a few runs.
const LOOK_SOONER: u32 = 4;
const ASKED_RUNS: (u64, u64) = (100, 300);
const ASKED_SHARE: u64 = 8;
/// What comparisons of texts may take of all that was spent so far, and questions to solvers as much again: both pay most where something else
/// has come nearer since.
const MOST_SHARE: (u64, u64) = (2, 5);
/// Of the budget, before a solver is asked about the same calls again: values that are nearer may be there by then.
const AGAIN_SHARE: u64 = 3;
/// Runs in the same classes if these have a state, and mistakes that may come of it.
const USES: u32 = 50;
const MISTAKES: u32 = 3;
/// How far behind calls the code is whose constants are tried.
const CALLED: u32 = 2;
/// Ticks of a run.
const TICKS: u64 = 1 << 15;
/// A run that takes its machine with it costs as much time as so many others.
const COST_OF_A_MACHINE: u64 = 500;
/// So does one that uses up its ticks.
const COST_OF_TICKS: u64 = 8;

/// A search for tests of the methods of one class.
struct Evolution<'e, 'p> {
    sequences: &'e Sequences,
    palette: Palette<'e>,
    aims: Aims<'p>,
    archive: Archive,
    /// By symbol: what tests are for.
    methods: BTreeMap<&'p str, FunctionId>,
    /// The same with what may be reached through them.
    reaching: BTreeMap<&'p str, MethodUnderTest>,
    rng: Rng,
    classes: Classes,
    /// Tests for whose values a solver was asked, and what was spent by then.
    asked: Vec<(Rc<Genome>, u64)>,
    /// Tests whose comparisons were looked at.
    looked: Vec<Rc<Genome>>,
    budget: u64,
    spent: u64,
    /// What the search for the class had spent before.
    before: u64,
    barren: u64,
    /// What of that went into comparisons of texts, and into questions to solvers.
    spent_on_texts: u64,
    spent_on_solving: u64,
}

/// Classes that runs have used.
#[derive(Default)]
struct Classes {
    /// Runs since they were loaded.
    runs: u32,
    /// How often something was brought in them that was not in new ones.
    mistakes: u32,
}

impl Classes {
    fn are_due(&self) -> bool {
        self.runs >= USES || self.mistakes > MISTAKES
    }

    fn run(fresh: bool) -> Manner {
        Manner { ticks: TICKS, full: false, fresh, observe: false, watched: false }
    }

    fn use_once(&mut self, fresh: bool) {
        self.runs = if fresh { 1 } else { self.runs + 1 };
    }
}

impl Evolution<'_, '_> {
    /// A test from nothing, or from another.
    fn next(&mut self, near: Option<&Genome>) -> Option<Genome> {
        match near {
            None => self.palette.random(&mut self.rng),
            Some(near) => {
                let changes = 1 + self.rng.u32(..4).min(self.rng.u32(..4));
                Some(self.palette.changed(near, changes, &mut self.rng))
            }
        }
    }

    /// What a step of a test is a test of.
    fn method(&self, genome: &Genome, step: &Step) -> Option<FunctionId> {
        self.methods.get(self.palette.statement(genome, step)?.symbol.as_str()).copied()
    }

    /// Changes in vain of tests for one goal before a solver is asked.
    fn changes_in_vain(&self) -> u32 {
        let each = self.budget / CHANGES_SHARE / self.archive.len().max(1) as u64;
        each.clamp(IN_VAIN.0, IN_VAIN.1) as u32
    }

    /// Whether a part of what was spent is small enough that more may go into the same.
    fn may_go_on(part: u64, spent: u64) -> bool {
        part.saturating_mul(MOST_SHARE.1) <= spent.saturating_mul(MOST_SHARE.0)
    }

    /// What the search for the class has spent.
    fn executed(&self) -> u64 {
        self.before + self.spent
    }

    /// A test near to a goal that is changed in vain. One question is about all goals of its last method, so that the next goal need not
    /// ask it again.
    fn stuck(&mut self, lane: Lane) -> Option<Rc<Genome>> {
        let changes = self.changes_in_vain();
        self.asked.retain(|(_, spent)| self.spent < spent + self.budget / AGAIN_SHARE);
        let was_asked =
            |genome: &Genome| self.asked.iter().any(|(asked, _)| asked.script.steps == genome.script.steps);
        let genome = self.archive.stuck(lane, changes, was_asked)?;
        self.asked.push((Rc::clone(&genome), self.spent));
        Some(genome)
    }

    /// A test near to a goal that is changed in vain, and whose comparisons of texts were not looked at.
    fn unseen(&mut self, lane: Lane) -> Option<Rc<Genome>> {
        let changes = self.changes_in_vain() / LOOK_SOONER;
        let looked = &self.looked;
        let was_looked_at = |genome: &Rc<Genome>| {
            !compared::has_texts(genome) || looked.iter().any(|other| Rc::ptr_eq(other, genome))
        };
        let genome = self.archive.unseen(lane, changes.max(1), was_looked_at)?;
        self.looked.push(Rc::clone(&genome));
        Some(genome)
    }

    /// Runs in vain after which this is given up.
    fn patience(&self) -> u64 {
        BARREN + BARREN_PER_GOAL * self.aims.len() as u64 + self.budget / BARREN_SHARE
    }
}

impl<'p> Searcher<'p> {
    /// Looks for tests of several methods together. Returns how many runs that took.
    pub(crate) fn evolve(
        &mut self,
        round: Round,
        methods: &[FunctionId],
        catalogue: &Catalogue<'_>,
        package: &str,
    ) -> Result<u64, StartError> {
        let program = self.program;
        let functions = &program.model.program;
        let named = methods.iter().map(|&id| (functions.function(id).symbol.as_str(), id));
        let named: BTreeMap<&'p str, FunctionId> =
            named.filter(|(symbol, _)| catalogue.is_callable(symbol)).collect();
        let symbols: Vec<&str> = named.keys().copied().collect();
        let Ok(sequences) = self.times.generating(|| catalogue.sequences_of(&symbols)) else { return Ok(0) };
        let pool = self.pool.clone();
        let classes = self.units(methods);
        let code = self.around(&classes).into_iter().map(|class| &program.classes.own[class].class);
        let dictionary = Dictionary::of(code);
        let nulls = self.settings.rules.nulls;
        let objects = Objects { hierarchy: &program.hierarchy, pool: &pool, package, nulls };
        let palette = self.times.generating(|| Palette::new(&sequences, objects, dictionary, &symbols));
        let aims = Aims::new(&program.model, &self.goals_of(methods, &classes));
        let seed = methods.first().map_or(0, |id| u64::from(id.0));
        let runs = if self.settings.seconds.is_some() { TIMED_RUNS } else { self.settings.runs };
        let budget = runs.saturating_mul(methods.len() as u64) / SHARE.1 * SHARE.0;
        let (again, rounds) = match round {
            Round::Only => (0, 1),
            Round::First => (0, 2),
            Round::Last => (1, 2),
        };
        let mut evolution = Evolution {
            sequences: &sequences,
            palette,
            aims,
            archive: Archive::default(),
            reaching: named.iter().map(|(&symbol, &id)| (symbol, self.under_test(id))).collect(),
            methods: named,
            rng: Rng::with_seed(self.settings.seed ^ seed << 32 ^ again << 31),
            classes: Classes::default(),
            asked: Vec::new(),
            looked: Vec::new(),
            budget: budget / rounds,
            spent: 0,
            before: self.executed,
            barren: 0,
            spent_on_texts: 0,
            spent_on_solving: 0,
        };
        // What earlier rounds have found is near to what they have not, and with new objects nearer.
        for genome in self.known(0) {
            evolution.spent += 1;
            self.try_out(&mut evolution, &genome)?;
        }
        self.close(&mut evolution);
        while evolution.spent < evolution.budget && !self.is_done(&evolution) && !self.is_late() {
            self.generation(&mut evolution)?;
        }
        self.executed = evolution.executed();
        Ok(evolution.spent)
    }

    /// Nothing is open, or it does not look as if there were more to be had.
    fn is_done(&self, evolution: &Evolution<'_, '_>) -> bool {
        let is_done = |id: &FunctionId| self.tested.contains(id) && !self.is_unmade(*id);
        let all_tested = || evolution.methods.values().all(is_done);
        evolution.barren > evolution.patience()
            || evolution.aims.is_empty() && (all_tested() || evolution.barren > BARREN)
    }

    /// One test, from nothing or from one that was near to a goal.
    fn generation(&mut self, evolution: &mut Evolution<'_, '_>) -> Result<(), StartError> {
        // From chance to focus, as runs go by, or go by in vain.
        let part = |runs: u64, of: u64| 2.0 * runs as f64 / of as f64;
        let vain = part(evolution.barren, evolution.patience());
        let focus = part(evolution.spent, evolution.budget).max(vain).min(1.0);
        let by_chance = f64::from(evolution.rng.u8(..)) < RANDOM * (1.0 - focus) + 8.0;
        let best = if focus < 1.0 { 8 } else { 2 };
        let sampled = if by_chance { None } else { evolution.archive.sample(best, &mut evolution.rng) };
        evolution.spent += 1;
        evolution.barren += 1;
        let Some(genome) =
            self.times.generating(|| evolution.next(sampled.as_ref().map(|(_, near)| &**near)))
        else {
            return Ok(());
        };
        self.try_out(evolution, &genome)?;
        let Some((lane, _)) = sampled else { return Ok(()) };
        let before = evolution.spent;
        if Evolution::may_go_on(evolution.spent_on_texts, before)
            && let Some(nearest) = evolution.unseen(lane)
        {
            self.compare(evolution, lane.goal, &nearest)?;
            evolution.spent_on_texts += evolution.spent - before;
        }
        let before = evolution.spent;
        if Evolution::may_go_on(evolution.spent_on_solving, before)
            && let Some(nearest) = evolution.stuck(lane)
        {
            self.ask(evolution, &nearest)?;
            evolution.spent_on_solving += evolution.spent - before;
        }
        Ok(())
    }

    /// Runs a test and keeps what it brings.
    ///
    /// Loading classes anew costs ten times a run. So what reads or writes static fields that may change is run in classes that others have
    /// used, and only what seems to bring something is run again in new ones and believed. Where that turns out to be wrong again and again, all
    /// runs get new classes. In the second run it is also looked at whether it asks the machine for something.
    fn try_out(&mut self, evolution: &mut Evolution<'_, '_>, genome: &Genome) -> Result<(), StartError> {
        let steps = self.tried(evolution, genome)?;
        self.take_all(evolution, genome, steps);
        Ok(())
    }

    /// Runs a test. Returns what its steps did, without those that all tests begin with.
    fn tried(&mut self, evolution: &mut Evolution<'_, '_>, genome: &Genome) -> Result<Vec<Did>, StartError> {
        let values = self.opened(&genome.values);
        let Some(script) = self.kept_to_rules(genome.script.clone(), &values) else { return Ok(Vec::new()) };
        let (number, end) = self.learn(&script)?;
        if end != End::Returned {
            return Ok(Vec::new());
        }
        let run = Genome { script, values };
        let is_shared = evolution.palette.is_shared(genome) || run.len() > genome.len();
        let is_fresh = is_shared && evolution.classes.are_due();
        let mut steps = self.steps(evolution, &run, number, Classes::run(is_fresh))?;
        if self.brings(evolution, &run, &steps) {
            evolution.spent += 1;
            steps =
                self.steps(evolution, &run, number, Manner { watched: true, ..Classes::run(is_shared) })?;
            if is_shared && !is_fresh && !self.brings(evolution, &run, &steps) {
                evolution.classes.mistakes += 1;
            }
        }
        steps.drain(..steps.len().min(self.settings.rules.opening.len()));
        Ok(steps)
    }

    /// Keeps what the steps of a test have brought.
    fn take_all(&mut self, evolution: &mut Evolution<'_, '_>, genome: &Genome, steps: Vec<Did>) {
        for (step, did) in steps.into_iter().enumerate() {
            self.take(evolution, genome, step, did);
        }
    }

    /// Values behind those of what all tests begin with.
    fn opened(&self, values: &[Value]) -> Vec<Value> {
        self.settings.rules.opening.values().iter().chain(values).cloned().collect()
    }

    /// What the steps of a test did that came to an end.
    fn steps(
        &mut self,
        evolution: &mut Evolution<'_, '_>,
        genome: &Genome,
        number: ScriptId,
        manner: Manner,
    ) -> Result<Vec<Did>, StartError> {
        evolution.classes.use_once(manner.fresh);
        let host = &mut self.host;
        let ran = match self.times.executing(|| host.run(number, &genome.values, manner))? {
            Answer::Ran(ran) => ran,
            Answer::Gone(gone) => {
                evolution.spent += COST_OF_A_MACHINE;
                let last = genome.len().saturating_sub(1) as u32;
                if let Some(method) = called(&self.program.model, &genome.script, last) {
                    let sight = Sight::of_gone(&gone, last, Vec::new());
                    self.suspects.note(&sight, method, (&genome.script, &genome.values), BTreeSet::new);
                }
                return Ok(Vec::new());
            }
        };
        if ran.reply.tainted {
            // Threads stay behind: the next run gets another machine.
            evolution.spent += COST_OF_A_MACHINE;
        }
        if matches!(ran.reply.end, End::OutOfTicks { .. }) {
            evolution.spent += COST_OF_TICKS;
        }
        let (whole, thrown) = match &ran.reply.end {
            End::Returned => (genome.len(), None),
            End::Threw { step, thrown } if self.settings.rules.exceptions && is_repeatable(thrown) => {
                (*step as usize + 1, Some(thrown))
            }
            End::Threw { step, .. }
            | End::OutOfTicks { step }
            | End::Exited { step, .. }
            | End::Unusable { step, .. } => (*step as usize, None),
        };
        let mut steps = evolution.aims.judge(ran.words, thrown);
        let last = genome.len().saturating_sub(1) as u32;
        if let Some(sight) = Sight::of(&ran.reply, last)
            && let Some(method) = called(&self.program.model, &genome.script, sight.step)
        {
            let did = steps.get(sight.step as usize).filter(|_| !sight.kind.goes_on());
            let reached = || did.into_iter().flat_map(|did| &did.outcomes);
            let test = (&genome.script, &genome.values[..]);
            self.suspects.note(&sight, method, test, || reached().copied().collect());
        }
        if ran.reply.litters {
            let did = steps.iter().flat_map(|did| &did.outcomes).copied();
            self.of_the_world.extend(did.filter(|goal| self.is_goal[goal.index()]));
        }
        if ran.reply.cut || ran.reply.tainted || ran.reply.litters {
            return Ok(Vec::new());
        }
        steps.truncate(whole);
        Ok(steps)
    }

    /// Whether one of the steps is a test of something new.
    fn brings(&self, evolution: &Evolution<'_, '_>, genome: &Genome, steps: &[Did]) -> bool {
        steps
            .iter()
            .zip(&genome.script.steps)
            .any(|(did, step)| evolution.method(genome, step).is_some_and(|method| self.is_new(did, method)))
    }

    fn is_new(&self, did: &Did, method: FunctionId) -> bool {
        let is_wanted = |&goal: &Goal| self.is_goal[goal.index()] && self.reached.is_wanted(goal);
        !self.tested.contains(&method) || self.makes(did, method) || did.outcomes.iter().any(is_wanted)
    }

    /// Whether a step made the first object by a constructor. All branches of a constructor may be reached by what it refuses, and then no
    /// other method of its class ever had an object.
    fn makes(&self, did: &Did, method: FunctionId) -> bool {
        !did.threw && self.is_unmade(method)
    }

    fn is_unmade(&self, id: FunctionId) -> bool {
        let symbol = &self.program.model.program.function(id).symbol;
        symbol.contains(".<init>(") && !self.made.contains(&id)
    }

    /// Keeps a test up to a step if that reached something, or came near to it.
    fn take(&mut self, evolution: &mut Evolution<'_, '_>, genome: &Genome, step: usize, did: Did) {
        let Some(method) = evolution.method(genome, &genome.script.steps[step]) else { return };
        *self.called.entry(method).or_default() += 1;
        self.unseen.extend(&did.unseen);
        if self.is_new(&did, method) {
            let makes = self.makes(&did, method);
            let short = genome.until(step);
            if !did.threw {
                evolution.palette.remember(&short);
            }
            let is_shared = evolution.palette.is_shared(&short);
            let Genome { mut script, values } = short;
            evolution.sequences.observe(&mut script, &self.program.hierarchy);
            let covers: Vec<Goal> =
                did.outcomes.into_iter().filter(|goal| self.is_goal[goal.index()]).collect();
            // What it reaches elsewhere is welcome, but others look for it.
            if !self.tested.contains(&method)
                || makes
                || covers.iter().any(|&goal| evolution.aims.contains(goal))
            {
                evolution.barren = 0;
            }
            let script = self.settings.rules.opening.before(script);
            let is_shared = is_shared || !self.settings.rules.opening.is_empty();
            let values = self.opened(&values);
            let origin = Origin { engine: EVOLUTION.to_owned(), execution: evolution.executed() };
            self.keep(Found { method, script, values, covers, is_shared, makes, origin });
            self.close(evolution);
        }
        let mut kept = None;
        for (goal, fitness) in did.near {
            if !self.reached.is_wanted(goal) {
                continue;
            }
            let short = kept.get_or_insert_with(|| Rc::new(genome.until(step)));
            let lane = Lane { goal, is_direct: evolution.aims.function(goal) == Some(method) };
            if evolution.archive.offer(lane, fitness, short) {
                evolution.barren = 0;
            }
        }
    }

    /// Forgets goals that are reached, or cannot be.
    fn close(&self, evolution: &mut Evolution<'_, '_>) {
        let is_open = |goal: Goal| self.reached.is_wanted(goal) && !self.impossible.contains(&goal);
        evolution.archive.retain(is_open);
        evolution.aims.retain(is_open);
        let reaching = &evolution.reaching;
        evolution.palette.want(|symbol| {
            reaching.get(symbol).is_some_and(|method| self.is_open(method) || self.is_unmade(method.id))
        });
    }

    /// Lets the engines of C look for values of a test.
    fn ask(&mut self, evolution: &mut Evolution<'_, '_>, genome: &Genome) -> Result<(), StartError> {
        let last = genome.script.steps.last();
        let Some(id) = last.and_then(|step| evolution.method(genome, step)) else { return Ok(()) };
        let mut script = genome.script.clone();
        evolution.sequences.observe(&mut script, &self.program.hierarchy);
        let opening = &self.settings.rules.opening;
        let fresh = evolution.palette.is_shared(genome) || !opening.is_empty();
        let (script, values) = (opening.before(script), self.opened(&genome.values));
        let runs = (evolution.budget / ASKED_SHARE).clamp(ASKED_RUNS.0, ASKED_RUNS.1);
        let manner = ScriptManner { runs, fresh, closed: false };
        let known = self.found.len();
        let method = self.under_test(id);
        self.executed = evolution.executed();
        evolution.spent += self.script(&method, &script, &values, manner, &mut MethodAccount::default())?;
        let news = self.known(known);
        if !news.is_empty() {
            self.close(evolution);
            evolution.barren = 0;
        }
        // What reached one goal is near to the next.
        for genome in news {
            self.try_out(evolution, &genome)?;
        }
        Ok(())
    }

    /// Tests from a number on, without what all begin with.
    fn known(&self, from: usize) -> Vec<Genome> {
        let opening = &self.settings.rules.opening;
        let plain = |found: &Found| {
            let (script, values, _) = opening.behind(&found.script, &found.values, &[])?;
            Some(Genome { script, values })
        };
        self.found[from..].iter().filter_map(plain).collect()
    }

    /// Classes that belong together: those of the methods, and all that share their outermost class.
    fn units(&self, methods: &[FunctionId]) -> BTreeSet<usize> {
        let units: BTreeSet<usize> = methods.iter().filter_map(|&id| self.program.unit_of(id)).collect();
        (0..self.program.classes.own.len())
            .filter(|&class| units.contains(&self.program.unit(class)))
            .collect()
    }

    /// Classes, and those that they call.
    fn around(&self, classes: &BTreeSet<usize>) -> BTreeSet<usize> {
        let class_of = |id: FunctionId| self.program.class_of(id);
        let mut around = classes.clone();
        for _ in 0..CALLED {
            let calls = self.program.model.program.call_sites.iter();
            let calls =
                calls.filter(|site| class_of(site.caller).is_some_and(|class| around.contains(&class)));
            let called: BTreeSet<usize> = calls.filter_map(|site| class_of(site.callee)).collect();
            around.extend(called);
        }
        around
    }

    /// Open goals of classes that methods may reach.
    fn goals_of(&self, methods: &[FunctionId], classes: &BTreeSet<usize>) -> BTreeSet<Goal> {
        let program = &self.program.model.program;
        let reached = |&id: &FunctionId| reached_functions(program, id, Reach::Reachable);
        let functions: BTreeSet<FunctionId> = methods.iter().flat_map(reached).collect();
        let is_own =
            |id: &FunctionId| self.program.class_of(*id).is_some_and(|class| classes.contains(&class));
        let goals = functions.into_iter().filter(is_own).flat_map(|id| {
            let function = program.function(id);
            function.aims().collect::<Vec<_>>()
        });
        goals.filter(|&goal| self.reached.is_wanted(goal) && !self.impossible.contains(&goal)).collect()
    }
}
