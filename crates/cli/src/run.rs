//! `branchwise run`: a whole program, or a harness, from its beginning.

use crate::args::{Criterion, IsolationArg, SourceArgs, parse_budget};
use crate::config::Config;
use crate::failure::{EXIT_UNMET, Failure};
use crate::generate::{self, Generator, INTERRUPTED};
use crate::journal::Journal;
use crate::output::{Run, Whole};
use crate::program_tests::program_tests;
use crate::progress::Progress;
use crate::run_args::RunArgs;
use crate::{output, plain, sources, work};
use c_backend::Manner;
use c_frontend::bundle::{Bundle, BundledUnit};
use c_frontend::whole::{Entry, Surroundings, begins_with, build_whole};
use c_frontend::{Clang, Compiled, SourceUnit, bundle};
use campaign::{GoalOrder, Guidance, Settings, Variant};
use emit::program::{ProgramBuild, ProgramEmitter, ProgramKind, ProgramSuite};
use input::{RangeRule, SpaceLimits};
use report::ProgramTests;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use suite::FunctionResult;
use target::Observation;
use wire::Isolation;

/// Work unless told otherwise.
const DEFAULT_BUDGET: &str = "60s";
/// Ticks of a finding that is looked at once more.
const REPLAY_TICKS: u64 = 1 << 24;

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let config = Config::load(args.config.as_deref())?;
    let engine = generate::engine_name(args.engine.as_deref(), &config)?;
    let format = format(&args.emit)?;
    let default = parse_budget(DEFAULT_BUDGET).expect("a valid constant");
    let amount = args.budget.clone().or_else(|| config.budget.clone()).unwrap_or(default);
    let out = output::Folder::create(&args.out)?;
    let folder = work::temporary()?;
    let Subject { compiled, units, link_flags, built: existing } = subject(args, folder.path())?;
    let fuzzer = Entry::Fuzzer(args.sym_bytes);
    let is_fuzzer = !begins_with(&compiled, Entry::Main)? && begins_with(&compiled, fuzzer)?;
    let around = args.surroundings(if is_fuzzer { fuzzer } else { Entry::Main });
    let whole = build_whole(compiled, &around, &Clang::default(), folder.path())?;
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
        reach: campaign::Reach::default(),
        mcdc: Variant::default(),
        selection: None,
        guidance: Guidance::default(),
        trial: None,
        find_errors: args.find_errors,
        keeps_values: false,
    };
    let isolation = match args.isolation {
        IsolationArg::Auto => Isolation::Auto,
        IsolationArg::Fork => Isolation::Fork,
    };
    let fingerprint = generate::fingerprint(&whole.built, &settings, &config, args.isolation);
    let mut generator = Generator {
        backend: generate::backend(&whole.built, folder.path(), isolation, &config)?,
        journal: Journal::open(&args.out, fingerprint).map_err(|e| Failure::file(&args.out, &e))?,
        progress: Progress::new(args.quiet),
        settings,
        config,
        engine,
        built: &whole.built,
        impossible: HashSet::new(),
        never_evaluated: generate::never_evaluated(&whole.built.program),
        work: folder.path(),
        twins: OnceLock::new(),
        checks: None,
    };
    generator.backend.setup.find_errors = args.find_errors;
    generator.backend.enforced().map_err(Failure::from)?;
    generator.impossible = c_frontend::infeasible(&whole.built)?;
    generate::listen_for_interrupt();
    let mut result = generator.one(whole.start);
    let observed = observe_findings(&generator, &result)?;
    let (tests, left_out) = program_tests(&result, &around, &observed);
    result.unstable.extend(left_out);
    let build = ProgramBuild {
        units: output::units(&whole.built, &units),
        link_flags,
        built: existing,
        kind: kind(around.entry, whole.is_harness),
    };
    let producer = concat!("branchwise ", env!("CARGO_PKG_VERSION")).to_owned();
    let mut suite = ProgramSuite { tests, build, producer };
    if format.asserts() {
        plain::try_plainly(&mut suite, folder.path(), &generator.backend.program, &INTERRUPTED)?;
    }
    let left_out = plain::leave_out(&mut suite.tests);
    plain::uncover(&mut result, &suite.tests);
    let tests = ProgramTests { written: &suite.tests, left_out: &left_out };
    let results = [result];
    let report = Run {
        built: &whole.built,
        units: &units,
        results: &results,
        settings: &generator.settings,
        budget: &amount.text,
        criterion: Criterion::Branch,
        bitwise_decisions: false,
        obligations: None,
        whole: Some(Whole { tests, command: args.words() }),
    };
    out.write_program(&report, format, &suite)?;
    let interrupted = INTERRUPTED.load(Ordering::Relaxed);
    if !interrupted {
        generator.journal.finish();
    }
    if !args.quiet {
        print_totals(&results[0], tests, &args.out);
    }
    if interrupted {
        eprintln!("branchwise: interrupted; what was found is written, the same command goes on");
        return Ok(ExitCode::from(130));
    }
    let unknown = results[0].tally().2;
    Ok(if args.strict && unknown > 0 { ExitCode::from(EXIT_UNMET) } else { ExitCode::SUCCESS })
}

fn kind(entry: Entry, is_harness: bool) -> ProgramKind {
    match (entry, is_harness) {
        (Entry::Fuzzer(_), _) => ProgramKind::Fuzzer,
        (Entry::Main, true) => ProgramKind::Harness,
        (Entry::Main, false) => ProgramKind::Program,
    }
}

/// The format for suites.
fn format(name: &str) -> Result<&'static dyn ProgramEmitter, Failure> {
    let formats = emit::program::formats();
    formats.iter().copied().find(|format| format.name() == name).ok_or_else(|| {
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        Failure::input(format!("there is no format `{name}` for programs"))
            .hint(format!("formats: {}", names.join(", ")))
    })
}

/// What findings had asked for when they were repeated: only a harness has to be answered.
fn observe_findings(generator: &Generator<'_>, result: &FunctionResult) -> Result<Vec<Observation>, Failure> {
    let inputs: Vec<_> = result.findings.iter().map(|finding| finding.input.clone()).collect();
    let settings = &generator.settings;
    let (function, limits, rules) = (result.function, settings.limits, &settings.rules);
    let manner = Manner { tick_limit: REPLAY_TICKS, randomised: false, watched: false };
    let replayed = generator.backend.replay(function, limits, rules, &inputs, manner)?;
    Ok(replayed.into_iter().map(|run| run.observation).collect())
}

/// One line, and what a careful reader should know.
fn print_totals(result: &FunctionResult, tests: ProgramTests<'_>, out: &Path) {
    let (covered, infeasible, unknown) = result.tally();
    println!(
        "{covered} covered, {infeasible} infeasible, {unknown} unknown; {} tests, {} findings, {} executions, {:.1} s",
        tests.written.iter().filter(|test| !test.is_finding()).count(),
        result.findings.len(),
        result.executions,
        result.seconds
    );
    for finding in &result.findings {
        println!("  {} at {}", finding.outcome, finding.place.as_deref().unwrap_or("an unknown place"));
    }
    for count in report::plain_counts(tests) {
        println!("  {} {}: {}", count.count, if count.count == 1 { "test" } else { "tests" }, count.why);
    }
    for (what, count) in &result.approximations {
        println!("  {count:>8} {what}");
    }
    for what in &result.unstable {
        println!("  unstable: {what}");
    }
    println!("suite and report: {}", out.display());
}

/// The program under test.
struct Subject {
    compiled: Compiled,
    units: Vec<SourceUnit>,
    link_flags: Vec<String>,
    /// Where it lies, if it is built.
    built: Option<String>,
}

/// A program that carries its bitcode, or sources.
fn subject(args: &RunArgs, work: &Path) -> Result<Subject, Failure> {
    let clang = Clang::default().with_checks(args.find_errors);
    if let [program] = &args.program[..]
        && is_elf(program)
    {
        let bundle = bundle::read(program).map_err(|e| Failure::input(e.to_string()))?;
        let unit = |unit: &BundledUnit| SourceUnit {
            path: unit.source.clone(),
            flags: unit.flags.clone(),
            directory: unit.directory.clone(),
        };
        let path = program.canonicalize().map_err(|e| Failure::file(program, &e))?;
        return Ok(Subject {
            compiled: match args.find_errors {
                true => recompiled(&bundle, &clang, work)?,
                false => Compiled::bundle(&bundle, work)?,
            },
            units: bundle.units.iter().map(unit).collect(),
            link_flags: bundle.link_flags.clone(),
            built: Some(path.to_string_lossy().into_owned()),
        });
    }
    let cflags = shell_words::split(args.cflags.as_deref().unwrap_or(""))
        .map_err(|e| Failure::input(format!("--cflags: {e}")))?;
    let units = sources::resolve(&SourceArgs { paths: args.program.clone(), cflags })?;
    let compiled = Compiled::sources(&units, &clang, work)?;
    let link_flags = compiled.link_flags.clone();
    Ok(Subject { compiled, units, link_flags, built: None })
}

/// The bitcode that a program carries has no checks: its sources are compiled once more, by the commands recorded.
fn recompiled(bundle: &Bundle, clang: &Clang, work: &Path) -> Result<Compiled, Failure> {
    Compiled::again(bundle, clang, work).map_err(|error| {
        Failure::from(error)
            .hint("--find-errors compiles the sources of a program again, where they were before")
    })
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
