//! A question under work: constraints that hang together, ready to be evaluated.

use crate::distance::Distance;
use expr::{Op, TableId, Tape, Term, Terms, Variable};

/// A conjunction of truth terms.
pub(crate) struct Query<'t> {
    pub(crate) terms: &'t Terms,
    /// Sorted, each once.
    pub(crate) constraints: Vec<Term>,
    /// All terms it is made of, operands first (that is, by index).
    pub(crate) order: Vec<Term>,
    /// With their widths, each once.
    pub(crate) variables: Vec<(Variable, u32)>,
    /// Whether floating-point operations occur.
    pub(crate) floats: bool,
    tape: Tape,
    distance: Distance,
}

impl<'t> Query<'t> {
    pub(crate) fn new(terms: &'t Terms, constraints: Vec<Term>, order: Vec<Term>) -> Query<'t> {
        debug_assert!(constraints.is_sorted() && order.is_sorted());
        let tape = Tape::new(terms, &constraints);
        let mut variables = tape.variables().to_vec();
        // The same input read with two widths: the wider one counts.
        variables.sort_by_key(|&(variable, width)| (variable, std::cmp::Reverse(width)));
        variables.dedup_by_key(|(variable, _)| *variable);
        let floats = order.iter().any(|&term| terms.node(term).op.is_float());
        let distance = Distance::new(terms, &constraints);
        Query { terms, constraints, order, variables, floats, tape, distance }
    }

    /// How many operations one evaluation takes.
    pub(crate) fn cost(&self) -> usize {
        self.tape.len()
    }

    /// Whether all constraints hold under an assignment.
    pub(crate) fn holds(&mut self, assignment: &[u128]) -> bool {
        self.tape.run(assignment);
        self.constraints.iter().all(|&constraint| self.tape.value(constraint) == 1)
    }

    /// The summed distances of all constraints under an assignment; 0 if they hold.
    pub(crate) fn score(&mut self, assignment: &[u128]) -> u128 {
        self.tape.run(assignment);
        self.distance.of(&self.tape)
    }

    /// The value of a term in the last evaluation.
    pub(crate) fn value(&self, term: Term) -> u128 {
        self.terms.value(term).unwrap_or_else(|| self.tape.value(term))
    }

    /// The place of a term in [`Query::order`].
    pub(crate) fn place(&self, term: Term) -> usize {
        self.order.binary_search(&term).expect("operands are part of the question")
    }
}

/// The operands of a term, the rows of a lookup included.
pub(crate) fn parts(terms: &Terms, term: Term) -> impl Iterator<Item = Term> {
    let node = terms.node(term);
    let rows: &[Term] = if node.op == Op::Lookup { terms.table(TableId(node.b)) } else { &[] };
    node.operands().chain(rows.iter().copied())
}

/// Sets a variable, whatever the length of the assignment.
pub(crate) fn assign(assignment: &mut Vec<u128>, variable: Variable, value: u128) {
    let index = variable.0 as usize;
    if assignment.len() <= index {
        assignment.resize(index + 1, 0);
    }
    assignment[index] = value;
}

/// The value of a variable; 0 beyond the end.
pub(crate) fn assigned(assignment: &[u128], variable: Variable) -> u128 {
    assignment.get(variable.0 as usize).copied().unwrap_or(0)
}
