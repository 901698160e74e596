//! The test file of one unit, in the style of either framework.

use crate::body::test_function;
use crate::check::Style;
use crate::ctype::spell;
use crate::names::Names;
use crate::scene::{Stage, stream_declaration};
use crate::{EmitJob, EmittedFile, Unit, complete, stubs, variadic};
use model::{Function, Program, TypeId, TypeKind, Types};
use std::collections::{BTreeMap, BTreeSet};
use suite::FunctionResult;
use target::Outcome;

/// The stage for tests of a unit.
pub(crate) fn stage<'a>(job: &'a EmitJob, unit: &'a Unit) -> Stage<'a> {
    let other_files = job.units.iter().map(|u| u.file).filter(|&file| file != unit.file).collect();
    Stage { program: job.program, unit, other_files, names: Names::of_program(job.program) }
}

/// `test_<stem>.c`.
pub(crate) fn test_file(job: &EmitJob, unit: &Unit, style: &dyn Style) -> EmittedFile {
    let mut stage = stage(job, unit);
    for name in style.reserved() {
        stage.names.take(name);
    }
    for function in job.program.functions.iter().filter(|f| variadic::takes_list(f)) {
        stage.names.take(&variadic::wrapper_name(job.program, function));
    }
    let mut functions = String::new();
    let mut table = String::new();
    let mut definitions = BTreeMap::new();
    for result in job.results_of(unit) {
        let Some(space) = &result.space else { continue };
        let function = job.program.function(result.function);
        let inputs = result.tests.iter().map(|test| &test.input);
        definitions.extend(complete::definitions(&job.program.types, space, inputs));
        if result.tests.iter().any(|t| t.outcome.is_testable()) {
            functions += &variadic::wrapper(job.program, function).unwrap_or_default();
        }
        for test in result.tests.iter().filter(|t| t.outcome.is_testable()) {
            let name = stage.names.take(&format!("test_{}", test.name));
            functions += &test_function(&stage, style, function, space, test, &name);
            functions.push('\n');
            let shown = name.strip_prefix("test_").unwrap_or(&name);
            table += &format!("    {{\"{shown}\", {name}, {}}},\n", ends(test.outcome));
        }
    }
    let contents = format!(
        "{head}\n{include}\n#include \"branchwise.h\"\n\n{definitions}{externs}{functions}\
         const struct branchwise_test branchwise_tests[] = {{\n{table}    {{NULL, NULL, 0}},\n}};\n",
        head = head(unit),
        include = include_with_label(job.program, unit),
        definitions = complete::text(definitions),
        externs = externs(job, &stage) + stream_declaration(&functions),
    );
    EmittedFile::text(format!("test_{}.c", unit.stem), contents)
}

fn head(unit: &Unit) -> String {
    let path = crate::comment::harmless(&unit.path);
    format!(
        "/*\n * Tests of {path}, written by Branchwise.\n *\n \
         * Expected values are what the code did when the tests were made, not what it should do:\n \
         * read them before you rely on them.\n */"
    )
}

fn ends(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => (status & 0xff).to_string(),
        Outcome::Aborted => "BRANCHWISE_ABORTS".to_owned(),
        _ => "BRANCHWISE_RETURNS".to_owned(),
    }
}

/// The include of the source, without its warnings, and the stubs for it.
///
/// A `main` in it keeps its name and meaning (no `return` needed at its end) but gets another symbol.
fn include_with_label(program: &Program, unit: &Unit) -> String {
    let main = program.functions.iter().find(|f| f.name == "main" && f.span.file == unit.file);
    match main.and_then(|f| prototype(&program.types, f)) {
        Some(prototype) => {
            let label = format!("{prototype} __asm__(\"branchwise_program_main\");\n");
            let behind = stubs::text(program, unit) + &preconditions(program, unit);
            quiet(&format!("{label}{}{behind}", include(program, unit)))
        }
        None => include_renamed(program, unit),
    }
}

/// The predicates of what functions of a unit require.
fn preconditions(program: &Program, unit: &Unit) -> String {
    let own = program.contracts.iter().filter(|c| program.function(c.function).span.file == unit.file);
    own.map(|contract| format!("\n{}", contract.text)).collect()
}

/// The include of the source with its `main`, if any, renamed.
pub(crate) fn include_renamed(program: &Program, unit: &Unit) -> String {
    let behind = stubs::text(program, unit) + &preconditions(program, unit);
    let include = include(program, unit);
    quiet(&format!("#define main branchwise_program_main\n{include}#undef main\n{behind}"))
}

fn quiet(text: &str) -> String {
    format!(
        "#pragma GCC diagnostic push\n#include \"branchwise_quiet.h\"\n{text}#pragma GCC diagnostic pop\n"
    )
}

/// The include, and what its stubs want before it. Between quotes nothing is escaped, so a path with a quote needs the
/// other form.
pub(crate) fn include(program: &Program, unit: &Unit) -> String {
    let before = stubs::before(program, unit);
    if unit.path.contains('"') {
        format!("{before}#include <{}>\n", unit.path)
    } else {
        format!("{before}#include \"{}\"\n", unit.path)
    }
}

fn prototype(types: &Types, function: &Function) -> Option<String> {
    let params: Option<Vec<String>> = function.params.iter().map(|p| spell(types, p.ty, "")).collect();
    let params = params.map(|p| if p.is_empty() { "void".to_owned() } else { p.join(", ") })?;
    spell(types, function.ret, &format!("{}({params})", function.name))
}

/// Declarations of globals that other units define. Where they are of a type that only headers can spell, a
/// header will have declared them too.
fn externs(job: &EmitJob, stage: &Stage) -> String {
    let types = &job.program.types;
    let declared: BTreeSet<String> = job
        .results_of(stage.unit)
        .flat_map(used_globals)
        .map(|id| job.program.global(id))
        .filter(|g| !g.is_static && stage.other_files.contains(&g.file))
        .filter(|g| !stubs::define(job.program, stage.unit, &g.name))
        .filter_map(|g| Some(format!("extern {};\n", basic_declaration(types, g.ty, &g.name)?)))
        .collect();
    let text: String = declared.into_iter().collect();
    if text.is_empty() { text } else { format!("{text}\n") }
}

fn used_globals(result: &FunctionResult) -> impl Iterator<Item = model::GlobalId> + '_ {
    let roots = result.space.iter().flat_map(|space| &space.roots);
    roots.filter_map(|root| match root.place {
        input::Place::Global(id) => Some(id),
        input::Place::Param { .. } | input::Place::Rest { .. } | input::Place::Function(_) => None,
    })
}

/// A declaration that needs no names of the program.
fn basic_declaration(types: &Types, ty: TypeId, name: &str) -> Option<String> {
    match &types.get(ty).kind {
        TypeKind::Typedef { to } => basic_declaration(types, *to, name),
        TypeKind::Const { to } => Some(format!("const {}", basic_declaration(types, *to, name)?)),
        TypeKind::Qualified { keyword, to } if keyword == "volatile" => {
            Some(format!("volatile {}", basic_declaration(types, *to, name)?))
        }
        TypeKind::Array { of, len: Some(len) } => basic_declaration(types, *of, &format!("{name}[{len}]")),
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float(_) => spell(types, ty, name),
        _ => None,
    }
}
