//! Decisions of sources and the jumps that they became.

use crate::support::repository;
use java_frontend::{ClassPath, Hierarchy, JavaModel, Platform, Shape, SourceDecisions};
use model::{BranchId, BranchKind, Decision, Function, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;

/// A model with decisions, and without.
struct Subject {
    _scratch: tempfile::TempDir,
    classes: ClassPath,
    model: JavaModel,
    plain: JavaModel,
}

fn read(paths: &[PathBuf]) -> Subject {
    let scratch = tempfile::tempdir().expect("writable");
    let [compiled, asked] = ["compiled", "asked"].map(|name| scratch.path().join(name));
    for folder in [&compiled, &asked] {
        std::fs::create_dir(folder).expect("writable");
    }
    let classes = ClassPath::read(paths, &[], &compiled).expect("readable");
    let hierarchy = Hierarchy::new(&classes, Platform::find());
    let source = SourceDecisions::read(&classes, &asked).expect("the compiler tells");
    let model = JavaModel::deciding(&classes.own, &hierarchy, Some(&source));
    let plain = JavaModel::new(&classes.own, &hierarchy);
    Subject { _scratch: scratch, classes, model, plain }
}

fn compile(name: &str, text: &str) -> Subject {
    let folder = tempfile::tempdir().expect("writable");
    std::fs::write(folder.path().join(name), text).expect("writable");
    read(&[folder.path().to_owned()])
}

fn fixtures() -> &'static Subject {
    static FIXTURES: OnceLock<Subject> = OnceLock::new();
    FIXTURES.get_or_init(|| read(&[repository().join("fixtures/java")]))
}

fn of_class<'s>(subject: &'s Subject, class: &str) -> Vec<&'s Function> {
    let own = subject.model.program.functions.iter();
    own.filter(|f| f.name.rsplit_once('.').is_some_and(|(name, _)| name == class)).collect()
}

fn written(decision: &Decision) -> String {
    decision.shape.written(|index| char::from(b'A' + index as u8).to_string())
}

fn text(source: &str, span: Span) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let line = |number: u32| lines[number as usize - 1];
    if span.start.line == span.end.line {
        return line(span.start.line)[span.start.column as usize - 1..span.end.column as usize - 1]
            .to_owned();
    }
    let first = &line(span.start.line)[span.start.column as usize - 1..];
    let last = &line(span.end.line)[..span.end.column as usize - 1];
    let between = (span.start.line + 1..span.end.line).map(line);
    std::iter::once(first).chain(between).chain([last]).map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The forms in the comment of a line.
fn expected(line: &str) -> Vec<String> {
    let Some((_, comment)) = line.split_once("// (") else { return Vec::new() };
    let (mut forms, mut form, mut depth) = (Vec::new(), String::from("("), 1);
    for c in comment.chars() {
        if depth == 0 && c == ' ' {
            continue;
        }
        form.push(c);
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            forms.push(std::mem::take(&mut form));
        }
    }
    forms
}

#[test]
fn every_form_is_found_where_its_comment_says() {
    let subject = fixtures();
    let source = std::fs::read_to_string(repository().join("fixtures/java/mcdc/Forms.java")).expect("there");
    let mut found: BTreeMap<u32, BTreeMap<Span, String>> = BTreeMap::new();
    for function in of_class(subject, "mcdc.Forms") {
        assert_eq!(function.left_out, [], "{}", function.name);
        for decision in &function.decisions {
            let line = found.entry(decision.span.start.line).or_default();
            line.insert(decision.span, written(decision));
        }
    }
    for (number, line) in (1..).zip(source.lines()) {
        let here: Vec<String> =
            found.remove(&number).map(|here| here.into_values().collect()).unwrap_or_default();
        assert_eq!(here, expected(line), "line {number}: {line}");
    }
}

#[test]
fn conditions_have_their_text() {
    let subject = compile(
        "T.java",
        "class T {
    static int f(int a, String s, boolean c) {
        if (s.equals(\"äöü\") && !c || !(a > 3)) return 1;
        if ((c) && ((a == 4))) return 2;
        return c && a == 5 ? 3 : (c ? a > 6 : a < 6) || !!c ? 4 : 5;
    }
}
",
    );
    let source = "class T {
    static int f(int a, String s, boolean c) {
        if (s.equals(\"äöü\") && !c || !(a > 3)) return 1;
        if ((c) && ((a == 4))) return 2;
        return c && a == 5 ? 3 : (c ? a > 6 : a < 6) || !!c ? 4 : 5;
";
    let f = of_class(&subject, "T").into_iter().find(|f| f.name == "T.f").expect("there");
    let texts = |decision: &Decision| -> Vec<String> {
        decision.conditions.iter().map(|&id| text(source, f.branch(id).expect("its own").span)).collect()
    };
    let all: Vec<Vec<String>> = f.decisions.iter().map(texts).collect();
    assert_eq!(
        all,
        [
            vec!["s.equals(\"äöü\")", "!c", "!(a > 3)"],
            vec!["c", "a == 4"],
            vec!["c", "a == 5"],
            vec!["c ? a > 6 : a < 6", "!!c"],
        ]
    );
    let whole: Vec<String> = f.decisions.iter().map(|decision| text(source, decision.span)).collect();
    assert_eq!(whole[0], "s.equals(\"äöü\") && !c || !(a > 3)");
}

/// What a jump says of its condition, seen from the code: by comparing the relation it tests with the text.
#[test]
fn outcomes_are_those_of_conditions() {
    let subject = compile(
        "O.java",
        "class O {
    static boolean f(int a, int b) {
        boolean x = a == 1 && b == 2;
        x |= !(a == 3) || !(b == 4);
        do b++; while (a == 5 || b == 6);
        for (;;) {
            if (a == 7 && b == 8) continue;
            if (!(a != 9 || b != 10)) break;
        }
        if (a == 11 && b == 12) {}
        return x ? a == 13 && b == 14 : a != 15 || b != 16;
    }
}
",
    );
    let class = &subject.classes.own[0].class;
    let (number, _) = class.method("f", "(II)Z").expect("there");
    let f = of_class(&subject, "O").into_iter().find(|f| f.name == "O.f").expect("there");
    assert_eq!((f.left_out.clone(), f.decisions.len()), (Vec::new(), 8));
    let conditions: BTreeSet<BranchId> = f.decisions.iter().flat_map(|d| d.conditions.clone()).collect();
    let sites = subject.model.sites.of_method(0, number);
    let mut seen = 0;
    for site in sites.iter().filter(|site| conditions.contains(&site.branch)) {
        let Shape::Condition { condition, taken_is, .. } = site.shape else { panic!("no switch there") };
        let span = f.branch(site.branch).expect("its own").span;
        // `a == 1` is true if the relation `==` holds, `!(a == 3)` and `a != 9` if it does not.
        let is_negated = match span.start.line {
            4 | 8 => true,
            11 => span.start.column > 40,
            _ => false,
        };
        let holds = match condition {
            java_classfile::instruction::Condition::Eq => true,
            java_classfile::instruction::Condition::Ne => false,
            other => panic!("{other:?} at {:?}", span.start),
        };
        assert_eq!(taken_is, holds != is_negated, "{condition:?} at {:?}", span.start);
        seen += 1;
    }
    assert_eq!(seen, 16);
}

/// Ids, lines and totals of branches are what they are without decisions; nodes and constants stand behind them.
#[test]
fn branches_are_the_same_with_decisions() {
    let Subject { model, plain, .. } = fixtures();
    assert!(model.program.branch_count > plain.program.branch_count);
    let mut known = BTreeSet::new();
    for (function, other) in model.program.functions.iter().zip(&plain.program.functions) {
        let goals = |f: &Function| f.goals().map(|goal| goal.branch).collect::<BTreeSet<_>>();
        assert_eq!(goals(function), goals(other), "{}", function.name);
        let new = function.branches.iter().skip(other.branches.len());
        for branch in new {
            assert!(!branch.counted && branch.id.0 >= plain.program.branch_count);
            assert!(known.insert(branch.id) && branch.id.0 < model.program.branch_count);
        }
        let nodes: BTreeSet<BranchId> =
            function.decisions.iter().flat_map(|d| d.nodes.iter().map(|node| node.branch)).collect();
        let told = function.branches.iter().filter(|b| b.kind == BranchKind::Node).map(|b| b.id).collect();
        assert_eq!(nodes, told, "{}", function.name);
    }
}

/// Of all fixtures: what is left out is listed, and there is a reason for each.
#[test]
fn little_is_left_out_of_the_fixtures() {
    let program = &fixtures().model.program;
    let decisions: usize = program.functions.iter().map(|f| f.decisions.len()).sum();
    let left: Vec<String> = program
        .functions
        .iter()
        .flat_map(|f| {
            f.left_out.iter().map(move |l| format!("{}:{} {}", f.name, l.span.start.line, l.reason))
        })
        .collect();
    assert!(decisions > 150 && left.is_empty(), "{decisions} decisions, left out:\n{}", left.join("\n"));
}

/// Without source nobody says which conditions belong together; that they are there is told.
#[test]
fn classes_without_source_list_what_may_be_decisions() {
    let subject = compile(
        "N.java",
        "class N {
    static int f(int a, int b) {
        if (a > 1 && b > 2) return 1;
        if (a < 3 || b < 4) return 2;
        if (a == 5) return 3;
        return 4;
    }
}
",
    );
    let folder = tempfile::tempdir().expect("writable");
    std::fs::write(folder.path().join("N.class"), &subject.classes.own[0].bytes).expect("writable");
    let alone = read(&[folder.path().to_owned()]);
    let f = alone.model.program.functions.iter().find(|f| f.name == "N.f").expect("there");
    let lines: Vec<u32> = f.left_out.iter().map(|left| left.span.start.line).collect();
    assert_eq!((lines, f.decisions.len()), (vec![3, 4], 0));
    assert!(f.left_out[0].reason.contains("no source"), "{:?}", f.left_out);
}
