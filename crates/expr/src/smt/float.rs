//! Floating-point operations in SMT-LIB.

use super::{Writer, number};
use crate::op::Op;
use crate::store::{Node, Term};
use std::fmt::Write;

impl Writer<'_> {
    pub(super) fn float_body(&mut self, term: Term, node: &Node) -> String {
        let [a, b, c] = [node.a, node.b, node.c].map(Term);
        let name = float_name(node.op);
        match node.op {
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => {
                format!("({name} RNE {} {})", self.float(a), self.float(b))
            }
            Op::FFma => format!("(fp.fma RNE {} {} {})", self.float(a), self.float(b), self.float(c)),
            Op::FSqrt => format!("(fp.sqrt RNE {})", self.float(a)),
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRound | Op::FRint => {
                format!("(fp.roundToIntegral {name} {})", self.float(a))
            }
            Op::FMin | Op::FMax => self.extreme(term, node),
            Op::FRem => self.remainder(term, node),
            Op::FConvert => format!("({} RNE {})", to_float(node.width.into()), self.float(a)),
            Op::FFromSigned => {
                self.floats = true;
                format!("({} RNE {})", to_float(node.width.into()), self.bits(a))
            }
            _ => {
                self.floats = true;
                let unsigned = to_float(node.width.into()).replace("to_fp", "to_fp_unsigned");
                format!("({unsigned} RNE {})", self.bits(a))
            }
        }
    }

    /// `fmin` and `fmax`; which of two zeros is left open.
    fn extreme(&mut self, term: Term, node: &Node) -> String {
        self.exact = false;
        let (a, b) = (self.float(Term(node.a)), self.float(Term(node.b)));
        let name = if node.op == Op::FMin { "fp.lt" } else { "fp.gt" };
        let _ = writeln!(self.text, "(declare-const z{} Bool)", term.0);
        format!(
            "(ite (fp.isNaN {a}) {b} (ite (fp.isNaN {b}) {a} (ite ({name} {a} {b}) {a} (ite ({name} {b} {a}) {b} (ite z{} {a} {b})))))",
            term.0
        )
    }

    /// `fmod`: when it is a number, and that it is no larger than its operands and has the sign of the first.
    fn remainder(&mut self, term: Term, node: &Node) -> String {
        self.exact = false;
        let (a, b) = (self.float(Term(node.a)), self.float(Term(node.b)));
        let (r, sort) = (format!("m{}", term.0), float_sort(node.width.into()));
        let _ = writeln!(
            self.text,
            "(declare-const {r} {sort})\n\
             (assert (= (fp.isNaN {r}) (or (fp.isNaN {a}) (fp.isNaN {b}) (fp.isInfinite {a}) (fp.isZero {b}))))\n\
             (assert (or (fp.isNaN {r}) (and (fp.leq (fp.abs {r}) (fp.abs {a})) (fp.lt (fp.abs {r}) (fp.abs {b})) \
             (= (fp.isNegative {r}) (fp.isNegative {a})))))"
        );
        r
    }

    /// Conversion to an integer, out of range as [`crate::apply`] does it.
    pub(super) fn integer_body(&mut self, node: &Node) -> String {
        let operand = Term(node.a);
        let float = self.float(operand);
        // A float is a double: both convert alike.
        let double = match self.terms.width(operand) {
            32 => format!("((_ to_fp 11 53) RNE {float})"),
            _ => float,
        };
        let width = u32::from(node.width);
        let signed = node.op == Op::FToSigned;
        let (from, whole) = match (signed, width) {
            (true, ..=32) | (false, ..=31) => (32, convert_32(&double)),
            (true, 33..=64) | (false, 32..=63) => (64, convert_64(&double)),
            (false, 64) => (64, unsigned_64(&double)),
            _ => (128, saturated(&double, signed)),
        };
        if from == width { whole } else { format!("((_ extract {} 0) {whole})", width - 1) }
    }
}

pub(super) fn float_sort(width: u32) -> &'static str {
    if width == 32 { "(_ FloatingPoint 8 24)" } else { "(_ FloatingPoint 11 53)" }
}

pub(super) fn to_float(width: u32) -> &'static str {
    if width == 32 { "(_ to_fp 8 24)" } else { "(_ to_fp 11 53)" }
}

/// A double as an SMT-LIB literal.
fn double(value: f64) -> String {
    format!("((_ to_fp 11 53) {})", number(value.to_bits().into(), 64))
}

fn convert_32(number: &str) -> String {
    let (below, above) = (double(-2_147_483_649.0), double(2_147_483_648.0));
    format!(
        "(ite (and (fp.lt {below} {number}) (fp.lt {number} {above})) ((_ fp.to_sbv 32) RTZ {number}) #x80000000)"
    )
}

fn convert_64(number: &str) -> String {
    let (lowest, above) = (double(-9_223_372_036_854_775_808.0), double(9_223_372_036_854_775_808.0));
    format!(
        "(ite (and (fp.leq {lowest} {number}) (fp.lt {number} {above})) ((_ fp.to_sbv 64) RTZ {number}) #x8000000000000000)"
    )
}

fn unsigned_64(number: &str) -> String {
    let low = convert_64(number);
    let high = convert_64(&format!("(fp.sub RNE {number} {})", double(9_223_372_036_854_775_808.0)));
    format!("(let ((low {low}) (high {high})) (bvor low (bvand high (bvashr low #x000000000000003f))))")
}

fn saturated(number: &str, signed: bool) -> String {
    let (kind, lowest, highest) =
        if signed { ("s", 1 << 127, i128::MAX as u128) } else { ("u", 0, u128::MAX) };
    let (below, above) =
        if signed { (i128::MIN as f64, -(i128::MIN as f64)) } else { (0.0, 2.0 * 2f64.powi(127)) };
    let [lowest, highest, nothing] = [lowest, highest, 0].map(|value| self::number(value, 128));
    format!(
        "(ite (fp.isNaN {number}) {nothing} (ite (fp.leq {number} {}) {lowest} (ite (fp.leq {} {number}) {highest} \
         ((_ fp.to_{kind}bv 128) RTZ {number}))))",
        double(below),
        double(above)
    )
}

pub(super) fn float_name(op: Op) -> &'static str {
    match op {
        Op::FAdd => "fp.add",
        Op::FSub => "fp.sub",
        Op::FMul => "fp.mul",
        Op::FDiv => "fp.div",
        Op::FFloor => "RTN",
        Op::FCeil => "RTP",
        Op::FTrunc => "RTZ",
        Op::FRound => "RNA",
        Op::FRint => "RNE",
        Op::FLt => "fp.lt",
        Op::FLe => "fp.leq",
        _ => "fp.eq",
    }
}
