//! Why branches of Java code were not reached, as far as that is known.

use java_backend::{Ends, JavaProgram, MethodAccount, Obstacle};
use java_worker::{HookSet, Untouched};
use model::{FunctionId, Goal};
use std::collections::{BTreeMap, BTreeSet};
use suite::{FunctionResult, GoalState, Reason};

/// Of outcomes that happened, and that JaCoCo does not count.
const UNSEEN: &str =
    "runs came here, but an exception always followed before anything that the judge counts by";

/// Of outcomes in static initialisers. What decides there is the machine's: its properties, its files.
const ONCE: &str = "a static initialiser takes no values and runs once; it always went the other way";

/// Of outcomes that hang on what static final fields hold.
const SETTLED: &str = "a static final field decides it, and that was set when its class was loaded";

/// Puts what is known in place of "budget spent".
pub(crate) fn explain(
    program: &JavaProgram,
    results: &mut [FunctionResult],
    accounts: &BTreeMap<FunctionId, MethodAccount>,
    (unseen, of_the_world): (&BTreeSet<Goal>, &BTreeSet<Goal>),
) {
    let settled = java_frontend::settled(&program.classes.own, &program.model.sites);
    for result in results {
        let is_covered =
            |(goal, state): &(Goal, GoalState)| matches!(state, GoalState::Covered { .. }).then_some(*goal);
        let covered: BTreeSet<Goal> = result.goals.iter().filter_map(is_covered).collect();
        let why = why(program, result.function, accounts.get(&result.function));
        let function = program.model.program.function(result.function);
        let ruled_out = java_frontend::ruled_out(function, &settled, &covered);
        let runs_once = function.symbol.contains(".<clinit>(");
        for (goal, state) in &mut result.goals {
            let GoalState::Unknown(reason @ Reason::Budget { .. }) = state else { continue };
            let other = Goal { outcome: !goal.outcome, ..*goal };
            *reason = match &why {
                _ if of_the_world.contains(goal) => Reason::Environment,
                _ if unseen.contains(goal) => Reason::NotWatched(UNSEEN.to_owned()),
                _ if runs_once && !covered.is_empty() => Reason::Settled(ONCE.to_owned()),
                _ if ruled_out.contains(goal) => Reason::Settled(SETTLED.to_owned()),
                _ if covered.contains(&other) => Reason::Budget { level: Some(0) },
                // Tests have been in there, whoever called it.
                Some(why) if covered.is_empty() => why.clone(),
                _ => Reason::Budget { level: None },
            };
        }
    }
}

/// Why no test got into a method, if it is not for want of a budget.
fn why(program: &JavaProgram, id: FunctionId, account: Option<&MethodAccount>) -> Option<Reason> {
    if let Some(why) = unwatched(program, id) {
        return Some(Reason::NotWatched(format!("nobody sees what it does: {why}")));
    }
    let account = account?;
    if let Some(why) = &account.failed {
        return Some(Reason::WorkerFailed(why.clone()));
    }
    if let Some(why) = &account.unusable {
        return Some(Reason::NotCallable(why.clone()));
    }
    match (&account.ends, &account.missing) {
        (Ends { begun: 1.., .. }, _) => None,
        (_, Some(class)) => {
            Some(Reason::NoObject(format!("nothing that tests may call makes an object of {class}")))
        }
        (Ends { obstacle: Some(obstacle), before, .. }, None) => Some(met(obstacle, *before)),
        _ => None,
    }
}

/// Why a method has no hooks, itself or with its class.
fn unwatched(program: &JavaProgram, id: FunctionId) -> Option<String> {
    let &(class, method) = program.model.methods.places().get(id.0 as usize)?;
    let class = &program.classes.own[class].name;
    let whole = program.without_hooks.iter().find(|(name, _)| name == class);
    let is_it = |name: &String, set: HookSet, left: &Untouched| {
        name == class && set == HookSet::Short && left.method == method
    };
    let mut single = program.prepared.untouched().iter();
    let single = single.find(|(name, set, left)| is_it(name, *set, left));
    whole.map(|(_, why)| why.clone()).or_else(|| single.map(|(_, _, left)| left.why.to_string()))
}

/// What all runs met on the way.
fn met(obstacle: &Obstacle, runs: u64) -> Reason {
    let all = match runs {
        1 => "the only run".to_owned(),
        n => format!("the first of {n} runs, none of which came to it,"),
    };
    match obstacle {
        Obstacle::NoReceiver { class, thrown } => {
            Reason::NoObject(format!("no object of {class} could be made: {all} met {thrown} there"))
        }
        Obstacle::Uninitialised { thrown } => {
            Reason::NotCallable(format!("a class cannot be initialised: {all} met {thrown}"))
        }
        Obstacle::Unusable(why) => Reason::NotCallable(format!("the machine says: {why}")),
        Obstacle::Threw { step, thrown } => {
            Reason::EarlierStep(format!("an earlier step throws: {all} met {thrown} in {step}"))
        }
        Obstacle::Endless { step } => {
            Reason::EarlierStep(format!("an earlier step does not return: {all} was in {step}"))
        }
    }
}
