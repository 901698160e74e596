//! The work on one function in phases: a search first, then, where goals are left, symbolic execution as well.

use crate::failure::Failure;
use crate::generate::{Generator, INTERRUPTED};
use c_backend::{BackendError, Campaigned};
use c_frontend::{Built, Clang};
use campaign::{Budget, CampaignResult, Event, GoalRecord, Settings};
use input::Input;
use model::{FunctionId, Goal};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use target::Outcome;
use wire::Twins;

/// Runs of a search before symbolic twins are built for it: about as long as building them takes.
const OPENING: u64 = 20_000;

/// The twins of a program, and the library functions whose results they know as terms.
pub(crate) type KnownTwins = (Twins, HashSet<String>);

impl Generator<'_> {
    /// A search first: it settles most functions before the twins of one could be built. What is left over is
    /// worked on with paths as well, from what the search found.
    pub(crate) fn campaign(
        &self,
        id: FunctionId,
        settings: &mut Settings,
        seeds: &[Input],
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Campaigned, Failure> {
        let whole = settings.budget;
        let mut before = CampaignResult::default();
        let mut seeds = seeds.to_vec();
        let function = self.built.program.function(id);
        // Only traces tell which arguments behind `...` are read.
        let needs_traces = function.rest.is_some() && !settings.whole;
        // A search alone gets nowhere with a whole program.
        if settings.engine == campaign::HYBRID && !settings.whole && !needs_traces {
            settings.budget = opening(whole);
            let first = self.backend.campaign(id, settings, &seeds, &INTERRUPTED, on_event)?;
            settings.budget = rest(whole, settings.budget);
            let Campaigned::Finished { result, .. } = &first else { return Ok(first) };
            let open = |record: &GoalRecord| record.wanted && !settings.impossible.contains(&record.goal);
            if !result.goals.iter().any(open) && !settings.find_errors {
                return Ok(first);
            }
            // Runs that take seconds are too dear to be traced.
            if result.faults.iter().any(|fault| fault.outcome == Outcome::TimedOut) {
                settings.engine = search::all()[0].name().to_owned();
            }
            before = (**result).clone();
            seeds.extend(result.tests.iter().map(|test| test.input.clone()));
            if settings.find_errors {
                // What was found is found again at once.
                let errors =
                    result.faults.iter().filter(|fault| matches!(fault.outcome, Outcome::Crashed(_)));
                seeds.extend(errors.map(|fault| fault.input.clone()));
            }
        }
        let mut backend = self.backend.clone();
        let is_symbolic = campaign::is_symbolic(&settings.engine);
        if is_symbolic || needs_traces {
            let twins = self.twins().ok();
            // What a stub stands for may do more than the stub, and what is no input may hold other values: no proof can rest
            // on them.
            settings.closed = function.stubs.is_empty()
                && function.hidden.is_empty()
                && twins.is_some_and(|(_, known)| function.externals.iter().all(|name| known.contains(name)));
            backend.setup.twins = twins.map(|(twins, _)| twins.clone());
            settings.traced = is_symbolic && backend.setup.twins.is_some();
        }
        let mut done = backend.campaign(id, settings, &seeds, &INTERRUPTED, on_event)?;
        let had_twins = backend.setup.twins.is_some();
        if let (true, Campaigned::Stopped(BackendError::Load(why))) = (had_twins, &done) {
            // Twins that cannot be loaded must not cost what a search finds.
            let told = (format!("no symbolic execution: {why}"), 1);
            settings.traced = false;
            done = self.backend.campaign(id, settings, &seeds, &INTERRUPTED, on_event)?;
            if let Campaigned::Finished { result, .. } = &mut done {
                result.approximations.push(told);
            }
        }
        if let Campaigned::Finished { result, .. } = &mut done {
            continue_from(&before, result);
        }
        Ok(done)
    }

    fn twins(&self) -> Result<&KnownTwins, &String> {
        self.twins
            .get_or_init(|| {
                build_twins(self.built, self.work, self.config.choices).map_err(|e| e.to_string())
            })
            .as_ref()
    }
}

/// Numbers the runs of a campaign on from those of the one before: what that reached was reached then.
fn continue_from(before: &CampaignResult, result: &mut CampaignResult) {
    let first: HashMap<Goal, u64> =
        before.goals.iter().filter_map(|record| Some((record.goal, record.execution?))).collect();
    for record in &mut result.goals {
        let later = record.execution.map(|execution| execution + before.executions);
        record.execution = record.execution.and(first.get(&record.goal).copied()).or(later);
    }
    let known = before.curve.last().map_or(0, |&(_, covered)| covered);
    let risen = result.curve.iter().filter(|&&(_, covered)| covered > known);
    let risen = risen.map(|&(execution, covered)| (execution + before.executions, covered));
    result.curve = before.curve.iter().copied().chain(risen).collect();
    result.executions += before.executions;
    for (goal, account) in &before.sets {
        match result.sets.iter_mut().find(|(known, _)| known == goal) {
            Some((_, later)) => later.runs.iter_mut().zip(&account.runs).for_each(|(all, more)| *all += more),
            None => result.sets.push((*goal, account.clone())),
        }
    }
    result.sets.sort_unstable_by_key(|(goal, _)| *goal);
}

/// What the search alone gets of a budget.
fn opening(whole: Budget) -> Budget {
    match whole {
        Budget::Executions(limit) => Budget::Executions((limit / 4).min(OPENING)),
        Budget::Seconds(limit) => Budget::Seconds(limit / 8.0),
    }
}

/// What is left of a budget.
fn rest(whole: Budget, spent: Budget) -> Budget {
    match (whole, spent) {
        (Budget::Executions(whole), Budget::Executions(spent)) => Budget::Executions(whole - spent),
        (Budget::Seconds(whole), Budget::Seconds(spent)) => Budget::Seconds(whole - spent),
        _ => whole,
    }
}

fn build_twins(built: &Built, work: &Path, choices: u32) -> Result<KnownTwins, Failure> {
    let symbolic = c_frontend::build_symbolic(built, &Clang::default(), work)?;
    let sites = work.join("sites.bin");
    let bytes =
        wire::encode(&symbolic.sites).map_err(|e| Failure::bug(format!("cannot encode places: {e}")))?;
    std::fs::write(&sites, bytes).map_err(|e| Failure::file(&sites, &e))?;
    Ok((Twins { object: symbolic.object, sites, choices }, symbolic.known))
}
