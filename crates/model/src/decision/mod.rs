//! Decisions: conditions joined by `&&`, `||` and `!`, and where that is asked for by `&` and `|`.
//!
//! ```text
//! a && b || c        a ─T→ b ─T→ true          node 0: a    T→ node 1, F→ node 2
//!                    │     └F→ c               node 1: b    T→ true,   F→ node 3
//!                    └F──────→ c ─T→ true      node 2: c    T→ true,   F→ false     (after a was false)
//!                              └F→ false       node 3: c    T→ true,   F→ false     (after b was false)
//! ```
//!
//! C evaluates conditions from left to right and only as far as needed, so one evaluation of the decision is a way from the
//! first condition to an end, and what it says about the conditions is a *vector* of true, false and not evaluated. The ways are
//! laid out as a tree of [nodes](Node): a node is a condition after all that was decided before it. Runs report its outcomes as
//! they report those of branches, so that a vector is reached, approached and searched for as a branch outcome is.

mod form;
mod ways;

use crate::{BranchId, Goal, Span};
use serde::{Deserialize, Serialize};
pub use ways::{MOST_NODES, Shape, ShapeError};

/// A decision of at least two conditions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Decision {
    /// Its source text, from the first condition to the last.
    pub span: Span,
    /// The branches of its conditions, in the order of the source.
    pub conditions: Vec<BranchId>,
    /// Where each condition leads.
    pub shape: Shape,
    /// The ways through it, the first condition first.
    pub nodes: Vec<Node>,
    /// There are more ways than nodes; those that are left show every condition all the same.
    pub is_cut: bool,
    /// The judge counts it too.
    pub is_confirmable: bool,
}

/// A condition after all that was decided before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Node {
    /// The id by which runs report its outcomes.
    pub branch: BranchId,
    /// Which condition.
    pub condition: u32,
    /// What follows when it is false, and when it is true.
    pub next: [Step; 2],
}

/// What follows an outcome of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Another node, by its index.
    Node(u32),
    /// The outcome of the decision.
    End(bool),
    /// Something that was left out.
    Cut,
}

/// What one evaluation of a decision says about its conditions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Vector {
    /// The conditions that were evaluated, a bit each.
    pub evaluated: u64,
    /// Those of them that were true.
    pub values: u64,
    /// The outcome of the decision.
    pub outcome: bool,
}

impl Vector {
    /// What it says about a condition; `None` if that was not evaluated.
    #[must_use]
    pub fn value(&self, condition: usize) -> Option<bool> {
        (self.evaluated >> condition & 1 == 1).then_some(self.values >> condition & 1 == 1)
    }

    /// As letters: `TF-`. Those of a decision that has constants: [`Decision::letters`].
    #[must_use]
    pub fn letters(&self, conditions: usize) -> String {
        self.letters_with(conditions, 0)
    }

    /// The same with a `C` for conditions that are constant, a bit each, whether they would be evaluated or not.
    #[must_use]
    pub fn letters_with(&self, conditions: usize, constants: u64) -> String {
        let letter = |condition| match self.value(condition) {
            _ if constants >> condition & 1 == 1 => 'C',
            Some(true) => 'T',
            Some(false) => 'F',
            None => '-',
        };
        (0..conditions).map(letter).collect()
    }
}

impl Decision {
    /// A decision that is one condition: its vectors are the outcomes of the branch.
    #[must_use]
    pub fn single(branch: BranchId, span: Span) -> Decision {
        let node = Node { branch, condition: 0, next: [Step::End(false), Step::End(true)] };
        Decision {
            span,
            conditions: vec![branch],
            shape: Shape::condition(),
            nodes: vec![node],
            is_cut: false,
            is_confirmable: true,
        }
    }

    /// A vector of it as letters: `T`, `F`, `C` for a constant, `-` for what is not evaluated.
    #[must_use]
    pub fn letters(&self, vector: &Vector) -> String {
        vector.letters_with(self.conditions.len(), self.constants())
    }

    /// The conditions that are constant, a bit each.
    #[must_use]
    pub fn constants(&self) -> u64 {
        self.shape.constants().into_iter().map(|(condition, _)| 1 << condition).sum()
    }

    /// The vectors of all ways, each with the outcome of a node that completes it.
    #[must_use]
    pub fn vectors(&self) -> Vec<(Goal, Vector)> {
        let mut found = Vec::new();
        let mut todo = vec![(0u32, 0u64, 0u64)];
        while let Some((at, evaluated, values)) = todo.pop() {
            let Some(node) = self.nodes.get(at as usize) else { continue };
            // Pushed in this order the true side is popped first.
            for outcome in [false, true] {
                let bit = 1 << node.condition;
                let (evaluated, values) = (evaluated | bit, if outcome { values | bit } else { values });
                match node.next[usize::from(outcome)] {
                    Step::Node(next) => todo.push((next, evaluated, values)),
                    Step::End(result) => found.push((
                        Goal { branch: node.branch, outcome },
                        Vector { evaluated, values, outcome: result },
                    )),
                    Step::Cut => {}
                }
            }
        }
        found.sort_unstable_by_key(|&(goal, _)| goal);
        found
    }

    /// The way to a node: the outcomes of nodes that lead there, the nearest first.
    #[must_use]
    pub fn way_to(&self, branch: BranchId) -> Vec<Goal> {
        let mut way = Vec::new();
        let mut at = self.nodes.iter().position(|node| node.branch == branch);
        while let Some(index) = at {
            let leads_here = |node: &Node| {
                [false, true].into_iter().find(|&o| node.next[usize::from(o)] == Step::Node(index as u32))
            };
            let before =
                self.nodes.iter().enumerate().find_map(|(i, node)| Some((i, node, leads_here(node)?)));
            at = before.map(|(i, node, outcome)| {
                way.push(Goal { branch: node.branch, outcome });
                i
            });
        }
        way
    }
}
