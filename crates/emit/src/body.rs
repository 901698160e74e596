//! The body of a test: scene, call, checks.

use crate::check::{Style, change_checks, result_checks};
use crate::comment::{comment, harmless, purpose};
use crate::ctype::declare;
use crate::init::WIDTH;
use crate::scene::{Scene, Stage};
use crate::variadic;
use input::Space;
use model::{Contract, Function, Program, TypeKind};
use suite::TestCase;
use target::{Outcome, Seen};

/// A test as a C function, named `name`.
pub(crate) fn test_function(
    stage: &Stage,
    style: &dyn Style,
    function: &Function,
    space: &Space,
    test: &TestCase,
    name: &str,
) -> String {
    let mut scene = Scene::new(stage, function, space, &test.input, Some(&test.observation));
    let mut paragraphs = setup(&scene);
    paragraphs.extend(
        stage
            .program
            .contracts
            .iter()
            .find(|c| is_of(stage, c, function))
            .map(|contract| vec![format!("PRECONDITION({});", call(&contract.predicate, &scene, ""))]),
    );
    paragraphs.insert(0, style.prologue().map(str::to_owned).into_iter().collect());
    if test.outcome == Outcome::Returned {
        paragraphs.extend(call_and_checks(stage, style, function, space, test, &mut scene));
    } else {
        let ends = match test.outcome {
            Outcome::Exited(status) => format!("/* exits with status {} */", status & 0xff),
            _ => "/* aborts */".to_owned(),
        };
        paragraphs
            .push(vec![ends, format!("{};", call(&callee(stage.program, function, style), &scene, ""))]);
    }
    let why = purpose(stage.program, function, stage.unit, &test.purpose);
    let why = if why.is_empty() { why } else { comment(&why, 0) };
    format!("{why}static void {name}({})\n{{\n{}}}\n", style.parameters(), block(&paragraphs))
}

/// Whether a precondition is that of a function.
fn is_of(stage: &Stage, contract: &Contract, function: &Function) -> bool {
    std::ptr::eq(stage.program.function(contract.function), function)
}

/// Declarations and assignments, a paragraph each.
pub(crate) fn setup(scene: &Scene) -> Vec<Vec<String>> {
    vec![scene.declarations.clone(), scene.assignments.clone()]
}

/// Paragraphs of statements, an empty line between them, indented by one step.
pub(crate) fn block(paragraphs: &[Vec<String>]) -> String {
    let filled: Vec<String> = paragraphs
        .iter()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.iter().map(|line| format!("    {line}\n")).collect())
        .collect();
    filled.join("\n")
}

/// The function to be called; in parentheses where the test file has a macro of its name. One that takes a `va_list` is
/// called through one that makes it.
fn callee(program: &Program, function: &Function, style: &dyn Style) -> String {
    let name = function.name.as_str();
    if variadic::takes_list(function) {
        return variadic::wrapper_name(program, function);
    }
    let macros = ["SET", "NEW", "DELETE", "KEEP", "PRECONDITION"];
    let has_macro = macros.contains(&name) || style.reserved().contains(&name);
    if has_macro { format!("({name})") } else { name.to_owned() }
}

/// The call after the text `head`, broken between arguments where it is too long.
pub(crate) fn call(name: &str, scene: &Scene, head: &str) -> String {
    let flat = format!("{head}{name}({})", scene.arguments.join(", "));
    if 4 + flat.chars().count() < WIDTH {
        return flat;
    }
    let mut text = format!("{head}{name}(");
    let mut column = 4 + text.chars().count();
    for (index, argument) in scene.arguments.iter().enumerate() {
        let last = index + 1 == scene.arguments.len();
        let piece = format!("{argument}{}", if last { "" } else { "," });
        if column + piece.chars().count() + 2 > WIDTH {
            text = format!("{}\n        ", text.trim_end());
            column = 8;
        }
        column += piece.chars().count() + 1;
        text += &format!("{piece} ");
    }
    format!("{})", text.trim_end())
}

fn call_and_checks(
    stage: &Stage,
    style: &dyn Style,
    function: &Function,
    space: &Space,
    test: &TestCase,
    scene: &mut Scene,
) -> Vec<Vec<String>> {
    let types = &stage.program.types;
    let result = scene.names.take("result");
    let changes = change_checks(types, space, &test.input, &test.observation, scene);
    let table = Space::leaves_of(types, function.ret);
    let results = match types.resolved(function.ret).kind {
        TypeKind::Void => Vec::new(),
        _ => result_checks(types, &table, &result, &test.observation, scene),
    };
    let head = match results.is_empty() {
        true => String::new(),
        false => {
            let like = call(&callee(stage.program, function, style), scene, "");
            format!("{} = ", declare(types, function.ret, &result, &like))
        }
    };
    let mut statements = vec![format!("{};", call(&callee(stage.program, function, style), scene, &head))];
    let streams = scene.afterwards(&test.observation);
    statements.extend(streams.flushes);
    let all = results.iter().chain(&changes).chain(&streams.checks);
    let checks: Vec<String> = all.map(|check| style.statement(check)).collect();
    if checks.is_empty() {
        statements.push("/* returns normally */".to_owned());
    }
    let kept = (!results.is_empty() && test.observation.result.contains(&Seen::Allocated)).then_some(result);
    vec![statements, checks, [streams.closes, cleaning(scene, function, test, kept)].concat()]
}

/// A text that ends with a place, without the folders of that.
fn without_folders(text: &str) -> String {
    match (text.rfind(' '), text.rfind('/')) {
        (Some(blank), Some(slash)) if text[..blank].ends_with(" at") && slash > blank => {
            format!("{} {}", &text[..blank], &text[slash + 1..])
        }
        (_, Some(slash)) => text[slash + 1..].to_owned(),
        _ => text.to_owned(),
    }
}

/// What is left to do when all is checked: memory that the function has handed over is kept, objects from `malloc` that it
/// has not freed are given back. `result` is the variable of a result with pointers to such memory.
fn cleaning(scene: &Scene, function: &Function, test: &TestCase, result: Option<String>) -> Vec<String> {
    let TestCase { input, observation, .. } = test;
    let is_freed = |object: u32| observation.freed.contains(&object);
    let leads_on = |object: u32| {
        observation.objects.get(object as usize).is_some_and(|cells| cells.contains(&Seen::Allocated))
    };
    let mut lines: Vec<String> = result.map(|name| format!("KEEP({name});")).into_iter().collect();
    let mut freed = Vec::new();
    for object in 0..input.objects.len() as u32 {
        let Some(name) = scene.local(object) else { continue };
        lines.extend(scene.give_back(object, function));
        match (is_freed(object), leads_on(object)) {
            (true, _) => freed.push(name),
            (false, true) => lines.push(format!("KEEP({name});")),
            (false, false) if scene.is_allocated(object) => lines.push(format!("DELETE({name});")),
            (false, false) => {}
        }
    }
    lines.extend(test.undefined.iter().map(|what| {
        let text = format!("{}: C does not say what is to be expected", without_folders(what));
        comment(&harmless(&text), 0).trim_end().to_owned()
    }));
    if !freed.is_empty() {
        lines.insert(0, comment(&format!("freed: {}", freed.join(", ")), 0).trim_end().to_owned());
    }
    lines.extend(
        test.leaks
            .iter()
            .map(|place| format!("/* leaks what is allocated at {} */", harmless(&without_folders(place)))),
    );
    lines
}
