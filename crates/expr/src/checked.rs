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
    pub fn checked(&mut self, op: Op, width: u32, extra: u32, operands: &[Term]) -> Option<Term> {
        let known = operands.iter().all(|operand| operand.index() < self.len());
        if !known || !is_width(width) || !self.fits(op, width, extra, operands) {
            return None;
        }
        match *operands {
            [index, ref rows @ ..] if op == Op::Lookup => Some(self.lookup(index, rows.into())),
            [a] if op == Op::Extract => Some(self.extract(a, extra, width)),
            [a] => Some(self.make(Node::unary(op, width, a))),
            [a, b] => Some(self.make(Node::binary(op, width, a, b))),
            [a, b, c] => Some(self.make(Node::ternary(op, width, a, b, c))),
            _ => None,
        }
    }

    /// Whether the widths are those that the operation asks for.
    fn fits(&self, op: Op, width: u32, extra: u32, operands: &[Term]) -> bool {
        let of = |i: usize| self.width(operands[i]);
        if op != Op::Lookup && operands.len() != op.arity() {
            return false;
        }
        let alike = || operands.iter().all(|&operand| self.width(operand) == width);
        match op {
            Op::Const | Op::Wide | Op::Var => false,
            Op::Concat => of(0) + of(1) == width,
            Op::Extract => extra.checked_add(width).is_some_and(|end| end <= of(0)),
            Op::ZExt | Op::SExt => of(0) < width,
            Op::Ite => of(0) == 1 && of(1) == width && of(2) == width,
            Op::Lookup => operands.len() > 1 && (1..operands.len()).all(|i| of(i) == width),
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => width == 1 && of(0) == of(1),
            Op::FEq | Op::FLt | Op::FLe => width == 1 && is_float(of(0)) && of(0) == of(1),
            Op::FIsNan => width == 1 && is_float(of(0)),
            Op::FConvert => is_float(width) && is_float(of(0)) && width != of(0),
            Op::FFromSigned | Op::FFromUnsigned => is_float(width),
            Op::FToSigned | Op::FToUnsigned => is_float(of(0)),
            _ if op.is_float() => is_float(width) && alike(),
            _ => alike(),
        }
    }
}

fn is_width(width: u32) -> bool {
    (1..=128).contains(&width)
}

fn is_float(width: u32) -> bool {
    matches!(width, 32 | 64)
}
