//! Twins of functions of the C library; see `library/library.c`.

use super::Job;
use super::helpers::Helpers;
use super::instrument::{Decisions, Instrumenter};
use super::shade::Shades;
use crate::BuildError;
use crate::runtime::Runtime;
use inkwell::attributes::{Attribute, AttributeLoc};
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

/// Returns its argument, which from then on does not depend on the input.
pub(super) const CONCRETE: &str = "bw_concrete";
/// Notes what must hold for the term of a result to be the whole truth.
pub(super) const ASSUME: &str = "bw_assume";
/// Bytes left in an object.
pub(super) const ROOM: &str = "bw_room";

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
        self.divert(&module, &functions);
        let runtime = Runtime::borrowed(&module, &builder)?;
        let helpers = Helpers::new(&module, &builder)?;
        let data = self.machine.get_target_data();
        let mut instrumenter = Instrumenter {
            module: &module,
            builder: &builder,
            data: &data,
            helpers: &helpers,
            sites: &mut self.sites,
            shades: Shades::new(module.get_context()),
        };
        for &function in &functions {
            instrumenter.function(function, &Decisions::default())?;
        }
        runtime.interpose(&builder)?;
        define_markers(&module, &builder, &helpers)?;
        self.finish(&module, "symbolic_library.o")
    }
}

/// The markers have done their work: one is the identity, one nothing, and one asks the runtime.
fn define_markers<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    helpers: &Helpers<'c>,
) -> Result<(), BuilderError> {
    for name in [CONCRETE, ASSUME, ROOM] {
        let Some(marker) = module.get_function(name) else { continue };
        let context = module.get_context();
        builder.position_at_end(context.append_basic_block(marker, "entry"));
        let value = match marker.get_first_param() {
            Some(value) if name == CONCRETE => Some(value),
            Some(address) if name == ROOM => helpers.call(builder, SymbolicSlot::Room, &[address.into()])?,
            _ => None,
        };
        match value {
            Some(value) => builder.build_return(Some(&value))?,
            None => builder.build_return(None)?,
        };
        marker.set_linkage(Linkage::Internal);
        let kind = Attribute::get_named_enum_kind_id("alwaysinline");
        marker.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
    }
    Ok(())
}
