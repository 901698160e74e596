//! What interning and evaluation cost, in processor time: `cargo run --release -p expr --example terms_speed`.

use expr::{Op, Tape, Term, Terms, Variable};
use std::time::Duration;

fn main() {
    for nodes in [20_000, 2_000_000] {
        println!("{nodes} nodes");
        measure(nodes);
    }
}

fn measure(nodes: u32) {
    let mut terms = Terms::new();
    let variables: Vec<Term> = (0..64).map(|i| terms.variable(Variable(i), 32)).collect();
    let mut root = variables[0];
    for name in ["new node", "known node"] {
        let start = now();
        root = variables[0];
        for i in 0..nodes as usize {
            let op = [Op::Add, Op::Xor, Op::Mul, Op::And][i % 4];
            root = terms.binary(op, root, variables[(i * 7 + i / 64) % 64]);
        }
        report(name, start, nodes);
    }
    measure_bytes(&mut terms, root, nodes);
    let start = now();
    let mut tape = Tape::new(&terms, &[root]);
    report("step laid out", start, tape.len() as u32);
    let (start, runs) = (now(), 20_000_000 / nodes);
    for i in 0..runs {
        tape.run(&[u128::from(i); 64]);
    }
    report("step run", start, runs * tape.len() as u32);
}

fn measure_bytes(terms: &mut Terms, root: Term, nodes: u32) {
    let (start, mut word) = (now(), root);
    for i in 0..nodes / 16 {
        let bytes = [0, 8, 16, 24].map(|low| terms.extract(word, low, 8));
        let back = bytes.into_iter().reduce(|low, byte| terms.concat(byte, low)).unwrap_or(root);
        let by = terms.constant(u128::from(i), 32);
        word = terms.binary(Op::Xor, back, by);
        word = terms.binary(Op::Mul, word, root);
    }
    report("word stored and loaded", start, nodes / 16);
}

/// Time of this process: other work on the machine does not count.
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the given value only.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn report(what: &str, start: Duration, count: u32) {
    let nanos = (now() - start).as_nanos() as f64 / f64::from(count);
    println!("{nanos:8.1} ns a {what}");
}
