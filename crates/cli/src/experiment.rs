//! `branchwise experiment`: every cell of a plan is run, and the records become tables.

mod cell;
mod records;

use crate::args::{ExperimentArgs, SourceArgs};
use crate::config::Config;
use crate::failure::Failure;
use crate::generate::{
    Generator, INTERRUPTED, backend, chosen_functions, listen_for_interrupt, never_evaluated,
};
use crate::journal::Journal;
use crate::output::Folder;
use crate::progress::Progress;
use crate::{sources, work};
use c_frontend::{Built, Clang, Surroundings};
use campaign::{Budget, GoalOrder, Guidance, Reach, Settings, Variant};
use cell::Bench;
use experiment::{Cell, Criterion, Fitness, Plan, Record, Results, Subject, html};
use indicatif::{ProgressBar, ProgressStyle};
use input::RangeRule;
use model::FunctionId;
use records::Records;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use wire::Isolation;

/// Runs the command.
pub(crate) fn experiment(args: &ExperimentArgs) -> Result<ExitCode, Failure> {
    let text = std::fs::read_to_string(&args.plan).map_err(|e| Failure::file(&args.plan, &e))?;
    let plan = read(&args.plan, &text)?;
    let out = Folder::create(&args.out)?;
    let home = args.plan.parent().unwrap_or(Path::new(""));
    let subjects: Vec<Prepared> = places(&plan)
        .map(|(subject, criterion)| Prepared::new(&plan, subject, criterion, home))
        .collect::<Result<_, _>>()?;
    let mut records = Records::open(&args.out, fingerprint(&text, &subjects))?;
    listen_for_interrupt();
    run_all(&plan, &subjects, &mut records, args)?;
    let name = args.plan.file_stem().unwrap_or_default().to_string_lossy();
    let results = Results::of(&plan, records.all());
    let markdown = results.markdown(&name);
    let files = [
        ("results.json", results.json()),
        ("coverage.csv", results.coverage_csv()),
        ("success.csv", results.success_csv()),
        ("comparisons.csv", results.comparisons_csv()),
        ("tables.md", markdown.clone()),
        ("report.html", html(&name, &results)),
    ];
    for (name, text) in files {
        out.put(name, text.as_bytes())?;
    }
    if !args.quiet {
        print!("{markdown}");
        eprintln!("written to {}", args.out.display());
    }
    if INTERRUPTED.load(Ordering::Relaxed) {
        eprintln!("branchwise: interrupted; the tables have what was run, the same command goes on");
        return Ok(ExitCode::from(130));
    }
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path, text: &str) -> Result<Plan, Failure> {
    let engines = campaign::engines();
    let names: Vec<&str> = engines.iter().map(|(name, ..)| *name).collect();
    let plan = Plan::parse(text, &names).map_err(|e| Failure::input(format!("{}: {e}", path.display())))?;
    if let Some(engine) = plan.engines.iter().find(|name| !plan.collateral && campaign::is_symbolic(name)) {
        let what = format!("{}: `{engine}` looks for all goals at once", path.display());
        return Err(Failure::input(what).hint("set `collateral = true`, or leave it to a plan of its own"));
    }
    Ok(plan)
}

fn places(plan: &Plan) -> impl Iterator<Item = (&Subject, Criterion)> {
    let of = |subject| plan.criteria.iter().map(move |&criterion| (subject, criterion));
    plan.subjects.iter().flat_map(of)
}

/// A subject, built for a criterion.
struct Prepared {
    name: String,
    criterion: Criterion,
    folder: TempDir,
    built: Built,
    functions: Vec<FunctionId>,
}

impl Prepared {
    fn new(plan: &Plan, subject: &Subject, criterion: Criterion, home: &Path) -> Result<Prepared, Failure> {
        let source = SourceArgs { paths: vec![home.join(&subject.path)], cflags: subject.cflags.clone() };
        let units = sources::resolve(&source)?;
        let folder = work::temporary()?;
        let surroundings = Surroundings {
            decisions: criterion == Criterion::Mcdc,
            data_flow: plan.fitness.contains(&Fitness::DataDependence),
            ..Surroundings::default()
        };
        let built = c_frontend::build_with_stubs(&units, surroundings, &Clang::default(), folder.path())?;
        let functions = chosen_functions(&built, &units, &subject.functions)?;
        let prepared = Prepared { name: subject.name.clone(), criterion, folder, built, functions };
        prepared.expect_inputs(subject)?;
        Ok(prepared)
    }

    /// A range of something that no function has is a slip of the plan.
    fn expect_inputs(&self, subject: &Subject) -> Result<(), Failure> {
        let program = &self.built.program;
        let functions = self.functions.iter().map(|&id| program.function(id));
        let spaces: Vec<_> =
            functions.flat_map(|f| input::Space::new(program, f, Default::default(), &[])).collect();
        let names = subject.domains.iter().flat_map(|domain| domain.ranges.keys());
        for name in names {
            if !spaces.iter().any(|space| space.has_leaf(name)) {
                return Err(Failure::input(format!("subject `{}` has no input `{name}`", subject.name)));
            }
        }
        Ok(())
    }

    /// What runs its cells.
    fn bench(&self) -> Result<Bench<'_>, Failure> {
        let config = Config::load(None)?;
        let work = self.folder.path();
        let generator = Generator {
            backend: backend(&self.built, work, Isolation::Auto, &config)?,
            journal: Journal::open(work, 0).map_err(|e| Failure::file(work, &e))?,
            progress: Progress::Quiet,
            settings: base_settings(&config),
            engine: campaign::HYBRID.to_owned(),
            config,
            built: &self.built,
            impossible: c_frontend::infeasible(&self.built)?,
            never_evaluated: never_evaluated(&self.built.program),
            work,
            twins: OnceLock::new(),
            checks: None,
        };
        Ok(Bench { generator, functions: &self.functions, criterion: self.criterion })
    }
}

/// Tells experiments apart: by the plan, the program that runs it, and what the subjects are made of.
fn fingerprint(plan: &str, subjects: &[Prepared]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), plan).hash(&mut hasher);
    for subject in subjects {
        std::fs::read(&subject.built.image).unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}

fn base_settings(config: &Config) -> Settings {
    Settings {
        engine: campaign::HYBRID.to_owned(),
        seed: 1,
        budget: Budget::Executions(0),
        goal_budget: None,
        order: GoalOrder::default(),
        limits: config.space,
        rules: Vec::new(),
        skip: Vec::new(),
        impossible: Vec::new(),
        traced: false,
        closed: false,
        whole: false,
        reach: Reach::default(),
        mcdc: Variant::default(),
        guidance: Guidance::default(),
        trial: None,
        selection: None,
        find_errors: false,
        keeps_values: false,
    }
}

/// Runs the cells that have no record yet, several at a time.
fn run_all(
    plan: &Plan,
    subjects: &[Prepared],
    records: &mut Records,
    args: &ExperimentArgs,
) -> Result<(), Failure> {
    let cells = plan.cells();
    let known: BTreeSet<_> = records.all().iter().map(|record| record.key.clone()).collect();
    let open: Vec<&Cell<'_>> = cells.iter().filter(|cell| !known.contains(&cell.key)).collect();
    let benches: Vec<Bench<'_>> = subjects.iter().map(Prepared::bench).collect::<Result<_, _>>()?;
    let bench_of = |cell: &Cell<'_>| {
        let is_its = |p: &Prepared| p.name == cell.key.subject && p.criterion == cell.key.criterion;
        &benches[subjects.iter().position(is_its).expect("every subject was prepared")]
    };
    let bar = progress_bar(open.len(), args.quiet);
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = std::sync::mpsc::channel::<Result<Record, Failure>>();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, open.len().max(1)) {
            let (sender, open, next, bench_of) = (sender.clone(), &open, &next, &bench_of);
            scope.spawn(move || {
                while !INTERRUPTED.load(Ordering::Relaxed) {
                    let Some(cell) = open.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    // Nobody listens any more after a failure.
                    if sender.send(bench_of(cell).run(plan, cell)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for record in receiver {
            // A cell that was cut short is no result.
            if !INTERRUPTED.load(Ordering::Relaxed) {
                records.add(record?)?;
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        Ok(())
    })
}

fn progress_bar(cells: usize, quiet: bool) -> ProgressBar {
    if quiet || cells == 0 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cells as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// The ranges of a domain.
fn rules(cell: &Cell<'_>) -> Vec<RangeRule> {
    let rule = |(target, range): (&String, &std::ops::RangeInclusive<i64>)| RangeRule {
        target: target.clone(),
        min: Some(i128::from(*range.start())),
        max: Some(i128::from(*range.end())),
        exclude: Vec::new(),
    };
    cell.domain.ranges.iter().map(rule).collect()
}
