//! Sources, control flow, outcomes and distances.

use crate::support::{Fixtures, compile, fixtures, repository, run};
use goal::Plans;
use goal::distance::Distances;
use java_frontend::{ClassPath, Filter, Judge, Shape, SourceError};
use java_wire::event::{Code, Events};
use model::{BranchKind, Function, Goal};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn function<'f>(subject: &'f Fixtures, symbol: &str) -> &'f Function {
    subject.model.program.functions.iter().find(|f| f.symbol.starts_with(symbol)).expect("there")
}

/// The branches on the way to a goal, with their levels: `1: line 5 true`.
fn way(function: &Function, goal: Goal) -> Vec<String> {
    let plan = Plans::new(function).plan(goal);
    let step = |(level, goal): &(u32, Goal)| {
        let line = function.branch(goal.branch).expect("its own").span.start.line;
        format!("{level}: line {line} {}", goal.outcome)
    };
    plan.steps.iter().map(step).collect()
}

fn goal_at(function: &Function, line: u32, outcome: bool) -> Goal {
    let branch = function.branches.iter().find(|b| b.span.start.line == line).expect("a branch");
    Goal { branch: branch.id, outcome }
}

#[test]
fn outcomes_are_those_of_the_source() {
    let subject = compile(&[(
        "p/Out.java",
        "package p;
public class Out {
    static int f(int a, int b) {
        if (a > b)
            return 1;
        while (a < 10)
            a++;
        do
            b++;
        while (b < 20);
        if (a == 1 ||
            b == 2)
            return 2;
        if ((a == 3 &&
             b == 4) ||
            a == 5)
            return 3;
        assert a == 7 &&
            b == 8;
        return a == 6 ? 4 : 5;
    }
}
",
    )]);
    let class = &subject.classes.own[0].class;
    let (number, _) = class.method("f", "(II)I").expect("there");
    let mut taken = BTreeMap::new();
    for site in subject.model.sites.of_method(0, number) {
        let Shape::Condition { taken_is, .. } = site.shape else { panic!("no switch there") };
        taken.entry(site.line).or_insert_with(Vec::new).push(taken_is);
    }
    // Conditions over several lines stand on the first of them.
    let expected = [
        (4, vec![false]),
        (6, vec![false]),
        // The test of the loop that tests last goes back if it holds.
        (10, vec![true]),
        (11, vec![true, false]),
        (14, vec![false, true, false]),
        // Whether assertions are off comes first.
        (18, vec![true, false, true]),
        (20, vec![false]),
    ];
    assert_eq!(taken.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn control_dependence_follows_conditions_and_handlers() {
    let subject = compile(&[(
        "p/Flow.java",
        "package p;
public class Flow {
    static int f(String s, int a) {
        if (a > 3) {
            try {
                int n = Integer.parseInt(s);
                if (n == 5)
                    return 1;
            } catch (NumberFormatException e) {
                if (a == 9)
                    return 2;
            }
        }
        switch (a) {
            case 1: case 2: return s == null ? 7 : 8;
            case 40: return 4;
            default: return 5;
        }
    }
}
",
    )]);
    let f = function(&subject, "p/Flow.f");
    // The handler hangs on the call in the protected code, and that on the condition around it.
    assert_eq!(way(f, goal_at(f, 10, true)), ["0: line 10 true", "1: line 4 true"]);
    assert_eq!(way(f, goal_at(f, 7, false)), ["0: line 7 false", "1: line 4 true"]);
    // The conditional in a case hangs on its target, and that on everything that may return before.
    let inner = f.branches.iter().rfind(|b| b.span.start.line == 15).expect("a branch");
    let steps = way(f, Goal { branch: inner.id, outcome: true });
    assert_eq!(steps[..2], ["0: line 15 true", "1: line 14 true"]);
    assert!(
        steps.contains(&"2: line 7 false".to_owned()) && steps.contains(&"2: line 10 false".to_owned()),
        "{steps:?}"
    );
    let targets: Vec<_> = f.branches.iter().filter(|b| b.kind == BranchKind::Target).collect();
    assert_eq!(targets.len(), 3);
    let goals = f.goals().filter(|goal| targets.iter().any(|b| b.id == goal.branch));
    assert_eq!(goals.map(|goal| goal.outcome).collect::<Vec<_>>(), [true; 3]);
}

/// The distances that events lead to, by line.
fn judged(subject: &Fixtures, words: &[u32]) -> Vec<(u32, Distances)> {
    let mut judge = Judge::new(&subject.model.sites);
    let mut found = Vec::new();
    for event in Events::new(words) {
        judge.event(&event.expect("an event"), |branch, distances| found.push((branch.0, distances)));
    }
    found
}

fn distances(to_true: u128, to_false: u128) -> Distances {
    Distances { to_true, to_false }
}

fn event(code: Code, id: u32) -> u32 {
    (code as u32) << 24 | id
}

#[test]
fn events_become_distances_of_the_source_condition() {
    let subject = compile(&[(
        "p/J.java",
        "package p; class J { static void f(int a, int b, long l, double d, Object o, String s) {
            if (a > b) a++; if (l == 5) a++; if (d < 1) a++; if (o == null) a++; if (s.equals(\"x\")) a++;
            switch (a) { case 1: case 2: a = 3; break; case 3: a = 4; break; case 10: break; default: } if (a != 0) b++; } }",
    )]);
    assert_eq!(subject.model.sites.branch_count(), 5 + 4 + 1);
    let one = |words: &[u32]| judged(&subject, words)[0].1;
    assert_eq!(one(&[event(Code::JumpTwo, 0), 3, 5]), distances(3, 0));
    assert_eq!(one(&[event(Code::JumpTwo, 0), 5, 3]), distances(0, 2));
    assert_eq!(one(&[event(Code::CompareLong, 1), 105, 0, 5, 0, event(Code::Jump, 1), 1]), distances(100, 0));
    let bits = |value: f64| [value.to_bits() as u32, (value.to_bits() >> 32) as u32];
    let compared = |value: f64| {
        let words =
            [&[event(Code::CompareDouble, 2)][..], &bits(value), &bits(1.0), &[event(Code::Jump, 2), 1]]
                .concat();
        one(&words)
    };
    assert_eq!((compared(0.5).to_true, compared(1.5).to_false), (0, 0));
    assert!(compared(3.0).to_true > compared(2.0).to_true && compared(0.5).to_false > 0);
    // Not a number is not less.
    assert_eq!(compared(f64::NAN).to_false, 0);
    assert_eq!(one(&[event(Code::JumpReference, 3), 1]), distances(0, 1));
    assert_eq!(one(&[event(Code::CompareText, 4), 3, 0, event(Code::Jump, 4), 0]), distances(3, 0));
    // Without the comparison, the number itself counts; one that belongs to another jump does not.
    assert_eq!(one(&[event(Code::CompareText, 3), 9, 0, event(Code::Jump, 4), 0]), distances(1, 0));
    let switch = judged(&subject, &[event(Code::Jump, 5), 7]);
    let expected = [(5, distances(5, 0)), (6, distances(4, 0)), (7, distances(3, 0)), (8, distances(0, 3))];
    assert_eq!(switch, expected);
    assert_eq!(judged(&subject, &[event(Code::Jump, 6), 0]), [(9, distances(1, 0))]);
    assert_eq!(judged(&subject, &[event(Code::Jump, 700), 0]), []);
}

#[test]
fn copies_of_finally_count_for_the_first() {
    let subject = compile(&[(
        "p/F.java",
        "package p; class F { static int f(int a) { int r = 0; try { r = 10 / a; } finally { if (a > 3) r++; } return r; } }",
    )]);
    let sites = subject.model.sites.all();
    assert_eq!(
        sites.iter().map(|site| site.hidden_by).collect::<Vec<_>>(),
        [Some(Filter::FinallyCopy), None]
    );
    let found = judged(&subject, &[event(Code::JumpTwo, 0), 5, 3]);
    assert_eq!(found, [(0, distances(0, 2)), (1, distances(0, 2))]);
    assert_eq!(function(&subject, "p/F.f").goals().count(), 2);
}

#[test]
fn names_files_and_lines_come_from_debug_information() {
    let f = function(fixtures(), "jtestcraft/Clamp.clamp");
    assert_eq!(f.params.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["x", "min", "max"]);
    assert_eq!((f.name.as_str(), f.span.start.line, f.span.end.line), ("jtestcraft.Clamp.clamp", 8, 14));
    assert_eq!(fixtures().model.program.files[f.span.file as usize].path, "jtestcraft/Clamp.java");
}

#[test]
fn what_javac_says_comes_back() {
    let folder = tempfile::tempdir().expect("writable");
    let path = folder.path().join("Wrong.java");
    std::fs::write(&path, "class Wrong { int f() { return x; } }").expect("writable");
    let scratch = tempfile::tempdir().expect("writable");
    match ClassPath::read(&[path], &[], scratch.path()) {
        Err(SourceError::Compile { words }) => {
            assert!(words.contains("Wrong.java:1") && words.contains("cannot find symbol"), "{words}")
        }
        other => panic!("{other:?}"),
    }
    let missing = ClassPath::read(&[PathBuf::from("/no/such/thing")], &[], scratch.path());
    assert!(matches!(missing, Err(SourceError::Path { .. })));
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "").expect("writable");
    assert!(matches!(ClassPath::read(&[text], &[], scratch.path()), Err(SourceError::Kind(_))));
}

#[test]
fn no_class_is_left_out_silently() {
    let folder = tempfile::tempdir().expect("writable");
    let source = repository().join("fixtures/java/jtestcraft/Clamp.java");
    run(std::process::Command::new("javac").arg("-d").arg(folder.path()).arg(source));
    let clamp = folder.path().join("jtestcraft/Clamp.class");
    std::fs::copy(&clamp, folder.path().join("Copy.class")).expect("writable");
    std::fs::write(folder.path().join("Broken.class"), [0xCA, 0xFE, 0xBA, 0xBE, 0]).expect("writable");
    std::fs::write(folder.path().join("module-info.class"), b"not looked at").expect("writable");
    let classes = ClassPath::read(&[folder.path().to_owned()], &[], folder.path()).expect("readable");
    assert_eq!(classes.own.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["jtestcraft/Clamp"]);
    let why: Vec<&str> = classes.unreadable.iter().map(|unreadable| unreadable.why.as_str()).collect();
    assert!(why[0].contains("the file ends early") && why[1].contains("already read"), "{why:?}");
    let single = ClassPath::read(&[clamp], &[], folder.path()).expect("readable");
    assert_eq!(single.roots, [folder.path()]);
}

#[test]
fn sources_beside_the_named_one_are_compiled_but_not_the_subject() {
    let subject = crate::support::read(&[repository().join("fixtures/java/jtestcraft/Canvas.java")]);
    assert_eq!(
        subject.classes.own.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(),
        ["jtestcraft/Canvas"]
    );
    assert!(subject.hierarchy.is_subclass("jtestcraft/Circle", "jtestcraft/Shape"));
}

#[test]
fn c14_types_are_assignable_as_java_says() {
    let hierarchy = &fixtures().hierarchy;
    let fits = |from: &str, to: &str| {
        hierarchy.is_assignable(&from.parse().expect("a type"), &to.parse().expect("a type"))
    };
    assert!(
        fits("Ljtestcraft/Circle;", "Ljtestcraft/Shape;")
            && !fits("Ljtestcraft/Shape;", "Ljtestcraft/Circle;")
    );
    assert!(
        fits("Ljava/util/ArrayList;", "Ljava/lang/Iterable;")
            && fits("Ljava/util/TreeMap;", "Ljava/util/SortedMap;")
    );
    assert!(fits("[Ljtestcraft/Circle;", "[Ljtestcraft/Shape;") && fits("[[I", "[Ljava/lang/Object;"));
    assert!(fits("[I", "Ljava/io/Serializable;") && !fits("[I", "[Ljava/lang/Object;") && !fits("[I", "[J"));
    assert!(fits("Ljava/util/List;", "Ljava/lang/Object;") && !fits("I", "J"));
}

#[test]
fn odd_class_files_are_no_reason_to_panic() {
    let subject = fixtures();
    let entry = subject.classes.own.iter().find(|entry| entry.name == "features/TryCatch").expect("there");
    let folder = tempfile::tempdir().expect("writable");
    let mut read = 0;
    // Bytes changed one at a time: what can still be read goes all the way.
    for at in (0..entry.bytes.len()).step_by(17) {
        let mut bytes = entry.bytes.clone();
        bytes[at] ^= 0x21;
        let path = folder.path().join("T.class");
        std::fs::write(&path, bytes).expect("writable");
        let Ok(classes) = ClassPath::read(&[path], &[], folder.path()) else { continue };
        let hierarchy = java_frontend::Hierarchy::new(&classes, java_frontend::Platform::absent());
        let model = java_frontend::JavaModel::new(&classes.own, &hierarchy);
        let summaries = java_frontend::Summaries::new(&classes.own, &model.methods, &hierarchy);
        assert!(summaries.made(classes.own.len()).is_none());
        model.program.functions.iter().for_each(|f| drop(f.cfg.control_dependence()));
        read += classes.own.len();
    }
    assert!(read > 40, "{read}");
}

#[test]
fn a_line_that_may_throw_in_two_ways_is_not_believed() {
    let source = "class A {
        int field;
        static int plain(A a) {
            if (a == null) throw new NullPointerException(\"a\");
            return 1;
        }
        static int both(A a) {
            if (a.field == 3) throw new NullPointerException();
            return 1;
        }
    }";
    let throws = &compile(&[("A.java", source)]).model.throws;
    let is_explicit = |line| throws.is_explicit("A", line, "java/lang/NullPointerException");
    assert!(is_explicit(4) && !is_explicit(8));
    assert!(!throws.is_explicit("A", 4, "java/lang/ArithmeticException"));
}

#[test]
fn jumps_are_settled_that_look_at_static_final_fields_alone() {
    let source = "class A {
        static final boolean IS_LATE = System.nanoTime() > 5;
        static final int WHERE = Integer.getInteger(\"where\", 3);
        static boolean open;
        static int late() { return IS_LATE ? 1 : 2; }
        static int where() { switch (WHERE) { case 3: return 1; case 4: return 2; default: return 3; } }
        static int is(int x) { if (WHERE == 7) return 1; if (WHERE == x) return 2; return open ? 3 : 4; }
        static int either(boolean b, int x) { return (b ? x : WHERE) == 7 ? 1 : 2; }
    }";
    let subject = compile(&[("A.java", source)]);
    let sites = &subject.model.sites;
    let settled = java_frontend::settled(&subject.classes.own, sites);
    let lines: Vec<u32> =
        sites.all().iter().filter(|site| settled.contains_key(&site.branch)).map(|site| site.line).collect();
    assert_eq!(lines, [5, 6, 7]);
    // A switch is settled with all its ways.
    assert_eq!(settled.len(), 5);
}
