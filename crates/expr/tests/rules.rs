//! An example for every rule of the normal form. The random programs of `properties.rs` show that rules are sound;
//! these show that they apply.

#![expect(clippy::erasing_op, reason = "that is what the rules are about")]

use expr::{Op, Term, Terms, Variable};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Sub};

/// A term with its store, so that examples read like formulas.
#[derive(Clone, Copy)]
struct X<'a>(&'a RefCell<Terms>, Term);

/// A term, or a number as wide as the term beside it.
trait Operand<'a>: Copy {
    fn term(self, beside: X<'a>) -> Term;
}

impl<'a> Operand<'a> for X<'a> {
    fn term(self, _: X<'a>) -> Term {
        self.1
    }
}

impl<'a> Operand<'a> for i128 {
    fn term(self, beside: X<'a>) -> Term {
        beside.number(self, beside.width()).1
    }
}

macro_rules! operators {
    ($($trait:ident $name:ident $op:ident),*) => {$(
        impl<'a, T: Operand<'a>> $trait<T> for X<'a> {
            type Output = X<'a>;
            fn $name(self, other: T) -> X<'a> {
                self.op(Op::$op, other)
            }
        }
    )*};
}

operators!(Add add Add, Sub sub Sub, Mul mul Mul, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl<'a> Not for X<'a> {
    type Output = X<'a>;
    fn not(self) -> X<'a> {
        X(self.0, self.0.borrow_mut().not(self.1))
    }
}

impl<'a> Neg for X<'a> {
    type Output = X<'a>;
    fn neg(self) -> X<'a> {
        self.unary(Op::Neg, self.width())
    }
}

impl<'a> X<'a> {
    fn width(self) -> u32 {
        self.0.borrow().width(self.1)
    }
    fn number(self, value: i128, width: u32) -> X<'a> {
        X(self.0, self.0.borrow_mut().constant(value as u128, width))
    }
    fn op(self, op: Op, other: impl Operand<'a>) -> X<'a> {
        let other = other.term(self);
        X(self.0, self.0.borrow_mut().binary(op, self.1, other))
    }
    fn unary(self, op: Op, width: u32) -> X<'a> {
        X(self.0, self.0.borrow_mut().unary(op, width, self.1))
    }
    fn bits(self, low: u32, width: u32) -> X<'a> {
        X(self.0, self.0.borrow_mut().extract(self.1, low, width))
    }
    fn above(self, low: X<'a>) -> X<'a> {
        self.op(Op::Concat, low)
    }
    fn zext(self, width: u32) -> X<'a> {
        self.unary(Op::ZExt, width)
    }
    fn sext(self, width: u32) -> X<'a> {
        self.unary(Op::SExt, width)
    }
    fn shl(self, by: i128) -> X<'a> {
        self.op(Op::Shl, by)
    }
    fn lshr(self, by: i128) -> X<'a> {
        self.op(Op::LShr, by)
    }
    fn ashr(self, by: i128) -> X<'a> {
        self.op(Op::AShr, by)
    }
    fn eq(self, other: impl Operand<'a>) -> X<'a> {
        self.op(Op::Eq, other)
    }
    fn ult(self, other: impl Operand<'a>) -> X<'a> {
        self.op(Op::Ult, other)
    }
    fn ule(self, other: impl Operand<'a>) -> X<'a> {
        self.op(Op::Ule, other)
    }
    fn slt(self, other: impl Operand<'a>) -> X<'a> {
        self.op(Op::Slt, other)
    }
    fn sle(self, other: impl Operand<'a>) -> X<'a> {
        self.op(Op::Sle, other)
    }
    fn ite(self, then: X<'a>, otherwise: X<'a>) -> X<'a> {
        X(self.0, self.0.borrow_mut().ite(self.1, then.1, otherwise.1))
    }
    /// `self ? then : otherwise` of 32 bits.
    fn choose(self, then: i128, otherwise: i128) -> X<'a> {
        self.ite(self.number(then, 32), self.number(otherwise, 32))
    }
    fn lookup(self, rows: &[X<'a>]) -> X<'a> {
        let rows = rows.iter().map(|row| row.1).collect();
        X(self.0, self.0.borrow_mut().lookup(self.1, rows))
    }
    /// The row of a table of numbers of this width.
    fn rows(self, rows: &[i128], width: u32) -> X<'a> {
        let rows: Vec<X<'a>> = rows.iter().map(|&row| self.number(row, width)).collect();
        self.lookup(&rows)
    }
    fn truth(self, value: bool) -> X<'a> {
        self.number(value.into(), 1)
    }
}

/// Inputs: `x`, `y` of 32 bits, `b`, `c` bytes, `p`, `q` truth values, `d`, `e` of 64 bits.
struct Inputs<'a> {
    x: X<'a>,
    y: X<'a>,
    b: X<'a>,
    c: X<'a>,
    p: X<'a>,
    q: X<'a>,
    d: X<'a>,
    e: X<'a>,
}

fn check(rule: impl for<'a> Fn(Inputs<'a>) -> (X<'a>, X<'a>)) {
    let store = RefCell::new(Terms::new());
    let input = |i, width| X(&store, store.borrow_mut().variable(Variable(i), width));
    let (x, y, b, c) = (input(0, 32), input(1, 32), input(2, 8), input(3, 8));
    let (p, q, d, e) = (input(4, 1), input(5, 1), input(6, 64), input(7, 64));
    let (left, right) = rule(Inputs { x, y, b, c, p, q, d, e });
    let (left, right) = (left.1, right.1);
    let node = |term| store.borrow().node(term);
    assert!(left == right, "{:?} is not {:?}", node(left), node(right));
}

macro_rules! rules {
    ($($name:ident: |$i:ident| $left:expr => $right:expr;)*) => {$(
        #[test]
        fn $name() {
            check(|$i| ($left, $right));
        }
    )*};
}

rules! {
    sum_with_zero: |i| i.x + 0 => i.x;
    sum_of_numbers: |i| i.x + 3 + 4 => i.x + 7;
    sum_that_cancels: |i| i.x + 3 + -3 => i.x;
    sum_commutes: |i| i.x + i.y => i.y + i.x;
    sum_with_negation: |i| i.x + -i.y => i.x - i.y;
    sum_with_itself: |i| i.x + i.x => i.x.shl(1);
    sum_with_complement: |i| !i.x + 1 => -i.x;
    sum_of_bits: |i| i.p + i.q => i.p ^ i.q;
    sum_of_disjoint: |i| i.b.zext(32).shl(8) + i.c.zext(32) => i.b.above(i.c).zext(32);
    difference_with_number: |i| i.x - 3 => i.x + -3;
    difference_with_itself: |i| i.x - i.x => i.x.number(0, 32);
    difference_from_zero: |i| i.x.number(0, 32) - i.x => -i.x;
    difference_from_number: |i| i.x.number(9, 32) - (i.x + 4) => i.x.number(5, 32) - i.x;
    difference_twice: |i| i.x.number(9, 32) - (i.x.number(4, 32) - i.x) => i.x + 5;
    difference_with_negation: |i| i.x - -i.y => i.x + i.y;
    difference_plus_number: |i| i.x.number(9, 32) - i.x + 1 => i.x.number(10, 32) - i.x;
    negation_twice: |i| -(-i.x) => i.x;
    negation_of_difference: |i| -(i.x - i.y) => i.y - i.x;
    negation_of_sum: |i| -(i.x + 3) => i.x.number(-3, 32) - i.x;
    negation_of_complement: |i| -(!i.x) => i.x + 1;
    negation_of_product: |i| -(i.x * 3) => i.x * -3;
    negation_of_bit: |i| -i.p => i.p;
    product_with_zero: |i| i.x * 0 => i.x.number(0, 32);
    product_with_one: |i| i.x * 1 => i.x;
    product_with_minus_one: |i| i.x * -1 => -i.x;
    product_of_numbers: |i| i.x * 3 * 5 => i.x * 15;
    product_with_power: |i| i.x * 8 => i.x.shl(3);
    product_of_shift: |i| i.x.shl(2) * 3 => i.x * 12;
    product_of_negations: |i| -i.x * -i.y => i.x * i.y;
    product_of_bits: |i| i.p * i.q => i.p & i.q;
    quotient_by_one: |i| i.x.op(Op::UDiv, 1) => i.x;
    quotient_by_power: |i| i.x.op(Op::UDiv, 16) => i.x.lshr(4);
    quotient_by_zero: |i| i.x.op(Op::UDiv, 0) => i.x.number(-1, 32);
    quotient_of_narrow: |i| i.b.zext(32).op(Op::UDiv, 10) => i.b.op(Op::UDiv, 10).zext(32);
    quotient_of_small: |i| i.b.zext(32).op(Op::UDiv, 1000) => i.x.number(0, 32);
    signed_quotient_by_minus_one: |i| i.x.op(Op::SDiv, -1) => -i.x;
    signed_quotient_of_positive: |i| i.b.zext(32).op(Op::SDiv, 10) => i.b.zext(32).op(Op::UDiv, 10);
    remainder_by_power: |i| i.x.op(Op::URem, 16) => i.x.bits(0, 4).zext(32);
    remainder_by_zero: |i| i.x.op(Op::URem, 0) => i.x;
    remainder_by_itself: |i| i.x.op(Op::SRem, i.x) => i.x.number(0, 32);
    remainder_of_small: |i| i.b.zext(32).op(Op::URem, 1000) => i.b.zext(32);
    signed_remainder_by_one: |i| i.x.op(Op::SRem, 1) => i.x.number(0, 32);
    signed_remainder_of_positive: |i| i.b.zext(32).op(Op::SRem, i.c.zext(32)) => i.b.zext(32).op(Op::URem, i.c.zext(32));

    and_with_zero: |i| i.x & 0 => i.x.number(0, 32);
    and_with_ones: |i| i.x & -1 => i.x;
    and_with_itself: |i| i.x & i.x => i.x;
    and_with_complement: |i| i.x & !i.x => i.x.number(0, 32);
    and_with_opposite: |i| i.x.ult(i.y) & i.y.ule(i.x) => i.x.truth(false);
    and_of_numbers: |i| i.x & 0xff0 & 0xf0f => i.x & 0xf00;
    and_with_low_mask: |i| i.x & 0xff => i.x.bits(0, 8).zext(32);
    and_of_extension: |i| i.b.zext(32) & 0xf0f0 => (i.b & 0xf0).zext(32);
    and_of_parts: |i| i.b.above(i.c) & 0xff0c => i.b.above(i.c & 0x0c);
    and_after_or: |i| (i.x | 0xf0) & 0x0a => i.x & 0x0a;
    or_with_zero: |i| i.x | 0 => i.x;
    or_with_ones: |i| i.x | -1 => i.x.number(-1, 32);
    or_with_complement: |i| i.x | !i.x => i.x.number(-1, 32);
    or_of_numbers: |i| i.x | 5 | 10 => i.x | 15;
    or_after_and: |i| (i.x & -5) | 4 => i.x | 4;
    or_of_bytes: |i| i.b.zext(32).shl(24) | i.x.bits(8, 24).zext(32) => i.b.above(i.x.bits(8, 24));
    or_into_shift: |i| i.x.shl(8) | i.b.zext(32) => i.x.bits(0, 24).above(i.b);
    or_little_endian: |i| i.d.bits(0, 8).zext(32) | i.d.bits(8, 8).zext(32).shl(8) | i.d.bits(16, 8).zext(32).shl(16) => i.d.bits(0, 24).zext(32);
    xor_with_zero: |i| i.x ^ 0 => i.x;
    xor_with_itself: |i| i.x ^ i.x => i.x.number(0, 32);
    xor_with_ones: |i| i.x ^ -1 => !i.x;
    xor_of_numbers: |i| i.x ^ 5 ^ 6 => i.x ^ 3;
    xor_of_complement: |i| !i.x ^ i.y => !(i.x ^ i.y);
    xor_of_complement_and_number: |i| !i.x ^ 5 => i.x ^ !5;
    complement_twice: |i| !!i.x => i.x;
    complement_of_negation: |i| !(-i.x) => i.x + -1;
    complement_of_sum: |i| !(i.x + 3) => i.x.number(-4, 32) - i.x;
    complement_of_difference: |i| !(i.x.number(3, 32) - i.x) => i.x + -4;
    complement_of_xor: |i| !(i.x ^ 5) => i.x ^ !5;
    complement_of_ult: |i| !i.x.ult(i.y) => i.y.ule(i.x);
    complement_of_ule: |i| !i.x.ule(i.y) => i.y.ult(i.x);
    complement_of_slt: |i| !i.x.slt(i.y) => i.y.sle(i.x);
    complement_of_sle: |i| !i.x.sle(i.y) => i.y.slt(i.x);
    complement_of_equal_bits: |i| !i.p.eq(i.q) => i.p ^ i.q;
    complement_of_different_bits: |i| !(i.p ^ i.q) => i.p.eq(i.q);
    shift_by_zero: |i| i.x.shl(0) => i.x;
    shift_out: |i| i.x.shl(32) => i.x.number(0, 32);
    shift_twice: |i| i.x.shl(3).shl(4) => i.x.shl(7);
    shift_of_product: |i| (i.x * 3).shl(2) => i.x * 12;
    shift_right: |i| i.x.lshr(8) => i.x.bits(8, 24).zext(32);
    shift_right_twice: |i| i.x.lshr(8).lshr(8) => i.x.lshr(16);
    shift_sign: |i| i.x.ashr(40) => i.x.bits(31, 1).sext(32);
    shift_up_and_down: |i| i.x.shl(24).ashr(24) => i.x.bits(0, 8).sext(32);

    bytes_of_a_word: |i| i.x.bits(24, 8).above(i.x.bits(16, 8)).above(i.x.bits(8, 8)).above(i.x.bits(0, 8)) => i.x;
    bytes_from_below: |i| i.x.bits(24, 8).above(i.x.bits(16, 8).above(i.x.bits(8, 8).above(i.x.bits(0, 8)))) => i.x;
    bytes_of_half_a_word: |i| i.x.bits(8, 8).above(i.x.bits(0, 8)) => i.x.bits(0, 16);
    bytes_of_extension: |i| i.b.zext(16).bits(8, 8).above(i.b.zext(16).bits(0, 8)) => i.b.zext(16);
    bytes_of_sign_extension: |i| i.b.sext(32).bits(24, 8).above(i.b.sext(32).bits(16, 8)).above(i.b.sext(32).bits(8, 8)).above(i.b) => i.b.sext(32);
    bytes_of_sign_extended_half: |i| i.x.bits(0, 16).sext(32).bits(16, 16).above(i.x.bits(8, 8)).above(i.x.bits(0, 8)) => i.x.bits(0, 16).sext(32);
    bytes_of_masked: |i| (i.x & 0xff0f).bits(8, 8).above((i.x & 0xff0f).bits(0, 8)) => (i.x & 0xff0f).bits(0, 16);
    bytes_of_xored: |i| (i.x ^ 0xf00).bits(8, 8).above((i.x ^ 0xf00).bits(0, 8)) => (i.x ^ 0xf00).bits(0, 16);
    bytes_of_choice: |i| i.p.choose(0x1234, 0x56).bits(8, 24).above(i.p.choose(0x1234, 0x56).bits(0, 8)) => i.p.choose(0x1234, 0x56);
    concat_with_zeros: |i| i.b.number(0, 24).above(i.b) => i.b.zext(32);
    concat_of_numbers: |i| i.b.number(1, 8).above(i.b.number(2, 8).above(i.b)) => i.b.number(0x102, 16).above(i.b);
    concat_of_number_and_zeros: |i| i.b.number(1, 8).above(i.b.zext(16)) => i.b.number(0x100, 16).above(i.b);
    concat_nests_right: |i| i.b.above(i.c).above(i.x) => i.b.above(i.c.above(i.x));
    concat_of_extension: |i| i.b.zext(16).above(i.c) => i.b.above(i.c).zext(24);
    extract_whole: |i| i.x.bits(0, 32) => i.x;
    extract_twice: |i| i.x.bits(8, 16).bits(4, 8) => i.x.bits(12, 8);
    extract_high_part: |i| i.b.above(i.c).bits(8, 8) => i.b;
    extract_low_part: |i| i.b.above(i.c).bits(2, 4) => i.c.bits(2, 4);
    extract_across_parts: |i| i.b.above(i.c).bits(4, 8) => i.b.bits(0, 4).above(i.c.bits(4, 4));
    extract_zeros: |i| i.b.zext(32).bits(8, 8) => i.b.number(0, 8);
    extract_across_extension: |i| i.b.zext(32).bits(4, 8) => i.b.bits(4, 4).zext(8);
    extract_signs: |i| i.b.sext(32).bits(16, 8) => i.b.bits(7, 1).sext(8);
    extract_across_signs: |i| i.b.sext(32).bits(4, 8) => i.b.bits(4, 4).sext(8);
    extract_masked_in: |i| (i.x & 0xff00).bits(8, 8) => i.x.bits(8, 8);
    extract_masked_out: |i| (i.x & 0xff00).bits(0, 8) => i.b.number(0, 8);
    extract_set: |i| (i.x | 0xff00).bits(8, 8) => i.b.number(0xff, 8);
    extract_of_shift: |i| i.x.shl(8).bits(16, 8) => i.x.bits(8, 8);
    extract_shifted_in: |i| i.x.shl(8).bits(0, 8) => i.b.number(0, 8);
    extract_of_choice: |i| i.p.choose(0x105, 0x107).bits(8, 8) => i.b.number(1, 8);
    zext_twice: |i| i.b.zext(16).zext(32) => i.b.zext(32);
    sext_twice: |i| i.b.sext(16).sext(32) => i.b.sext(32);
    sext_of_zext: |i| i.b.zext(16).sext(32) => i.b.zext(32);
    zext_of_number_in_front: |i| i.b.number(1, 8).above(i.b).zext(32) => i.b.number(1, 24).above(i.b);
    sext_of_number_in_front: |i| i.b.number(-1, 8).above(i.b).sext(32) => i.b.number(-1, 24).above(i.b);

    ite_of_known: |i| i.p.truth(true).ite(i.x, i.y) => i.x;
    ite_of_equal: |i| i.p.ite(i.x, i.x) => i.x;
    ite_of_not: |i| (!i.p).ite(i.x, i.y) => i.p.ite(i.y, i.x);
    ite_same_condition: |i| i.p.ite(i.p.ite(i.x, i.y), i.y + 1) => i.p.ite(i.x, i.y + 1);
    ite_is_condition: |i| i.p.ite(i.p.truth(true), i.p.truth(false)) => i.p;
    ite_is_not: |i| i.p.ite(i.p.truth(false), i.p.truth(true)) => !i.p;
    ite_is_and: |i| i.p.ite(i.q, i.p.truth(false)) => i.p & i.q;
    ite_is_or: |i| i.p.ite(i.p.truth(true), i.q) => i.p | i.q;
    ite_is_and_not: |i| i.p.ite(i.p.truth(false), i.q) => !i.p & i.q;
    ite_is_or_not: |i| i.p.ite(i.q, i.p.truth(true)) => !i.p | i.q;
    ite_is_zext: |i| i.p.choose(1, 0) => i.p.zext(32);
    ite_is_sext: |i| i.p.choose(0, -1) => (!i.p).sext(32);
    ite_of_numbers_compared: |i| i.p.choose(5, 7).eq(5) => i.p;
    ite_of_numbers_ordered: |i| i.p.choose(5, 7).slt(6) => i.p;
    ite_of_numbers_added: |i| i.p.choose(5, 7) + 1 => i.p.choose(6, 8);
    ites_by_one_condition: |i| i.p.choose(5, 7) - i.p.choose(4, 6) => i.x.number(1, 32);
    lookup_of_number: |i| i.x.number(1, 32).lookup(&[i.x, i.y]) => i.y;
    lookup_beyond: |i| i.x.number(9, 32).lookup(&[i.x, i.y]) => i.y;
    lookup_of_equal_rows: |i| i.b.lookup(&[i.x, i.x, i.x]) => i.x;
    lookup_repeated_end: |i| i.b.lookup(&[i.x, i.y, i.x, i.x]) => i.b.lookup(&[i.x, i.y, i.x]);
    lookup_unreachable_rows: |i| i.p.lookup(&[i.x, i.y, i.x, i.x]) => i.p.ite(i.y, i.x);
    lookup_of_two: |i| i.b.lookup(&[i.x, i.y]) => i.b.eq(0).ite(i.x, i.y);
    lookup_of_numbers_and_number: |i| i.b.rows(&[1, 2, 4], 32) + 1 => i.b.rows(&[2, 3, 5], 32);
    lookup_of_numbers_made_narrower: |i| i.b.rows(&[0x101, 2, 0x404], 32).bits(0, 8) => i.b.rows(&[1, 2, 4], 8);
    lookup_of_one_true_row: |i| i.b.rows(&[5, 7, 5, 6], 32).eq(7) => i.b.eq(1);
    lookup_of_true_rows: |i| i.b.rows(&[5, 7, 7, 6], 32).eq(7) => (i.b + -1).ult(2);
    lookup_of_true_rows_to_the_end: |i| i.b.rows(&[5, 6, 7, 7], 32).eq(7) => i.b.number(2, 8).ule(i.b);
    lookup_of_few_false_rows: |i| i.b.rows(&[5, 7, 6, 7], 32).eq(7) => i.b.eq(1) | i.b.number(3, 8).ule(i.b);
    lookup_of_choice: |i| i.p.choose(2, 0).lookup(&[i.x, i.y, i.x + 1]) => i.p.ite(i.x + 1, i.x);

    equal_to_itself: |i| i.x.eq(i.x) => i.x.truth(true);
    equal_bit_set: |i| i.p.eq(1) => i.p;
    equal_bit_clear: |i| i.p.eq(0) => !i.p;
    equal_sum: |i| (i.x + 3).eq(10) => i.x.eq(7);
    equal_sum_with_itself: |i| (i.x + 3).eq(i.x) => i.x.truth(false);
    equal_sums_of_itself: |i| (i.x + 3).eq(i.x + 4) => i.x.truth(false);
    equal_difference: |i| (i.x - i.y).eq(0) => i.x.eq(i.y);
    equal_from_number: |i| (i.x.number(3, 32) - i.x).eq(10) => i.x.eq(-7);
    equal_xor: |i| (i.x ^ 3).eq(10) => i.x.eq(9);
    equal_xor_zero: |i| (i.x ^ i.y).eq(0) => i.x.eq(i.y);
    equal_not: |i| (!i.x).eq(3) => i.x.eq(!3);
    equal_nots: |i| (!i.x).eq(!i.y) => i.x.eq(i.y);
    equal_neg: |i| (-i.x).eq(3) => i.x.eq(-3);
    equal_odd_product: |i| (i.x * 3).eq(21) => i.x.eq(7);
    equal_zext: |i| i.b.zext(32).eq(200) => i.b.eq(200);
    equal_zext_never: |i| i.b.zext(32).eq(256) => i.x.truth(false);
    equal_sext: |i| i.b.sext(32).eq(-3) => i.b.eq(-3);
    equal_sext_never: |i| i.b.sext(32).eq(200) => i.x.truth(false);
    equal_parts: |i| i.b.above(i.c).eq(0x4142) => i.b.eq(0x41) & i.c.eq(0x42);
    equal_extensions: |i| i.b.zext(32).eq(i.c.zext(32)) => i.b.eq(i.c);
    equal_extensions_of_two_widths: |i| i.b.zext(64).eq(i.x.zext(64)) => i.b.zext(32).eq(i.x);
    order_of_itself: |i| i.x.ult(i.x) => i.x.truth(false);
    order_or_equal_of_itself: |i| i.x.sle(i.x) => i.x.truth(true);
    order_of_bits: |i| i.p.ult(i.q) => !i.p & i.q;
    order_of_signed_bits: |i| i.p.sle(i.q) => i.p | !i.q;
    order_below_all: |i| i.x.ult(0) => i.x.truth(false);
    order_up_to_all: |i| i.x.sle(0x7fff_ffff) => i.x.truth(true);
    order_below_one: |i| i.x.ult(1) => i.x.eq(0);
    order_above_zero: |i| i.x.number(0, 32).ult(i.x) => !i.x.eq(0);
    order_at_lowest: |i| i.x.sle(-0x8000_0000) => i.x.eq(-0x8000_0000);
    order_below_highest: |i| i.x.slt(0x7fff_ffff) => !i.x.eq(0x7fff_ffff);
    order_of_zext: |i| i.b.zext(32).ult(10) => i.b.ult(10);
    order_of_zext_signed: |i| i.b.zext(32).slt(10) => i.b.ult(10);
    order_of_zext_negative: |i| i.b.zext(32).slt(-1) => i.x.truth(false);
    order_of_zext_always: |i| i.b.zext(32).ult(1000) => i.x.truth(true);
    order_of_sext: |i| i.b.sext(32).slt(10) => i.b.slt(10);
    order_of_sext_always: |i| i.b.sext(32).slt(1000) => i.x.truth(true);
    order_of_sext_unsigned: |i| i.b.sext(32).ult(1000) => i.b.number(0, 8).sle(i.b);
    order_of_extensions: |i| i.b.zext(32).slt(i.c.zext(32)) => i.b.ult(i.c);
    order_of_sign_extensions: |i| i.b.sext(32).ult(i.c.sext(32)) => i.b.ult(i.c);

    float_equal_to_itself: |i| i.d.op(Op::FEq, i.d) => !i.d.unary(Op::FIsNan, 1);
    float_below_itself: |i| i.d.op(Op::FLt, i.d) => i.d.truth(false);
    float_below_nan: |i| i.d.op(Op::FLt, i128::from(f64::NAN.to_bits())) => i.d.truth(false);
    floats_widened: |i| i.x.unary(Op::FConvert, 64).op(Op::FLt, i.y.unary(Op::FConvert, 64)) => i.x.op(Op::FLt, i.y);
    float_widened_with_number: |i| i.x.unary(Op::FConvert, 64).op(Op::FLe, i128::from(1.5_f64.to_bits())) => i.x.op(Op::FLe, i128::from(1.5_f32.to_bits()));
    nan_of_integer: |i| i.x.unary(Op::FFromSigned, 64).unary(Op::FIsNan, 1) => i.x.truth(false);
    nan_of_widened: |i| i.x.unary(Op::FConvert, 64).unary(Op::FIsNan, 1) => i.x.unary(Op::FIsNan, 1);
}

#[test]
fn c65_numbers_become_a_number() {
    check(|i| ((i.x.number(2, 32) * 3) + 1, i.x.number(7, 32)));
}

#[test]
fn float_sums_do_not_commute() {
    check(|i| {
        assert!(i.d.op(Op::FAdd, i.e).1 != i.e.op(Op::FAdd, i.d).1);
        (i.d.op(Op::FEq, i.e), i.e.op(Op::FEq, i.d))
    });
}

#[test]
fn numbers_that_are_no_float_stay_wide() {
    check(|i| {
        let wide = i.x.unary(Op::FConvert, 64).op(Op::FLt, i128::from(0.1_f64.to_bits()));
        assert_eq!(wide.0.borrow().width(Term(wide.0.borrow().node(wide.1).a)), 64);
        (wide, wide)
    });
}
