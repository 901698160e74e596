//! Inversion: a constraint that does not hold asks its operands for other values, they ask theirs, and in the end
//! inputs are asked for values. Where an operation leaves a choice, attempts differ in what they choose; operands that
//! are not asked keep their value. What comes out is tried, not trusted.

use super::wish::{Wish, one_of, wishes};
use crate::query::{Query, assign};
use expr::{Op, Tape, Term, Variable};
use std::collections::HashSet;

/// Ways to choose that are tried for each constraint.
const ATTEMPTS: usize = 24;
/// Evaluations that are allowed however much one costs.
const FEWEST: usize = 8;
/// Constraints times operations beyond which chains are not followed.
const LARGE: usize = 100_000;

/// An assignment under which all constraints hold, sought with so many operations.
pub(crate) fn repair(query: &mut Query, start: &[u128], operations: usize) -> Option<Vec<u128>> {
    let evaluations = (operations / query.cost().max(1)).max(FEWEST);
    let mut repair = Repair { query, evaluations };
    repair.cascade(start).or_else(|| repair.climb(start))
}

struct Repair<'q, 't> {
    query: &'q mut Query<'t>,
    /// How many are left.
    evaluations: usize,
}

impl Repair<'_, '_> {
    fn score(&mut self, values: &[u128]) -> Option<u128> {
        self.evaluations = self.evaluations.checked_sub(1)?;
        Some(self.query.score(values))
    }

    /// Repairs one violated constraint after another, first those with the fewest inputs left to move, and moves no
    /// input twice: equalities that hang together like a chain are followed from one end to the other.
    fn cascade(&mut self, start: &[u128]) -> Option<Vec<u128>> {
        let inputs = inputs(self.query)?;
        let mut values = start.to_vec();
        let mut moved: HashSet<Variable> = HashSet::new();
        loop {
            self.score(&values)?;
            let violated = (0..inputs.len()).filter(|&i| self.query.value(self.query.constraints[i]) == 0);
            let left = |&i: &usize| inputs[i].iter().filter(|input| !moved.contains(input)).count();
            let Some(next) = violated.min_by_key(left) else { return Some(values) };
            let proposal = self.granted(self.query.constraints[next], &values, &moved)?;
            values = applied(&values, &proposal);
            moved.extend(proposal.iter().map(|(variable, _)| *variable));
        }
    }

    /// A repair of one constraint that leaves some inputs alone.
    fn granted(&mut self, constraint: Term, values: &[u128], fixed: &HashSet<Variable>) -> Option<Proposal> {
        for proposal in proposals(self.query, constraint) {
            if proposal.iter().any(|(variable, _)| fixed.contains(variable)) {
                continue;
            }
            self.score(&applied(values, &proposal))?;
            if self.query.value(constraint) == 1 {
                return Some(proposal);
            }
        }
        None
    }

    /// Repairs as long as they bring all constraints together much nearer.
    fn climb(&mut self, start: &[u128]) -> Option<Vec<u128>> {
        let mut best = start.to_vec();
        let mut score = self.score(&best)?;
        while score > 0 {
            (best, score) = self.improved(&best, score)?;
        }
        Some(best)
    }

    /// The first repair of a violated constraint that brings all of them much nearer; small steps are for local search.
    fn improved(&mut self, from: &[u128], score: u128) -> Option<(Vec<u128>, u128)> {
        self.score(from)?;
        let mut violated = self.query.constraints.clone();
        violated.retain(|&constraint| self.query.value(constraint) == 0);
        for constraint in violated {
            self.score(from)?;
            for proposal in proposals(self.query, constraint) {
                let moved = applied(from, &proposal);
                let moved_score = self.score(&moved)?;
                if moved_score < score - score / 4 {
                    return Some((moved, moved_score));
                }
            }
        }
        None
    }
}

/// The inputs of each constraint; none where finding them would take longer than asking someone else.
fn inputs(query: &Query) -> Option<Vec<Vec<Variable>>> {
    if query.constraints.len().saturating_mul(query.cost()) > LARGE {
        return None;
    }
    let of = |&constraint: &Term| {
        let tape = Tape::new(query.terms, &[constraint]);
        tape.variables().iter().map(|(variable, _)| *variable).collect()
    };
    Some(query.constraints.iter().map(of).collect())
}

/// New values of some inputs.
type Proposal = Vec<(Variable, u128)>;

fn applied(values: &[u128], proposal: &Proposal) -> Vec<u128> {
    let mut moved = values.to_vec();
    for &(variable, value) in proposal {
        assign(&mut moved, variable, value);
    }
    moved
}

/// What might make a truth term hold, by the values of the last evaluation; each once.
fn proposals(query: &Query, constraint: Term) -> Vec<Proposal> {
    let mut all: Vec<Proposal> = Vec::new();
    for proposal in (0..ATTEMPTS).filter_map(|attempt| propose(query, constraint, attempt)) {
        if !proposal.is_empty() && !all.contains(&proposal) {
            all.push(proposal);
        }
    }
    all
}

/// One way to make a truth term hold.
fn propose(query: &Query, constraint: Term, attempt: usize) -> Option<Proposal> {
    let mut choices = Choices(attempt);
    let mut proposal = Vec::new();
    let mut todo = vec![Wish { term: constraint, value: 1 }];
    // Shared operands are walked through once for each way to them; there may be too many ways.
    for _ in 0..4 * query.cost() + 16 {
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
