//! Streams in memory for units: a function that takes a `FILE *` or opens a file reads an input.
//!
//! In tests such a stream comes from `fmemopen`, and the C library reads it. In the image everything that takes a
//! `FILE *` goes to `program/memory.c`, which does the same in code that has a twin, so that what was read is a term of
//! the input. What it is given by the library, such as `stderr`, it hands back to the library.

use crate::BuildError;
use crate::program::{parse, target_machine};
use crate::whole::{self, REDIRECTION};
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::module::Linkage;
use inkwell::passes::PassBuilderOptions;
use model::{Handle, Type, TypeId, TypeKind, Types, stream};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What begins so stands in for functions of the library that take or return streams. Stubs use it too, and have names
/// of their own.
pub(crate) const STREAMS: &str = "bws_";

/// The function whose result says what a stream is made of.
const DESCRIBES: &str = "bwp_source_of_stream";

/// `program/memory.c`, without copies of small functions, which would make the twins of the large ones enormous.
const BITCODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/memory.bc"));

/// What stubs need beside the units.
const ALWAYS: [&str; 2] = ["fmemopen", "fclose"];

/// Streams in memory, compiled.
pub(crate) struct Streams {
    pub(crate) bitcode: PathBuf,
    /// The library's functions that they stand in for.
    pub(crate) names: HashSet<String>,
}

impl Streams {
    /// For units that need these names; `None` if they have no streams.
    pub(crate) fn new(
        units: &[PathBuf],
        needed: &HashSet<String>,
        work: &Path,
    ) -> Result<Option<Streams>, BuildError> {
        let mut any = false;
        for unit in units {
            any |= mentions_streams(unit)?;
        }
        if !any {
            return Ok(None);
        }
        let bitcode = work.join("streams.bc");
        whole::write(&bitcode, BITCODE)?;
        let is_needed = |name: &str| ALWAYS.contains(&name) || needed.contains(name);
        let names = reduce(&bitcode, is_needed)?;
        Ok(Some(Streams { bitcode, names }))
    }
}

/// What the source calls a function with this symbol.
pub(crate) fn source_name(symbol: String) -> String {
    match symbol.strip_prefix(STREAMS) {
        Some(name) => format!("{REDIRECTION}{name}"),
        None => symbol,
    }
}

/// Whether debug information speaks of streams; its strings stand in bitcode as they are.
fn mentions_streams(bitcode: &Path) -> Result<bool, BuildError> {
    let failed = |source| BuildError::Io { path: bitcode.display().to_string(), source };
    let tag = Handle::Stream.library_tag().as_bytes();
    Ok(std::fs::read(bitcode).map_err(failed)?.windows(tag.len()).any(|window| window == tag))
}

/// Throws away what nobody needs, and gives the rest its names. Returns what it stands in for.
fn reduce(bitcode: &Path, is_needed: impl Fn(&str) -> bool) -> Result<HashSet<String>, BuildError> {
    let internal = |why: String| BuildError::Internal(format!("streams: {why}"));
    let context = Context::create();
    let module = parse(&context, bitcode)?;
    let mut names = HashSet::new();
    for function in module.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        let symbol = function.get_name().to_string_lossy().into_owned();
        match symbol.strip_prefix(REDIRECTION).filter(|name| is_needed(name)) {
            Some(name) => {
                function.as_global_value().set_name(&format!("{STREAMS}{name}"));
                names.insert(name.to_owned());
            }
            None => function.set_linkage(Linkage::Internal),
        }
    }
    let machine = target_machine(OptimizationLevel::None)?;
    module
        .run_passes("globaldce", &machine, PassBuilderOptions::create())
        .map_err(|e| internal(e.to_string()))?;
    if module.write_bitcode_to_path(bitcode) {
        Ok(names)
    } else {
        Err(internal("cannot be written".to_owned()))
    }
}

/// Puts structures of ours where the library has its own: what inputs are made of. `functions` are names of functions
/// with their results.
pub(crate) fn adopt<'a>(types: &mut Types, functions: impl Iterator<Item = (&'a str, TypeId)>) {
    if let Some(own) = tagged(types, Handle::Directory.own_tag()) {
        replace(types, Handle::Directory, own);
    }
    let described = functions.filter(|(name, _)| *name == DESCRIBES).find_map(|(_, ret)| told(types, ret));
    if let Some(own) = described {
        replace(types, Handle::Stream, own);
    }
}

fn tagged(types: &Types, tag: &str) -> Option<Type> {
    let is_it = |ty: &Type| {
        matches!(ty.kind, TypeKind::Struct { fields: Some(_) }) && ty.name.as_deref() == Some(tag)
    };
    types.iter().find(|(_, ty)| is_it(ty)).map(|(_, ty)| ty.clone())
}

/// The structure behind a pointer with those members only that inputs tell or tests look at.
fn told(types: &Types, pointer: TypeId) -> Option<Type> {
    let TypeKind::Pointer { to } = types.resolved(pointer).kind else { return None };
    let mut own = types.resolved(to).clone();
    let TypeKind::Struct { fields: Some(fields) } = &mut own.kind else { return None };
    fields.retain(|field| field.name.as_deref().is_some_and(|name| stream::MEMBERS.contains(&name)));
    Some(own)
}

fn replace(types: &mut Types, handle: Handle, own: Type) {
    let own = Type { name: Some(handle.own_tag().to_owned()), ..own };
    let is_library = |ty: &Type| {
        matches!(ty.kind, TypeKind::Struct { .. }) && ty.name.as_deref() == Some(handle.library_tag())
    };
    let places: Vec<TypeId> = types.iter().filter(|(_, ty)| is_library(ty)).map(|(id, _)| id).collect();
    places.into_iter().for_each(|id| types.set(id, own.clone()));
}
