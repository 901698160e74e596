//! Prints a random file: `cargo run -p random-c --example print -- SEED COUNT`.

fn main() {
    let number = |n| std::env::args().nth(n).and_then(|a| a.parse().ok());
    print!("{}", random_c::source(number(1).unwrap_or(1), number(2).unwrap_or(20) as usize).text);
}
