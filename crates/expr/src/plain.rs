//! Nodes that are in normal form already, told at a glance.
//!
//! Most operations of a run are made of terms that no rule of [`crate::simplify`] looks into. This is a short cut for
//! them and decides nothing: a table says what the rules of an operation look into, generously, and in a debug build
//! every rule is asked all the same.

use crate::op::Op;
use crate::store::{Node, Terms};

/// What the rules of an operation look into. Sets of operations have a bit each.
#[derive(Clone, Copy)]
struct Seen {
    /// In either operand.
    alone: u64,
    /// In one operand, if the other is of this set too.
    together: u64,
    /// In the first operand, if the second is a number.
    beside_number: u64,
    /// The same where the first operand has itself a number for its second one.
    both_numbers: u64,
    /// Numbers that rules ask for.
    number: Special,
    /// Whether there are rules for operands of one bit.
    one_bit: bool,
    /// Whether operands may be exchanged.
    is_commutative: bool,
}

/// Second operands that a rule asks for.
#[derive(Clone, Copy)]
enum Special {
    Nothing,
    Zero,
    ZeroAndOnes,
    /// 0, 1 and other powers of two, all ones.
    Powers,
    /// Only the lowest bits set.
    LowBits,
    /// No bit is moved, or every one out.
    Shift,
    /// The lowest and highest two numbers.
    Bounds,
    SignedBounds,
}

impl Special {
    #[inline(always)]
    fn is(self, c: u64, width: u8) -> bool {
        let ones = u64::MAX >> (64 - u32::from(width));
        let is_near = |bound: u64| c.wrapping_sub(bound).wrapping_add(2) & ones <= 3;
        match self {
            Special::Nothing => false,
            Special::Zero => c == 0,
            Special::ZeroAndOnes => c == 0 || c == ones,
            Special::Powers => c & c.wrapping_sub(1) == 0 || c == ones,
            Special::LowBits => c & c.wrapping_add(1) == 0,
            Special::Shift => c == 0 || c >= width.into(),
            Special::Bounds => is_near(0),
            Special::SignedBounds => is_near((ones >> 1) + 1),
        }
    }
}

/// A set of operations.
const fn set(operations: &[Op]) -> u64 {
    let (mut set, mut i) = (0, 0);
    while i < operations.len() {
        set |= 1 << operations[i] as u32;
        i += 1;
    }
    set
}

/// Operations on numbers are folded, operations on choices and rows of numbers are choices and rows.
const ALWAYS: u64 = set(&[Op::Const, Op::Wide, Op::Ite, Op::Lookup]);
const NOT_KNOWN: Seen = Seen {
    alone: u64::MAX,
    together: 0,
    beside_number: u64::MAX,
    both_numbers: 0,
    number: Special::Nothing,
    one_bit: false,
    is_commutative: false,
};

impl Seen {
    const fn new(op: Op, alone: &[Op], together: &[Op], beside_number: &[Op], number: Special) -> Seen {
        Seen {
            alone: set(alone) | ALWAYS,
            together: set(together),
            beside_number: set(beside_number) | ALWAYS,
            both_numbers: 0,
            number,
            one_bit: false,
            is_commutative: op.is_commutative(),
        }
    }

    /// With other rules for operands of one bit.
    const fn but_one_bit(self) -> Seen {
        Seen { one_bit: true, ..self }
    }

    /// With rules for the operation of these by a number, and a number.
    const fn but_by_number(self, operations: &[Op]) -> Seen {
        Seen { both_numbers: set(operations), ..self }
    }

    const fn but_all_numbers(self) -> Seen {
        Seen { beside_number: u64::MAX, ..self }
    }

    const fn of(op: Op) -> Seen {
        use Op::{
            Add, And, Concat, Extract, FConvert, FFromSigned, FFromUnsigned, Mul, Neg, Not, Or, SExt, Shl,
            Sle, Slt, Sub, Ule, Ult, Xor, ZExt,
        };
        const OPPOSITES: &[Op] = &[Not, Ult, Ule, Slt, Sle];
        match op {
            // Leaves; tables and three operands are looked at as a whole.
            Op::Const | Op::Wide | Op::Var | Op::Lookup | Op::Ite | Op::FFma => NOT_KNOWN,
            Not => Seen::new(op, &[Not, Neg, Ult, Ule, Slt, Sle, Xor, Add, Sub], &[], &[], Special::Nothing),
            Neg => Seen::new(op, &[Neg, Not, Sub, Add, Mul, Shl], &[], &[], Special::Nothing).but_one_bit(),
            Add => Seen::new(op, &[Neg], &[ZExt, Concat, Shl], &[Sub, Not], Special::Zero)
                .but_by_number(&[Add])
                .but_one_bit(),
            Sub => Seen::new(op, &[Neg], &[], &[], Special::Nothing).but_all_numbers().but_one_bit(),
            Mul => {
                Seen::new(op, &[], &[Neg], &[Neg], Special::Powers).but_by_number(&[Mul, Shl]).but_one_bit()
            }
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                Seen::new(op, &[], &[ZExt], &[ZExt], Special::Powers).but_one_bit()
            }
            And => {
                Seen::new(op, OPPOSITES, &[ZExt], &[ZExt, Concat], Special::LowBits).but_by_number(&[And, Or])
            }
            Or => Seen::new(op, OPPOSITES, &[ZExt, Shl, Concat], &[ZExt, Concat], Special::ZeroAndOnes)
                .but_by_number(&[And, Or]),
            Xor => Seen::new(op, &[Not], &[ZExt, Shl, Concat], &[Not, ZExt, Concat], Special::ZeroAndOnes)
                .but_by_number(&[Xor]),
            Shl => {
                Seen::new(op, &[], &[], &[ZExt, Concat, Extract], Special::Shift).but_by_number(&[Shl, Mul])
            }
            Op::LShr | Op::AShr => Seen::new(op, &[], &[], &[], Special::Nothing).but_all_numbers(),
            Concat => {
                let parts = &[Concat, ZExt, SExt, Extract];
                Seen::new(op, parts, &[], parts, Special::Nothing)
            }
            Extract => {
                let seen_through = &[Extract, Concat, ZExt, SExt, And, Or, Xor, Shl];
                Seen::new(op, seen_through, &[], &[], Special::Nothing)
            }
            ZExt => Seen::new(op, &[ZExt, Concat], &[], &[], Special::Nothing),
            SExt => Seen::new(op, &[ZExt, SExt, Concat], &[], &[], Special::Nothing),
            Op::Eq => {
                let undone = &[Not, Neg, Sub, Xor, ZExt, SExt, Concat];
                Seen::new(op, &[Not, Add], &[ZExt, SExt], undone, Special::Nothing)
                    .but_by_number(&[Add, Mul])
                    .but_one_bit()
            }
            Ult | Ule => Seen::new(op, &[], &[ZExt, SExt], &[ZExt, SExt], Special::Bounds).but_one_bit(),
            Slt | Sle => {
                Seen::new(op, &[], &[ZExt, SExt], &[ZExt, SExt], Special::SignedBounds).but_one_bit()
            }
            Op::FEq | Op::FLt | Op::FLe => {
                Seen::new(op, &[], &[FConvert], &[], Special::Nothing).but_all_numbers()
            }
            Op::FIsNan => Seen::new(op, &[FConvert, FFromSigned, FFromUnsigned], &[], &[], Special::Nothing),
            // No law of other floating-point operations holds for bits.
            _ => Seen::new(op, &[], &[], &[], Special::Nothing),
        }
    }
}

/// By number of the operation.
static SEEN: [Seen; 64] = {
    let mut all = [NOT_KNOWN; 64];
    let mut i = 0;
    while i < Op::ALL.len() {
        all[Op::ALL[i] as usize] = Seen::of(Op::ALL[i]);
        i += 1;
    }
    all
};

#[inline]
fn bit(node: &Node) -> u64 {
    1 << (node.op as u32)
}

impl Terms {
    /// Whether no rule applies to a node of one operand, which is given; false if one might.
    #[inline]
    pub(crate) fn is_plain_unary(&self, node: &Node, of: &Node) -> bool {
        let seen = &SEEN[node.op as usize];
        let is_idle = node.width == of.width && matches!(node.op, Op::Extract | Op::ZExt | Op::SExt);
        // The negation of an equality of bits is a rule of its own.
        let is_of_bits = of.op == Op::Eq && self.width(of.first()) == 1;
        let is_one_bit = seen.one_bit && of.width == 1;
        bit(of) & seen.alone == 0 && !(is_idle || is_of_bits || is_one_bit)
    }

    /// The node of these two operands, in order, if no rule applies to it; nothing if one might.
    #[inline(always)]
    pub(crate) fn plain_binary(&self, node: Node, first: &Node, second: &Node) -> Option<Node> {
        let seen = &SEEN[node.op as usize];
        if seen.one_bit && first.width == 1 {
            return None;
        }
        let (one, other) = (bit(first), bit(second));
        if second.op == Op::Const {
            let c = u64::from(second.a) | u64::from(second.b) << 32;
            let is_seen = one & seen.beside_number != 0
                || seen.number.is(c, second.width)
                || (one & seen.both_numbers != 0 && self.is_number(first.second()));
            return if is_seen { None } else { Some(node) };
        }
        let are_seen =
            (one | other) & seen.alone != 0 || (one & seen.together != 0 && other & seen.together != 0);
        if are_seen || node.a == node.b {
            return None;
        }
        let exchanged = seen.is_commutative && node.a > node.b;
        Some(if exchanged { Node { a: node.b, b: node.a, ..node } } else { node })
    }
}
