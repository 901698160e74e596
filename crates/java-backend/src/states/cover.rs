//! Whether one state stands for everything that another of the same form can be.
//!
//! An old state covers a new one if for all values that lead to the new one there are values that lead to the old one and make the same numbers
//! of its symbols. Which these are, is guessed: where a symbol of the old state is a value, it is what the symbol of the new state is, and
//! all other values are what they were in the run that led to the old one. Then no quantifier is left, and what is asked is
//! whether under the condition of the new state something can fail. If the guess is wrong, or the solver does not know, the state is new.

use crate::smt::SharedSmt;
use expr::{Op, Term, Terms, Variable};
use solver::{Answer, Chain, Limits, SmtLimits};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a solver may do for one question: it is asked to save runs.
const RESOURCES: u64 = 2_000;

/// Under which values there is a state.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// What holds.
    pub(super) holds: Rc<[Term]>,
    /// Some values for which it does.
    pub(super) values: Rc<[u128]>,
    /// What the symbols of the state are, in the order of its form.
    pub(super) symbols: Vec<Term>,
}

/// Terms, and who knows what follows from them.
pub(super) struct Prover {
    terms: Terms,
    chain: Chain,
    questions: u64,
}

impl Prover {
    pub(super) fn new(smt: SharedSmt) -> Prover {
        let smt_limits = SmtLimits { resources: RESOURCES, ..SmtLimits::default() };
        let limits = Limits { smt: smt_limits, ..Limits::default() };
        Prover { terms: Terms::new(), chain: Chain::new(limits, Box::new(smt)), questions: 0 }
    }

    pub(super) fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(super) fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// Questions since they were taken.
    pub(super) fn questions(&self) -> u64 {
        self.questions
    }

    /// Questions since this was asked last.
    pub(super) fn take_questions(&mut self) -> u64 {
        std::mem::take(&mut self.questions)
    }

    /// Values for which these hold and another does not, near to others.
    pub(super) fn without(&mut self, holds: &[Term], denied: Term, near: &[u128]) -> Answer {
        self.questions += 1;
        let denied = self.terms.not(denied);
        let all = [holds, &[denied]].concat();
        self.chain.solve(&mut self.terms, &all, near)
    }

    /// Whether an old state is known to cover a new one.
    pub(super) fn covers(&mut self, old: &Condition, new: &Condition) -> bool {
        let Some(wanted) = self.wanted(old, new) else { return false };
        wanted.into_iter().all(|wanted| self.follows(wanted, new))
    }

    /// What must hold under the condition of the new state.
    fn wanted(&mut self, old: &Condition, new: &Condition) -> Option<Vec<Term>> {
        let pairs: Vec<(Term, Term)> = old.symbols.iter().copied().zip(new.symbols.iter().copied()).collect();
        if pairs.iter().any(|&(was, is)| self.terms.width(was) != self.terms.width(is)) {
            return None;
        }
        let guessed = self.guessed(&pairs);
        let roots: Vec<Term> = old.holds.iter().chain(&old.symbols).copied().collect();
        let mut wanted = self.terms.substitute(&roots, |terms, variable, width| {
            let value = old.values.get(variable.0 as usize).copied().unwrap_or_default();
            Some(guessed.get(&variable).copied().unwrap_or_else(|| terms.constant(value, width)))
        });
        let symbols = wanted.split_off(old.holds.len());
        let same = symbols.into_iter().zip(&new.symbols);
        wanted.extend(same.map(|(was, &is)| self.terms.binary(Op::Eq, was, is)));
        Some(wanted)
    }

    /// The values that symbols are, or that were made as wide as the machine computes.
    fn guessed(&mut self, pairs: &[(Term, Term)]) -> BTreeMap<Variable, Term> {
        let mut guessed = BTreeMap::new();
        for &(was, is) in pairs {
            if let Some((variable, width)) = self.variable(was) {
                guessed.entry(variable).or_insert_with(|| self.terms.extract(is, 0, width));
            }
        }
        guessed
    }

    fn variable(&self, term: Term) -> Option<(Variable, u32)> {
        let node = self.terms.node(term);
        match node.op {
            Op::Var => Some((Variable(node.a), self.terms.width(term))),
            Op::ZExt | Op::SExt => self.variable(node.operands().next()?),
            _ => None,
        }
    }

    fn follows(&mut self, wanted: Term, new: &Condition) -> bool {
        match self.terms.value(wanted) {
            Some(value) => value == 1,
            None if new.holds.contains(&wanted) => true,
            None => self.without(&new.holds, wanted, &new.values) == Answer::Unsat,
        }
    }
}
