//! A conjunction in its plainest form: a sorted list of constraints, none of them a conjunction or a constant.

use expr::{Op, Term, Terms, mask};
use rustc_hash::{FxHashMap, FxHashSet};

/// Folds conjunctions, and remembers what became of each constraint: paths share their beginnings.
#[derive(Default)]
pub(crate) struct Folder {
    known: FxHashMap<Term, Folded>,
}

/// The plain constraints that one stands for, each with its opposite; none if it is false.
type Folded = Option<Box<[(Term, Term)]>>;

impl Folder {
    /// The constraints of a conjunction, sorted; none if it is plainly false.
    pub(crate) fn fold(&mut self, terms: &mut Terms, constraints: &[Term]) -> Option<Vec<Term>> {
        let mut kept = FxHashSet::default();
        for &constraint in constraints {
            let folded = self.known.entry(constraint).or_insert_with(|| folded(terms, constraint));
            for &(plain, opposite) in folded.as_ref()? {
                if kept.contains(&opposite) {
                    return None;
                }
                kept.insert(plain);
            }
        }
        let mut kept: Vec<Term> = kept.into_iter().collect();
        kept.sort_unstable();
        Some(kept)
    }
}

fn folded(terms: &mut Terms, constraint: Term) -> Folded {
    let mut plains = Vec::new();
    let mut seen = FxHashSet::default();
    let mut todo = vec![constraint];
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        match split(terms, term) {
            Split::True => {}
            Split::False => return None,
            Split::Parts(parts) => todo.extend(parts),
            Split::Whole => {
                let opposite = terms.not(term);
                plains.push((term, plain(terms, opposite)));
            }
        }
    }
    Some(plains.into())
}

enum Split {
    True,
    False,
    Parts(Vec<Term>),
    Whole,
}

fn split(terms: &mut Terms, term: Term) -> Split {
    let node = terms.node(term);
    let [a, b] = [node.a, node.b].map(Term);
    match node.op {
        Op::Const => match node.a {
            0 => Split::False,
            _ => Split::True,
        },
        Op::And => Split::Parts(vec![a, b]),
        Op::Not if terms.node(a).op == Op::Or => {
            let inner = terms.node(a);
            Split::Parts(vec![terms.not(Term(inner.a)), terms.not(Term(inner.b))])
        }
        _ => match plain(terms, term) {
            same if same == term => Split::Whole,
            plainer => Split::Parts(vec![plainer]),
        },
    }
}

/// A truth term without a negation or a comparison with a constant bit at its top, where there is such a term.
fn plain(terms: &mut Terms, term: Term) -> Term {
    let node = terms.node(term);
    let [a, b] = [node.a, node.b].map(Term);
    match (node.op, terms.value(b)) {
        (Op::Not, _) => negated(terms, a).unwrap_or(term),
        (Op::Eq, Some(1)) if terms.width(a) == 1 => a,
        (Op::Eq, Some(0)) if terms.width(a) == 1 => terms.not(a),
        (Op::Eq, Some(value)) if terms.node(a).op == Op::ZExt => {
            let narrow = Term(terms.node(a).a);
            let width = terms.width(narrow);
            if value > mask(width) {
                return terms.truth(false);
            }
            let value = terms.constant(value, width);
            terms.binary(Op::Eq, narrow, value)
        }
        _ => term,
    }
}

/// The negation of a truth term, if it can be said without one.
fn negated(terms: &mut Terms, term: Term) -> Option<Term> {
    let node = terms.node(term);
    let [a, b] = [node.a, node.b].map(Term);
    let opposite = match node.op {
        Op::Not => return Some(a),
        Op::Ult => Op::Ule,
        Op::Ule => Op::Ult,
        Op::Slt => Op::Sle,
        Op::Sle => Op::Slt,
        Op::Eq if terms.width(a) == 1 && terms.value(b).is_some() => {
            let bit = terms.value(b) == Some(1);
            return Some(if bit { terms.not(a) } else { a });
        }
        _ => return None,
    };
    Some(terms.binary(opposite, b, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expr::Variable;

    fn fold(terms: &mut Terms, constraints: &[Term]) -> Option<Vec<Term>> {
        Folder::default().fold(terms, constraints)
    }

    #[test]
    fn conjunctions_become_lists_without_constants() {
        let mut terms = Terms::new();
        let [x, y] = [0, 1].map(|i| terms.variable(Variable(i), 8));
        let less = terms.binary(Op::Ult, x, y);
        let five = terms.constant(5, 8);
        let five_y = terms.binary(Op::Eq, y, five);
        let both = terms.binary(Op::And, less, five_y);
        let yes = terms.truth(true);
        assert_eq!(fold(&mut terms, &[both, yes, less]), Some(vec![less, five_y]));
        let no = terms.truth(false);
        assert_eq!(fold(&mut terms, &[both, no]), None);
    }

    #[test]
    fn a_condition_and_its_opposite_are_false() {
        let mut terms = Terms::new();
        let [x, y] = [0, 1].map(|i| terms.variable(Variable(i), 8));
        for op in [Op::Ult, Op::Sle, Op::Eq, Op::FLt] {
            let yes = terms.binary(op, x, y);
            let no = terms.not(yes);
            assert_eq!(fold(&mut terms, &[yes, no]), None, "{op:?}");
            assert_eq!(fold(&mut terms, &[no, yes]), None, "{op:?}");
        }
    }

    #[test]
    fn widened_truth_values_are_narrowed() {
        let mut terms = Terms::new();
        let x = terms.variable(Variable(0), 1);
        let wide = terms.unary(Op::ZExt, 32, x);
        let [zero, one, two] = [0, 1, 2].map(|value| terms.constant(value, 32));
        let [is_zero, is_one, is_two] = [zero, one, two].map(|value| terms.binary(Op::Eq, wide, value));
        assert_eq!(fold(&mut terms, &[is_one]), Some(vec![x]));
        let not = terms.not(x);
        assert_eq!(fold(&mut terms, &[is_zero]), Some(vec![not]));
        assert_eq!(fold(&mut terms, &[is_two]), None);
    }
}
