//! What runs of Java code do that no test can state: confirmed, written as programs that repeat it, and told with the methods.

use super::facts::facts;
use super::suites::Written;
use crate::failure::Failure;
use crate::output::Folder;
use input::Input;
use java_backend::{Findings, Frame, JavaFinding, JavaProgram, Kind};
use java_emit::{Facts, Reproducer, reproducer, reproducer_script};
use java_frontend::{Jdk, java_name, source_path};
use model::{Check, FunctionId, Goal};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::repeat;
use std::path::{Path, PathBuf};
use std::process::Command;
use suite::{Calls, Finding, FunctionResult, GoalState, Reason};
use target::{Access, Crash, CrashKind, Outcome};

/// Writes a program for each finding that can be written and that javac takes; by finding, what it calls and where it stands.
pub(crate) fn write(
    program: &JavaProgram,
    findings: &[JavaFinding],
    class_path: &[PathBuf],
    scratch: &Path,
    out: (&Folder, &Path),
) -> Result<Vec<Option<Reproducer>>, Failure> {
    // Those of an earlier run would be taken for findings of this one.
    let _ = std::fs::remove_dir_all(out.1.join("crashes"));
    let named = findings.iter().flat_map(|finding| java_emit::named(&finding.script, None));
    let facts = facts(program, &named.collect());
    let mut programs: Vec<Option<Reproducer>> =
        (1..).zip(findings).map(|(number, finding)| one(program, &facts, number, finding)).collect();
    let texts: Vec<String> = class_path.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    if programs.iter().all(Option::is_none) {
        return Ok(programs);
    }
    refuse(&mut programs, &texts, scratch)?;
    for program in programs.iter().flatten().filter(|program| !program.file.path.is_empty()) {
        out.0.put(&program.file.path, program.file.contents.as_bytes())?;
    }
    let script = reproducer_script(&texts);
    out.0.put_executable(&script.path, script.contents.as_bytes(), script.executable)?;
    Ok(programs)
}

fn one(program: &JavaProgram, facts: &Facts, number: usize, finding: &JavaFinding) -> Option<Reproducer> {
    let class = &program.classes.own[program.class_of(finding.method)?].name;
    let (package, simple) = class.rsplit_once('/').unwrap_or(("", class));
    let function = program.model.program.function(finding.method);
    let method = match function.name.rsplit('.').next().unwrap_or_default() {
        "<init>" => "new",
        "<clinit>" => "init",
        name => name,
    };
    let name = format!("{}_{method}_{}_{number}", simple.replace('$', ""), slug(finding.kind));
    let full = match package {
        "" => name.clone(),
        package => format!("{}.{name}", package.replace('/', ".")),
    };
    let mut head = vec![format!("{}: {}", function.name, finding.what)];
    head.extend(finding.stack.iter().take(8).map(|frame| format!("    {}", frame_words(program, frame))));
    head.push(format!("Run with: sh crashes/run.sh {full}"));
    reproducer(facts, &package.replace('/', "."), &name, (&finding.script, &finding.values), &head).ok()
}

/// Takes the paths from programs that javac refuses; their statements are told all the same.
fn refuse(programs: &mut [Option<Reproducer>], class_path: &[String], scratch: &Path) -> Result<(), Failure> {
    let folder = scratch.join("reproducers");
    // Every round at least one is out.
    for _ in 0..=programs.len() {
        let _ = std::fs::remove_dir_all(&folder);
        let classes = folder.join("classes");
        std::fs::create_dir_all(&classes).map_err(|e| Failure::file(&classes, &e))?;
        let mut command = Command::new(Jdk::find().javac);
        command.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-encoding", "UTF-8"]);
        command.args(["-nowarn", "-proc:none", "-implicit:none", "-Xmaxerrs", "1000"]);
        command.arg("-cp").arg(class_path.join(":")).arg("-d").arg(&classes);
        let mut is_empty = true;
        for program in programs.iter().flatten().filter(|program| !program.file.path.is_empty()) {
            let path = folder.join(&program.file.path);
            let parent = path.parent().unwrap_or(&folder);
            std::fs::create_dir_all(parent).map_err(|e| Failure::file(parent, &e))?;
            std::fs::write(&path, &program.file.contents).map_err(|e| Failure::file(&path, &e))?;
            command.arg(path);
            is_empty = false;
        }
        if is_empty {
            break;
        }
        let Ok(output) = command.output() else { break };
        if output.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_named = |program: &Reproducer| words.contains(&format!("{}:", program.file.path));
        let mut refused = false;
        for program in programs.iter_mut().flatten().filter(|program| !program.file.path.is_empty()) {
            if is_named(program) {
                program.file.path.clear();
                refused = true;
            }
        }
        if !refused {
            break;
        }
    }
    // Nobody knows which of them would compile.
    programs.iter_mut().flatten().for_each(|program| program.file.path.clear());
    Ok(())
}

/// Puts findings into the results of methods: with those whose goals are reached in no other way, or else where it happens, or with
/// the method that is called.
pub(crate) fn conclude(
    program: &JavaProgram,
    results: &mut [FunctionResult],
    written: &[Written<'_>],
    findings: &Findings,
    programs: &[Option<Reproducer>],
) {
    let covered: BTreeSet<Goal> = written.iter().flat_map(|test| test.test.covers.iter().copied()).collect();
    let places: BTreeMap<FunctionId, usize> =
        results.iter().enumerate().map(|(at, result)| (result.function, at)).collect();
    for (finding, reproducer) in findings.all.iter().zip(programs) {
        let told = told(program, finding, reproducer.as_ref());
        let mut homes = 0;
        for result in results.iter_mut() {
            let index = result.findings.len();
            let open = |(goal, state): &&mut (Goal, GoalState)| {
                finding.reaches.contains(goal) && !covered.contains(goal) && is_open(state)
            };
            let goals: Vec<Goal> = result.goals.iter_mut().filter(open).map(|(goal, _)| *goal).collect();
            for (_, state) in result.goals.iter_mut().filter(|(goal, _)| goals.contains(goal)) {
                *state = GoalState::Unknown(Reason::OnlyByFinding(index));
            }
            if !goals.is_empty() {
                homes += 1;
                result.findings.push(Finding { reaches: goals, ..told.clone() });
            }
        }
        let here = finding.place.as_ref().and_then(|place| function_at(program, place));
        let candidates = here.into_iter().chain([finding.method]);
        let home = candidates.filter_map(|function| places.get(&function)).next();
        if let Some(&home) = home.filter(|_| homes == 0) {
            results[home].findings.push(told);
        }
    }
    let sorts = [
        (&findings.unconfirmed, "ended as no test can, and did not do so again"),
        (&findings.unconfirmed_overflows, "overflowed, and did not do so again"),
    ];
    for ((function, count), what) in
        sorts.into_iter().flat_map(|(counts, what)| counts.iter().zip(repeat(what)))
    {
        if let Some(&at) = places.get(function) {
            results[at].unstable.push(format!("{} {what}", super::plural(*count, "run")));
        }
    }
}

/// Whether nothing better is known of a goal than that nobody reached it.
fn is_open(state: &GoalState) -> bool {
    match state {
        GoalState::Unknown(reason) => !matches!(
            reason,
            Reason::OnlyByFinding(_) | Reason::Unstable | Reason::Environment | Reason::LeftOut
        ),
        GoalState::Covered { .. } | GoalState::Infeasible(_) => false,
    }
}

fn told(program: &JavaProgram, finding: &JavaFinding, reproducer: Option<&Reproducer>) -> Finding {
    let name = |id: &FunctionId| program.model.program.function(*id).name.clone();
    let mut also: Vec<String> = finding.also.iter().map(name).collect();
    also.sort_unstable();
    also.dedup();
    Finding {
        input: Input { objects: Vec::new() },
        outcome: outcome(finding),
        place: finding
            .place
            .as_ref()
            .map(|(class, method, line)| format!("{}.{method}:{line}", java_name(class))),
        stack: finding.stack.iter().map(|frame| frame_words(program, frame)).collect(),
        reaches: Vec::new(),
        culprit: None,
        also,
        calls: Some(Calls {
            what: finding.what.clone(),
            statements: reproducer.map_or_else(
                || vec![format!("{}(…);", name(&finding.method))],
                |reproducer| reproducer.statements.clone(),
            ),
            reproducer: reproducer.map(|r| r.file.path.clone()).filter(|path| !path.is_empty()),
        }),
    }
}

fn outcome(finding: &JavaFinding) -> Outcome {
    let crashed = |kind| Outcome::Crashed(Crash { kind, site: 0, access: Access::None });
    match finding.kind {
        Kind::Exit => Outcome::Exited(finding.status.unwrap_or_default()),
        Kind::StackOverflow => crashed(CrashKind::StackOverflow),
        Kind::OutOfMemory => crashed(CrashKind::OutOfMemory),
        Kind::Endless | Kind::EndlessInitialiser => Outcome::OutOfTicks,
        Kind::Hang => Outcome::TimedOut,
        Kind::Crash => Outcome::WorkerDied,
        Kind::Initialiser | Kind::Unusable => crashed(CrashKind::Unusable),
        Kind::Assertion | Kind::Uncaught => Outcome::Aborted,
        Kind::Overflow => crashed(CrashKind::Check(Check::SignedOverflow)),
    }
}

fn slug(kind: Kind) -> &'static str {
    match kind {
        Kind::Exit => "exits",
        Kind::StackOverflow => "stack_overflow",
        Kind::OutOfMemory => "out_of_memory",
        Kind::Endless => "endless",
        Kind::Hang => "hangs",
        Kind::Crash => "dies",
        Kind::Initialiser => "initialiser_throws",
        Kind::EndlessInitialiser => "initialiser_endless",
        Kind::Assertion => "assertion",
        Kind::Uncaught => "thread_throws",
        Kind::Unusable => "unusable",
        Kind::Overflow => "overflow",
    }
}

/// `hostile.Exits.exit (hostile/Exits.java:12)`
fn frame_words(program: &JavaProgram, (class, method, line): &Frame) -> String {
    let name = format!("{}.{method}", java_name(class));
    let file = program.classes.own.iter().find(|entry| entry.name == *class);
    match file.map(|entry| source_path(&entry.class)) {
        Some(file) if *line > 0 => format!("{name} ({file}:{line})"),
        _ => name,
    }
}

/// The own method that a frame is in: of several with one name, the one with the line.
fn function_at(program: &JavaProgram, (class, method, line): &Frame) -> Option<FunctionId> {
    let begins = format!("{class}.{method}(");
    let functions = (0..).map(FunctionId).zip(&program.model.program.functions);
    let named = functions.filter(|(_, function)| function.symbol.starts_with(&begins));
    let lines = named.filter(|(_, f)| (f.span.start.line..=f.span.end.line).contains(line));
    lines.map(|(id, _)| id).next()
}
