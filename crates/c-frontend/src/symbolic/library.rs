//! Twins of functions of the C library; see `library/library.c`.

use super::Job;
use super::helpers::Helpers;
use super::instrument::{Decisions, Instrumenter};
use crate::BuildError;
use crate::runtime::Runtime;
use crate::undefined;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::values::FunctionValue;
use std::collections::HashSet;
use std::path::PathBuf;
use wire::symbolic::SymbolicSlot;

const BITCODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bc"));

/// Bytes left in an object.
pub(super) const ROOM: &str = "bw_room";
/// What the library calls to be stopped where there is no end of a string; nobody asks for its result.
pub(super) const WALK: &str = "__rawmemchr";

fn parse(context: &Context) -> Result<Module<'_>, BuildError> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(BITCODE, "library");
    Module::parse_bitcode_from_buffer(&buffer, context)
        .map_err(|e| BuildError::Internal(format!("the library: {e}")))
}

/// Names of the functions that have a twin here.
pub(super) fn functions() -> Result<Vec<String>, BuildError> {
    let context = Context::create();
    let module = parse(&context)?;
    Ok(defined(&module)
        .iter()
        .filter(|f| f.get_linkage() == Linkage::External)
        .map(|f| f.get_name().to_string_lossy().into_owned())
        .collect())
}

fn defined<'c>(module: &Module<'c>) -> Vec<FunctionValue<'c>> {
    module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect()
}

impl Job<'_> {
    /// The object with the twins of those functions that are called, and of what they call.
    pub(super) fn library(&mut self, called: &HashSet<String>) -> Result<PathBuf, BuildError> {
        let context = Context::create();
        let module = parse(&context)?;
        for function in defined(&module) {
            if !called.contains(&*function.get_name().to_string_lossy()) {
                function.set_linkage(Linkage::Internal);
            }
        }
        module
            .run_passes("globaldce", self.machine, PassBuilderOptions::create())
            .map_err(|e| BuildError::Internal(format!("LLVM passes: {e}")))?;
        let builder = context.create_builder();
        let functions = defined(&module);
        functions.iter().for_each(|&f| crate::unit::forget_promises(f));
        functions.iter().for_each(|&f| undefined::define(f));
        self.divert(&module, &functions);
        let runtime = Runtime::borrowed(&module, &builder)?;
        let helpers = Helpers::new(&module, &builder)?;
        let data = self.machine.get_target_data();
        let mut instrumenter = Instrumenter::new(&module, &builder, &data, &helpers, &mut self.sites);
        for &function in &functions {
            instrumenter.function(function, &Decisions::default())?;
        }
        runtime.interpose(&builder)?;
        define_room(&module, &builder, &helpers)?;
        self.finish(&module, "symbolic_library.o")
    }
}

/// The library asks the runtime how much room there is.
fn define_room<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    helpers: &Helpers<'c>,
) -> Result<(), BuilderError> {
    let Some((room, address)) = module.get_function(ROOM).and_then(|f| Some((f, f.get_first_param()?)))
    else {
        return Ok(());
    };
    builder.position_at_end(module.get_context().append_basic_block(room, "entry"));
    match helpers.call(builder, SymbolicSlot::Room, &[address.into()])? {
        Some(bytes) => builder.build_return(Some(&bytes))?,
        None => builder.build_return(None)?,
    };
    room.set_linkage(Linkage::Internal);
    Ok(())
}
