//! SMT solvers, however they are reached.

use crate::query::Query;
use crate::{SmtLimits, Why};
use expr::{Op, Script, Term};
use serde::{Deserialize, Serialize};

/// Something that answers SMT-LIB 2 scripts.
pub trait Smt {
    /// Answers a script that ends with `(check-sat)`; `values` is the command that asks for the model.
    fn check(&mut self, script: &str, values: &str, limits: &SmtLimits) -> SmtAnswer;
}

/// What an SMT solver said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SmtAnswer {
    /// Satisfiable; its answer to the command for values.
    Sat(String),
    /// Unsatisfiable.
    Unsat,
    /// Neither.
    Unknown(Why),
}

/// No solver at all.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoSmt;

impl Smt for NoSmt {
    fn check(&mut self, _: &str, _: &str, _: &SmtLimits) -> SmtAnswer {
        SmtAnswer::Unknown(Why::NoSolver)
    }
}

/// Resource units of searching that an answered question counts as.
const ANSWERED: u64 = 50;
/// Microseconds of searching for a resource unit.
const WORK_PER_RESOURCE: u64 = 100;
/// Units of translating operations without arithmetic in a microsecond.
const EASY_PER_WORK: u64 = 16;

/// What a solver's values make of an assignment, or why there are none.
pub(crate) enum Asked {
    Model(Vec<u128>),
    Unsat,
    Unknown(Why),
}

/// Puts a question to a solver.
pub(crate) fn ask(
    smt: &mut dyn Smt,
    query: &Query,
    start: &[u128],
    limits: &SmtLimits,
    work: &mut u64,
) -> Asked {
    let script = Script::new(query.terms, &query.constraints);
    let (translation, hard) = translation(query);
    if script.text.len() > limits.script_bytes || translation > limits.translation || hard > limits.hard {
        return Asked::Unknown(Why::TooLarge);
    }
    let searching = limits.resources;
    let limits = SmtLimits { resources: searching + translation, ..limits.clone() };
    let answer = smt.check(&script.text, &script.values, &limits);
    // How far an answered question went into its limit is not told.
    let searched = if matches!(answer, SmtAnswer::Unknown(_)) { searching } else { searching.min(ANSWERED) };
    *work += hard + (translation - hard) / EASY_PER_WORK + searched * WORK_PER_RESOURCE;
    match answer {
        SmtAnswer::Sat(values) => model(&values, start),
        SmtAnswer::Unsat => Asked::Unsat,
        SmtAnswer::Unknown(why) => Asked::Unknown(why),
    }
}

fn model(values: &str, start: &[u128]) -> Asked {
    let Some(values) = expr::parse_values(values) else { return Asked::Unknown(Why::BadAnswer) };
    let mut assignment = start.to_vec();
    for (variable, value) in values {
        crate::query::assign(&mut assignment, variable, value);
    }
    Asked::Model(assignment)
}

/// What cvc5 1.0.3 spends on turning a question into clauses, measured for single operations. Without it, a limit that
/// stops a hopeless search early would stop wide products before they begin.
///
/// The second number is the part of products, quotients and floats, which make the search hard as well.
fn translation(query: &Query) -> (u64, u64) {
    let mut sum = (0, 0);
    for &term in &query.order {
        let units = translation_of(query, term);
        let op = query.terms.node(term).op;
        sum.0 += units;
        if matches!(op, Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem)
            || op.is_float() && !compares_floats(op)
        {
            sum.1 += units;
        }
    }
    sum
}

/// These are nothing to a solver beside arithmetic.
fn compares_floats(op: Op) -> bool {
    matches!(op, Op::FEq | Op::FLt | Op::FLe | Op::FIsNan)
}

fn translation_of(query: &Query, term: Term) -> u64 {
    let node = query.terms.node(term);
    let operand = node.operands().next().map_or(0, |operand| query.terms.width(operand));
    let width = u64::from(node.width).max(operand.into());
    match node.op {
        Op::Const | Op::Wide | Op::Var | Op::Concat | Op::Extract | Op::ZExt | Op::SExt => 10,
        Op::Mul => 12 * width * width,
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => 58 * width * width,
        Op::FMul => 45 * width * width,
        Op::FFma => 80 * width * width,
        Op::FDiv => 160 * width * width,
        Op::FSqrt => 19 * width * width * width,
        op if compares_floats(op) => 200 * width,
        op if op.is_float() => 900 * width,
        _ => 80 * width,
    }
}
