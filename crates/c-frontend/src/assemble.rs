//! The model of a program: what its units know, joined.

use crate::BuildError;
use crate::clang::SourceUnit;
use crate::contracts::{Guard, Guards};
use crate::dwarf::DebugFunction;
use crate::link::is_variable;
use crate::program::{UnitResult, makers};
use crate::reach::Closures;
use crate::stubs::Draft;
use crate::trampoline::{RestPlace, parameter_offsets};
use crate::unit::{FileTable, UnitFunction};
use model::{
    Contract, Function, FunctionId, Global, GlobalId, Param, Position, Program, Rest, SourceFile, Span, Stub,
    TypeId, TypeKind, Types, rest,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Joins what the units know.
pub(crate) struct Assembler<'a> {
    pub(crate) types: Types,
    /// Of what stands behind `...`, once some function takes it.
    pub(crate) rest_type: Option<TypeId>,
    pub(crate) files: FileTable,
    pub(crate) units: &'a [SourceUnit],
    pub(crate) results: &'a [UnitResult],
    pub(crate) stubs: Vec<Stub>,
    pub(crate) recipes: Vec<Draft>,
    pub(crate) guards: &'a Guards,
    pub(crate) ambiguous: &'a HashSet<String>,
}

impl Assembler<'_> {
    pub(crate) fn assemble(
        mut self,
        branch_count: u32,
        undefined: Vec<String>,
    ) -> Result<Program, BuildError> {
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
            left_out: function.left_out.clone(),
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
