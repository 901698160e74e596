//! Asks the compiler for the decisions of sources.

use super::form::Form;
use super::{Condition, Mark, Part, SourceDecisions, Written};
use crate::jdk::Jdk;
use crate::sources::{ClassPath, SourceError, files_below};
use java_classfile::ClassFile;
use model::Position;
use std::path::Path;
use std::process::Command;

/// The program that asks: names of class files and their bytes.
const PROGRAM: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/decisions.rs"));
const PACKAGE: &str = "branchwise/source";

impl SourceDecisions {
    /// Of the sources that classes were compiled from; nothing if there are none. Works in `scratch`, an empty folder of the caller.
    ///
    /// # Errors
    /// When the compiler cannot be asked.
    pub fn read(classes: &ClassPath, scratch: &Path) -> Result<SourceDecisions, SourceError> {
        if classes.sources.is_empty() {
            return Ok(SourceDecisions::default());
        }
        let failed =
            |error: std::io::Error| SourceError::Path { path: scratch.to_owned(), why: error.to_string() };
        let (program, compiled) = (scratch.join("program"), scratch.join("classes"));
        let package = program.join(PACKAGE);
        std::fs::create_dir_all(&package).map_err(failed)?;
        std::fs::create_dir_all(&compiled).map_err(failed)?;
        for (name, bytes) in PROGRAM {
            std::fs::write(package.join(name), bytes).map_err(failed)?;
        }
        let mut options = classes.compiler_options(&compiled)?;
        options.push("-Xjcov".into());
        let lines = |list: &[std::ffi::OsString]| -> String {
            list.iter().map(|line| format!("{}\n", line.to_string_lossy())).collect()
        };
        let sources: Vec<_> = classes.sources.iter().map(|path| path.as_os_str().to_owned()).collect();
        let [options_file, sources_file] = ["options.txt", "sources.txt"].map(|name| scratch.join(name));
        std::fs::write(&options_file, lines(&options)).map_err(failed)?;
        std::fs::write(&sources_file, lines(&sources)).map_err(failed)?;
        let output = Command::new(Jdk::find().java_of_compiler())
            .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"])
            .args(["--add-exports", "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED"])
            .args(["--add-exports", "jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED"])
            .arg("-cp")
            .arg(&program)
            .arg(format!("{}.Decisions", PACKAGE.replace('/', ".")))
            .args([&options_file, &sources_file])
            .output()
            .map_err(|error| SourceError::NoCompiler(error.to_string()))?;
        if !output.status.success() {
            return Err(SourceError::NoDecisions {
                words: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        let mut decisions = SourceDecisions::default();
        read(&String::from_utf8_lossy(&output.stdout), &mut decisions)
            .ok_or_else(|| SourceError::NoDecisions { words: "it does not say what it should".to_owned() })?;
        for file in files_below(&compiled)? {
            let class = std::fs::read(&file).ok().and_then(|bytes| ClassFile::read(&bytes).ok());
            decisions.twins.extend(class.map(|class| (class.name.clone(), class)));
        }
        Ok(decisions)
    }
}

/// Reads what the program prints.
fn read(text: &str, into: &mut SourceDecisions) -> Option<()> {
    let mut file = None;
    for line in text.lines() {
        let mut parts = line.split('\t');
        let (kind, rest) = (parts.next()?, parts.next());
        match kind {
            "file" => file = Some(into.files.entry(rest?.to_owned()).or_default()),
            "decision" => file.as_mut()?.push(Written {
                part: part(rest?)?,
                form: Form::read(parts.next()?)?,
                conditions: Vec::new(),
            }),
            "condition" => file.as_mut()?.last_mut()?.conditions.push(Condition {
                part: part(rest?)?,
                marks: Vec::new(),
                is_choice: false,
                is_instance: false,
            }),
            _ => {
                let condition = file.as_mut()?.last_mut()?.conditions.last_mut()?;
                match kind {
                    "choice" => condition.is_choice = true,
                    "instance" => condition.is_instance = true,
                    _ => condition.marks.push(mark(kind, rest?)?),
                }
            }
        }
    }
    let fits = |written: &Written| written.form.conditions() == written.conditions.len();
    into.files.values().flatten().all(fits).then_some(())
}

/// `own+` or `tail-`, and a range.
fn mark(kind: &str, range: &str) -> Option<Mark> {
    let is_negated = kind.ends_with('-');
    let is_own = match kind.strip_suffix(['+', '-'])? {
        "own" => true,
        "tail" => false,
        _ => return None,
    };
    let Part { start, end } = part(range)?;
    Some(Mark { range: [start, end].map(|at| (at.line, at.column)), is_own, is_negated })
}

/// `5:13-5:20`
fn part(text: &str) -> Option<Part> {
    let position = |text: &str| {
        let (line, column) = text.split_once(':')?;
        Some(Position { line: line.parse().ok()?, column: column.parse().ok()? })
    };
    let (start, end) = text.split_once('-')?;
    Some(Part { start: position(start)?, end: position(end)? })
}
