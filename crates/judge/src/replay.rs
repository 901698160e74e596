//! Building the suite, running it, reading its profile.

use crate::copies::Copies;
use crate::coverage::{self, Measured};
use crate::{JudgeError, Tools};
use report::Summary;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const FLUSH: &str = include_str!("../assets/flush.c");
const WRAPPED: &str = "-Wl,--wrap=_exit,--wrap=_Exit,--wrap=quick_exit";
const INSTRUMENT: &str = "-g -O0 -fprofile-instr-generate -fcoverage-mapping";

/// A suite built in a scratch folder that disappears with it.
pub(crate) struct Replay<'a> {
    dir: &'a Path,
    tools: &'a Tools,
    scratch: tempfile::TempDir,
    stems: Vec<String>,
}

/// What one run of all binaries showed.
pub(crate) struct Measurement {
    /// Tests passed.
    pub(crate) passed: usize,
    /// Tests failed.
    pub(crate) failed: usize,
    /// What the binaries with failures printed, by binary.
    pub(crate) failures: Vec<(String, String)>,
    /// Functions of each binary.
    pub(crate) functions: Vec<Vec<Measured>>,
}

impl<'a> Replay<'a> {
    /// Builds all binaries of the suite with clang's coverage instrumentation.
    pub(crate) fn build(
        dir: &'a Path,
        tools: &'a Tools,
        summary: &Summary,
    ) -> Result<Replay<'a>, JudgeError> {
        let scratch = tempfile::Builder::new().prefix("branchwise-check-").tempdir()?;
        let flags = if has_decisions(summary) { " -fcoverage-mcdc" } else { "" };
        Replay::build_into(scratch, dir, tools, summary, flags)
    }

    /// The same with copies in the place of sources.
    pub(crate) fn build_copied(
        dir: &'a Path,
        tools: &'a Tools,
        summary: &Summary,
        copies: &Copies,
    ) -> Result<Replay<'a>, JudgeError> {
        let scratch = tempfile::Builder::new().prefix("branchwise-check-").tempdir()?;
        let overlay = copies.write(scratch.path())?;
        let flags = format!(" -ivfsoverlay '{}'", overlay.display());
        Replay::build_into(scratch, dir, tools, summary, &flags)
    }

    fn build_into(
        scratch: tempfile::TempDir,
        dir: &'a Path,
        tools: &'a Tools,
        summary: &Summary,
        flags: &str,
    ) -> Result<Replay<'a>, JudgeError> {
        build(dir, tools, scratch.path(), &[], "", flags)?;
        let replay = Replay { dir, tools, scratch, stems: Vec::new() };
        let stems = replay.binaries(summary)?;
        Ok(Replay { stems, ..replay })
    }

    /// Units with a binary; only a unit without any test may lack one.
    fn binaries(&self, summary: &Summary) -> Result<Vec<String>, JudgeError> {
        let has_tests = |path: &str| summary.functions.iter().any(|f| f.file == path && !f.tests.is_empty());
        let mut stems = Vec::new();
        for unit in &summary.units {
            let path = self.binary(&unit.stem);
            if path.is_file() {
                stems.push(unit.stem.clone());
            } else if has_tests(&unit.path) {
                return Err(JudgeError::NoBinary { path });
            }
        }
        Ok(stems)
    }

    fn binary(&self, stem: &str) -> PathBuf {
        self.scratch.path().join(format!("test_{stem}"))
    }

    /// Runs every binary with these arguments and reads what llvm-cov makes of it.
    pub(crate) fn measure(&self, arguments: &[&str]) -> Result<Measurement, JudgeError> {
        let mut result = Measurement { passed: 0, failed: 0, failures: Vec::new(), functions: Vec::new() };
        for stem in &self.stems {
            let profiles = tempfile::tempdir_in(self.scratch.path())?;
            let (status, printed) = self.run(stem, arguments, profiles.path())?;
            let (passed, failed) = tally(&printed);
            result.passed += passed;
            result.failed += failed;
            if !status.success() {
                result.failures.push((format!("test_{stem}"), tail(&printed)));
            }
            result.functions.push(self.read(stem, profiles.path())?);
        }
        Ok(result)
    }

    /// What one test alone shows.
    pub(crate) fn measure_alone(&self, stem: &str, test: &str) -> Result<Vec<Measured>, JudgeError> {
        let profiles = tempfile::tempdir_in(self.scratch.path())?;
        self.run(stem, &[test], profiles.path())?;
        self.read(stem, profiles.path())
    }

    /// `%m` lets all processes add up in one file. `%p` would not do: the runtime reads the process id once,
    /// before the tests are forked, and every child would overwrite the file of the one before.
    fn run(
        &self,
        stem: &str,
        arguments: &[&str],
        profiles: &Path,
    ) -> Result<(ExitStatus, String), JudgeError> {
        let binary = self.binary(stem);
        let log = profiles.join("output");
        let file = File::create(&log)?;
        let mut command = Command::new(&binary);
        command.args(arguments).current_dir(self.dir).stdin(Stdio::null());
        command.stdout(file.try_clone()?).stderr(file);
        command.env("LLVM_PROFILE_FILE", profiles.join("%m.profraw"));
        let status = wait(command, &binary, self.tools.seconds)?;
        Ok((status, String::from_utf8_lossy(&std::fs::read(&log)?).into_owned()))
    }

    fn read(&self, stem: &str, profiles: &Path) -> Result<Vec<Measured>, JudgeError> {
        export(self.tools, &self.binary(stem), &self::profiles(profiles)?, profiles)
    }
}

/// Lets the suite's Makefile build into the scratch folder, with objects of ours linked in: the one that writes the
/// profiles of dying processes, and more as `(name, source)`.
pub(crate) fn build(
    dir: &Path,
    tools: &Tools,
    scratch: &Path,
    more: &[(&str, &str)],
    wrapped: &str,
    compiler_flags: &str,
) -> Result<(), JudgeError> {
    let mut flags = format!("-fprofile-instr-generate {WRAPPED}{wrapped}");
    for (name, source) in [("flush", FLUSH)].iter().chain(more) {
        flags += &format!(" '{}'", compile(tools, scratch, name, source)?.display());
    }
    make(dir, tools, scratch, &[format!("CFLAGS={INSTRUMENT}{compiler_flags}"), format!("LDFLAGS={flags}")])
}

/// Whether conditions of decisions are claimed to be shown.
fn has_decisions(summary: &Summary) -> bool {
    summary.settings.criterion == "mcdc"
}

/// Lets the suite's Makefile build into a folder, with these of its variables set.
pub(crate) fn make(dir: &Path, tools: &Tools, out: &Path, variables: &[String]) -> Result<(), JudgeError> {
    let mut make = Command::new(&tools.make);
    make.arg("-C").arg(dir).arg("build").arg(format!("CC={}", tools.clang)).args(variables);
    make.arg(format!("OUT={}", out.display()));
    // A make that runs us must not talk to the make we run.
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
        make.env_remove(name);
    }
    output(&mut make, "building the suite").map(drop)
}

fn compile(tools: &Tools, scratch: &Path, name: &str, text: &str) -> Result<PathBuf, JudgeError> {
    let source = scratch.join(format!("{name}.c"));
    let object = scratch.join(format!("branchwise-{name}.o"));
    std::fs::write(&source, text)?;
    let mut clang = Command::new(&tools.clang);
    clang.arg("-c").arg(&source).arg("-o").arg(&object);
    output(&mut clang, "compiling the profile writer")?;
    Ok(object)
}

/// The raw profiles in a folder.
pub(crate) fn profiles(folder: &Path) -> Result<Vec<PathBuf>, JudgeError> {
    let paths = std::fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|e| e.path()));
    Ok(paths.filter(|path| path.extension() == Some(OsStr::new("profraw"))).collect())
}

/// What llvm-cov makes of the profiles of a binary.
pub(crate) fn export<P: AsRef<OsStr>>(
    tools: &Tools,
    binary: &Path,
    profiles: &[P],
    scratch: &Path,
) -> Result<Vec<Measured>, JudgeError> {
    let merged = scratch.join("merged.profdata");
    let mut profdata = Command::new(&tools.profdata);
    output(profdata.args(["merge", "-o"]).arg(&merged).args(profiles), "merging the profiles")?;
    let mut cov = Command::new(&tools.cov);
    cov.arg("export").arg(binary).arg("-instr-profile").arg(&merged);
    coverage::read(&output(&mut cov, "llvm-cov export")?)
}

/// Standard output of a program that must succeed.
fn output(command: &mut Command, what: &str) -> Result<Vec<u8>, JudgeError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let out = command.stdin(Stdio::null()).output().map_err(|source| JudgeError::Tool { program, source })?;
    if out.status.success() {
        return Ok(out.stdout);
    }
    let printed = [out.stdout, out.stderr].concat();
    Err(JudgeError::Failed { what: what.to_owned(), output: tail(&String::from_utf8_lossy(&printed)) })
}

pub(crate) fn wait(mut command: Command, binary: &Path, seconds: u64) -> Result<ExitStatus, JudgeError> {
    let program = binary.display().to_string();
    let mut child = command.spawn().map_err(|source| JudgeError::Tool { program, source })?;
    let deadline = Instant::now() + Duration::from_secs(seconds);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Err(JudgeError::Hangs { path: binary.to_owned(), seconds });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The numbers of the last line `N passed, M failed`.
fn tally(printed: &str) -> (usize, usize) {
    let read = |line: &str| {
        let (passed, rest) = line.trim().split_once(" passed, ")?;
        Some((passed.parse().ok()?, rest.strip_suffix(" failed")?.parse().ok()?))
    };
    printed.lines().rev().find_map(read).unwrap_or_default()
}

/// The last lines of a long output: where the trouble is.
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tally_counts() {
        assert_eq!(tally("1 passed, 2 failed\nnoise\n12 passed, 0 failed\n"), (12, 0));
        assert_eq!(tally("nothing passed, 0 failed"), (0, 0));
        assert_eq!(tally(""), (0, 0));
    }
}
