//! The drop-in C compiler: the user's command, and beside it the bitcode.

use super::arguments::{CommandLine, Stage};
use super::record::{self, Head, Record};
use super::{SECTION, elf, link};
use crate::clang::{Clang, ClangError, SourceUnit, keep_flags};
use crate::headers;
use crate::link::is_link_flag;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

/// Longer complaints of the compiler are cut in records.
const LONGEST_COMPLAINT: usize = 4000;

/// Runs a compiler's command; objects and programs it makes carry the bitcode of their C files.
///
/// The command itself is run by the compiler named in `BRANCHWISE_CC_REAL`, clang otherwise, with the very same
/// arguments and standard streams; its exit code is returned. Whatever goes wrong with the bitcode is told in a
/// record and changes nothing else.
///
/// # Errors
/// When the compiler cannot be started.
pub fn cc(arguments: &[OsString]) -> Result<i32, ClangError> {
    let compiler = Compiler::from_environment();
    let texts: Option<Vec<String>> = arguments.iter().map(|a| a.to_str().map(str::to_owned)).collect();
    // Nothing can be said about names that are no text.
    let Some(texts) = texts else { return compiler.run(arguments) };
    let job = Job { compiler, arguments, line: CommandLine::parse(&texts), texts };
    let scratch = tempfile::Builder::new().prefix("branchwise-cc-").tempdir();
    match (job.line.stage, scratch, std::env::current_dir()) {
        (Stage::Objects, Ok(scratch), Ok(directory)) => job.objects(scratch.path(), &directory),
        // Who reads what the linker is called with wants nothing in it from us.
        (Stage::Linked, Ok(scratch), Ok(directory)) if !job.line.has_flag(|flag| flag == "-v") => {
            job.link(scratch.path(), &directory)
        }
        _ => job.compiler.run(arguments),
    }
}

/// The user's own compiler.
struct Compiler {
    program: OsString,
}

impl Compiler {
    fn from_environment() -> Compiler {
        let real = std::env::var_os("BRANCHWISE_CC_REAL").filter(|program| !program.is_empty());
        Compiler { program: real.unwrap_or_else(|| Clang::default().program) }
    }

    fn start(&self, arguments: &[OsString]) -> Result<Child, ClangError> {
        Command::new(&self.program)
            .args(arguments)
            .envs(headers::search_path())
            .spawn()
            .map_err(|source| self.missing(source))
    }

    fn wait(&self, mut child: Child) -> Result<i32, ClangError> {
        child.wait().map(exit_code).map_err(|source| self.missing(source))
    }

    fn run(&self, arguments: &[OsString]) -> Result<i32, ClangError> {
        self.wait(self.start(arguments)?)
    }

    fn missing(&self, source: std::io::Error) -> ClangError {
        ClangError::Missing { program: self.program.to_string_lossy().into_owned(), source }
    }
}

/// As a shell tells it.
fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

struct Job<'a> {
    compiler: Compiler,
    arguments: &'a [OsString],
    texts: Vec<String>,
    line: CommandLine,
}

impl Job<'_> {
    /// Native code and bitcode are made at the same time.
    fn objects(&self, scratch: &Path, directory: &Path) -> Result<i32, ClangError> {
        let native = self.compiler.start(&self.native_arguments())?;
        let records = self.records(scratch, directory);
        let code = self.compiler.wait(native)?;
        if code == 0 {
            for (source, record) in self.line.sources().zip(records) {
                attach(&self.object_of(source), &record);
            }
        }
        Ok(code)
    }

    /// The records of what is compiled on the way to the program enter the link in an object of their own.
    fn link(&self, scratch: &Path, directory: &Path) -> Result<i32, ClangError> {
        let mut records = self.records(scratch, directory);
        let flags = link::flags(&self.line, directory);
        records.push(Record::without_bitcode(Head::Link { flags }));
        let object = scratch.join("records.o");
        let written = std::fs::write(&object, elf::object_with(SECTION, &record::write_all(&records)));
        let mut arguments = self.native_arguments();
        if written.is_ok() {
            if self.line.names_a_language() {
                arguments.extend(["-x".into(), "none".into()]);
            }
            arguments.push(object.into());
        }
        self.compiler.run(&arguments)
    }

    /// The user's arguments. With link-time optimisation objects are no ELF files; nothing could ride along.
    fn native_arguments(&self) -> Vec<OsString> {
        let mut arguments = self.arguments.to_vec();
        if self.line.has_flag(|flag| flag == "-flto" || flag.starts_with("-flto=")) {
            arguments.push("-fno-lto".into());
        }
        arguments
    }

    /// The object the compiler makes of a source.
    fn object_of(&self, source: &str) -> PathBuf {
        match &self.line.output {
            Some(output) => PathBuf::from(output),
            None => Path::new(Path::new(source).file_name().unwrap_or_default()).with_extension("o"),
        }
    }

    /// The record of every source, its bitcode included.
    fn records(&self, scratch: &Path, directory: &Path) -> Vec<Record> {
        let flags = self.line.flags();
        let units: Vec<SourceUnit> = self
            .line
            .sources()
            .map(|source| SourceUnit {
                path: absolute(directory, source),
                flags: keep_flags(&flags, source).into_iter().filter(|f| !is_only_for_links(f)).collect(),
                directory: directory.to_owned(),
            })
            .collect();
        let outputs: Vec<PathBuf> = (0..units.len()).map(|i| scratch.join(format!("unit{i}.bc"))).collect();
        let done = Clang::default().compile_all(&units, &outputs);
        let results = units.iter().zip(&outputs).zip(done);
        results.map(|((unit, output), done)| self.record(unit, output, done)).collect()
    }

    fn record(&self, unit: &SourceUnit, output: &Path, done: Result<(), ClangError>) -> Record {
        let source = unit.path.to_string_lossy().into_owned();
        let bitcode =
            done.map_err(|e| e.to_string()).and_then(|()| std::fs::read(output).map_err(|e| e.to_string()));
        match bitcode {
            Ok(bitcode) => {
                let directory = unit.directory.to_string_lossy().into_owned();
                let (flags, command) = (unit.flags.clone(), self.texts.clone());
                Record { head: Head::Unit { source, directory, flags, command }, bitcode }
            }
            Err(why) => {
                let why = why.chars().take(LONGEST_COMPLAINT).collect();
                Record::without_bitcode(Head::Missing { source, why })
            }
        }
    }
}

/// `-pthread` is for both.
fn is_only_for_links(flag: &str) -> bool {
    is_link_flag(flag) && flag != "-pthread"
}

/// Folders are resolved, the file is not: what it includes is looked for beside the name by which it is known.
fn absolute(directory: &Path, source: &str) -> PathBuf {
    let path = directory.join(source);
    let resolved = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (resolved, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Puts a record into an object. One that cannot have it stays as it is.
fn attach(object: &Path, record: &Record) {
    let is_file = std::fs::symlink_metadata(object).is_ok_and(|data| data.is_file());
    let Some(bytes) = std::fs::read(object).ok().filter(|_| is_file) else { return };
    let record = record::write_all(std::slice::from_ref(record));
    if let Some(bytes) = elf::with_section(&bytes, SECTION, &record) {
        // Nobody may see half an object; if this fails, the compiler's own is still there.
        let _ = replace(object, &bytes);
    }
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = tempfile::NamedTempFile::new_in(folder)?;
    std::fs::write(new.path(), bytes)?;
    std::fs::set_permissions(new.path(), std::fs::metadata(path)?.permissions())?;
    new.persist(path)?;
    Ok(())
}
