//! Functions, file-scope variables and types from the debug information of an object file.
//!
//! ```c
//! typedef struct { int x, y; } point;          Typedef point → Struct (anonymous) { x@0, y@32 }
//! static long dot(const point *a, point b)     DebugFunction "dot", params (a: Pointer → Const → point),
//! { … }                                        (b: point), ret long, not external
//! ```
//!
//! The object may hold several units, and at higher optimisation levels a function may be split
//! into an abstract instance (what the programmer wrote) and a concrete one (the code). It counts
//! once, as written, if there is code for it.

mod base;
mod die;
mod layout;
mod spelling;
mod types;

use die::{Die, Sections};
use model::{TypeId, Types};
use std::collections::HashSet;
use types::TypeReader;

/// What the debug information says about the functions and variables of an object file.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct DebugInfo {
    /// Functions with code in the object.
    pub functions: Vec<DebugFunction>,
    /// Variables defined at file scope.
    pub globals: Vec<DebugGlobal>,
    /// What is pointed to anywhere, casts included.
    pub pointees: Vec<TypeId>,
}

/// A function with code.
#[derive(Clone, PartialEq, Debug)]
pub struct DebugFunction {
    /// Name in the source.
    pub name: String,
    /// Symbol, if it differs from the name.
    pub linkage_name: Option<String>,
    /// File of the declaration; empty if unknown.
    pub file: String,
    /// Line of the declaration; 0 if unknown.
    pub line: u32,
    /// Visible outside its unit: not `static`.
    pub is_external: bool,
    /// `...` at the end.
    pub variadic: bool,
    /// Declared with parameter types, unlike `int f()` and `int f(a) int a;`.
    pub prototyped: bool,
    /// Parameters as written, with their names.
    pub params: Vec<(Option<String>, TypeId)>,
    /// Result.
    pub ret: TypeId,
    /// Types of its local variables.
    pub locals: Vec<TypeId>,
}

impl DebugFunction {
    /// Whether this is the function's name in the source or, if there it was given another one, its symbol.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.linkage_name.as_deref().unwrap_or(&self.name) == name
    }
}

/// A variable at file scope.
#[derive(Clone, PartialEq, Debug)]
pub struct DebugGlobal {
    /// Name in the source.
    pub name: String,
    /// Symbol, if it differs from the name.
    pub linkage_name: Option<String>,
    /// Its type.
    pub ty: TypeId,
    /// Visible outside its unit: not `static`.
    pub is_external: bool,
    /// File of the declaration; empty if unknown.
    pub file: String,
    /// Line of the declaration; 0 if unknown.
    pub line: u32,
}

/// Why debug information could not be read.
#[derive(thiserror::Error, Debug)]
pub enum DwarfError {
    /// The object file cannot be read.
    #[error("cannot read the object file: {0}")]
    Object(#[from] object::Error),
    /// The debug sections cannot be parsed.
    #[error("cannot read the debug information: {0}")]
    Parse(#[from] gimli::Error),
    /// An entry lacks something or contradicts itself.
    #[error("the debug information at {offset:#x} has a wrong or no {what}")]
    Malformed {
        /// What is wrong.
        what: &'static str,
        /// Offset of the entry in its unit.
        offset: usize,
    },
    /// A type contains itself, or cannot be written down without end.
    #[error("the debug information describes a type made of itself")]
    Circular,
}

/// Reads the debug information of `object`, an ELF file as `clang -g -c` writes it.
///
/// Types are added to `types`, base types only if they are new. After an error, types added
/// so far stay there unused.
///
/// # Errors
///
/// If the bytes are no object file, or its debug information is damaged.
pub fn read(object: &[u8], types: &mut Types) -> Result<DebugInfo, DwarfError> {
    let sections = Sections::load(object)?;
    let units = sections.units()?;
    let first = types.len();
    let mut reader = TypeReader::new(&units, types);
    let mut info = DebugInfo::default();
    for root in units.roots() {
        read_unit(&root?, &mut reader, &mut info)?;
    }
    reader.finish()?;
    if spelling::is_circular(types, first) { Err(DwarfError::Circular) } else { Ok(info) }
}

fn read_unit(
    root: &Die<'_, '_>,
    types: &mut TypeReader<'_, '_>,
    info: &mut DebugInfo,
) -> Result<(), DwarfError> {
    // Optimisation may leave several concrete instances of one function.
    let mut seen = HashSet::new();
    for die in root.children()? {
        match die.tag() {
            gimli::DW_TAG_subprogram => {
                let function = read_function(&Origins::of(die)?, types)?;
                info.functions
                    .extend(function.filter(|f| seen.insert((f.name.clone(), f.linkage_name.clone()))));
            }
            gimli::DW_TAG_variable => info.globals.extend(read_global(&Origins::of(die)?, types)?),
            gimli::DW_TAG_pointer_type => info.pointees.push(types.id(die.type_place()?)?),
            _ => {}
        }
    }
    Ok(())
}

/// An entry followed by those it completes: a concrete function, its abstract instance, its declaration.
struct Origins<'u, 'a>(Vec<Die<'u, 'a>>);

impl<'u, 'a> Origins<'u, 'a> {
    /// Longer chains than concrete, abstract and declared do not occur; a limit stops at circular ones.
    const LIMIT: usize = 8;

    fn of(die: Die<'u, 'a>) -> Result<Self, DwarfError> {
        let mut next = origin(&die)?;
        let mut chain = vec![die];
        while let Some(die) = next {
            if chain.len() == Self::LIMIT {
                return Err(die.malformed("origin"));
            }
            next = origin(&die)?;
            chain.push(die);
        }
        Ok(Self(chain))
    }

    fn flag(&self, attribute: gimli::DwAt) -> bool {
        self.0.iter().any(|die| die.flag(attribute))
    }

    fn string(&self, attribute: gimli::DwAt) -> Result<Option<String>, DwarfError> {
        self.0.iter().find(|die| die.has(attribute)).map_or(Ok(None), |die| die.string(attribute))
    }

    fn file(&self) -> Result<String, DwarfError> {
        let die = self.0.iter().find(|die| die.has(gimli::DW_AT_decl_file));
        Ok(die.map_or(Ok(None), Die::file)?.unwrap_or_default())
    }

    fn line(&self) -> u32 {
        let line = self.0.iter().find_map(|die| die.unsigned(gimli::DW_AT_decl_line));
        line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
    }

    fn ty(&self, types: &mut TypeReader<'_, '_>) -> Result<TypeId, DwarfError> {
        let die = self.0.iter().find(|die| die.has(gimli::DW_AT_type));
        types.id(die.map_or(Ok(None), Die::type_place)?)
    }

    fn is_declaration(&self) -> bool {
        self.0[0].flag(gimli::DW_AT_declaration)
    }

    fn has_code(&self) -> bool {
        self.0[0].has(gimli::DW_AT_low_pc) || self.0[0].has(gimli::DW_AT_ranges)
    }

    /// What stands in the parentheses: the farthest entry that lists parameters is the one closest to
    /// the source, since a concrete instance drops what was optimised away. A mere declaration comes
    /// last because it has no names.
    fn parameter_list(&self) -> Result<Vec<Die<'u, 'a>>, DwarfError> {
        let (declared, written): (Vec<_>, Vec<_>) =
            self.0.iter().partition(|die| die.flag(gimli::DW_AT_declaration));
        for die in written.into_iter().rev().chain(declared) {
            let mut list = die.children()?;
            list.retain(|child| is_parameter(child) || is_ellipsis(child));
            if !list.is_empty() {
                return Ok(list);
            }
        }
        Ok(Vec::new())
    }
}

fn origin<'u, 'a>(die: &Die<'u, 'a>) -> Result<Option<Die<'u, 'a>>, DwarfError> {
    match die.follow(gimli::DW_AT_abstract_origin)? {
        Some(origin) => Ok(Some(origin)),
        None => die.follow(gimli::DW_AT_specification),
    }
}

fn is_parameter(die: &Die<'_, '_>) -> bool {
    die.tag() == gimli::DW_TAG_formal_parameter
}

fn is_ellipsis(die: &Die<'_, '_>) -> bool {
    die.tag() == gimli::DW_TAG_unspecified_parameters
}

fn read_function(
    dies: &Origins<'_, '_>,
    types: &mut TypeReader<'_, '_>,
) -> Result<Option<DebugFunction>, DwarfError> {
    if dies.is_declaration() || !dies.has_code() {
        return Ok(None);
    }
    let Some(name) = dies.string(gimli::DW_AT_name)? else { return Ok(None) };
    let list = dies.parameter_list()?;
    let mut params = Vec::new();
    for die in list.iter().filter(|die| is_parameter(die)) {
        params.push((die.name()?, types.id(die.type_place()?)?));
    }
    let mut locals = Vec::new();
    read_locals(&dies.0[0], types, &mut locals)?;
    let prototyped = dies.flag(gimli::DW_AT_prototyped);
    Ok(Some(DebugFunction {
        name,
        linkage_name: dies.string(gimli::DW_AT_linkage_name)?,
        file: dies.file()?,
        line: dies.line(),
        is_external: dies.flag(gimli::DW_AT_external),
        variadic: prototyped && list.iter().any(is_ellipsis),
        prototyped,
        params,
        ret: dies.ty(types)?,
        locals,
    }))
}

/// The types of the variables in a block and in the blocks inside it.
fn read_locals(
    block: &Die<'_, '_>,
    types: &mut TypeReader<'_, '_>,
    locals: &mut Vec<TypeId>,
) -> Result<(), DwarfError> {
    let mut blocks = block.children()?;
    while let Some(die) = blocks.pop() {
        match die.tag() {
            gimli::DW_TAG_variable => locals.push(types.id(die.type_place()?)?),
            gimli::DW_TAG_lexical_block => blocks.extend(die.children()?),
            _ => {}
        }
    }
    Ok(())
}

/// String literals are variables without a name; they do not count.
fn read_global(
    dies: &Origins<'_, '_>,
    types: &mut TypeReader<'_, '_>,
) -> Result<Option<DebugGlobal>, DwarfError> {
    if dies.is_declaration() {
        return Ok(None);
    }
    let Some(name) = dies.string(gimli::DW_AT_name)? else { return Ok(None) };
    Ok(Some(DebugGlobal {
        name,
        linkage_name: dies.string(gimli::DW_AT_linkage_name)?,
        ty: dies.ty(types)?,
        is_external: dies.flag(gimli::DW_AT_external),
        file: dies.file()?,
        line: dies.line(),
    }))
}

#[cfg(test)]
mod tests;
