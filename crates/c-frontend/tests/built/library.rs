//! The models of library functions do what the C library does.

use std::path::Path;
use std::process::{Command, Output};

const BINARIES: &str = "/usr/lib/llvm-19/bin";

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    output
}

/// Compiles the models and gives all that they define another name, so that both can be called.
fn renamed_models(folder: &Path) -> std::path::PathBuf {
    let (models, renamed) = (folder.join("models.o"), folder.join("renamed.o"));
    let flags = [
        "-std=gnu17",
        "-O1",
        "-ffreestanding",
        "-fno-builtin",
        "-w",
        "-include",
        "tests/library/native.h",
        "-c",
        "library/library.c",
        "-o",
    ];
    run(Command::new("clang-19").args(flags).arg(&models));
    let listed = run(Command::new(format!("{BINARIES}/llvm-nm"))
        .args(["--defined-only", "--extern-only", "--just-symbol-name"])
        .arg(&models));
    let mut rename = Command::new(format!("{BINARIES}/llvm-objcopy"));
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        rename.arg(format!("--redefine-sym={name}=our_{name}"));
    }
    run(rename.args([&models, &renamed]));
    renamed
}

#[test]
fn models_agree_with_the_library_on_random_texts() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("compare");
    let models = renamed_models(folder.path());
    let flags = ["-std=gnu17", "-w", "-fno-builtin", "tests/library/compare.c"];
    run(Command::new("clang-19").args(flags).arg(models).arg("-o").arg(&program));
    run(&mut Command::new(program));
}

#[test]
fn streams_in_memory_agree_with_those_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("compare");
    let flags = ["-std=gnu17", "-w", "-fno-builtin", "tests/library/streams.c"];
    run(Command::new("clang-19").args(flags).arg("-o").arg(&program));
    run(&mut Command::new(program));
}
