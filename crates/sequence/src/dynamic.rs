//! What executions say about their sequence: the criteria of section 4.4.1, and what they prune.
//!
//! The `traces` of all functions are those of the first invokables of one execution, in order.

use crate::{Element, InvokableId, Place, Trace, Universe};

/// Whether the invokable at `first` did influence the later one at `second`: its result was handed to it, or it
/// wrote a field or an element that the other read, of the same object and not overwritten in between.
#[must_use]
pub fn influences(traces: &[Trace], first: usize, second: usize) -> bool {
    let (Some(a), Some(b)) = (traces.get(first), traces.get(second)) else { return false };
    if first >= second {
        return false;
    }
    let between = &traces[first + 1..second];
    let handed_on = a.returned.is_some() && b.arguments.contains(&first);
    handed_on
        || a.defines.intersection(&b.uses).any(|place| !redefined(between, place))
        || a.stores.intersection(&b.loads).any(|element| !overwritten(between, element))
}

/// Whether a complete execution would have gone the same way without one of its invokables, because it influenced
/// no later one.
#[must_use]
pub fn is_redundant(traces: &[Trace]) -> bool {
    (0..traces.len().saturating_sub(1)).any(|at| !did_influence(traces, at))
}

/// Whether an execution of the first invokables of `sequence` can still become one in which every invokable
/// influences a later one: each did, or has left something that an invokable to come may read or take. Otherwise
/// there is no point in going on. Of a complete execution it is the opposite of [`is_redundant`].
#[must_use]
pub fn can_still_matter(universe: &Universe, sequence: &[InvokableId], traces: &[Trace]) -> bool {
    let rest = sequence.get(traces.len()..).unwrap_or_default();
    let done = if rest.is_empty() { traces.len().saturating_sub(1) } else { traces.len() };
    (0..done).all(|at| did_influence(traces, at) || may_influence(universe, sequence, traces, at, rest))
}

/// Dynamic partial order reduction (section 4.3.4): whether the invokables at `at` and after it stand in the wrong
/// order of their numbers and could as well stand in the other, which is a candidate, too. The printed rule asks
/// only whether the first influenced the second; here neither may have written what the other wrote or read. The
/// last invokable of a sequence keeps its place.
#[must_use]
pub fn is_out_of_order(universe: &Universe, sequence: &[InvokableId], traces: &[Trace], at: usize) -> bool {
    let [Some(first), Some(second)] = [traces.get(at), traces.get(at + 1)] else { return false };
    let [Some(p), Some(q)] = [sequence.get(at), sequence.get(at + 1)] else { return false };
    at + 2 < sequence.len()
        && universe.number(*p) > universe.number(*q)
        && !second.arguments.contains(&at)
        && !first.conflicts(second)
}

fn did_influence(traces: &[Trace], at: usize) -> bool {
    (at + 1..traces.len()).any(|later| influences(traces, at, later))
}

/// Whether something that the invokable at `at` left alive may influence one of the rest.
fn may_influence(
    universe: &Universe,
    sequence: &[InvokableId],
    traces: &[Trace],
    at: usize,
    rest: &[InvokableId],
) -> bool {
    let after = &traces[at + 1..];
    let trace = &traces[at];
    let uses = |place: &&Place| rest.iter().any(|id| uses(universe, *id, place));
    let loads = |element: &&Element| rest.iter().any(|id| loads(universe, *id, element));
    let takes = |id: &InvokableId| universe.flows(sequence[at], *id).return_argument;
    trace.returned.is_some() && rest.iter().any(takes)
        || trace.defines.iter().filter(uses).any(|place| !redefined(after, place))
        || trace.stores.iter().filter(loads).any(|element| !overwritten(after, element))
}

fn uses(universe: &Universe, id: InvokableId, place: &Place) -> bool {
    universe.get(id).is_some_and(|invokable| invokable.uses.contains(place.field()))
}

fn loads(universe: &Universe, id: InvokableId, element: &Element) -> bool {
    universe.get(id).is_some_and(|invokable| invokable.loads.contains(element.of))
}

fn redefined(between: &[Trace], place: &Place) -> bool {
    between.iter().any(|trace| trace.defines.contains(place))
}

fn overwritten(between: &[Trace], element: &Element) -> bool {
    between.iter().any(|trace| trace.stores.contains(element))
}
