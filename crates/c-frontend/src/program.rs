//! The whole build: compile, instrument, link, and put the model together.

use crate::BuildError;
use crate::bundle::{Bundle, BundledUnit};
use crate::clang::{Clang, ClangError, SourceUnit, for_all, is_binary};
use crate::contracts::{self, Guard, Guards};
use crate::dwarf::{self, DebugFunction, DebugGlobal, DebugInfo};
use crate::ir;
use crate::reach::Closures;
use crate::runtime::Runtime;
use crate::streams::{self, Streams};
use crate::stubs::{Draft, Made, Maker, Surroundings, Wanted, callbacks_of, handle_tags, maker_symbol};
use crate::trampoline::{RestPlace, TrampolineBuilder, declare_like, parameter_offsets};
use crate::unit::{FileTable, Mappings, UnitBuilder, UnitFunction, UnitInfo, read_mappings, strip_profiling};
use crate::whole::Redirections;
use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use model::{
    Contract, Function, FunctionId, Global, GlobalId, Param, Position, Program, Recipe, Rest, SourceFile,
    Span, Stub, TypeId, TypeKind, Types, rest,
};
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
    pub(crate) decisions: Vec<Mappings>,
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
    globals: Vec<DebugGlobal>,
    /// What is pointed to anywhere in the unit.
    pointees: Vec<TypeId>,
    /// The types that its debug information speaks of.
    types: Range<u32>,
    /// The unit that arguments of its functions are made for.
    made_for: Option<usize>,
    /// The functions that make them.
    makers: BTreeSet<String>,
    /// Why functions cannot be called, by symbol.
    uncallable: HashMap<String, String>,
    objects: Vec<PathBuf>,
    /// Holds stubs of the unit with this main file.
    pub(crate) stubs_of: Option<u32>,
    /// Holds guards of the unit with this main file.
    guards_of: Option<u32>,
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
        Some(Surroundings { decisions: true, .. }) => describe_decisions(&units, clang, work)?,
        _ => Vec::new(),
    };
    let mut maker = match &surroundings {
        Some(surroundings) => Some(Maker::new(&units, &bitcode, surroundings, clang, work)?),
        None => None,
    };
    let mut made = Vec::new();
    if let Some(maker) = &mut maker {
        (redirected.names, made) = maker.control()?;
        if let Some(streams) = Streams::new(&bitcode, &maker.needed(), clang, work)? {
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
fn describe_decisions(units: &[SourceUnit], clang: &Clang, work: &Path) -> Result<Vec<Mappings>, BuildError> {
    let outputs: Vec<PathBuf> = (0..units.len()).map(|i| work.join(format!("decisions{i}.bc"))).collect();
    let jobs: Vec<_> = units.iter().zip(&outputs).collect();
    let compiled = for_all(&jobs, |(unit, output)| clang.compile_with_decisions(unit, output));
    compiled.into_iter().collect::<Result<(), _>>()?;
    outputs.iter().map(|path| read_mappings(&parse(&Context::create(), path)?)).collect()
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
fn makers(types: &Types, unit: usize, params: &[Param]) -> HashMap<u32, String> {
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
    decisions: &'a [Mappings],
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

pub(crate) fn is_link_flag(flag: &str) -> bool {
    ["-l", "-L", "-Wl,", "-pthread"].iter().any(|prefix| flag.starts_with(prefix)) || is_binary(flag)
}

struct Linker<'a> {
    clang: &'a Clang,
    machine: &'a TargetMachine,
    flags: &'a [String],
    work: &'a Path,
}

/// Links the image. Names that nobody defines are given definitions that report the call; they are returned.
fn link(linker: &Linker<'_>, results: &[UnitResult], image: &Path) -> Result<Vec<String>, BuildError> {
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

fn is_variable(results: &[UnitResult], name: &str) -> bool {
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

/// Joins what the units know.
struct Assembler<'a> {
    types: Types,
    /// Of what stands behind `...`, once some function takes it.
    rest_type: Option<TypeId>,
    files: FileTable,
    units: &'a [SourceUnit],
    results: &'a [UnitResult],
    stubs: Vec<Stub>,
    recipes: Vec<Draft>,
    guards: &'a Guards,
    ambiguous: &'a HashSet<String>,
}

impl Assembler<'_> {
    fn assemble(mut self, branch_count: u32, undefined: Vec<String>) -> Result<Program, BuildError> {
        let globals = self.globals();
        let global_ids: HashMap<String, GlobalId> =
            globals.iter().enumerate().map(|(i, g)| (g.symbol.clone(), GlobalId(i as u32))).collect();
        let closures = Closures::new(self.results);
        let guards = self.guards;
        let guard_of: HashMap<String, &Guard> =
            guards.guards.iter().map(|guard| (guard.symbol(self.ambiguous), guard)).collect();
        let mut functions = Vec::new();
        let mut symbols = Vec::new();
        for (number, result) in self.results.iter().enumerate() {
            for function in &result.info.functions {
                if let Some(debug) = result.functions.iter().find(|d| d.is_called(&function.name)) {
                    let guard = guard_of.get(&function.symbol).map(|guard| guard.name.as_str());
                    let mut built = self.function(number, result, function, debug);
                    built.made = self.made(result.made_for, &built.params);
                    let makers = built
                        .made
                        .iter()
                        .map(|&(_, recipe)| self.recipes[recipe as usize].recipe.symbol.as_str());
                    let starts = std::iter::once(function.symbol.as_str()).chain(guard).chain(makers);
                    let reach = closures.from(starts);
                    if let Some(guard) = guards.guards.iter().find(|guard| guard.name == function.symbol) {
                        guard.expect_harmless(&reach.writes, &reach.stubs)?;
                    }
                    let ids = |names: &BTreeSet<String>| {
                        names
                            .iter()
                            .filter_map(|n| global_ids.get(n).copied())
                            .collect::<BTreeSet<_>>()
                            .into_iter()
                            .collect()
                    };
                    built.reads = ids(&reach.reads);
                    built.reads.retain(|&id| self.can_be_named(number, &globals[id.0 as usize]));
                    built.writes = ids(&reach.writes);
                    built.writes.retain(|&id| {
                        let global = &globals[id.0 as usize];
                        !self.feeds_stubs(global) && self.can_be_named(number, global)
                    });
                    built.hidden = self.hidden(&reach.reads, &built.reads, &global_ids);
                    built.stubs = reach.stubs.into_iter().filter(|stub| !self.is_maker(stub)).collect();
                    built.externals = reach.externals.into_iter().collect();
                    built.constants = reach.constants.into_iter().collect();
                    built.pointees = self.pointees(result, &reach.functions);
                    built.strings = reach.strings.into_iter().collect();
                    symbols.push((function.symbol.clone(), &function.usage));
                    functions.push(built);
                }
            }
        }
        let ids: HashMap<&str, FunctionId> =
            symbols.iter().enumerate().map(|(i, (s, _))| (s.as_str(), FunctionId(i as u32))).collect();
        let call_sites = closures.call_sites(&symbols, &ids);
        for (function, (_, usage)) in functions.iter_mut().zip(&symbols) {
            function.calls = usage.calls.iter().filter_map(|c| ids.get(c.as_str()).copied()).collect();
        }
        let contract = |(symbol, guard): (&String, &&Guard)| {
            let guarding = results_of(self.results).find(|f| f.symbol == guard.name)?;
            Some(guard.contract(
                *ids.get(symbol.as_str())?,
                *ids.get(guard.name.as_str())?,
                &guarding.returns,
            ))
        };
        let mut contracts: Vec<Contract> = guard_of.iter().filter_map(contract).collect();
        contracts.sort_unstable_by_key(|contract| contract.first);
        let files = self.files.paths.iter().map(|path| SourceFile { path: path.clone() }).collect();
        let undefined_variables =
            undefined.iter().filter(|name| is_variable(self.results, name)).cloned().collect();
        Ok(Program {
            types: self.types,
            files,
            functions,
            globals,
            branch_count,
            undefined,
            undefined_variables,
            stubs: self.stubs,
            recipes: self.recipes.into_iter().map(|draft| draft.recipe).collect(),
            contracts,
            call_sites,
        })
    }

    /// What these functions have pointers to, then what else is pointed to in the unit. A `void *` may lead there.
    fn pointees(&self, result: &UnitResult, functions: &[String]) -> Vec<TypeId> {
        let types = &self.types;
        let named = |symbol: &String| {
            let unit = self.results.iter().find(|r| r.info.functions.iter().any(|f| f.symbol == *symbol))?;
            let name = &unit.info.functions.iter().find(|f| f.symbol == *symbol)?.name;
            unit.functions.iter().find(|debug| debug.is_called(name))
        };
        let own = functions
            .iter()
            .filter_map(named)
            .flat_map(|f| f.locals.iter().chain(f.params.iter().map(|(_, ty)| ty)));
        let own = own.filter_map(|&ty| match types.resolved(ty).kind {
            TypeKind::Pointer { to } => Some(to),
            _ => None,
        });
        let mut found: Vec<TypeId> = Vec::new();
        let all = own.chain(result.pointees.iter().copied()).filter(|&ty| may_be_untyped(types, ty));
        for ty in all.filter_map(|ty| in_terms_of(types, &result.types, ty)) {
            if found.len() < MOST_POINTEES && !found.iter().any(|&other| types.are_same(other, ty)) {
                found.push(ty);
            }
        }
        found
    }

    /// The parameters of a unit's function that take what a recipe makes.
    fn made(&self, unit: Option<usize>, params: &[Param]) -> Vec<(u32, u32)> {
        let makers = unit.map(|unit| makers(&self.types, unit, params)).unwrap_or_default();
        let recipe = |symbol: &String| self.recipes.iter().position(|draft| draft.recipe.symbol == *symbol);
        let mut made: Vec<(u32, u32)> =
            makers.iter().filter_map(|(&param, symbol)| Some((param, recipe(symbol)? as u32))).collect();
        made.sort_unstable();
        made
    }

    fn is_maker(&self, symbol: &str) -> bool {
        self.recipes.iter().any(|draft| draft.recipe.symbol == symbol)
    }

    /// Whether stubs take values from a variable: what is left in it at the end is nobody's result.
    fn feeds_stubs(&self, global: &Global) -> bool {
        self.stubs.iter().any(|stub| stub.name != global.name && stub.defines.contains(&global.name))
    }

    /// The main file of the unit that a result belongs to, unless it is from around the program.
    fn main_file(&self, number: usize) -> Option<u32> {
        let of_unit = || {
            let path = self.units.get(number)?.path.to_string_lossy();
            self.files.paths.iter().position(|known| *known == path).map(|index| index as u32)
        };
        self.results[number].stubs_of.or_else(of_unit)
    }

    /// Whether tests of a unit can name a variable. Those that include its definition can; of the others, what is static
    /// is out of reach, what the unit uses is declared in it, and what needs no names of types can be declared. The rest is
    /// of types that the unit may not know.
    fn can_be_named(&self, number: usize, global: &Global) -> bool {
        let Some(file) = self.main_file(number) else { return true };
        let is_used = || self.results[number].info.needs.contains(&(global.name.clone(), true));
        let is_stubbed =
            || self.stubs.iter().any(|stub| stub.file == file && stub.defines.contains(&global.name));
        global.file == file
            || is_stubbed()
            || !global.is_static && (is_used() || is_basic(&self.types, global.ty))
    }

    /// Of the variables that are read those that change from run to run of the program, but are no inputs: statics of
    /// functions, and what tests cannot name.
    fn hidden(
        &self,
        read: &BTreeSet<String>,
        inputs: &[GlobalId],
        ids: &HashMap<String, GlobalId>,
    ) -> Vec<String> {
        let is_state = |symbol: &&String| self.results.iter().any(|r| r.info.state.contains(*symbol));
        let is_input = |symbol: &&String| ids.get(*symbol).is_some_and(|id| inputs.contains(id));
        let is_ours =
            |symbol: &&String| symbol.split_once('.').is_some_and(|(function, _)| self.is_maker(function));
        let read = read.iter().filter(is_state).filter(|symbol| !is_input(symbol) && !is_ours(symbol));
        read.cloned().collect()
    }

    fn globals(&mut self) -> Vec<Global> {
        let mut globals = Vec::new();
        for (number, result) in self.results.iter().enumerate() {
            let unit = self.main_file(number);
            for debug in &result.globals {
                let Some(symbol) = result.info.variables.get(&debug.name) else { continue };
                globals.push(Global {
                    name: debug.name.clone(),
                    symbol: symbol.clone(),
                    ty: debug.ty,
                    is_static: !debug.is_external,
                    file: unit.unwrap_or_else(|| self.files.index(&debug.file)),
                });
            }
        }
        globals
    }

    fn function(
        &mut self,
        number: usize,
        result: &UnitResult,
        function: &UnitFunction,
        debug: &DebugFunction,
    ) -> Function {
        let span = self.span(number, result, function, debug);
        let params = parameter_offsets(&self.types, &debug.params);
        let rest = RestPlace::of(&self.types, &params, debug.ret, debug.variadic);
        let rest = rest.map(|RestPlace { offset, list }| {
            let ty = *self.rest_type.get_or_insert_with(|| rest::add_type(&mut self.types));
            Rest { ty, offset, list }
        });
        Function {
            name: debug.name.clone(),
            symbol: function.symbol.clone(),
            span,
            is_static: function.is_static,
            variadic: debug.variadic,
            params,
            made: Vec::new(),
            rest,
            ret: debug.ret,
            branches: function.branches.clone(),
            decisions: function.decisions.clone(),
            cfg: function.cfg.clone(),
            data: function.data.clone(),
            reads: Vec::new(),
            hidden: Vec::new(),
            writes: Vec::new(),
            calls: Vec::new(),
            externals: Vec::new(),
            stubs: Vec::new(),
            uncallable: result.uncallable.get(&function.symbol).cloned(),
            constants: Vec::new(),
            pointees: Vec::new(),
            strings: Vec::new(),
        }
    }

    fn span(
        &mut self,
        number: usize,
        result: &UnitResult,
        function: &UnitFunction,
        debug: &DebugFunction,
    ) -> Span {
        if let Some(unit) = result.guards_of {
            // Copies of the unit's functions are none of its functions.
            let path = format!("{} (preconditions)", self.files.paths[unit as usize]);
            let position = Position { line: debug.line, column: 1 };
            return Span { file: self.files.index(&path), start: position, end: position };
        }
        match &function.body {
            Some((path, start, end)) => {
                let start = Position { line: debug.line.min(start.line).max(1), column: 1 };
                Span { file: self.files.index(path), start, end: *end }
            }
            None => {
                let position = Position { line: debug.line, column: 1 };
                let path = if debug.file.is_empty() {
                    self.units.get(number).map_or_else(String::new, |u| u.path.to_string_lossy().into_owned())
                } else {
                    debug.file.clone()
                };
                Span { file: self.files.index(&path), start: position, end: position }
            }
        }
    }
}

/// Types that a `void *` is tried with.
const MOST_POINTEES: usize = 12;

/// Whether a value of a type may be what a `void *` leads to: complete, with a name, and none of the C library's own.
fn may_be_untyped(types: &Types, ty: TypeId) -> bool {
    let is_private = |name: &Option<String>| name.as_deref().is_none_or(|name| name.starts_with('_'));
    match &types.resolved(ty).kind {
        TypeKind::Struct { fields: Some(_) } | TypeKind::Union { fields: Some(_) } => {
            !is_private(&types.get(ty).name) || !is_private(&types.resolved(ty).name)
        }
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float(_) | TypeKind::Enum { .. } => true,
        TypeKind::Pointer { to } => may_be_untyped(types, *to),
        _ => false,
    }
}

/// A type of the program as a test of a unit can name it; `own` are the unit's own types. Of another unit's that is a number,
/// or a structure that this one declares and a test can complete.
fn in_terms_of(types: &Types, own: &Range<u32>, ty: TypeId) -> Option<TypeId> {
    if own.contains(&ty.0) {
        return Some(ty);
    }
    let resolved = types.resolved(ty);
    let declares = || {
        let declared = own.clone().map(|id| types.get(TypeId(id)));
        declared
            .filter(|ty| matches!(ty.kind, TypeKind::Struct { fields: None }))
            .any(|ty| ty.name == resolved.name)
    };
    match resolved.kind {
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float(_) => Some(types.resolve(ty)),
        TypeKind::Struct { .. } if declares() && model::define(types, ty).is_some() => {
            Some(types.resolve(ty))
        }
        _ => None,
    }
}

/// All functions of units.
fn results_of(results: &[UnitResult]) -> impl Iterator<Item = &UnitFunction> {
    results.iter().flat_map(|result| &result.info.functions)
}

/// Whether a declaration of this type needs no names of the program.
fn is_basic(types: &Types, ty: TypeId) -> bool {
    match types.resolved(ty).kind {
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float(_) => true,
        TypeKind::Array { of, len: Some(_) } => is_basic(types, of),
        _ => false,
    }
}
