//! Constructors. They keep every term in the normal form of [`crate::normal`].

use crate::op::Op;
use crate::simplify::Step;
use crate::store::{Node, Table, TableId, Term, Terms, Variable};
use crate::value::{apply, mask};

impl Terms {
    /// A number; bits above the width are dropped.
    pub fn constant(&mut self, value: u128, width: u32) -> Term {
        if width <= 64 {
            return self.small_constant(value as u64, width);
        }
        let width = width as u8;
        let a = self.intern_wide(value & mask(width.into()));
        self.intern(Node { op: Op::Wide, width, extra: 0, zero: 0, a, b: 0, c: 0 })
    }

    /// A number of up to 64 bits.
    fn small_constant(&mut self, value: u64, width: u32) -> Term {
        let value = value & (u64::MAX >> (64 - width));
        let (a, b) = (value as u32, (value >> 32) as u32);
        self.intern(Node { op: Op::Const, width: width as u8, extra: 0, zero: 0, a, b, c: 0 })
    }

    /// An input.
    pub fn variable(&mut self, variable: Variable, width: u32) -> Term {
        self.intern(Node { op: Op::Var, width: width as u8, extra: 0, zero: 0, a: variable.0, b: 0, c: 0 })
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> Term {
        self.constant(u128::from(value), 1)
    }

    /// The operation on one operand; `width` is that of the result.
    pub fn unary(&mut self, op: Op, width: u32, a: Term) -> Term {
        debug_assert_eq!(op.arity(), 1);
        self.make(Node::unary(op, width, a))
    }

    /// The operation on two operands; the width of the result follows from them.
    pub fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        debug_assert_eq!(op.arity(), 2);
        debug_assert!(op == Op::Concat || self.width(a) == self.width(b), "{op:?} of different widths");
        let width = match op {
            Op::Concat => self.width(a) + self.width(b),
            _ if op.is_predicate() => 1,
            _ => self.width(a),
        };
        self.make(Node::binary(op, width, a, b))
    }

    /// Bits `low .. low + width` of `a`.
    pub fn extract(&mut self, a: Term, low: u32, width: u32) -> Term {
        debug_assert!(low + width <= self.width(a));
        self.make_unary(Node::extract(a, low, width))
    }

    /// `a` with zeros above, or itself if it has that width already.
    pub fn zext(&mut self, a: Term, width: u32) -> Term {
        self.make_unary(Node::unary(Op::ZExt, width, a))
    }

    /// `a` with its sign above, or itself if it has that width already.
    pub fn sext(&mut self, a: Term, width: u32) -> Term {
        self.make_unary(Node::unary(Op::SExt, width, a))
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        self.binary(Op::Concat, high, low)
    }

    /// `then` if `condition`, else `otherwise`.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.make(Node::ternary(Op::Ite, self.width(then), condition, then, otherwise))
    }

    /// `a * b + c` with one rounding.
    pub fn fma(&mut self, a: Term, b: Term, c: Term) -> Term {
        self.make(Node::ternary(Op::FFma, self.width(a), a, b, c))
    }

    /// Row `index` of a table, the last one for every larger index.
    pub fn lookup(&mut self, index: Term, rows: Table) -> Term {
        let width = self.width(rows[0]);
        let rows = self.trimmed(index, &rows);
        let table = self.intern_table(rows);
        self.make(Node::binary(Op::Lookup, width, index, Term(table.0)))
    }

    /// The negation of a truth value, the complement of a number.
    pub fn not(&mut self, a: Term) -> Term {
        let node = self.node(a);
        if node.op == Op::Not { node.first() } else { self.make_unary(Node::unary(Op::Not, node.bits(), a)) }
    }

    /// The normal form of a node: folded if it is made of numbers, else rewritten until no rule applies.
    ///
    /// Rules that descend as far as a term is deep give [`Step::Again`], so the stack does not grow with terms.
    #[inline]
    pub(crate) fn make(&mut self, node: Node) -> Term {
        match node.op.arity() {
            1 => self.make_unary(node),
            2 => self.make_binary(node),
            _ => self.rewritten(node),
        }
    }

    #[inline]
    pub(crate) fn make_unary(&mut self, node: Node) -> Term {
        let of = self.node(node.first());
        if self.is_plain_unary(&node, &of) { self.plain(node) } else { self.rewritten(node) }
    }

    #[inline]
    fn make_binary(&mut self, node: Node) -> Term {
        let [first, second] = [node.first(), node.second()].map(|operand| &self.nodes[operand.index()]);
        match self.plain_binary(node, first, second) {
            Some(node) => self.plain(node),
            None => self.rewritten(node),
        }
    }

    /// The term of a node that no rule applies to.
    #[inline]
    pub(crate) fn plain(&mut self, node: Node) -> Term {
        debug_assert!(self.simplify(&node).is_none(), "a rule applies to {node:?}");
        self.intern(node)
    }

    #[inline(never)]
    pub(crate) fn rewritten(&mut self, mut node: Node) -> Term {
        // No other operation needs its rule so often: it is asked before all that may come first elsewhere.
        if node.op == Op::LShr
            && let Some(Step::Done(term)) = self.simplify_lshr(&node)
        {
            return term;
        }
        loop {
            if self.is_number(node.first())
                && let Some(value) = self.folded(&node)
            {
                return self.constant(value, node.bits());
            }
            self.order(&mut node);
            match self.simplify(&node) {
                None => return self.intern(node),
                Some(Step::Done(term)) => return term,
                Some(Step::Again(next)) => node = next,
            }
        }
    }

    /// The value of an operation on constants.
    #[cold]
    fn folded(&self, node: &Node) -> Option<u128> {
        let first = self.value(node.first())?;
        if node.op == Op::Lookup {
            return self.value(row(self.table(TableId(node.b)), first));
        }
        let mut values = [first, 0, 0];
        let mut widths = [self.width(node.first()), 0, 0];
        for (i, operand) in node.operands().enumerate().skip(1) {
            values[i] = self.value(operand)?;
            widths[i] = self.width(operand);
        }
        Some(apply(node.op, node.bits(), node.extra.into(), values, widths))
    }

    #[inline]
    fn order(&self, node: &mut Node) {
        if node.op.is_commutative() {
            let rank = |term: u32| (self.is_number(Term(term)), term);
            if rank(node.a) > rank(node.b) {
                std::mem::swap(&mut node.a, &mut node.b);
            }
        }
    }

    #[inline]
    pub(crate) fn is_number(&self, term: Term) -> bool {
        matches!(self.node(term).op, Op::Const | Op::Wide)
    }
}

/// The row that a lookup chooses.
pub(crate) fn row(rows: &[Term], index: u128) -> Term {
    let last = rows.len() - 1;
    rows[usize::try_from(index).map_or(last, |i| i.min(last))]
}
