//! Stubs beside the code that needs them.
//!
//! Every test file holds the stubs of its own unit. The other units of its program bring theirs with them, weakly: where
//! several have a stub for the same, the test file's is the one that counts.

use crate::test_file::include;
use crate::{EmitJob, EmittedFile, Unit};
use input::{Input, LeafKind, Place, Pointer, Root, Space, Var};
use model::{Program, Stub};
use suite::FunctionResult;

/// The stubs for what a unit needs.
pub(crate) fn of<'p>(program: &'p Program, unit: &Unit) -> impl Iterator<Item = &'p Stub> {
    let file = unit.file;
    program.stubs.iter().filter(move |stub| stub.file == file)
}

/// Whether the stubs of a unit define this name.
pub(crate) fn define(program: &Program, unit: &Unit, name: &str) -> bool {
    of(program, unit).any(|stub| stub.defines.iter().any(|defined| defined == name))
}

/// The text that goes before the include of the unit.
pub(crate) fn before(program: &Program, unit: &Unit) -> String {
    of(program, unit).map(|stub| stub.before.as_str()).collect()
}

/// The text that goes behind the include of the unit.
pub(crate) fn text(program: &Program, unit: &Unit) -> String {
    of(program, unit).map(|stub| format!("\n{}", stub.text)).collect()
}

/// Name of the file with a unit and its stubs, for tests of other units.
pub(crate) fn file_name(unit: &Unit) -> String {
    format!("unit_{}.c", unit.stem)
}

/// The files with units and their stubs.
pub(crate) fn units(job: &EmitJob) -> Vec<EmittedFile> {
    if job.units.len() < 2 {
        return Vec::new();
    }
    let with_stubs = job.units.iter().filter(|unit| of(job.program, unit).next().is_some());
    with_stubs.map(|unit| EmittedFile::text(file_name(unit), unit_with_stubs(job.program, unit))).collect()
}

fn unit_with_stubs(program: &Program, unit: &Unit) -> String {
    let names = of(program, unit).flat_map(|stub| &stub.defines);
    let weak: String = names.map(|name| format!("#pragma weak {name}\n")).collect();
    format!(
        "/* A part of the program with what it needs. */\n{}\n{weak}{}",
        include(program, unit),
        text(program, unit)
    )
}

/// The program without the callbacks that no test and no reproducer calls.
#[must_use]
pub fn with_needed_stubs(program: &Program, results: &[FunctionResult]) -> Program {
    let is_named = |name: &str| {
        results.iter().any(|result| {
            let inputs =
                result.tests.iter().map(|test| &test.input).chain(result.findings.iter().map(|f| &f.input));
            let space = result.space.as_ref();
            let root = space.and_then(|s| s.roots.iter().position(|root| is_function(root, program, name)));
            root.is_some_and(|root| inputs.into_iter().any(|input| leads_to(space, input, root as u32)))
        })
    };
    let mut program = program.clone();
    let stubs = std::mem::take(&mut program.stubs);
    program.stubs = stubs.into_iter().filter(|stub| !stub.is_callback || is_named(&stub.name)).collect();
    program
}

fn is_function(root: &Root, program: &Program, name: &str) -> bool {
    matches!(root.place, Place::Function(id) if program.function(id).name == name)
}

/// Whether a pointer of an input leads to an object.
fn leads_to(space: Option<&Space>, input: &Input, object: u32) -> bool {
    let Some(space) = space else { return false };
    let leads = |&var: &Var| {
        let is_pointer = matches!(input.leaf(space, var).kind, LeafKind::Pointer { .. });
        is_pointer
            && matches!(Pointer::decode(input.cell(var)), Pointer::Element { object: to, .. } if to == object)
    };
    input.vars(space).any(|var| leads(&var))
}
