//! What each layer costs on small questions: `cargo run --release -p solver --example layers`.

#[path = "../tests/common/mod.rs"]
mod common;

use expr::{Op, Terms, Variable};
use solver::{Answer, Chain, Layer, Limits, Smt, SmtLimits};

fn main() {
    small_questions();
    long_path();
}

fn small_questions() {
    println!("{:<48} {:>8} {:>10}  microseconds by layer", "question", "answer", "total");
    let mut cvc5 = common::Shared::cvc5();
    // Starting it is not what is measured.
    let _ = cvc5.check("(set-logic QF_BV)(check-sat)\n", "", &SmtLimits::default());
    for mut question in common::named() {
        let mut chain = Chain::new(Limits::default(), Box::new(cvc5.clone()));
        let answer = match question.solve(&mut chain) {
            Answer::Sat(_) => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        };
        let times: Vec<_> = Layer::ALL.map(|layer| (layer, chain.stats().of(layer))).to_vec();
        let total: f64 = times.iter().map(|(_, count)| count.time.as_secs_f64()).sum();
        let asked = times.iter().filter(|(_, count)| count.asked > 0);
        let row: Vec<String> =
            asked.map(|(layer, count)| format!("{layer:?} {:.1}", count.time.as_secs_f64() * 1e6)).collect();
        println!("{:<48} {answer:>8} {:>10.1}  {}", question.name, total * 1e6, row.join(", "));
    }
}

/// A path of many branches over few bytes, as a parser makes it: every branch is flipped once.
fn long_path() {
    let mut terms = Terms::new();
    let hint: Vec<u128> = (0..64).map(|i| 32 + (i * 7) % 90).collect();
    let mut path = Vec::new();
    for i in 0..2000u32 {
        let byte = terms.variable(Variable(i % 64), 8);
        let wide = terms.unary(Op::SExt, 32, byte);
        let bound = terms.constant(u128::from((i * 13 + i / 64) % 128), 32);
        let condition = terms.binary(if i % 3 == 0 { Op::Eq } else { Op::Slt }, wide, bound);
        let taken = common::evaluate(&terms, condition, &hint) == 1;
        path.push(if taken { condition } else { terms.not(condition) });
    }
    let mut chain = common::with_cvc5();
    for flipped in 0..path.len() {
        let mut query = path[..=flipped].to_vec();
        query[flipped] = terms.not(query[flipped]);
        let _ = chain.solve(&mut terms, &query, &hint);
    }
    println!("\n{} flips of a path, by layer:", path.len());
    for layer in Layer::ALL {
        let count = chain.stats().of(layer);
        let mean = count.time.as_secs_f64() * 1e6 / count.asked.max(1) as f64;
        println!(
            "{layer:?}: asked {}, sat {}, unsat {}, {mean:.1} µs each",
            count.asked, count.sat, count.unsat
        );
    }
}
