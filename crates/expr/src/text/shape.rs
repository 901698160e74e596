//! Which C expression an operation looks like.

use super::{Piece, Shape, View, Writer, level};
use crate::op::Op;
use crate::store::{Node, Term, Variable};
use crate::value::{mask, sign_extend};

impl<N: Fn(Variable) -> String> Writer<'_, N> {
    pub(super) fn shape(&self, term: Term, view: View) -> Shape {
        let node = self.terms.node(term);
        if let Some(value) = self.terms.value(term) {
            return Shape::Leaf(number(value, node.bits(), view));
        }
        match view {
            View::Float => self.float_sign(&node).unwrap_or_else(|| self.plain(&node)),
            View::Unsigned if !self.is_unsigned(term) => Shape::Prefix("(unsigned)".into(), signed(term)),
            _ => self.plain(&node),
        }
    }

    /// Whether C takes it as unsigned, or its sign bit is plainly zero.
    fn is_unsigned(&self, term: Term) -> bool {
        let node = self.terms.node(term);
        node.width == 1 || matches!(node.op, Op::UDiv | Op::URem) || self.terms.is_positive(term)
    }

    /// Changes of the sign bit of a floating-point number.
    fn float_sign(&self, node: &Node) -> Option<Shape> {
        let sign = 1 << (node.bits() - 1);
        let c = self.terms.value(node.second())?;
        match node.op {
            Op::Xor if c == sign => Some(Shape::Prefix("-".into(), Piece::Term(node.first(), View::Float))),
            Op::And if c == sign - 1 => Some(Shape::Call("fabs", vec![node.first()])),
            _ => None,
        }
    }

    fn plain(&self, node: &Node) -> Shape {
        let (a, b) = (node.first(), node.second());
        let infix =
            |view, operator, level| Shape::Infix(Piece::Term(a, view), operator, level, Piece::Term(b, view));
        let is_bit = node.width == 1;
        match node.op {
            Op::Const | Op::Wide => Shape::Leaf("?".into()),
            Op::Var => Shape::Leaf((self.name)(Variable(node.a))),
            Op::Not => self.inverted(a),
            Op::Neg => Shape::Prefix("-".into(), signed(a)),
            Op::Add => self.sum(a, b),
            Op::Sub => infix(View::Signed, "-", level::SUM),
            Op::Mul => infix(View::Signed, "*", level::PRODUCT),
            Op::UDiv => infix(View::Unsigned, "/", level::PRODUCT),
            Op::URem => infix(View::Unsigned, "%", level::PRODUCT),
            Op::SDiv => infix(View::Signed, "/", level::PRODUCT),
            Op::SRem => infix(View::Signed, "%", level::PRODUCT),
            Op::And if is_bit => infix(View::Signed, "&&", level::ALL),
            Op::Or if is_bit => infix(View::Signed, "||", level::ANY),
            Op::Xor if is_bit => infix(View::Signed, "!=", level::EQUAL),
            Op::And => self.bitwise(a, "&", level::AND, b),
            Op::Or => self.bitwise(a, "|", level::OR, b),
            Op::Xor => self.bitwise(a, "^", level::XOR, b),
            Op::Shl => infix(View::Signed, "<<", level::SHIFT),
            Op::LShr => Shape::Infix(Piece::Term(a, View::Unsigned), ">>", level::SHIFT, signed(b)),
            Op::AShr => infix(View::Signed, ">>", level::SHIFT),
            Op::Concat => self.beside(a, b),
            Op::Extract => self.part(node),
            Op::ZExt | Op::SExt => self.extended(node),
            Op::Ite => Shape::Choice(a, b, node.third()),
            Op::Eq => infix(View::Signed, "==", level::EQUAL),
            Op::Ult => self.order(a, b, View::Unsigned, ["<", ">"]),
            Op::Ule => self.order(a, b, View::Unsigned, ["<=", ">="]),
            Op::Slt => self.order(a, b, View::Signed, ["<", ">"]),
            Op::Sle => self.order(a, b, View::Signed, ["<=", ">="]),
            Op::Lookup => Shape::Row(*node),
            _ => self.float(node),
        }
    }

    fn float(&self, node: &Node) -> Shape {
        let (a, b) = (node.first(), node.second());
        let infix = |operator, level| {
            Shape::Infix(Piece::Term(a, View::Float), operator, level, Piece::Term(b, View::Float))
        };
        let cast = |to: &str, view| Shape::Prefix(to.into(), Piece::Term(a, view));
        let real = if node.width == 32 { "(float)" } else { "(double)" };
        match node.op {
            Op::FAdd => infix("+", level::SUM),
            Op::FSub => infix("-", level::SUM),
            Op::FMul => infix("*", level::PRODUCT),
            Op::FDiv => infix("/", level::PRODUCT),
            Op::FEq => infix("==", level::EQUAL),
            Op::FLt => self.order(a, b, View::Float, ["<", ">"]),
            Op::FLe => self.order(a, b, View::Float, ["<=", ">="]),
            Op::FConvert if node.width == 64 => Shape::Same(Piece::Term(a, View::Float)),
            Op::FConvert => cast(real, View::Float),
            Op::FFromSigned => cast(real, View::Signed),
            Op::FFromUnsigned => cast(real, View::Unsigned),
            Op::FToSigned => cast(&integer(node.bits(), ""), View::Float),
            Op::FToUnsigned => cast(&integer(node.bits(), "unsigned "), View::Float),
            op => Shape::Call(function(op), node.operands().collect()),
        }
    }

    fn inverted(&self, a: Term) -> Shape {
        let node = self.terms.node(a);
        let view = match node.op {
            Op::Eq => View::Signed,
            Op::FEq => View::Float,
            _ if node.width == 1 => return Shape::Prefix("!".into(), signed(a)),
            _ => return Shape::Prefix("~".into(), signed(a)),
        };
        let (x, y) = (Piece::Term(node.first(), view), Piece::Term(node.second(), view));
        Shape::Infix(x, "!=", level::EQUAL, y)
    }

    fn sum(&self, a: Term, b: Term) -> Shape {
        let width = self.terms.width(b);
        match self.terms.value(b).map(|c| sign_extend(c, width)) {
            Some(c) if c < 0 && c != i128::MIN => {
                let text = number(c.unsigned_abs(), width, View::Unsigned);
                Shape::Infix(signed(a), "-", level::SUM, Piece::Text(text))
            }
            _ => Shape::Infix(signed(a), "+", level::SUM, signed(b)),
        }
    }

    /// Masks are written in hexadecimal.
    fn bitwise(&self, a: Term, operator: &'static str, level: u8, b: Term) -> Shape {
        let right = self.terms.value(b).map_or_else(|| signed(b), |c| Piece::Text(format!("{c:#x}")));
        Shape::Infix(signed(a), operator, level, right)
    }

    /// People write the number second.
    fn order(&self, a: Term, b: Term, view: View, [less, greater]: [&'static str; 2]) -> Shape {
        let both_positive = self.is_unsigned(a) && self.is_unsigned(b);
        let view = if view == View::Unsigned && both_positive { View::Signed } else { view };
        let (a_piece, b_piece) = (Piece::Term(a, view), Piece::Term(b, view));
        if self.terms.is_number(a) {
            Shape::Infix(b_piece, greater, level::ORDER, a_piece)
        } else {
            Shape::Infix(a_piece, less, level::ORDER, b_piece)
        }
    }

    fn beside(&self, high: Term, low: Term) -> Shape {
        let raised = Piece::Shifted(high, View::Signed, "<<", self.terms.width(low));
        if self.terms.value(low) == Some(0) {
            return Shape::Same(raised);
        }
        Shape::Infix(raised, "|", level::OR, signed(low))
    }

    fn part(&self, node: &Node) -> Shape {
        let (a, low, width) = (node.first(), u32::from(node.extra), node.bits());
        if width == 1 && low + 1 == self.terms.width(a) {
            return Shape::Infix(signed(a), "<", level::ORDER, Piece::Text("0".into()));
        }
        let shifted = if low == 0 { signed(a) } else { Piece::Shifted(a, View::Signed, ">>", low) };
        if matches!(width, 8 | 16 | 32 | 64) {
            return Shape::Prefix(integer(width, ""), shifted);
        }
        Shape::Infix(shifted, "&", level::AND, Piece::Text(format!("{:#x}", mask(width))))
    }

    fn extended(&self, node: &Node) -> Shape {
        let a = node.first();
        let part = self.terms.node(a);
        if part.op != Op::Extract || part.width == 1 {
            return Shape::Same(signed(a));
        }
        let (x, low) = (part.first(), u32::from(part.extra));
        let is_top = low + part.bits() == self.terms.width(x);
        match node.op {
            Op::ZExt if is_top => Shape::Same(Piece::Shifted(x, View::Unsigned, ">>", low)),
            Op::SExt if is_top => Shape::Same(Piece::Shifted(x, View::Signed, ">>", low)),
            Op::ZExt => {
                let shifted = if low == 0 { signed(x) } else { Piece::Shifted(x, View::Signed, ">>", low) };
                Shape::Infix(shifted, "&", level::AND, Piece::Text(format!("{:#x}", mask(part.bits()))))
            }
            _ => Shape::Same(signed(a)),
        }
    }
}

pub(super) fn signed(term: Term) -> Piece {
    Piece::Term(term, View::Signed)
}

fn integer(width: u32, sign: &str) -> String {
    let name = match width {
        ..=8 => "char",
        9..=16 => "short",
        17..=32 => "int",
        33..=64 => "long",
        _ => "__int128",
    };
    format!("({sign}{name})")
}

fn function(op: Op) -> &'static str {
    match op {
        Op::FRem => "fmod",
        Op::FFma => "fma",
        Op::FSqrt => "sqrt",
        Op::FFloor => "floor",
        Op::FCeil => "ceil",
        Op::FTrunc => "trunc",
        Op::FRound => "round",
        Op::FRint => "rint",
        Op::FMin => "fmin",
        Op::FMax => "fmax",
        _ => "isnan",
    }
}

/// Small numbers in decimal, large ones in hexadecimal, where bits are more likely meant.
fn number(value: u128, width: u32, view: View) -> String {
    let as_signed = sign_extend(value, width);
    match view {
        View::Float if width == 32 => format!("{:?}", f32::from_bits(value as u32)),
        View::Float if width == 64 => format!("{:?}", f64::from_bits(value as u64)),
        View::Signed if width > 1 && (-65536..0).contains(&as_signed) => as_signed.to_string(),
        _ if value < 65536 => value.to_string(),
        _ => format!("{value:#x}"),
    }
}
