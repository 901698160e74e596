//! Constructors for data that nobody has checked: the log of a process that may have crashed.

use crate::op::Op;
use crate::store::{Node, Term, Terms, Variable};

impl Terms {
    /// A number, if there are numbers of that width.
    pub fn checked_constant(&mut self, value: u128, width: u32) -> Option<Term> {
        is_width(width).then(|| self.constant(value, width))
    }

    /// An input, if there are inputs of that width.
    pub fn checked_variable(&mut self, variable: Variable, width: u32) -> Option<Term> {
        is_width(width).then(|| self.variable(variable, width))
    }

    /// The operation on these operands, or nothing if they do not fit it.
    ///
    /// `extra` is the lowest bit of an [`Op::Extract`] and ignored otherwise; the operands of a [`Op::Lookup`] are
    /// its index and then its rows. Numbers and variables have constructors of their own.
    ///
    /// ```
    /// use expr::{Op, Terms, Variable};
    /// let mut terms = Terms::new();
    /// let byte = terms.checked_variable(Variable(0), 8).unwrap();
    /// assert!(terms.checked(Op::ZExt, 32, 0, &[byte]).is_some());
    /// assert!(terms.checked(Op::ZExt, 4, 0, &[byte]).is_none());
    /// assert!(terms.checked(Op::Add, 8, 0, &[byte]).is_none());
    /// ```
    #[inline]
    pub fn checked(&mut self, op: Op, width: u32, extra: u32, operands: &[Term]) -> Option<Term> {
        match *operands {
            [index, ref rows @ ..] if op == Op::Lookup => {
                let fit = |row: &Term| row.index() < self.len() && self.width(*row) == width;
                let known = index.index() < self.len() && is_width(width);
                let fits = known && !rows.is_empty() && rows.iter().all(fit);
                fits.then(|| self.lookup(index, rows.into()))
            }
            [a] => self.checked_unary(op, width, extra, a),
            [a, b] => self.checked_binary(op, width, a, b),
            [a, b, c] => {
                let all = [a, b, c];
                let known = all.iter().all(|operand| operand.index() < self.len()) && is_width(width);
                (known && op.arity() == 3 && fits(op, width, all.map(|operand| self.width(operand))))
                    .then(|| self.make(Node::ternary(op, width, a, b, c)))
            }
            _ => None,
        }
    }

    /// [`Terms::checked`] with one operand.
    #[inline]
    pub fn checked_unary(&mut self, op: Op, width: u32, extra: u32, a: Term) -> Option<Term> {
        let known = a.index() < self.len() && is_width(width);
        if !known || op.arity() != 1 {
            return None;
        }
        let of = self.width(a);
        if op == Op::Extract {
            let fits = extra.checked_add(width).is_some_and(|end| end <= of);
            return fits.then(|| self.extract(a, extra, width));
        }
        fits(op, width, [of, 0, 0]).then(|| self.make_unary(Node::unary(op, width, a)))
    }

    /// [`Terms::checked`] with two operands.
    #[inline]
    pub fn checked_binary(&mut self, op: Op, width: u32, a: Term, b: Term) -> Option<Term> {
        let (first, second) = (self.nodes.get(a.index())?, self.nodes.get(b.index())?);
        // Nearly all: numbers of one width.
        let fits = if op.is_alike() {
            first.bits() == width && first.width == second.width
        } else {
            op.arity() == 2 && is_width(width) && fits(op, width, [first.bits(), second.bits(), 0])
        };
        if !fits {
            return None;
        }
        let node = Node::binary(op, width, a, b);
        Some(match self.plain_binary(node, first, second) {
            Some(node) => self.plain(node),
            None => self.rewritten(node),
        })
    }
}

/// Whether the widths of result and operands are those that the operation asks for.
fn fits(op: Op, width: u32, [a, b, c]: [u32; 3]) -> bool {
    match op {
        Op::Const | Op::Wide | Op::Var | Op::Lookup | Op::Extract => false,
        _ if op.is_alike() => a == width && b == width,
        Op::Not | Op::Neg => a == width,
        Op::Concat => a + b == width,
        Op::ZExt | Op::SExt => a < width,
        Op::Ite => a == 1 && b == width && c == width,
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => width == 1 && a == b,
        Op::FEq | Op::FLt | Op::FLe => width == 1 && is_float(a) && a == b,
        Op::FIsNan => width == 1 && is_float(a),
        Op::FConvert => is_float(width) && is_float(a) && width != a,
        Op::FFromSigned | Op::FFromUnsigned => is_float(width),
        Op::FToSigned | Op::FToUnsigned => is_float(a),
        _ => is_float(width) && [a, b, c].iter().take(op.arity()).all(|&operand| operand == width),
    }
}

#[inline]
fn is_width(width: u32) -> bool {
    (1..=128).contains(&width)
}

#[inline]
fn is_float(width: u32) -> bool {
    matches!(width, 32 | 64)
}
