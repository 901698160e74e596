//! Walk of decisions: which way through a decision a run took, from the outcomes of its conditions.
//!
//! A decision is a tree of nodes ([`model::decision`]). Its first condition begins an evaluation at the root, every further one
//! takes a step, and the last ends it. What a run tells about a condition is told about the node as well, as if it were a
//! branch. Evaluations nest where a condition calls a function that comes to the same decision again.

use model::{BranchId, Decision, Program, Step};

/// Evaluations of one decision that have begun and not ended: a run with more is not followed any further there.
const DEEPEST: usize = 256;
/// No decision, no node.
const NONE: u32 = u32::MAX;

/// Follows the decisions of a program.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// By branch: its decision and which condition of that it is.
    conditions: Vec<(u32, u32)>,
    decisions: Vec<Followed>,
}

#[derive(Clone, Debug)]
struct Followed {
    nodes: Vec<Place>,
    /// The nodes that evaluations have come to, the innermost last. Of fixed size: threads of the target may meet here, and what they
    /// see may be nonsense, but it stays here.
    open: [u32; DEEPEST],
    depth: usize,
    is_lost: bool,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    branch: u32,
    condition: u32,
    /// What follows false and true; [`NONE`] ends the evaluation.
    next: [u32; 2],
}

impl Walk {
    /// For the decisions of a program; `None` if it has none.
    #[must_use]
    pub fn new(program: &Program) -> Option<Walk> {
        let conditions = vec![(NONE, 0); program.branch_count as usize];
        let mut walk = Walk { conditions, decisions: Vec::new() };
        for decision in program.functions.iter().flat_map(|function| &function.decisions) {
            let number = walk.decisions.len() as u32;
            for (index, condition) in (0..).zip(&decision.conditions) {
                *walk.conditions.get_mut(condition.0 as usize)? = (number, index);
            }
            walk.decisions.push(Followed::new(decision));
        }
        (!walk.decisions.is_empty()).then_some(walk)
    }

    /// Another branch evaluates the same condition of a decision, at another place in the code.
    pub fn join(&mut self, branch: BranchId, condition: BranchId) {
        let known = self.conditions.get(condition.0 as usize).copied();
        if let (Some(known), Some(place)) = (known, self.conditions.get_mut(branch.0 as usize)) {
            *place = known;
        }
    }

    /// Forgets evaluations that did not end.
    pub fn reset(&mut self) {
        for decision in &mut self.decisions {
            decision.depth = 0;
            decision.is_lost = false;
        }
    }

    /// A condition was evaluated: the node that this is, if it belongs to a decision.
    #[inline]
    pub fn step(&mut self, branch: u32, outcome: bool) -> Option<u32> {
        let &(decision, condition) = self.conditions.get(branch as usize)?;
        self.decisions.get_mut(decision as usize)?.step(condition, outcome)
    }
}

impl Followed {
    fn new(decision: &Decision) -> Followed {
        let next = |step: Step| match step {
            Step::Node(index) => index,
            Step::End(_) | Step::Cut => NONE,
        };
        let place = |node: &model::Node| Place {
            branch: node.branch.0,
            condition: node.condition,
            next: node.next.map(next),
        };
        let nodes = decision.nodes.iter().map(place).collect();
        Followed { nodes, open: [0; DEEPEST], depth: 0, is_lost: false }
    }

    #[inline]
    fn step(&mut self, condition: u32, outcome: bool) -> Option<u32> {
        // Constant conditions are not evaluated, not even the first.
        if self.nodes.first().is_some_and(|first| first.condition == condition) {
            self.is_lost |= self.depth >= DEEPEST;
            self.depth += 1;
            *self.open.get_mut(self.depth - 1)? = 0;
        }
        // Evaluations that a jump has left behind never go on.
        while self.innermost().is_some_and(|place| place.condition != condition) {
            self.depth -= 1;
        }
        let place = self.innermost().filter(|_| !self.is_lost)?;
        match place.next[usize::from(outcome)] {
            NONE => self.depth -= 1,
            next => self.open[self.depth - 1] = next,
        }
        Some(place.branch)
    }

    /// Where the evaluation is that began last.
    fn innermost(&self) -> Option<Place> {
        let at = *self.open.get(self.depth.checked_sub(1)?)?;
        self.nodes.get(at as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Function, Shape, Span};

    /// `a && b || c` as branches 0, 1, 2 and nodes from 10 on.
    fn program() -> Program {
        let condition = Shape::condition;
        let shape = condition().then(true, &condition()).then(false, &condition());
        let (nodes, is_cut) = shape.nodes(10);
        let conditions = vec![BranchId(0), BranchId(1), BranchId(2)];
        let decision =
            Decision { span: Span::default(), conditions, shape, nodes, is_cut, is_confirmable: true };
        let function = Function { decisions: vec![decision], ..model::testing::function("f") };
        Program { functions: vec![function], branch_count: 20, ..Program::default() }
    }

    fn steps(walk: &mut Walk, run: &[(u32, bool)]) -> Vec<Option<u32>> {
        run.iter().map(|&(branch, outcome)| walk.step(branch, outcome)).collect()
    }

    #[test]
    fn a_condition_is_another_node_after_another_beginning() {
        let mut walk = Walk::new(&program()).expect("a decision");
        let nodes = steps(&mut walk, &[(0, true), (1, false), (2, true), (0, false), (2, false), (5, true)]);
        assert_eq!(nodes, [Some(10), Some(12), Some(13), Some(10), Some(11), None]);
    }

    #[test]
    fn a_condition_may_stand_at_several_places() {
        let mut walk = Walk::new(&program()).expect("a decision");
        for (copy, of) in [(4, 0), (5, 1), (6, 2)] {
            walk.join(BranchId(copy), BranchId(of));
        }
        let nodes = steps(&mut walk, &[(4, true), (5, false), (6, true), (0, false), (2, false)]);
        assert_eq!(nodes, [Some(10), Some(12), Some(13), Some(10), Some(11)]);
    }

    #[test]
    fn what_is_too_deep_is_not_followed() {
        let mut walk = Walk::new(&program()).expect("a decision");
        let down: Vec<(u32, bool)> = (0..=DEEPEST).map(|_| (0, true)).collect();
        let nodes = steps(&mut walk, &down);
        assert_eq!((nodes[DEEPEST - 1], nodes[DEEPEST]), (Some(10), None));
        assert_eq!(steps(&mut walk, &[(1, true), (0, false)]), [None, None]);
        walk.reset();
        assert_eq!(steps(&mut walk, &[(0, true)]), [Some(10)]);
    }

    #[test]
    fn evaluations_nest_and_may_be_left() {
        let mut walk = Walk::new(&program()).expect("a decision");
        // The second condition evaluates the decision again, all of it, and once more up to where a jump leaves it.
        let nodes = steps(&mut walk, &[(0, true), (0, false), (2, true), (0, false), (1, false), (2, true)]);
        assert_eq!(nodes, [Some(10), Some(10), Some(11), Some(10), Some(12), Some(13)]);
    }
}
