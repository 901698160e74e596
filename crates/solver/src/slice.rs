//! Independence: constraints without a common variable can be solved one by one.
//!
//! Almost all constraints of a question hold under its hint, and most have nothing to do with those that do not. So
//! this comes before everything that looks into constraints: what is handed on is short, however long the path.

use crate::Why;
use crate::hint::Hint;
use crate::query::parts;
use expr::{Term, Terms, VariableSet, VariableSets};
use rustc_hash::FxHashSet;

/// Finds what belongs together.
#[derive(Default)]
pub(crate) struct Slicer {
    sets: VariableSets,
    /// By term: the last question it was met in.
    met: Vec<u32>,
    question: u32,
}

impl Slicer {
    /// The parts of a conjunction that do not hold yet under `hint`, each with all that shares variables with it. What
    /// the other constraints need is what the hint says.
    pub(crate) fn violated(
        &mut self,
        terms: &Terms,
        constraints: &[Term],
        hint: &mut Hint,
    ) -> Vec<Vec<Term>> {
        let mut open: Vec<(Term, VariableSet)> = Vec::with_capacity(constraints.len());
        let mut violated = Vec::new();
        self.begin(terms);
        for &constraint in constraints {
            if self.meets_again(constraint) {
                continue;
            }
            let set = self.sets.of(terms, constraint);
            let holds = hint.value(terms, constraint) != 0;
            if holds { &mut open } else { &mut violated }.push((constraint, set));
        }
        let mut slices = Vec::new();
        while let Some(seed) = violated.pop() {
            let mut slice = vec![seed.0];
            let mut variables = seed.1;
            loop {
                let before = slice.len();
                for rest in [&mut violated, &mut open] {
                    rest.retain(|&(constraint, set)| {
                        let apart = !self.sets.intersects(variables, set);
                        if !apart {
                            variables = self.sets.union(variables, set);
                            slice.push(constraint);
                        }
                        apart
                    });
                }
                if slice.len() == before {
                    break;
                }
            }
            slices.push(slice);
        }
        slices
    }

    fn begin(&mut self, terms: &Terms) {
        self.question = self.question.wrapping_add(1);
        if self.question == 0 {
            self.met.fill(0);
            self.question = 1;
        }
        self.met.resize(terms.len().max(self.met.len()), 0);
    }

    fn meets_again(&mut self, term: Term) -> bool {
        std::mem::replace(&mut self.met[term.index()], self.question) == self.question
    }
}

/// All terms that constraints are made of, operands first.
pub(crate) fn order(terms: &Terms, constraints: &[Term], nodes: usize) -> Result<Vec<Term>, Why> {
    let mut order: FxHashSet<Term> = FxHashSet::default();
    let mut todo = constraints.to_vec();
    while let Some(term) = todo.pop() {
        if order.insert(term) {
            todo.extend(parts(terms, term));
        }
        if order.len() > nodes {
            return Err(Why::TooLarge);
        }
    }
    let mut order: Vec<Term> = order.into_iter().collect();
    order.sort_unstable();
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expr::{Op, Variable};

    fn under(terms: &Terms, constraints: &[Term], values: &[u128]) -> Vec<Vec<Term>> {
        let mut hint = Hint::default();
        hint.set(values);
        let mut slices = Slicer::default().violated(terms, constraints, &mut hint);
        slices.iter_mut().for_each(|slice| slice.sort());
        slices
    }

    #[test]
    fn only_what_hangs_together_with_a_violated_constraint_is_solved() {
        let mut terms = Terms::new();
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| terms.variable(Variable(i), 8));
        let zero = terms.constant(0, 8);
        let ab = terms.binary(Op::Ule, a, b);
        let not_b = terms.binary(Op::Ult, zero, b);
        let cd = terms.binary(Op::Eq, c, d);
        assert_eq!(under(&terms, &[ab, cd, not_b, ab], &[]), [[ab, not_b]]);
        assert!(under(&terms, &[ab, cd, not_b], &[0, 1]).is_empty());
        assert_eq!(order(&terms, &[ab, cd], 3), Err(Why::TooLarge));
        assert_eq!(order(&terms, &[ab], 3), Ok(vec![a, b, ab]));
    }

    #[test]
    fn a_chain_of_common_variables_is_one_slice() {
        let mut terms = Terms::new();
        let x: Vec<Term> = (0..6).map(|i| terms.variable(Variable(i), 8)).collect();
        let zero = terms.constant(0, 8);
        let links: Vec<Term> = x.windows(2).map(|pair| terms.binary(Op::Ule, pair[1], pair[0])).collect();
        let last = terms.binary(Op::Ult, zero, x[5]);
        let mut all = links.clone();
        all.push(last);
        let mut expected = all.clone();
        expected.sort();
        assert_eq!(under(&terms, &all, &[]), [expected]);
    }

    #[test]
    fn violated_constraints_without_common_variables_are_apart() {
        let mut terms = Terms::new();
        let [a, b] = [0, 1].map(|i| terms.variable(Variable(i), 8));
        let five = terms.constant(5, 8);
        let both = [a, b].map(|x| terms.binary(Op::Eq, x, five));
        let mut slices = under(&terms, &both, &[]);
        slices.sort();
        assert_eq!(slices, [vec![both[0]], vec![both[1]]]);
        let no = terms.truth(false);
        assert_eq!(under(&terms, &[no], &[]), [[no]]);
    }

    #[test]
    fn one_input_read_with_two_widths_connects() {
        let mut terms = Terms::new();
        let wide = terms.variable(Variable(0), 16);
        let narrow = terms.variable(Variable(0), 8);
        let (k, l) = (terms.constant(300, 16), terms.constant(4, 8));
        let mut both = vec![terms.binary(Op::Eq, wide, k), terms.binary(Op::Eq, narrow, l)];
        both.sort();
        assert_eq!(under(&terms, &both, &[]), [both]);
    }
}
