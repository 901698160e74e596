//! The goals of every fixture are exactly the branch regions that llvm-cov lists.

use c_frontend::{Clang, SourceUnit, build};
use model::{BranchKind, Program, Span};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

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

fn built(source: &Path, checks: bool) -> Program {
    let work = tempfile::tempdir().unwrap();
    let directory = source.parent().unwrap().to_owned();
    let unit = SourceUnit { path: source.to_owned(), flags: Vec::new(), directory };
    build(&[unit], &Clang::default().with_checks(checks), work.path())
        .unwrap_or_else(|e| panic!("{}: {e}", source.display()))
        .program
}

/// All fixtures without checks, which several tests look at.
static PLAIN: LazyLock<Vec<(PathBuf, Program)>> = LazyLock::new(|| {
    let plain = |source: PathBuf| {
        let program = built(&source, false);
        (source, program)
    };
    fixtures().into_iter().map(plain).collect()
});

fn run(program: &str, arguments: &[&std::ffi::OsStr]) -> Vec<u8> {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A profile of nothing.
fn no_profile(work: &Path) -> PathBuf {
    let (text, profile) = (work.join("empty.proftext"), work.join("empty.profdata"));
    std::fs::write(&text, "\n").unwrap();
    run("llvm-profdata-19", &["merge".as_ref(), text.as_os_str(), "-o".as_ref(), profile.as_os_str()]);
    profile
}

/// Branch regions by function as the judge sees them, without running anything.
fn judged(source: &Path, profile: &Path, work: &Path) -> BTreeMap<String, Regions> {
    let image = work.join("plain.so");
    let mut arguments: Vec<&std::ffi::OsStr> =
        ["-g", "-O0", "-w", "-shared", "-fPIC", "-fprofile-instr-generate", "-fcoverage-mapping", "-o"]
            .map(AsRef::as_ref)
            .to_vec();
    arguments.extend([image.as_os_str(), source.as_os_str()]);
    run("clang-19", &arguments);
    if std::fs::metadata(source).unwrap().len() == 0 {
        return BTreeMap::new();
    }
    let option = format!("--instr-profile={}", profile.display());
    let stdout = run("llvm-cov-19", &["export".as_ref(), option.as_ref(), image.as_os_str()]);
    let json: serde_json::Value = serde_json::from_slice(&stdout).unwrap();
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
    let scratch = tempfile::tempdir().unwrap();
    let profile = no_profile(scratch.path());
    for (source, program) in PLAIN.iter() {
        let ours: BTreeMap<String, Regions> = program
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
        let judged = judged(source, &profile, scratch.path());
        if ours != judged {
            wrong.push(format!("{}:\n ours   {ours:?}\n judged {judged:?}", source.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(total > 400, "only {total} branches seen");
}

/// Function, kind and place of a counted branch.
type Counted = (String, BranchKind, Span, Option<Span>);

/// All counted branches, and the number of checks.
fn counted(program: &Program) -> (Vec<Counted>, usize) {
    let functions = || program.functions.iter();
    let goals = functions().flat_map(|f| {
        let counted = f.branches.iter().filter(|b| b.counted);
        counted.map(|b| (f.name.clone(), b.kind, b.span, b.expansion))
    });
    (goals.collect(), functions().map(|f| f.error_goals().count()).sum())
}

#[test]
fn checks_for_errors_change_no_goal() {
    let mut errors = 0;
    for (source, program) in PLAIN.iter() {
        let (plain, none) = counted(program);
        let (checked, some) = counted(&built(source, true));
        assert_eq!(plain, checked, "{}", source.display());
        assert_eq!(none, 0, "{}", source.display());
        errors += some;
    }
    assert!(errors > 300, "only {errors} checks seen");
}
