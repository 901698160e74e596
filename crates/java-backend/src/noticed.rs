//! What JaCoCo notices of a test, to the last probe.
//!
//! While tests are searched for, [`crate::doubt`] guesses from the stack of the exception that ended a run. Of a test that is to be believed
//! the run is executed again, instruction by instruction, exceptions that are caught on the way included, and the probes of JaCoCo are passed as it
//! would pass them.

use crate::program::JavaProgram;
use java_frontend::jacoco::probes::{Edge, Probes, Way};
use java_frontend::{Shape, Site};
use java_replay::{End, Run, Settings, replay};
use java_wire::{Script, Value};
use java_worker::Ran;
use model::{BranchId, Goal};
use std::collections::{BTreeMap, BTreeSet};

/// The outcomes that JaCoCo notices.
pub(crate) struct Noticed<'p> {
    program: &'p JavaProgram,
    goals: BTreeSet<Goal>,
}

impl Noticed<'_> {
    /// Whether it notices this one; so it does what it does not count. `None` if nobody knows, since no replay sees it.
    pub(crate) fn holds(&self, goal: &Goal) -> Option<bool> {
        let holds = self.goals.contains(goal) || !self.program.model.sites.is_counted(*goal);
        (holds || !self.program.unreplayed.contains(&goal.branch)).then_some(holds)
    }
}

/// Of a run with all hooks; `None` if it cannot be followed to its end.
pub(crate) fn noticed<'p>(
    program: &'p JavaProgram,
    script: &Script,
    values: &[Value],
    ran: &Ran<'_>,
) -> Option<Noticed<'p>> {
    if ran.reply.cut {
        return None;
    }
    let variables = vec![java_replay::Symbols::default(); values.len()];
    let (trace, classes, end) = (ran.words, ran.classes, Some(&ran.reply.end));
    let run = Run { script, values, variables: &variables, trace, classes, end };
    let settings = Settings { edges: true, decisions: 0, ..Settings::default() };
    let replayed = replay(&program.code, &run, &settings, &mut expr::Terms::new());
    if !matches!(replayed.end, End::Returned | End::Threw { .. }) {
        return None;
    }
    let mut by_method: BTreeMap<(usize, usize), Vec<Edge>> = BTreeMap::new();
    for edge in &replayed.edges {
        let place = |at: usize| at as u32;
        let edges = by_method.entry((edge.class, edge.method)).or_default();
        edges.push(Edge { from: edge.from.map(place), to: place(edge.to) });
    }
    let mut goals = BTreeSet::new();
    for ((class, method), edges) in by_method {
        let code = program.classes.own.get(class)?.class.methods.get(method)?.code.as_ref()?;
        let ways = Probes::of(code)?.noticed(edges);
        for site in program.model.sites.of_method(class, method) {
            let Some(at) = code.position(site.pc) else { continue };
            let ways = ways.range((at, Way::Falls)..=(at, Way::Leaves)).map(|(_, way)| *way);
            goals.extend(ways.flat_map(|way| outcomes(site, way, |pc| code.position(pc))));
        }
    }
    Some(Noticed { program, goals })
}

/// The outcome of a jump that a way out of it is. A copy of a `finally` block also counts for its original.
fn outcomes(
    site: &Site,
    way: Way,
    position: impl Fn(java_classfile::Pc) -> Option<usize>,
) -> impl Iterator<Item = Goal> {
    let found = match (&site.shape, way) {
        (Shape::Condition { taken_is, .. }, Way::Jumps(_)) => Some((0, *taken_is)),
        (Shape::Condition { taken_is, .. }, Way::Falls) => Some((0, !taken_is)),
        (Shape::Switch { targets }, Way::Jumps(to)) => {
            let offset = targets.iter().position(|target| position(target.pc) == Some(to));
            offset.map(|offset| (offset as u32, true))
        }
        _ => None,
    };
    let firsts = [Some(site.branch), site.counts_for].into_iter().flatten();
    firsts.filter_map(move |first| {
        let (offset, outcome) = found?;
        Some(Goal { branch: BranchId(first.0 + offset), outcome })
    })
}
