#[path = "support/twins/mod.rs"]
mod twins;
#[test]
fn seed() {
    let from: u64 = std::env::var("FROM").unwrap().parse().unwrap();
    let to: u64 = std::env::var("TO").unwrap().parse().unwrap();
    for s in from..to {
        let t = std::time::Instant::now();
        match twins::random::check(s) {
            Ok(t) => eprintln!("OK {s} {t:?}"),
            Err(e) => eprintln!("BAD {}", e.chars().take(1500).collect::<String>()),
        }
        eprintln!("  {:?}", t.elapsed());
    }
}
