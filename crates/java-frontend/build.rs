//! Compiles the program that reads decisions from sources, and lists its classes for the crate to carry along.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=java");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let classes = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("classes");
    let _ = fs::remove_dir_all(&classes);
    fs::create_dir_all(&classes).expect("OUT_DIR can be written");
    compile(&files_in(Path::new("java/branchwise/source")), &classes);
    let lines = files_in(&classes.join("branchwise/source")).into_iter().map(|class| {
        let name = class.file_name().expect("a file").to_string_lossy().into_owned();
        format!("    ({name:?}, include_bytes!({:?})),\n", class.display().to_string())
    });
    let listing = format!("&[\n{}]\n", lines.collect::<String>());
    fs::write(classes.with_file_name("decisions.rs"), listing).expect("OUT_DIR can be written");
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// `--release` would hide the compiler's own packages, so language and format are set by themselves.
fn compile(files: &[PathBuf], to: &Path) {
    let javac = match env::var_os("JAVA_HOME") {
        Some(home) if Path::new(&home).join("bin/javac").exists() => Path::new(&home).join("bin/javac"),
        _ => PathBuf::from("javac"),
    };
    let compiled = Command::new(&javac)
        .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"])
        .args(["-source", "11", "-target", "11", "-encoding", "UTF-8", "-Xlint:all,-options", "-Werror"])
        .args(["--add-exports", "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED"])
        .args(["--add-exports", "jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED"])
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
