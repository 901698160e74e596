//! Shared objects that cannot be used are refused with a reason.

mod common;

use c_worker::{CTarget, Image, Isolation, LoadError, SetupError};
use common::{Build, compile, limits};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use target::{Observation, Outcome, Target};

const NOTHING: &str = "#include \"abi.h\"\nstatic int f(int n) { return n; }\nINT1(f)\n";

#[test]
fn what_is_no_target_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let program = Arc::new(Build::new().program);
    let load = |path: &Path| Image::load(path, program.clone());
    assert!(
        matches!(load(&dir.path().join("missing.so")), Err(LoadError::Link(why)) if why.contains("missing.so"))
    );
    assert!(matches!(load(Path::new("nul\0byte")), Err(LoadError::Link(_))));
    let text = dir.path().join("text.so");
    std::fs::write(&text, "no library").unwrap();
    assert!(matches!(load(&text), Err(LoadError::Link(_))));
    let plain = dir.path().join("plain.so");
    let source = dir.path().join("plain.c");
    std::fs::write(&source, "int x;").unwrap();
    Command::new("clang-19").args(["-shared", "-fPIC", "-o"]).args([&plain, &source]).status().unwrap();
    assert!(matches!(load(&plain), Err(LoadError::Missing("bw_runtime"))));
}

#[test]
fn a_process_has_one_target_at_a_time() {
    let first = Build::new().ints(&["f"]).load(NOTHING);
    let dir = tempfile::tempdir().unwrap();
    let library = compile(dir.path(), NOTHING);
    let second = || {
        CTarget::new(Image::load(&library, first.program.clone()).unwrap(), Isolation::InProcess, limits())
    };
    assert!(matches!(second(), Err(SetupError::Busy)));
}

#[test]
fn targets_can_follow_each_other() {
    for n in 0..20 {
        let mut target = Build::new().ints(&["f"]).load(NOTHING);
        assert_eq!(target.value("f", &[n]), n);
    }
}

#[test]
fn a_function_the_image_lacks_does_not_run() {
    let mut target = Build::new().ints(&["f", "g"]).load(NOTHING);
    assert_eq!(target.run_ints("g", &[1]), Outcome::WorkerDied);
    assert_eq!(target.observe(), Observation::default());
    assert_eq!(target.value("f", &[1]), 1);
}
