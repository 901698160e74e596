//! A program of its own for every fault, to be run under a debugger.

use crate::body::{block, call, setup};
use crate::comment::{goal_words, harmless};
use crate::ctype::declare;
use crate::scene::{Scene, stream_declaration};
use crate::test_file::{include_renamed, stage};
use crate::{EmitJob, EmittedFile, Unit, complete, variadic};
use model::{Check, Function, Program, TypeKind};
use suite::{Finding, FunctionResult};
use target::{Crash, CrashKind, HeapError, Outcome};

/// A reproducer and how the Makefile calls it.
pub(crate) struct Reproducer<'a> {
    /// `make crash-<number>` builds it.
    pub(crate) number: usize,
    /// The unit whose code it includes.
    pub(crate) unit: &'a Unit,
    /// Its text.
    pub(crate) file: EmittedFile,
}

/// The reproducers of all findings, numbered from 1.
pub(crate) fn reproducers<'a>(job: &'a EmitJob) -> Vec<Reproducer<'a>> {
    let mut all = Vec::new();
    for result in job.results {
        let file = job.file_of(result.function);
        let Some(unit) = job.units.iter().find(|u| u.file == file) else { continue };
        for finding in &result.findings {
            let number = all.len() + 1;
            all.extend(reproducer(job, unit, result, finding, number));
        }
    }
    all
}

fn reproducer<'a>(
    job: &'a EmitJob,
    unit: &'a Unit,
    result: &FunctionResult,
    finding: &Finding,
    number: usize,
) -> Option<Reproducer<'a>> {
    let space = result.space.as_ref()?;
    let function = job.program.function(result.function);
    let stage = stage(job, unit);
    let scene = Scene::new(&stage, function, space, &finding.input, None);
    // The program's main is renamed here: this file needs the name.
    let wrapper = variadic::wrapper(job.program, function);
    let callee = match &wrapper {
        Some(_) => variadic::wrapper_name(job.program, function),
        None if function.name == "main" => "branchwise_program_main".to_owned(),
        None => function.name.clone(),
    };
    let mut paragraphs = setup(&scene);
    let objects = (0..finding.input.objects.len() as u32).filter_map(|object| scene.local(object));
    paragraphs.push(match is_leak(finding) {
        true => leaking_call(job.program, function, &callee, &scene, objects),
        false => vec![format!("{};", call(&callee, &scene, ""))],
    });
    paragraphs.push(vec!["return 0;".to_owned()]);
    let include =
        include_renamed(job.program, unit).replace("\"branchwise_quiet.h\"", "\"../branchwise_quiet.h\"");
    let body = block(&paragraphs);
    let contents = format!(
        "{}{include}\n#include \"../branchwise.h\"\n\n{}{definitions}{wrapper}int main(void)\n{{\n{body}}}\n",
        head(job, function, finding, number),
        stream_declaration(&body),
        definitions = complete::text(complete::definitions(&job.program.types, space, [&finding.input])),
        wrapper = wrapper.unwrap_or_default(),
    );
    let path = format!("crashes/{}_{}_{number}.c", function.name, slug(finding.outcome));
    Some(Reproducer { number, unit, file: EmittedFile::text(path, contents) })
}

fn is_leak(finding: &Finding) -> bool {
    matches!(finding.outcome, Outcome::Crashed(Crash { kind: CrashKind::Heap(HeapError::Leak), .. }))
}

/// The call, after which nothing is lost but what the function has lost.
fn leaking_call<'s>(
    program: &Program,
    function: &Function,
    callee: &str,
    scene: &Scene,
    objects: impl Iterator<Item = &'s str>,
) -> Vec<String> {
    let types = &program.types;
    let like = call(callee, scene, "");
    let mut lines = match types.resolved(function.ret).kind {
        TypeKind::Void => vec![format!("{like};")],
        _ => {
            let result = scene.names.clone().take("result");
            let head = format!("{} = ", declare(types, function.ret, &result, &like));
            vec![format!("{};", call(callee, scene, &head)), format!("KEEP({result});")]
        }
    };
    lines.extend(objects.map(|name| format!("KEEP({name});")));
    lines
}

fn head(job: &EmitJob, function: &Function, finding: &Finding, number: usize) -> String {
    let what = match finding.outcome {
        Outcome::Crashed(crash) => match crash.kind {
            CrashKind::Undefined(index) => {
                let name = job.program.undefined.get(index as usize).map_or("?", String::as_str);
                format!("call of {name}, which is defined nowhere")
            }
            kind => kind.to_string(),
        },
        outcome => outcome.to_string(),
    };
    let mut lines = vec![format!("{}: {what}", function.name)];
    lines.extend(finding.place.iter().map(|place| format!("at {place}")));
    lines.extend(finding.stack.iter().map(|frame| format!("    {frame}")));
    if !finding.reaches.is_empty() {
        let goals: Vec<String> =
            finding.reaches.iter().map(|g| goal_words(job.program, function, *g)).collect();
        lines.push(format!("Reached only this way: {}", goals.join(", ")));
    }
    lines.push(format!("Build with: make crash-{number}"));
    let lines: String = lines.iter().map(|line| format!(" * {}\n", harmless(line))).collect();
    format!("/*\n{lines} */\n")
}

/// A word for the file name.
fn slug(outcome: Outcome) -> String {
    match outcome {
        Outcome::Crashed(crash) => match crash.kind {
            CrashKind::Segmentation => "segfault".to_owned(),
            CrashKind::Bus => "bus_error".to_owned(),
            CrashKind::Arithmetic => "arithmetic".to_owned(),
            CrashKind::Illegal => "illegal".to_owned(),
            CrashKind::StackOverflow => "stack_overflow".to_owned(),
            CrashKind::OutOfMemory => "out_of_memory".to_owned(),
            CrashKind::Unusable => "unusable".to_owned(),
            CrashKind::Undefined(_) => "undefined".to_owned(),
            CrashKind::Check(check) => check_slug(check).to_owned(),
            CrashKind::Heap(error) => heap_slug(error).to_owned(),
            CrashKind::Contract(_) => "contract".to_owned(),
            CrashKind::Signal(number) => format!("signal_{number}"),
        },
        Outcome::OutOfTicks => "endless".to_owned(),
        Outcome::TimedOut => "timeout".to_owned(),
        Outcome::WorkerDied => "died".to_owned(),
        Outcome::Unsteady => "unsteady".to_owned(),
        Outcome::Returned | Outcome::Exited(_) | Outcome::Aborted | Outcome::Rejected => "ended".to_owned(),
    }
}

fn heap_slug(error: HeapError) -> &'static str {
    match error {
        HeapError::UseAfterFree => "use_after_free",
        HeapError::DoubleFree => "double_free",
        HeapError::BadFree => "bad_free",
        HeapError::Leak => "leak",
    }
}

fn check_slug(check: Check) -> &'static str {
    match check {
        Check::DivisionByZero => "division",
        Check::SignedOverflow => "overflow",
        Check::Shift => "shift",
        Check::Bounds => "bounds",
        Check::Null => "null",
        Check::Unreachable => "unreachable",
        Check::ArrayLength => "array_length",
        Check::Builtin => "builtin",
        Check::Other => "undefined_behaviour",
    }
}
