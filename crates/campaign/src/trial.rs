//! Searches for single goals, each on its own: engines compared as their texts compared them.
//!
//! A campaign counts every run for every goal and begins with what it knows. Awedikian (2009, chapter 5) does neither: each
//! goal has its own budget, begins at random, and a run that reaches another goal by the way is not counted for that one. Only
//! what an engine itself [carries](Memory) from goal to goal is left to it.

use crate::{CampaignResult, GoalRecord, Guidance, Scope, Session, Settings};
use goal::dependence::DependencePlan;
use input::{Input, Space};
use model::Goal;
use search::{Engine, Memory, Oracle};
use serde::{Deserialize, Serialize};
use target::Target;

/// Which goals, and how those with several dependence sets are searched for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// In the order in which they are searched for.
    pub goals: Vec<Goal>,
    /// Runs for each of them.
    pub runs: u64,
    /// What each dependence set of a goal has of these.
    pub sets: SetBudget,
}

/// What each dependence set of a goal has of the goal's runs. The thesis searches by all sets at once and does not say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum SetBudget {
    /// An equal share.
    #[default]
    Shared,
    /// All of them.
    Each,
}

impl SetBudget {
    /// What one of so many sets has of a goal's runs.
    #[must_use]
    pub fn of(self, runs: u64, sets: usize) -> u64 {
        match self {
            SetBudget::Shared => (runs / sets.max(1) as u64).max(1),
            SetBudget::Each => runs,
        }
    }
}

/// What became of the goals: of each the runs of its own searches until it was reached.
pub(crate) fn run(
    target: &mut dyn Target,
    scope: &Scope<'_>,
    space: &Space,
    settings: &Settings,
    trial: &Trial,
) -> CampaignResult {
    let engine = search::by_name(&settings.engine).unwrap_or(search::all()[0]);
    let mut memory = Memory::default();
    let mut result = CampaignResult::default();
    for (number, &goal) in (0..).zip(&trial.goals) {
        let (mut ignore, mut never) = (|_| {}, |_| false);
        // Fatal runs are counted from the first of the whole trial.
        let skip: Vec<u64> = settings.skip.iter().filter_map(|s| s.checked_sub(result.executions)).collect();
        let seed = settings.seed ^ number << 32;
        let mut session = Session::new(target, scope, space, seed, &skip, &mut ignore, &mut never);
        let plans = match settings.guidance {
            Guidance::DataDependence if engine.is_guided() => session.dependence_plans(goal),
            Guidance::Control | Guidance::DataDependence => Vec::new(),
        };
        search_for(&mut session, engine, space, goal, &plans, trial, &mut memory);
        result.sets.extend(std::mem::take(&mut session.sets));
        result.executions += session.executions();
        let execution = session.first_reached(goal);
        result.goals.push(GoalRecord {
            goal,
            execution,
            wanted: execution.is_none(),
            level: session.best_level(goal),
        });
    }
    result
}

/// By control dependence, or by each dependence set until one leads there.
fn search_for(
    session: &mut Session<'_>,
    engine: &dyn Engine,
    space: &Space,
    goal: Goal,
    plans: &[DependencePlan],
    trial: &Trial,
    memory: &mut Memory,
) {
    if plans.is_empty() {
        session.aim(goal, trial.runs, false);
        let start = Input::random(space, session.rng());
        let _ = engine.search_on(session, start, memory);
        return;
    }
    let runs = trial.sets.of(trial.runs, plans.len());
    let _ = session.search_by_sets(goal, plans, runs, |session| {
        let start = Input::random(space, session.rng());
        engine.search_on(session, start, memory)
    });
}
