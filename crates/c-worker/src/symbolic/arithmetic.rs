//! Hooks of operations on numbers: arithmetic, comparisons, intrinsics.

use super::hooks::{Head, Recorder, recorder};
use super::log::{Event, Log, NEGATED, kind};
use expr::Op;
use wire::symbolic::{ANONYMOUS, Intrinsic};

/// The parts of a packed operation.
struct Operation {
    op: u8,
    width: u32,
    operand_width: u32,
    extra: u32,
}

impl From<u32> for Operation {
    fn from(packed: u32) -> Operation {
        Operation {
            op: packed as u8,
            width: packed >> 8 & 0xff,
            operand_width: packed >> 16 & 0xff,
            extra: packed >> 24,
        }
    }
}

pub(super) extern "C" fn unary(operation: u32, sa: u32) -> u32 {
    let Some(recorder) = recorder() else { return 0 };
    let Operation { op, width, extra, .. } = operation.into();
    recorder.log.make_raw(op, 1, width, extra, [sa, 0, 0])
}

pub(super) extern "C" fn binary(operation: u32, sa: u32, sb: u32, a: u64, b: u64) -> u32 {
    let Some(recorder) = recorder() else { return 0 };
    let Operation { op, width, operand_width, .. } = operation.into();
    if sb != 0 && is_division(op) {
        recorder.decide_divisor(sb, b, operand_width);
    }
    recorder.log.pair(Head { op, width: width as u8, extra: 0 }, operand_width, (sa, a), (sb, b))
}

fn is_division(op: u8) -> bool {
    [Op::UDiv, Op::SDiv, Op::URem, Op::SRem].iter().any(|&division| division as u8 == op)
}

impl Recorder {
    /// Whether a divisor is zero is a decision that no goal belongs to.
    fn decide_divisor(&mut self, term: u32, value: u64, width: u32) {
        let is_zero = self.log.pair(Head::new(Op::Eq, 1), width, (term, 0), (0, 0));
        let value = u64::from(value == 0);
        self.log.event(Event { kind: kind::BRANCH, id: ANONYMOUS, term: is_zero, width: 1, value, table: 0 });
    }
}

pub(super) extern "C" fn binary_128(operation: u32, sa: u32, sb: u32, a: u128, b: u128) -> u32 {
    let Some(Recorder { log, .. }) = recorder() else { return 0 };
    let Operation { op, width, operand_width, extra } = operation.into();
    let a = if sa != 0 { sa } else { log.wide_constant(a, operand_width) };
    let b = if sb != 0 { sb } else { log.wide_constant(b, operand_width) };
    log.make_raw(op, 2, width, extra, [a, b, 0])
}

pub(super) extern "C" fn ternary(operation: u32, sa: u32, sb: u32, sc: u32, a: u64, b: u64, c: u64) -> u32 {
    let Some(Recorder { log, .. }) = recorder() else { return 0 };
    let Operation { op, width, operand_width, extra } = operation.into();
    let a = log.operand(sa, a, operand_width);
    let b = log.operand(sb, b, width);
    let c = log.operand(sc, c, width);
    log.make_raw(op, 3, width, extra, [a, b, c])
}

pub(super) extern "C" fn compare(code: u32, sa: u32, sb: u32, a: u64, b: u64) -> u32 {
    if let Some(recorder) = recorder()
        && code >> 8 == 64
        && (sb == 0 && b == 0 && recorder.is_inside(sa, a) || sa == 0 && a == 0 && recorder.is_inside(sb, b))
    {
        return 0;
    }
    let Some(Recorder { log, .. }) = recorder() else { return 0 };
    let (op, swapped, negated) = comparison(code & 0xff);
    let (a, b) = ((sa, a), (sb, b));
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    let extra = if negated { NEGATED } else { 0 };
    log.pair(Head { extra, ..Head::new(op, 1) }, code >> 8, a, b)
}

pub(super) extern "C" fn compare_128(code: u32, sa: u32, sb: u32, a: u128, b: u128) -> u32 {
    let Some(Recorder { log, .. }) = recorder() else { return 0 };
    let width = code >> 8;
    let a = if sa != 0 { sa } else { log.wide_constant(a, width) };
    let b = if sb != 0 { sb } else { log.wide_constant(b, width) };
    let (op, swapped, negated) = comparison(code & 0xff);
    let result = log.make(op, 1, if swapped { [b, a, 0] } else { [a, b, 0] });
    if negated { log.not(result) } else { result }
}

/// LLVM's integer predicates (32 `eq`, `ne`, `ugt`, `uge`, `ult`, `ule`, `sgt`, `sge`, `slt`, `sle`) as an operation,
/// whether its operands are exchanged, whether its result is negated.
#[inline]
fn comparison(predicate: u32) -> (Op, bool, bool) {
    match predicate {
        32 => (Op::Eq, false, false),
        33 => (Op::Eq, false, true),
        34 => (Op::Ult, true, false),
        35 => (Op::Ule, true, false),
        36 => (Op::Ult, false, false),
        37 => (Op::Ule, false, false),
        38 => (Op::Slt, true, false),
        39 => (Op::Sle, true, false),
        40 => (Op::Slt, false, false),
        _ => (Op::Sle, false, false),
    }
}

impl Log {
    pub(super) fn not(&mut self, a: u32) -> u32 {
        self.make(Op::Not, 1, [a, 0, 0])
    }

    /// LLVM's floating-point predicates: the low bits say equal, greater, less, unordered.
    fn compare_float(&mut self, predicate: u32, a: u32, b: u32) -> u32 {
        match predicate {
            0 => self.constant(0, 1),
            1 => self.make(Op::FEq, 1, [a, b, 0]),
            2 => self.make(Op::FLt, 1, [b, a, 0]),
            3 => self.make(Op::FLe, 1, [b, a, 0]),
            4 => self.make(Op::FLt, 1, [a, b, 0]),
            5 => self.make(Op::FLe, 1, [a, b, 0]),
            6 => {
                let less = self.make(Op::FLt, 1, [a, b, 0]);
                let greater = self.make(Op::FLt, 1, [b, a, 0]);
                self.make(Op::Or, 1, [less, greater, 0])
            }
            8 => {
                let first = self.make(Op::FIsNan, 1, [a, 0, 0]);
                let second = self.make(Op::FIsNan, 1, [b, 0, 0]);
                self.make(Op::Or, 1, [first, second, 0])
            }
            15 => self.constant(1, 1),
            // The others are the negations of these.
            _ => {
                let opposite = self.compare_float(15 - predicate, a, b);
                self.not(opposite)
            }
        }
    }
}

pub(super) extern "C" fn compare_float(code: u32, sa: u32, sb: u32, a: u64, b: u64) -> u32 {
    let Some(Recorder { log, .. }) = recorder() else { return 0 };
    let width = code >> 8;
    let a = log.operand(sa, a, width);
    let b = log.operand(sb, b, width);
    log.compare_float(code & 0xff, a, b)
}

pub(super) extern "C" fn intrinsic(code: u32, term: u32, _value: u64, width: u32) -> u32 {
    let Some(Recorder { log, .. }) = recorder() else { return 0 };
    match Intrinsic::ALL.get(code as usize) {
        Some(Intrinsic::ByteSwap) => log.reversed(term, width, 8),
        Some(Intrinsic::BitReverse) => log.reversed(term, width, 1),
        Some(Intrinsic::PopulationCount) => log.population(term, width),
        Some(Intrinsic::LeadingZeros) => log.zeros(term, width, true),
        Some(Intrinsic::TrailingZeros) => log.zeros(term, width, false),
        Some(Intrinsic::Absolute) => {
            let zero = log.constant(0, width);
            let negative = log.make(Op::Slt, 1, [term, zero, 0]);
            let opposite = log.make(Op::Neg, width, [term, 0, 0]);
            log.make(Op::Ite, width, [negative, opposite, term])
        }
        None => log.float_class(term, width, code - Intrinsic::ALL.len() as u32),
    }
}

impl Log {
    fn reversed(&mut self, term: u32, width: u32, step: u32) -> u32 {
        let mut whole = 0;
        for i in 0..width / step {
            let part = self.extract(term, i * step, step);
            whole = if i == 0 { part } else { self.make(Op::Concat, (i + 1) * step, [whole, part, 0]) };
        }
        whole
    }

    fn population(&mut self, term: u32, width: u32) -> u32 {
        let mut sum = self.constant(0, width);
        for i in 0..width {
            let bit = self.extract(term, i, 1);
            let bit = if width > 1 { self.make(Op::ZExt, width, [bit, 0, 0]) } else { bit };
            sum = self.make(Op::Add, width, [sum, bit, 0]);
        }
        sum
    }

    /// Zeros above the highest (below the lowest) set bit: the last bit asked decides first.
    fn zeros(&mut self, term: u32, width: u32, leading: bool) -> u32 {
        let mut count = self.constant(width.into(), width);
        for i in 0..width {
            let (position, zeros) = if leading { (i, width - 1 - i) } else { (width - 1 - i, width - 1 - i) };
            let bit = self.extract(term, position, 1);
            let zeros = self.constant(zeros.into(), width);
            count = self.make(Op::Ite, width, [bit, zeros, count]);
        }
        count
    }

    /// LLVM's `is.fpclass`: a bit for signalling and quiet NaN, then −inf, −normal, −subnormal, −0, and the same
    /// for positive numbers the other way round.
    fn float_class(&mut self, term: u32, width: u32, mask: u32) -> u32 {
        let (mantissa, bias) = if width == 32 { (23, 8) } else { (52, 11) };
        let sign = self.extract(term, width - 1, 1);
        let exponent = self.extract(term, mantissa, bias);
        let fraction = self.extract(term, 0, mantissa);
        let quiet = self.extract(term, mantissa - 1, 1);
        let ones = self.constant(u64::MAX, bias);
        let no_exponent = self.constant(0, bias);
        let no_fraction = self.constant(0, mantissa);
        let highest = self.make(Op::Eq, 1, [exponent, ones, 0]);
        let lowest = self.make(Op::Eq, 1, [exponent, no_exponent, 0]);
        let round = self.make(Op::Eq, 1, [fraction, no_fraction, 0]);
        let [not_highest, not_lowest, not_round] = [highest, lowest, round].map(|t| self.not(t));
        let positive = self.not(sign);
        let all = |log: &mut Log, parts: &[u32]| {
            parts[1..].iter().fold(parts[0], |sum, &part| log.make(Op::And, 1, [sum, part, 0]))
        };
        let loud = self.not(quiet);
        let magnitudes = [
            all(self, &[highest, round]),
            all(self, &[not_highest, not_lowest]),
            all(self, &[lowest, not_round]),
            all(self, &[lowest, round]),
        ];
        let mut classes =
            vec![all(self, &[highest, not_round, loud]), all(self, &[highest, not_round, quiet])];
        classes.extend(magnitudes.map(|m| all(self, &[m, sign])));
        classes.extend(magnitudes.into_iter().rev().map(|m| all(self, &[m, positive])).collect::<Vec<_>>());
        let mut any = self.constant(0, 1);
        for (i, class) in classes.into_iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
            debug_assert!(i < 10);
            any = self.make(Op::Or, 1, [any, class, 0]);
        }
        any
    }
}
