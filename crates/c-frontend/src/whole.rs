//! Whole programs and harnesses: the program is linked with surroundings of ours (`program/*.c`) that hand it its
//! arguments, standard input, files, and the values a harness asks for, and that begin it.
//!
//! To everything behind the build a program is then a function without parameters, `bwp_start`, whose inputs are
//! variables. Functions of the C library that the surroundings define as `bw_NAME` are redirected there in the
//! program's own code.

use crate::BuildError;
use crate::clang::{Clang, SourceUnit};
use crate::ir;
use crate::program::{Around, Built, Compiled, parse, put_together, target_machine};
use crate::streams::STREAMS;
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use model::{FunctionId, GlobalId, Program};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Name of the program's `main` in the image.
pub(crate) const MAIN: &str = "bwp_main";
const START: &str = "bwp_start";
pub(crate) const REDIRECTION: &str = "bw_";

/// A file of the surroundings.
#[derive(Clone, Copy)]
enum Part {
    /// The same for all programs: bitcode from `build.rs`.
    Compiled(&'static [u8]),
    /// Written with macros that say what a program gets, or that take names away which are its own.
    Adapted(&'static str),
}

macro_rules! compiled {
    ($name:literal) => {
        Part::Compiled(include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bc")))
    };
}

macro_rules! adapted {
    ($name:literal) => {
        Part::Adapted(include_str!(concat!("../program/", $name, ".c")))
    };
}

/// The header that all share.
const HEADER: (&str, &str) = ("program.h", include_str!("../program/program.h"));
const SOURCES: [(&str, Part); 15] = [
    ("children.c", compiled!("children")),
    ("clock.c", compiled!("clock")),
    ("disk.c", compiled!("disk")),
    ("files.c", compiled!("files")),
    (HARNESS, adapted!("harness")),
    ("locale.c", compiled!("locale")),
    ("options.c", compiled!("options")),
    ("process.c", compiled!("process")),
    ("reading.c", compiled!("reading")),
    ("scan.c", compiled!("scan")),
    ("signals.c", compiled!("signals")),
    ("start.c", adapted!("start")),
    ("streams.c", compiled!("streams")),
    ("threads.c", compiled!("threads")),
    ("verdict.c", adapted!("verdict")),
];
/// The files whose answers differ from run to run or come from other processes.
const ELSEWHERE: [&str; 2] = ["children.c", "clock.c"];
/// The file with everything that hands out input.
const HARNESS: &str = "harness.c";

/// Variable that says what a harness asked for: kind in the low byte, size above.
pub const ORDER: &str = "order";
/// Variable with the names of what a harness asked for, [`NAME_WORDS`] words of letters each.
pub const NAMES: &str = "names";
/// Variable that says how often a harness asked.
pub const ASKED: &str = "asked";
/// Variable with the numbers handed to a harness.
pub const VALUES: &str = "values";
/// Variable with the bytes handed to a harness as blocks.
pub const BLOCKS: &str = "blocks";
/// Words of eight letters in a name.
pub const NAME_WORDS: usize = 2;

/// One argument of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Always this.
    Fixed(Vec<u8>),
    /// At most so many bytes.
    Symbolic(u32),
}

/// Where the program begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Entry {
    /// `main`.
    #[default]
    Main,
    /// `LLVMFuzzerTestOneInput`, with at most so many bytes.
    Fuzzer(u32),
}

impl Entry {
    fn name(self) -> &'static str {
        match self {
            Entry::Main => "main",
            Entry::Fuzzer(_) => "LLVMFuzzerTestOneInput",
        }
    }
}

/// Whether a program begins here.
///
/// # Errors
/// When LLVM cannot read the bitcode.
pub fn begins_with(compiled: &Compiled, entry: Entry) -> Result<bool, BuildError> {
    Ok(Names::of(&compiled.bitcode)?.defined.contains(entry.name()))
}

/// What the program gets from outside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Surroundings {
    /// Where it begins.
    pub entry: Entry,
    /// Most bytes of standard input; `None` leaves it empty.
    pub stdin: Option<u32>,
    /// Arguments behind the name.
    pub arguments: Vec<Argument>,
    /// Files whose contents are input: names, and the most bytes of each.
    pub files: Vec<(String, u32)>,
    /// How many numbers and blocks a harness gets at most.
    pub values: u32,
    /// How many bytes all blocks of a harness have together at most.
    pub block_bytes: u32,
}

impl Surroundings {
    /// Variables with contents: name of the variable, name of the file or empty, most bytes.
    #[must_use]
    pub fn sources(&self) -> Vec<(String, String, u32)> {
        let mut sources: Vec<(String, String, u32)> =
            self.stdin.map(|size| ("stdin".to_owned(), String::new(), size)).into_iter().collect();
        let files = self.files.iter().enumerate();
        sources.extend(files.map(|(i, (name, size))| (format!("file{}", i + 1), name.clone(), *size)));
        if let Entry::Fuzzer(size) = self.entry {
            sources.push(("data".to_owned(), "data".to_owned(), size));
        }
        sources
    }

    /// The macros that `start.c` and `harness.c` are written with.
    fn macros(&self) -> String {
        let mut text = String::from("#define BW_SOURCES");
        for (number, (variable, name, size)) in self.sources().iter().enumerate() {
            let _ = write!(text, " SOURCE({number}, {variable}_, {}, {size})", quoted(name.as_bytes()));
        }
        text.push_str("\n#define BW_ARGUMENTS");
        for (i, argument) in self.arguments.iter().enumerate() {
            let _ = match argument {
                Argument::Fixed(bytes) => write!(text, " FIXED({}, {})", i + 1, quoted(bytes)),
                Argument::Symbolic(size) => write!(text, " SYMBOLIC({}, {size})", i + 1),
            };
        }
        let _ = write!(
            text,
            "\n#define BW_VALUES {}\n#define BW_BLOCK_BYTES {}\n#define BW_NAME {NAME_WORDS}\n",
            self.values.max(1),
            self.block_bytes.max(1)
        );
        if matches!(self.entry, Entry::Fuzzer(_)) {
            text.push_str("#define BW_FUZZER\n");
        }
        text
    }

    /// Names of the variables that are input.
    fn inputs(&self, is_harness: bool) -> Vec<String> {
        let mut names = match is_harness {
            true => vec![VALUES.to_owned(), BLOCKS.to_owned()],
            false => Vec::new(),
        };
        for (variable, ..) in self.sources() {
            names.extend([format!("{variable}_bytes"), format!("{variable}_length")]);
        }
        let symbolic = |(i, a): (usize, &Argument)| match a {
            Argument::Symbolic(_) => Some(format!("arg{}", i + 1)),
            Argument::Fixed(_) => None,
        };
        names.extend(self.arguments.iter().enumerate().filter_map(symbolic));
        names
    }
}

/// A string literal of C.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' | b'?' => _ = write!(text, "\\{}", byte as char),
            b' '..=b'~' => text.push(byte as char),
            _ => _ = write!(text, "\\{byte:03o}"),
        }
    }
    text + "\""
}

/// A program with its surroundings.
#[derive(Debug)]
pub struct Whole {
    /// The build.
    pub built: Built,
    /// The function that begins the program.
    pub start: FunctionId,
    /// The program asks a harness for values.
    pub is_harness: bool,
}

/// Puts compiled units of a program together with its surroundings.
///
/// # Errors
/// When clang, LLVM or the linker fails, or the program has no beginning.
pub fn build_whole(
    compiled: Compiled,
    around: &Surroundings,
    clang: &Clang,
    work: &Path,
) -> Result<Whole, BuildError> {
    let own = Names::of(&compiled.bitcode)?;
    let entry = around.entry.name();
    if !own.defined.contains(entry) {
        return Err(BuildError::NoEntry(entry));
    }
    let parts = compile(around, &own, clang, work)?;
    let gives = defined_in(&[HARNESS], &parts)?;
    let is_harness = own.needed.iter().any(|name| gives.contains(name));
    let elsewhere = defined_in(&ELSEWHERE, &parts)?;
    let ours = vec![work.join("program.bc")];
    gather(&parts, &own.needed, &ours[0])?;
    let provided = Names::of(&ours)?;
    let replaces = |name: &String| name.strip_prefix(REDIRECTION).map(str::to_owned);
    let names = provided.defined.iter().filter_map(replaces).chain(SYNONYMS.map(|(name, _)| name.to_owned()));
    let names: HashSet<String> = names.filter(|name| !own.defined.contains(name)).collect();
    let redirected = Redirections { names, is_whole: true, ..Redirections::default() };
    // What is answered from elsewhere is known by its new name: no proof may rest on it.
    let outside = own.needed.difference(&own.defined).map(|name| match redirected.names.contains(name) {
        true => Some(format!("{REDIRECTION}{name}")).filter(|new| elsewhere.contains(new)),
        false => Some(name.clone()),
    });
    let needed: HashSet<String> = outside.flatten().collect();
    let mut built = put_together(compiled, Around { bitcode: ours, redirected, stubs: None }, clang, work)?;
    let start = tell_inputs(&mut built.program, around, is_harness, &needed)
        .ok_or_else(|| BuildError::Internal(format!("{START} is lost")))?;
    Ok(Whole { built, start, is_harness })
}

/// What the files of these names among the surroundings define.
fn defined_in(names: &[&str], parts: &[PathBuf]) -> Result<HashSet<String>, BuildError> {
    let files = SOURCES.iter().zip(parts).filter(|((name, _), _)| names.contains(name));
    let files: Vec<PathBuf> = files.map(|(_, path)| path.clone()).collect();
    Ok(Names::of(&files)?.defined)
}

/// External names of several units.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) defined: HashSet<String>,
    pub(crate) needed: HashSet<String>,
}

impl Names {
    pub(crate) fn of(bitcode: &[PathBuf]) -> Result<Names, BuildError> {
        let mut names = Names::default();
        for path in bitcode {
            let context = Context::create();
            let module = parse(&context, path)?;
            for function in module.get_functions() {
                let is_defined = function.count_basic_blocks() > 0;
                names.note(&function.get_name().to_string_lossy(), is_defined, function.get_linkage());
            }
            for global in module.get_globals() {
                let is_defined = global.get_initializer().is_some();
                names.note(&global.get_name().to_string_lossy(), is_defined, global.get_linkage());
            }
        }
        Ok(names)
    }

    fn note(&mut self, name: &str, is_defined: bool, linkage: Linkage) {
        if name.starts_with("llvm.") || matches!(linkage, Linkage::Internal | Linkage::Private) {
            return;
        }
        let names = if is_defined { &mut self.defined } else { &mut self.needed };
        names.insert(name.to_owned());
    }
}

/// Writes and compiles the surroundings. A program that defines what a harness would ask for keeps its own.
fn compile(
    around: &Surroundings,
    own: &Names,
    clang: &Clang,
    work: &Path,
) -> Result<Vec<PathBuf>, BuildError> {
    let folder = work.join("program");
    std::fs::create_dir_all(&folder)
        .map_err(|source| BuildError::Io { path: folder.display().to_string(), source })?;
    write(&folder.join(HEADER.0), HEADER.1.as_bytes())?;
    let mut macros = around.macros();
    for name in own.defined.iter().filter(|name| !name.starts_with(REDIRECTION) && *name != "main") {
        // Renamed here, the two do not meet.
        if HARNESS_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            let _ = writeln!(macros, "#define {name} bwp_unused_{name}");
        }
    }
    let path = folder.join("macros.h");
    write(&path, macros.as_bytes())?;
    let flags = vec!["-std=gnu17".to_owned(), "-include".to_owned(), path.to_string_lossy().into_owned()];
    let (mut units, mut unit_outputs, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    for (name, part) in SOURCES {
        let output = work.join(format!("program_{name}.bc"));
        match part {
            Part::Compiled(bitcode) => write(&output, bitcode)?,
            Part::Adapted(text) => {
                let path = folder.join(name);
                write(&path, text.as_bytes())?;
                units.push(SourceUnit { path, flags: flags.clone(), directory: folder.clone() });
                unit_outputs.push(output.clone());
            }
        }
        outputs.push(output);
    }
    clang.compile_all_uncounted(&units, &unit_outputs).into_iter().collect::<Result<(), _>>()?;
    Ok(outputs)
}

/// Writes a file of the surroundings.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    std::fs::write(path, bytes).map_err(|source| BuildError::Io { path: path.display().to_string(), source })
}

/// Joins the parts of the surroundings, without what the program has no use for.
fn gather(parts: &[PathBuf], needed: &HashSet<String>, output: &Path) -> Result<(), BuildError> {
    let internal = |why: String| BuildError::Internal(format!("surroundings: {why}"));
    let context = Context::create();
    let whole = context.create_module("surroundings");
    for part in parts {
        whole.link_in_module(parse(&context, part)?).map_err(|e| internal(e.to_string()))?;
    }
    let is_wanted =
        |name: &str| name == START || needed.contains(name.strip_prefix(REDIRECTION).unwrap_or(name));
    let functions = whole.get_functions().filter(|f| f.count_basic_blocks() > 0).map(|f| f.as_global_value());
    for global in functions.chain(whole.get_globals().filter(|g| g.get_initializer().is_some())) {
        let name = global.get_name().to_string_lossy().into_owned();
        if global.get_linkage() == Linkage::External && !is_wanted(&name) {
            global.set_linkage(Linkage::Internal);
        }
    }
    let machine = target_machine(OptimizationLevel::None)?;
    whole
        .run_passes("globaldce", &machine, PassBuilderOptions::create())
        .map_err(|e| internal(e.to_string()))?;
    if whole.write_bitcode_to_path(output) { Ok(()) } else { Err(internal("cannot be written".to_owned())) }
}

/// What the surroundings define for harnesses begins so.
const HARNESS_PREFIXES: [&str; 4] = ["branchwise_", "klee_", "__Crest", "__VERIFIER_"];

/// Says what the input is: not what the program reads, but what comes from outside.
fn tell_inputs(
    program: &mut Program,
    around: &Surroundings,
    is_harness: bool,
    needed: &HashSet<String>,
) -> Option<FunctionId> {
    let start = program.functions.iter().position(|f| f.symbol == START)?;
    let ids = |names: &[String]| -> Vec<GlobalId> {
        let is_ours = |global: &model::Global| {
            let file = &program.files[global.file as usize].path;
            SOURCES.iter().any(|(name, _)| Path::new(file).file_name().is_some_and(|f| f == *name))
        };
        let named = program.globals.iter().enumerate();
        named
            .filter(|(_, g)| g.is_static && names.contains(&g.name) && is_ours(g))
            .map(|(i, _)| GlobalId(i as u32))
            .collect()
    };
    let reads = ids(&around.inputs(is_harness));
    let writes = if is_harness { ids(&[ORDER, NAMES, ASKED].map(str::to_owned)) } else { Vec::new() };
    let mut externals: Vec<String> = needed.iter().cloned().collect();
    externals.sort_unstable();
    let mut constants: Vec<i128> =
        program.functions.iter().flat_map(|f| f.constants.iter().copied()).collect();
    constants.sort_unstable();
    constants.dedup();
    let strings: BTreeSet<Vec<u8>> =
        program.functions.iter().flat_map(|f| f.strings.iter().cloned()).collect();
    let function = &mut program.functions[start];
    function.name = "the program".to_owned();
    function.reads = reads;
    function.writes = writes;
    function.externals = externals;
    function.constants = constants;
    function.strings = strings.into_iter().collect();
    Some(FunctionId(start as u32))
}

/// Functions of harnesses that are nothing but another name, so that a failure is where the harness says so.
const SYNONYMS: [(&str, &str); 5] = [
    ("__VERIFIER_error", "abort"),
    ("klee_abort", "abort"),
    ("klee_report_error", "abort"),
    ("klee_silent_exit", "bwp_reject"),
    ("reach_error", "abort"),
];

/// Functions and variables of the library that others stand in for.
#[derive(Clone, Default, Debug)]
pub(crate) struct Redirections {
    /// `NAME` becomes `bw_NAME`.
    pub(crate) names: HashSet<String>,
    /// What concerns streams, also those of stubs: see [`crate::streams`].
    pub(crate) streams: HashSet<String>,
    /// The program has surroundings that begin it.
    pub(crate) is_whole: bool,
}

impl Redirections {
    /// Those that hold for stubs too.
    pub(crate) fn of_stubs(&self) -> Redirections {
        Redirections { streams: self.streams.clone(), ..Redirections::default() }
    }

    /// Where calls of a function go instead.
    fn of(&self, name: &str) -> Option<String> {
        if !self.names.contains(name) {
            return self.streams.contains(name).then(|| format!("{STREAMS}{name}"));
        }
        let synonym = SYNONYMS.iter().find(|(other, _)| *other == name);
        Some(synonym.map_or_else(|| format!("{REDIRECTION}{name}"), |(_, to)| (*to).to_owned()))
    }
}

/// Sends calls of library functions, and uses of library variables, to the surroundings.
pub(crate) fn redirect(module: &Module<'_>, redirected: &Redirections) {
    for function in module.get_functions().filter(|f| f.count_basic_blocks() == 0) {
        let name = function.get_name().to_string_lossy().into_owned();
        let Some(new) = redirected.of(&name) else { continue };
        match module.get_function(&new) {
            Some(known) => ir::replace_function(function, known),
            None => function.as_global_value().set_name(&new),
        }
    }
    for global in module.get_globals().filter(|g| g.get_initializer().is_none()) {
        let name = global.get_name().to_string_lossy().into_owned();
        if redirected.names.contains(&name) {
            global.set_name(&format!("{REDIRECTION}{name}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program may define what harnesses ask for itself, and what is compiled before cannot make room for that.
    #[test]
    fn what_harnesses_ask_for_is_in_files_that_adapt() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut compiled = Vec::new();
        for (name, part) in SOURCES {
            if let Part::Compiled(bitcode) = part {
                compiled.push(folder.path().join(name));
                write(compiled.last().expect("just added"), bitcode).expect("writable");
            }
        }
        let defined = Names::of(&compiled).expect("bitcode").defined;
        assert!(defined.contains("bw_getopt"), "{defined:?}");
        let asked = |name: &&String| HARNESS_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        assert_eq!(defined.iter().find(asked), None);
    }

    #[test]
    fn arguments_become_string_literals() {
        assert_eq!(quoted(b"a\"b\\c?"), r#""a\"b\\c\?""#);
        assert_eq!(quoted(&[0xff, b'1', b'\n']), r#""\3771\012""#);
    }

    #[test]
    fn macros_name_every_source() {
        let around = Surroundings {
            stdin: Some(4),
            files: vec![("a b".to_owned(), 7)],
            arguments: vec![Argument::Fixed(b"-x".to_vec()), Argument::Symbolic(3)],
            ..Surroundings::default()
        };
        let macros = around.macros();
        assert!(macros.contains(r#"SOURCE(0, stdin_, "", 4) SOURCE(1, file1_, "a b", 7)"#), "{macros}");
        assert!(macros.contains(r#"FIXED(1, "-x") SYMBOLIC(2, 3)"#), "{macros}");
    }
}
