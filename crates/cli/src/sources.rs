//! From the paths on the command line to translation units.

use crate::args::SourceArgs;
use crate::failure::Failure;
use c_frontend::{SourceUnit, keep_flags};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One entry of a compilation database.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// Finds the translation units named by the user.
pub(crate) fn resolve(args: &SourceArgs) -> Result<Vec<SourceUnit>, Failure> {
    let mut units: Vec<SourceUnit> = Vec::new();
    for path in &args.paths {
        let path = path.canonicalize().map_err(|e| Failure::file(path, &e))?;
        if path.is_dir() {
            units.extend(folder(&path, args)?);
        } else if path.extension().is_some_and(|e| e == "json") {
            units.extend(database(&path)?);
        } else if path.extension().is_some_and(|e| e == "h") {
            return Err(Failure::input(format!(
                "{} is a header: it has no functions of its own",
                path.display()
            ))
            .hint("name a .c file that includes it"));
        } else {
            units.push(single(path, args)?);
        }
    }
    let mut seen = BTreeSet::new();
    units.retain(|unit| seen.insert(unit.path.clone()));
    if units.is_empty() {
        return Err(Failure::input("there is no C file in what you named"));
    }
    Ok(units)
}

fn single(path: PathBuf, args: &SourceArgs) -> Result<SourceUnit, Failure> {
    if args.cflags.is_empty()
        && let Some(database_path) = nearest_database(&path)
        && let Some(unit) = database(&database_path)?.into_iter().find(|unit| unit.path == path)
    {
        return Ok(unit);
    }
    let directory = std::env::current_dir().map_err(|e| Failure::file(Path::new("."), &e))?;
    let flags = keep_flags(&args.cflags, &path.to_string_lossy());
    Ok(SourceUnit { path, flags, directory })
}

fn nearest_database(file: &Path) -> Option<PathBuf> {
    file.ancestors()
        .skip(1)
        .flat_map(|folder| {
            ["compile_commands.json", "build/compile_commands.json"].map(|name| folder.join(name))
        })
        .find(|candidate| candidate.is_file())
}

fn folder(path: &Path, args: &SourceArgs) -> Result<Vec<SourceUnit>, Failure> {
    if args.cflags.is_empty() {
        for name in ["compile_commands.json", "build/compile_commands.json"] {
            if path.join(name).is_file() {
                return database(&path.join(name));
            }
        }
    }
    let mut files = Vec::new();
    collect(path, &mut files)?;
    files.sort();
    files.into_iter().map(|file| single(file, args)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let entries = std::fs::read_dir(folder).map_err(|e| Failure::file(folder, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| Failure::file(folder, &e))?;
        let path = entry.path();
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.');
        // A folder of ours holds test files that are no part of the program.
        let ours = path.join("summary.json").exists();
        if entry.file_type().is_ok_and(|t| t.is_dir()) && !hidden && !ours {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "c") {
            files.push(path);
        }
    }
    Ok(())
}

fn database(path: &Path) -> Result<Vec<SourceUnit>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| Failure::file(path, &e))?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|e| Failure::input(format!("{}: not a compilation database: {e}", path.display())))?;
    let base = path.parent().unwrap_or(Path::new("/"));
    let mut units = Vec::new();
    for entry in entries {
        let directory = base.join(&entry.directory);
        let file = directory.join(&entry.file);
        if file.extension().is_none_or(|e| e != "c") {
            continue;
        }
        let arguments = match (entry.arguments, entry.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => shell_words::split(&command).map_err(|e| {
                Failure::input(format!("{}: command of {}: {e}", path.display(), file.display()))
            })?,
            (None, None) => Vec::new(),
        };
        let flags = keep_flags(arguments.get(1..).unwrap_or_default(), &entry.file.to_string_lossy());
        let file = file.canonicalize().map_err(|e| Failure::file(&file, &e))?;
        units.push(SourceUnit { path: file, flags, directory });
    }
    Ok(units)
}
