//! `branchwise doctor`: is everything here, and how to repair what is not.

use crate::java::UNWATCHED_SINCE;
use crate::work;
use java_frontend::{Jdk, Platform};
use std::path::Path;
use std::process::{Command, ExitCode};

/// A program or ability, and the command that brings it.
struct Need {
    name: &'static str,
    why: &'static str,
    required: bool,
    found: Option<String>,
    repair: &'static str,
}

pub(crate) fn doctor() -> ExitCode {
    let needs = needs();
    for need in &needs {
        match &need.found {
            Some(found) => println!("ok       {:<18} {found}", need.name),
            None => {
                let word = if need.required { "MISSING " } else { "optional" };
                println!("{word} {:<18} {}\n         repair: {}", need.name, need.why, need.repair);
            }
        }
    }
    println!("\nWhat the sandbox of a worker enforces here:");
    for line in sandbox() {
        println!("  {line}");
    }
    println!("\nJava:");
    for line in java() {
        println!("  {line}");
    }
    let broken = needs.iter().any(|n| n.required && n.found.is_none());
    if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn needs() -> Vec<Need> {
    let program = |name: &'static str, why, required, repair| Need {
        name,
        why,
        required,
        found: version(Path::new(name)),
        repair,
    };
    let mut needs = vec![
        program("clang-19", "compiles the code under test", true, "apt-get install -y clang-19"),
        program("llvm-cov-19", "the independent judge of `check`", true, "apt-get install -y llvm-19"),
        program("llvm-profdata-19", "the independent judge of `check`", true, "apt-get install -y llvm-19"),
        program("make", "builds emitted suites", true, "apt-get install -y make"),
        program("gcc", "emitted suites build with gcc as well", false, "apt-get install -y gcc"),
        program("ld.lld-19", "links three times faster than GNU ld", false, "apt-get install -y lld-19"),
        program("cvc5", "solver of last resort for symbolic execution", false, "apt-get install -y cvc5"),
    ];
    let jdk = Jdk::find();
    for (name, why, path) in [
        ("java", "runs the tests of Java code", &jdk.java),
        ("javac", "compiles Java sources and tests", &jdk.javac),
    ] {
        let repair = "apt-get install -y openjdk-17-jdk-headless";
        let found = version(path).map(|version| format!("{version} ({})", path.display()));
        needs.push(Need { name, why, required: false, found, repair });
    }
    needs.push(Need {
        name: "profile runtime",
        why: "links the judge's build",
        required: true,
        found: file("/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.profile-x86_64.a"),
        repair: "apt-get install -y libclang-rt-19-dev",
    });
    needs.push(Need {
        name: "cmocka",
        why: "runs suites written with --emit cmocka",
        required: false,
        found: file("/usr/include/cmocka.h"),
        repair: "apt-get install -y libcmocka-dev",
    });
    needs.push(Need {
        name: "branchwise-worker",
        why: "runs the code under test",
        required: true,
        found: work::worker_program().ok().map(|p| p.display().to_string()),
        repair: "make install",
    });
    needs
}

/// First line of `PROGRAM --version`.
fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().map(str::trim).find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    Some(line.to_owned())
}

fn file(path: &str) -> Option<String> {
    Path::new(path).exists().then(|| path.to_owned())
}

/// Which Java is used, and what holds for it.
fn java() -> Vec<String> {
    let jdk = Jdk::find();
    let from = if std::env::var_os("JAVA_HOME").is_some_and(|home| !home.is_empty()) {
        "JAVA_HOME"
    } else {
        "the PATH; JAVA_HOME would go before it"
    };
    if !jdk.java.is_file() {
        return vec!["none is here".to_owned()];
    }
    let Some(version) = Jdk::version_of(&jdk.java) else {
        return vec![format!("unknown version, from {from}")];
    };
    let mut lines = vec![format!("classes run in Java {version}, from {from}")];
    match Jdk::version_of(&jdk.javac) {
        Some(compiler) if compiler < version => lines.push(format!(
            "sources and tests are compiled by Java {compiler}: classes for a newer one get no tests"
        )),
        Some(compiler) => lines.push(format!("sources and tests are compiled by Java {compiler}")),
        None => {}
    }
    let home = Jdk::home_of(&jdk.java).unwrap_or_default();
    lines.extend(Platform::at(&home).shortcoming());
    let watches = if version < UNWATCHED_SINCE { "yes   " } else { "no    " };
    lines.push(format!(
        "{watches} tests that ask for network, files or programs are left out (security manager, until Java {})",
        UNWATCHED_SINCE - 1
    ));
    lines
}

/// Starts a worker on an empty program and asks it.
fn sandbox() -> Vec<String> {
    match crate::generate::sandbox_of_empty_program() {
        Ok(lines) => lines,
        Err(failure) => vec![format!("unknown: {failure}")],
    }
}
