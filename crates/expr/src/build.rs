//! Constructors. They keep every term in normal form:
//!
//! 1. A term of constants is a constant.
//! 2. Numbers of up to 64 bits are [`Op::Const`], wider ones [`Op::Wide`]; all are below `2^width`.
//! 3. Of two operands of a commutative operation a constant comes second, else the older term first.

use crate::op::Op;
use crate::store::{Node, Table, Term, Terms, Variable};
use crate::value::{apply, mask};

impl Terms {
    /// A number; bits above the width are dropped.
    pub fn constant(&mut self, value: u128, width: u32) -> Term {
        debug_assert!((1..=128).contains(&width));
        let value = value & mask(width);
        let width = width as u8;
        if width <= 64 {
            let (a, b) = (value as u32, (value >> 32) as u32);
            return self.intern(Node { op: Op::Const, width, extra: 0, a, b, c: 0 });
        }
        let found = self.wide.iter().position(|&known| known == value);
        let a = found.unwrap_or_else(|| {
            self.wide.push(value);
            self.wide.len() - 1
        }) as u32;
        self.intern(Node { op: Op::Wide, width, extra: 0, a, b: 0, c: 0 })
    }

    /// An input.
    pub fn variable(&mut self, variable: Variable, width: u32) -> Term {
        self.intern(Node { op: Op::Var, width: width as u8, extra: 0, a: variable.0, b: 0, c: 0 })
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> Term {
        self.constant(u128::from(value), 1)
    }

    /// The operation on one operand; `width` is that of the result.
    pub fn unary(&mut self, op: Op, width: u32, a: Term) -> Term {
        debug_assert_eq!(op.arity(), 1);
        self.make(Node { op, width: width as u8, extra: 0, a: a.0, b: 0, c: 0 })
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
        self.make(Node { op, width: width as u8, extra: 0, a: a.0, b: b.0, c: 0 })
    }

    /// Bits `low .. low + width` of `a`.
    pub fn extract(&mut self, a: Term, low: u32, width: u32) -> Term {
        debug_assert!(low + width <= self.width(a));
        self.make(Node { op: Op::Extract, width: width as u8, extra: low as u8, a: a.0, b: 0, c: 0 })
    }

    /// `then` if `condition`, else `otherwise`.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let width = self.nodes[then.index()].width;
        self.make(Node { op: Op::Ite, width, extra: 0, a: condition.0, b: then.0, c: otherwise.0 })
    }

    /// `a * b + c` with one rounding.
    pub fn fma(&mut self, a: Term, b: Term, c: Term) -> Term {
        let width = self.nodes[a.index()].width;
        self.make(Node { op: Op::FFma, width, extra: 0, a: a.0, b: b.0, c: c.0 })
    }

    /// Row `index` of a table, the last one for every larger index.
    pub fn lookup(&mut self, index: Term, rows: Table) -> Term {
        let width = self.nodes[rows[0].index()].width;
        let table = self.add_table(rows);
        self.make(Node { op: Op::Lookup, width, extra: 0, a: index.0, b: table.0, c: 0 })
    }

    /// The negation of a truth value.
    pub fn not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        self.unary(Op::Not, width, a)
    }

    /// A node in normal form.
    fn make(&mut self, node: Node) -> Term {
        if let Some(value) = self.folded(&node) {
            return self.constant(value, node.width.into());
        }
        let node = self.ordered(node);
        self.intern(node)
    }

    /// The value of an operation on constants.
    fn folded(&self, node: &Node) -> Option<u128> {
        if node.op == Op::Lookup {
            let rows = self.table(crate::TableId(node.b));
            let index = self.value(Term(node.a))?;
            let row = usize::try_from(index).map_or(rows.len() - 1, |i| i.min(rows.len() - 1));
            return self.value(rows[row]);
        }
        let mut values = [0; 3];
        let mut widths = [0; 3];
        for (i, operand) in node.operands().enumerate() {
            values[i] = self.value(operand)?;
            widths[i] = self.width(operand);
        }
        Some(apply(node.op, node.width.into(), node.extra.into(), values, widths))
    }

    fn ordered(&self, mut node: Node) -> Node {
        if node.op.is_commutative() {
            let rank = |term: u32| (self.value(Term(term)).is_some(), term);
            if rank(node.a) > rank(node.b) {
                std::mem::swap(&mut node.a, &mut node.b);
            }
        }
        node
    }
}
