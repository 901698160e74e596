use java_backend::*;
use java_frontend::ClassPath;
use java_worker::{Host, MachineSettings};
use std::path::PathBuf;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let runs: u64 = args[0].parse().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let compiled = scratch.path().join("c");
    std::fs::create_dir(&compiled).unwrap();
    let paths: Vec<PathBuf> = args[1..].iter().map(PathBuf::from).collect();
    let t = std::time::Instant::now();
    let program = JavaProgram::new(ClassPath::read(&paths, &[], &compiled).unwrap());
    println!("{} classes, state {} {:?}", program.classes.own.len(), program.has_state, t.elapsed());
    let home = program.home(&MachineSettings::new(scratch.path())).unwrap();
    let host = Host::start_in(&home).unwrap();
    println!("started {:?}", t.elapsed());
    let mut searcher = Searcher::new(&program, SearchSettings { runs, ..Default::default() }, host);
    for id in 0..program.model.program.functions.len() as u32 {
        let t = std::time::Instant::now();
        searcher.method(model::FunctionId(id)).unwrap();
        let f = program.model.program.function(model::FunctionId(id));
        if t.elapsed().as_millis() > 500 {
            println!("{} {:?}", f.symbol, t.elapsed());
        }
    }
    let (found, accounts) = searcher.finish();
    let covered: std::collections::BTreeSet<_> = found.iter().flat_map(|f| f.covers.clone()).collect();
    let all: Vec<_> =
        program.model.program.functions.iter().flat_map(|f| f.goals().collect::<Vec<_>>()).collect();
    for (id, f) in program.model.program.functions.iter().enumerate() {
        let goals: Vec<_> = f.goals().collect();
        let c = goals.iter().filter(|g| covered.contains(g)).count();
        let a = &accounts[&model::FunctionId(id as u32)];
        if c < goals.len() || a.unusable.is_some() {
            println!("{} {c}/{} {a:?}", f.symbol, goals.len());
            for g in goals.iter().filter(|g| !covered.contains(g)) {
                let b = f.branch(g.branch).unwrap();
                print!(" {}:{}", b.span.start.line, g.outcome);
            }
            println!();
        }
    }
    let t2 = std::time::Instant::now();
    let confirmed = confirm(&program, &home, &found).unwrap();
    let c2: std::collections::BTreeSet<_> = confirmed.tests.iter().flat_map(|f| f.covers.clone()).collect();
    println!(
        "confirmed {} tests of {}, unstable {}, lost {}, goals {}, {:?}",
        confirmed.tests.len(),
        confirmed.found,
        confirmed.unstable,
        confirmed.lost.len(),
        all.iter().filter(|g| c2.contains(g)).count(),
        t2.elapsed()
    );
    println!(
        "{} of {} goals, {} tests, {} runs, {:?}",
        all.iter().filter(|g| covered.contains(g)).count(),
        all.len(),
        found.len(),
        accounts.values().map(|a| a.runs).sum::<u64>(),
        t.elapsed()
    );
}
