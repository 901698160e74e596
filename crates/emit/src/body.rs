//! The body of a test: scene, call, checks.

use crate::check::{Style, change_checks, result_checks};
use crate::comment::{comment, purpose};
use crate::ctype::declare;
use crate::init::WIDTH;
use crate::scene::{Scene, Stage};
use input::Space;
use model::{Contract, Function, TypeKind};
use suite::TestCase;
use target::Outcome;

/// A test as a C function, named `name`.
pub(crate) fn test_function(
    stage: &Stage,
    style: &dyn Style,
    function: &Function,
    space: &Space,
    test: &TestCase,
    name: &str,
) -> String {
    let mut scene = Scene::new(stage, function, space, &test.input);
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
        paragraphs.push(vec![ends, format!("{};", call(&callee(function, style), &scene, ""))]);
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

/// The function to be called; in parentheses where the test file has a macro of its name.
fn callee(function: &Function, style: &dyn Style) -> String {
    let name = function.name.as_str();
    let has_macro = ["SET", "NEW", "PRECONDITION"].contains(&name) || style.reserved().contains(&name);
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
            let like = call(&callee(function, style), scene, "");
            format!("{} = ", declare(types, function.ret, &result, &like))
        }
    };
    let mut statements = vec![format!("{};", call(&callee(function, style), scene, &head))];
    let checks: Vec<String> = results.iter().chain(&changes).map(|check| style.statement(check)).collect();
    if checks.is_empty() {
        statements.push("/* returns normally */".to_owned());
    }
    vec![statements, checks]
}
