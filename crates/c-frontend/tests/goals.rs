//! The goals of every fixture are exactly the branch regions that llvm-cov lists.

use c_frontend::{Clang, SourceUnit, build};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

type Regions = Vec<(u64, u64, u64, u64)>;

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/c");
    let mut files = Vec::new();
    for folder in ["", "hostile", "odd"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let skip = path.ends_with("does_not_compile.c");
            if path.extension().is_some_and(|e| e == "c") && !skip {
                files.push(path.canonicalize().unwrap());
            }
        }
    }
    files.sort();
    files
}

/// Branch regions by function as the judge sees them, without running anything.
fn judged(source: &Path, work: &Path) -> BTreeMap<String, Regions> {
    let object = work.join("plain.o");
    let status = Command::new("clang-19")
        .args(["-g", "-O0", "-w", "-fprofile-instr-generate", "-fcoverage-mapping", "-c", "-o"])
        .args([&object, source])
        .status()
        .unwrap();
    assert!(status.success());
    let output =
        Command::new("llvm-cov-19").args(["export", "--empty-profile"]).arg(&object).output().unwrap();
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else { return BTreeMap::new() };
    let mut functions = BTreeMap::new();
    for function in json["data"][0]["functions"].as_array().into_iter().flatten() {
        let name = function["name"].as_str().unwrap();
        let name = name.rsplit(':').next().unwrap();
        let mut regions: Regions = Vec::new();
        for branch in function["branches"].as_array().into_iter().flatten() {
            let n = |i: usize| branch[i].as_u64().unwrap();
            regions.push((n(0), n(1), n(2), n(3)));
        }
        regions.sort_unstable();
        functions.insert(name.to_owned(), regions);
    }
    functions
}

#[test]
fn goals_are_what_llvm_cov_counts() {
    let mut wrong = Vec::new();
    let mut total = 0;
    for source in fixtures() {
        let work = tempfile::tempdir().unwrap();
        let unit = SourceUnit {
            path: source.clone(),
            flags: Vec::new(),
            directory: source.parent().unwrap().to_owned(),
        };
        let built = build(&[unit], &Clang::default(), work.path())
            .unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let ours: BTreeMap<String, Regions> = built
            .program
            .functions
            .iter()
            .map(|f| {
                let mut regions: Regions = f
                    .branches
                    .iter()
                    .filter(|b| b.counted)
                    .map(|b| {
                        let (s, e) = (b.span.start, b.span.end);
                        (s.line.into(), s.column.into(), e.line.into(), e.column.into())
                    })
                    .collect();
                regions.sort_unstable();
                total += regions.len();
                (f.name.clone(), regions)
            })
            .collect();
        let judged = judged(&source, work.path());
        if ours != judged {
            wrong.push(format!("{}:\n ours   {ours:?}\n judged {judged:?}", source.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(total > 400, "only {total} branches seen");
}
