//! Boundaries of comparisons: `i <= 5` with 5 and with 6.
//!
//! A comparison of two integers by their order has two sides. On each of them one difference of the operands is the nearest to the other
//! side, and a run with that is a goal of its own: a branch that is not counted, beside the one that the comparison is. Tests on both of them
//! notice when `<=` should have been `<`.

use crate::sites::{Shape, Site, Sites};
use goal::distance::Distances;
use java_classfile::instruction::{CompareOp, Condition};
use model::{Branch, BranchId, BranchKind, Goal, Program};
use std::collections::HashMap;

/// The comparisons whose boundaries are goals.
#[derive(Clone, Debug, Default)]
pub struct Boundaries {
    /// The first id; each comparison has two, that where its relation holds first.
    first: u32,
    /// By the branch of a comparison, its place among them.
    places: HashMap<BranchId, u32>,
    /// Where they stand.
    lines: Vec<u32>,
}

impl Boundaries {
    /// Adds branches to the functions of a program, behind all others.
    pub(crate) fn add(program: &mut Program, sites: &Sites) -> Boundaries {
        let mut boundaries = Boundaries { first: program.branch_count, ..Boundaries::default() };
        for function in &mut program.functions {
            let mut added = Vec::new();
            for branch in function.branches.iter().filter(|branch| branch.counted) {
                let Some(site) = sites.of_branch(branch.id).filter(|site| is_ordered(site)) else { continue };
                let id = boundaries.first + 2 * boundaries.lines.len() as u32;
                boundaries.places.insert(branch.id, boundaries.lines.len() as u32);
                boundaries.lines.push(site.line);
                let side = |id| Branch { id, kind: BranchKind::Boundary, counted: false, ..branch.clone() };
                added.extend([BranchId(id), BranchId(id + 1)].map(side));
            }
            function.branches.extend(added);
        }
        program.branch_count += 2 * boundaries.lines.len() as u32;
        boundaries
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The goal that is the boundary on one side of a comparison: where its relation holds, or where not.
    #[must_use]
    pub fn goal(&self, site: &Site, holds: bool) -> Option<Goal> {
        let place = self.places.get(&site.counts_for.unwrap_or(site.branch))?;
        Some(Goal { branch: BranchId(self.first + 2 * place + u32::from(!holds)), outcome: true })
    }

    /// The line of the comparison that a goal is a boundary of, if it is one.
    #[must_use]
    pub fn line(&self, goal: Goal) -> Option<u32> {
        let place = goal.branch.0.checked_sub(self.first)? / 2;
        self.lines.get(place as usize).copied().filter(|_| goal.outcome)
    }

    /// How far operands are from both boundaries of a comparison. Being on one is what counts, so the other outcome is always next.
    pub(crate) fn distances(
        &self,
        site: &Site,
        condition: Condition,
        a: i64,
        b: i64,
    ) -> [Option<(BranchId, Distances)>; 2] {
        let difference = i128::from(a) - i128::from(b);
        let side = |nearest: i128, holds| {
            let to_true = difference.abs_diff(nearest);
            let distances = Distances { to_true, to_false: u128::from(to_true == 0) };
            self.goal(site, holds).map(|goal| (goal.branch, distances))
        };
        match narrowest(condition) {
            Some([holding, failing]) => [side(holding, true), side(failing, false)],
            None => [None, None],
        }
    }
}

/// Whether a jump compares integers by their order.
fn is_ordered(site: &Site) -> bool {
    let Shape::Condition { condition, compare, .. } = &site.shape else { return false };
    matches!(compare, None | Some(CompareOp::Long)) && narrowest(*condition).is_some()
}

/// The difference of operands with which a relation holds as narrowly as can be, and that with which it does not.
fn narrowest(condition: Condition) -> Option<[i128; 2]> {
    match condition {
        Condition::Lt => Some([-1, 0]),
        Condition::Le => Some([0, 1]),
        Condition::Gt => Some([1, 0]),
        Condition::Ge => Some([0, -1]),
        Condition::Eq | Condition::Ne => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c75_a_boundary_is_the_last_difference_before_the_other_side() {
        for condition in [Condition::Lt, Condition::Le, Condition::Gt, Condition::Ge] {
            let holds = |difference: i128| match condition {
                Condition::Lt => difference < 0,
                Condition::Le => difference <= 0,
                Condition::Gt => difference > 0,
                _ => difference >= 0,
            };
            let [holding, failing] = narrowest(condition).expect("two sides");
            assert!(holds(holding) && !holds(failing), "{condition:?}");
            assert_eq!(holding.abs_diff(failing), 1, "{condition:?}");
        }
        assert_eq!((narrowest(Condition::Eq), narrowest(Condition::Ne)), (None, None));
    }
}
