//! `branchwise run`: a whole program, or a harness, from its beginning.

use crate::args::{IsolationArg, SourceArgs, parse_budget};
use crate::config::Config;
use crate::failure::{EXIT_UNMET, Failure};
use crate::generate::{self, Generator, INTERRUPTED};
use crate::journal::Journal;
use crate::progress::Progress;
use crate::run_args::RunArgs;
use crate::{output, sources, work};
use c_frontend::whole::{Entry, Surroundings, begins_with, build_whole};
use c_frontend::{Clang, Compiled, bundle};
use campaign::{GoalOrder, Settings};
use input::{RangeRule, SpaceLimits};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use wire::Isolation;

/// Work unless told otherwise.
const DEFAULT_BUDGET: &str = "60s";

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let config = Config::load(args.config.as_deref())?;
    let engine = generate::engine_name(args.engine.as_deref(), &config)?;
    let default = parse_budget(DEFAULT_BUDGET).expect("a valid constant");
    let amount = args.budget.clone().or_else(|| config.budget.clone()).unwrap_or(default);
    let _out = output::Folder::create(&args.out)?;
    let folder = work::temporary()?;
    let t0 = std::time::Instant::now();
    let compiled = compiled(args, folder.path())?;
    let fuzzer = Entry::Fuzzer(args.sym_bytes);
    let is_fuzzer = !begins_with(&compiled, Entry::Main)? && begins_with(&compiled, fuzzer)?;
    let around = args.surroundings(if is_fuzzer { fuzzer } else { Entry::Main });
    let whole = build_whole(compiled, &around, &Clang::default(), folder.path())?;
    eprintln!("T built {:?}", t0.elapsed());
    if !whole.is_harness && !args.varies() && around.entry == Entry::Main {
        return Err(Failure::input("nothing varies: the program would do the same in every run")
            .hint("--sym-stdin N, --sym-arg I=N or --sym-file NAME=N say what is input; a harness calls branchwise_symbolic"));
    }
    let settings = Settings {
        engine: engine.clone(),
        seed: args.seed.or(config.seed).unwrap_or(1),
        budget: amount.budget,
        goal_budget: None,
        order: GoalOrder::default(),
        limits: limits(&around, config.space),
        rules: lengths(&around),
        skip: Vec::new(),
        impossible: Vec::new(),
        traced: false,
        closed: false,
        whole: true,
    };
    let isolation = match args.isolation {
        IsolationArg::Auto => Isolation::Auto,
        IsolationArg::Fork => Isolation::Fork,
    };
    for n in &whole.built.program.function(whole.start).externals { if wire::abi::NEEDS_FORK.contains(&n.as_str()) { eprintln!("NEEDSFORK {n}"); } else {eprintln!("EXT {n}");} }
    let mut generator = Generator {
        backend: generate::backend(&whole.built, folder.path(), isolation, &config)?,
        journal: Journal::open(&args.out, 0).map_err(|e| Failure::file(&args.out, &e))?,
        progress: Progress::new(args.quiet),
        settings,
        config,
        engine,
        built: &whole.built,
        impossible: HashSet::new(),
        never_evaluated: generate::never_evaluated(&whole.built.program),
        work: folder.path(),
        twins: OnceLock::new(),
    };
    generator.backend.enforced().map_err(Failure::from)?;
    generator.impossible = c_frontend::infeasible(&whole.built)?;
    eprintln!("T infeasible {:?}", t0.elapsed());
    generate::listen_for_interrupt();
    let result = generator.one(whole.start);
    let (covered, infeasible, unknown) = result.tally();
    println!(
        "{covered} covered, {infeasible} infeasible, {unknown} unknown; {} tests, {} findings, {} executions, {:.1} s",
        result.tests.len(),
        result.findings.len(),
        result.executions,
        result.seconds
    );
    for (what, count) in &result.approximations {
        println!("  {count:>8} {what}");
    }
    for f in &result.findings { println!("  {:?} at {:?}\n      {:?}", f.outcome, f.place, f.stack.iter().take(4).collect::<Vec<_>>()); }
    println!("{:?}", result.curve);
    for what in &result.unstable {
        println!("  unstable: {what}");
    }
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Ok(ExitCode::from(130));
    }
    Ok(if args.strict && unknown > 0 { ExitCode::from(EXIT_UNMET) } else { ExitCode::SUCCESS })
}

/// A program that carries its bitcode, or sources.
fn compiled(args: &RunArgs, work: &Path) -> Result<Compiled, Failure> {
    if let [program] = &args.program[..]
        && is_elf(program)
    {
        let bundle = bundle::read(program).map_err(|e| Failure::input(e.to_string()))?;
        return Ok(Compiled::bundle(&bundle, work)?);
    }
    let cflags = shell_words::split(args.cflags.as_deref().unwrap_or(""))
        .map_err(|e| Failure::input(format!("--cflags: {e}")))?;
    let units = sources::resolve(&SourceArgs { paths: args.program.clone(), cflags })?;
    Ok(Compiled::sources(&units, &Clang::default(), work)?)
}

fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"\x7fELF"
}

/// No text is longer than the user allows.
fn lengths(around: &Surroundings) -> Vec<RangeRule> {
    let rule = |(variable, _, size): &(String, String, u32)| RangeRule {
        target: format!("{variable}_length"),
        min: Some(0),
        max: Some(i128::from(*size)),
        exclude: Vec::new(),
    };
    around.sources().iter().map(rule).collect()
}

/// Every byte that the user asks for varies.
fn limits(around: &Surroundings, limits: SpaceLimits) -> SpaceLimits {
    let sources = around.sources().into_iter().map(|(.., size)| size);
    let largest = sources.chain([around.block_bytes, 2 * around.values]).max().unwrap_or(0);
    SpaceLimits { leaves: limits.leaves.max(largest as usize + 1), ..limits }
}
