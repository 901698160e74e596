//! Where the time of a run goes: its phases, each called by itself in a loop.

use crate::subject::{generate, median, program, time, timed, unit};
use anyhow::{Context, Result, anyhow, bail};
use c_backend::{Backend, Campaigned, confirm};
use c_frontend::{Built, Clang};
use campaign::{Budget, GoalOrder, Settings};
use input::SpaceLimits;
use model::FunctionId;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use wire::{Isolation, Setup};

const ROUNDS: usize = 15;
const FUNCTION: FunctionId = FunctionId(0);

/// Prints the phases of a file with one function.
pub(crate) fn report(source: &Path) -> Result<()> {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(measure(source)?);
    }
    println!("| phase of `branchwise gen triangle.c` | ms |\n|---|--:|");
    for (i, &(name, _)) in rounds[0].iter().enumerate() {
        let seconds: Vec<f64> = rounds.iter().map(|round| round[i].1).collect();
        println!("| {name} | {:.1} |", median(&seconds) * 1e3);
    }
    Ok(())
}

type Phase = (&'static str, f64);

fn measure(source: &Path) -> Result<Vec<Phase>> {
    let folder = tempfile::tempdir()?;
    let clang = Clang::default();
    let unit = unit(source);
    let (compile, compiled) = timed(|| clang.compile(&unit, &folder.path().join("alone.bc")));
    compiled?;
    let (build, built) = timed(|| c_frontend::build(std::slice::from_ref(&unit), &clang, folder.path()));
    let built = built?;
    let objects: Vec<PathBuf> = ["unit0.o", "calls0.o"].map(|name| folder.path().join(name)).into();
    let (link, linked) = timed(|| clang.link(&objects, &[], &folder.path().join("alone.so")));
    linked?;
    let backend = backend(&built, folder.path())?;
    let (start, started) = timed(|| backend.enforced());
    started?;
    let (campaign, confirmation) = search(&backend, &built)?;
    let out = folder.path().join("out");
    let whole = time(&mut generate(source, &out, &[])?)?;
    let version =
        time(Command::new(program("branchwise")?).arg("engines").stdout(std::process::Stdio::null()))?;
    Ok(vec![
        ("start of the program (loads LLVM)", version),
        ("clang to bitcode", compile),
        ("read, instrument, optimise, write objects", build - compile - link),
        ("link", link),
        ("campaign, its worker's start included", campaign),
        ("confirmation in two fresh workers", confirmation),
        ("rest: emit, reports, journal", whole - version - build - campaign - confirmation),
        ("**whole**", whole),
        ("for comparison: start and end of one worker", start),
    ])
}

fn backend(built: &Built, work: &Path) -> Result<Backend> {
    let program_file = work.join("program.bin");
    std::fs::write(&program_file, wire::encode(&built.program)?)?;
    let scratch = work.join("scratch");
    std::fs::create_dir_all(&scratch)?;
    let setup = Setup {
        image: built.image.clone(),
        program: program_file,
        scratch,
        isolation: Isolation::Auto,
        displaced: false,
        heap_bytes: 256 << 20,
        run_millis: 1000,
        find_errors: false,
        twins: None,
    };
    Ok(Backend { program: program("branchwise-worker")?, setup, solvers: c_backend::Solvers::default() })
}

/// Seconds for the campaign and for its confirmation.
fn search(backend: &Backend, built: &Built) -> Result<(f64, f64)> {
    let settings = Settings {
        engine: "avm".into(),
        seed: 1,
        budget: Budget::Executions(200_000),
        goal_budget: None,
        order: GoalOrder::default(),
        limits: SpaceLimits::default(),
        rules: Vec::new(),
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
    let never = AtomicBool::new(false);
    let (campaign, campaigned) = timed(|| backend.campaign(FUNCTION, &settings, &[], &never, &mut |_| {}));
    let (space, result) = match campaigned? {
        Campaigned::Finished { space, result } => (space, result),
        Campaigned::Unsupported(e) => bail!("{}: {}", e.place, e.type_name),
        Campaigned::Stopped(why) => return Err(anyhow!(why)).context("campaign"),
    };
    let function = built.program.function(FUNCTION);
    let goals = function.goals().collect();
    let (confirmation, confirmed) =
        timed(|| confirm(backend, FUNCTION, function, &goals, &space, &settings, &result, &built.image));
    confirmed?;
    Ok((campaign, confirmation))
}
