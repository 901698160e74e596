//! Solvers that hang, die or talk nonsense.

use expr::{Op, Term, Terms, Variable};
use solver::{Answer, Chain, Command, Layer, Limits, Smt, SmtAnswer, SmtLimits, SmtProcess, Why};
use std::time::Instant;

fn shell(script: &str) -> Command {
    Command {
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        preamble: String::new(),
    }
}

fn limits() -> Limits {
    let smt = SmtLimits { millis: 300, ..SmtLimits::default() };
    Limits { descent_integer: 0, invert: 0, smt, ..Limits::default() }
}

/// A question that only an SMT solver is asked.
fn hard(terms: &mut Terms, value: u128) -> Vec<Term> {
    let x = terms.variable(Variable(0), 32);
    let square = terms.binary(Op::Mul, x, x);
    let value = terms.constant(value, 32);
    vec![terms.binary(Op::Eq, square, value)]
}

fn answer(script: &str) -> Answer {
    let mut terms = Terms::new();
    let question = hard(&mut terms, 1_234_321);
    let mut chain = Chain::new(limits(), Box::new(SmtProcess::new(shell(script))));
    let answer = chain.solve(&mut terms, &question, &[]);
    assert_eq!(chain.stats().unknown, u64::from(matches!(answer, Answer::Unknown(_))));
    answer
}

#[test]
fn bad_solvers_are_survived() {
    assert_eq!(answer("exec sleep 60"), Answer::Unknown(Why::TimeLimit));
    assert_eq!(answer("read line; echo sat; exec sleep 60"), Answer::Unknown(Why::TimeLimit));
    assert_eq!(answer("exit 3"), Answer::Unknown(Why::SolverDied));
    assert_eq!(answer("read line; kill -9 $$"), Answer::Unknown(Why::SolverDied));
    assert_eq!(
        answer("read line; echo '(error \"what?\")'; exec cat >/dev/null"),
        Answer::Unknown(Why::BadAnswer)
    );
    assert_eq!(answer("exec yes nonsense"), Answer::Unknown(Why::BadAnswer));
    // A line without end: what comes first, the limit of time or of length, depends on the machine.
    let endless = answer("exec tr '\\0' x </dev/zero");
    assert!(matches!(endless, Answer::Unknown(Why::TimeLimit | Why::BadAnswer)), "{endless:?}");
    let no_values = "read line; echo sat; echo hello; echo branchwise-end; exec cat >/dev/null";
    assert_eq!(answer(no_values), Answer::Unknown(Why::BadAnswer));
}

#[test]
fn a_model_that_fails_is_counted() {
    let lie = "read line; echo sat; echo '((v0 #x00000005))'; echo branchwise-end; exec cat >/dev/null";
    let mut terms = Terms::new();
    let question = hard(&mut terms, 1_234_321);
    let mut chain = Chain::new(limits(), Box::new(SmtProcess::new(shell(lie))));
    assert_eq!(chain.solve(&mut terms, &question, &[]), Answer::Unknown(Why::Incomplete));
    assert_eq!(chain.stats().of(Layer::Smt).failed_models, 1);
}

#[test]
fn a_solver_that_cannot_start_is_given_up() {
    let mut missing = SmtProcess::new(Command { program: "no-such-solver".to_owned(), ..Command::cvc5() });
    for _ in 0..20 {
        let answer = missing.check("(check-sat)", "", &SmtLimits::default());
        assert_eq!(answer, SmtAnswer::Unknown(Why::NoSolver));
    }
    assert!(missing.starts < 10);
}

#[test]
fn the_next_question_meets_a_fresh_process() {
    let directory = tempfile::tempdir().expect("a directory");
    let mark = directory.path().join("started");
    let script = format!(
        "if [ -e {mark} ]; then exec cvc5 --incremental --lang=smt2 -; else touch {mark}; exec sleep 60; fi",
        mark = mark.display()
    );
    let command = Command { preamble: Command::cvc5().preamble, ..shell(&script) };
    let limits = SmtLimits { millis: 2000, ..SmtLimits::default() };
    let mut process = SmtProcess::new(command);
    let question = "(set-logic QF_BV)(declare-const v0 (_ BitVec 8))(assert (= v0 #x05))(check-sat)\n";
    let first = process.check(question, "(get-value (v0))", &SmtLimits { millis: 100, ..limits.clone() });
    assert_eq!(first, SmtAnswer::Unknown(Why::TimeLimit));
    for _ in 0..3 {
        let SmtAnswer::Sat(values) = process.check(question, "(get-value (v0))", &limits) else {
            panic!("cvc5 answers")
        };
        assert_eq!(expr::parse_values(&values), Some(vec![(Variable(0), 5)]));
    }
    assert_eq!(process.starts, 2);
}

#[test]
fn c64_resources_end_a_hopeless_search_the_same_way_each_time() {
    let mut terms = Terms::new();
    let [x, y] = [0, 1].map(|i| terms.variable(Variable(i), 32));
    let [wide_x, wide_y] = [x, y].map(|v| terms.unary(Op::ZExt, 64, v));
    let product = terms.binary(Op::Mul, wide_x, wide_y);
    let one = terms.constant(1, 32);
    // A product of two primes of 30 bits.
    let value = terms.constant(1_000_000_007 * 998_244_353, 64);
    let question = vec![
        terms.binary(Op::Eq, product, value),
        terms.binary(Op::Ult, one, x),
        terms.binary(Op::Ult, one, y),
    ];
    let limits = Limits { smt: SmtLimits { resources: 3_000, ..SmtLimits::default() }, ..Limits::default() };
    let mut chain = Chain::new(limits, Box::new(SmtProcess::new(Command::cvc5())));
    let start = Instant::now();
    assert_eq!(chain.solve(&mut terms, &question, &[]), Answer::Unknown(Why::TimeLimit));
    assert!(start.elapsed().as_secs() < 15, "stopped by resources, not by the clock");
    // Asked again, it is not tried again.
    assert_eq!(chain.solve(&mut terms, &question, &[]), Answer::Unknown(Why::TimeLimit));
    assert_eq!(chain.stats().unknown, 2);
}

#[test]
fn z3_answers_too() {
    if !std::path::Path::new("/usr/bin/z3").exists() {
        return;
    }
    let mut terms = Terms::new();
    let question = hard(&mut terms, 1_234_321);
    let smt = SmtLimits::default();
    let mut chain = Chain::new(Limits { smt, ..limits() }, Box::new(SmtProcess::new(Command::z3())));
    assert!(matches!(chain.solve(&mut terms, &question, &[]), Answer::Sat(_)));
}
