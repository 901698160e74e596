//! What each layer costs on small questions: `cargo run --release -p solver --example layers`.

#[path = "../tests/common/mod.rs"]
mod common;

use solver::{Answer, Layer};

fn main() {
    println!("{:<48} {:>8} {:>10}  microseconds by layer", "question", "answer", "total");
    for mut question in common::named() {
        let mut chain = common::with_cvc5();
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
