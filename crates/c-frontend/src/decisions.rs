//! Decisions: which conditions belong together, and where each of them leads.
//!
//! Clang's own MC/DC records say so, and they are what the judge counts. It has none for a decision with a negated group,
//! `!(a && b) || c`, nor for one with another one inside, `a && f(b && c)`: these are read from the source text between the
//! conditions.

mod text;

use crate::covmap::{BranchRegion, ConditionPlace, DecisionRegion, FunctionMapping};
use crate::unit::FileTable;
use model::{Branch, BranchKind, Decision, Position, Shape, Span};
use std::collections::{BTreeMap, HashMap};

/// The decisions of a function: `described` is its mapping with decisions, `branches` are those of its mapping without, in the
/// same order. Nodes get ids from `first` on.
pub(crate) fn find(
    mapping: &FunctionMapping,
    described: &FunctionMapping,
    branches: &[Branch],
    first: u32,
    files: &mut FileTable,
) -> Vec<Decision> {
    let is_same =
        |(a, b): (&BranchRegion, &BranchRegion)| (a.file, a.start, a.end) == (b.file, b.start, b.end);
    let fits = mapping.branches.len() == described.branches.len()
        && branches.len() >= described.branches.len()
        && mapping.branches.iter().zip(&described.branches).all(is_same);
    if !fits {
        return Vec::new();
    }
    let known = recorded(described).into_iter().map(|found| (found, true));
    let read = text::read(described).into_iter().map(|found| (found, false));
    let mut all: Vec<(Found, bool)> = known.chain(read).collect();
    // Those that are never decided at run time have no vectors.
    let is_evaluated = |&condition: &usize| branches[condition].kind == BranchKind::Condition;
    all.retain(|(found, _)| found.conditions.iter().all(is_evaluated));
    all.sort_by_key(|(found, _)| found.conditions.iter().min().copied());
    let mut next = first;
    let mut decisions = Vec::new();
    for (Found { conditions, shape, start, end, file }, is_confirmable) in all {
        let (nodes, is_cut) = shape.nodes(next);
        next += nodes.len() as u32;
        let span = Span { file: files.index(&described.files[file as usize].path), start, end };
        let conditions = conditions.iter().map(|&condition| branches[condition].id).collect();
        decisions.push(Decision { span, conditions, shape, nodes, is_cut, is_confirmable });
    }
    decisions
}

/// The branches that nodes of decisions are, behind those of a function.
pub(crate) fn nodes(decisions: &[Decision], branches: &[Branch]) -> Vec<Branch> {
    let by_id: HashMap<_, &Branch> = branches.iter().map(|branch| (branch.id, branch)).collect();
    let mut all = Vec::new();
    for Decision { nodes, conditions, .. } in decisions {
        for node in nodes {
            let condition = by_id[&conditions[node.condition as usize]];
            all.push(Branch { id: node.branch, kind: BranchKind::Node, counted: false, ..condition.clone() });
        }
    }
    all
}

/// Conditions, by their place among all branches of the function, in the order of their evaluation.
struct Found {
    conditions: Vec<usize>,
    shape: Shape,
    /// In the file of the first condition, macros being files of their own.
    start: Position,
    end: Position,
    file: u32,
}

/// The decisions that clang has recorded.
fn recorded(mapping: &FunctionMapping) -> Vec<Found> {
    let mut members: BTreeMap<usize, Vec<(usize, ConditionPlace)>> = BTreeMap::new();
    for (index, region) in mapping.branches.iter().enumerate() {
        let Some(place) = region.place else { continue };
        let around =
            mapping.decisions.iter().enumerate().filter(|(_, decision)| contains(mapping, decision, region));
        // The innermost: it ends before the others do.
        let innermost = around.min_by_key(|(_, decision)| (decision.end, std::cmp::Reverse(decision.start)));
        if let Some((decision, _)) = innermost {
            members.entry(decision).or_default().push((index, place));
        }
    }
    let is_whole = |decision: usize, found: usize| mapping.decisions[decision].conditions as usize == found;
    let whole = members.into_iter().filter(|(decision, found)| is_whole(*decision, found.len()));
    whole.filter_map(|(decision, found)| in_order(&mapping.decisions[decision], &found)).collect()
}

/// Whether a decision has a condition, perhaps in a macro that is expanded there.
fn contains(mapping: &FunctionMapping, decision: &DecisionRegion, region: &BranchRegion) -> bool {
    let (mut file, mut start, mut end) = (region.file, region.start, region.end);
    for _ in 0..=mapping.files.len() {
        if file == decision.file {
            return decision.start <= start && end <= decision.end;
        }
        let Some((parent, from, to)) = mapping.files[file as usize].expanded_at else { return false };
        (file, start, end) = (parent, from, to);
    }
    false
}

/// Puts conditions in the order of their evaluation: some way through the decision meets all of them, one after the other, so
/// the longest way to each says which one it is.
fn in_order(region: &DecisionRegion, found: &[(usize, ConditionPlace)]) -> Option<Found> {
    let by_id: HashMap<u32, (usize, ConditionPlace)> =
        found.iter().map(|&(index, place)| (place.id, (index, place))).collect();
    let mut depth: HashMap<u32, usize> = HashMap::from([(1, 0)]);
    let mut todo = vec![1];
    while let Some(id) = todo.pop() {
        let (_, place) = by_id.get(&id)?;
        let next = depth[&id] + 1;
        // Ways are no longer than there are conditions.
        if next > found.len() {
            return None;
        }
        for to in [place.when_true, place.when_false].into_iter().filter(|&to| to != 0) {
            if depth.get(&to).is_none_or(|&known| known < next) {
                depth.insert(to, next);
                todo.push(to);
            }
        }
    }
    let mut order: Vec<u32> = by_id.keys().copied().collect();
    order.sort_by_key(|id| depth.get(id).copied());
    if order.iter().enumerate().any(|(index, id)| depth.get(id) != Some(&index)) {
        return None;
    }
    let at = |id: u32| (id != 0).then(|| depth[&id] as u32);
    let next: Vec<[Option<u32>; 2]> =
        order.iter().map(|id| by_id[id].1).map(|place| [at(place.when_false), at(place.when_true)]).collect();
    let conditions = order.iter().map(|id| by_id[id].0).collect();
    let &DecisionRegion { file, start, end, .. } = region;
    Some(Found { conditions, shape: Shape::new(&next).ok()?, start, end, file })
}

/// Whether a range lies in another one, and is not the same.
fn is_inside(inner: (Position, Position), outer: (Position, Position)) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1 && inner != outer
}
