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
#[test]
fn file() {
    let path = std::path::PathBuf::from(std::env::var("FILE").unwrap());
    let drivers: Vec<String> = std::env::var("DRIVERS").unwrap().split(' ').map(str::to_owned).collect();
    let seeds: Vec<u64> = std::env::var("SEEDS").unwrap().split(' ').map(|s| s.parse().unwrap()).collect();
    let plain = twins::plain::run(&path, &drivers, &seeds);
    let builds = twins::Builds::of(&path);
    let mut loaded = builds.load();
    for one in &plain {
        let map = std::collections::HashMap::from([(one.0.clone(), *one.1)]);
        match loaded.compare_plain(&map) { Ok(_) => eprintln!("same {one:?}"), Err(e) => eprintln!("{e}") }
    }
    if std::env::var_os("COMPARE").is_some() { eprintln!("{:?}", loaded.compare(12)); }
}
