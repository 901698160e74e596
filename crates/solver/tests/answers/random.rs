//! Random questions: scripts mean what evaluation computes, and no answer of any layer is wrong.

use crate::common::{Shared, assignments, constraints, evaluate, fast, holds, recipes};
use expr::{Op, Script, Term, Terms, Variable};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use solver::{Answer, Chain, Limits, Smt, SmtAnswer, SmtLimits, Why};
use std::cell::RefCell;

fn check(mut smt: Shared, terms: &Terms, constraints: &[Term]) -> SmtAnswer {
    let script = Script::new(terms, constraints);
    let limits = SmtLimits { resources: 400_000, millis: 5_000, ..SmtLimits::default() };
    smt.check(&script.text, &script.values, &limits)
}

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, max_shrink_iters: 100, ..Config::default() }
}

/// Constraints that fix all variables.
fn pinned(terms: &mut Terms, assignment: &[u128]) -> Vec<Term> {
    let pin = |(i, &value): (usize, &u128)| {
        let width = crate::common::WIDTHS[i];
        let variable = terms.variable(Variable(i as u32), width);
        let value = terms.constant(value, width);
        terms.binary(Op::Eq, variable, value)
    };
    assignment.iter().enumerate().map(pin).collect()
}

fn scripts_agree_with_evaluation(floats: bool, cases: u32) {
    let smt = Shared::cvc5();
    let given = (recipes(12), assignments());
    let agree = |(recipes, assignment): (Vec<crate::common::Recipe>, Vec<u128>)| {
        let mut terms = Terms::new();
        let constraints = constraints(&mut terms, &recipes, floats);
        let pins = pinned(&mut terms, &assignment);
        for constraint in constraints {
            let holds = evaluate(&terms, constraint, &assignment) == 1;
            let opposite = terms.not(constraint);
            let (true_one, false_one) = if holds { (constraint, opposite) } else { (opposite, constraint) };
            let with = |term: Term| pins.iter().copied().chain([term]).collect::<Vec<_>>();
            let answer = check(smt.clone(), &terms, &with(true_one));
            prop_assert!(agrees(&answer, true), "{answer:?} for what holds");
            if Script::new(&terms, &with(false_one)).exact {
                let answer = check(smt.clone(), &terms, &with(false_one));
                prop_assert!(agrees(&answer, false), "{answer:?} for what does not hold");
            }
        }
        Ok(())
    };
    TestRunner::new_with_rng(config(cases), rng())
        .run(&given, agree)
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Whether an answer is right, or given up for want of resources; an answer that is none is a bad script.
fn agrees(answer: &SmtAnswer, holds: bool) -> bool {
    match answer {
        SmtAnswer::Sat(_) => holds,
        SmtAnswer::Unsat => !holds,
        SmtAnswer::Unknown(why) => *why == Why::TimeLimit,
    }
}

/// The same cases each time: a new one belongs to a longer run, not to someone else's change.
fn rng() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}

#[test]
fn scripts_of_integers_agree_with_evaluation() {
    scripts_agree_with_evaluation(false, cases(40));
}

#[test]
fn scripts_of_floats_agree_with_evaluation() {
    scripts_agree_with_evaluation(true, cases(40));
}

/// More cases on demand: `SOLVER_CASES` multiplies.
fn cases(base: u32) -> u32 {
    base * std::env::var("SOLVER_CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

fn answers_are_right(floats: bool, cases: u32) {
    let smt = Shared::cvc5();
    let whole = RefCell::new((0, 0, 0));
    let right = |(recipes, hint): (Vec<crate::common::Recipe>, Vec<u128>)| {
        let mut terms = Terms::new();
        let constraints = constraints(&mut terms, &recipes, floats);
        let fast = fast().solve(&mut terms, &constraints, &hint);
        match &fast {
            Answer::Sat(model) => prop_assert!(holds(&terms, &constraints, model), "a wrong model"),
            Answer::Unsat => {
                let answer = check(smt.clone(), &terms, &constraints);
                prop_assert!(agrees(&answer, false), "{answer:?} for what was proved unsatisfiable");
            }
            Answer::Unknown(_) => {}
        }
        let answer =
            Chain::new(Limits::default(), Box::new(smt.clone())).solve(&mut terms, &constraints, &hint);
        let mut counts = whole.borrow_mut();
        match answer {
            Answer::Sat(model) => {
                counts.0 += 1;
                prop_assert!(fast != Answer::Unsat && holds(&terms, &constraints, &model), "a wrong model");
            }
            Answer::Unsat => {
                counts.1 += 1;
                prop_assert!(!matches!(fast, Answer::Sat(_)), "satisfiable after all");
            }
            Answer::Unknown(_) => counts.2 += 1,
        }
        Ok(())
    };
    let given = (recipes(14), assignments());
    TestRunner::new_with_rng(config(cases), rng())
        .run(&given, right)
        .unwrap_or_else(|error| panic!("{error}"));
    let (sat, unsat, unknown) = whole.into_inner();
    eprintln!("{sat} satisfiable, {unsat} not, {unknown} undecided");
    assert!(sat > cases / 10 && unsat > cases / 20, "the questions are not all of one kind");
    assert!(unknown <= cases / 4, "{unknown} undecided");
}

#[test]
fn answers_about_integers_are_right() {
    answers_are_right(false, cases(200));
}

#[test]
fn answers_about_floats_are_right() {
    answers_are_right(true, cases(40));
}
