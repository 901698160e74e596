//! Decisions: which conditions belong together, and where each of them leads.
//!
//! Clang's own MC/DC records say so, and they are what the judge counts. It has none for a decision with a negated group,
//! `!(a && b) || c`, nor for one with another one inside, `a && f(b && c)`: these are read from the source text between the
//! conditions. Those with `&` and `|` of truth values are read from clang's syntax tree, and their conditions are found in the code.

mod bitwise;
pub(crate) mod constants;
pub(crate) mod syntax;
mod text;

use crate::covmap::{BranchRegion, ConditionPlace, DecisionRegion, FunctionMapping};
use crate::scan::Site;
use crate::unit::{FileTable, Mappings, outermost_expansion};
use inkwell::basic_block::BasicBlock;
use model::{BlockId, Branch, BranchId, BranchKind, Decision, LeftOut, Position, Shape, Span};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// What is known of the decisions of a unit beside its code.
#[derive(Debug, Default)]
pub(crate) struct Described {
    /// Its mappings, with decisions.
    pub(crate) mappings: Mappings,
    /// Decisions with bitwise operators, if they are wanted.
    pub(crate) bitwise: Vec<syntax::Bitwise>,
}

/// A function whose decisions are wanted.
pub(crate) struct Subject<'a, 'c> {
    pub(crate) blocks: &'a [BasicBlock<'c>],
    /// Its mapping without decisions.
    pub(crate) mapping: &'a FunctionMapping,
    /// The same with them.
    pub(crate) described: &'a FunctionMapping,
    pub(crate) bitwise: &'a [syntax::Bitwise],
    /// The branches of its mapping, in the same order.
    pub(crate) branches: &'a [Branch],
}

/// The decisions of a function.
#[derive(Default)]
pub(crate) struct Decisions<'c> {
    pub(crate) list: Vec<Decision>,
    /// Conditions that are no branches by themselves, and nodes.
    pub(crate) branches: Vec<Branch>,
    /// What decides these conditions.
    pub(crate) sites: Vec<(BranchId, Site<'c>)>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// A range in a file of a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    file: u32,
    start: Position,
    end: Position,
}

/// A decision over conditions that the mapping has, by their numbers in [`Regions`], in the order of their evaluation.
struct Found {
    conditions: Vec<usize>,
    shape: Shape,
    /// In the file of the first condition, macros being files of their own.
    place: Place,
}

/// A condition of a decision.
#[derive(Clone, Copy)]
enum Member<'c> {
    /// A branch, by its place among all of the function.
    Branch(usize),
    /// It always has the same value.
    Constant(Place),
    /// It is evaluated, and nothing jumps on it alone.
    Value(Place, Site<'c>),
}

/// The same with conditions of every kind.
struct Candidate<'c> {
    members: Vec<Member<'c>>,
    shape: Shape,
    place: Place,
    is_confirmable: bool,
}

/// The conditions of a mapping by number: those that are evaluated, and behind them those that are folded.
struct Regions<'m>(&'m FunctionMapping);

impl<'m> Regions<'m> {
    fn len(&self) -> usize {
        self.0.branches.len() + self.0.folded.len()
    }

    fn region(&self, index: usize) -> &'m BranchRegion {
        let evaluated = self.0.branches.len();
        self.0.branches.get(index).unwrap_or_else(|| &self.0.folded[index - evaluated].region)
    }

    fn is_folded(&self, index: usize) -> bool {
        index >= self.0.branches.len()
    }

    /// The value of one that is folded, if that is known.
    fn value(&self, index: usize) -> Option<bool> {
        self.0.folded.get(index.checked_sub(self.0.branches.len())?)?.value
    }

    fn member<'c>(&self, index: usize) -> Member<'c> {
        let &BranchRegion { file, start, end, .. } = self.region(index);
        match self.is_folded(index) {
            true => Member::Constant(Place { file, start, end }),
            false => Member::Branch(index),
        }
    }
}

/// The decisions of a function. Conditions and nodes get ids from `next` on.
pub(crate) fn find<'c>(subject: &Subject<'_, 'c>, next: &mut u32, files: &mut FileTable) -> Decisions<'c> {
    let Subject { mapping, described, branches, .. } = subject;
    let is_same =
        |(a, b): (&BranchRegion, &BranchRegion)| (a.file, a.start, a.end) == (b.file, b.start, b.end);
    let fits = mapping.branches.len() == described.branches.len()
        && branches.len() >= described.branches.len()
        && mapping.branches.iter().zip(&described.branches).all(is_same);
    if !fits {
        return Decisions::default();
    }
    let mut builder = Builder { subject, files, next, found: Decisions::default() };
    for candidate in builder.candidates() {
        builder.add(candidate);
    }
    builder.add_nodes();
    builder.found
}

struct Builder<'a, 'c> {
    subject: &'a Subject<'a, 'c>,
    files: &'a mut FileTable,
    next: &'a mut u32,
    found: Decisions<'c>,
}

impl<'c> Builder<'_, 'c> {
    /// All that may be decisions, in the order of the source.
    fn candidates(&mut self) -> Vec<Candidate<'c>> {
        let described = self.subject.described;
        let regions = Regions(described);
        let known = recorded(described).into_iter().map(|found| (found, true));
        let read = text::read(described).into_iter().map(|found| (found, false));
        let mut all = Vec::new();
        for (Found { conditions, shape, place }, is_confirmable) in known.chain(read) {
            let is_unknown = |&&index: &&usize| regions.is_folded(index) && regions.value(index).is_none();
            let is_evaluated = |&index: &usize| self.is_evaluated(index);
            if conditions.iter().find(is_unknown).is_none() {
                let members = conditions.iter().map(|&index| regions.member(index)).collect();
                all.push(Candidate { members, shape, place, is_confirmable });
            } else if conditions.iter().any(is_evaluated) {
                self.leave_out(place, "the value of a constant condition in a macro is not known");
            }
        }
        for decision in self.subject.bitwise {
            match bitwise::resolve(self.subject, decision) {
                None => {}
                Some((place, Err(reason))) => self.leave_out(place, reason),
                Some((_, Ok(candidate))) => {
                    all.retain(|other| !other.is_part_of(&candidate, described));
                    all.push(candidate);
                }
            }
        }
        // What is outside comes before what is inside.
        let position = |place: Place| {
            let Place { start, end, .. } = outermost(described, place);
            (start, Reverse(end), place.start, Reverse(place.end))
        };
        all.sort_by_key(|candidate| position(candidate.place));
        all
    }

    fn is_evaluated(&self, index: usize) -> bool {
        self.subject.branches.get(index).is_some_and(|branch| branch.kind == BranchKind::Condition)
            && index < self.subject.described.branches.len()
    }

    fn add(&mut self, candidate: Candidate<'c>) {
        let Candidate { members, shape, place, is_confirmable } = candidate;
        let evaluable = shape.evaluable();
        // One condition alone is a branch.
        if evaluable.count_ones() < 2 {
            return;
        }
        let decided = |index: usize| match members[index] {
            Member::Branch(branch) => self.is_evaluated(branch),
            Member::Constant(_) => false,
            Member::Value(..) => true,
        };
        let at_run_time = (0..members.len()).filter(|&i| evaluable >> i & 1 == 1).filter(|&i| decided(i));
        match at_run_time.count() {
            // Nothing of it is: the operand of a `sizeof`.
            0 => return,
            count if count < evaluable.count_ones() as usize => {
                return self.leave_out(place, "not all of its conditions are decided at run time");
            }
            _ => {}
        }
        let conditions = members.into_iter().map(|member| self.condition(member)).collect();
        let span = self.span(place);
        // Nodes get their numbers behind all conditions.
        let nodes = Vec::new();
        self.found.list.push(Decision { span, conditions, shape, nodes, is_cut: false, is_confirmable });
    }

    /// The branch of a condition, perhaps a new one.
    fn condition(&mut self, member: Member<'c>) -> BranchId {
        let (place, kind, site) = match member {
            Member::Branch(index) => return self.subject.branches[index].id,
            Member::Constant(place) => (place, BranchKind::Unevaluated, None),
            Member::Value(place, site) => (place, BranchKind::Condition, Some(site)),
        };
        let id = BranchId(*self.next);
        *self.next += 1;
        let block = match site {
            Some(Site::Select { at, .. }) => at.get_parent(),
            _ => None,
        };
        let block = block.and_then(|block| self.subject.blocks.iter().position(|&other| other == block));
        let block = BlockId(block.unwrap_or(0) as u32);
        let expansion = outermost_expansion(self.subject.described, place.file, self.files);
        let span = self.span(place);
        self.found.branches.push(Branch { id, kind, span, expansion, block, counted: false });
        self.found.sites.extend(site.map(|site| (id, site)));
        id
    }

    /// Nodes are branches, each like its condition.
    fn add_nodes(&mut self) {
        let known = self.subject.branches.iter().chain(&self.found.branches);
        let by_id: HashMap<BranchId, Branch> = known.map(|branch| (branch.id, branch.clone())).collect();
        for decision in &mut self.found.list {
            (decision.nodes, decision.is_cut) = decision.shape.nodes(*self.next);
            *self.next += decision.nodes.len() as u32;
            for node in &decision.nodes {
                let condition = by_id[&decision.conditions[node.condition as usize]].clone();
                let (id, kind) = (node.branch, BranchKind::Node);
                self.found.branches.push(Branch { id, kind, counted: false, ..condition });
            }
        }
    }

    fn leave_out(&mut self, place: Place, reason: &str) {
        let span = self.span(outermost(self.subject.described, place));
        self.found.left_out.push(LeftOut { span, reason: reason.to_owned() });
    }

    fn span(&mut self, Place { file, start, end }: Place) -> Span {
        Span { file: self.files.index(&self.subject.described.files[file as usize].path), start, end }
    }
}

impl Candidate<'_> {
    /// Whether a bitwise decision says all that this one does: they share a condition, or what is a condition here has conditions there.
    fn is_part_of(&self, bitwise: &Candidate<'_>, mapping: &FunctionMapping) -> bool {
        let place = |member: &Member<'_>| match *member {
            Member::Branch(index) => {
                let &BranchRegion { file, start, end, .. } = &mapping.branches[index];
                outermost(mapping, Place { file, start, end })
            }
            Member::Constant(place) | Member::Value(place, _) => outermost(mapping, place),
        };
        let holds = |outer: Place, inner: Place| {
            outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
        };
        let is_inside = holds(bitwise.place, outermost(mapping, self.place));
        let is_same = |member: &Member<'_>, other: &Member<'_>| match (member, other) {
            (Member::Branch(a), Member::Branch(b)) => a == b,
            _ => false,
        };
        let joins = |member: &Member<'_>, other: &Member<'_>| {
            is_same(member, other) || is_inside && holds(place(member), place(other))
        };
        self.members.iter().any(|member| bitwise.members.iter().any(|other| joins(member, other)))
    }
}

/// Where a reader of the function sees a place: the use of the outermost macro, or the place itself.
fn outermost(mapping: &FunctionMapping, mut place: Place) -> Place {
    for _ in 0..mapping.files.len() {
        let Some((file, start, end)) = mapping.files[place.file as usize].expanded_at else { break };
        place = Place { file, start, end };
    }
    place
}

/// The decisions that clang has recorded.
fn recorded(mapping: &FunctionMapping) -> Vec<Found> {
    let regions = Regions(mapping);
    let mut members: BTreeMap<usize, Vec<(usize, ConditionPlace)>> = BTreeMap::new();
    for index in 0..regions.len() {
        let region = regions.region(index);
        let Some(place) = region.place else { continue };
        let around =
            mapping.decisions.iter().enumerate().filter(|(_, decision)| contains(mapping, decision, region));
        // The innermost: it ends before the others do.
        let innermost = around.min_by_key(|(_, decision)| (decision.end, Reverse(decision.start)));
        if let Some((decision, _)) = innermost {
            members.entry(decision).or_default().push((index, place));
        }
    }
    let is_whole = |decision: usize, found: usize| mapping.decisions[decision].conditions as usize == found;
    let whole = members.into_iter().filter(|(decision, found)| is_whole(*decision, found.len()));
    whole.filter_map(|(decision, found)| in_order(&mapping.decisions[decision], &found, &regions)).collect()
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
fn in_order(
    region: &DecisionRegion,
    found: &[(usize, ConditionPlace)],
    regions: &Regions<'_>,
) -> Option<Found> {
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
    let conditions: Vec<usize> = order.iter().map(|id| by_id[id].0).collect();
    let constants: Vec<Option<bool>> = conditions.iter().map(|&index| regions.value(index)).collect();
    let &DecisionRegion { file, start, end, .. } = region;
    let place = Place { file, start, end };
    Some(Found { conditions, shape: Shape::new(&next, &constants).ok()?, place })
}

/// Whether a range lies in another one, and is not the same.
fn is_inside(inner: (Position, Position), outer: (Position, Position)) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1 && inner != outer
}
