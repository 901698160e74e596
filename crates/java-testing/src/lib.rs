//! A Java compiler, the fixtures, and scripts in few words, for the tests of other crates.
//!
//! Everything here panics where a test would: nothing of it meets data from outside.

mod draft;

pub use draft::{Draft, invoke, method, stub, ty};

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

/// The folder of a runtime that is newer than the JDK of the machine. It has no compiler.
#[must_use]
#[track_caller]
pub fn runtime(version: u32) -> PathBuf {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/jdks").join(version.to_string());
    assert!(home.join("bin/java").is_file(), "{} has no runtime; scripts/setup installs it", home.display());
    home.canonicalize().expect("a folder")
}

/// Compiles sources into a folder.
#[track_caller]
pub fn javac(sources: &[PathBuf], folder: &Path, options: &[&str]) {
    let mut command = Command::new("javac");
    command.args(QUICK.map(|option| format!("-J{option}")));
    command.args(["-encoding", "UTF-8", "-nowarn", "-Xlint:none", "-d"]).arg(folder);
    run(command.args(options).args(sources));
}

/// Compiles sources of Java 21 into class files of its version.
///
/// The compiler of the machine is that of Java 17, which has switches over types as a preview, with another word before conditions. What it
/// makes of them is what Java 21 expects, but for the version that the class files tell.
#[track_caller]
pub fn javac_21(sources: &[PathBuf], folder: &Path) {
    let copies = TempDir::new().expect("a folder");
    let copy = |(number, source): (usize, &PathBuf)| {
        let text = std::fs::read_to_string(source).expect("a source");
        let old = |line: &str| match line.trim_start().starts_with("case ") {
            true => line.replacen(" when ", " && ", 1) + "\n",
            false => format!("{line}\n"),
        };
        let place = copies.path().join(number.to_string()).join(source.file_name().expect("a file"));
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        std::fs::write(&place, text.lines().map(old).collect::<String>()).expect("writable");
        place
    };
    let sources: Vec<PathBuf> = sources.iter().enumerate().map(copy).collect();
    javac(&sources, folder, &["-g", "--enable-preview", "--release", "17"]);
    for file in files(folder, "class") {
        let mut bytes = std::fs::read(&file).expect("a class file");
        bytes[4..8].copy_from_slice(&65_u32.to_be_bytes());
        std::fs::write(&file, bytes).expect("writable");
    }
}

/// Class files of the sources of Java 21 among the fixtures.
#[must_use]
#[track_caller]
pub fn fixtures_21() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    javac_21(&files(&fixtures().join("../java21"), "java"), folder.path());
    folder
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
    read_classes(folder.path())
}

/// The classes below a folder, in the order of their files.
#[must_use]
pub fn read_classes(folder: &Path) -> Vec<Compiled> {
    let read = |file: &PathBuf| {
        let bytes = std::fs::read(file).expect("a class file");
        Compiled { class: ClassFile::read(&bytes).expect("a class"), bytes }
    };
    files(folder, "class").iter().map(read).collect()
}
