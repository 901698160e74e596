//! Stubs beside the code that needs them.
//!
//! Every test file holds the stubs of its own unit. The other units of its program bring theirs with them, weakly: where
//! several have a stub for the same, the test file's is the one that counts.

use crate::test_file::include;
use crate::{EmitJob, EmittedFile, Unit};
use model::{Program, Stub};

/// The stubs for what a unit needs.
pub(crate) fn of<'p>(program: &'p Program, unit: &Unit) -> impl Iterator<Item = &'p Stub> {
    let file = unit.file;
    program.stubs.iter().filter(move |stub| stub.file == file)
}

/// Whether the stubs of a unit define this name.
pub(crate) fn define(program: &Program, unit: &Unit, name: &str) -> bool {
    of(program, unit).any(|stub| stub.defines.iter().any(|defined| defined == name))
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
        include(unit),
        text(program, unit)
    )
}
