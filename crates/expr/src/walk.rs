//! What a term is made of, and the same term with something else in it. No function here recurses: terms may be a
//! million operations deep.

use crate::op::Op;
use crate::store::{Node, Term, Terms, Variable};
use rustc_hash::FxHashMap;

impl Terms {
    /// These terms and everything they are made of, operands before what is made of them.
    #[must_use]
    pub fn reachable(&self, roots: &[Term]) -> Vec<Term> {
        self.reachable_except(roots, |_| false)
    }

    /// Like [`Terms::reachable`], but not looking into known terms.
    pub(crate) fn reachable_except(&self, roots: &[Term], is_known: impl Fn(Term) -> bool) -> Vec<Term> {
        // A bit a term: the system hands out zeroed pages lazily, so only those that are touched cost time.
        let words = roots.iter().max().map_or(0, |last| last.index() / 64 + 1);
        let mut seen = vec![0_u64; words];
        let mut found = Vec::new();
        let mut todo = roots.to_vec();
        while let Some(term) = todo.pop() {
            let (word, bit) = (&mut seen[term.index() / 64], 1 << (term.index() % 64));
            if *word & bit != 0 || is_known(term) {
                continue;
            }
            *word |= bit;
            found.push(term);
            let node = self.node(term);
            todo.extend(node.operands());
            todo.extend(self.rows(&node));
        }
        // Indices are a topological order.
        found.sort_unstable();
        found
    }

    /// How many different terms a term is made of, itself included.
    #[must_use]
    pub fn size(&self, term: Term) -> usize {
        self.reachable(&[term]).len()
    }

    /// The longest way from a term down to a leaf, in operations.
    #[must_use]
    pub fn depth(&self, term: Term) -> usize {
        let mut depths = FxHashMap::default();
        for part in self.reachable(&[term]) {
            let node = self.node(part);
            let below = node.operands().chain(self.rows(&node).iter().copied());
            let depth = below.map(|operand| depths[&operand] + 1).max().unwrap_or(0);
            depths.insert(part, depth);
        }
        depths[&term]
    }

    /// The variables of a term, sorted. For many terms use [`crate::VariableSets`].
    #[must_use]
    pub fn variables_of(&self, term: Term) -> Vec<Variable> {
        let nodes = self.reachable(&[term]).into_iter().map(|part| self.node(part));
        let mut variables: Vec<_> =
            nodes.filter(|node| node.op == Op::Var).map(|node| Variable(node.a)).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The terms with some of their variables replaced by terms of the same width.
    pub fn substitute<W>(&mut self, roots: &[Term], with: W) -> Vec<Term>
    where
        W: Fn(&mut Terms, Variable, u32) -> Option<Term>,
    {
        let mut new = FxHashMap::default();
        for part in self.reachable(roots) {
            let node = self.node(part);
            let replaced = match node.op {
                Op::Var => with(self, Variable(node.a), node.bits()).unwrap_or(part),
                Op::Const | Op::Wide => part,
                _ => self.rebuilt(part, &node, &new),
            };
            debug_assert_eq!(self.width(replaced), node.bits());
            new.insert(part, replaced);
        }
        roots.iter().map(|root| new[root]).collect()
    }

    /// What is left of the terms when some of their variables have these values.
    pub fn partial(&mut self, roots: &[Term], values: impl Fn(Variable) -> Option<u128>) -> Vec<Term> {
        self.substitute(roots, |terms, variable, width| {
            values(variable).map(|value| terms.constant(value, width))
        })
    }

    fn rebuilt(&mut self, part: Term, node: &Node, new: &FxHashMap<Term, Term>) -> Term {
        let mut next = *node;
        for (operand, place) in node.operands().zip([&mut next.a, &mut next.b, &mut next.c]) {
            *place = new[&operand].0;
        }
        if node.op == Op::Lookup {
            let rows = self.rows(node).iter().map(|row| new[row]).collect();
            return self.lookup(next.first(), rows);
        }
        if next == *node { part } else { self.make(next) }
    }
}
