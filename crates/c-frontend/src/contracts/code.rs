//! The code of guards, and the calls of them.

use super::Defined;
use crate::BuildError;
use crate::ir;
use crate::program::{parse, target_machine};
use crate::stubs::keep_only;
use inkwell::OptimizationLevel;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum};
use inkwell::values::{BasicMetadataValueEnum, FunctionValue, GlobalValue};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// What a function or variable of a unit is called in the image.
pub(super) fn symbol(name: &str, is_static: bool, unit: usize, ambiguous: &HashSet<String>) -> String {
    match is_static || name == "main" || ambiguous.contains(name) {
        true => format!("{name}.bw{unit}"),
        false => name.to_owned(),
    }
}

/// Makes what the compiler gave, the unit and its guards, into guards that belong to the unit in the image: variables
/// and addresses of functions are those of the image, and what is called is put in its place. At `described` is left what
/// debug information can be read from.
pub(super) fn finish(
    bitcode: &Path,
    described: &Path,
    unit: usize,
    defined: &Defined,
    ambiguous: &HashSet<String>,
    guards: &HashSet<String>,
) -> Result<(), BuildError> {
    let internal = |why: String| BuildError::Internal(format!("guards: {why}"));
    let context = inkwell::context::Context::create();
    let module = parse(&context, bitcode)?;
    let named = |name: &str, is_static: bool| symbol(name, is_static, unit, ambiguous);
    borrow_variables(&module, defined, &named);
    borrow_addresses(&module, defined, guards, &named);
    if !module.write_bitcode_to_path(bitcode) {
        return Err(internal("cannot be written".to_owned()));
    }
    keep_only(bitcode, guards)?;
    // The passes forget parameters that are not used.
    std::fs::copy(bitcode, described)
        .map_err(|source| BuildError::Io { path: described.display().to_string(), source })?;
    let module = parse(&context, bitcode)?;
    inline(&module, guards);
    let machine = target_machine(OptimizationLevel::None)?;
    module.run_passes(PASSES, &machine, PassBuilderOptions::create()).map_err(|e| internal(e.to_string()))?;
    if module.write_bitcode_to_path(bitcode) { Ok(()) } else { Err(internal("cannot be written".to_owned())) }
}

/// A condition on the result of a called function becomes jumps on that function's own conditions.
const PASSES: &str = "always-inline,function(sroa,early-cse,jump-threading),globaldce";

/// Variables live in the unit; only what it does not have is repeated.
fn borrow_variables(module: &Module<'_>, defined: &Defined, named: &dyn Fn(&str, bool) -> String) {
    let own: Vec<(GlobalValue<'_>, String)> = module
        .get_globals()
        .filter(|g| g.get_initializer().is_some() && g.get_linkage() != Linkage::Private)
        .map(|g| (g, g.get_name().to_string_lossy().into_owned()))
        .filter(|(_, name)| !name.starts_with("llvm.") && defined.variables.contains(name))
        .collect();
    for (global, name) in own {
        let Ok(ty) = BasicTypeEnum::try_from(global.get_value_type()) else { continue };
        let symbol = named(&name, global.get_linkage() == Linkage::Internal);
        global.set_name("");
        let borrowed = module.add_global(ty, None, &symbol);
        borrowed.set_alignment(global.get_alignment());
        borrowed.set_thread_local_mode(global.get_thread_local_mode());
        ir::replace_global(global, borrowed);
        ir::delete_global(global);
    }
}

/// Calls go to copies; every other use of a function, such as taking its address, means that of the image.
fn borrow_addresses(
    module: &Module<'_>,
    defined: &Defined,
    guards: &HashSet<String>,
    named: &dyn Fn(&str, bool) -> String,
) {
    let copies: Vec<FunctionValue<'_>> = module
        .get_functions()
        .filter(|f| f.count_basic_blocks() > 0 && !guards.contains(&*f.get_name().to_string_lossy()))
        .collect();
    for function in copies {
        let name = function.get_name().to_string_lossy().into_owned();
        let Some(&is_static) = defined.functions.get(&name) else { continue };
        let calls = ir::direct_calls(function);
        function.as_global_value().set_name(&format!("{name}.copy"));
        let original = module.add_function(&named(&name, is_static), function.get_type(), None);
        ir::replace_function(function, original);
        let copy = function.as_global_value().as_pointer_value();
        calls.into_iter().for_each(|call| ir::set_called(call, copy));
    }
}

/// Asks for everything but the guards to be put where it is called; what calls itself is left as it is.
fn inline(module: &Module<'_>, guards: &HashSet<String>) {
    let context = module.get_context();
    let kind = |name: &str| Attribute::get_named_enum_kind_id(name);
    for function in module.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        if !guards.contains(&*function.get_name().to_string_lossy()) {
            function.remove_enum_attribute(AttributeLoc::Function, kind("noinline"));
            let always = context.create_enum_attribute(kind("alwaysinline"), 0);
            function.add_attribute(AttributeLoc::Function, always);
        }
    }
}

/// Puts a call of its guard before every call of a function that has one. `guards` has their names by the names of the
/// functions.
pub(crate) fn insert_checks<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    guards: &HashMap<String, String>,
) -> Result<(), BuildError> {
    let mut names: Vec<_> = guards.iter().collect();
    names.sort_unstable();
    for (name, guard) in names {
        let Some(function) = module.get_function(name) else { continue };
        let calls = ir::direct_calls(function);
        if calls.is_empty() {
            continue;
        }
        // The place of a large result comes first and is none of the guard's arguments.
        let sret = Attribute::get_named_enum_kind_id("sret");
        let skipped = u32::from(function.get_enum_attribute(AttributeLoc::Param(0), sret).is_some());
        let params: Vec<BasicMetadataTypeEnum<'c>> =
            function.get_type().get_param_types().into_iter().skip(skipped as usize).collect();
        let ty = module.get_context().void_type().fn_type(&params, false);
        let guard = module.get_function(guard).unwrap_or_else(|| module.add_function(guard, ty, None));
        for call in calls {
            let arguments: Vec<BasicMetadataValueEnum<'c>> =
                (skipped..).take(params.len()).filter_map(|i| ir::operand(call, i).map(Into::into)).collect();
            if arguments.len() != params.len() || ir::parameter_count(call) < params.len() {
                continue;
            }
            builder.position_before(&call);
            let check = builder.build_call(guard, &arguments, "")?;
            for index in 0..params.len() as u32 {
                for kind in ["byval", "zeroext", "signext", "align"] {
                    let kind = Attribute::get_named_enum_kind_id(kind);
                    let from = AttributeLoc::Param(index + skipped);
                    if let Some(attribute) = function.get_enum_attribute(from, kind) {
                        check.add_attribute(AttributeLoc::Param(index), attribute);
                    }
                }
            }
        }
    }
    Ok(())
}
