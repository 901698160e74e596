//! Inversion: a constraint that does not hold asks its operands for other values, they ask theirs, and in the end
//! inputs are asked for values. Where an operation leaves a choice, attempts differ in what they choose; operands that
//! are not asked keep their value. What comes out is tried, not trusted.

use super::wish::{Wish, one_of, wishes};
use crate::query::{Query, assign};
use expr::{Op, Term, Variable};

/// Ways to choose that are tried for each constraint.
const ATTEMPTS: usize = 24;
/// Operations walked through in one attempt.
const STEPS: usize = 2_000;

/// Repairs one violated constraint after another; an assignment under which all hold.
pub(crate) fn repair(query: &mut Query, start: &[u128], repairs: usize) -> Option<Vec<u128>> {
    let mut best = start.to_vec();
    let mut score = query.score(&best);
    for _ in 0..repairs {
        let (better, better_score) = improved(query, &best, score)?;
        (best, score) = (better, better_score);
        if score == 0 {
            return Some(best);
        }
    }
    None
}

/// The first repair of a violated constraint that brings all of them nearer.
fn improved(query: &mut Query, from: &[u128], score: u128) -> Option<(Vec<u128>, u128)> {
    for i in 0..query.constraints.len() {
        let constraint = query.constraints[i];
        for attempt in 0..ATTEMPTS {
            query.score(from);
            if query.value(constraint) == 1 {
                break;
            }
            let Some(proposal) = propose(query, constraint, attempt) else { continue };
            let mut moved = from.to_vec();
            for (variable, value) in proposal {
                assign(&mut moved, variable, value);
            }
            let moved_score = query.score(&moved);
            if moved_score < score {
                return Some((moved, moved_score));
            }
        }
    }
    None
}

/// Values of inputs that should make a truth term hold, by the values of the last evaluation.
fn propose(query: &Query, constraint: Term, attempt: usize) -> Option<Vec<(Variable, u128)>> {
    let mut choices = Choices(attempt);
    let mut proposal = Vec::new();
    let mut todo = vec![Wish { term: constraint, value: 1 }];
    for _ in 0..STEPS {
        let Some(wish) = todo.pop() else { return Some(proposal) };
        let node = query.terms.node(wish.term);
        match node.op {
            Op::Var => proposal.push((Variable(node.a), wish.value)),
            _ if query.value(wish.term) == wish.value => {}
            Op::Const | Op::Wide => return None,
            _ => todo.extend(one_of(wishes(query, &wish), &mut choices)?),
        }
    }
    None
}

/// The decisions of one attempt, as the digits of its number.
pub(super) struct Choices(usize);

impl Choices {
    /// One of `count` possibilities; the first once the digits are used up.
    pub(super) fn next(&mut self, count: usize) -> usize {
        let digit = self.0 % count;
        self.0 /= count;
        digit
    }
}
