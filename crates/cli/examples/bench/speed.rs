//! Evaluations a second on one core: the real instrumented triangle, layer by layer.

use crate::subject::{fixture, grouped, median, timed, unit};
use anyhow::{Context, Result, anyhow};
use c_frontend::{Built, Clang};
use c_worker::{CTarget, Image, Isolation, Limits};
use campaign::{Budget, Clock, GoalOrder, Scope, Session, Settings, run_function};
use input::{Input, RangeRule, Space, SpaceLimits};
use model::{Function, FunctionId, Goal};
use search::Oracle;
use std::ffi::{CString, c_int};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use target::{Outcome, Target};

const ROUNDS: usize = 9;
const RUNS: u32 = 1_000_000;
const FORKED_RUNS: u32 = 1_000;
/// What the issue asks for.
const WANTED_RATE: f64 = 3_000_000.0;
const WANTED_OVER_FORK: f64 = 500.0;

/// A way to run the function again and again; gives seconds for one run.
type Layer<'a> = (&'static str, Box<dyn Fn() -> Result<f64> + 'a>);

pub(crate) fn report() -> Result<()> {
    let source = fixture("triangle.c")?;
    let folder = tempfile::tempdir()?;
    let built = c_frontend::build(&[unit(&source)], &Clang::default(), folder.path())?;
    let plain = build_plain(&source, folder.path())?;
    let layers: [Layer<'_>; 5] = [
        ("plain `-O2` function, called through a pointer", Box::new(|| native(&plain))),
        ("target: reset, lay out, run", Box::new(|| raw(&built))),
        (
            "**evaluation: target, book-keeping, judgement**",
            Box::new(|| judged(&built, Isolation::InProcess, RUNS)),
        ),
        ("whole search (engine `avm` on top)", Box::new(|| searched(&built))),
        ("evaluation with a forked child per run", Box::new(|| judged(&built, Isolation::Fork, FORKED_RUNS))),
    ];
    let mut seconds = vec![Vec::new(); layers.len()];
    for _ in 0..ROUNDS {
        for ((_, layer), seconds) in layers.iter().zip(&mut seconds) {
            seconds.push(layer()?);
        }
    }
    let medians: Vec<f64> = seconds.iter().map(|s| median(s)).collect();
    println!("### Evaluations a second and core, `triangle.c`\n");
    println!("| layer | runs/s | ns a run | of the plain call |\n|---|--:|--:|--:|");
    for ((name, _), &one) in layers.iter().zip(&medians) {
        let share = medians[0] / one * 100.0;
        println!("| {name} | {} | {:.1} | {share:.3} % |", grouped(1.0 / one), one * 1e9);
    }
    let (rate, over_fork) = (1.0 / medians[2], medians[4] / medians[2]);
    println!(
        "\nEvaluations: {} a second, wanted {}: {}.",
        grouped(rate),
        grouped(WANTED_RATE),
        verdict(rate >= WANTED_RATE)
    );
    println!(
        "Against fork per run: {over_fork:.0}×, wanted {WANTED_OVER_FORK:.0}×: {}.",
        verdict(over_fork >= WANTED_OVER_FORK)
    );
    Ok(())
}

pub(crate) fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "NOT MET" }
}

type Triangle = unsafe extern "C" fn(c_int, c_int, c_int) -> c_int;

/// The sides of run `i`: never `a == b == c`, so that this goal stays open and every run is judged.
fn sides(i: u32) -> [u32; 3] {
    [i % 7, i % 5, 20 + i % 11]
}

fn build_plain(source: &Path, folder: &Path) -> Result<Triangle> {
    let library = folder.join("plain.so");
    let built = Command::new("clang-19")
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source)
        .status()?;
    anyhow::ensure!(built.success(), "clang-19 ended with {built}");
    let name = CString::new(library.as_os_str().as_encoded_bytes())?;
    // SAFETY: the library was just built from our fixture; its function has this type.
    unsafe {
        let handle = libc::dlopen(name.as_ptr(), libc::RTLD_NOW);
        let symbol =
            if handle.is_null() { std::ptr::null_mut() } else { libc::dlsym(handle, c"triangle".as_ptr()) };
        anyhow::ensure!(!symbol.is_null(), "the plain build has no `triangle`");
        Ok(std::mem::transmute::<*mut libc::c_void, Triangle>(symbol))
    }
}

fn native(triangle: &Triangle) -> Result<f64> {
    let (seconds, sum) = timed(|| {
        (0..RUNS).fold(0, |sum: i64, i| {
            let [a, b, c] = sides(black_box(i)).map(|side| side as c_int);
            // SAFETY: a pure function of three numbers.
            sum + i64::from(unsafe { triangle(a, b, c) })
        })
    });
    black_box(sum);
    Ok(seconds / f64::from(RUNS))
}

/// A target with its function selected, as a worker has it.
struct Loaded {
    target: CTarget,
    program: Arc<model::Program>,
    space: Space,
}

const FUNCTION: FunctionId = FunctionId(0);

fn load(built: &Built, isolation: Isolation, rules: &[RangeRule]) -> Result<Loaded> {
    let program = Arc::new(built.program.clone());
    let image = Image::load(&built.image, Arc::clone(&program))?;
    let mut target = CTarget::new(image, isolation, Limits::default())?;
    let space = Space::new(&program, program.function(FUNCTION), SpaceLimits::default(), rules)
        .map_err(|e| anyhow!("{}: {}", e.place, e.type_name))?;
    target.select(FUNCTION, &space);
    Ok(Loaded { target, program, space })
}

fn set_sides(input: &mut Input, i: u32) {
    for (object, side) in input.objects.iter_mut().zip(sides(i)) {
        object.cells[0] = u128::from(side);
    }
}

fn raw(built: &Built) -> Result<f64> {
    let Loaded { mut target, space, .. } = load(built, Isolation::InProcess, &[])?;
    let mut input = Input::zero(&space);
    let (seconds, returned) = timed(|| {
        (0..RUNS)
            .filter(|&i| {
                set_sides(&mut input, i);
                target.run(black_box(&input)) == Outcome::Returned
            })
            .count()
    });
    anyhow::ensure!(returned == RUNS as usize, "every run returns");
    Ok(seconds / f64::from(RUNS))
}

fn judged(built: &Built, isolation: Isolation, runs: u32) -> Result<f64> {
    let Loaded { mut target, program, space } = load(built, isolation, &[])?;
    let function = program.function(FUNCTION);
    let scope = Scope::function(function);
    let (mut ignore, mut never) = (|_| {}, |_| false);
    let mut session = Session::new(&mut target, &scope, &space, 1, &[], &mut ignore, &mut never);
    session.aim(equilateral(function)?, u64::MAX, false);
    let oracle: &mut dyn Oracle = &mut session;
    let mut input = Input::zero(&space);
    let (seconds, judged) = timed(|| {
        (0..runs)
            .filter(|&i| {
                set_sides(&mut input, i);
                matches!(oracle.evaluate(black_box(&input)), ControlFlow::Continue(_))
            })
            .count()
    });
    anyhow::ensure!(judged == runs as usize, "the goal stays open");
    Ok(seconds / f64::from(runs))
}

/// The goal of the deepest `&&`: its last condition true. It is the eighth branch of the function.
fn equilateral(function: &Function) -> Result<Goal> {
    let branch = function.branches.get(7).context("triangle.c has eleven branches")?;
    Ok(Goal { branch: branch.id, outcome: true })
}

struct NoClock;

impl Clock for NoClock {
    fn seconds(&self) -> f64 {
        0.0
    }
}

/// With `a < b` by rule some goals cannot be reached, so the engine spends its whole budget.
fn searched(built: &Built) -> Result<f64> {
    let rule = |target: &str, min, max| RangeRule {
        target: target.into(),
        min: Some(min),
        max: Some(max),
        exclude: Vec::new(),
    };
    let rules = vec![rule("a", 1, 1000), rule("b", 2000, 100_000)];
    let Loaded { mut target, program, space } = load(built, Isolation::InProcess, &rules)?;
    let settings = Settings {
        engine: "avm".into(),
        seed: 1,
        budget: Budget::Executions(RUNS.into()),
        goal_budget: None,
        order: GoalOrder::default(),
        limits: SpaceLimits::default(),
        rules,
        skip: Vec::new(),
        impossible: Vec::new(),
        traced: false,
        closed: false,
        whole: false,
        reach: campaign::Reach::default(),
        mcdc: campaign::Variant::default(),
        selection: None,
        guidance: campaign::Guidance::default(),
        trial: None,
        find_errors: false,
        keeps_values: false,
    };
    let scope = Scope::function(program.function(FUNCTION));
    let connect = || -> Box<dyn solver::Smt> { Box::new(solver::NoSmt) };
    let (seconds, result) =
        timed(|| run_function(&mut target, &scope, &space, &settings, &[], &NoClock, &connect, &mut |_| {}));
    Ok(seconds / result.executions as f64)
}
