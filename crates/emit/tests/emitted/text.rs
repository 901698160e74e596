//! The text itself, to be read by eye.

use crate::support::{Build, emitter};
use emit::{EmitJob, EmittedFile};
use model::{BlockId, Branch, BranchId, BranchKind, Goal, Position, Span};
use std::path::Path;
use suite::Finding;
use target::{Access, Crash, CrashKind, Outcome};

/// The subject with some branches, goals and a finding.
fn subject_with_goals() -> Build {
    let mut build = crate::subject::build();
    let branch = |id, line, from, to| Branch {
        id: BranchId(id),
        kind: BranchKind::Condition,
        span: Span { file: 0, start: Position { line, column: from }, end: Position { line, column: to } },
        expansion: None,
        block: BlockId(id),
        counted: true,
    };
    build.program.functions[0].branches =
        vec![branch(0, 10, 9, 15), branch(1, 10, 19, 25), branch(2, 12, 12, 18)];
    let goal = |id, outcome| Goal { branch: BranchId(id), outcome };
    build.results[0].tests[0].purpose = vec![goal(1, false), goal(2, true)];
    let last = build.program.functions.iter().position(|f| f.name == "last").expect("known");
    let input = build.results[last].tests[1].input.clone();
    let crash = Crash { kind: CrashKind::Segmentation, site: 0, access: Access::Null };
    build.results[last].findings.push(Finding {
        input,
        outcome: Outcome::Crashed(crash),
        place: Some("subject.c:144".into()),
        culprit: None,
        also: Vec::new(),
        calls: None,
        stack: vec!["last (subject.c:144)".into(), "caller (subject.c:150)".into()],
        reaches: vec![goal(2, false)],
    });
    build
}

/// A job that does not depend on where this repository lies.
fn portable<'b>(build: &'b Build) -> EmitJob<'b> {
    let mut job = build.job(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/subject.c"));
    job.units[0].path = "/home/me/subject.c".into();
    job
}

fn file<'f>(files: &'f [EmittedFile], path: &str) -> &'f str {
    let file = files.iter().find(|f| f.path == path).unwrap_or_else(|| panic!("no {path}"));
    std::str::from_utf8(&file.contents).expect("text")
}

#[test]
fn plain_tests() {
    let build = subject_with_goals();
    insta::assert_snapshot!(file(&emitter("c").emit(&portable(&build)), "test_subject.c"));
}

#[test]
fn cmocka_tests() {
    let mut build = subject_with_goals();
    let shown = ["triangle", "wide", "accumulate", "negative", "last", "stop"];
    let functions = &build.program.functions;
    build.results.retain(|r| shown.contains(&functions[r.function.0 as usize].name.as_str()));
    insta::assert_snapshot!(file(&emitter("cmocka").emit(&portable(&build)), "test_subject.c"));
}

#[test]
fn reproducer() {
    let build = subject_with_goals();
    insta::assert_snapshot!(file(&emitter("c").emit(&portable(&build)), "crashes/last_segfault_1.c"));
}

#[test]
fn makefile() {
    let build = subject_with_goals();
    let mut job = portable(&build);
    job.units[0].directory = "/home/me/my project".into();
    job.units[0].flags =
        ["-std=c11", "-Iinclude", "-DNAME=\"it's\"", "-Wall", "-pthread"].map(str::to_owned).to_vec();
    let mut other = job.units[0].clone();
    (other.file, other.path, other.stem) = (1, "/home/me/größer.c".into(), "gr__er".into());
    job.units.push(other);
    insta::assert_snapshot!(file(&emitter("c").emit(&job), "Makefile"));
}

#[test]
fn the_same_job_gives_the_same_files() {
    let build = subject_with_goals();
    for emitter in emit::all() {
        assert_eq!(emitter.emit(&portable(&build)), emitter.emit(&portable(&build)));
    }
}

#[test]
fn nothing_to_test_is_no_error() {
    let build = Build::new();
    let files = emitter("c").emit(&portable(&build));
    assert!(files.iter().all(|f| !f.path.starts_with("test_")));
    let directory = tempfile::tempdir().expect("temporary folder");
    crate::support::write_all(directory.path(), &files);
    let (ok, output) = crate::support::make(directory.path(), &[]);
    assert!(ok && output.contains("0 passed, 0 failed"), "{output}");
}
