//! From what the user names, class files, jars, folders and sources, to classes.
//!
//! Sources are compiled all together by the `javac` of the [user](Jdk), with `-g`, into a folder of the caller. A folder that has class
//! files is one of classes, whatever else is in it; otherwise its sources count. Of jars with code for several versions of
//! Java that is read which the user's virtual machine loads. Nothing is left out silently: what cannot be read is listed with the reason.

use crate::archive::Archive;
use crate::jdk::Jdk;
use java_classfile::ClassFile;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use thiserror::Error;

/// Options with which the compiler, a Java program itself, takes least for what is compiled in a second.
const QUICK: [&str; 2] = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"];

/// Why there are no classes to work with.
#[derive(Debug, Error)]
pub enum SourceError {
    /// A path that is not there, or cannot be looked into.
    #[error("{}: {why}", .path.display())]
    Path {
        /// As the user named it.
        path: PathBuf,
        /// In the words of the system.
        why: String,
    },
    /// A path that is neither of the kinds that are understood.
    #[error("{}: not a class file, a jar, a Java source or a folder of them", .0.display())]
    Kind(PathBuf),
    /// The sources do not compile.
    #[error("javac refuses the sources:\n{words}")]
    Compile {
        /// What javac says.
        words: String,
    },
    /// There is no compiler, or it cannot be started.
    #[error("javac cannot be started: {0}")]
    NoCompiler(String),
    /// The compiler does not say what decisions the sources have.
    #[error("the compiler does not tell the decisions of the sources:\n{words}")]
    NoDecisions {
        /// What it says instead.
        words: String,
    },
    /// Nothing of what was named holds a class.
    #[error("no classes")]
    Empty,
}

/// A class that tests are wanted for.
#[derive(Clone, Debug)]
pub struct ClassEntry {
    /// Internal name.
    pub name: String,
    /// The class file.
    pub bytes: Vec<u8>,
    /// Where it was found: a path, for a jar with the entry behind `!`.
    pub origin: String,
    /// The class file, read.
    pub class: ClassFile,
}

/// Something that was found and is no class that can be worked with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable {
    /// Where it was found.
    pub origin: String,
    /// What is wrong.
    pub why: String,
}

/// The classes of the user.
#[derive(Clone, Debug, Default)]
pub struct ClassPath {
    /// Those that tests are wanted for, by name.
    pub own: Vec<ClassEntry>,
    /// What was found and cannot be used.
    pub unreadable: Vec<Unreadable>,
    /// By jar: what it has for versions of Java, and what became of it.
    pub versions: Vec<Unreadable>,
    /// Folders and jars that a JVM finds the own classes in.
    pub roots: Vec<PathBuf>,
    /// Folders and jars with what they depend on.
    pub dependencies: Vec<PathBuf>,
    /// The sources that own classes were compiled from.
    pub sources: Vec<PathBuf>,
    /// The folders that their packages begin in.
    pub source_roots: Vec<PathBuf>,
}

impl ClassPath {
    /// Reads what the user names. Sources are compiled into `scratch`, which must be an empty folder of the caller.
    pub fn read(
        paths: &[PathBuf],
        dependencies: &[PathBuf],
        scratch: &Path,
    ) -> Result<ClassPath, SourceError> {
        let mut reader = Reader::default();
        for path in paths {
            reader.take(path)?;
        }
        if !reader.sources.is_empty() {
            reader.compile(dependencies, scratch)?;
        }
        if reader.own.is_empty() && reader.unreadable.is_empty() {
            return Err(SourceError::Empty);
        }
        Ok(ClassPath {
            source_roots: reader.source_roots().into_iter().collect(),
            own: reader.own.into_values().collect(),
            unreadable: reader.unreadable,
            versions: reader.versions,
            roots: reader.roots,
            dependencies: dependencies.to_vec(),
            sources: reader.sources.into_keys().collect(),
        })
    }

    /// What a JVM needs as its class path: own classes first.
    #[must_use]
    pub fn entries(&self) -> Vec<PathBuf> {
        self.roots.iter().chain(&self.dependencies).cloned().collect()
    }

    /// What tells the compiler to compile the sources once more into a folder.
    pub(crate) fn compiler_options(&self, to: &Path) -> Result<Vec<OsString>, SourceError> {
        compiler_options(to, self.source_roots.iter(), self.entries().iter())
    }
}

#[derive(Default)]
struct Reader {
    own: BTreeMap<String, ClassEntry>,
    unreadable: Vec<Unreadable>,
    versions: Vec<Unreadable>,
    roots: Vec<PathBuf>,
    /// Sources, each with the folder that its package begins in, if that is known.
    sources: BTreeMap<PathBuf, Option<PathBuf>>,
}

impl Reader {
    fn take(&mut self, path: &Path) -> Result<(), SourceError> {
        let failed =
            |error: std::io::Error| SourceError::Path { path: path.to_owned(), why: error.to_string() };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return self.take_folder(path);
        }
        match extension(path) {
            Some("class") => self.take_class_file(path),
            Some("java") => {
                self.sources.insert(path.to_owned(), None);
            }
            Some("jar" | "zip" | "war") => self.take_jar(path)?,
            _ => return Err(SourceError::Kind(path.to_owned())),
        }
        Ok(())
    }

    fn take_folder(&mut self, folder: &Path) -> Result<(), SourceError> {
        let files = files_below(folder)?;
        let of = |kind: &'static str| files.iter().filter(move |file| extension(file) == Some(kind));
        if of("class").next().is_some() {
            self.root(folder);
            for file in of("class").filter(|file| !is_description(&file.to_string_lossy())) {
                self.read_file(file);
            }
            return Ok(());
        }
        self.sources.extend(of("java").map(|file| (file.clone(), Some(folder.to_owned()))));
        Ok(())
    }

    fn take_class_file(&mut self, path: &Path) {
        let Some(name) = self.read_file(path) else { return };
        // The folder that the package begins in, if the file lies where its name says.
        let depth = name.split('/').count();
        let root = path.ancestors().nth(depth).map(Path::to_owned);
        let lies_there = |root: &PathBuf| root.join(format!("{name}.class")) == path;
        if let Some(root) = root.filter(lies_there) {
            self.root(if root.as_os_str().is_empty() { Path::new(".") } else { &root });
        }
    }

    fn take_jar(&mut self, path: &Path) -> Result<(), SourceError> {
        let failed = |why| SourceError::Path { path: path.to_owned(), why };
        let mut archive = Archive::open(path).map_err(failed)?;
        self.root(path);
        let note = |why: &String| Unreadable { origin: path.display().to_string(), why: why.clone() };
        self.versions.extend(archive.notes.iter().map(note));
        let mut names = archive.names();
        names.sort_unstable();
        let is_class = |name: &&String| {
            name.ends_with(".class") && !name.starts_with("META-INF/") && !is_description(name)
        };
        for name in names.iter().filter(is_class) {
            let origin = format!("{}!{}", path.display(), archive.place(name));
            match archive.read(name) {
                Ok(bytes) => drop(self.add(bytes, origin)),
                Err(why) => self.unreadable.push(Unreadable { origin, why }),
            }
        }
        Ok(())
    }

    fn read_file(&mut self, path: &Path) -> Option<String> {
        let origin = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => self.add(bytes, origin),
            Err(error) => {
                self.unreadable.push(Unreadable { origin, why: error.to_string() });
                None
            }
        }
    }

    /// Adds a class and says its name, unless it cannot be read or is there already.
    fn add(&mut self, bytes: Vec<u8>, origin: String) -> Option<String> {
        let class = match ClassFile::read(&bytes) {
            Ok(class) => class,
            Err(error) => {
                self.unreadable.push(Unreadable { origin, why: error.to_string() });
                return None;
            }
        };
        let name = class.name.clone();
        if let Some(first) = self.own.get(&name) {
            let why = format!("the class {name} was already read from {}", first.origin);
            self.unreadable.push(Unreadable { origin, why });
            return None;
        }
        self.own.insert(name.clone(), ClassEntry { name: name.clone(), bytes, origin, class });
        Some(name)
    }

    fn root(&mut self, path: &Path) {
        if !self.roots.iter().any(|root| root == path) {
            self.roots.push(path.to_owned());
        }
    }

    fn source_roots(&self) -> BTreeSet<PathBuf> {
        self.sources.iter().map(|(file, root)| source_root(file, root)).collect()
    }

    /// Compiles all sources. Classes of sources that javac found beside them are on the class path, but not the user's subject.
    fn compile(&mut self, dependencies: &[PathBuf], scratch: &Path) -> Result<(), SourceError> {
        let failed =
            |error: std::io::Error| SourceError::Path { path: scratch.to_owned(), why: error.to_string() };
        let list = scratch.join("sources.txt");
        let quoted = |path: &PathBuf| format!("\"{}\"\n", path.display().to_string().replace('\\', "\\\\"));
        std::fs::write(&list, self.sources.keys().map(quoted).collect::<String>()).map_err(failed)?;
        let classes = scratch.join("classes");
        std::fs::create_dir_all(&classes).map_err(failed)?;
        let mut at_list = OsString::from("@");
        at_list.push(&list);
        let known = self.roots.iter().chain(dependencies);
        let output = Command::new(Jdk::find().javac)
            .args(QUICK)
            .args(compiler_options(&classes, self.source_roots().iter(), known)?)
            .arg(at_list)
            .output()
            .map_err(|error| SourceError::NoCompiler(error.to_string()))?;
        if !output.status.success() {
            return Err(SourceError::Compile { words: String::from_utf8_lossy(&output.stderr).into_owned() });
        }
        let named: BTreeSet<&Path> =
            self.sources.keys().filter_map(|file| file.file_name()).map(Path::new).collect();
        let named: BTreeSet<PathBuf> = named.into_iter().map(Path::to_owned).collect();
        self.root(&classes);
        for file in files_below(&classes)?.iter().filter(|file| extension(file) == Some("class")) {
            if is_description(&file.to_string_lossy()) {
                continue;
            }
            let Some(name) = self.read_file(file) else { continue };
            let source = self.own.get(&name).and_then(|entry| entry.class.attributes.source_file.clone());
            if source.is_some_and(|source| !named.contains(Path::new(&source))) {
                self.own.remove(&name);
            }
        }
        Ok(())
    }
}

/// Where the package of a source begins: in the folder that the user named, or so many folders above as its package has parts.
fn source_root(file: &Path, root: &Option<PathBuf>) -> PathBuf {
    if let Some(root) = root {
        return root.clone();
    }
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let package = text.lines().find_map(|line| line.trim().strip_prefix("package "));
    let package = package.and_then(|rest| rest.split(';').next()).unwrap_or("");
    let depth = package.trim().split('.').filter(|part| !part.is_empty()).count();
    let root = file.ancestors().nth(depth + 1).unwrap_or(Path::new("."));
    if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.to_owned() }
}

fn compiler_options<'a>(
    to: &Path,
    source_roots: impl Iterator<Item = &'a PathBuf>,
    known: impl Iterator<Item = &'a PathBuf>,
) -> Result<Vec<OsString>, SourceError> {
    let mut options: Vec<OsString> =
        ["-g", "-proc:none", "-implicit:class", "-encoding", "UTF-8", "-d"].map(OsString::from).to_vec();
    options.push(to.as_os_str().to_owned());
    options.extend(["-sourcepath".into(), joined(source_roots)?, "-classpath".into(), joined(known)?]);
    Ok(options)
}

fn joined<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<OsString, SourceError> {
    let paths: Vec<&PathBuf> = paths.collect();
    let failed = |error: std::env::JoinPathsError| SourceError::Path {
        path: paths.first().map_or_else(PathBuf::new, |path| (*path).clone()),
        why: error.to_string(),
    };
    std::env::join_paths(&paths).map_err(failed)
}

fn extension(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

/// `module-info` and `package-info` describe and hold no code.
fn is_description(name: &str) -> bool {
    name.ends_with("module-info.class") || name.ends_with("package-info.class")
}

/// The files in a folder and all folders in it, by path.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed =
            |error: std::io::Error| SourceError::Path { path: folder.clone(), why: error.to_string() };
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            // Links to folders may lead in circles.
            match kind.is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}
