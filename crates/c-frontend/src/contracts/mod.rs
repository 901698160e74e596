//! Preconditions: what callers of a function promise, as expressions of C or as functions of the user's own.
//!
//! A function with a precondition gets a *guard*: a function of the same parameters that returns if all clauses hold
//! and otherwise ends the run. It is compiled behind the unit's own text, as stubs are, so that it knows all the unit
//! knows. The back end calls it before the function under test; calls inside of the program are preceded by one as well.
//!
//! What a clause calls is put into the guard ([`code::inline`]): its conditions guide a search like any others.

mod code;
mod text;

use crate::BuildError;
use crate::clang::{Clang, ClangError, SourceUnit};
use crate::program::{parse, read_debug_info};
use crate::stubs::{Declaration, including, read_declaration};
pub(crate) use code::insert_checks;
use inkwell::context::Context;
use inkwell::module::Linkage;
use model::{BlockId, Clause, Contract, FunctionId, Types};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use text::Signature;

/// A function `pre_f` says which arguments `f` accepts.
const PREFIX: &str = "pre_";
/// Names of guards begin with it.
const GUARD: &str = "bwp_guard";

/// What the user says about callers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contracts {
    /// Expressions over parameters and what the unit declares.
    pub requires: Vec<Requirement>,
    /// A file with further functions `pre_…`, included behind every unit.
    pub file: Option<PathBuf>,
    /// Functions `pre_…` are preconditions.
    pub by_name: bool,
}

/// An expression that must hold when a function is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement {
    /// Which function.
    pub function: String,
    /// The expression.
    pub condition: String,
    /// The file it stands in.
    pub file: String,
    /// The line there.
    pub line: u32,
}

/// A function with a precondition.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Its name in the source.
    pub(crate) function: String,
    /// The unit that defines it.
    unit: usize,
    is_static: bool,
    /// Name of the guard.
    pub(crate) name: String,
    pub(crate) clauses: Vec<Clause>,
    /// Number of the first clause.
    pub(crate) first: u32,
    /// Name of the predicate for tests.
    pub(crate) predicate: String,
    /// Its definition.
    pub(crate) text: String,
}

/// The guards of a program.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    pub(crate) guards: Vec<Guard>,
    /// Their code, unit by unit.
    pub(crate) bitcode: Vec<GuardCode>,
}

/// The guards of a unit as code.
#[derive(Debug)]
pub(crate) struct GuardCode {
    pub(crate) unit: usize,
    pub(crate) bitcode: PathBuf,
    /// The same before passes, for its debug information.
    pub(crate) described: PathBuf,
}

impl Guard {
    /// The symbol of the guarded function in the image.
    pub(crate) fn symbol(&self, ambiguous: &HashSet<String>) -> String {
        code::symbol(&self.function, self.is_static, self.unit, ambiguous)
    }

    /// A precondition is asked before the function is called, and only there: what it changes would be missing in tests.
    pub(crate) fn expect_harmless(
        &self,
        writes: &BTreeSet<String>,
        stubs: &BTreeSet<String>,
    ) -> Result<(), BuildError> {
        let place = self.clauses.first().map_or("", |clause| clause.place.as_str());
        let what = match (writes.first(), stubs.first()) {
            (Some(variable), _) => format!("changes `{}`", variable.split('.').next().unwrap_or(variable)),
            (None, Some(stub)) => format!("calls `{stub}`, whose results are inputs"),
            (None, None) => return Ok(()),
        };
        Err(BuildError::Contract(format!("{place}: the precondition of `{}` {what}", self.function)))
    }

    /// For the model.
    pub(crate) fn contract(&self, function: FunctionId, guard: FunctionId, accepts: &[BlockId]) -> Contract {
        Contract {
            function,
            guard,
            accepts: accepts.to_vec(),
            clauses: self.clauses.clone(),
            first: self.first,
            predicate: self.predicate.clone(),
            text: self.text.clone(),
        }
    }
}

impl Guards {
    /// Guards by the name of the function, for calls in a unit.
    pub(crate) fn seen_from(&self, unit: usize, ambiguous: &HashSet<String>) -> HashMap<String, String> {
        let is_seen =
            |guard: &&Guard| guard.unit == unit || !guard.is_static && !ambiguous.contains(&guard.function);
        // Those of the unit itself are last and win.
        let mut seen: Vec<&Guard> = self.guards.iter().filter(is_seen).collect();
        seen.sort_by_key(|guard| guard.unit == unit);
        seen.into_iter().map(|guard| (guard.function.clone(), guard.name.clone())).collect()
    }
}

/// A part of a precondition.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Part {
    what: What,
    /// Where the user wrote it.
    file: String,
    line: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    /// An expression.
    Condition(String),
    /// A function of the user's own that takes the first so many parameters.
    Call(String, usize),
}

/// A function with its parts.
struct Draft {
    function: String,
    signature: Signature,
    parts: Vec<Part>,
}

/// Makes the guards of all units.
///
/// # Errors
/// When an expression or a function `pre_…` does not fit the function that it is for.
pub(crate) fn make(
    units: &[SourceUnit],
    bitcode: &[PathBuf],
    contracts: &Contracts,
    ambiguous: &HashSet<String>,
    clang: &Clang,
    work: &Path,
) -> Result<Guards, BuildError> {
    let mut all = Guards::default();
    if contracts.requires.is_empty() && !contracts.by_name {
        return Ok(all);
    }
    for (number, (unit, path)) in units.iter().zip(bitcode).enumerate() {
        let maker = Maker { contracts, clang, unit, number, work };
        let defined = Defined::in_unit(path)?;
        let parts = maker.parts(&defined)?;
        if parts.is_empty() {
            continue;
        }
        let drafts = maker.drafts(parts, path)?;
        let first = all.guards.last().map_or(0, |guard| guard.first + guard.clauses.len() as u32);
        let output = maker.compile(&drafts, first)?;
        let guards = maker.guards(drafts, &defined, first);
        let names = guards.iter().map(|guard| guard.name.clone()).collect();
        let described = output.with_extension("debug.bc");
        code::finish(&output, &described, number, &defined, ambiguous, &names)?;
        all.bitcode.push(GuardCode { unit: number, bitcode: output, described });
        all.guards.extend(guards);
    }
    Ok(all)
}

/// What a unit defines.
struct Defined {
    /// Functions, and whether they are static.
    functions: BTreeMap<String, bool>,
    variables: HashSet<String>,
}

impl Defined {
    fn in_unit(bitcode: &Path) -> Result<Defined, BuildError> {
        let context = Context::create();
        let module = parse(&context, bitcode)?;
        let functions = module.get_functions().filter(|f| f.count_basic_blocks() > 0);
        let functions = functions
            .map(|f| (f.get_name().to_string_lossy().into_owned(), f.get_linkage() == Linkage::Internal));
        let variables = module.get_globals().filter(|g| g.get_initializer().is_some());
        Ok(Defined {
            functions: functions.collect(),
            variables: variables.map(|g| g.get_name().to_string_lossy().into_owned()).collect(),
        })
    }
}

/// Makes the guards of one unit.
struct Maker<'a> {
    contracts: &'a Contracts,
    clang: &'a Clang,
    unit: &'a SourceUnit,
    number: usize,
    work: &'a Path,
}

impl Maker<'_> {
    /// What functions of the unit require, by their names: functions `pre_…`, then expressions, which may rely on them.
    fn parts(&self, defined: &Defined) -> Result<BTreeMap<String, Vec<Part>>, BuildError> {
        let mut found: BTreeMap<String, Vec<Part>> = BTreeMap::new();
        let texts = if self.contracts.by_name { self.texts() } else { Vec::new() };
        for function in defined.functions.keys() {
            let name = format!("{PREFIX}{function}");
            let place = texts.iter().find_map(|(file, text)| Some((file, text::line_of(text, &name)?)));
            if let Some((file, line)) = place
                && let Some(parameters) = self.asks(&name)?
            {
                let part = Part { what: What::Call(name, parameters), file: file.clone(), line };
                found.entry(function.clone()).or_default().push(part);
            }
        }
        for requirement in &self.contracts.requires {
            let Requirement { function, condition, file, line } = requirement.clone();
            if defined.functions.contains_key(&function) {
                let part = Part { what: What::Condition(condition), file, line };
                found.entry(function).or_default().push(part);
            }
        }
        Ok(found)
    }

    /// The sources in which functions `pre_…` are looked for. What cannot be read has none.
    fn texts(&self) -> Vec<(String, String)> {
        let paths = std::iter::once(&self.unit.path).chain(&self.contracts.file);
        let text = |path: &PathBuf| {
            let bytes = std::fs::read(path).unwrap_or_default();
            (path.to_string_lossy().into_owned(), String::from_utf8_lossy(&bytes).into_owned())
        };
        paths.map(text).collect()
    }

    /// The number of parameters of a function that answers a question; `None` if it is another kind of function. Clang
    /// is asked, because a static function that nobody calls leaves no trace in the bitcode.
    fn asks(&self, name: &str) -> Result<Option<usize>, BuildError> {
        let source = self.write("questions", &self.head())?;
        let dump = self.clang.declarations(&source, name)?;
        Ok(match read_declaration(&dump, name) {
            Some(Declaration::Function(prototype)) if text::is_answer(&prototype.result) => {
                Some(prototype.params.len())
            }
            _ => None,
        })
    }

    /// Parameters as debug information tells them.
    fn drafts(&self, parts: BTreeMap<String, Vec<Part>>, bitcode: &Path) -> Result<Vec<Draft>, BuildError> {
        let mut types = Types::default();
        let debug = read_debug_info(&Context::create(), bitcode, &mut types)?;
        let mut drafts = Vec::new();
        for (function, parts) in parts {
            let Some(described) = debug.functions.iter().find(|f| f.is_called(&function)) else { continue };
            let signature = Signature::of(&types, &described.params);
            let Some(signature) = signature else { return Err(text::nameless(&function, &parts[0])) };
            if let Some(part) = parts.iter().find(|part| !signature.has_room_for(part)) {
                return Err(text::too_many(&function, part));
            }
            drafts.push(Draft { function, signature, parts });
        }
        Ok(drafts)
    }

    /// Compiles the guards; tells the first part that the compiler rejects.
    fn compile(&self, drafts: &[Draft], first: u32) -> Result<PathBuf, BuildError> {
        let output = self.work.join(format!("guards{}.bc", self.number));
        let mut next = first;
        let mut all = self.head();
        for draft in drafts {
            all += &text::guard(&self.guard_name(draft), draft, &draft.parts, next);
            next += draft.parts.len() as u32;
        }
        let error = match self.clang.compile_strictly(&self.write("guards", &all)?, &output) {
            Err(ClangError::Rejected { diagnostics }) => ClangError::Rejected { diagnostics },
            other => return Ok(other.map(|()| output)?),
        };
        for draft in drafts {
            for part in &draft.parts {
                let alone = text::guard(&self.guard_name(draft), draft, std::slice::from_ref(part), 0);
                let source = self.write("guards", &(self.head() + &alone))?;
                if let Err(ClangError::Rejected { diagnostics }) =
                    self.clang.compile_strictly(&source, &output)
                {
                    return Err(text::rejected(&draft.function, part, &diagnostics));
                }
            }
        }
        Err(error.into())
    }

    fn guards(&self, drafts: Vec<Draft>, defined: &Defined, mut first: u32) -> Vec<Guard> {
        let mut guards = Vec::new();
        // The first one brings what the others need as well.
        let mut before = self.contracts.file.as_deref().map(including).unwrap_or_default();
        for draft in drafts {
            let clauses: Vec<Clause> = draft.parts.iter().map(|part| text::clause(&draft, part)).collect();
            let count = clauses.len() as u32;
            let predicate = format!("requires_{}", draft.function);
            guards.push(Guard {
                name: self.guard_name(&draft),
                unit: self.number,
                is_static: defined.functions[&draft.function],
                clauses,
                first,
                text: std::mem::take(&mut before) + &text::predicate(&predicate, &draft),
                predicate,
                function: draft.function,
            });
            first += count;
        }
        guards
    }

    fn guard_name(&self, draft: &Draft) -> String {
        format!("{GUARD}_{}_{}", self.number, draft.function)
    }

    /// The unit, and what guards need.
    fn head(&self) -> String {
        let file = self.contracts.file.as_deref().map(including).unwrap_or_default();
        format!("{}{file}{}", including(&self.unit.path), text::PRELUDE)
    }

    fn write(&self, name: &str, text: &str) -> Result<SourceUnit, BuildError> {
        let path = self.work.join(format!("{name}{}.c", self.number));
        std::fs::write(&path, text)
            .map_err(|source| BuildError::Io { path: path.display().to_string(), source })?;
        Ok(SourceUnit { path, ..self.unit.clone() })
    }
}
