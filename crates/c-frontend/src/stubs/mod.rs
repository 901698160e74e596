//! Stubs: C text that stands in for what the units use and nobody defines.
//!
//! A stub is written for the unit that needs it and compiled behind the unit's own text, where all its types are
//! known. Of what comes out, all but the stubs is thrown away: the unit itself is compiled as ever, and its lines,
//! goals and counters do not know of stubs. Tests include the unit's source, so the same text serves there.

mod callbacks;
mod declaration;
mod text;

use crate::BuildError;
use crate::clang::{Clang, ClangError, SourceUnit, for_all};
use crate::ir;
use crate::program::{parse, read_debug_info, target_machine};
use crate::unit::strip_profiling;
pub(crate) use callbacks::{Callback, of as callbacks_of};
use declaration::Declaration;
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use model::{TypeId, TypeKind, Types};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use text::Known;
pub(crate) use text::Text;

/// Makes stubs for one unit after the other.
pub(crate) struct Maker<'a> {
    pub(crate) clang: &'a Clang,
    pub(crate) work: &'a Path,
    /// The program frees memory.
    pub(crate) frees: bool,
    /// Names in use, in any unit.
    pub(crate) names: HashSet<String>,
    /// What the stubs made so far define.
    pub(crate) defined: HashSet<String>,
}

/// The stubs of a unit.
#[derive(Default)]
pub(crate) struct Made {
    /// Name of what is stubbed, the text, and what it defines.
    pub(crate) stubs: Vec<(String, Text)>,
    /// Those of them that pointers may lead to.
    pub(crate) callbacks: Vec<String>,
    /// Their code, without what an earlier unit's stubs define already; `None` if nothing is left.
    pub(crate) bitcode: Option<PathBuf>,
}

/// A piece of text that is compiled behind a unit.
type Piece = (String, Text);

impl Maker<'_> {
    /// Makes stubs for those of `names` that the unit declares in a way that a stub can follow, and for what pointers to
    /// functions lead to.
    pub(crate) fn make(
        &mut self,
        number: usize,
        unit: &SourceUnit,
        names: &[String],
        callbacks: &[Callback],
        types: &Types,
    ) -> Result<Made, BuildError> {
        let dumps = for_all(names, |name| self.clang.declarations(unit, name));
        let mut declared = BTreeMap::new();
        for (name, dump) in names.iter().zip(dumps) {
            if let Some(declaration) = declaration::read(&dump?, name) {
                declared.insert(name.clone(), declaration);
            }
        }
        let wrapper = Wrapper { clang: self.clang, unit, work: self.work, number };
        let mut written = self.write(&wrapper, &declared)?;
        let known = Known { types, frees: self.frees, names: &self.names };
        written.extend(callbacks.iter().filter_map(|c| Some((c.name.clone(), text::callback(&known, c)?))));
        let bitcode = self.work.join(format!("stubs{number}.bc"));
        let stubs = wrapper.compile(written, &bitcode)?;
        let is_callback = |name: &&String| callbacks.iter().any(|callback| callback.name == **name);
        let callbacks = stubs.iter().map(|(name, _)| name).filter(is_callback).cloned().collect();
        let new: HashSet<String> = stubs
            .iter()
            .filter(|(name, _)| !self.defined.contains(name))
            .flat_map(|(_, text)| text.defines.clone())
            .collect();
        if new.is_empty() {
            return Ok(Made { stubs, callbacks, bitcode: None });
        }
        keep_only(&bitcode, &new)?;
        self.defined.extend(new);
        Ok(Made { stubs, callbacks, bitcode: Some(bitcode) })
    }

    /// The text of the stubs, compiled or not.
    fn write(
        &self,
        wrapper: &Wrapper<'_>,
        declared: &BTreeMap<String, Declaration>,
    ) -> Result<Vec<Piece>, BuildError> {
        let (types, functions) = wrapper.function_types(declared)?;
        let known = Known { types: &types, frees: self.frees, names: &self.names };
        let mut written = Vec::new();
        for (name, declaration) in declared {
            let text = match declaration {
                Declaration::Variable(spelling) => Some(text::variable(name, spelling)),
                Declaration::Function(prototype) => functions
                    .get(name)
                    .and_then(|(result, params)| text::function(&known, name, prototype, *result, params)),
            };
            written.extend(text.map(|text| (name.clone(), text)));
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
    /// The types of declared functions: each is made the type of a variable, which debug information describes.
    fn function_types(
        &self,
        declared: &BTreeMap<String, Declaration>,
    ) -> Result<(Types, FunctionTypes), BuildError> {
        const PREFIX: &str = "branchwise_type_of_";
        let functions = declared.iter().filter(|(_, d)| matches!(d, Declaration::Function(_)));
        let variables = functions.map(|(name, _)| {
            let text = format!("__typeof__({name}) *{PREFIX}{name};\n");
            (name.clone(), Text { text, defines: vec![format!("{PREFIX}{name}")] })
        });
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
        let include = if path.contains('"') { format!("<{path}>") } else { format!("\"{path}\"") };
        let shown = path.replace('\\', "\\\\").replace('"', "\\\"");
        let texts: String = pieces.iter().map(|(_, piece)| piece.text.as_str()).collect();
        format!("#include {include}\n#line 1 \"{shown} (stubs)\"\n{texts}")
    }
}

/// Throws away what defines none of these names, and what only that needs.
fn keep_only(bitcode: &Path, names: &HashSet<String>) -> Result<(), BuildError> {
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
