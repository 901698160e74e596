//! A Java compiler, the fixtures, and scripts in few words, for the tests of other crates.
//!
//! Everything here panics where a test would: nothing of it meets data from outside.

mod draft;

pub use draft::{Draft, invoke, method, ty};

use java_classfile::ClassFile;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Options with which a JVM takes the least for what ends after seconds.
pub const QUICK: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// Runs a command that must succeed, and gives what it prints.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; scripts/setup installs a JDK"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// A virtual machine that is there for a moment.
#[must_use]
pub fn java() -> Command {
    let mut command = Command::new("java");
    command.args(QUICK);
    command
}

/// Compiles sources into a folder.
#[track_caller]
pub fn javac(sources: &[PathBuf], folder: &Path, options: &[&str]) {
    let mut command = Command::new("javac");
    command.args(QUICK.map(|option| format!("-J{option}")));
    command.args(["-encoding", "UTF-8", "-nowarn", "-Xlint:none", "-d"]).arg(folder);
    run(command.args(options).args(sources));
}

/// The folder of the fixtures.
#[must_use]
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/java").canonicalize().expect("the fixtures")
}

/// Files below a folder with an extension, in order.
#[must_use]
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A class file and what is in it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// As the compiler wrote it.
    pub bytes: Vec<u8>,
    /// The same, read.
    pub class: ClassFile,
}

/// The classes of sources, in the order of their files.
#[must_use]
#[track_caller]
pub fn compiled(sources: &[PathBuf], options: &[&str]) -> Vec<Compiled> {
    let folder = TempDir::new().expect("a folder");
    javac(sources, folder.path(), options);
    let read = |file: &PathBuf| {
        let bytes = std::fs::read(file).expect("a class file");
        Compiled { class: ClassFile::read(&bytes).expect("a class"), bytes }
    };
    files(folder.path(), "class").iter().map(read).collect()
}
