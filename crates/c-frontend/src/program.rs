//! The whole build, step by step: compile, instrument, link (`link.rs`), put the model together (`assemble.rs`).

use crate::BuildError;
use crate::assemble::Assembler;
use crate::bundle::{Bundle, BundledUnit};
use crate::clang::{Clang, SourceUnit, for_all};
use crate::contracts::{self, Guards};
use crate::decisions::{self, Described};
use crate::dwarf::{self, DebugFunction, DebugGlobal, DebugInfo};
use crate::ir;
use crate::link::{Linker, is_link_flag, link, write_object};
use crate::streams::{self, Streams};
use crate::stubs::{Draft, Made, Maker, Surroundings, Wanted, callbacks_of, handle_tags, maker_symbol};
use crate::trampoline::{RestPlace, TrampolineBuilder, declare_like, parameter_offsets};
use crate::unit::{FileTable, UnitBuilder, UnitInfo, read_mappings, strip_profiling};
use crate::whole::Redirections;
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use model::{Param, Program, Recipe, Stub, TypeId, Types};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A finished build.
#[derive(Debug)]
pub struct Built {
    /// What is known about the program.
    pub program: Program,
    /// The shared object for the worker.
    pub image: PathBuf,
    /// The units before instrumentation, for proofs.
    pub(crate) bitcode: Vec<PathBuf>,
    /// External names that several units define.
    pub(crate) ambiguous: HashSet<String>,
    /// The user's flags for the linker.
    pub(crate) link_flags: Vec<String>,
    /// Library functions and variables that others take the place of.
    pub(crate) redirected: Redirections,
    /// Units of the program; those behind them are its surroundings.
    pub(crate) own_units: usize,
    /// Units that are no stubs; those behind them are.
    pub(crate) real_units: usize,
    pub(crate) guards: Guards,
    /// Mappings with decisions, unit by unit; empty unless these are goals.
    pub(crate) decisions: Vec<Described>,
}

impl Built {
    /// Guards for the calls of a unit, see [`Guards::seen_from`].
    pub(crate) fn guards_for(&self, unit: usize) -> HashMap<String, String> {
        match unit < self.own_units {
            true => self.guards.seen_from(unit, &self.ambiguous),
            false => HashMap::new(),
        }
    }

    /// Whether the unit with this number stands in for the library.
    pub(crate) fn is_library(&self, unit: usize) -> bool {
        is_library(&self.redirected, unit, self.own_units, self.real_units)
    }

    /// What others stand in for in the unit with this number.
    pub(crate) fn redirected_in(&self, unit: usize) -> Redirections {
        redirected_in(&self.redirected, unit, self.own_units, self.real_units)
    }
}

/// Whether a unit stands in for the library: neither one of the program, nor a stub, nor what begins a program.
fn is_library(redirected: &Redirections, unit: usize, own: usize, real: usize) -> bool {
    !redirected.is_whole && (own..real).contains(&unit)
}

fn redirected_in(redirected: &Redirections, unit: usize, own: usize, real: usize) -> Redirections {
    match unit {
        _ if unit < own => redirected.clone(),
        _ if unit < real => Redirections::default(),
        _ => redirected.of_stubs(),
    }
}

/// Units that the compiler has seen.
#[derive(Debug)]
pub struct Compiled {
    /// The sources.
    pub units: Vec<SourceUnit>,
    /// Their bitcode.
    pub(crate) bitcode: Vec<PathBuf>,
    /// The user's flags for the linker.
    pub link_flags: Vec<String>,
}

impl Compiled {
    /// Compiles sources, with bitcode below `work`.
    ///
    /// # Errors
    /// When a source is rejected or clang is missing.
    pub fn sources(units: &[SourceUnit], clang: &Clang, work: &Path) -> Result<Compiled, BuildError> {
        let bitcode = bitcode_paths(units.len(), work);
        clang.compile_all(units, &bitcode).into_iter().collect::<Result<(), _>>()?;
        let link_flags = units.iter().flat_map(|u| u.flags.clone()).filter(|f| is_link_flag(f)).collect();
        Ok(Compiled { units: units.to_vec(), bitcode, link_flags })
    }

    /// Takes what a program carries.
    ///
    /// # Errors
    /// When files cannot be written.
    pub fn bundle(bundle: &Bundle, work: &Path) -> Result<Compiled, BuildError> {
        let bitcode = bitcode_paths(bundle.units.len(), work);
        for (unit, path) in bundle.units.iter().zip(&bitcode) {
            let failed = |source| BuildError::Io { path: path.display().to_string(), source };
            std::fs::write(path, &unit.bitcode).map_err(failed)?;
        }
        let units = bundle.units.iter().map(BundledUnit::to_source).collect();
        Ok(Compiled { units, bitcode, link_flags: bundle.link_flags.clone() })
    }

    /// Compiles the sources of a program again.
    ///
    /// # Errors
    /// When a source is rejected, is not there any more, or clang is missing.
    pub fn again(bundle: &Bundle, clang: &Clang, work: &Path) -> Result<Compiled, BuildError> {
        let units: Vec<SourceUnit> = bundle.units.iter().map(BundledUnit::to_source).collect();
        let compiled = Compiled::sources(&units, clang, work)?;
        Ok(Compiled { link_flags: bundle.link_flags.clone(), ..compiled })
    }
}

fn bitcode_paths(count: usize, work: &Path) -> Vec<PathBuf> {
    (0..count).map(|i| work.join(format!("unit{i}.bc"))).collect()
}

/// What stands between the units and the machine.
#[derive(Default)]
pub(crate) struct Around {
    pub(crate) bitcode: Vec<PathBuf>,
    /// What nobody defines gets stubs.
    pub(crate) stubs: Option<Surroundings>,
    /// Names of the library that stand for others.
    pub(crate) redirected: Redirections,
}

/// What is learnt from one unit.
pub(crate) struct UnitResult {
    pub(crate) info: UnitInfo,
    pub(crate) functions: Vec<DebugFunction>,
    pub(crate) globals: Vec<DebugGlobal>,
    /// What is pointed to anywhere in the unit.
    pub(crate) pointees: Vec<TypeId>,
    /// The types that its debug information speaks of.
    pub(crate) types: Range<u32>,
    /// The unit that arguments of its functions are made for.
    pub(crate) made_for: Option<usize>,
    /// The functions that make them.
    pub(crate) makers: BTreeSet<String>,
    /// Why functions cannot be called, by symbol.
    pub(crate) uncallable: HashMap<String, String>,
    pub(crate) objects: Vec<PathBuf>,
    /// Holds stubs of the unit with this main file.
    pub(crate) stubs_of: Option<u32>,
    /// Holds guards of the unit with this main file.
    pub(crate) guards_of: Option<u32>,
}

/// Builds the units into one image below `work`.
///
/// # Errors
/// When a source is rejected, a tool is missing or files cannot be written.
pub fn build(units: &[SourceUnit], clang: &Clang, work: &Path) -> Result<Built, BuildError> {
    put_together(Compiled::sources(units, clang, work)?, Around::default(), clang, work)
}

/// The same, with stubs for what nobody defines and for what asks the machine, and with what callers promise.
///
/// # Errors
/// When a source or a precondition is rejected, a tool is missing or files cannot be written.
pub fn build_with_stubs(
    units: &[SourceUnit],
    surroundings: Surroundings,
    clang: &Clang,
    work: &Path,
) -> Result<Built, BuildError> {
    let around = Around { stubs: Some(surroundings), ..Around::default() };
    put_together(Compiled::sources(units, clang, work)?, around, clang, work)
}

/// Builds what a program carries into one image below `work`.
///
/// # Errors
/// When a tool is missing or files cannot be written.
pub fn build_bundle(bundle: &Bundle, clang: &Clang, work: &Path) -> Result<Built, BuildError> {
    put_together(Compiled::bundle(bundle, work)?, Around::default(), clang, work)
}

/// Everything after the compiler.
pub(crate) fn put_together(
    compiled: Compiled,
    around: Around,
    clang: &Clang,
    work: &Path,
) -> Result<Built, BuildError> {
    let Compiled { units, mut bitcode, link_flags } = compiled;
    let Around { bitcode: around, mut redirected, stubs: surroundings } = around;
    bitcode.extend(around);
    let machine = target_machine(OptimizationLevel::Less)?;
    let mut files = FileTable::default();
    for unit in &units {
        files.index(&unit.path.to_string_lossy());
    }
    let ambiguous = if units.len() > 1 { ambiguous_names(&bitcode)? } else { HashSet::new() };
    let guards = match &surroundings {
        Some(Surroundings { contracts, .. }) => {
            contracts::make(&units, &bitcode, contracts, &ambiguous, clang, work)?
        }
        None => Guards::default(),
    };
    let decisions = match &surroundings {
        Some(Surroundings { decisions: true, bitwise, .. }) => {
            describe_decisions(&units, *bitwise, clang, work)?
        }
        _ => Vec::new(),
    };
    let mut maker = match &surroundings {
        Some(surroundings) => Some(Maker::new(&units, &bitcode, surroundings, clang, work)?),
        None => None,
    };
    let mut made = Vec::new();
    if let Some(maker) = &mut maker {
        (redirected.names, made) = maker.control()?;
        if let Some(streams) = Streams::new(&bitcode, &maker.needed(), work)? {
            bitcode.push(streams.bitcode);
            redirected.streams = streams.names;
        }
    }
    let mut job = UnitJob {
        machine: &machine,
        ambiguous: &ambiguous,
        files,
        next_branch: 0,
        types: Types::default(),
        redirected: &redirected,
        own_units: units.len(),
        real_units: bitcode.len(),
        guards: &guards,
        decisions: &decisions,
        data_flow: surroundings.as_ref().is_some_and(|surroundings| surroundings.data_flow),
        work,
    };
    let mut results = Vec::new();
    for (number, path) in bitcode.iter().enumerate() {
        let unit = (maker.is_some() && number < units.len()).then_some(number);
        results.push(job.run_described(number, path, path, unit)?);
    }
    for code in &guards.bitcode {
        let file = job.files.index(&units[code.unit].path.to_string_lossy());
        let result = job.run_described(bitcode.len(), &code.bitcode, &code.described, Some(code.unit))?;
        results.push(UnitResult { guards_of: Some(file), ..result });
        bitcode.push(code.bitcode.clone());
    }
    let mut stubs = add_stubs(made, &units, &mut job, &mut results, &mut bitcode)?;
    let recipes = match &mut maker {
        Some(maker) => add_recipes(maker, &units, &mut job, &mut results, &mut bitcode)?,
        None => Vec::new(),
    };
    let image = work.join("target.so");
    let linker = Linker { clang, machine: &machine, flags: &link_flags, work };
    let mut undefined = link(&linker, &results, &image)?;
    if let Some(maker) = &mut maker {
        let made = maker.define(&wanted(&results[..units.len()], &undefined, &job.types))?;
        let defined = add_stubs(made, &units, &mut job, &mut results, &mut bitcode)?;
        if !defined.is_empty() {
            undefined = link(&linker, &results, &image)?;
        }
        stubs.extend(defined);
    }
    let UnitJob { mut types, files, next_branch, real_units, .. } = job;
    hide_registers(&mut types);
    let functions = results.iter().skip(units.len()).flat_map(|result| &result.functions);
    streams::adopt(&mut types, functions.map(|function| (function.name.as_str(), function.ret)));
    let assembler = Assembler {
        types,
        rest_type: None,
        files,
        units: &units,
        results: &results,
        stubs,
        recipes,
        guards: &guards,
        ambiguous: &ambiguous,
    };
    let program = assembler.assemble(next_branch, undefined)?;
    let own_units = units.len();
    Ok(Built {
        program,
        image,
        bitcode,
        ambiguous,
        link_flags,
        redirected,
        own_units,
        real_units,
        guards,
        decisions,
    })
}

/// The mappings of units with their decisions. What counts them makes code that is hard to take apart, so it is compiled apart.
fn describe_decisions(
    units: &[SourceUnit],
    bitwise: bool,
    clang: &Clang,
    work: &Path,
) -> Result<Vec<Described>, BuildError> {
    let jobs: Vec<(usize, &SourceUnit)> = units.iter().enumerate().collect();
    let described = for_all(&jobs, |&(number, unit)| {
        let output = work.join(format!("decisions{number}.bc"));
        clang.compile_with_decisions(unit, &output)?;
        let mut mappings = read_mappings(&parse(&Context::create(), &output)?)?;
        decisions::constants::ask(clang, unit, &mut mappings, &work.join(format!("constants{number}")))?;
        let bitwise = if bitwise { decisions::syntax::read(clang, unit)? } else { Vec::new() };
        Ok(Described { mappings, bitwise })
    });
    described.into_iter().collect()
}

/// Adds the code of stubs to that of the units.
fn add_stubs(
    made: Vec<Made>,
    units: &[SourceUnit],
    job: &mut UnitJob<'_>,
    results: &mut Vec<UnitResult>,
    bitcode: &mut Vec<PathBuf>,
) -> Result<Vec<Stub>, BuildError> {
    let mut stubs = Vec::new();
    for Made { unit, pieces, bitcode: code } in made {
        let file = job.files.index(&units[unit].path.to_string_lossy());
        let callbacks = pieces.iter().filter(|piece| piece.is_callback).map(|piece| piece.name.clone());
        let callbacks: HashSet<String> = callbacks.collect();
        stubs.extend(pieces.into_iter().map(|piece| piece.into_stub(file)));
        if let Some(path) = code {
            let mut result = job.run(bitcode.len(), &path)?;
            // Pointers may lead there, so their addresses are as good as taken.
            let taken = result.info.functions.iter().filter(|f| callbacks.contains(&f.name));
            let taken: Vec<_> = taken.map(|f| (f.symbol.clone(), f.ty.clone())).collect();
            result.info.taken.extend(taken);
            results.push(UnitResult { stubs_of: Some(file), ..result });
            bitcode.push(path);
        }
    }
    Ok(stubs)
}

/// Adds the code that makes objects for units which cannot. Who has no recipe gets what the input points to.
fn add_recipes(
    maker: &mut Maker<'_>,
    units: &[SourceUnit],
    job: &mut UnitJob<'_>,
    results: &mut Vec<UnitResult>,
    bitcode: &mut Vec<PathBuf>,
) -> Result<Vec<Draft>, BuildError> {
    let mut recipes = Vec::new();
    for (made, drafts) in maker.handles(&results[..units.len()], &job.types)? {
        // Tests have the calls themselves.
        add_stubs(vec![made], units, job, results, bitcode)?;
        let functions = results.last().into_iter().flat_map(|result| &result.functions);
        let taken: HashMap<&str, TypeId> =
            functions.filter_map(|f| Some((f.name.as_str(), f.params.first()?.1))).collect();
        recipes.extend(drafts.into_iter().filter_map(|Draft { unit, recipe }| {
            let ty = *taken.get(recipe.symbol.as_str())?;
            Some(Draft { unit, recipe: Recipe { ty, ..recipe } })
        }));
    }
    let has_recipe = |symbol: &String| recipes.iter().any(|draft| draft.recipe.symbol == *symbol);
    let wanted: BTreeSet<String> = results
        .iter()
        .flat_map(|result| &result.makers)
        .filter(|symbol| !has_recipe(symbol))
        .cloned()
        .collect();
    if let Some(first) = results.first_mut().filter(|_| !wanted.is_empty()) {
        first.objects.push(hand_on(job.machine, &wanted, job.work)?);
    }
    Ok(recipes)
}

/// An object with functions of these names that return what they are given.
fn hand_on(machine: &TargetMachine, names: &BTreeSet<String>, work: &Path) -> Result<PathBuf, BuildError> {
    let context = Context::create();
    let module = context.create_module("makers");
    let builder = context.create_builder();
    let pointer = context.ptr_type(inkwell::AddressSpace::default());
    for name in names {
        let function = module.add_function(name, pointer.fn_type(&[pointer.into()], false), None);
        builder.position_at_end(context.append_basic_block(function, "entry"));
        builder.build_return(Some(&function.get_nth_param(0).expect("one parameter")))?;
    }
    let path = work.join("makers.o");
    write_object(machine, &module, &path)?;
    Ok(path)
}

/// The functions that make the arguments for parameters, by the numbers of these, when a unit calls them its own.
pub(crate) fn makers(types: &Types, unit: usize, params: &[Param]) -> HashMap<u32, String> {
    let tags = params.iter().map(|param| types.handle_tag(param.ty));
    (0..).zip(tags).filter_map(|(number, tag)| Some((number, maker_symbol(unit, tag?)))).collect()
}

/// What is to be made for units: definitions for names that nobody defines, and functions for pointers to lead to.
fn wanted<'a>(units: &[UnitResult], undefined: &'a [String], types: &'a Types) -> Wanted<'a> {
    let names = units.iter().flat_map(|r| {
        let defined = r.info.functions.iter().map(|f| &f.name).chain(r.info.variables.keys());
        defined.chain(r.info.needs.iter().map(|(name, _)| name)).cloned()
    });
    let names: HashSet<String> = names.collect();
    let callbacks = units.iter().map(|unit| callbacks_of(types, &unit.functions, &names)).collect();
    Wanted { undefined, names, callbacks, types }
}

/// External names that more than one unit defines: two programs in one folder, say.
fn ambiguous_names(bitcode: &[PathBuf]) -> Result<HashSet<String>, BuildError> {
    let mut seen = HashSet::new();
    let mut twice = HashSet::new();
    for path in bitcode {
        let context = Context::create();
        let module = parse(&context, path)?;
        let functions =
            module.get_functions().filter(|f| f.count_basic_blocks() > 0).map(|f| f.as_global_value());
        for global in functions.chain(module.get_globals().filter(|g| g.get_initializer().is_some())) {
            use inkwell::module::Linkage;
            let name = global.get_name().to_string_lossy().into_owned();
            if global.get_linkage() == Linkage::External && !seen.insert(name.clone()) {
                twice.insert(name);
            }
        }
    }
    Ok(twice)
}

pub(crate) fn parse<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, BuildError> {
    let buffer = MemoryBuffer::create_from_file(path)
        .map_err(|e| BuildError::Internal(format!("cannot read {}: {e}", path.display())))?;
    Module::parse_bitcode_from_buffer(&buffer, context)
        .map_err(|e| BuildError::Internal(format!("bitcode of {}: {e}", path.display())))
}

pub(crate) fn target_machine(level: OptimizationLevel) -> Result<TargetMachine, BuildError> {
    Target::initialize_x86(&InitializationConfig::default());
    ir::make_frames_at_once();
    let triple = TargetTriple::create("x86_64-pc-linux-gnu");
    Target::from_triple(&triple)
        .map_err(|e| BuildError::Internal(e.to_string()))?
        .create_target_machine(&triple, "x86-64", "", level, RelocMode::PIC, CodeModel::Default)
        .ok_or_else(|| BuildError::Internal("LLVM has no x86-64 target".into()))
}

/// A `jmp_buf` holds saved registers: nothing a test could supply or check.
fn hide_registers(types: &mut Types) {
    let buffers: Vec<_> = types
        .iter()
        .filter(|(_, t)| t.name.as_deref() == Some("__jmp_buf_tag"))
        .map(|(id, t)| (id, t.clone()))
        .collect();
    for (id, buffer) in buffers {
        types.set(id, model::Type { kind: model::TypeKind::Struct { fields: Some(Vec::new()) }, ..buffer });
    }
}

/// Types, parameters and globals, read from an object that no pass has touched: optimised code forgets
/// parameters.
pub(crate) fn read_debug_info(
    context: &Context,
    bitcode: &Path,
    types: &mut Types,
) -> Result<DebugInfo, BuildError> {
    let module = parse(context, bitcode)?;
    strip_profiling(&module);
    let machine = target_machine(OptimizationLevel::None)?;
    let object = machine
        .write_to_memory_buffer(&module, FileType::Object)
        .map_err(|e| BuildError::Internal(format!("code generation: {e}")))?;
    dwarf::read(object.as_slice(), types).map_err(|e| BuildError::Debug(e.to_string()))
}

/// Instruments unit after unit.
struct UnitJob<'a> {
    machine: &'a TargetMachine,
    ambiguous: &'a HashSet<String>,
    files: FileTable,
    next_branch: u32,
    types: Types,
    redirected: &'a Redirections,
    /// Units of the program; those behind them are its surroundings.
    own_units: usize,
    /// Units that are no stubs; those behind them are.
    real_units: usize,
    guards: &'a Guards,
    decisions: &'a [Described],
    data_flow: bool,
    work: &'a Path,
}

impl UnitJob<'_> {
    fn run(&mut self, number: usize, bitcode: &Path) -> Result<UnitResult, BuildError> {
        self.run_described(number, bitcode, bitcode, None)
    }

    /// The same where debug information is to be found elsewhere, and where objects are to be made for `unit`.
    fn run_described(
        &mut self,
        number: usize,
        bitcode: &Path,
        described: &Path,
        unit: Option<usize>,
    ) -> Result<UnitResult, BuildError> {
        let context = Context::create();
        let first_type = self.types.len() as u32;
        let debug = read_debug_info(&context, described, &mut self.types)?;
        let types = first_type..self.types.len() as u32;
        let redirected = redirected_in(self.redirected, number, self.own_units, self.real_units);
        let is_own = number < self.own_units;
        let is_library = is_library(self.redirected, number, self.own_units, self.real_units);
        let module = parse(&context, bitcode)?;
        if is_library {
            // A fault in it is one of who called it.
            module.strip_debug_info();
        }
        let builder = context.create_builder();
        let guards = if is_own { self.guards.seen_from(number, self.ambiguous) } else { HashMap::new() };
        let info = UnitBuilder {
            module: &module,
            builder: &builder,
            machine: self.machine,
            number,
            ambiguous: self.ambiguous,
            files: &mut self.files,
            next_branch: &mut self.next_branch,
            redirected: &redirected,
            is_own,
            guards: &guards,
            decisions: self.decisions.get(number),
            data_flow: self.data_flow && is_own,
        }
        .instrument()?;
        let object = self.work.join(format!("unit{number}.o"));
        write_object(self.machine, &module, &object)?;
        let calls = self.work.join(format!("calls{number}.o"));
        let mut objects = vec![object];
        let mut uncallable = HashMap::new();
        if is_library {
            let reason = || "it stands in for the library".to_owned();
            uncallable.extend(info.functions.iter().map(|function| (function.symbol.clone(), reason())));
        } else {
            uncallable = self.trampolines(&context, &module, &info, &debug.functions, unit, &calls)?;
            objects.push(calls);
        }
        let tags = if unit.is_some() { handle_tags(&self.types, &debug.functions) } else { BTreeSet::new() };
        let makers = unit.map(|unit| tags.into_iter().map(|tag| maker_symbol(unit, tag)).collect());
        Ok(UnitResult {
            info,
            made_for: unit,
            makers: makers.unwrap_or_default(),
            functions: debug.functions,
            globals: debug.globals,
            pointees: debug.pointees,
            types,
            uncallable,
            objects,
            stubs_of: None,
            guards_of: None,
        })
    }

    /// Trampolines stand in a module of their own, so that the unit's module can be optimised first.
    fn trampolines<'c>(
        &self,
        context: &'c Context,
        unit: &Module<'c>,
        info: &UnitInfo,
        debug: &[DebugFunction],
        unit_number: Option<usize>,
        output: &Path,
    ) -> Result<HashMap<String, String>, BuildError> {
        let module = context.create_module("calls");
        module.set_triple(&unit.get_triple());
        module.set_data_layout(&unit.get_data_layout());
        let builder = context.create_builder();
        let data = self.machine.get_target_data();
        let trampolines =
            TrampolineBuilder { module: &module, builder: &builder, data: &data, types: &self.types };
        let mut uncallable = HashMap::new();
        for function in &info.functions {
            let Some(compiled) = unit.get_function(&function.symbol) else { continue };
            let Some(debug) = debug.iter().find(|d| d.is_called(&function.name)) else { continue };
            let declared = declare_like(&module, compiled, &function.symbol);
            let params = parameter_offsets(&self.types, &debug.params);
            let rest = RestPlace::of(&self.types, &params, debug.ret, debug.variadic);
            let makers = unit_number.map(|unit| makers(&self.types, unit, &params)).unwrap_or_default();
            if let Err(reason) = trampolines.build(declared, &function.symbol, &params, &makers, rest)? {
                uncallable.insert(function.symbol.clone(), reason);
            }
        }
        module.verify().map_err(|e| BuildError::Internal(format!("trampolines: {e}")))?;
        write_object(self.machine, &module, output)?;
        Ok(uncallable)
    }
}
