//! From modules to objects, and from objects to an image.

use crate::BuildError;
use crate::clang::{Clang, ClangError, is_binary};
use crate::program::UnitResult;
use crate::runtime::Runtime;
use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Writes the code of a module.
pub(crate) fn write_object(
    machine: &TargetMachine,
    module: &Module<'_>,
    path: &Path,
) -> Result<(), BuildError> {
    keep_frame_pointers(module);
    machine.write_to_file(module, FileType::Object, path).map_err(|e| BuildError::Io {
        path: path.display().to_string(),
        source: std::io::Error::other(e.to_string()),
    })
}

/// The worker follows them from a fault up to the function under test, whatever the user's flags say.
fn keep_frame_pointers(module: &Module<'_>) {
    let attribute = module.get_context().create_string_attribute("frame-pointer", "all");
    for function in module.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        function.add_attribute(AttributeLoc::Function, attribute);
    }
}

/// Whether a flag is for the linker.
pub(crate) fn is_link_flag(flag: &str) -> bool {
    ["-l", "-L", "-Wl,", "-pthread"].iter().any(|prefix| flag.starts_with(prefix)) || is_binary(flag)
}

/// What links an image.
pub(crate) struct Linker<'a> {
    pub(crate) clang: &'a Clang,
    pub(crate) machine: &'a TargetMachine,
    pub(crate) flags: &'a [String],
    pub(crate) work: &'a Path,
}

/// Links the image. Names that nobody defines are given definitions that report the call; they are returned.
pub(crate) fn link(
    linker: &Linker<'_>,
    results: &[UnitResult],
    image: &Path,
) -> Result<Vec<String>, BuildError> {
    let mut strict = linker.flags.to_vec();
    // A name may look like one of C++.
    strict.extend(["-Wl,--no-undefined".into(), "-Wl,--no-demangle".into()]);
    let mut objects: Vec<PathBuf> = results.iter().flat_map(|r| r.objects.clone()).collect();
    let own = objects.len();
    let mut missing = BTreeSet::new();
    loop {
        let Err(error) = linker.clang.link(&objects, &strict, image) else {
            return Ok(missing.into_iter().collect());
        };
        let ClangError::Unlinkable { diagnostics } = &error else { return Err(error.into()) };
        // A linker may stop at the first name it cannot do without, so it is asked until it names no more.
        let known = missing.len();
        missing.extend(undefined_names(diagnostics));
        if missing.len() == known {
            return Err(error.into());
        }
        objects.truncate(own);
        objects.push(define(linker, &missing, results)?);
    }
}

/// Whether a name that units need is that of a variable.
pub(crate) fn is_variable(results: &[UnitResult], name: &str) -> bool {
    results.iter().any(|r| r.info.needs.contains(&(name.to_owned(), true)))
}

/// An object with definitions for names that nobody defines.
fn define(
    linker: &Linker<'_>,
    missing: &BTreeSet<String>,
    results: &[UnitResult],
) -> Result<PathBuf, BuildError> {
    let missing: Vec<(String, bool)> =
        missing.iter().map(|name| (name.clone(), is_variable(results, name))).collect();
    let path = linker.work.join("missing.o");
    let context = Context::create();
    let module = context.create_module("missing");
    let builder = context.create_builder();
    Runtime::new(&module, &builder)?.define_missing(&builder, &missing)?;
    write_object(linker.machine, &module, &path)?;
    Ok(path)
}

/// The names a linker complains about: `undefined symbol: x` (lld) or ``undefined reference to `x'`` (GNU ld).
fn undefined_names(diagnostics: &str) -> BTreeSet<String> {
    diagnostics
        .lines()
        .filter_map(|line| {
            if let Some((_, name)) = line.split_once("undefined symbol: ") {
                return Some(name.trim().to_owned());
            }
            let (_, rest) = line.split_once("undefined reference to `")?;
            rest.split('\'').next().map(str::to_owned)
        })
        .collect()
}
