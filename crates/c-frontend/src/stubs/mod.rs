//! Stubs: C text that stands in for what the units use and nobody defines.
//!
//! A stub is written for the unit that needs it and compiled behind the unit's own text, where all its types are
//! known. Of what comes out, all but the stubs is thrown away: the unit itself is compiled as ever, and its lines,
//! goals and counters do not know of stubs. Tests include the unit's source, so the same text serves there.

mod callbacks;
mod controlled;
mod declaration;
mod handles;
mod text;

use crate::BuildError;
use crate::clang::{Clang, ClangError, SourceUnit, for_all};
use crate::contracts::Contracts;
use crate::ir;
use crate::program::{parse, read_debug_info, target_machine};
use crate::unit::strip_profiling;
use crate::whole::{Names, REDIRECTION};
pub(crate) use callbacks::{Callback, of as callbacks_of};
pub(crate) use declaration::{Declaration, read as read_declaration};
pub(crate) use handles::{Draft, maker_symbol, tags as handle_tags};
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use model::{Stub, TypeId, TypeKind, Types};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use text::Known;
use wire::abi::STUBS_FILE;

/// What surrounds the functions of units.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Surroundings {
    /// Functions of [`wire::abi::CONTROLLED`] that stay as they are.
    pub real: Vec<String>,
    /// An input says which allocation of a run fails.
    pub fail_alloc: bool,
    /// What callers promise.
    pub contracts: Contracts,
    /// The vectors of decisions are goals.
    pub decisions: bool,
    /// So are those of decisions with `&` and `|` of truth values.
    pub bitwise: bool,
    /// The data flow of functions is wanted.
    pub data_flow: bool,
}

/// C text that is compiled with a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// What it is for.
    pub(crate) name: String,
    /// Stands before the unit.
    pub(crate) before: String,
    /// Stands behind it.
    pub(crate) text: String,
    /// Names that it defines.
    pub(crate) defines: Vec<String>,
    /// Those of them that the library defines too.
    pub(crate) redirects: Vec<String>,
    /// It stands in for nothing: pointers may lead to it.
    pub(crate) is_callback: bool,
}

/// What is to be made beside stubs for what asks the machine.
pub(crate) struct Wanted<'a> {
    /// Names that nobody defines.
    pub(crate) undefined: &'a [String],
    /// Names in use.
    pub(crate) names: HashSet<String>,
    /// Functions for pointers to lead to, unit by unit.
    pub(crate) callbacks: Vec<Vec<Callback>>,
    /// Their types.
    pub(crate) types: &'a Types,
}

impl Piece {
    /// The stub of the unit with this main file.
    pub(crate) fn into_stub(self, file: u32) -> Stub {
        let Piece { name, before, text, defines, is_callback, .. } = self;
        Stub { name, file, before, text, defines, is_callback }
    }

    /// Symbols of what it defines.
    fn symbols(&self) -> impl Iterator<Item = String> + '_ {
        self.defines.iter().map(|name| match self.redirects.contains(name) {
            true => format!("{REDIRECTION}{name}"),
            false => name.clone(),
        })
    }
}

/// The stubs of a unit.
pub(crate) struct Made {
    /// Which one.
    pub(crate) unit: usize,
    /// Their text.
    pub(crate) pieces: Vec<Piece>,
    /// Their code, without what an earlier unit's stubs define already; `None` if nothing is left.
    pub(crate) bitcode: Option<PathBuf>,
}

/// Number of a unit, stubs that it accepts, and its code with them.
type Controlled = (usize, Vec<Piece>, PathBuf);

/// Makes stubs for one unit after the other.
pub(crate) struct Maker<'a> {
    units: &'a [SourceUnit],
    surroundings: &'a Surroundings,
    clang: &'a Clang,
    work: &'a Path,
    /// Names that each unit uses and does not define.
    needs: Vec<HashSet<String>>,
    /// Names that some unit defines.
    own: HashSet<String>,
    /// What the stubs made so far stand for.
    done: HashSet<String>,
}

impl<'a> Maker<'a> {
    /// For these units, with their bitcode.
    pub(crate) fn new(
        units: &'a [SourceUnit],
        bitcode: &[PathBuf],
        surroundings: &'a Surroundings,
        clang: &'a Clang,
        work: &'a Path,
    ) -> Result<Maker<'a>, BuildError> {
        let mut needs = Vec::new();
        let mut own = HashSet::new();
        for path in bitcode {
            let names = Names::of(std::slice::from_ref(path))?;
            needs.push(names.needed);
            own.extend(names.defined);
        }
        Ok(Maker { units, surroundings, clang, work, needs, own, done: HashSet::new() })
    }

    /// Names that the units use and do not define.
    pub(crate) fn needed(&self) -> HashSet<String> {
        self.needs.iter().flatten().filter(|name| !self.own.contains(*name)).cloned().collect()
    }

    /// Makes stubs for what asks the machine. Also returns the names that they take the place of.
    pub(crate) fn control(&mut self) -> Result<(HashSet<String>, Vec<Made>), BuildError> {
        let mut real: HashSet<String> = self.surroundings.real.iter().cloned().collect();
        let accepted = loop {
            let (accepted, rejected) = self.try_to_control(&real)?;
            if rejected.is_empty() {
                break accepted;
            }
            // Units that disagree about a function would call different ones.
            real.extend(rejected);
        };
        let mut made = Vec::new();
        for (number, pieces, bitcode) in accepted {
            made.push(self.finish(number, pieces, bitcode)?);
        }
        let redirected = made.iter().flat_map(|m| &m.pieces).flat_map(|p| p.redirects.clone()).collect();
        Ok((redirected, made))
    }

    /// Compiles stubs for what asks the machine, but for what is to stay real. Returns those of each unit and their code, and
    /// the names of those that a unit rejects.
    fn try_to_control(
        &self,
        real: &HashSet<String>,
    ) -> Result<(Vec<Controlled>, HashSet<String>), BuildError> {
        let is_wanted = |name: &&String| !self.own.contains(*name) && !real.contains(*name);
        let mut accepted = Vec::new();
        let mut rejected = HashSet::new();
        for number in 0..self.units.len() {
            let needed: Vec<String> = self.needs[number].iter().filter(is_wanted).cloned().collect();
            let mut pieces = controlled::pieces(&needed, real);
            if self.surroundings.fail_alloc {
                pieces.extend(controlled::allocation(&needed, &self.own));
            }
            if pieces.is_empty() {
                continue;
            }
            rejected.extend(pieces.iter().map(|piece| piece.name.clone()));
            let wrapper = self.wrapper(number);
            let bitcode = self.work.join(format!("controlled{number}.bc"));
            let good = wrapper.compile(pieces, &bitcode)?;
            good.iter().for_each(|piece| _ = rejected.remove(&piece.name));
            accepted.push((number, good, bitcode));
        }
        Ok((accepted, rejected))
    }

    /// Makes stubs for names that nobody defines, for every unit that declares them in a way that a stub can follow, and
    /// for what pointers to functions lead to.
    pub(crate) fn define(&mut self, wanted: &Wanted<'_>) -> Result<Vec<Made>, BuildError> {
        let mut made = Vec::new();
        for (number, callbacks) in wanted.callbacks.iter().enumerate() {
            let needed = wanted.undefined.iter().filter(|name| self.needs[number].contains(*name));
            let names: Vec<String> = needed.cloned().collect();
            if names.is_empty() && callbacks.is_empty() {
                continue;
            }
            let wrapper = self.wrapper(number);
            let mut pieces = self.write(&wrapper, &wrapper.declarations(&names)?, &wanted.names)?;
            let known = self.known(wanted.types, &wanted.names);
            pieces.extend(callbacks.iter().filter_map(|callback| text::callback(&known, callback)));
            let bitcode = self.work.join(format!("stubs{number}.bc"));
            let pieces = wrapper.compile(pieces, &bitcode)?;
            made.push(self.finish(number, pieces, bitcode)?);
        }
        Ok(made)
    }

    fn wrapper(&self, number: usize) -> Wrapper<'a> {
        Wrapper { clang: self.clang, unit: &self.units[number], work: self.work, number }
    }

    fn known<'k>(&self, types: &'k Types, names: &'k HashSet<String>) -> Known<'k> {
        let frees = self.needs.iter().any(|needed| needed.contains("free"));
        Known { types, frees, fail_alloc: self.surroundings.fail_alloc, names }
    }

    /// Keeps of the code of stubs what is new.
    fn finish(&mut self, unit: usize, pieces: Vec<Piece>, bitcode: PathBuf) -> Result<Made, BuildError> {
        let new = pieces.iter().filter(|piece| !self.done.contains(&piece.name));
        let symbols: HashSet<String> = new.flat_map(Piece::symbols).collect();
        self.done.extend(pieces.iter().map(|piece| piece.name.clone()));
        if symbols.is_empty() {
            return Ok(Made { unit, pieces, bitcode: None });
        }
        keep_only(&bitcode, &symbols)?;
        Ok(Made { unit, pieces, bitcode: Some(bitcode) })
    }

    /// The text of the stubs, compiled or not.
    fn write(
        &self,
        wrapper: &Wrapper<'_>,
        declared: &BTreeMap<String, Declaration>,
        names: &HashSet<String>,
    ) -> Result<Vec<Piece>, BuildError> {
        let declares_function = |d: &Declaration| matches!(d, Declaration::Function(_));
        let functions = declared.iter().filter(|(_, d)| declares_function(d)).map(|(name, _)| name);
        let (types, functions) = wrapper.function_types(functions)?;
        let known = self.known(&types, names);
        let mut written = Vec::new();
        for (name, declaration) in declared {
            let text = match declaration {
                Declaration::Variable(spelling) => Some(text::variable(name, spelling)),
                Declaration::Function(prototype) => functions
                    .get(name)
                    .and_then(|(result, params)| text::function(&known, name, prototype, *result, params)),
            };
            written.extend(text);
        }
        Ok(written)
    }
}

/// A unit with something behind it.
struct Wrapper<'a> {
    clang: &'a Clang,
    unit: &'a SourceUnit,
    work: &'a Path,
    number: usize,
}

/// Result and parameters of functions, by name.
type FunctionTypes = BTreeMap<String, (TypeId, Vec<TypeId>)>;

impl Wrapper<'_> {
    /// How the unit declares these names.
    fn declarations(&self, names: &[String]) -> Result<BTreeMap<String, Declaration>, BuildError> {
        let dumps = for_all(names, |name| self.clang.declarations(self.unit, name));
        let mut declared = BTreeMap::new();
        for (name, dump) in names.iter().zip(dumps) {
            if let Some(declaration) = declaration::read(&dump?, name) {
                declared.insert(name.clone(), declaration);
            }
        }
        Ok(declared)
    }

    /// The types of declared functions: each is made the type of a variable, which debug information describes.
    fn function_types<'n>(
        &self,
        names: impl Iterator<Item = &'n String>,
    ) -> Result<(Types, FunctionTypes), BuildError> {
        const PREFIX: &str = "branchwise_type_of_";
        let variables = names
            .map(|name| text::definition(name, format!("__typeof__({name}) *{PREFIX}{name};\n"), Vec::new()));
        let bitcode = self.work.join(format!("types{}.bc", self.number));
        let mut types = Types::default();
        let mut found = FunctionTypes::new();
        if self.compile(variables.collect(), &bitcode)?.is_empty() {
            return Ok((types, found));
        }
        let debug = read_debug_info(&Context::create(), &bitcode, &mut types)?;
        for global in debug.globals {
            let Some(name) = global.name.strip_prefix(PREFIX) else { continue };
            let TypeKind::Pointer { to } = types.resolved(global.ty).kind else { continue };
            if let TypeKind::Function { ret, params, .. } = &types.resolved(to).kind {
                found.insert(name.to_owned(), (*ret, params.clone()));
            }
        }
        Ok((types, found))
    }

    /// Compiles the unit with these pieces behind it. Pieces that the compiler rejects are left out.
    fn compile(&self, pieces: Vec<Piece>, output: &Path) -> Result<Vec<Piece>, BuildError> {
        if pieces.is_empty() || self.accepts(&pieces, output)? {
            return Ok(pieces);
        }
        let mut good = Vec::new();
        for piece in pieces {
            let alone = std::slice::from_ref(&piece);
            if self.accepts(alone, output)? {
                good.push(piece);
            }
        }
        Ok(if good.is_empty() || self.accepts(&good, output)? { good } else { Vec::new() })
    }

    fn accepts(&self, pieces: &[Piece], output: &Path) -> Result<bool, BuildError> {
        let path = self.work.join(format!("stubs{}.c", self.number));
        std::fs::write(&path, self.source(pieces))
            .map_err(|source| BuildError::Io { path: path.display().to_string(), source })?;
        let unit = SourceUnit { path, ..self.unit.clone() };
        match self.clang.compile_uncounted(&unit, output) {
            Ok(()) => Ok(true),
            Err(ClangError::Rejected { .. }) => Ok(false),
            Err(other) => Err(other.into()),
        }
    }

    /// The path of our own file is another one every time, and nobody is to see it.
    fn source(&self, pieces: &[Piece]) -> String {
        let path = self.unit.path.to_string_lossy();
        let include = including(&self.unit.path);
        let shown = path.replace('\\', "\\\\").replace('"', "\\\"");
        let before: String = pieces.iter().map(|piece| piece.before.as_str()).collect();
        let texts: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        format!("{before}{include}#line 1 \"{shown}{STUBS_FILE}\"\n{texts}")
    }
}

/// The line that includes a file. Between quotes nothing is escaped, so a path with a quote needs the other form.
pub(crate) fn including(path: &Path) -> String {
    let path = path.to_string_lossy();
    if path.contains('"') { format!("#include <{path}>\n") } else { format!("#include \"{path}\"\n") }
}

/// Throws away what defines none of these names, and what only that needs.
pub(crate) fn keep_only(bitcode: &Path, names: &HashSet<String>) -> Result<(), BuildError> {
    let internal = |why: String| BuildError::Internal(format!("stubs: {why}"));
    let context = Context::create();
    let module = parse(&context, bitcode)?;
    strip_profiling(&module);
    for list in ["llvm.global_ctors", "llvm.global_dtors"] {
        if let Some(list) = module.get_global(list) {
            ir::delete_global(list);
        }
    }
    hide_others(&module, names);
    let machine = target_machine(OptimizationLevel::None)?;
    module
        .run_passes("globaldce", &machine, PassBuilderOptions::create())
        .map_err(|e| internal(e.to_string()))?;
    if module.write_bitcode_to_path(bitcode) { Ok(()) } else { Err(internal("cannot be written".to_owned())) }
}

/// Makes everything but these names invisible outside of the module.
fn hide_others(module: &Module<'_>, names: &HashSet<String>) {
    let functions =
        module.get_functions().filter(|f| f.count_basic_blocks() > 0).map(|f| f.as_global_value());
    for global in functions.chain(module.get_globals().filter(|g| g.get_initializer().is_some())) {
        let is_kept = names.contains(&*global.get_name().to_string_lossy());
        if !is_kept && !matches!(global.get_linkage(), Linkage::Private | Linkage::Appending) {
            global.set_linkage(Linkage::Internal);
        }
    }
}
