//! Writing the output folder.

use crate::args::{Criterion, McdcArg};
use crate::failure::Failure;
use c_frontend::{Built, SourceUnit};
use campaign::{Budget, Settings};
use emit::program::{ProgramEmitter, ProgramSuite};
use emit::{EmitJob, Emitter};
use report::{ProgramTests, ReportSettings, RunReport};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use suite::FunctionResult;

/// A finished run.
pub(crate) struct Run<'a> {
    pub(crate) built: &'a Built,
    pub(crate) units: &'a [SourceUnit],
    pub(crate) results: &'a [FunctionResult],
    pub(crate) settings: &'a Settings,
    pub(crate) budget: &'a str,
    pub(crate) criterion: Criterion,
    /// `&` and `|` of truth values make decisions.
    pub(crate) bitwise_decisions: bool,
    /// The file of obligations, if only those were asked for.
    pub(crate) obligations: Option<&'a Path>,
    /// The tests of a whole program.
    pub(crate) whole: Option<Whole<'a>>,
}

/// What is special about the run of a whole program.
pub(crate) struct Whole<'a> {
    pub(crate) tests: ProgramTests<'a>,
    /// The beginning of the command.
    pub(crate) command: Vec<String>,
}

/// The output folder, known to be writable.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder and tries to write to it, before hours of work depend on it.
    pub(crate) fn create(path: &Path) -> Result<Folder, Failure> {
        std::fs::create_dir_all(path).map_err(|e| Failure::file(path, &e))?;
        let probe = path.join(".branchwise-probe");
        std::fs::write(&probe, "")
            .map_err(|e| Failure::file(path, &e).hint("choose another folder with --out"))?;
        let _ = std::fs::remove_file(&probe);
        Ok(Folder { path: path.to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes tests and reports.
    pub(crate) fn write(&self, run: &Run<'_>, emitter: &dyn Emitter) -> Result<(), Failure> {
        let program = emit::with_needed_stubs(&run.built.program, run.results);
        let job = EmitJob { program: &program, results: run.results, units: units(run.built, run.units) };
        for file in emitter.emit(&job) {
            self.put(&file.path, &file.contents)?;
        }
        self.write_reports(run)
    }

    /// Writes the suite of a whole program, and reports.
    pub(crate) fn write_program(
        &self,
        run: &Run<'_>,
        format: &dyn ProgramEmitter,
        suite: &ProgramSuite,
    ) -> Result<(), Failure> {
        self.put_suite(format, suite)?;
        self.write_reports(run)
    }

    /// Writes the suite of a whole program alone.
    pub(crate) fn put_suite(&self, format: &dyn ProgramEmitter, suite: &ProgramSuite) -> Result<(), Failure> {
        let files = format.emit(suite).map_err(|unfit| Failure::input(unfit.to_string()))?;
        for folder in format.folders() {
            // Tests of an earlier suite would run beside those of this one.
            let path = self.path.join(folder);
            match std::fs::remove_dir_all(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Failure::file(&path, &e)),
                _ => {}
            }
        }
        for file in files {
            self.put(&file.path, &file.contents)?;
        }
        Ok(())
    }

    fn write_reports(&self, run: &Run<'_>) -> Result<(), Failure> {
        let sources = sources(run.built);
        let report = run.report(&sources);
        for kind in report::all() {
            let text = kind.file.map(|name| (name, (kind.render)(&report)));
            if let Some((name, text)) = text.filter(|(_, text)| !text.is_empty()) {
                self.put(name, text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// The same, with the right to be run.
    pub(crate) fn put_executable(
        &self,
        name: &str,
        contents: &[u8],
        executable: bool,
    ) -> Result<(), Failure> {
        self.put(name, contents)?;
        let path = self.path.join(name);
        if executable {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&path, mode).map_err(|e| Failure::file(&path, &e))?;
        }
        Ok(())
    }

    /// Writes a file whole or not at all: a reader never sees half of it.
    pub(crate) fn put(&self, name: &str, contents: &[u8]) -> Result<(), Failure> {
        let path = self.path.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| Failure::file(folder, &e))?;
        }
        let temporary = path.with_extension("part");
        let written = std::fs::write(&temporary, contents).and_then(|()| std::fs::rename(&temporary, &path));
        written.map_err(|e| {
            let _ = std::fs::remove_file(&temporary);
            Failure::file(&path, &e)
        })
    }
}

/// The units for whoever writes tests.
pub(crate) fn units(built: &Built, units: &[SourceUnit]) -> Vec<emit::Unit> {
    let sources = sources(built);
    let unit = |(unit, stem): (&SourceUnit, String)| {
        let file = file_index(built, unit);
        emit::Unit {
            file,
            path: unit.path.to_string_lossy().into_owned(),
            stem,
            flags: unit.flags.clone(),
            directory: unit.directory.to_string_lossy().into_owned(),
            source: sources.iter().find(|(f, _)| *f == file).map(|(_, text)| text.clone()),
        }
    };
    units.iter().zip(stems(units)).map(unit).collect()
}

fn file_index(built: &Built, unit: &SourceUnit) -> u32 {
    let path = unit.path.to_string_lossy();
    built.program.files.iter().position(|f| f.path == path).unwrap_or(0) as u32
}

/// The texts of all files that functions or branches are in.
pub(crate) fn sources(built: &Built) -> Vec<(u32, String)> {
    let read = |(i, file): (usize, &model::SourceFile)| {
        let bytes = std::fs::read(&file.path).ok()?;
        Some((i as u32, String::from_utf8_lossy(&bytes).into_owned()))
    };
    built.program.files.iter().enumerate().filter_map(read).collect()
}

impl Run<'_> {
    fn report<'r>(&'r self, sources: &'r [(u32, String)]) -> RunReport<'r> {
        let units = self
            .units
            .iter()
            .zip(stems(self.units))
            .map(|(unit, stem)| report::Unit {
                file: file_index(self.built, unit),
                stem,
                path: unit.path.to_string_lossy().into_owned(),
                flags: unit.flags.clone(),
                directory: unit.directory.to_string_lossy().into_owned(),
            })
            .collect();
        RunReport {
            program: &self.built.program,
            results: self.results,
            whole: self.whole.as_ref().map(|whole| whole.tests),
            sources,
            settings: ReportSettings {
                engine: self.settings.engine.clone(),
                seed: self.settings.seed,
                budget: self.budget.to_owned(),
                criterion: self.criterion.name().to_owned(),
                mcdc: (self.criterion == Criterion::Mcdc)
                    .then(|| McdcArg::from(self.settings.mcdc).name().to_owned()),
                obligations: self.obligations.map(told),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                command: self.command(),
                units,
                making: None,
                candidates: BTreeMap::new(),
                deterministic: matches!(self.settings.budget, Budget::Executions(_)),
                problems: Vec::new(),
            },
        }
    }

    /// A command that repeats the run; not the one typed, whose paths may be relative to elsewhere.
    fn command(&self) -> String {
        let mut words = vec!["branchwise".to_owned()];
        match &self.whole {
            Some(whole) => words.extend(whole.command.iter().cloned()),
            None => {
                words.push("gen".to_owned());
                words.extend(self.units.iter().map(|u| u.path.to_string_lossy().into_owned()));
            }
        }
        if self.criterion != Criterion::Branch {
            let variant = McdcArg::from(self.settings.mcdc).name();
            words.extend(["--criterion", self.criterion.name(), "--mcdc", variant].map(String::from));
            words.extend(self.bitwise_decisions.then(|| "--bitwise-decisions".to_owned()));
        }
        if let Some(path) = self.obligations {
            words.extend(["--obligations".to_owned(), told(path)]);
        }
        let seed = self.settings.seed.to_string();
        words.extend(
            ["--engine", &self.settings.engine, "--budget", self.budget, "--seed", &seed].map(String::from),
        );
        shell_words::join(words)
    }
}

/// A path that does not hang on the folder one stands in.
fn told(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

fn stems(units: &[SourceUnit]) -> Vec<String> {
    let paths: Vec<String> = units.iter().map(|u| u.path.to_string_lossy().into_owned()).collect();
    emit::unique_stems(paths.iter().map(String::as_str))
}

/// Prints the table at the end of a run.
pub(crate) fn print_table(run: &Run<'_>, out: &Path) {
    let sources = sources(run.built);
    let mut report = run.report(&sources);
    report.settings.deterministic = false;
    println!("{}", report::table(&report).trim_end());
    println!("\ntests   make -C {0}\nreport  {0}/report.html", shell_words::quote(&out.to_string_lossy()));
}
