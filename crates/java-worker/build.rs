//! Compiles the Java side of the worker, and lists its classes for the crate to carry along.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "branchwise.rt";

fn main() {
    println!("cargo::rerun-if-changed=java");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (sources, classes) = (out.join("java"), out.join("classes"));
    for folder in [&sources, &classes] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).expect("OUT_DIR can be written");
    }
    let codes = sources.join("Codes.java");
    fs::write(&codes, java_wire::java::constants(PACKAGE)).expect("OUT_DIR can be written");
    let mut files = files_in(Path::new("java/branchwise/rt"));
    files.push(codes);
    compile(&files, &classes);
    fs::write(out.join("runtime.rs"), listing(&files_in(&classes.join("branchwise/rt"))))
        .expect("OUT_DIR can be written");
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// `--release 8` would hide `sun.misc.Unsafe`, so language and format are set by themselves.
fn compile(files: &[PathBuf], to: &Path) {
    let javac = match env::var_os("JAVA_HOME") {
        Some(home) if Path::new(&home).join("bin/javac").exists() => Path::new(&home).join("bin/javac"),
        _ => PathBuf::from("javac"),
    };
    let compiled = Command::new(&javac)
        .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"])
        .args(["-source", "8", "-target", "8", "-encoding", "UTF-8", "-g", "-nowarn", "-Xlint:-options"])
        .arg("-XDenableSunApiLintControl")
        .arg("-d")
        .arg(to)
        .args(files)
        .output();
    match compiled {
        Err(error) => panic!("{}: {error}. Install openjdk-17-jdk-headless.", javac.display()),
        Ok(output) if !output.status.success() => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Ok(_) => {}
    }
}

/// A Rust expression: names of the classes and their bytes.
fn listing(classes: &[PathBuf]) -> String {
    let lines = classes.iter().map(|class| {
        let name = class.file_name().expect("a file").to_string_lossy();
        format!("    ({name:?}, include_bytes!({:?})),\n", class.display().to_string())
    });
    format!("&[\n{}]\n", lines.collect::<String>())
}
