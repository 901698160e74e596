//! The judge on a small hand-made suite: right claims agree, each kind of wrong claim is found.
//!
//! These tests need clang and the LLVM tools, as the judge does.

use crate::claims::{branch, function, place, summary};
use judge::{JudgeError, Kind, Tools, Verdict, check};
use report::{GoalTally, Place, State, Summary, VERSION};
use std::path::Path;

const UNIT: &str = include_str!("../suite/unit.c");
const HEADER: &str = include_str!("../suite/unit.h");

const PLAIN_FALSE: &str = "plain_line_11_false";
const PLAIN_TRUE: &str = "plain_line_11_true";
const BOTH_TRUE: &str = "macros_line_20_true";
const SECOND_TRUE: &str = "macros_line_22_true";
const RETURNS: &str = "dying_returns";
const ABORTS: &str = "dying_aborts";
const EXITS: &str = "dying_exits";
const EXITS_AT_ONCE: &str = "dying_exits_at_once";

fn unit(text: &str) -> Place {
    place("unit.c", UNIT, text, 0)
}

/// The claims that hold for the suite, worked out by hand.
fn right() -> Summary {
    let plain = branch(0, unit("a > 3"), None, [&[PLAIN_FALSE, PLAIN_TRUE], &[PLAIN_FALSE]]);
    let left = || place("unit.h", HEADER, "(a) > 0", 0);
    let right = || place("unit.h", HEADER, "(b) > 0", 0);
    let first = || Some(unit("BOTH"));
    let second = || Some(place("unit.c", UNIT, "BOTH", 1));
    let macros = [
        branch(0, left(), first(), [&[BOTH_TRUE], &[SECOND_TRUE]]),
        branch(1, right(), first(), [&[BOTH_TRUE], &[]]),
        branch(2, left(), second(), [&[SECOND_TRUE], &[]]),
        branch(3, right(), second(), [&[SECOND_TRUE], &[]]),
    ];
    let mut assertion = unit("assert(x");
    assertion.end_column = assertion.column;
    let dying = [
        branch(0, assertion.clone(), None, [&[], &[RETURNS, ABORTS, EXITS, EXITS_AT_ONCE]]),
        branch(1, assertion, None, [&[RETURNS, EXITS, EXITS_AT_ONCE], &[ABORTS]]),
        branch(2, unit("x == 1"), None, [&[EXITS], &[RETURNS, EXITS_AT_ONCE]]),
        branch(3, unit("x == 2"), None, [&[EXITS_AT_ONCE], &[RETURNS]]),
    ];
    let small = branch(0, place("unit.h", HEADER, "x < 3", 0), None, [&[], &[RETURNS]]);
    let tests = [(RETURNS, false), (ABORTS, true), (EXITS, true), (EXITS_AT_ONCE, true)];
    summary(
        &["unit"],
        vec![
            function(
                "plain",
                &unit("int plain"),
                plain.to_vec(),
                &[(PLAIN_FALSE, false), (PLAIN_TRUE, false)],
            ),
            function(
                "macros",
                &unit("int macros"),
                macros.concat(),
                &[(BOTH_TRUE, false), (SECOND_TRUE, false)],
            ),
            function("dying", &unit("static int dying"), dying.concat(), &tests),
            function("is_small", &place("unit.h", HEADER, "static inline", 0), small.to_vec(), &[]),
        ],
    )
}

/// Writes the suite with these claims and judges it.
fn judged(claims: &Summary, replace: &[(&str, &str)]) -> Result<Verdict, JudgeError> {
    let dir = tempfile::Builder::new().prefix("a suite ").tempdir().expect("a scratch folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
    for name in ["unit.c", "unit.h", "test_unit.c", "Makefile"] {
        let mut text = std::fs::read_to_string(from.join(name)).expect("the suite is there");
        replace.iter().for_each(|(old, new)| text = text.replace(old, new));
        std::fs::write(dir.path().join(name), text).expect("scratch is writable");
    }
    std::fs::write(dir.path().join("summary.json"), claims.to_json()).expect("scratch is writable");
    let verdict = check(dir.path(), &Tools::default());
    let left = std::fs::read_dir(dir.path()).expect("still there").count();
    assert_eq!(left, 5, "the judge leaves the folder as it was");
    verdict
}

fn texts(verdict: &Verdict) -> Vec<String> {
    verdict.differences.iter().map(ToString::to_string).collect()
}

#[test]
fn right_claims_agree() {
    let verdict = judged(&right(), &[]).expect("a verdict");
    assert_eq!(texts(&verdict), Vec::<String>::new());
    assert!(verdict.agrees());
    assert_eq!((verdict.functions, verdict.goals, verdict.passed), (4, 20, 8));
}

#[test]
fn too_much_and_too_little_is_found_goal_by_goal() {
    let mut claims = right();
    // The false side of the second expansion's first condition does not happen; only the place of use tells it
    // from the first expansion, where it does.
    claims.functions[1].goals[5].tests = vec![SECOND_TRUE.into()];
    claims.functions[1].goals[1].tests.clear();
    claims.functions[1].goals[1].state = State::Infeasible;
    let verdict = judged(&claims, &[]).expect("a verdict");
    assert_eq!(
        texts(&verdict),
        [
            "unit.c:20:9 macros false: claimed infeasible; llvm-cov counts 1",
            "unit.c:22:12 macros false: claimed covered by macros_line_22_true; llvm-cov counts 0",
        ]
    );
}

#[test]
fn death_tests_are_judged_in_their_own_run() {
    let mut wrong = right();
    // `x == 1` is true only in a test that exits: a returning test cannot have reached it.
    wrong.functions[2].goals[4].tests = vec![RETURNS.into()];
    // `is_small` is never entered with less than 3, not even by a dying test.
    wrong.functions[3].goals[0].tests = vec![ABORTS.into()];
    wrong.functions[3].goals[0].state = State::Covered;
    let verdict = judged(&wrong, &[]).expect("a verdict");
    assert_eq!(
        texts(&verdict),
        [
            "unit.c:28:9 dying true: claimed covered by dying_returns; llvm-cov counts 0",
            "unit.h:5:12 is_small true: claimed covered by dying_aborts; llvm-cov counts 0",
        ]
    );
}

#[test]
fn an_outcome_seen_only_in_dying_tests_and_not_claimed_is_a_note() {
    let mut claims = right();
    claims.functions[2].goals[4].tests.clear();
    claims.functions[2].goals[4].state = State::Unknown;
    let verdict = judged(&claims, &[]).expect("a verdict");
    assert!(verdict.agrees(), "{:?}", texts(&verdict));
    let notes: Vec<String> = verdict.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["unit.c:28:9 dying true: claimed unknown; llvm-cov counts 1"]);
}

#[test]
fn wrong_totals_and_places_are_found() {
    let mut claims = right();
    claims.functions[0].goals.clear();
    claims.functions[0].tally = GoalTally::default();
    claims.functions[2].goals[6].place.column += 1;
    claims.functions[2].goals[7].place.column += 1;
    let verdict = judged(&claims, &[]).expect("a verdict");
    assert_eq!(
        texts(&verdict),
        [
            "unit.c:6 plain: 0 branch outcomes claimed; llvm-cov has 2",
            "unit.c:11:13 plain: 0 branches claimed here; llvm-cov has 1",
            "unit.c:30:10 dying: 1 branches claimed here; llvm-cov has 0",
            "unit.c:30:9 dying: 0 branches claimed here; llvm-cov has 1",
        ]
        .map(|t| t.replacen("unit.c:11:13 plain", &file_of(&verdict, 1), 1).replacen(
            "unit.c:30:9 dying",
            &file_of(&verdict, 3),
            1
        ))
    );
}

/// Places only llvm-cov knows are given with the path it has.
fn file_of(verdict: &Verdict, index: usize) -> String {
    let d = &verdict.differences[index];
    assert!(d.file.ends_with("/unit.c"), "{}", d.file);
    format!("{}:{}:{} {}", d.file, d.line, d.column, d.function)
}

#[test]
fn unknown_functions_and_tests_are_found() {
    let mut claims = right();
    claims.functions[0].name = "plane".into();
    claims.functions[3].goals[1].tests.push("imagined".into());
    claims.functions[1].goals[0].tests.clear();
    let verdict = judged(&claims, &[]).expect("a verdict");
    let kinds: Vec<&Kind> = verdict.differences.iter().map(|d| &d.kind).collect();
    assert_eq!(
        kinds,
        [
            &Kind::MissingFunction,
            &Kind::NoSuchTest("no test at all".into()),
            &Kind::Underclaimed { state: "covered by death tests only".into(), count: 1 },
            &Kind::NoSuchTest("imagined".into()),
        ]
    );
}

#[test]
fn a_failing_test_is_found() {
    let verdict = judged(&right(), &[("EXPECTED 11", "EXPECTED 12")]).expect("a verdict");
    let [failed] = verdict.differences.as_slice() else { panic!("{:?}", texts(&verdict)) };
    assert_eq!(failed.to_string(), "test_unit: tests fail:\nFAIL plain_line_11_false\n4 passed, 1 failed");
}

#[test]
fn a_test_that_does_not_run_is_found() {
    let mut claims = right();
    let lost = claims.functions[0].tests[0].clone();
    claims.functions[0].tests.push(lost);
    let verdict = judged(&claims, &[]).expect("a verdict");
    assert_eq!(texts(&verdict), ["the suite: 9 tests claimed; 8 ran"]);
}

#[test]
fn what_cannot_be_judged_is_an_error() {
    let nowhere = check(Path::new("no/such/folder"), &Tools::default());
    assert!(matches!(nowhere, Err(JudgeError::NoSummary { .. })), "{nowhere:?}");
    let broken = judged(&right(), &[("int plain(int a)", "int plain(int a")]);
    let Err(JudgeError::Failed { output, .. }) = &broken else { panic!("{broken:?}") };
    assert!(output.contains("error:"), "{output}");
    let mut other = right();
    other.version = 7;
    assert!(matches!(judged(&other, &[]), Err(JudgeError::Version { found: 7, .. })));
    other.version = VERSION;
    other.units[0].stem = "missing".into();
    assert!(matches!(judged(&other, &[]), Err(JudgeError::NoBinary { .. })));
}
