//! Independence: constraints without a common variable can be solved one by one.

use crate::Why;
use crate::hint::Hint;
use crate::query::{Query, parts};
use expr::{Op, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The parts of a conjunction that do not hold yet under `hint`. What the others need is what the hint says.
pub(crate) fn violated<'t>(
    terms: &'t Terms,
    constraints: &[Term],
    hint: &mut Hint,
    nodes: usize,
) -> Result<Vec<Query<'t>>, Why> {
    let mut connected = connected(terms, constraints, nodes)?;
    let mut slices: BTreeMap<u32, Slice> = BTreeMap::new();
    for &constraint in constraints {
        let slice = slices.entry(connected.group_of(constraint)).or_default();
        slice.constraints.push(constraint);
        slice.violated |= hint.value(terms, constraint) == 0;
    }
    slices.retain(|_, slice| slice.violated);
    Ok(slices.into_values().map(|slice| slice.query(terms)).collect())
}

#[derive(Default)]
struct Slice {
    constraints: Vec<Term>,
    violated: bool,
}

impl Slice {
    fn query(self, terms: &Terms) -> Query<'_> {
        let mut order: FxHashSet<Term> = FxHashSet::default();
        let mut todo = self.constraints.clone();
        while let Some(term) = todo.pop() {
            if order.insert(term) {
                todo.extend(parts(terms, term));
            }
        }
        let mut order: Vec<Term> = order.into_iter().collect();
        order.sort_unstable();
        Query::new(terms, self.constraints, order)
    }
}

/// Joins every term with its operands. Constants join nothing; one input read with two widths is one variable.
fn connected(terms: &Terms, constraints: &[Term], nodes: usize) -> Result<Groups, Why> {
    let mut groups = Groups::default();
    let mut variables: FxHashMap<u32, u32> = FxHashMap::default();
    let mut todo = constraints.to_vec();
    while let Some(term) = todo.pop() {
        let (group, new) = groups.enter(term);
        if !new {
            continue;
        }
        if groups.parent.len() > nodes {
            return Err(Why::TooLarge);
        }
        let node = terms.node(term);
        if node.op == Op::Var {
            let first = *variables.entry(node.a).or_insert(group);
            groups.join(first, group);
        }
        for part in parts(terms, term).filter(|&part| terms.value(part).is_none()) {
            let (other, _) = groups.peek(part);
            groups.join(group, other);
            todo.push(part);
        }
    }
    Ok(groups)
}

/// Union-find over the terms met.
#[derive(Default)]
struct Groups {
    number: FxHashMap<Term, u32>,
    visited: Vec<bool>,
    parent: Vec<u32>,
}

impl Groups {
    /// The number of a term, and whether it has one only now.
    fn peek(&mut self, term: Term) -> (u32, bool) {
        let next = self.parent.len() as u32;
        let number = *self.number.entry(term).or_insert(next);
        if number == next {
            self.parent.push(next);
            self.visited.push(false);
        }
        (number, number == next)
    }

    /// The number of a term, and whether it is visited for the first time.
    fn enter(&mut self, term: Term) -> (u32, bool) {
        let (number, _) = self.peek(term);
        (number, !std::mem::replace(&mut self.visited[number as usize], true))
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.parent[number as usize] != number {
            let above = self.parent[self.parent[number as usize] as usize];
            self.parent[number as usize] = above;
            number = above;
        }
        number
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    fn group_of(&mut self, term: Term) -> u32 {
        let (number, _) = self.peek(term);
        self.root(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expr::Variable;

    fn under<'t>(
        terms: &'t Terms,
        constraints: &[Term],
        values: &[u128],
        nodes: usize,
    ) -> Result<Vec<Query<'t>>, Why> {
        let mut hint = Hint::default();
        hint.set(values);
        violated(terms, constraints, &mut hint, nodes)
    }

    #[test]
    fn only_what_hangs_together_with_a_violated_constraint_is_solved() {
        let mut terms = Terms::new();
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| terms.variable(Variable(i), 8));
        let zero = terms.constant(0, 8);
        let ab = terms.binary(Op::Ule, a, b);
        let not_b = terms.binary(Op::Ult, zero, b);
        let cd = terms.binary(Op::Eq, c, d);
        let slices = under(&terms, &[ab, cd, not_b], &[], 1000).expect("small");
        assert_eq!(slices.len(), 1);
        assert_eq!(slices[0].constraints, [ab, not_b]);
        assert_eq!(slices[0].variables, [(Variable(0), 8), (Variable(1), 8)]);
        assert!(under(&terms, &[ab, cd, not_b], &[0, 1], 1000).expect("small").is_empty());
        assert_eq!(under(&terms, &[ab, cd], &[], 3).err(), Some(Why::TooLarge));
    }

    #[test]
    fn one_input_read_with_two_widths_connects() {
        let mut terms = Terms::new();
        let wide = terms.variable(Variable(0), 16);
        let narrow = terms.variable(Variable(0), 8);
        let (k, l) = (terms.constant(300, 16), terms.constant(4, 8));
        let mut both = vec![terms.binary(Op::Eq, wide, k), terms.binary(Op::Eq, narrow, l)];
        both.sort();
        let slices = under(&terms, &both, &[], 1000).expect("small");
        assert_eq!(slices.len(), 1);
        assert_eq!(slices[0].variables, [(Variable(0), 16)]);
    }
}
