//! C in, text out. The expected texts follow from the C source and the x86-64 ABI.

mod damage;
mod functions;
mod kinds;
mod print;

use super::{DebugInfo, read};
use model::Types;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A scratch folder with C files and what clang makes of them.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, program: &str, args: &[&str]) {
        let output = Command::new(program).args(args).current_dir(self.0.path()).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Compiles `source` as `name.c` with extra flags into `output`.
    fn clang(&self, name: &str, source: &str, flags: &[&str], output: &str) {
        let file = format!("{name}.c");
        std::fs::write(self.path(&file), source).unwrap();
        let fixed = ["-std=gnu17", "-w", "-g", "-c", &file, "-o", output];
        self.run("clang-19", &[&fixed, flags].concat());
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
}

/// An object file made of one C file called `a.c`.
fn object(source: &str, flags: &[&str]) -> Vec<u8> {
    let scratch = Scratch::new();
    scratch.clang("a", source, flags, "a.o");
    scratch.bytes("a.o")
}

fn read_all(object: &[u8]) -> (DebugInfo, Types) {
    let mut types = Types::default();
    let info = read(object, &mut types).unwrap();
    (info, types)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Checks the globals of `source`, in any order, at two optimisation levels.
fn check_globals(source: &str, expected: &str) {
    for level in ["-O0", "-O2"] {
        check_globals_with(source, &[level], expected);
    }
}

fn check_globals_with(source: &str, flags: &[&str], expected: &str) {
    let (info, types) = read_all(&object(source, flags));
    let mut found = print::globals(&info, &types);
    let mut expected = lines(expected);
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{flags:?}");
}

/// Checks the functions of `source`, in any order.
fn check_functions(source: &str, flags: &[&str], expected: &str) {
    let (info, types) = read_all(&object(source, flags));
    let mut found = print::functions(&info, &types);
    let mut expected = lines(expected);
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{flags:?}");
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
