//! `branchwise gen` and `branchwise check` for Java: classes in, JUnit tests out.

mod candidates;
mod claims;
mod compile;
mod decisions;
mod facts;
mod findings;
mod jdk;
mod phases;
mod places;
mod problems;
mod reasons;
mod results;
mod sandbox;
mod search;
mod settings;
mod suites;
mod table;
mod write;

use crate::args::{Amount, Criterion, GenArgs};
use crate::config::Config;
use crate::failure::{EXIT_UNMET, Failure};
use crate::generate::{INTERRUPTED, listen_for_interrupt};
use crate::journal::Journal;
use crate::output::Folder;
use crate::progress::Progress;
use crate::work;
use campaign::Budget;
use java_backend::{JavaProgram, SearchSettings, Searched, confirm, find};
use java_frontend::{ClassPath, SourceError};
use java_worker::StartError;
use model::FunctionId;
use phases::Phases;
use report::{Making, ReportSettings, RunReport};
use results::Sources;
use settings::Settings;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;
use suite::FunctionResult;

pub(crate) use claims::{check, is_suite};
pub(crate) use jdk::UNWATCHED_SINCE;
use problems::Problems;
pub(crate) use table::{HeapArg, JavaTable};

/// What javac says of classes on its path that are newer than itself.
const WRONG_VERSION: &str = "class file has wrong version";

/// Whether the user names Java: sources, classes, a jar, or a folder that holds such files and no C.
pub(crate) fn is_java(paths: &[PathBuf]) -> bool {
    let has = |path: &Path, ends: &[&str]| {
        path.extension().and_then(|e| e.to_str()).is_some_and(|e| ends.contains(&e))
    };
    let is_file = |path: &PathBuf| path.is_file() && has(path, &["java", "class", "jar"]);
    let holds =
        |path: &PathBuf| path.is_dir() && contains(path, &["java", "class"], 6) && !contains(path, &["c"], 6);
    !paths.is_empty() && paths.iter().all(|path| is_file(path) || holds(path))
}

/// Whether a file with one of these ends is in a folder or not far below.
fn contains(folder: &Path, ends: &[&str], depth: u32) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.into_iter().any(|path| match path.is_dir() {
        true => depth > 0 && contains(&path, ends, depth - 1),
        false => path.extension().and_then(|e| e.to_str()).is_some_and(|e| ends.contains(&e)),
    })
}

/// Runs the command.
pub(crate) fn generate(args: &GenArgs) -> Result<ExitCode, Failure> {
    refuse_what_is_of_c(args)?;
    let emitter = emitter(&args.emit)?;
    let jdk = jdk::find()?;
    let begun = Instant::now();
    let config = Config::load(args.config.as_deref())?;
    let out = Folder::create(&args.out)?;
    let folder = work::temporary()?;
    let compiled = folder.path().join("compiled");
    std::fs::create_dir(&compiled).map_err(|e| Failure::file(&compiled, &e))?;
    let classes = ClassPath::read(&args.sources.paths, &args.classpath, &compiled)?;
    let mut problems = Problems::default();
    problems.unreadable(&classes);
    if classes.own.is_empty() {
        return Err(Failure::input("none of these files is a class that can be read"));
    }
    problems.versions(&classes);
    problems.too_new(&classes, &jdk)?;
    let source = match args.criterion {
        Criterion::Mcdc => Some(decisions::read(&classes, folder.path())?),
        Criterion::Branch => None,
    };
    let mut program = JavaProgram::deciding(classes, source.as_ref());
    if config.java.boundaries == Some(true) {
        program.model.add_boundaries();
    }
    problems.of_hooks(&program);
    problems.of_names(&program);
    let chosen = chosen_methods(&program, &args.functions)?;
    let Settings { amount, search: settings } = Settings::resolve(args, &config, &program)?;
    let timeout = settings::run_timeout(&config);
    let class_path = claims::keep_classes(&program.classes, folder.path(), &args.out)?;
    let home = program.home(&jdk::machines(folder.path(), &class_path, timeout)?)?;
    listen_for_interrupt();
    let fingerprint = settings::fingerprint(args, &settings, &program, &chosen);
    let journal = Journal::open(&args.out, fingerprint).map_err(|e| Failure::file(&args.out, &e))?;
    if journal.parts() > 0 && !args.quiet {
        let parts = plural(journal.parts(), "part");
        eprintln!("branchwise: going on where an earlier run was stopped; done of its search: {parts}");
    }
    let mut making = Phases::new(begun.elapsed(), Progress::new(args.quiet));
    let begun = Instant::now();
    let Searched { found, accounts, suspects, unseen, of_the_world, first, times, .. } =
        search::search(&program, &home, &chosen, &settings, &journal, (args, making.progress()))?;
    making.searched(&times);
    problems.refused(&program, &accounts);
    let confirmed =
        making.timed("confirmation", || confirm(&program, &home, &found, &settings, search::jobs(args)))?;
    let found_wrong =
        making.timed("confirmation of findings", || find(&program, &home, &suspects, search::jobs(args)))?;
    let mut suites = suites::suites(&program, &confirmed);
    let suite = making.timed("writing and trying", || {
        write::write(emitter, &mut suites, settings.rules.asserts, &class_path, folder.path(), args, &out)
    })?;
    if suite.is_unwatched {
        problems.unwatched();
    }
    let reproducers =
        findings::write(&program, &found_wrong.all, &class_path, folder.path(), (&out, &args.out))?;
    let written = suites::written(&suite.emission, &suites, &confirmed);
    let took = (settings.seed, begun.elapsed());
    let (confirmed, dropped) = (&confirmed, &suite.dropped);
    let sources = Sources {
        program: &program,
        confirmed,
        written: &written,
        dropped,
        accounts: &accounts,
        first: &first,
    };
    let mut results = results::results(&sources, &chosen, took);
    problems::conclude(&program, &mut results, &accounts);
    let unseen = &unseen | &confirmed.unnoticed;
    reasons::explain(&program, &mut results, &accounts, (&unseen, &of_the_world));
    findings::conclude(&program, &mut results, &written, &found_wrong, &reproducers);
    decisions::conclude(&program, &mut results, &written, &accounts, args.mcdc.into());
    let claims = claims::Claims::new(&program, &written, &class_path, suite.has_threads);
    out.put(claims::FILE, claims.json()?.as_bytes())?;
    let making = making.told(confirmed, written.len());
    let told = (making, candidates::told(&accounts));
    report(&program, &results, args, (&settings, &amount, told), (problems.all, &out))?;
    let unknown = results.iter().any(|result| result.tally().2 > 0);
    if INTERRUPTED.load(Ordering::Relaxed) {
        eprintln!("branchwise: interrupted; what was found is written, the same command goes on");
        return Ok(ExitCode::from(130));
    }
    journal.finish();
    Ok(if args.strict && unknown { ExitCode::from(EXIT_UNMET) } else { ExitCode::SUCCESS })
}

fn refuse_what_is_of_c(args: &GenArgs) -> Result<(), Failure> {
    let refuse = |what: &str| Err(Failure::input(format!("{what} is not there for Java yet")));
    match () {
        () if args.bitwise_decisions => refuse("`--bitwise-decisions`"),
        () if args.obligations.is_some() => refuse("`--obligations`"),
        () if !args.sources.cflags.is_empty() => Err(Failure::input("Java takes no flags after `--`")
            .hint("classes that yours need are named with --classpath")),
        () => Ok(()),
    }
}

fn emitter(name: &str) -> Result<&'static dyn java_emit::JavaEmitter, Failure> {
    // The default of the flag is that for C.
    let wanted = if name == "c" { java_emit::all()[0].name() } else { name };
    let found = java_emit::all().iter().copied().find(|emitter| emitter.name() == wanted);
    found.ok_or_else(|| {
        let names: Vec<&str> = java_emit::all().iter().map(|emitter| emitter.name()).collect();
        Failure::input(format!("there is no format `{name}` for Java"))
            .hint(format!("formats: {}", names.join(", ")))
    })
}

/// The methods that tests are for: those named, as `Class.method`, `method` or `Class`, or all.
fn chosen_methods(program: &JavaProgram, names: &[String]) -> Result<Vec<FunctionId>, Failure> {
    let functions = &program.model.program.functions;
    let all = || (0..functions.len() as u32).map(FunctionId);
    if names.is_empty() {
        return Ok(all().collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let fits = |id: &FunctionId| {
            let full = &functions[id.0 as usize].name;
            let (class, method) = full.rsplit_once('.').unwrap_or(("", full));
            let simple = class.rsplit('.').next().unwrap_or(class);
            [full.as_str(), method, class, simple, &format!("{simple}.{method}")].contains(&name.as_str())
        };
        let found: Vec<FunctionId> = all().filter(fits).collect();
        if found.is_empty() {
            let near = functions.iter().min_by_key(|f| strsim::damerau_levenshtein(name, &f.name));
            let failure = Failure::input(format!("there is no method or class `{name}`"));
            return Err(match near {
                Some(near) => failure.hint(format!("did you mean {}?", near.name)),
                None => failure,
            });
        }
        chosen.extend(found);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn report(
    program: &JavaProgram,
    results: &[FunctionResult],
    args: &GenArgs,
    (search, amount, (making, candidates)): (&SearchSettings, &Amount, (Making, candidates::Told)),
    (problems, out): (Vec<String>, &Folder),
) -> Result<(), Failure> {
    let read = |(number, file): (u32, &model::SourceFile)| {
        let path = source(&program.classes.sources, &args.sources.paths, &file.path)?;
        Some((number, std::fs::read_to_string(path).ok()?))
    };
    let sources: Vec<(u32, String)> = (0..).zip(&program.model.program.files).filter_map(read).collect();
    let settings = ReportSettings {
        engine: search.engine.clone(),
        seed: search.seed,
        budget: amount.text.clone(),
        criterion: args.criterion.name().to_owned(),
        mcdc: (args.criterion == Criterion::Mcdc).then(|| args.mcdc.name().to_owned()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        making: Some(making),
        candidates,
        deterministic: matches!(amount.budget, Budget::Executions(_)),
        problems,
        ..ReportSettings::default()
    };
    let run =
        RunReport { program: &program.model.program, results, whole: None, sources: &sources, settings };
    for kind in report::all() {
        let text = kind.file.map(|name| (name, (kind.render)(&run)));
        if let Some((name, text)) = text.filter(|(_, text)| !text.is_empty()) {
            out.put(name, text.as_bytes())?;
        }
    }
    if !args.quiet {
        println!("{}", report::table(&run).trim_end());
        let folder = shell_words::quote(&args.out.to_string_lossy()).into_owned();
        println!("\ntests   {folder}/run-tests.sh\nreport  {folder}/report.html");
    }
    Ok(())
}

/// The file that holds a source, given by its package and name: one of those that were compiled, or one below a folder of classes that the user
/// names. Where packages and folders are not the same, the name must do, if only one file has it.
fn source(compiled: &[PathBuf], named: &[PathBuf], wanted: &str) -> Option<PathBuf> {
    let below = || named.iter().map(|path| path.join(wanted)).find(|path| path.is_file());
    let by_name = || {
        let name = Path::new(wanted).file_name()?;
        let mut same = compiled.iter().filter(|path| path.file_name() == Some(name));
        same.next().filter(|_| same.next().is_none()).cloned()
    };
    compiled.iter().find(|path| path.ends_with(wanted)).cloned().or_else(below).or_else(by_name)
}

/// `1 test`, `2 tests`.
pub(crate) fn plural(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Failure {
        let hint = match &error {
            SourceError::NoCompiler { .. } => Some("`apt-get install -y openjdk-17-jdk-headless` has javac"),
            SourceError::Compile { words } if words.contains(WRONG_VERSION) => Some(jdk::OF_TOO_NEW),
            SourceError::Compile { .. } => Some("classes that yours need are named with --classpath"),
            _ => None,
        };
        let failure = Failure::input(error.to_string());
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Failure {
        let failure = Failure::input(error.to_string());
        match error {
            StartError::Command { .. } => {
                failure.hint("JAVA_HOME must name a JDK, or `java` be on the PATH: `apt-get install -y openjdk-17-jdk-headless`")
            }
            StartError::Folder(_) | StartError::Map(_) | StartError::Silent(_) => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_by_package_and_else_by_a_name_that_is_there_once() {
        let compiled = ["src/b/One.java", "src/a/One.java", "src/Two.java"].map(PathBuf::from);
        let found = |wanted: &str| source(&compiled, &[], wanted).map(|path| path.display().to_string());
        assert_eq!(found("a/One.java").as_deref(), Some("src/a/One.java"));
        assert_eq!(found("elsewhere/Two.java").as_deref(), Some("src/Two.java"));
        assert_eq!(found("elsewhere/One.java"), None);
    }
}
