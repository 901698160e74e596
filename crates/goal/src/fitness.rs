//! Approach level and branch distance as one ordered value (Wegener, Baresel, Sthamer 2001).
//!
//! The texts add `approach level + normalised distance`; every normalisation loses unit steps of large
//! distances (1 − 1.001^−d is flat from d = 29,877 in doubles). Comparing the pair lexicographically loses
//! nothing.

use model::{Function, Goal};

/// How far a run was from a goal; smaller is better and [`Fitness::COVERED`] is the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fitness {
    /// Controlling branches still missing between the run and the goal.
    pub level: u32,
    /// Distance at the branch where the run went the other way.
    pub distance: u128,
}

impl Fitness {
    /// The goal was reached.
    pub const COVERED: Fitness = Fitness { level: 0, distance: 0 };
    /// No controlling branch was evaluated.
    pub const WORST: Fitness = Fitness { level: u32::MAX, distance: u128::MAX };
}

/// The branch outcomes that lead to a goal, by approach level: computed once a goal, used for every run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// `(level, outcome)` by rising level; the first entry is the goal itself at level 0.
    pub steps: Vec<(u32, Goal)>,
}

impl Plan {
    /// Walks the control-dependence graph backwards from the goal, breadth first.
    #[must_use]
    pub fn new(function: &Function, goal: Goal) -> Plan {
        let mut steps = vec![(0, goal)];
        let dependence = function.cfg.control_dependence();
        let mut seen = vec![false; function.cfg.successors.len()];
        let Some(branch) = function.branch(goal.branch) else { return Plan { steps } };
        let mut frontier = vec![branch.block];
        seen[branch.block.0 as usize] = true;
        let mut level = 0;
        while !frontier.is_empty() {
            level += 1;
            let mut next = Vec::new();
            for block in frontier {
                for &(controller, edge) in &dependence[block.0 as usize] {
                    let taken_by = &function.cfg.successors[controller.0 as usize][edge].taken_by;
                    steps.extend(taken_by.iter().map(|&outcome| (level, outcome)));
                    if !std::mem::replace(&mut seen[controller.0 as usize], true) {
                        next.push(controller);
                    }
                }
            }
            frontier = next;
        }
        Plan { steps }
    }

    /// Judges a run by its smallest distances: the lowest level at which a branch was evaluated.
    pub fn fitness(&self, distance: impl Fn(Goal) -> u128) -> Fitness {
        let mut best = Fitness::WORST;
        for &(level, outcome) in &self.steps {
            if level > best.level {
                break;
            }
            let distance = distance(outcome);
            if distance != u128::MAX {
                best = best.min(Fitness { level, distance });
            }
        }
        best
    }
}
