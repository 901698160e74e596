//! `SearchAlongPath` for all short static paths at once (Burnim and Sen 2008, sections 4.2 and 4.3).
//!
//! The paper drives a run along one static path after the other and remarks that common prefixes need to be
//! forced only once. Here static paths and runs advance together, depth first: a [`Front`] is a run that has
//! matched a static path up to an outcome. Each outcome that may come next on a static path short enough is either
//! the one the run took (go on), the other way out of the same decision (force it, go on with the new run), or
//! neither (the static path fails). What several static paths share is thereby one front, and forced once.
//!
//! A path holds only the decisions that the input can change, a static path all branches. So, without a
//! [`crate::Step`] trace, a branch of the static path that the run did not decide by its input is taken to be
//! passed where it stands if the run took that outcome at all; with a trace it must be there. Decisions
//! in functions that the static path steps over, pins, and conditions on no edge are skipped (`Call … Exit` in
//! the paper; calls leave no events, so a recursive call of the function itself does not count as skipped).

use crate::cfcg::{Cfcg, Distances};
use crate::execution::{Execution, Flip};
use crate::{Explorer, Forced, Stop};
use model::Goal;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A run that has matched a static path up to `last`.
struct Front {
    run: Rc<Execution>,
    /// The first step of the run after `last`.
    at: usize,
    last: Goal,
    /// What is left of the weight.
    left: u32,
}

/// What a run does at the next outcome of a static path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meeting {
    /// It takes it; the step after it.
    Takes(usize),
    /// It takes another way; this flip would take it, at that step.
    Misses(Flip, usize),
    /// It goes elsewhere.
    Leaves,
}

/// Drives `run`, which took `flip` to `goal`, down every static path of that weight to uncovered outcomes.
/// Success is a run that covers something new.
pub(crate) fn search_along(
    explorer: &mut Explorer<'_>,
    distances: &Distances,
    run: Rc<Execution>,
    flip: Flip,
    goal: Goal,
    weight: u32,
) -> ControlFlow<Stop, Option<Rc<Execution>>> {
    let graph = explorer.graph();
    let at = step_of(&run, flip.decision) + 1;
    let mut fronts = vec![Front { run, at, last: goal, left: weight }];
    let mut seen = HashSet::new();
    while let Some(front) = fronts.pop() {
        if !seen.insert((front.run.number, front.at, front.last, front.left)) {
            continue;
        }
        for &next in graph.next(front.last) {
            if distances.of(next).is_none_or(|distance| distance >= front.left) {
                continue;
            }
            let (run, at) = match meet(&graph, &front.run, front.at, front.last, next) {
                Meeting::Leaves => continue,
                Meeting::Takes(at) => (Rc::clone(&front.run), at),
                Meeting::Misses(flip, step) => match explorer.flip(&front.run, flip)? {
                    Forced::Reached(run) | Forced::Diverged(run) | Forced::Supplied(run)
                        if !run.new.is_empty() =>
                    {
                        return ControlFlow::Continue(Some(run));
                    }
                    Forced::Reached(run) => (run, step + 1),
                    _ => continue,
                },
            };
            fronts.push(Front { run, at, last: next, left: front.left - 1 });
        }
    }
    ControlFlow::Continue(None)
}

/// The step at which a decision was made.
fn step_of(run: &Execution, decision: u32) -> usize {
    match &run.trace {
        None => decision as usize,
        Some(trace) => trace.iter().position(|step| step.decision == Some(decision)).unwrap_or(trace.len()),
    }
}

/// What the run does from step `at` on, where a static path goes from `from` to `to`.
pub(crate) fn meet(graph: &Cfcg, run: &Execution, at: usize, from: Goal, to: Goal) -> Meeting {
    let steps = run.trace.as_ref().map_or(run.path.decisions.len(), Vec::len);
    for step in at..steps {
        let (taken, decision) = match &run.trace {
            Some(trace) => (Some(trace[step].goal), trace[step].decision),
            None => (run.decision(step as u32).taken.goal, Some(step as u32)),
        };
        if taken == Some(to) {
            return Meeting::Takes(step + 1);
        }
        if let Some(decision) = decision
            && let Some(way) = run.decision(decision).others.iter().position(|way| way.goal == Some(to))
        {
            return Meeting::Misses(Flip { decision, way: way as u32 }, step);
        }
        if taken.is_some_and(|taken| !graph.is_aside(taken, from, to)) {
            break;
        }
    }
    if run.trace.is_none() && run.hit.binary_search(&to).is_ok() {
        return Meeting::Takes(at);
    }
    Meeting::Leaves
}
