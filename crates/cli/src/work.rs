//! Things several commands need: a scratch folder, the worker program, which functions are the user's own.

use crate::failure::Failure;
use c_frontend::SourceUnit;
use model::{Function, FunctionId, Program};
use std::path::{Path, PathBuf};

/// A folder that goes away with the value.
pub(crate) fn temporary() -> Result<tempfile::TempDir, Failure> {
    tempfile::Builder::new()
        .prefix("branchwise-")
        .tempdir()
        .map_err(|e| Failure::file(&std::env::temp_dir(), &e))
}

/// The worker stands beside this program.
pub(crate) fn worker_program() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe().map_err(|e| Failure::bug(format!("cannot find myself: {e}")))?;
    // Test binaries stand one folder deeper.
    let folders = own.ancestors().skip(1).take(2);
    folders.map(|folder| folder.join("branchwise-worker")).find(|p| p.is_file()).ok_or_else(|| {
        Failure::input("branchwise-worker is missing beside the branchwise program")
            .hint("`make install` puts both in place")
    })
}

/// Functions written in the files the user named, not those of headers, as they stand there: the compiler puts
/// static functions behind their first use.
pub(crate) fn own_functions(program: &Program, units: &[SourceUnit]) -> Vec<FunctionId> {
    let unit_of = |function: &Function| {
        let path = Path::new(&program.files[function.span.file as usize].path);
        units.iter().position(|unit| unit.path == path)
    };
    let mut own: Vec<_> = (0..program.functions.len() as u32)
        .map(FunctionId)
        .filter_map(|id| {
            let function = program.function(id);
            let start = function.span.start;
            unit_of(function).map(|unit| (unit, start.line, start.column, id))
        })
        .collect();
    own.sort_unstable();
    own.into_iter().map(|(.., id)| id).collect()
}
