//! Nodes that are in normal form already, told at a glance.
//!
//! Most operations of a run are sums, products and exclusive ors of terms that no rule of [`crate::simplify`] looks
//! into. This is a short cut for them and decides nothing: in a debug build every rule is asked all the same.

use crate::op::Op;
use crate::store::{Node, Terms};

/// A set of operations.
const fn set(operations: &[Op]) -> u64 {
    let (mut set, mut i) = (0, 0);
    while i < operations.len() {
        set |= 1 << operations[i] as u32;
        i += 1;
    }
    set
}

const NUMBERS: u64 = set(&[Op::Const, Op::Wide]);

/// The operands that the rules of an operation look into, where both may be anything and where one is a number.
struct Seen {
    pair: u64,
    beside_number: u64,
}

const ADD: Seen = Seen {
    pair: set(&[Op::Neg, Op::ZExt, Op::Ite]),
    beside_number: set(&[Op::Add, Op::Sub, Op::Not, Op::Ite]),
};
const MUL: Seen =
    Seen { pair: set(&[Op::Neg, Op::Ite]), beside_number: set(&[Op::Mul, Op::Shl, Op::Neg, Op::Ite]) };
const XOR: Seen = Seen {
    pair: set(&[Op::Not, Op::ZExt, Op::Ite]),
    beside_number: set(&[Op::Xor, Op::Not, Op::ZExt, Op::Concat, Op::Ite]),
};

impl Terms {
    /// The node with its operands in order if no rule applies; nothing if one might.
    #[inline]
    pub(crate) fn plain(&self, node: &Node) -> Option<Node> {
        let seen = match node.op {
            Op::Add => &ADD,
            Op::Mul => &MUL,
            Op::Xor => &XOR,
            _ => return None,
        };
        let (a, b) = (self.node(node.first()), self.node(node.second()));
        let (first, second) = (1_u64 << a.op as u32, 1_u64 << b.op as u32);
        if b.op == Op::Const {
            let c = u64::from(b.a) | u64::from(b.b) << 32;
            // The rules that are about the number ask for 0, 1, powers of two, or all ones.
            let is_special = c & c.wrapping_sub(1) == 0 || c == u64::MAX >> (64 - node.bits());
            return (first & (seen.beside_number | NUMBERS) == 0 && !is_special).then_some(*node);
        }
        if (first | second) & (seen.pair | NUMBERS) != 0 || node.a == node.b || node.width == 1 {
            return None;
        }
        let (a, b) = (node.a.min(node.b), node.a.max(node.b));
        Some(Node { a, b, ..*node })
    }
}
