//! The ways through a decision.

use super::{Node, Step};
use crate::BranchId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// Nodes of one decision. All ways through most decisions are fewer; of the others those that show each condition.
pub const MOST_NODES: usize = 384;
/// Pairs of ways that are looked for where there are more: so many for each condition.
const PAIRS: usize = 4;
/// Conditions of one decision.
const MOST_CONDITIONS: usize = 64;

/// Where each condition of a decision leads when it is false and when it is true: to a later condition, or to an outcome.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    next: Vec<[Next; 2]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) enum Next {
    Condition(u32),
    End(bool),
}

/// Why conditions make no decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeError {
    /// More than 64 conditions.
    TooLarge,
    /// A condition leads back, or nowhere.
    Tangled,
}

/// A full assignment, or what is known of one.
type Values = Vec<Option<bool>>;

impl Shape {
    /// From where each condition leads when it is false and when it is true; `None` is the end of the decision with that
    /// outcome.
    ///
    /// # Errors
    /// When these are not conditions in the order of their evaluation.
    pub fn new(next: &[[Option<u32>; 2]]) -> Result<Shape, ShapeError> {
        if next.len() > MOST_CONDITIONS {
            return Err(ShapeError::TooLarge);
        }
        let mut shape = Vec::new();
        for (condition, sides) in next.iter().enumerate() {
            let is_later = |to: &Option<u32>| {
                to.is_none_or(|to| (condition as u32 + 1..next.len() as u32).contains(&to))
            };
            if !sides.iter().all(is_later) {
                return Err(ShapeError::Tangled);
            }
            let side =
                |outcome: bool| sides[usize::from(outcome)].map_or(Next::End(outcome), Next::Condition);
            shape.push([side(false), side(true)]);
        }
        if shape.is_empty() { Err(ShapeError::Tangled) } else { Ok(Shape { next: shape }) }
    }

    /// The same decision with the opposite outcome.
    #[must_use]
    pub fn negated(&self) -> Shape {
        let turn = |next: Next| match next {
            Next::End(outcome) => Next::End(!outcome),
            condition => condition,
        };
        Shape { next: self.next.iter().map(|sides| sides.map(turn)).collect() }
    }

    /// Two decisions, the second evaluated when the first has this outcome.
    #[must_use]
    pub fn then(&self, outcome: bool, second: &Shape) -> Shape {
        let by = self.next.len() as u32;
        let first = |next: Next| match next {
            Next::End(end) if end == outcome => Next::Condition(by),
            other => other,
        };
        let behind = |next: Next| match next {
            Next::Condition(to) => Next::Condition(to + by),
            end => end,
        };
        let first = self.next.iter().map(|sides| sides.map(first));
        let second = second.next.iter().map(|sides| sides.map(behind));
        Shape { next: first.chain(second).collect() }
    }

    /// A single condition.
    #[must_use]
    pub fn condition() -> Shape {
        Shape { next: vec![[Next::End(false), Next::End(true)]] }
    }

    /// Number of conditions.
    #[must_use]
    pub fn conditions(&self) -> usize {
        self.next.len()
    }

    /// The outcome for these values, and which conditions are evaluated, a bit each.
    #[must_use]
    pub fn evaluate(&self, values: u64) -> (bool, u64) {
        let mut evaluated = 0;
        let mut at = 0u32;
        loop {
            evaluated |= 1 << at;
            match self.next[at as usize][(values >> at & 1) as usize] {
                Next::Condition(next) => at = next,
                Next::End(outcome) => return (outcome, evaluated),
            }
        }
    }

    /// The first part of a decision, and its rest from a condition on: the rest is evaluated when the first part has one
    /// outcome, and otherwise the decision ends, always with the same. Also returns that end. `None` for a single condition.
    pub(super) fn split(&self) -> Option<(Shape, Shape, bool)> {
        (1..self.next.len()).find_map(|at| {
            let (first, rest) = self.next.split_at(at);
            let leaves = |next: &Next| !matches!(next, Next::Condition(to) if (*to as usize) < at);
            let exits: BTreeSet<Next> = first.iter().flatten().copied().filter(leaves).collect();
            let goes_on = Next::Condition(at as u32);
            let ends: Vec<Next> = exits.iter().copied().filter(|&exit| exit != goes_on).collect();
            let [Next::End(end)] = ends[..] else { return None };
            let inside = |next: Next| match next {
                Next::Condition(to) if to as usize == at => Next::End(true),
                Next::End(_) => Next::End(false),
                inner => inner,
            };
            let behind = |next: Next| match next {
                Next::Condition(to) => Next::Condition(to - at as u32),
                end => end,
            };
            let part = |part: &[[Next; 2]], turn: &dyn Fn(Next) -> Next| Shape {
                next: part.iter().map(|sides| sides.map(turn)).collect(),
            };
            Some((part(first, &inside), part(rest, &behind), end))
        })
    }

    /// Assignments that show every condition, one more than there are conditions. Of two parts those of the second are joined to
    /// one of the first that goes on to it, and all others of the first that do to one of the second.
    #[must_use]
    pub fn few(&self) -> Vec<u64> {
        let Some((first, rest, end)) = self.split() else { return vec![0, 1] };
        let at = first.next.len();
        let (going_on, stopping): (Vec<u64>, Vec<u64>) =
            first.few().into_iter().partition(|&values| first.evaluate(values).0);
        let behind = rest.few();
        let other = behind.iter().copied().find(|&values| rest.evaluate(values).0 != end).unwrap_or(0);
        let (join, others) = going_on.split_first().map_or((0, &[][..]), |(&join, others)| (join, others));
        let mut all = stopping;
        all.extend(behind.iter().map(|values| join | values << at));
        all.extend(others.iter().map(|values| values | other << at));
        all
    }

    /// The conditions of an evaluation on which the outcome hangs, a bit each: with some values for those that were not evaluated, the
    /// outcome is another if the condition is.
    #[must_use]
    pub fn deciding(&self, evaluated: u64, values: u64) -> u64 {
        let known: Values =
            (0..self.next.len()).map(|i| (evaluated >> i & 1 == 1).then_some(values >> i & 1 == 1)).collect();
        let hangs = |&condition: &usize| {
            let fixed = Some(&known[..]);
            let mut search =
                Pairing { shape: self, condition: condition as u32, turn: 0, fixed, dead: BTreeSet::new() };
            known[condition].is_some()
                && search.walk([Next::Condition(0); 2], &mut vec![None; self.next.len()])
        };
        (0..self.next.len()).filter(hangs).map(|condition| 1 << condition).sum()
    }

    /// The nodes of all ways, or of so many that every condition can be shown in some ways; whether some are left out. Ids
    /// begin with `first`.
    #[must_use]
    pub fn nodes(&self, first: u32) -> (Vec<Node>, bool) {
        let mut tree = Tree { shape: self, nodes: Vec::new(), first };
        if tree.count(Next::Condition(0), &mut HashMap::new()) <= MOST_NODES as u64 {
            tree.add_all(Next::Condition(0));
            return (tree.nodes, false);
        }
        let pairs = (0..self.next.len() as u32).flat_map(|condition| self.showing(condition, PAIRS));
        for way in self.few().into_iter().chain(pairs.flatten()) {
            tree.add_way(way);
        }
        (tree.nodes, true)
    }

    /// Pairs of assignments that differ in one condition and in the outcome, at most `most` of them: the values of the others are
    /// found by walking both ways at once.
    #[must_use]
    pub fn showing(&self, condition: u32, most: usize) -> Vec<[u64; 2]> {
        let mut found = Vec::new();
        for way in 0..most as u64 * 4 {
            let mut values: Values = vec![None; self.next.len()];
            let mut search =
                Pairing { shape: self, condition, turn: way, fixed: None, dead: BTreeSet::new() };
            if search.walk([Next::Condition(0); 2], &mut values) {
                let bits = |of: bool| {
                    let value = |(i, v): (usize, &Option<bool>)| {
                        let value = if i as u32 == condition { of } else { v.unwrap_or(false) };
                        u64::from(value) << i
                    };
                    values.iter().enumerate().map(value).sum::<u64>()
                };
                let pair = [bits(false), bits(true)];
                if !found.contains(&pair) {
                    found.push(pair);
                }
            }
            if found.len() == most {
                break;
            }
        }
        found
    }
}

/// Walks the ways of a decision with a condition false and with it true, and looks for values of the others for which
/// they end differently.
struct Pairing<'a> {
    shape: &'a Shape,
    condition: u32,
    /// Which values are tried first: a bit for each condition in turn.
    turn: u64,
    /// Values that are given.
    fixed: Option<&'a [Option<bool>]>,
    /// Places from where there is no such end.
    dead: BTreeSet<[Next; 2]>,
}

impl Pairing<'_> {
    fn walk(&mut self, at: [Next; 2], values: &mut Values) -> bool {
        if let [Next::End(one), Next::End(other)] = at {
            return one != other;
        }
        if self.dead.contains(&at) {
            return false;
        }
        let place = |next: Next| match next {
            Next::Condition(condition) => condition,
            Next::End(_) => u32::MAX,
        };
        // Conditions lead to later ones only: the first of both decides next.
        let condition = place(at[0]).min(place(at[1]));
        let step = |side: usize, value: bool| match at[side] {
            Next::Condition(here) if here == condition => self.shape.next[here as usize][usize::from(value)],
            other => other,
        };
        if condition == self.condition {
            let next = [step(0, false), step(1, true)];
            let found = self.walk(next, values);
            if !found {
                self.dead.insert(at);
            }
            return found;
        }
        let first = self.turn >> (condition % 8) & 1 == 1;
        let given = self.fixed.and_then(|fixed| fixed[condition as usize]);
        let options = [first, !first].map(|value| (value, [step(0, value), step(1, value)]));
        for (value, next) in options {
            if given.is_some_and(|given| given != value) {
                continue;
            }
            // Who leaves the condition behind without having met it never will.
            let is_past = |next: Next| place(next) > self.condition;
            let was_met = condition > self.condition;
            if !was_met && next.iter().any(|&next| is_past(next)) {
                continue;
            }
            values[condition as usize] = Some(value);
            if self.walk(next, values) {
                return true;
            }
            values[condition as usize] = None;
        }
        self.dead.insert(at);
        false
    }
}

struct Tree<'a> {
    shape: &'a Shape,
    nodes: Vec<Node>,
    first: u32,
}

impl Tree<'_> {
    /// How many nodes all ways have from a place on.
    fn count(&self, at: Next, known: &mut HashMap<Next, u64>) -> u64 {
        let Next::Condition(condition) = at else { return 0 };
        if let Some(&count) = known.get(&at) {
            return count;
        }
        let sides = self.shape.next[condition as usize];
        let count = sides.iter().fold(1u64, |sum, &side| sum.saturating_add(self.count(side, known)));
        known.insert(at, count);
        count
    }

    fn add(&mut self, condition: u32) -> u32 {
        let index = self.nodes.len() as u32;
        let branch = BranchId(self.first + index);
        self.nodes.push(Node { branch, condition, next: [Step::Cut; 2] });
        index
    }

    fn add_all(&mut self, at: Next) -> Step {
        match at {
            Next::End(outcome) => Step::End(outcome),
            Next::Condition(condition) => {
                let index = self.add(condition);
                for outcome in [false, true] {
                    let next = self.add_all(self.shape.next[condition as usize][usize::from(outcome)]);
                    self.nodes[index as usize].next[usize::from(outcome)] = next;
                }
                Step::Node(index)
            }
        }
    }

    /// Adds the nodes on the way of an assignment that are not there yet.
    fn add_way(&mut self, values: u64) {
        if self.nodes.is_empty() {
            self.add(0);
        }
        let mut index = 0usize;
        loop {
            let condition = self.nodes[index].condition;
            let side = (values >> condition & 1) as usize;
            let next = match (self.nodes[index].next[side], self.shape.next[condition as usize][side]) {
                (Step::Cut, Next::Condition(next)) => Step::Node(self.add(next)),
                (Step::Cut, Next::End(outcome)) => Step::End(outcome),
                (known, _) => known,
            };
            self.nodes[index].next[side] = next;
            match next {
                Step::Node(next) => index = next as usize,
                Step::End(_) | Step::Cut => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(joins: &[bool]) -> Shape {
        joins.iter().fold(Shape::condition(), |shape, &and| shape.then(and, &Shape::condition()))
    }

    #[test]
    fn shapes_evaluate_as_c_does() {
        // a && b || c
        let shape = chain(&[true, false]);
        for values in 0..8u64 {
            let [a, b, c] = [0, 1, 2].map(|i| values >> i & 1 == 1);
            let (outcome, evaluated) = shape.evaluate(values);
            assert_eq!(outcome, a && b || c, "{values:03b}");
            let expected = 1 | u64::from(a) << 1 | u64::from(!(a && b)) << 2;
            assert_eq!(evaluated, expected, "{values:03b}");
            assert_eq!(shape.negated().evaluate(values), (!outcome, evaluated));
        }
    }

    #[test]
    fn a_tree_has_a_node_for_every_condition_after_every_beginning() {
        let (nodes, is_cut) = chain(&[true, false]).nodes(10);
        let conditions: Vec<u32> = nodes.iter().map(|node| node.condition).collect();
        assert_eq!((conditions, is_cut), (vec![0, 2, 1, 2], false));
        assert_eq!(nodes[3].branch, BranchId(13));
    }

    #[test]
    fn forty_conditions_are_shown_though_not_all_ways_fit() {
        let pair = chain(&[false]);
        let shape = (1..20).fold(pair.clone(), |shape, _| shape.then(true, &pair));
        assert_eq!(shape.conditions(), 40);
        let (nodes, is_cut) = shape.nodes(0);
        assert!(is_cut && nodes.len() < 40 * 2 * PAIRS * 40, "{}", nodes.len());
        for condition in 0..40 {
            let pairs = shape.showing(condition, PAIRS);
            assert!(!pairs.is_empty(), "{condition}");
            for [without, with] in pairs {
                assert_eq!(without ^ with, 1 << condition);
                assert_ne!(shape.evaluate(without).0, shape.evaluate(with).0);
            }
        }
    }

    #[test]
    fn conditions_that_lead_back_are_refused() {
        assert_eq!(Shape::new(&[[None, Some(0)]]), Err(ShapeError::Tangled));
        assert_eq!(Shape::new(&[[None, Some(1)]]), Err(ShapeError::Tangled));
        assert_eq!(Shape::new(&vec![[None, None]; 65]), Err(ShapeError::TooLarge));
    }
}
