//! Compiles the library of `library/library.c` to bitcode, which becomes part of this crate.

use std::path::PathBuf;
use std::process::Command;

/// Optimised as far as choices without jumps, and no further.
const FLAGS: &[&str] = &[
    "-std=gnu17",
    "-O1",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-fno-stack-protector",
    "-fPIC",
    "-Wno-bitwise-conditional-parentheses",
    "-emit-llvm",
    "-c",
];

fn main() {
    let source = "library/library.c";
    println!("cargo::rerun-if-changed={source}");
    let output = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo")).join("library.bc");
    let status = Command::new("clang-19").args(FLAGS).arg(source).arg("-o").arg(output).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang-19 cannot compile {source}: {status}"),
        Err(error) => panic!("cannot run clang-19 ({error}); `make setup` installs it"),
    }
}
