//! Small questions as programs ask them.

use crate::common::{fast, named, with_cvc5};
use expr::{Op, Term, Terms, Variable};
use solver::{Answer, Chain, Layer, Limits, NoSmt, Why};

#[test]
fn all_are_decided() {
    for mut question in named() {
        let answer = question.solve(&mut with_cvc5());
        let right = match answer {
            Answer::Sat(_) => question.satisfiable,
            Answer::Unsat => !question.satisfiable,
            Answer::Unknown(_) => false,
        };
        assert!(right, "{}: {answer:?}", question.name);
    }
}

#[test]
fn most_need_no_smt_solver() {
    let needy = ["x * x == 3", "x ^ (7 * x + 1) == 99", "x * y == 8633 with both above 1"];
    for mut question in named() {
        let answer = question.solve(&mut fast());
        let unknown = matches!(answer, Answer::Unknown(_));
        assert_eq!(unknown, needy.contains(&question.name), "{}: {answer:?}", question.name);
    }
}

#[test]
fn c62_numbers_wrap_as_the_machine_wraps() {
    for width in [32, 64] {
        let mut terms = Terms::new();
        let x = terms.variable(Variable(0), width);
        let [one, most, least, minus] = [1, (1 << (width - 1)) - 1, 1 << (width - 1), (1 << width) - 1]
            .map(|value: u128| terms.constant(value, width));
        let sum = terms.binary(Op::Add, x, one);
        let wraps = terms.binary(Op::Slt, sum, x);
        let Answer::Sat(values) = with_cvc5().solve(&mut terms, &[wraps], &[]) else { panic!("{width}") };
        assert_eq!(values[0], (1 << (width - 1)) - 1, "the greatest number, and no other");
        let is_it = terms.binary(Op::Eq, x, most);
        let is_other = terms.not(is_it);
        assert_eq!(with_cvc5().solve(&mut terms, &[wraps, is_other], &[]), Answer::Unsat);
        // MIN / -1 is MIN: a quotient with the sign of neither.
        let quotient = terms.binary(Op::SDiv, x, minus);
        let question = [terms.binary(Op::Eq, quotient, least)];
        let Answer::Sat(values) = with_cvc5().solve(&mut terms, &question, &[]) else { panic!("{width}") };
        assert_eq!(values[0], 1 << (width - 1));
    }
}

/// What a reader of numbers asks: two digits, and the value of both together.
fn two_digits(terms: &mut Terms, value: u128) -> Vec<Term> {
    let [nine, zero, ten] = [(9, 32), (48, 8), (10, 32)].map(|(value, width)| terms.constant(value, width));
    let mut conditions = Vec::new();
    let digits = [0, 1].map(|i| {
        let character = terms.variable(Variable(i), 8);
        let digit = terms.binary(Op::Sub, character, zero);
        let digit = terms.zext(digit, 32);
        conditions.push(terms.binary(Op::Ule, digit, nine));
        digit
    });
    let tens = terms.binary(Op::Mul, digits[0], ten);
    let number = terms.binary(Op::Add, tens, digits[1]);
    // Not to be computed backwards.
    let square = terms.binary(Op::Mul, number, number);
    let value = terms.constant(value, 32);
    conditions.push(terms.binary(Op::Eq, square, value));
    conditions
}

#[test]
fn a_few_bytes_are_tried_out_and_the_rest_is_proved() {
    for (square, number) in [(37 * 37, Some(b"37")), (38 * 38 + 1, None)] {
        let mut terms = Terms::new();
        let constraints = two_digits(&mut terms, square);
        let limits = Limits { invert: 0, descent_integer: 0, ..Limits::default() };
        let mut chain = Chain::new(limits, Box::new(NoSmt));
        match (chain.solve(&mut terms, &constraints, &[0, 0]), number) {
            (Answer::Sat(model), Some(number)) => assert_eq!(model[..2], number.map(u128::from)),
            (answer, number) => assert_eq!((answer, number), (Answer::Unsat, None)),
        }
        let count = chain.stats().of(Layer::Enumerate);
        assert_eq!(count.sat + count.unsat, 1);
    }
}

/// The years from -12 to 2998 that 3 and 100 divide, but not 400, and of which the square has a remainder: bounds leave few values.
#[test]
fn a_number_between_bounds_is_tried_out_and_the_rest_is_proved() {
    for (remainder, year) in [(2100 * 2100 % 1009, Some(2100)), (1, None)] {
        let mut terms = Terms::new();
        let year_term = terms.variable(Variable(0), 32);
        let number = |terms: &mut Terms, value: i32| terms.constant(u128::from(value as u32), 32);
        let (least, most) = (number(&mut terms, -12), number(&mut terms, 2998));
        let mut conditions =
            vec![terms.binary(Op::Sle, least, year_term), terms.binary(Op::Sle, year_term, most)];
        for (divisor, remainder, holds) in
            [(3, 0, true), (100, 0, true), (400, 0, false), (1009, remainder, true)]
        {
            let (divisor_term, remainder) = (number(&mut terms, divisor), number(&mut terms, remainder));
            let square = terms.binary(Op::Mul, year_term, year_term);
            let divided = if divisor == 1009 { square } else { year_term };
            let rest = terms.binary(Op::SRem, divided, divisor_term);
            let is_it = terms.binary(Op::Eq, rest, remainder);
            conditions.push(if holds { is_it } else { terms.not(is_it) });
        }
        let limits = Limits { invert: 0, descent_integer: 0, ..Limits::default() };
        let mut chain = Chain::new(limits, Box::new(NoSmt));
        let expected =
            (-12..=2998i32).find(|y| y % 3 == 0 && y % 100 == 0 && y % 400 != 0 && y * y % 1009 == remainder);
        assert_eq!(expected, year, "the question is what it says");
        match (chain.solve(&mut terms, &conditions, &[0]), year) {
            (Answer::Sat(model), Some(year)) => assert_eq!(model[0] as u32 as i32, year),
            (answer, year) => assert_eq!((answer, year), (Answer::Unsat, None)),
        }
        assert_eq!(chain.stats().of(Layer::Enumerate).asked, 1);
    }
}

/// `at` leads into a text, to its first `=` if there is one; the question is whether that is its third character.
#[test]
fn pointers_stay_where_characters_suffice() {
    let mut terms = Terms::new();
    let (text, none) = (terms.variable(Variable(3), 64), terms.constant(0, 64));
    let equals = terms.constant(b'='.into(), 8);
    let mut at = none;
    for i in (0..3).rev() {
        let character = terms.variable(Variable(i), 8);
        let is_here = terms.binary(Op::Eq, character, equals);
        let distance = terms.constant(u128::from(i), 64);
        let here = terms.binary(Op::Add, text, distance);
        at = terms.ite(is_here, here, at);
    }
    let (two, product) = (terms.constant(2, 64), terms.constant(0x10_0002 * 0x10_0002, 64));
    let third = terms.binary(Op::Add, text, two);
    let is_third = terms.binary(Op::Eq, at, third);
    // Nobody computes this backwards.
    let square = terms.binary(Op::Mul, at, at);
    let is_square = terms.binary(Op::Eq, square, product);
    let limits = Limits { invert: 0, descent_integer: 0, ..Limits::default() };
    let mut chain = Chain::new(limits, Box::new(NoSmt));
    let answer = chain.solve(&mut terms, &[is_third, is_square], &[0, 0, 0, 0x10_0000]);
    let Answer::Sat(model) = answer else { panic!("{answer:?}") };
    assert_eq!((model[2], model[3]), (b'='.into(), 0x10_0000));
    assert!(model[0] != b'='.into() && model[1] != b'='.into());
}

fn below(terms: &mut Terms, variable: u32, bound: u128) -> Term {
    let x = terms.variable(Variable(variable), 8);
    let bound = terms.constant(bound, 8);
    terms.binary(Op::Ult, x, bound)
}

#[test]
fn values_that_do_not_matter_stay() {
    let mut terms = Terms::new();
    let first = below(&mut terms, 0, 10);
    let third = below(&mut terms, 2, 10);
    let answer = fast().solve(&mut terms, &[first, third], &[4, 77, 200, 5]);
    let Answer::Sat(model) = answer else { panic!("{answer:?}") };
    assert_eq!((model[0], model[1], model[3]), (4, 77, 5));
    assert!(model[2] < 10);
}

#[test]
fn what_is_known_is_not_computed_again() {
    let mut terms = Terms::new();
    let mut chain = fast();
    let low = below(&mut terms, 0, 10);
    let not_low = terms.not(low);
    let lower = below(&mut terms, 0, 5);
    assert_eq!(chain.solve(&mut terms, &[not_low, lower], &[]), Answer::Unsat);
    let other = below(&mut terms, 1, 7);
    assert_eq!(chain.solve(&mut terms, &[not_low, lower, other], &[]), Answer::Unsat);
    assert_eq!((chain.stats().of(Layer::Interval).unsat, chain.stats().of(Layer::Cache).unsat), (1, 1));

    assert_eq!(chain.solve(&mut terms, &[not_low], &[0]), Answer::Sat(vec![10]));
    let not_lower = terms.not(lower);
    assert_eq!(chain.solve(&mut terms, &[not_lower], &[0]), Answer::Sat(vec![10]));
    assert_eq!(chain.stats().of(Layer::Cache).sat, 1);
}

#[test]
fn a_contradiction_is_remembered_without_its_company() {
    let mut terms = Terms::new();
    let mut chain = fast();
    let lower = below(&mut terms, 0, 5);
    let low = below(&mut terms, 0, 10);
    let not_low = terms.not(low);
    let [x, y] = [0, 1].map(|i| terms.variable(Variable(i), 8));
    let ordered = terms.binary(Op::Ult, x, y);
    assert_eq!(chain.solve(&mut terms, &[lower, ordered, not_low], &[]), Answer::Unsat);
    assert_eq!(chain.solve(&mut terms, &[lower, not_low], &[]), Answer::Unsat);
    assert_eq!(chain.stats().of(Layer::Cache).unsat, 1);
}

#[test]
fn a_question_beyond_the_limits_is_left_open() {
    let mut terms = Terms::new();
    let x = terms.variable(Variable(0), 32);
    let mut sum = x;
    for _ in 0..100_000 {
        let next = terms.constant(sum.0.into(), 32);
        let mixed = terms.binary(Op::Xor, sum, next);
        sum = terms.binary(Op::Mul, mixed, x);
    }
    let zero = terms.constant(0, 32);
    let condition = terms.binary(Op::Eq, sum, zero);
    let mut chain = Chain::new(Limits { nodes: 10_000, ..Limits::default() }, Box::new(NoSmt));
    assert_eq!(chain.solve(&mut terms, &[condition], &[7]), Answer::Unknown(Why::TooLarge));
    assert_eq!(chain.stats().unknown, 1);
}

#[test]
fn deep_terms_are_solved_without_recursion() {
    let mut terms = Terms::new();
    let mut sum = terms.variable(Variable(0), 32);
    for _ in 0..100_000 {
        let next = terms.constant(u128::from(sum.0) * 7, 32);
        sum = terms.binary(Op::Add, sum, next);
        sum = terms.unary(Op::Not, 32, sum);
    }
    let value = terms.constant(12345, 32);
    let condition = terms.binary(Op::Eq, sum, value);
    let answer = fast().solve(&mut terms, &[condition], &[]);
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}

#[test]
fn equal_questions_end_equally() {
    let run = || named().iter_mut().map(|question| question.solve(&mut fast())).collect::<Vec<_>>();
    assert_eq!(run(), run());
}
