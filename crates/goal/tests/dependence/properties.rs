//! Properties on random flow graphs, and the definitions themselves as judges.

use crate::subject::{Subject, assembled, branch};
use goal::dependence::{Definition, DependenceSet, Limits, Place};
use goal::{Fitness, Plans};
use model::{Access, BlockId, Branch, BranchId, BranchKind, Cfg, DataFlow, Edge, Goal, Variable, VariableId};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};

const VARIABLES: u32 = 4;

/// Blocks by where they lead, and what they access; the first `inputs` variables are inputs.
type Raw = (Vec<Vec<u32>>, Vec<Vec<Access>>, u32);

fn accesses() -> impl Strategy<Value = Vec<Access>> {
    let uses = || prop::collection::vec((0..VARIABLES).prop_map(VariableId), 0..=2);
    let define = ((0..VARIABLES).prop_map(VariableId), uses(), prop::bool::weighted(0.8))
        .prop_map(|(variable, uses, kills)| Access::Define { variable, uses, kills });
    (prop::collection::vec(define, 0..=2), uses(), 0usize..=2).prop_map(|(mut accesses, uses, at)| {
        accesses.insert(at.min(accesses.len()), Access::Decide { uses });
        accesses
    })
}

/// Up to 9 blocks with edges to anywhere; or without cycles up to 12, each of which leads to later ones not far away.
fn raw(has_cycles: bool) -> impl Strategy<Value = Raw> {
    (2u32..=if has_cycles { 9 } else { 12 }).prop_flat_map(move |size| {
        let block = move |at: u32| {
            let to = if has_cycles { 0..size } else { at + 1..(at + 5).min(size) };
            let count = if to.is_empty() { 0..=0 } else { 1..=3 };
            prop::collection::vec(to.start..to.end.max(to.start + 1), count)
        };
        let successors: Vec<_> = (0..size).map(block).collect();
        (successors, prop::collection::vec(accesses(), size as usize), 0..=VARIABLES)
    })
}

/// A block with two edges has a condition, with three a `switch`; every third block is one that no branch is known of.
fn made((successors, blocks, inputs): &Raw) -> Subject {
    let mut branches: Vec<Branch> = Vec::new();
    let mut cfg = Cfg::default();
    for (at, targets) in (0u32..).zip(successors) {
        let goal = |index: usize| match targets.len() {
            2 if at % 3 != 2 => Some(Goal { branch: BranchId(10 * at), outcome: index == 0 }),
            3 => Some(Goal { branch: BranchId(10 * at + index as u32), outcome: true }),
            _ => None,
        };
        let edge = |(index, &to)| Edge { to: BlockId(to), taken_by: goal(index).into_iter().collect() };
        cfg.successors.push(targets.iter().enumerate().map(edge).collect());
        let kind = if targets.len() == 3 { BranchKind::Case } else { BranchKind::Condition };
        let ids: BTreeSet<BranchId> = (0..targets.len()).filter_map(goal).map(|goal| goal.branch).collect();
        branches.extend(ids.into_iter().map(|id| branch(id, kind, BlockId(at))));
    }
    let variable = |n| Variable { name: format!("v{n}"), is_input: n < *inputs };
    let data = DataFlow { variables: (0..VARIABLES).map(variable).collect(), blocks: blocks.clone() };
    assembled(cfg, branches, data)
}

fn goals(subject: &Subject) -> impl Iterator<Item = Goal> + '_ {
    subject.function.branches.iter().map(|branch| Goal { branch: branch.id, outcome: true })
}

fn check<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner.run(strategy, test).unwrap_or_else(|error| panic!("{error}"));
}

/// The blocks that control gets to from `from`, without using the edges of an outcome.
fn reached(cfg: &Cfg, from: BlockId, without: Option<Goal>) -> BTreeSet<BlockId> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        for edge in &cfg.successors[block.index()] {
            let is_closed = without.is_some_and(|goal| edge.taken_by == [goal]);
            if !is_closed && found.insert(edge.to) {
                open.push(edge.to);
            }
        }
    }
    found
}

/// Whether no run takes both, from the definition.
fn exclude_each_other(subject: &Subject, a: Goal, b: Goal) -> bool {
    let (Some(first), Some(second)) = (subject.function.branch(a.branch), subject.function.branch(b.branch))
    else {
        return false;
    };
    let is_once = !reached(&subject.function.cfg, first.block, None).contains(&first.block);
    let two_labels = first.kind == BranchKind::Case && a.outcome && b.outcome && a != b;
    let two_outcomes = a.branch == b.branch && a.outcome != b.outcome;
    first.block == second.block && is_once && (two_labels || two_outcomes)
}

fn is_free_of_conflicts(subject: &Subject, set: &DependenceSet) -> bool {
    set.iter().all(|&a| set.iter().all(|&b| !exclude_each_other(subject, a, b)))
}

/// Item 20, 23, 24: what every result is like, with tight limits as well.
#[test]
fn item_24_sets_are_free_of_conflicts_and_contain_the_plain_one() {
    let rich = Cell::new(0);
    let limits = prop_oneof![
        Just(Limits::default()),
        (1usize..4, 1usize..20, 1usize..8).prop_map(|(ways, chains, sets)| Limits { ways, chains, sets })
    ];
    check(&(raw(true), limits), |(raw, limits)| {
        let subject = made(&raw);
        let dependence = subject.dependence();
        for goal in goals(&subject) {
            let found = dependence.sets(goal, &limits);
            prop_assert_eq!(found.sets.first(), Some(&found.plain));
            prop_assert!(found.sets.is_sorted_by(|a, b| (a.len(), a) < (b.len(), b)));
            prop_assert!(found.sets.len() <= limits.sets);
            prop_assert!(found.chains.len() <= limits.chains);
            for set in found.sets.iter().chain(&found.chains) {
                prop_assert!(is_free_of_conflicts(&subject, set), "{:?}", set);
                prop_assert!(set.is_superset(&found.plain) && !set.contains(&goal));
            }
            if found.reached.is_empty() {
                rich.set(rich.get() + usize::from(found.sets.len() > 3));
                let sets: BTreeSet<&DependenceSet> = found.sets.iter().collect();
                prop_assert!(found.chains.iter().all(|chain| sets.contains(chain)));
                for union in found.sets.iter().flat_map(|a| found.sets.iter().map(move |b| a | b)) {
                    prop_assert!(sets.contains(&union) || !is_free_of_conflicts(&subject, &union));
                }
            }
        }
        Ok(())
    });
    assert!(rich.get() > 300, "poor sample: {}", rich.get());
}

/// The same program with its variables in another order, and those of each use too.
#[test]
fn item_19_the_order_of_variables_does_not_matter() {
    let order = Just((0..VARIABLES).collect::<Vec<u32>>()).prop_shuffle();
    let limits = prop_oneof![
        Just(Limits::default()),
        (1usize..4, 1usize..20, 1usize..8).prop_map(|(ways, chains, sets)| Limits { ways, chains, sets })
    ];
    check(&(raw(true), order, limits), |(raw, order, limits)| {
        let (subject, mut renamed) = (made(&raw), made(&raw));
        let new = |old: &VariableId| VariableId(order[old.0 as usize]);
        for (old, variable) in subject.data.variables.iter().enumerate() {
            renamed.data.variables[order[old] as usize] = variable.clone();
        }
        for access in renamed.data.blocks.iter_mut().flatten() {
            let (Access::Define { uses, .. } | Access::Decide { uses }) = access;
            *uses = uses.iter().rev().map(new).collect();
            if let Access::Define { variable, .. } = access {
                *variable = new(variable);
            }
        }
        for goal in goals(&subject) {
            prop_assert_eq!(
                subject.dependence().sets(goal, &limits),
                renamed.dependence().sets(goal, &limits)
            );
        }
        Ok(())
    });
}

/// Forward from every definition, as far as nothing kills it, against backward from the use.
#[test]
fn item_17_last_definitions_are_those_with_a_definition_clear_path() {
    check(&raw(true), |raw| {
        let subject = made(&raw);
        let (cfg, data) = (&subject.function.cfg, &subject.data);
        let mut live = reached(cfg, BlockId(0), None);
        live.insert(BlockId(0));
        let mut expected: HashMap<(Place, VariableId), BTreeSet<Definition>> = HashMap::new();
        let mut spread = |definition: Definition, variable: VariableId, from: Place| {
            let (mut open, mut seen) = (vec![from], BTreeSet::new());
            while let Some(place) = open.pop() {
                if !seen.insert(place) {
                    continue;
                }
                match data.block(place.block).get(place.index) {
                    None => open.extend(
                        cfg.successors[place.block.index()].iter().map(|e| Place { block: e.to, index: 0 }),
                    ),
                    Some(access) => {
                        expected.entry((place, variable)).or_default().insert(definition);
                        let killed = matches!(access, Access::Define { variable: v, kills: true, .. } if *v == variable);
                        open.extend((!killed).then_some(Place { index: place.index + 1, ..place }));
                    }
                }
            }
        };
        let places: Vec<Place> = live
            .iter()
            .flat_map(|&block| (0..data.block(block).len()).map(move |index| Place { block, index }))
            .collect();
        for &place in &places {
            if let Access::Define { variable, .. } = data.block(place.block)[place.index] {
                spread(Definition::At(place), variable, Place { index: place.index + 1, ..place });
            }
        }
        let inputs = (0..VARIABLES).map(VariableId).filter(|&variable| data.is_input(variable));
        inputs.for_each(|input| spread(Definition::Entry, input, Place { block: BlockId(0), index: 0 }));
        for place in places {
            for variable in (0..VARIABLES).map(VariableId) {
                let found = subject.dependence().last_definitions(place, variable);
                prop_assert_eq!(found, expected.remove(&(place, variable)).unwrap_or_default());
            }
        }
        Ok(())
    });
}

/// Without cycles the plain set is what no path from the entry goes without.
#[test]
fn item_15_the_plain_set_is_what_every_path_takes() {
    let rich = Cell::new(0);
    check(&raw(false), |raw| {
        let subject = made(&raw);
        let cfg = &subject.function.cfg;
        let outcomes: BTreeSet<Goal> =
            cfg.successors.iter().flatten().flat_map(|edge| edge.taken_by.iter().copied()).collect();
        for branch in &subject.function.branches {
            let can_be_reached =
                branch.block == BlockId(0) || reached(cfg, BlockId(0), None).contains(&branch.block);
            let is_needed = |goal: &Goal| {
                branch.block != BlockId(0) && !reached(cfg, BlockId(0), Some(*goal)).contains(&branch.block)
            };
            let expected: DependenceSet =
                outcomes.iter().copied().filter(|goal| can_be_reached && is_needed(goal)).collect();
            rich.set(rich.get() + usize::from(expected.len() > 1));
            let goal = Goal { branch: branch.id, outcome: true };
            for limits in [Limits::default(), Limits { ways: 1, chains: 1, sets: 1 }] {
                prop_assert_eq!(&subject.dependence().sets(goal, &limits).plain, &expected);
            }
        }
        Ok(())
    });
    assert!(rich.get() > 50, "poor sample: {}", rich.get());
}

/// Figure 4.11 as it is printed, but for the ways and the start: without cycles, and with every variable an input, it ends.
struct AsPrinted<'s> {
    subject: &'s Subject,
    plain: DependenceSet,
    dep_sets: BTreeSet<DependenceSet>,
}

impl AsPrinted<'_> {
    fn get_dependencies(&mut self, pn: Place, s: &DependenceSet) {
        let dependence = self.subject.dependence();
        for &pv in self.subject.data.block(pn.block)[pn.index].uses() {
            for ld in dependence.last_definitions(pn, pv) {
                let Definition::At(place) = ld else {
                    self.dep_sets.insert(s | &self.plain);
                    continue;
                };
                for way in dependence.ways(place.block, usize::MAX).sets {
                    let s_ld = s | &way;
                    if is_free_of_conflicts(self.subject, &(&s_ld | &self.plain)) {
                        self.go_on(place, &way, &s_ld);
                    }
                }
            }
        }
    }

    fn go_on(&mut self, ld: Place, way: &DependenceSet, s_ld: &DependenceSet) {
        let blocks = way.iter().filter_map(|cd| self.subject.function.branch(cd.branch)).map(|b| b.block);
        let mut nodes: BTreeSet<Place> = blocks.flat_map(|block| decisions(self.subject, block)).collect();
        nodes.insert(ld);
        nodes.retain(|node| !self.subject.data.block(node.block)[node.index].uses().is_empty());
        if nodes.is_empty() {
            self.dep_sets.insert(s_ld | &self.plain);
        }
        nodes.into_iter().for_each(|node| self.get_dependencies(node, s_ld));
    }
}

fn decisions(subject: &Subject, block: BlockId) -> Vec<Place> {
    let accesses = subject.data.block(block).iter().enumerate();
    let decides = accesses.filter(|(_, access)| matches!(access, Access::Decide { .. }));
    decides.map(|(index, _)| Place { block, index }).collect()
}

#[test]
fn item_19_chains_are_those_of_the_printed_algorithm() {
    let rich = Cell::new(0);
    check(&raw(false), |(successors, blocks, _)| {
        let subject = made(&(successors, blocks, VARIABLES));
        let limits = Limits { ways: 10_000, chains: 100_000, sets: 1 };
        let dependence = subject.function.cfg.control_dependence();
        for target in &subject.function.branches {
            let goal = Goal { branch: target.id, outcome: true };
            let found = subject.dependence().sets(goal, &limits);
            let mut as_printed =
                AsPrinted { subject: &subject, plain: found.plain, dep_sets: BTreeSet::new() };
            let is_reached = target.block == BlockId(0)
                || reached(&subject.function.cfg, BlockId(0), None).contains(&target.block);
            if !is_reached {
                continue;
            }
            let (mut open, mut seen) = (vec![target.block], BTreeSet::from([target.block]));
            while let Some(block) = open.pop() {
                for pn in decisions(&subject, block) {
                    as_printed.get_dependencies(pn, &DependenceSet::new());
                }
                let controllers = dependence[block.index()].iter().map(|&(controller, _)| controller);
                open.extend(controllers.filter(|&controller| seen.insert(controller)));
            }
            rich.set(rich.get() + usize::from(as_printed.dep_sets.len() > 2));
            let found: BTreeSet<DependenceSet> = found.chains.into_iter().collect();
            prop_assert_eq!(found, as_printed.dep_sets);
        }
        Ok(())
    });
    assert!(rich.get() > 100, "poor sample: {}", rich.get());
}

/// Whatever distances a run has: covered is covered, and one more outcome taken is never a higher level.
#[test]
fn item_37_fitness_of_random_runs() {
    let distances = prop::collection::vec(prop_oneof![Just(0), Just(u128::MAX), 1u128..9], 200);
    check(&(raw(true), distances), |(raw, distances)| {
        let subject = made(&raw);
        let distance = |goal: Goal| distances[goal.index()];
        let plans = Plans::new(&subject.function);
        for goal in goals(&subject) {
            let target = plans.plan(goal);
            let found = subject.dependence().sets(goal, &Limits::default());
            for plan in found.plans(&target) {
                let fitness = plan.fitness(distance);
                prop_assert_eq!(fitness == Fitness::COVERED, distance(goal) == 0);
                let own = target.fitness(distance);
                if plan.further().iter().all(|&outcome| distance(outcome) == 0) && own != Fitness::WORST {
                    prop_assert_eq!(fitness, own);
                } else if own != Fitness::COVERED && own != Fitness::WORST {
                    prop_assert!(fitness.level > own.level);
                }
                for &taken in plan.further() {
                    let closer = plan.fitness(|goal| if goal == taken { 0 } else { distance(goal) });
                    prop_assert!(closer.level <= fitness.level, "{:?} after {:?}", closer, fitness);
                }
            }
        }
        Ok(())
    });
}
