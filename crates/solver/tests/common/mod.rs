//! Random terms, an evaluation of their own, and named questions.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use expr::{Op, TableId, Term, Terms, Variable, apply, mask};
use proptest::prelude::*;
use solver::{Answer, Chain, Command, Limits, NoSmt, Smt, SmtAnswer, SmtLimits, SmtProcess};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Widths of the variables of random terms.
pub const WIDTHS: [u32; 9] = [1, 8, 8, 16, 32, 32, 64, 64, 128];

const INTEGER: [Op; 22] = [
    Op::Not,
    Op::Neg,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::SDiv,
    Op::URem,
    Op::SRem,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::Concat,
    Op::Ite,
    Op::Eq,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
];

const FLOAT: [Op; 20] = [
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::FRem,
    Op::FSqrt,
    Op::FFloor,
    Op::FCeil,
    Op::FTrunc,
    Op::FRound,
    Op::FRint,
    Op::FMin,
    Op::FMax,
    Op::FEq,
    Op::FLt,
    Op::FLe,
    Op::FIsNan,
    Op::FConvert,
    Op::FFromSigned,
    Op::FToSigned,
];

/// One step of making a random term: an operation and which earlier terms it takes.
#[derive(Clone, Debug)]
pub struct Recipe {
    op: usize,
    operands: [usize; 3],
    number: u64,
}

/// Steps of a random term.
pub fn recipes(length: usize) -> impl Strategy<Value = Vec<Recipe>> {
    let number = prop_oneof![Just(0), Just(1), 0..300u64, any::<u64>(), (0..64u32).prop_map(|bit| 1 << bit)];
    let recipe = (any::<usize>(), any::<[usize; 3]>(), number).prop_map(|(op, operands, number)| Recipe {
        op,
        operands,
        number,
    });
    prop::collection::vec(recipe, 2..length)
}

/// Values of all variables, mostly remarkable ones.
pub fn assignments() -> impl Strategy<Value = Vec<u128>> {
    let value = prop_oneof![
        Just(0),
        Just(1),
        Just(u128::MAX),
        any::<f64>().prop_map(|x| x.to_bits().into()),
        (-1e10f64..1e10).prop_map(|x| x.to_bits().into()),
        (-1e10f32..1e10).prop_map(|x| x.to_bits().into()),
        any::<u8>().prop_map(u128::from),
        any::<u128>(),
    ];
    prop::collection::vec(value, WIDTHS.len())
}

/// Truth terms made by a recipe.
pub fn constraints(terms: &mut Terms, recipes: &[Recipe], floats: bool) -> Vec<Term> {
    let mut made: Vec<Term> =
        WIDTHS.iter().enumerate().map(|(i, &width)| terms.variable(Variable(i as u32), width)).collect();
    for recipe in recipes {
        let term = step(terms, recipe, &made, floats);
        made.push(term);
    }
    let truths: Vec<Term> = made[WIDTHS.len()..].iter().copied().filter(|&t| terms.width(t) == 1).collect();
    let last = *made.last().expect("there are variables");
    let number = terms.constant(recipes[0].number.into(), terms.width(last));
    let mut chosen = vec![terms.binary(Op::Ule, last, number)];
    chosen.extend(truths.iter().rev().take(3));
    chosen
}

fn step(terms: &mut Terms, recipe: &Recipe, made: &[Term], floats: bool) -> Term {
    // Late terms are preferred, so that terms grow deep.
    let pick = |n: usize| made[made.len() - 1 - recipe.operands[n] % made.len() % (WIDTHS.len() + 2)];
    let (a, b, c) = (pick(0), pick(1), pick(2));
    if floats && !recipe.op.is_multiple_of(3) {
        return float_step(terms, FLOAT[recipe.op / 3 % FLOAT.len()], a, b, recipe.number);
    }
    let op = INTEGER[recipe.op / 3 % INTEGER.len()];
    // Wide products and quotients are hard for SMT solvers and prove no more.
    let a =
        if matches!(op, Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem) { narrow(terms, a) } else { a };
    let width = terms.width(a);
    let b = if recipe.op.is_multiple_of(5) { terms.constant(recipe.number.into(), width) } else { b };
    match op {
        Op::Not | Op::Neg => terms.unary(op, width, a),
        Op::Concat => {
            let (a, b) = (fitted(terms, a, width.min(64)), fitted(terms, b, 8));
            terms.binary(op, a, b)
        }
        Op::Ite => {
            let condition = fitted(terms, c, 1);
            let b = fitted(terms, b, width);
            terms.ite(condition, a, b)
        }
        _ if recipe.number % 11 == 3 => {
            let rows: Vec<Term> = made.iter().take(5).map(|&row| fitted(terms, row, width)).collect();
            terms.lookup(c, rows.into())
        }
        _ => {
            let b = fitted(terms, b, width);
            terms.binary(op, a, b)
        }
    }
}

fn float_step(terms: &mut Terms, op: Op, a: Term, b: Term, number: u64) -> Term {
    let width = if number.is_multiple_of(2) { 32 } else { 64 };
    match op {
        Op::FConvert => {
            let a = fitted(terms, a, 96 - width);
            terms.unary(op, width, a)
        }
        Op::FFromSigned => {
            let op = if number.is_multiple_of(3) { Op::FFromUnsigned } else { op };
            terms.unary(op, width, a)
        }
        Op::FToSigned => {
            let op = if number.is_multiple_of(3) { Op::FToUnsigned } else { op };
            let a = fitted(terms, a, width);
            terms.unary(op, [8, 16, 31, 32, 33, 63, 64, 128][number as usize / 2 % 8], a)
        }
        _ => {
            let (a, b) = (fitted(terms, a, width), fitted(terms, b, width));
            match op.arity() {
                1 => terms.unary(op, if op == Op::FIsNan { 1 } else { width }, a),
                _ => terms.binary(op, a, b),
            }
        }
    }
}

fn narrow(terms: &mut Terms, term: Term) -> Term {
    let width = terms.width(term).min(12);
    fitted(terms, term, width)
}

/// A term of another width, so that operands agree.
fn fitted(terms: &mut Terms, term: Term, width: u32) -> Term {
    match terms.width(term) {
        own if own == width => term,
        own if own > width => terms.extract(term, (own - width) / 2, width),
        _ => terms.unary(if term.0.is_multiple_of(2) { Op::ZExt } else { Op::SExt }, width, term),
    }
}

/// The value of a term, computed from its nodes alone.
pub fn evaluate(terms: &Terms, root: Term, assignment: &[u128]) -> u128 {
    let mut known: HashMap<Term, u128> = HashMap::new();
    for index in 0..=root.0 {
        let term = Term(index);
        let node = terms.node(term);
        let value = match node.op {
            Op::Const | Op::Wide => terms.value(term).expect("a constant"),
            Op::Var => assignment.get(node.a as usize).copied().unwrap_or(0) & mask(node.width.into()),
            Op::Lookup => {
                let rows = terms.table(TableId(node.b));
                let index = known[&Term(node.a)].min(rows.len() as u128 - 1);
                known[&rows[index as usize]]
            }
            op => {
                let mut values = [0; 3];
                let mut widths = [0; 3];
                for (i, operand) in node.operands().enumerate() {
                    (values[i], widths[i]) = (known[&operand], terms.width(operand));
                }
                apply(op, node.width.into(), node.extra.into(), values, widths)
            }
        };
        known.insert(term, value);
    }
    known[&root]
}

/// Whether all truth terms hold.
pub fn holds(terms: &Terms, constraints: &[Term], assignment: &[u128]) -> bool {
    constraints.iter().all(|&constraint| evaluate(terms, constraint, assignment) == 1)
}

/// A chain that ends with cvc5.
pub fn with_cvc5() -> Chain {
    Chain::new(Limits::default(), Box::new(Shared::cvc5()))
}

/// One cvc5 for several chains.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<SmtProcess>>);

impl Shared {
    pub fn cvc5() -> Shared {
        Shared(Rc::new(RefCell::new(SmtProcess::new(Command::cvc5()))))
    }
}

impl Smt for Shared {
    fn check(&mut self, script: &str, values: &str, limits: &SmtLimits) -> SmtAnswer {
        self.0.borrow_mut().check(script, values, limits)
    }
}

/// A chain of the fast layers alone.
pub fn fast() -> Chain {
    let smt: Box<dyn Smt> = Box::new(NoSmt);
    Chain::new(Limits::default(), smt)
}

/// A question with a name.
pub struct Named {
    pub name: &'static str,
    pub terms: Terms,
    pub constraints: Vec<Term>,
    pub satisfiable: bool,
}

impl Named {
    fn new(name: &'static str, satisfiable: bool, build: impl FnOnce(&mut Terms) -> Vec<Term>) -> Named {
        let mut terms = Terms::new();
        let constraints = build(&mut terms);
        Named { name, terms, constraints, satisfiable }
    }

    /// Solves it from zeros and checks the answer.
    pub fn solve(&mut self, chain: &mut Chain) -> Answer {
        let answer = chain.solve(&mut self.terms, &self.constraints, &[]);
        match &answer {
            Answer::Sat(model) => assert!(holds(&self.terms, &self.constraints, model), "{}", self.name),
            Answer::Unsat => assert!(!self.satisfiable, "{}", self.name),
            Answer::Unknown(_) => {}
        }
        answer
    }
}

fn bytes(terms: &mut Terms, count: u32) -> Vec<Term> {
    (0..count).map(|i| terms.variable(Variable(i), 8)).collect()
}

fn equals(terms: &mut Terms, term: Term, value: u128) -> Term {
    let width = terms.width(term);
    let value = terms.constant(value, width);
    terms.binary(Op::Eq, term, value)
}

fn double(terms: &mut Terms, value: f64) -> Term {
    terms.constant(value.to_bits().into(), 64)
}

/// Questions as programs ask them.
pub fn named() -> Vec<Named> {
    vec![
        Named::new("a checksum of 8 bytes", true, |terms| {
            let mut sum = terms.constant(0, 32);
            for byte in bytes(terms, 8) {
                let wide = terms.unary(Op::ZExt, 32, byte);
                let factor = terms.constant(31, 32);
                let times = terms.binary(Op::Mul, sum, factor);
                sum = terms.binary(Op::Add, times, wide);
            }
            vec![equals(terms, sum, 0x1234_5678)]
        }),
        Named::new("a magic header of 16 bytes", true, |terms| {
            let bytes = bytes(terms, 16);
            let whole = bytes.into_iter().reduce(|all, byte| terms.binary(Op::Concat, all, byte));
            vec![equals(terms, whole.expect("16 bytes"), 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff)]
        }),
        Named::new("x * x == 2.25 on doubles", true, |terms| {
            let x = terms.variable(Variable(0), 64);
            let square = terms.binary(Op::FMul, x, x);
            let value = double(terms, 2.25);
            vec![terms.binary(Op::FEq, square, value)]
        }),
        Named::new("x * x - 5 * x + 6 == 0 and x > 2.5 on doubles", true, |terms| {
            let x = terms.variable(Variable(0), 64);
            let [five, six, zero, bound] = [5.0, 6.0, 0.0, 2.5].map(|value| double(terms, value));
            let square = terms.binary(Op::FMul, x, x);
            let linear = terms.binary(Op::FMul, x, five);
            let rest = terms.binary(Op::FSub, square, linear);
            let polynomial = terms.binary(Op::FAdd, rest, six);
            vec![terms.binary(Op::FEq, polynomial, zero), terms.binary(Op::FLt, bound, x)]
        }),
        Named::new("chained equalities", true, |terms| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| terms.variable(Variable(i), 32));
            let [one, seven] = [1, 7].map(|value| terms.constant(value, 32));
            let next = terms.binary(Op::Add, b, one);
            let times = terms.binary(Op::Mul, c, seven);
            let key = terms.constant(0x5a, 32);
            let mixed = terms.binary(Op::Xor, d, key);
            vec![
                terms.binary(Op::Eq, a, next),
                terms.binary(Op::Eq, b, times),
                terms.binary(Op::Eq, c, d),
                equals(terms, mixed, 99),
            ]
        }),
        // Modulo 4 the left side is always 1, the right one 3.
        Named::new("x ^ (7 * x + 1) == 99", false, |terms| {
            let x = terms.variable(Variable(0), 32);
            let [one, seven] = [1, 7].map(|value| terms.constant(value, 32));
            let times = terms.binary(Op::Mul, x, seven);
            let next = terms.binary(Op::Add, times, one);
            let mixed = terms.binary(Op::Xor, x, next);
            vec![equals(terms, mixed, 99)]
        }),
        Named::new("x < 10 and x > 20", false, |terms| {
            let x = terms.variable(Variable(0), 32);
            let [ten, twenty] = [10, 20].map(|value| terms.constant(value, 32));
            vec![terms.binary(Op::Slt, x, ten), terms.binary(Op::Slt, twenty, x)]
        }),
        Named::new("x + 1 < 2 and x - 5 > 100 without wrapping", false, |terms| {
            let x = terms.variable(Variable(0), 8);
            let wide = terms.unary(Op::ZExt, 32, x);
            let [one, two, five, hundred] = [1, 2, 5, 100].map(|value| terms.constant(value, 32));
            let sum = terms.binary(Op::Add, wide, one);
            let difference = terms.binary(Op::Sub, wide, five);
            vec![terms.binary(Op::Slt, sum, two), terms.binary(Op::Slt, hundred, difference)]
        }),
        Named::new("128 bits", true, |terms| {
            let x = terms.variable(Variable(0), 128);
            let factor = terms.constant(0x1_0000_0000_0000_0000_0000_0001, 128);
            let product = terms.binary(Op::Mul, x, factor);
            vec![equals(terms, product, 0xfedc_ba98_7654_3210_0123_4567_89ab_cdef)]
        }),
        Named::new("-x == x and x != 0", true, |terms| {
            let x = terms.variable(Variable(0), 32);
            let negative = terms.unary(Op::Neg, 32, x);
            let zero = equals(terms, x, 0);
            vec![terms.binary(Op::Eq, negative, x), terms.not(zero)]
        }),
        Named::new("INT_MIN / -1", true, |terms| {
            let [x, y] = [0, 1].map(|i| terms.variable(Variable(i), 32));
            let quotient = terms.binary(Op::SDiv, x, y);
            vec![equals(terms, quotient, 0x8000_0000), equals(terms, y, 0xffff_ffff)]
        }),
        Named::new("a letter by its table", true, |terms| {
            let x = terms.variable(Variable(0), 8);
            let rows: Vec<Term> =
                (0..=255u32).map(|c| terms.constant(u128::from(c as u8 as char == 'q'), 16)).collect();
            let class = terms.lookup(x, rows.into());
            vec![equals(terms, class, 1)]
        }),
        Named::new("x * y == 8633 with both above 1", true, |terms| {
            let [x, y] = [0, 1].map(|i| terms.variable(Variable(i), 16));
            let [wide_x, wide_y] = [x, y].map(|v| terms.unary(Op::ZExt, 32, v));
            let product = terms.binary(Op::Mul, wide_x, wide_y);
            let one = terms.constant(1, 16);
            let above = [x, y].map(|v| terms.binary(Op::Ult, one, v));
            vec![equals(terms, product, 8633), above[0], above[1]]
        }),
        Named::new("x * x == 3", false, |terms| {
            let x = terms.variable(Variable(0), 16);
            let square = terms.binary(Op::Mul, x, x);
            vec![equals(terms, square, 3)]
        }),
    ]
}
