//! Which answers of a run are of a kind that no run gave before.
//!
//! A parser that is driven by a table or a format asks all its questions in the same few branches: once one character was
//! compared, all are covered, and a run that got further in `sscanf(text, "v%d-rc%d", …)` covers nothing new. But it asks
//! something new: is this character an `r`? Two conditions are of the same kind if they differ in nothing but the
//! variables. Only small ones about characters count: sums over a whole text are all different and say nothing, and a count
//! is compared with one number after the other.

use expr::{Op, Term, Terms};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Operations of a condition that counts.
const LARGEST: u32 = 8;

/// Bits of a character.
const CHARACTER: u8 = 8;

/// The kinds of all conditions that held so far.
#[derive(Default, Debug)]
pub(crate) struct Novelty {
    kinds: HashSet<u64>,
    /// Terms looked at, by index.
    seen: Vec<bool>,
}

impl Novelty {
    /// Whether a truth term is of a new kind; it is not new the next time.
    pub(crate) fn add(&mut self, terms: &Terms, condition: Term) -> bool {
        if condition.index() >= terms.len() {
            return false;
        }
        if self.seen.len() < terms.len() {
            self.seen.resize(terms.len(), false);
        }
        if std::mem::replace(&mut self.seen[condition.index()], true) {
            return false;
        }
        let (mut hasher, mut left) = (DefaultHasher::new(), LARGEST);
        hash(terms, condition, &mut hasher, &mut left).is_some() && self.kinds.insert(hasher.finish())
    }
}

/// `None` if it does not count.
fn hash(terms: &Terms, term: Term, hasher: &mut DefaultHasher, left: &mut u32) -> Option<()> {
    let node = terms.node(term);
    if let Some(value) = terms.value(term) {
        (node.width, value).hash(hasher);
        return Some(());
    }
    if node.op == Op::Var && node.width > CHARACTER {
        return None;
    }
    *left = left.checked_sub(1)?;
    (node.op as u8, node.width, node.extra).hash(hasher);
    if node.op != Op::Var {
        node.operands().try_for_each(|operand| hash(terms, operand, hasher, left))?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expr::Variable;

    #[test]
    fn another_constant_or_answer_is_new_and_another_variable_is_not() {
        let mut terms = Terms::new();
        let mut is = |variable: u32, value: u128| {
            let variable = terms.variable(Variable(variable), 8);
            let value = terms.constant(value, 8);
            terms.binary(Op::Eq, variable, value)
        };
        let questions = [is(0, 1), is(1, 1), is(0, 2), is(1, 2)];
        let opposite = terms.not(questions[0]);
        let mut novelty = Novelty::default();
        assert_eq!(questions.map(|question| novelty.add(&terms, question)), [true, false, true, false]);
        assert!(novelty.add(&terms, opposite));
        assert!(!novelty.add(&terms, opposite));
    }

    #[test]
    fn what_is_made_of_a_whole_text_does_not_count() {
        let mut terms = Terms::new();
        let mut sum = terms.variable(Variable(0), 8);
        for i in 1..20 {
            let next = terms.variable(Variable(i), 8);
            sum = terms.binary(Op::Add, sum, next);
        }
        let zero = terms.constant(0, 8);
        let question = terms.binary(Op::Eq, sum, zero);
        assert!(!Novelty::default().add(&terms, question));
    }

    #[test]
    fn counts_do_not_count() {
        let mut terms = Terms::new();
        let count = terms.variable(Variable(0), 32);
        let limit = terms.constant(7, 32);
        let question = terms.binary(Op::Ule, count, limit);
        assert!(!Novelty::default().add(&terms, question));
    }
}
