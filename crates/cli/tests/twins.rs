//! Twins do what the functions do, and the terms they leave behind say what was computed.

use c_frontend::{Built, Clang, SourceUnit, build, build_symbolic};
use c_worker::{CTarget, Image, Isolation, Limits};
use expr::Terms;
use input::{Input, Space, SpaceLimits};
use model::FunctionId;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use target::{Approximation, Outcome, Target};

/// A process has one target at a time.
static ONE: Mutex<()> = Mutex::new(());

struct Twinned {
    target: CTarget,
    built: Built,
    _work: tempfile::TempDir,
}

fn twinned(path: &Path) -> Twinned {
    let work = tempfile::tempdir().unwrap();
    let unit =
        SourceUnit { path: path.to_owned(), flags: Vec::new(), directory: path.parent().unwrap().to_owned() };
    let clang = Clang::default();
    let built = build(&[unit], &clang, work.path()).unwrap();
    let symbolic = build_symbolic(&built, &clang, work.path()).unwrap();
    let image = Image::load(&built.image, Arc::new(built.program.clone())).unwrap();
    let mut target = CTarget::new(image, Isolation::InProcess, Limits::default()).unwrap();
    target.load_twins(&symbolic.object, symbolic.sites).unwrap();
    Twinned { target, built, _work: work }
}

/// Runs every function on some inputs, twice: as it is, and as its twin.
fn compare(path: &Path, inputs: usize) -> usize {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut twinned = twinned(path);
    let mut decisions = 0;
    for id in 0..twinned.built.program.functions.len() {
        let id = FunctionId(id as u32);
        let function = twinned.built.program.function(id).clone();
        let Ok(space) = Space::new(&twinned.built.program, &function, SpaceLimits::default(), &[]) else {
            continue;
        };
        twinned.target.select(id, &space);
        twinned.target.set_tick_limit(20_000);
        let mut rng = fastrand::Rng::with_seed(7);
        let mut terms = Terms::new();
        for i in 0..inputs {
            let input = match i {
                0 => Input::zero(&space),
                1 => Input::instantiated(&space),
                _ => Input::random(&space, &mut rng),
            };
            let outcome = twinned.target.run(&input);
            let covered: Vec<_> = function.goals().filter(|&g| twinned.target.distance(g) == 0).collect();
            let observed = twinned.target.observe();
            let (traced, path) = twinned.target.trace(&input, &mut terms).expect("twins are loaded");
            let place = || format!("{} {input:?}", function.name);
            if outcome == Outcome::OutOfTicks || traced == Outcome::OutOfTicks {
                continue;
            }
            match (outcome, traced) {
                (Outcome::Crashed(a), Outcome::Crashed(b)) => assert_eq!(a.kind, b.kind, "{}", place()),
                _ => assert_eq!(outcome, traced, "{}", place()),
            }
            if outcome == Outcome::Returned {
                assert_eq!(observed, twinned.target.observe(), "{}", place());
            }
            assert_eq!(path.approximations.get(&Approximation::Mismatch), None, "{}", place());
            for goal in path.decisions.iter().filter_map(|d| d.taken.goal) {
                let own = function.branch(goal.branch).is_some_and(|b| b.counted);
                assert!(!own || covered.contains(&goal), "{goal:?} {}", place());
            }
            decisions += path.decisions.len();
        }
    }
    decisions
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/c");
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    all.sort();
    all
}

#[test]
fn twins_of_the_fixtures_do_what_the_functions_do() {
    let decisions: usize = fixtures().iter().map(|path| compare(path, 60)).sum();
    assert!(decisions > 10_000, "only {decisions} decisions depended on the input");
}
