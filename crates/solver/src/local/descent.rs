//! Local search on the distance of all constraints, after the alternating variable method: each variable in turn is
//! moved by steps of every size, and a step that helps is repeated with double length. Floats move through the floats
//! in their order, so that a step of one is the next float and large steps change the exponent. When nothing helps
//! any more, the search starts anew elsewhere, until its operations are used up. Chance comes from a fixed seed.

use crate::distance::{float_at, float_key};
use crate::query::{Query, assign, assigned};
use expr::{Op, Variable, apply, mask};
use fastrand::Rng;
use std::collections::HashSet;

/// Constants of the question that are tried as values of each variable.
const POOL: usize = 32;

/// Searches from an assignment; one under which all constraints hold.
pub(crate) fn search(query: &mut Query, start: &[u128], operations: usize) -> Option<Vec<u128>> {
    let evaluations = operations / query.cost().max(1);
    let variables = variables(query);
    let pool = constants(query);
    let best = start.to_vec();
    let score = query.score(&best);
    let mut search = Search { query, best, score, evaluations };
    let mut rng = Rng::with_seed(0x5eed);
    while search.open() {
        search.try_constants(&variables, &pool);
        while search.open() && variables.iter().fold(false, |helped, moved| search.climb(moved) | helped) {}
        if search.open() {
            search.restart(&variables, &pool, &mut rng);
        }
    }
    (search.score == 0).then_some(search.best)
}

/// A variable and the space it moves in.
#[derive(Clone, Copy)]
struct Moved {
    variable: Variable,
    width: u32,
    float: bool,
}

impl Moved {
    /// A value moved up or down; none if it would not move.
    fn step(&self, value: u128, size: u128, up: bool) -> Option<u128> {
        if !self.float {
            let moved = if up { value.wrapping_add(size) } else { value.wrapping_sub(size) };
            return Some(moved & mask(self.width));
        }
        let key = float_key(value, self.width).unwrap_or_else(|| float_key(0, self.width).unwrap_or(0));
        let moved = if up { key.saturating_add(size) } else { key.saturating_sub(size) };
        Some(float_at(moved, self.width)).filter(|&moved| moved != value)
    }

    /// A constant of some width as a value of this variable.
    fn converted(&self, value: u128, width: u32) -> u128 {
        if self.float && width != self.width && matches!(width, 32 | 64) {
            return apply(Op::FConvert, self.width, 0, [value, 0, 0], [width, 0, 0]);
        }
        value & mask(self.width)
    }
}

/// The variables of a question; floats are those that a floating-point operation takes as they are.
fn variables(query: &Query) -> Vec<Moved> {
    let mut floats: HashSet<Variable> = HashSet::new();
    for node in query.order.iter().map(|&term| query.terms.node(term)) {
        if node.op.is_float() && !matches!(node.op, Op::FFromSigned | Op::FFromUnsigned) {
            let operands = node.operands().map(|operand| query.terms.node(operand));
            floats
                .extend(operands.filter(|operand| operand.op == Op::Var).map(|operand| Variable(operand.a)));
        }
    }
    let moved = |&(variable, width): &(Variable, u32)| {
        let float = matches!(width, 32 | 64) && floats.contains(&variable);
        Moved { variable, width, float }
    };
    query.variables.iter().map(moved).collect()
}

/// The constants of a question with their widths, each once.
fn constants(query: &Query) -> Vec<(u128, u32)> {
    let all =
        query.order.iter().filter_map(|&term| Some((query.terms.value(term)?, query.terms.width(term))));
    let mut pool: Vec<(u128, u32)> = all.filter(|&(_, width)| width > 1).collect();
    pool.sort_unstable();
    pool.dedup();
    pool.truncate(POOL);
    pool
}

struct Search<'q, 't> {
    query: &'q mut Query<'t>,
    best: Vec<u128>,
    score: u128,
    evaluations: usize,
}

impl Search<'_, '_> {
    fn open(&self) -> bool {
        self.score > 0 && self.evaluations > 0
    }

    /// Keeps a value of a variable if it brings the constraints nearer.
    fn try_value(&mut self, moved: &Moved, value: u128) -> bool {
        if !self.open() {
            return false;
        }
        self.evaluations -= 1;
        let before = assigned(&self.best, moved.variable);
        assign(&mut self.best, moved.variable, value);
        let score = self.query.score(&self.best);
        if score < self.score {
            self.score = score;
            return true;
        }
        assign(&mut self.best, moved.variable, before);
        false
    }

    fn try_constants(&mut self, variables: &[Moved], pool: &[(u128, u32)]) {
        for moved in variables {
            for &(value, width) in pool {
                let value = moved.converted(value, width);
                self.try_value(moved, value);
            }
        }
    }

    /// Moves one variable as long as that helps; whether it did.
    fn climb(&mut self, moved: &Moved) -> bool {
        let mut helped = false;
        while self.explore(moved) || self.flip(moved) {
            helped = true;
        }
        helped
    }

    /// Steps of every size both ways; the first that helps is repeated with double length.
    fn explore(&mut self, moved: &Moved) -> bool {
        for bit in 0..moved.width {
            for up in [true, false] {
                let mut size = 1u128 << bit;
                let mut helped = false;
                while self.try_step(moved, size, up) {
                    helped = true;
                    size = size.saturating_mul(2);
                }
                if helped {
                    return true;
                }
            }
        }
        false
    }

    fn try_step(&mut self, moved: &Moved, size: u128, up: bool) -> bool {
        let value = assigned(&self.best, moved.variable) & mask(moved.width);
        moved.step(value, size, up).is_some_and(|value| self.try_value(moved, value))
    }

    /// Single bits, all of them, and the sign of the number.
    fn flip(&mut self, moved: &Moved) -> bool {
        let value = assigned(&self.best, moved.variable) & mask(moved.width);
        let negative = value.wrapping_neg() & mask(moved.width);
        let bits = (0..moved.width).map(|bit| value ^ 1 << bit);
        bits.chain([value ^ mask(moved.width), negative]).any(|flipped| self.try_value(moved, flipped))
    }

    /// Starts elsewhere: constants, small and extreme numbers, anything.
    fn restart(&mut self, variables: &[Moved], pool: &[(u128, u32)], rng: &mut Rng) {
        for moved in variables {
            let value = match rng.u8(0..4) {
                0 if !pool.is_empty() => {
                    let (value, width) = pool[rng.usize(..pool.len())];
                    moved.converted(value, width)
                }
                1 => small(moved, rng.i8(-16..16)),
                2 => 1u128 << rng.u32(..moved.width),
                _ => rng.u128(..) & mask(moved.width),
            };
            assign(&mut self.best, moved.variable, value);
        }
        self.evaluations = self.evaluations.saturating_sub(1);
        self.score = self.query.score(&self.best);
    }
}

fn small(moved: &Moved, number: i8) -> u128 {
    let bits = number as u128 & mask(8);
    if moved.float {
        return apply(Op::FFromSigned, moved.width, 0, [bits, 0, 0], [8, 0, 0]);
    }
    number as u128 & mask(moved.width)
}
