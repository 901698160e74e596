//! Running clang: source in, bitcode with debug information and coverage mapping out.

use crate::checks;
use crate::flags::{AS_WRITTEN, DEFINED};
use crate::headers;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A C source file and how to compile it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceUnit {
    /// The file, absolute.
    pub path: PathBuf,
    /// The user's flags, without input, output, `-c` and optimisation level.
    pub flags: Vec<String>,
    /// Where the compiler runs.
    pub directory: PathBuf,
}

/// The compiler did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum ClangError {
    /// No clang.
    #[error("cannot run {program}: {source}")]
    Missing {
        /// What was tried.
        program: String,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The user's source does not compile; these are the compiler's own words.
    #[error("{}", diagnostics.trim_end())]
    Rejected {
        /// What clang printed.
        diagnostics: String,
    },
    /// The compiled parts do not fit together; these are the linker's own words.
    #[error("{}", diagnostics.trim_end())]
    Unlinkable {
        /// What the linker printed.
        diagnostics: String,
    },
}

/// The compiler to use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clang {
    /// Program name or path.
    pub program: OsString,
    /// Whether code under test is to check for errors, see [`model::Check`].
    pub checks: bool,
}

impl Default for Clang {
    fn default() -> Self {
        Clang {
            program: std::env::var_os("BRANCHWISE_CLANG").unwrap_or_else(|| "clang-19".into()),
            checks: false,
        }
    }
}

impl Clang {
    /// The same compiler, with or without checks for errors.
    #[must_use]
    pub fn with_checks(self, checks: bool) -> Clang {
        Clang { checks, ..self }
    }

    /// Compiles one file to bitcode at `output`.
    ///
    /// # Errors
    /// When clang is missing or rejects the source.
    pub fn compile(&self, unit: &SourceUnit, output: &Path) -> Result<(), ClangError> {
        self.run(self.counted(unit, output))
    }

    /// The same, with decisions in the coverage mapping, and code for them that nobody wants.
    pub(crate) fn compile_with_decisions(&self, unit: &SourceUnit, output: &Path) -> Result<(), ClangError> {
        let mut command = self.counted(unit, output);
        command.arg("-fcoverage-mcdc");
        self.run(command)
    }

    fn counted(&self, unit: &SourceUnit, output: &Path) -> Command {
        let mut command = self.analysed(unit);
        if self.checks {
            command.args(checks::FLAGS);
        }
        command
            .args([
                "-fprofile-instr-generate",
                "-fcoverage-mapping",
                "-mllvm",
                "-enable-name-compression=false",
            ])
            .args(["-emit-llvm", "-c", "-o"])
            .arg(output)
            // Whatever its name is: the user says that it is C.
            .args(["-x", "c"])
            .arg(&unit.path);
        command
    }

    /// Compiles one file to bitcode whose branches are nobody's goals.
    pub(crate) fn compile_uncounted(&self, unit: &SourceUnit, output: &Path) -> Result<(), ClangError> {
        let mut command = self.analysed(unit);
        command.args(["-emit-llvm", "-c", "-o"]).arg(output).arg(&unit.path);
        self.run(command)
    }

    /// The same, and of warnings those that the source itself makes errors are errors.
    pub(crate) fn compile_strictly(&self, unit: &SourceUnit, output: &Path) -> Result<(), ClangError> {
        let mut command = self.analysed_with(unit, "-Wno-everything");
        command.args(["-emit-llvm", "-c", "-o"]).arg(output).arg(&unit.path);
        self.run(command)
    }

    /// A compiler for code that will be taken apart.
    fn analysed(&self, unit: &SourceUnit) -> Command {
        self.analysed_with(unit, "-w")
    }

    /// The same, with a flag that says what becomes of warnings.
    fn analysed_with(&self, unit: &SourceUnit, warnings: &str) -> Command {
        let mut command = self.command();
        command
            .current_dir(&unit.directory)
            .args(unit.flags.iter().filter(|flag| !is_binary(flag)))
            .args(DEFINED)
            .args(AS_WRITTEN)
            .arg(warnings);
        command
    }

    /// Compiles every unit to the output of the same place, as many at a time as there are processors.
    pub(crate) fn compile_all(
        &self,
        units: &[SourceUnit],
        outputs: &[PathBuf],
    ) -> Vec<Result<(), ClangError>> {
        let jobs: Vec<_> = units.iter().zip(outputs).collect();
        for_all(&jobs, |(unit, output)| self.compile(unit, output))
    }

    /// The same, without goals.
    pub(crate) fn compile_all_uncounted(
        &self,
        units: &[SourceUnit],
        outputs: &[PathBuf],
    ) -> Vec<Result<(), ClangError>> {
        let jobs: Vec<_> = units.iter().zip(outputs).collect();
        for_all(&jobs, |(unit, output)| self.compile_uncounted(unit, output))
    }

    /// The syntax trees of everything in a unit whose name contains `name`, as JSON, one after the other.
    ///
    /// # Errors
    /// When clang is missing or rejects the source.
    pub(crate) fn declarations(&self, unit: &SourceUnit, name: &str) -> Result<Vec<u8>, ClangError> {
        let mut command = self.analysed(unit);
        command.args(["-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang"]);
        command.arg(format!("-ast-dump-filter={name}")).args(["-x", "c"]).arg(&unit.path);
        self.output(command)
    }

    /// The syntax tree of a whole unit, as JSON.
    ///
    /// # Errors
    /// When clang is missing or rejects the source.
    pub(crate) fn syntax(&self, unit: &SourceUnit) -> Result<Vec<u8>, ClangError> {
        let mut command = self.analysed(unit);
        command.args(["-fsyntax-only", "-Xclang", "-ast-dump=json", "-x", "c"]).arg(&unit.path);
        self.output(command)
    }

    /// What clang has to say against a unit in which files are replaced, see its `-ivfsoverlay`.
    ///
    /// # Errors
    /// When clang is missing.
    pub(crate) fn complaints(&self, unit: &SourceUnit, replaced: &Path) -> Result<String, ClangError> {
        let mut command = self.analysed(unit);
        command.args(["-fsyntax-only", "-ferror-limit=0", "-ivfsoverlay"]).arg(replaced);
        command.args(["-x", "c"]).arg(&unit.path);
        match self.output(command) {
            Ok(_) => Ok(String::new()),
            Err(ClangError::Rejected { diagnostics }) => Ok(diagnostics),
            Err(error) => Err(error),
        }
    }

    /// Links objects to a shared object, with the libraries among `flags`.
    ///
    /// The system's own compiler driver and linker do it in a third of the time of clang and lld, which both
    /// begin by loading LLVM.
    ///
    /// # Errors
    /// When clang is missing or the linker complains.
    pub fn link(&self, objects: &[PathBuf], flags: &[String], output: &Path) -> Result<(), ClangError> {
        let link = |mut command: Command| {
            command.env("LC_ALL", "C").args(["-shared", "-Wl,-z,now", "-Wl,--build-id=none", "-o"]);
            command.arg(output).args(objects).args(flags).arg("-lm");
            self.run(command).map_err(|error| match error {
                ClangError::Rejected { diagnostics } => ClangError::Unlinkable { diagnostics },
                other => other,
            })
        };
        match link(quiet_command("gcc")) {
            Err(ClangError::Missing { .. }) => link(self.command()),
            done => done,
        }
    }

    fn command(&self) -> Command {
        quiet_command(&self.program)
    }

    fn run(&self, command: Command) -> Result<(), ClangError> {
        self.output(command).map(drop)
    }

    /// What a command prints.
    fn output(&self, mut command: Command) -> Result<Vec<u8>, ClangError> {
        let output = command.output().map_err(|source| ClangError::Missing {
            program: self.program.to_string_lossy().into_owned(),
            source,
        })?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let diagnostics = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(ClangError::Rejected { diagnostics })
    }
}

/// Does something with every item, as many at a time as there are processors; results in the order of the items.
pub(crate) fn for_all<T: Sync, R: Send + Sync>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let _ = results[i].set(work(item));
                }
            });
        }
    });
    results.into_iter().map(|result| result.into_inner().expect("all were taken")).collect()
}

fn quiet_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(std::process::Stdio::null()).envs(headers::search_path());
    command
}

/// What remains of a compile command's arguments when input, output and code generation are ours: drops `-c`,
/// `-o X`, `-O…`, `-g…`, dependency output and the input file itself.
#[must_use]
pub fn keep_flags(arguments: &[String], input: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-c" | "-S" | "-E" | "-MD" | "-MMD" | "-MP" | "-M" | "-MM" | "--coverage" | "-Werror" | "-pg" => {
            }
            "-o" | "-MF" | "-MT" | "-MQ" | "-MJ" | "-serialize-diagnostics" | "--serialize-diagnostics" => {
                arguments.next();
            }
            other if other == input => {}
            other if is_ours(other) => {}
            other => kept.push(other.to_owned()),
        }
    }
    kept
}

/// Whether an argument is something to link with and not a flag.
pub(crate) fn is_binary(argument: &str) -> bool {
    !argument.starts_with('-') && [".a", ".o", ".so"].iter().any(|suffix| argument.ends_with(suffix))
}

/// Whether a flag is about the form of the code, debug information and measurement, which we choose, or makes the
/// compiler write further files.
fn is_ours(flag: &str) -> bool {
    const CODE: [&str; 8] =
        ["-O", "-g", "-o", "-flto", "-ffat-lto", "-fsanitize", "-finstrument-functions", "-Werror="];
    const MEASUREMENT: [&str; 3] = ["-fprofile", "-fcoverage", "-ftest-coverage"];
    const DEBUG: [&str; 2] = ["-fdebug-", "-ffile-prefix-map"];
    const FILES: [&str; 6] = [
        "-Wp,-M",
        "-save-temps",
        "--save-temps",
        "-ftime-trace",
        "-fsave-optimization",
        "-foptimization-record",
    ];
    let ours = CODE.iter().chain(&MEASUREMENT).chain(&DEBUG).chain(&FILES);
    ours.into_iter().any(|prefix| flag.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_meaning_is_kept() {
        let arguments: Vec<String> = "-DX=1 -O2 -g3 -c a.c -o a.o -I inc -MD -MF a.d -std=c17 -Wall -lm"
            .split(' ')
            .map(str::to_owned)
            .collect();
        assert_eq!(keep_flags(&arguments, "a.c"), ["-DX=1", "-I", "inc", "-std=c17", "-Wall", "-lm"]);
    }
}
