//! The symbolic build: a second shared object with a *twin* of every function that computes, beside every value,
//! which term of the input it is. The contract with the runtime is in [`wire::symbolic`].
//!
//! Twins use the variables of the image and keep pointing to its functions, so that an input means the same in
//! both, down to the value of every pointer; only calls go from twin to twin.

mod calls;
mod helpers;
mod instrument;
mod library;
mod memory;
mod shade;
mod sites;
mod variadic;

use crate::BuildError;
use crate::checks;
use crate::clang::Clang;
use crate::contracts;
use crate::divisions;
use crate::ir;
use crate::link::write_object;
use crate::probe::{self, pointer_type};
use crate::program::{Built, parse, target_machine};
use crate::runtime::Runtime;
use crate::shifts;
use crate::trampoline::{RestPlace, TrampolineBuilder, declare_like};
use crate::undefined;
use crate::unit::{FileTable, UnitBuilder, UnitInfo, loop_heads, name_hash, profile_name, strip_profiling};
use crate::whole;
use helpers::Helpers;
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{FunctionValue, GlobalValue};
use instrument::{Decisions, Instrumenter};
use sites::Sites;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use wire::symbolic::{LossSite, TWIN_SUFFIX, TWINS};

/// A finished symbolic build.
#[derive(Clone, Debug)]
pub struct Symbolic {
    /// The shared object; it needs the image.
    pub object: PathBuf,
    /// Places where precision may be lost.
    pub sites: Vec<LossSite>,
    /// Functions outside of the program that the twins know: those with a twin, and those that do not return.
    pub known: HashSet<String>,
}

/// Functions that end the run, and the one whose result is a term.
const ENDS: [&str; 7] = ["abort", "exit", "_exit", "_Exit", "__assert_fail", "bwp_require", "bwp_elements"];

/// Builds the twins of a program below `work`.
///
/// # Errors
/// When LLVM or the linker fails.
pub fn build_symbolic(built: &Built, clang: &Clang, work: &Path) -> Result<Symbolic, BuildError> {
    let machine = target_machine(OptimizationLevel::Less)?;
    let library = library::functions()?;
    let externals = built.program.functions.iter().flat_map(|f| f.externals.iter().cloned());
    let called: HashSet<String> = externals.filter(|name| library.contains(name)).collect();
    let mut job = Job {
        built,
        machine: &machine,
        twins: built
            .program
            .functions
            .iter()
            .map(|f| f.symbol.clone())
            .chain(library.iter().cloned())
            .collect(),
        sites: Sites::default(),
        next_branch: 0,
        work,
    };
    let mut objects = Vec::new();
    for (number, bitcode) in built.bitcode.iter().enumerate() {
        objects.extend(job.unit(number, bitcode)?);
    }
    if !called.is_empty() {
        objects.push(job.library(&called)?);
    }
    objects.push(job.list_of_twins()?);
    let object = work.join("symbolic.so");
    objects.push(built.image.clone());
    clang.link(&objects, &built.link_flags, &object)?;
    let known = library.into_iter().chain(ENDS.map(str::to_owned)).collect();
    Ok(Symbolic { object, sites: job.sites.list, known })
}

struct Job<'a> {
    built: &'a Built,
    machine: &'a TargetMachine,
    /// Names in the image of all functions with a twin.
    twins: HashSet<String>,
    sites: Sites,
    next_branch: u32,
    work: &'a Path,
}

impl Job<'_> {
    fn unit(&mut self, number: usize, bitcode: &Path) -> Result<[PathBuf; 2], BuildError> {
        let context = Context::create();
        let module = parse(&context, bitcode)?;
        let builder = context.create_builder();
        let mut files = FileTable::default();
        let redirected = self.built.redirected_in(number);
        let is_own = number < self.built.own_units;
        let guards = self.built.guards_for(number);
        let mut unit = UnitBuilder {
            module: &module,
            builder: &builder,
            machine: self.machine,
            number,
            ambiguous: &self.built.ambiguous,
            files: &mut files,
            next_branch: &mut self.next_branch,
            redirected: &redirected,
            is_own,
            guards: &guards,
            decisions: self.built.decisions.get(number),
            data_flow: false,
        };
        // Copies of functions that another unit defines: the twin is there.
        unit.passes("elim-avail-extern,function(mem2reg)")?;
        contracts::insert_checks(&module, &builder, &guards)?;
        whole::redirect(&module, unit.redirected);
        let mappings = unit.read_mappings()?;
        let defined = unit.defined();
        unit.rename_variables(&mut UnitInfo::default());
        defined.iter().for_each(|&f| drop(unit.rename_function(f)));
        defined.iter().for_each(|&f| undefined::define(f));
        defined.iter().try_for_each(|&f| shifts::define(f, &builder))?;
        defined.iter().try_for_each(|&f| checks::tighten(f, &builder))?;
        let analyses: Vec<_> = defined
            .iter()
            .map(|&function| {
                let mapping = profile_name(function).and_then(|name| mappings.get(&name_hash(&name)));
                unit.analyse(function, mapping)
            })
            .collect();
        self.divert(&module, &defined);
        let variables = variables(&module);
        let runtime = Runtime::borrowed(&module, &builder)?;
        let helpers = Helpers::new(&module, &builder)?;
        let heads: Vec<_> = analyses.iter().map(|a| loop_heads(&a.scan)).collect();
        {
            let data = self.machine.get_target_data();
            let mut instrumenter = Instrumenter::new(&module, &builder, &data, &helpers, &mut self.sites);
            for (&function, analysis) in defined.iter().zip(&analyses) {
                instrumenter.function(function, &Decisions::of(analysis))?;
            }
        }
        for (analysis, heads) in analyses.iter().zip(&heads) {
            probe::insert_ticks(&analysis.scan, heads, &builder, &runtime)?;
        }
        runtime.interpose(&builder)?;
        drop(analyses);
        defined.iter().try_for_each(|&f| checks::report(f, &builder, &runtime))?;
        defined.iter().try_for_each(|&f| divisions::define(&module, f, &builder))?;
        strip_profiling(&module);
        borrow(&module, &variables);
        let name = format!("symbolic{number}.o");
        let object = match self.built.is_library(number) {
            true => self.finish_quickly(&module, &name)?,
            false => self.finish(&module, &name)?,
        };
        Ok([object, self.trampolines(number, &context, &module)?])
    }

    /// Makes an object of what is large and seldom runs long.
    fn finish_quickly(&self, module: &Module<'_>, name: &str) -> Result<PathBuf, BuildError> {
        module.strip_debug_info();
        module.verify().map_err(|e| BuildError::Internal(format!("symbolic module: {e}")))?;
        let path = self.work.join(name);
        write_object(&target_machine(OptimizationLevel::None)?, module, &path)?;
        Ok(path)
    }

    pub(super) fn finish(&self, module: &Module<'_>, name: &str) -> Result<PathBuf, BuildError> {
        // Faults are told from runs of the image; lines of twins interest nobody.
        module.strip_debug_info();
        module.verify().map_err(|e| BuildError::Internal(format!("symbolic module: {e}")))?;
        module
            .run_passes("default<O1>", self.machine, inkwell::passes::PassBuilderOptions::create())
            .map_err(|e| BuildError::Internal(format!("LLVM passes: {e}")))?;
        let path = self.work.join(name);
        write_object(self.machine, module, &path)?;
        Ok(path)
    }

    /// Calls go to twins; every other use of a function, such as taking its address, stays with the image.
    pub(super) fn divert<'c>(&self, module: &Module<'c>, defined: &[FunctionValue<'c>]) {
        for &function in defined {
            let symbol = function.get_name().to_string_lossy().into_owned();
            let calls = ir::direct_calls(function);
            function.as_global_value().set_name(&format!("{symbol}{TWIN_SUFFIX}"));
            let original = module.add_function(&symbol, function.get_type(), None);
            ir::replace_function(function, original);
            let twin = function.as_global_value().as_pointer_value();
            calls.into_iter().for_each(|call| ir::set_called(call, twin));
        }
        let elsewhere: Vec<FunctionValue<'c>> = module
            .get_functions()
            .filter(|f| f.count_basic_blocks() == 0)
            .filter(|f| self.twins.contains(&*f.get_name().to_string_lossy()))
            .collect();
        for function in elsewhere {
            let calls = ir::direct_calls(function);
            if calls.is_empty() {
                continue;
            }
            let name = format!("{}{TWIN_SUFFIX}", function.get_name().to_string_lossy());
            let twin = module
                .get_function(&name)
                .unwrap_or_else(|| module.add_function(&name, function.get_type(), None));
            let twin = twin.as_global_value().as_pointer_value();
            calls.into_iter().for_each(|call| ir::set_called(call, twin));
        }
    }

    /// Trampolines load the arguments, so they carry shadows too.
    fn trampolines<'c>(
        &mut self,
        number: usize,
        context: &'c Context,
        unit: &Module<'c>,
    ) -> Result<PathBuf, BuildError> {
        let module = context.create_module("symbolic calls");
        module.set_triple(&unit.get_triple());
        module.set_data_layout(&unit.get_data_layout());
        let builder = context.create_builder();
        let data = self.machine.get_target_data();
        let program = &self.built.program;
        let maker =
            TrampolineBuilder { module: &module, builder: &builder, data: &data, types: &program.types };
        for function in program.functions.iter().filter(|f| f.uncallable.is_none()) {
            let symbol = format!("{}{TWIN_SUFFIX}", function.symbol);
            let Some(compiled) = unit.get_function(&symbol).filter(|f| f.count_basic_blocks() > 0) else {
                continue;
            };
            let declared = declare_like(&module, compiled, &symbol);
            // What could be called in the image can be called here.
            let rest = function.rest.map(RestPlace::from);
            let made = function.made.iter().map(|&(param, recipe)| {
                (param, format!("{}{TWIN_SUFFIX}", program.recipes[recipe as usize].symbol))
            });
            let _ = maker.build(declared, &symbol, &function.params, &made.collect(), rest)?;
        }
        let built: Vec<FunctionValue<'c>> =
            module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect();
        let helpers = Helpers::new(&module, &builder)?;
        let mut instrumenter = Instrumenter::new(&module, &builder, &data, &helpers, &mut self.sites);
        for function in built {
            instrumenter.function(function, &Decisions::default())?;
        }
        self.finish(&module, &format!("symbolic_calls{number}.o"))
    }

    /// Pairs `(function, twin)` for calls through pointers.
    fn list_of_twins(&self) -> Result<PathBuf, BuildError> {
        let context = Context::create();
        let module = context.create_module("twins");
        let pointer = pointer_type(module.get_context());
        let ty = context.void_type().fn_type(&[], false);
        let mut pairs = Vec::new();
        for function in &self.built.program.functions {
            let twin = format!("{}{TWIN_SUFFIX}", function.symbol);
            for name in [&function.symbol, &twin] {
                let declared = module.add_function(name, ty, None);
                pairs.push(declared.as_global_value().as_pointer_value());
            }
        }
        pairs.push(pointer.const_null());
        let list = module.add_global(pointer.array_type(pairs.len() as u32), None, TWINS);
        list.set_initializer(&pointer.const_array(&pairs));
        let path = self.work.join("twins.o");
        write_object(self.machine, &module, &path)?;
        Ok(path)
    }
}

/// The variables of a unit that have a name; asked before instrumentation adds its own.
fn variables(module: &Module<'_>) -> HashSet<String> {
    module
        .get_globals()
        .filter(|g| g.get_initializer().is_some() && g.get_linkage() != Linkage::Private)
        .map(|g| g.get_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with("llvm."))
        .collect()
}

/// The variables live in the image; only nameless constants are repeated. A new declaration takes the place of each
/// definition, which believes itself to be local.
fn borrow(module: &Module<'_>, variables: &HashSet<String>) {
    let own: Vec<GlobalValue<'_>> =
        module.get_globals().filter(|g| variables.contains(&*g.get_name().to_string_lossy())).collect();
    for global in own {
        let Ok(ty) = BasicTypeEnum::try_from(global.get_value_type()) else { continue };
        let name = global.get_name().to_string_lossy().into_owned();
        global.set_name("");
        let borrowed = module.add_global(ty, None, &name);
        borrowed.set_alignment(global.get_alignment());
        borrowed.set_thread_local_mode(global.get_thread_local_mode());
        ir::replace_global(global, borrowed);
        ir::delete_global(global);
    }
}
