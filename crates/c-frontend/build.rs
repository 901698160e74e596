//! Compiles what is the same for all subjects to bitcode, which becomes part of this crate: the library of
//! `library/library.c`, and of the surroundings in `program/` what does not depend on the program.

#[path = "src/flags.rs"]
mod flags;

use std::path::PathBuf;
use std::process::Command;

/// Optimised as far as choices without jumps, and no further.
const LIBRARY: &[&str] = &[
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
];

/// Surroundings of whole programs; `src/whole.rs` has the others.
const SURROUNDINGS: [&str; 12] = [
    "children.c",
    "clock.c",
    "disk.c",
    "files.c",
    "locale.c",
    "options.c",
    "process.c",
    "reading.c",
    "scan.c",
    "signals.c",
    "streams.c",
    "threads.c",
];

/// Streams of units, see `src/streams.rs`.
const STREAMS: &str = "memory.c";

fn main() {
    println!("cargo::rerun-if-changed=src/flags.rs");
    println!("cargo::rerun-if-changed=library/library.c");
    println!("cargo::rerun-if-changed=program");
    compile("library/library.c", LIBRARY);
    let as_written = [&["-std=gnu17", "-w"], &flags::DEFINED[..], &flags::AS_WRITTEN].concat();
    for name in SURROUNDINGS {
        compile(&format!("program/{name}"), &as_written);
    }
    compile(&format!("program/{STREAMS}"), &[&as_written[..], &["-DBW_UNIT"]].concat());
}

/// `program/children.c` becomes `children.bc`. Where it was compiled is nobody's business.
fn compile(source: &str, flags: &[&str]) {
    let variable = |name: &str| PathBuf::from(std::env::var_os(name).expect("set by cargo"));
    let source = variable("CARGO_MANIFEST_DIR").join(source);
    let folder = source.parent().expect("a file in a folder");
    let output = variable("OUT_DIR").join(source.with_extension("bc").file_name().expect("a file"));
    let mut command = Command::new("clang-19");
    command.current_dir(folder).args(flags);
    command.arg(format!("-ffile-prefix-map={}=<library>", folder.display()));
    match command.args(["-emit-llvm", "-c", "-o"]).arg(output).arg(&source).status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang-19 cannot compile {}: {status}", source.display()),
        Err(error) => panic!("cannot run clang-19 ({error}); `make setup` installs it"),
    }
}
